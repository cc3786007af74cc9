"""Write golden.json: what the package says about the sets that the views begin with.

Run `python lab/src/views/golden.py` from the root of the repository. The unit tests hold the lab's
own computations against these numbers, the tests in a browser what stands on the page.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, SVR, LinearSVC, NuSVC, NuSVR, OneClassSVM
from maxmargin.kernels import RBF
from maxmargin.selection import c_path

HERE = Path(__file__).parent
SETS = json.loads((HERE.parent / "data" / "sets.json").read_text())


def stored(name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows and targets of a built-in set."""
    return np.array(SETS[name]["points"], float), np.array(SETS[name]["y"], float)


def bends(X: np.ndarray, y: np.ndarray, **kernel: Any) -> np.ndarray:
    """Return where some alpha changes its slope, between C = 1e-3 and 1e4."""
    path = c_path(X, y, **kernel)
    nodes = path.break_points
    values = np.array([np.zeros(len(y)), *(path.alphas(C) for C in nodes[1:])])
    slopes = np.vstack([np.diff(values, axis=0) / np.diff(nodes)[:, None], path.slope])
    found = nodes[1:][np.abs(np.diff(slopes, axis=0)).max(axis=1) > 1e-7]
    return found[(found > 1e-3) & (found < 1e4)]


def paths() -> dict[str, Any]:
    """Return break points of sets with and without a hard margin."""
    cases = {"clouds": {"kernel": "linear"}, "far-clouds": {"kernel": "linear"}}
    cases["moons"] = {"kernel": "rbf", "gamma": 1.0}
    return {name: bends(*stored(name), **kernel).tolist() for name, kernel in cases.items()}


def nu() -> dict[str, float]:
    """Return shares and the C that a nu stands for."""
    X, y = stored("clouds")
    model = NuSVC(nu=0.3, kernel="linear").fit(X, y)
    return {
        "errors": float((y * model.decision_function(X) < 1 - 1e-6).mean()),
        "support": len(model.support_) / len(y),
        "C": float(np.abs(model.dual_coef_).max()),
    }


def kernel() -> dict[str, float]:
    """Return the spectrum of a Gram matrix, and the margin in its feature space."""
    X, y = stored("rings")
    K = RBF(gamma=1.0)(X, X)
    values = np.linalg.eigvalsh(K)[::-1]
    model = SVC(kernel="rbf", gamma=1.0, C=1.0).fit(X, y)
    beta = np.zeros(len(y))
    beta[model.support_] = model.dual_coef_[0]
    off = K - 2 * np.eye(len(y))
    return {
        "largest": float(values[0]),
        "carrying": int(np.searchsorted(np.cumsum(values), 0.95 * values.sum()) + 1),
        "nearest": float(off.max(axis=1).mean()),
        "mean": float((K.sum() - len(y)) / (len(y) * (len(y) - 1))),
        "distance": float(1 / np.sqrt(beta @ K @ beta)),
    }


def weights() -> dict[str, float]:
    """Return the machine in which the first point counts four times."""
    X, y = stored("clouds")
    weight = np.where(np.arange(len(y)) == 0, 4.0, 1.0)
    model = SVC(kernel="linear", C=1.0).fit(X, y, sample_weight=weight)
    alpha = np.zeros(len(y))
    alpha[model.support_] = np.abs(model.dual_coef_[0])
    return {"alpha": float(alpha[0]), "b": float(model.intercept_[0])}


def scaling() -> list[dict[str, float]]:
    """Return support vectors with the second feature in other units, and standardised."""
    X, y = stored("moons")
    rows = []
    for factor in (0.001, 1.0, 1000.0):
        Z = X * [1.0, factor]
        rows.append(
            {
                "factor": factor,
                "share": float(Z[:, 1].var() / Z.var(axis=0).sum()),
                "support": len(SVC(gamma=1.0).fit(Z, y).support_),
                "fixed": len(SVC(gamma=1.0).fit(StandardScaler().fit_transform(Z), y).support_),
            }
        )
    return rows


def regression() -> dict[str, float]:
    """Return a tube of given and one of found width."""
    X, y = stored("sine")
    given = SVR(kernel="rbf", gamma=0.5, C=10, epsilon=0.2).fit(X, y)
    beyond = np.maximum(np.abs(y - given.predict(X)) - 0.2, 0)
    found = NuSVR(kernel="rbf", gamma=0.5, C=10, nu=0.3).fit(X, y)
    miss = np.abs(y - found.predict(X))
    free = np.abs(found.dual_coef_[0]) < 10 * (1 - 1e-9)
    return {
        "support": len(given.support_),
        "outside": int((beyond > 1e-6).sum()),
        "cost": float(beyond.sum()),
        "epsilon": float(miss[found.support_][free].mean()),
        "vectors": len(found.support_) / len(y),
    }


def one_class() -> dict[str, float]:
    """Return the shares of a contour."""
    X, _ = stored("strays")
    model = OneClassSVM(kernel="rbf", gamma=0.3, nu=0.1).fit(X)
    f = model.decision_function(X)
    return {
        "errors": float((f < -1e-6).mean()),
        "support": len(model.support_) / len(X),
        "strangest": int(f.argmin()),
    }


def several() -> dict[str, int]:
    """Return the training errors of three ways to several classes."""
    X, y = stored("iris-three")
    models = {
        "ovo": SVC(kernel="linear", C=1.0),
        "ovr": SVC(kernel="linear", C=1.0, multi_class="ovr"),
        "crammer_singer": LinearSVC(loss="hinge", C=1.0, multi_class="crammer_singer", tol=1e-10),
    }
    return {name: int((model.fit(X, y).predict(X) != y).sum()) for name, model in models.items()}


def validation() -> dict[str, Any]:
    """Return errors of every fifth row held out in turn, and of the last 40 rows as a test."""
    X, y = stored("moons-200")
    fold = np.where(np.arange(200) < 160, np.arange(200) % 5, -1)
    inside, test = fold >= 0, fold < 0
    rows = []
    for C, gamma in ((0.1, 0.1), (1.0, 1.0), (100.0, 100.0)):
        make = SVC(C=C, gamma=gamma)
        wrong = 0
        for k in range(5):
            make.fit(X[inside & (fold != k)], y[inside & (fold != k)])
            wrong += int((make.predict(X[fold == k]) != y[fold == k]).sum())
        make.fit(X[inside], y[inside])
        rows.append(
            {
                "C": C,
                "gamma": gamma,
                "train": float((make.predict(X[inside]) != y[inside]).mean()),
                "validation": wrong / int(inside.sum()),
                "test": float((make.predict(X[test]) != y[test]).mean()),
            }
        )
    return {"folds": fold.tolist(), "rows": rows}


def golden() -> dict[str, Any]:
    """Return everything."""
    parts = (paths, nu, kernel, weights, scaling, regression, one_class, several, validation)
    return {part.__name__: part() for part in parts}


if __name__ == "__main__":
    (HERE / "golden.json").write_text(json.dumps(golden(), separators=(",", ":")) + "\n")
