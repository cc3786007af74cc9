"""The map of many classes: rows by classes, apart and overlapping, each C, an RBF kernel.

The rows of a class are a cloud in eight columns. All fit the same pairs of classes with the same
tolerance, from arrays to a fitted `SVC`. The judge takes the dual variables of every pair and
computes its violation and objective in float64, in plain numpy: the largest violation of all pairs
has to be within the tolerance, for ours and for a peer that counts.
"""

import argparse
import itertools
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn import svm
from sklearn.metrics.pairwise import rbf_kernel

from benchmarks.map import Cell, in_turns
from benchmarks.map_kernel import ROUNDING, TOLERANCES, judged
from maxmargin import SVC

SIZES = (100, 300, 1000, 3000, 10000)
CLASSES = (3, 10, 26)
QUICK_SIZES, QUICK_CLASSES = (300, 3000), (3, 26)
#: Least rows of a class.
LEAST = 5
COLUMNS = 8
#: Deviations of a cloud; the centres of the clouds have deviation 3.
SPREADS = {"apart": 1.0, "overlapping": 3.0}
FACTORS = (0.01, 1.0, 100.0)


def cells(arguments: argparse.Namespace) -> Iterator[Cell]:
    """Time every problem of the map."""
    warnings.simplefilter("ignore")
    sizes = QUICK_SIZES if arguments.quick else SIZES
    classes = QUICK_CLASSES if arguments.quick else CLASSES
    for spread, C, n, k in itertools.product(SPREADS, FACTORS, sizes, classes):
        label = f"classes {spread}, C={C:g}: {n} x {k}"
        if n >= LEAST * k and arguments.only in label:
            yield measured(label, *sample(n, k, SPREADS[spread]), C)


def sample(n: int, classes: int, deviation: float) -> tuple[np.ndarray, np.ndarray]:
    """Rows of columns of variance one, about as many of each class."""
    rng = np.random.default_rng([n, classes, int(deviation)])
    y = np.arange(n) % classes
    X = 3.0 * rng.normal(size=(classes, COLUMNS))[y] + deviation * rng.normal(size=(n, COLUMNS))
    return X / X.std(axis=0), y


def measured(label: str, X: np.ndarray, y: np.ndarray, C: float) -> Cell:
    """Time both at the tolerance, and judge both."""
    ours = SVC(C=C, tol=TOLERANCES[0], n_jobs=1)
    peer = svm.SVC(C=C, tol=TOLERANCES[0], cache_size=2000)
    seconds = in_turns(
        {"maxmargin": lambda: ours.fit(X, y), "scikit-learn": lambda: peer.fit(X, y)}
    )
    limit = TOLERANCES[0] * (1 + ROUNDING)
    good = {"maxmargin": violation(ours, X, y), "scikit-learn": violation(peer, X, y)}
    own = seconds.pop("maxmargin") if good["maxmargin"] <= limit else np.inf
    return Cell(label, own, {name: t for name, t in seconds.items() if good[name] <= limit})


def violation(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    """Return the largest violation of all pairs of classes."""
    gamma = 1.0 / (X.shape[1] * X.var())
    beta = np.zeros((model.dual_coef_.shape[0], len(y)))
    beta[:, model.support_] = model.dual_coef_
    largest = 0.0
    for i, j in itertools.combinations(range(len(model.classes_)), 2):
        first, second = np.flatnonzero(y == i), np.flatnonzero(y == j)
        rows = np.r_[first, second]
        # The variables of class i against j are in row j - 1, those of class j against i in row i.
        b = np.r_[beta[j - 1, first], beta[i, second]]
        signs = np.where(y[rows] == i, 1.0, -1.0)
        found, _ = judged(rbf_kernel(X[rows], gamma=gamma), signs, model.C, b)
        largest = max(largest, found)
    return largest
