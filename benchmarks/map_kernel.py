"""The map of kernel machines: rows by columns, each kernel, scaled and unscaled columns, each C.

All solve the same problem with the same tolerance, from arrays to a fitted `SVC`. The judge takes
the dual variables and computes the violation (m - M, as in LIBSVM) and the objective on the kernel
matrix in float64, in plain numpy. A peer whose violation is above the tolerance is not counted;
ours has a smaller one as long as its objective is above that of a peer that is.
"""

import argparse
import itertools
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import svm

from benchmarks.map import Cell, in_turns
from maxmargin import SVC

SIZES = (10, 30, 100, 300, 1000, 3000)
QUICK_SIZES = (10, 100, 1000)
MOST_ENTRIES = 10**7
KERNELS = ("linear", "poly", "rbf")
FACTORS = (0.01, 1.0, 100.0)
#: Deviations of unscaled columns are 10 to a number between minus and plus this.
DECADES = 2.0
TOLERANCES = (1e-3, 1e-4, 1e-5, 1e-6)
#: Of the largest violation, for what float32 caches and sums in other orders leave; and what two
#: objectives of the same accuracy differ by, as a share.
ROUNDING, SAME = 0.05, 1e-3
#: Peers end after so many iterations, and have then not solved it.
MOST_ITERATIONS = 2_000_000


@dataclass(frozen=True)
class Problem:
    """One of the map: data, and the machine that is fitted to them."""

    X: np.ndarray
    y: np.ndarray
    kernel: str
    C: float

    @property
    def parameters(self) -> dict[str, Any]:
        return {"kernel": self.kernel, "C": self.C, "coef0": 1.0 if self.kernel == "poly" else 0.0}

    @property
    def gamma(self) -> float:
        """The "scale" of scikit-learn."""
        return 1.0 / (self.X.shape[1] * self.X.var())

    def gram(self) -> np.ndarray:
        """The kernel matrix in float64; distances are those of centred rows."""
        X = self.X - self.X.mean(axis=0) if self.kernel == "rbf" else self.X
        products = X @ X.T
        if self.kernel == "linear":
            return products
        if self.kernel == "poly":
            return (self.gamma * products + 1.0) ** 3
        squares = np.diag(products)
        return np.exp(-self.gamma * np.maximum(squares[:, None] + squares - 2 * products, 0))

    def judged(self, K: np.ndarray, beta: np.ndarray) -> tuple[float, float]:
        """Return the violation and the objective to be minimised, from their definitions."""
        return judged(K, 2.0 * self.y - 1.0, self.C, beta)


def judged(K: np.ndarray, y: np.ndarray, C: float, beta: np.ndarray) -> tuple[float, float]:
    """Return the violation (m - M, as in LIBSVM) and the objective to be minimised.

    >>> judged(np.eye(2), np.array([1.0, -1.0]), 1.0, np.zeros(2))
    (2.0, 0.0)
    """
    product = K @ beta
    f = product - y
    up, down = (y * beta < C) & (y > 0), (y * beta > 0) & (y > 0)
    up, down = up | ((y * beta > 0) & (y < 0)), down | ((y * beta < C) & (y < 0))
    violation = max(0.0, f[down].max(initial=-np.inf) - f[up].min(initial=np.inf))
    return float(violation), float(beta @ product / 2 - y @ beta)


def cells(arguments: argparse.Namespace) -> Iterator[Cell]:
    """Time every problem of the map."""
    warnings.simplefilter("ignore")
    sizes = QUICK_SIZES if arguments.quick else SIZES
    kinds = itertools.product(("scaled", "unscaled"), KERNELS, FACTORS)
    for (form, kernel, C), n, d in itertools.product(kinds, sizes, sizes):
        label = f"{form}, {kernel}, C={C:g}: {n} x {d}"
        if n * d < MOST_ENTRIES and arguments.only in label:
            yield measured(label, Problem(*sample(n, d, form == "unscaled"), kernel, C))


def sample(n: int, d: int, unscaled: bool) -> tuple[np.ndarray, np.ndarray]:
    """Rows with a few informative columns, and labels of which one in ten is wrong."""
    rng = np.random.default_rng([n, d, unscaled])
    X = rng.normal(size=(n, d))
    scores = X @ (rng.normal(size=d) * (rng.random(d) < max(0.1, 5 / d)))
    y = (scores > np.median(scores)).astype(int)
    y = np.where(rng.random(n) < 0.1, 1 - y, y)
    y[:2] = 0, 1
    if unscaled:
        X *= 10.0 ** rng.uniform(-DECADES, DECADES, d)
    return X, y


def maxmargin(problem: Problem, tol: float) -> Callable[[], Any]:
    model = SVC(**problem.parameters, tol=tol, n_jobs=1)
    return lambda: model.fit(problem.X, problem.y)


def scikit_learn(problem: Problem, tol: float) -> Callable[[], Any]:
    model = svm.SVC(**problem.parameters, tol=tol, cache_size=2000, max_iter=MOST_ITERATIONS)
    return lambda: model.fit(problem.X, problem.y)


def measured(label: str, problem: Problem) -> Cell:
    """Time everyone, ours at the first tolerance at which its objective is as good."""
    K, limit = problem.gram(), TOLERANCES[0] * (1 + ROUNDING)
    peer = scikit_learn(problem, TOLERANCES[0])
    violation, goal = problem.judged(K, _variables(peer(), len(K)))
    solved = violation <= limit
    for tol in TOLERANCES:
        ours = maxmargin(problem, tol)
        found, value = problem.judged(K, _variables(ours(), len(K)))
        good = found <= limit and (not solved or value <= goal + SAME * abs(goal))
        if good:
            break
    seconds = in_turns({"maxmargin": ours, **({"scikit-learn": peer} if solved else {})})
    own = seconds.pop("maxmargin")
    return Cell(label, own if good else np.inf, seconds)


def _variables(model: Any, rows: int) -> np.ndarray:
    beta = np.zeros(rows)
    beta[model.support_] = model.dual_coef_[0]
    return beta
