"""Data sets and kernels that tests are parametrized over."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.spatial.distance import cdist
from sklearn.base import clone

from maxmargin import SVC, SVR, HardMarginSVC, NuSVC, NuSVR, OneClassSVM
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
#: Every kernel that has a name, for rows without negative values.
NAMED: dict[str, dict[str, Any]] = {
    **{name: kernel for name, kernel in KERNELS.items() if name != "callable"},
    "laplacian": {"kernel": "laplacian", "gamma": 0.3},
    "chi2": {"kernel": "chi2", "gamma": 0.3},
    "cosine": {"kernel": "cosine"},
    "matern": {"kernel": "matern"},
}
#: Every formulation. These shares nu are no whole number of rows; that of nu-SVC is above the
#: share of errors that overlapping classes cannot do without.
FORMULATIONS: dict[str, Any] = {
    "hinge": SVC(C=2.0),
    "squared-hinge": SVC(C=2.0, loss="squared_hinge"),
    "nu-svc": NuSVC(nu=0.63),
    "svr": SVR(C=2.0),
    "nu-svr": NuSVR(C=2.0, nu=0.37),
    "one-class": OneClassSVM(nu=0.37),
    "hard-margin": HardMarginSVC(),
}


def formulation(name: str, **params: Any) -> Any:
    """A new estimator of one of them."""
    return clone(FORMULATIONS[name]).set_params(**params)


def sample(
    name: str, n: int = 60, seed: int = 0, spread: float = 1.0, dtype: Any = np.float64
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Data that a formulation is for, without negative values and with some zeros."""
    X, y = blobs(n, 4, seed=seed, spread=spread)
    if name == "hard-margin":
        X[:, 0] = 8 * y + np.arctan(X[:, 0])
    X = np.abs(X)
    X[:, 2] += 2.5 * y  # the classes overlap by less than a share nu
    X[:, 1][X[:, 1] < 0.5] = 0
    X = X.astype(dtype)
    if name in ("svr", "nu-svr"):
        noise = np.random.default_rng(seed).normal(size=n)
        return X, np.sin(2 * X[:, 0].astype(float)) + 0.5 * X[:, 2] + 0.2 * spread * noise
    return X, y


def outputs(model: Any, X: Any) -> NDArray[np.float64]:
    """The real numbers that a machine predicts by."""
    return model.decision_function(X) if hasattr(model, "decision_function") else model.predict(X)


def sparse_rows(shape: tuple[int, int], density: float, rng: np.random.Generator) -> csr_array:
    """Uniform entries at random places; what SciPy calls its generator depends on its version."""
    return csr_array(np.where(rng.uniform(size=shape) < density, rng.uniform(size=shape), 0.0))


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
