"""The map of linear machines: rows by columns, dense and sparse, each loss, penalty and C.

All solve LIBLINEAR's problem, whose intercept is penalised, from arrays to weights. The judge is
the objective of the returned weights in plain numpy. LIBLINEAR, in its own package and in
scikit-learn's, has its default tolerance, and a tenth of it as long as its objective is more than
1e-4 above the best and it has not taken longer than we; who has not got so far at the last of them,
as LIBLINEAR's own package after its 1,000 passes, has not solved the problem and is left out. Ours
has its own tolerance, and a tenth of it as long as its objective is above one of theirs.
"""

import argparse
import itertools
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from time import process_time
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.svm import LinearSVC as ScikitLearn

from benchmarks.map import Cell, in_turns, patience, within
from maxmargin import LinearSVC

try:
    from liblinear.liblinearutil import train
except ImportError:
    train = None

SIZES = (10, 30, 100, 300, 1000, 3000, 10000)
QUICK_SIZES = (10, 100, 1000)
MOST_ENTRIES = 10**7
#: Share of entries that sparse rows have, at least ten of a row.
DENSITY = 0.01
FACTORS = (0.01, 1.0, 100.0)
#: Penalty and loss, with LIBLINEAR's number where rows outnumber columns and where they do not.
KINDS = {("l2", "hinge"): (3, 3), ("l2", "squared_hinge"): (2, 1), ("l1", "squared_hinge"): (5, 5)}
TOLERANCES = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12)
#: The last of them for peers, and what `best` is made with.
PEERS_LAST, BEST = 5, 1e-10
ENOUGH = 1e-4
#: As sums in different orders differ.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Problem:
    """One of the map: data, and what is to be minimised."""

    X: Any
    y: np.ndarray
    penalty: str
    loss: str
    C: float

    def objective(self, w: np.ndarray, b: float) -> float:
        """The primal objective, from its definition."""
        slack = np.maximum(0.0, 1.0 - (2.0 * self.y - 1.0) * (self.X @ w + b))
        loss = slack.sum() if self.loss == "hinge" else slack @ slack
        if self.penalty == "l1":
            return float(np.abs(w).sum() + abs(b) + self.C * loss)
        return float((w @ w + b * b) / 2 + self.C * loss)


Fit = Callable[[], tuple[np.ndarray, float]]


def maxmargin(problem: Problem, tol: float) -> Fit:
    model = LinearSVC(
        penalty=problem.penalty, loss=problem.loss, C=problem.C, tol=tol, max_iter=-1,
        intercept="penalized", n_jobs=1,
    )  # fmt: skip
    return lambda: _weights(model.fit(problem.X, problem.y))


def scikit_learn(problem: Problem, tol: float) -> Fit:
    """scikit-learn's copy of LIBLINEAR, which may take more passes as it is to be more accurate."""
    model = ScikitLearn(
        penalty=problem.penalty, loss=problem.loss, C=problem.C, tol=tol,
        max_iter=int(0.1 / tol),
    )  # fmt: skip
    return lambda: _weights(model.fit(problem.X, problem.y))


def _weights(model: Any) -> tuple[np.ndarray, float]:
    return model.coef_[0], float(model.intercept_[0])


def liblinear(problem: Problem, tol: float) -> Fit:
    """LIBLINEAR's own package."""
    n, d = problem.X.shape
    solver = KINDS[problem.penalty, problem.loss][n < d]
    options = f"-s {solver} -c {problem.C} -e {tol} -B 1 -q"

    def fit() -> tuple[np.ndarray, float]:
        model = train(problem.y, sparse.csr_matrix(problem.X), options)
        w, b = model.get_decfun(0)
        sign = 1.0 if model.get_labels()[0] == 1 else -1.0
        return sign * np.array(w), sign * b

    return fit


#: Who is compared: scikit-learn's copy, and LIBLINEAR's own package where it is installed.
PEERS = {"scikit-learn": scikit_learn, **({"LIBLINEAR": liblinear} if train else {})}


def cells(arguments: argparse.Namespace) -> Iterator[Cell]:
    """Time every problem of the map."""
    warnings.simplefilter("ignore")
    sizes = QUICK_SIZES if arguments.quick else SIZES
    kinds = itertools.product(("dense", "sparse"), KINDS, FACTORS)
    for (form, (penalty, loss), C), n, d in itertools.product(kinds, sizes, sizes):
        label = f"{form}, {penalty}, {loss}, C={C:g}: {n} x {d}"
        if n * d < MOST_ENTRIES and arguments.only in label:
            yield measured(label, Problem(*sample(n, d, form == "sparse"), penalty, loss, C))


def sample(n: int, d: int, is_sparse: bool) -> tuple[Any, np.ndarray]:
    """Rows with a few informative columns, and labels of which one in ten is wrong."""
    rng = np.random.default_rng([n, d, is_sparse])
    if is_sparse:
        X = sparse.random_array(
            (n, d), density=max(DENSITY, min(1.0, 10 / d)), format="csr", rng=rng,
            data_sampler=lambda size: rng.uniform(0.1, 1.0, size),
        )  # fmt: skip
    else:
        X = rng.normal(size=(n, d))
    scores = X @ (rng.normal(size=d) * (rng.random(d) < max(0.1, 5 / d)))
    y = (scores > np.median(scores)).astype(int)
    flipped = rng.random(n) < 0.1
    y = np.where(flipped, 1 - y, y)
    y[:2] = 0, 1
    return X, y


@dataclass(frozen=True)
class Tried:
    """A tolerance with the objective that is reached, and how long it took the first time."""

    tol: float
    value: float
    seconds: float


def measured(label: str, problem: Problem) -> Cell:
    """Time everyone at the first setting at which its objective is as good as the others'."""
    best = problem.objective(*maxmargin(problem, BEST)())
    limit = in_turns({"": maxmargin(problem, TOLERANCES[0])})[""]
    enough, longest = best * (1 + ENOUGH), patience(limit)
    tried = {
        name: within(
            longest,
            lambda peer=peer: _tried(peer, problem, TOLERANCES[:PEERS_LAST], enough, limit),
        )
        or Tried(TOLERANCES[0], np.inf, longest)
        for name, peer in PEERS.items()
    }
    solved = {
        name: one for name, one in tried.items() if one.value <= enough or one.seconds > limit
    }
    goal = min([enough, *(one.value for one in solved.values())]) * (1 + ROUNDING)
    ours = _tried(maxmargin, problem, TOLERANCES, goal)
    ended = {name: one for name, one in solved.items() if one.value < np.inf}
    fits = {name: PEERS[name](problem, one.tol) for name, one in ended.items()}
    seconds = in_turns({"maxmargin": maxmargin(problem, ours.tol), **fits})
    own = seconds.pop("maxmargin")
    bounds = {name: one.seconds for name, one in solved.items() if name not in ended}
    return Cell(label, own if ours.value <= goal else np.inf, {**seconds, **bounds})


def _tried(
    contestant: Callable[[Problem, float], Fit],
    problem: Problem,
    tolerances: Sequence[float],
    goal: float,
    limit: float = np.inf,
) -> Tried:
    """The loosest tolerance with which the objective is at most `goal`.

    A fit that takes longer than the limit is returned though it is worse: so much longer would one
    take that is as good. So is the last one.
    """
    for tol in tolerances:
        fit, start = contestant(problem, tol), process_time()
        value = problem.objective(*fit())
        seconds = process_time() - start
        if value <= goal or seconds > limit:
            break
    return Tried(tol, value, seconds)
