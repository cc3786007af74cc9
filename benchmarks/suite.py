"""The rows of the tables: a data set, how it is scaled, and the machine to train on it.

Bundled rows need nothing but scikit-learn. The kernel suite reads `<data>.npz` and, where there is
one, `<data>.test.npz` from the folder in the variable MAXMARGIN_DATA: dense `X` or the CSR arrays
`data`, `indices`, `indptr` and `shape`, and `y`.
"""

import os
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from scipy import sparse

from benchmarks.problem import Problem

TOL = 1e-3
#: Enough to time prediction; all of a large test set would take longer than the fit.
MOST_TEST_ROWS = 4_000


@dataclass(frozen=True)
class Row:
    name: str
    data: str
    gamma: float
    C: float = 1.0
    n: int = 0  # the first n rows of a permutation; 0 for all, in their order
    scaling: str = ""  # "std": columns standardised; "255": divided by 255
    sparse: bool = False
    machine: str = "SVC"
    epsilon: float = 0.0
    nu: float = 0.5
    long: bool = False  # only when asked for by name
    extra: bool = False  # of no suite: for the bars of n = 100 and of C >= 100 alone


HUNDRED = Row("n100", "breast_cancer", gamma=1 / 30, n=100, scaling="std", extra=True)

BUNDLED = (
    HUNDRED,
    Row("iris", "iris", gamma=0.25, scaling="std"),
    Row("breast-cancer", "breast_cancer", gamma=1 / 30, C=10, scaling="std"),
    Row("digits", "digits", gamma=0.001, C=10),
    Row("moons", "moons", gamma=2, C=100),
    Row("clouds", "clouds", gamma=0.05, C=1),
)

SUITE = (
    Row("a9a-1", "a9a", gamma=1 / 123, C=1, sparse=True),
    Row("a9a-32", "a9a", gamma=0.03, C=32, sparse=True),
    Row("w8a", "w8a", gamma=0.05, C=10, sparse=True),
    Row("ijcnn1", "ijcnn1", gamma=2, C=32),
    Row("letter", "letter", gamma=1, C=10),
    Row("usps", "usps", gamma=0.0078, C=10),
    Row("mnist20k", "mnist", gamma=0.02, C=10, n=20_000, scaling="255"),
    Row("covtype20k", "covtype", gamma=0.1, C=10, n=20_000, scaling="std"),
    Row("shuttle", "shuttle", gamma=1, C=100, scaling="std"),
    Row("satimage", "satimage", gamma=0.05, C=16, scaling="std"),
    Row("svmguide1", "svmguide1", gamma=0.5, C=1000, scaling="std"),
    Row("news20rbf", "news20_tfidf", gamma=0.5, C=10, sparse=True),
    Row("cadata", "cadata_raw", gamma=0.125, C=10, scaling="std", machine="SVR", epsilon=0.1),
    Row("cpusmall", "cpusmall", gamma=0.1, C=100, scaling="std", machine="SVR", epsilon=0.1),
    Row("mammography", "mammography", gamma=0.2, scaling="std", machine="OneClassSVM", nu=0.05),
    Row("mnist", "mnist", gamma=0.02, C=10, scaling="255", long=True),
    Row("covtype", "covtype", gamma=0.1, C=10, n=100_000, scaling="std", long=True),
)

#: Quick ones: they come before the suite.
EXTRA = (
    HUNDRED,
    Row("german-1000", "german_numer_scale", gamma=0.05, C=1000, extra=True),
    Row("satimage-1000", "satimage", gamma=0.05, C=1000, scaling="std", extra=True),
    Row("covtype5k-100", "covtype", gamma=0.1, C=100, n=5_000, scaling="std", extra=True),
)


def choose(rows: tuple[Row, ...], names: list[str]) -> list[Row]:
    """The rows of these names; without names, all but the long ones."""
    known = {row.name: row for row in rows}
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"no such rows: {', '.join(unknown)}; there are {', '.join(known)}")
    return [known[name] for name in names] or [row for row in rows if not row.long]


def load(row: Row) -> Problem:
    """Read a row's data as every contestant will see it.

    All values are float32 numbers, whatever precision a contestant computes in: so the float32 and
    the float64 contestants solve the same problem, and one judge can judge both.
    """
    X, y, X_test, y_test = _bundled(row.data) or _stored(row.data)
    if row.data == "covtype":
        y, y_test = y == 2, y_test == 2
    if row.n:
        chosen = np.random.RandomState(0).permutation(len(y))[: row.n]
        X, y = X[chosen], y[chosen]
    X_test, y_test = X_test[:MOST_TEST_ROWS], y_test[:MOST_TEST_ROWS]
    X, X_test = _scaled(row.scaling, X, X_test)
    y, y_test = _TARGETS[row.machine](y, y_test)
    store = sparse.csr_matrix if row.sparse else _dense
    return Problem(
        X=store(X).astype(np.float32),
        y=y,
        X_test=store(X_test).astype(np.float32),
        y_test=y_test,
        C=float(row.C),
        gamma=float(row.gamma),
        tol=TOL,
        machine=row.machine,
        epsilon=row.epsilon,
        nu=row.nu,
    )


def _classes(y, y_test):
    classes, codes = np.unique(y, return_inverse=True)
    return codes, np.searchsorted(classes, y_test)


def _standardised(y, y_test):
    return tuple(
        ((t - y.mean()) / y.std()).astype(np.float32).astype(np.float64) for t in (y, y_test)
    )


def _frequent(y, y_test):
    """1 for rows of the most frequent class, -1 for the rare: what a one-class machine says."""
    classes, counts = np.unique(y, return_counts=True)
    return tuple(np.where(t == classes[counts.argmax()], 1, -1) for t in (y, y_test))


_TARGETS = {"SVC": _classes, "SVR": _standardised, "OneClassSVM": _frequent}


def _dense(X):
    return X.toarray() if sparse.issparse(X) else np.asarray(X)


def _scaled(scaling, X, X_test):
    if scaling == "255":
        return X / 255.0, X_test / 255.0
    if scaling == "std":
        mean, deviation = X.mean(axis=0, dtype=float), X.std(axis=0, dtype=float)
        deviation[deviation == 0] = 1.0
        return (X - mean) / deviation, (X_test - mean) / deviation
    return X, X_test


def _bundled(name):
    from sklearn import datasets

    made = {
        "iris": partial(datasets.load_iris, return_X_y=True),
        "breast_cancer": partial(datasets.load_breast_cancer, return_X_y=True),
        "digits": partial(datasets.load_digits, return_X_y=True),
        "moons": partial(datasets.make_moons, 4000, noise=0.3, random_state=0),
        "clouds": partial(
            datasets.make_classification,
            8000,
            n_features=20,
            n_informative=10,
            n_clusters_per_class=4,
            random_state=0,
        ),
    }
    if name not in made:
        return None
    X, y = made[name]()
    return X, y, X, y


def _stored(name):
    folder = Path(os.environ["MAXMARGIN_DATA"])
    X, y = _read(folder / f"{name}.npz")
    test = folder / f"{name}.test.npz"
    X_test, y_test = _read(test, X.shape[1]) if test.exists() else (X, y)
    return X, y, X_test, y_test


def _read(path, n_features=None):
    with np.load(path) as file:
        if "X" in file:
            return file["X"], file["y"]
        # The last features may not occur in a test set.
        shape = (int(file["shape"][0]), n_features or int(file["shape"][1]))
        return sparse.csr_matrix((file["data"], file["indices"], file["indptr"]), shape), file["y"]
