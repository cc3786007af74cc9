"""Small problems of every formulation, with parameters and data of extreme sizes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin import SVC, SVR, HardMarginSVC, LinearSVC, LinearSVR, NuSVC, NuSVR, OneClassSVM

Array = NDArray[np.float64]
Generator = np.random.Generator


@dataclass(frozen=True)
class Drawn:
    """One problem: what is fitted to what."""

    number: int
    name: str
    model: Any
    X: Array
    y: Array | None
    weight: Array | None

    def __str__(self) -> str:
        rows = "x".join(map(str, self.X.shape))
        return f"problem {self.number}, {self.name}, {rows}: {self.model}"


def _power(rng: Generator, most: float) -> float:
    """A number of any size from 10^-most to 10^most; 1 in a third of the cases."""
    return float(10.0 ** rng.uniform(-most, most)) if rng.random() < 2 / 3 else 1.0


def _kernel(rng: Generator) -> dict[str, Any]:
    kernel = str(rng.choice(["linear", "rbf", "rbf", "poly", "laplacian"]))
    gamma = _power(rng, 12)
    if kernel == "poly":
        degree = int(rng.integers(2, 4))
        return {"kernel": kernel, "gamma": _power(rng, 3), "degree": degree, "coef0": 1.0}
    return {"kernel": kernel} if kernel == "linear" else {"kernel": kernel, "gamma": gamma}


def _nu(rng: Generator) -> float:
    return float(rng.choice([1e-6, 0.05, 0.3, 0.5, rng.uniform(0, 1), 1.0]))


def _intercept(rng: Generator) -> dict[str, Any]:
    return [
        {"intercept": "free"},
        {"intercept": "penalized", "intercept_scaling": _power(rng, 2)},
        {"fit_intercept": False},
    ][rng.integers(3)]


def _tube(rng: Generator) -> float:
    return float(rng.choice([0.0, 0.1, _power(rng, 6)]))


def _linear(rng: Generator, **params: Any) -> LinearSVC:
    return LinearSVC(C=_power(rng, 10), max_iter=-1, **_intercept(rng), **params)


def _regression(rng: Generator, loss: str) -> LinearSVR:
    # Huber's has a width, which must be positive.
    width = max(_tube(rng), 1e-9) if loss == "huber" else _tube(rng)
    return LinearSVR(loss=loss, C=_power(rng, 10), epsilon=width, max_iter=-1, **_intercept(rng))


#: Every formulation.
FORMULATIONS: dict[str, Callable[[Generator], Any]] = {
    "hinge": lambda rng: SVC(C=_power(rng, 10), **_kernel(rng)),
    "squared hinge": lambda rng: SVC(C=_power(rng, 10), loss="squared_hinge", **_kernel(rng)),
    "nu-SVC": lambda rng: NuSVC(nu=_nu(rng), **_kernel(rng)),
    "SVR": lambda rng: SVR(C=_power(rng, 10), epsilon=_tube(rng), **_kernel(rng)),
    "nu-SVR": lambda rng: NuSVR(C=_power(rng, 10), nu=_nu(rng), **_kernel(rng)),
    "one class": lambda rng: OneClassSVM(nu=_nu(rng), **_kernel(rng)),
    "hard margin": lambda rng: HardMarginSVC(**_kernel(rng)),
    "linear hinge": lambda rng: _linear(rng, loss="hinge"),
    "linear squared hinge": lambda rng: _linear(rng, loss="squared_hinge"),
    "linear logistic": lambda rng: _linear(rng, loss="logistic"),
    "L1 squared hinge": lambda rng: _linear(rng, penalty="l1", loss="squared_hinge"),
    "L1 logistic": lambda rng: _linear(rng, penalty="l1", loss="logistic"),
    "linear tube": lambda rng: _regression(rng, "epsilon_insensitive"),
    "linear squared tube": lambda rng: _regression(rng, "squared_epsilon_insensitive"),
    "linear Huber": lambda rng: _regression(rng, "huber"),
    "all classes at once": lambda rng: _linear(rng, multi_class="crammer_singer"),
}


def draw(seed: int, number: int, most_rows: int = 12) -> Drawn:
    """Draw the problem of this number."""
    rng = np.random.default_rng([seed, number])
    name = list(FORMULATIONS)[number % len(FORMULATIONS)]
    model = FORMULATIONS[name](rng)
    if rng.random() < 0.3:
        model.set_params(tol=float(10.0 ** rng.uniform(-8, -1)))
    n, d = int(rng.integers(2, most_rows + 1)), int(rng.integers(1, 6))
    X = _rows(rng, n, d)
    weight = rng.choice([0.1, 1.0, 1.0, 7.5], n) if rng.random() < 0.2 else None
    if isinstance(model, HardMarginSVC | OneClassSVM):
        weight = None
    return Drawn(number, name, model, X, _targets(rng, model, X), weight)


def _rows(rng: Generator, n: int, d: int) -> Array:
    """Rows of any units, some of them twice or nearly so."""
    X = [rng.normal(size=(n, d)), rng.integers(-1, 2, (n, d)).astype(float)][rng.integers(2)]
    if rng.random() < 0.1:
        X[:, rng.integers(d)] = rng.normal()
    for share, shift in ((0.3, 0.0), (0.3, 1e-12)):
        if rng.random() < share:
            copies, of = rng.integers(n, size=max(1, n // 3)), rng.integers(n, size=max(1, n // 3))
            X[copies] = X[of] * (1 + shift * rng.normal(size=(len(of), d)))
    kind = rng.integers(6)
    if kind == 3:
        X *= _power(rng, 150)
    if kind == 4:
        X *= 10.0 ** rng.uniform(-8, 8, d)
    if kind == 5:
        X *= 10.0 ** rng.uniform(-150, 150, d)
    return X


def _targets(rng: Generator, model: Any, X: Array) -> Array | None:
    n = len(X)
    if isinstance(model, OneClassSVM):
        return None
    if isinstance(model, SVR | NuSVR | LinearSVR):
        y = [rng.normal(size=n), np.full(n, rng.normal()), rng.standard_cauchy(n)][rng.integers(3)]
        return y * _power(rng, 6)
    classes = 3 if rng.random() < 0.4 and n >= 3 else 2
    if rng.random() < 0.5:
        return rng.permutation(np.arange(n) % classes).astype(float)
    # Classes that a hyperplane can tell apart, as far as the rows can be told apart.
    order = np.argsort(X @ (rng.normal(size=X.shape[1]) / np.abs(X).max(axis=0).clip(1e-300)))
    y = np.empty(n)
    y[order] = np.arange(n) * classes // n
    return y
