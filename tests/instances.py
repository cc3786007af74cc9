"""Data sets and kernels that tests are parametrized over."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.distance import cdist

from maxmargin.kernels import RBF, Laplacian, Matern, Polynomial


def laplacian(X: Any, Z: Any) -> NDArray[np.float64]:
    """A kernel that the library does not know, as a function of two blocks of rows."""
    X, Z = (np.asarray(V.toarray() if hasattr(V, "toarray") else V, float) for V in (X, Z))
    return np.exp(-0.3 * cdist(X, Z, "cityblock"))


#: Parameters of one instance of every kernel that works on rows of features.
KERNELS: dict[str, dict[str, Any]] = {
    "linear": {"kernel": "linear"},
    "poly": {"kernel": "poly", "degree": 3, "gamma": 0.4, "coef0": 1.0},
    "poly2": {"kernel": "poly", "degree": 2, "gamma": "auto"},
    "rbf": {"kernel": "rbf"},
    "rbf-narrow": {"kernel": "rbf", "gamma": 2.0},
    "sigmoid": {"kernel": "sigmoid", "gamma": 0.05},
    "matern": {"kernel": Matern(2.0, nu=2.5)},
    "composed": {"kernel": RBF(0.4).on([0, 1]) * Polynomial(2, 0.5, 1.0) + 0.5 * Laplacian(0.2)},
    "callable": {"kernel": laplacian},
}
#: Those whose matrices are positive semidefinite, so that there is one optimum to agree on.
CONVEX = {name: kernel for name, kernel in KERNELS.items() if name != "sigmoid"}


def blobs(
    n: int = 90,
    d: int = 4,
    classes: int = 2,
    seed: int = 0,
    spread: float = 1.0,
    dtype: Any = np.float64,
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Overlapping clouds around random centres, every class present."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % classes)
    centres = rng.normal(size=(classes, d))
    return (centres[y] + spread * rng.normal(size=(n, d))).astype(dtype), y


def rings(n: int = 200, seed: int = 0, noise: float = 0.15) -> tuple[NDArray[Any], NDArray[Any]]:
    """Two rings, one inside the other: no line separates them."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % 2)
    angle, radius = rng.uniform(0, 2 * np.pi, n), 1 + y + noise * rng.normal(size=n)
    return np.c_[radius * np.cos(angle), radius * np.sin(angle)], y


def unscaled(n: int = 120, seed: int = 0) -> tuple[NDArray[Any], NDArray[Any]]:
    """Columns whose units differ by nine orders of magnitude, far from the origin."""
    X, y = blobs(n, 4, seed=seed)
    return X * [1e-4, 1.0, 1e3, 1e5] + [0.0, 100.0, -1e4, 1e6], y
