"""Kernels that decay from 1 with the distance of two rows.

RBF        exp(-gamma |x - z|^2)
Laplacian  exp(-gamma |x - z|_1)
chi2       exp(-gamma sum_k (x_k - z_k)^2 / (x_k + z_k)), for values of at least 0
Matern     a polynomial of |x - z| times exp(-sqrt(2 nu) |x - z| / length_scale)
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin import _core
from maxmargin.kernels.kernel import Kernel, check_positive


class Decay(Kernel):
    """A kernel that is a function of some distance, 1 where that is 0."""

    @abstractmethod
    def _values(self, differences: NDArray[np.float64], sums: NDArray[np.float64]) -> Any:
        """Return k(x, z_j) from x - z_j and x + z_j, one row for each j."""

    def __call__(self, X: ArrayLike, Z: ArrayLike) -> NDArray[np.float64]:
        """Gram matrix, by differences: no cancellation."""
        left, right = np.asarray(X, np.float64), np.asarray(Z, np.float64)
        values = np.empty((len(left), len(right)))
        for i, x in enumerate(left):
            values[i] = self._values(x - right, x + right)
        return values

    def diagonal(self, X: Any) -> NDArray[np.float64]:
        """Return ones."""
        return np.ones(X.shape[0])


@dataclass(frozen=True, init=False)
class RBF(Decay):
    """The Gaussian kernel exp(-gamma |x - z|^2).

    Parameters
    ----------
    gamma : float, optional
        How fast it decays; 1 where neither is given.
    sigma : float, optional
        The same as a width: gamma = 1 / (2 sigma^2).

    Examples
    --------
    >>> RBF(gamma=1.0)([[0.0]], [[0.0]])
    array([[1.]])
    >>> RBF(sigma=2.0)
    RBF(gamma=0.125)
    """

    gamma: float

    def __init__(self, gamma: float | None = None, *, sigma: float | None = None) -> None:
        if gamma is not None and sigma is not None:
            raise ValueError(
                f"both gamma={gamma} and sigma={sigma} are given: they are two ways to give one "
                "width, gamma = 1 / (2 sigma^2)."
            )
        if sigma is not None:
            check_positive("sigma", sigma)
            with np.errstate(over="ignore", divide="ignore"):
                gamma = float(0.5 / np.float64(sigma) / np.float64(sigma))
        gamma = 1.0 if gamma is None else gamma
        check_positive("gamma", gamma, zero=True)
        object.__setattr__(self, "gamma", gamma)

    @property
    def sigma(self) -> float:
        """The width as a distance, 1 / sqrt(2 gamma)."""
        return float(1 / np.sqrt(2 * self.gamma)) if self.gamma > 0 else np.inf

    def _values(self, differences: NDArray[np.float64], sums: NDArray[np.float64]) -> Any:
        return np.exp(-self.gamma * (differences**2).sum(axis=1))

    def core(self) -> _core.Kernel:
        """Return the compiled core's form of this kernel."""
        return _core.Kernel(_core.KernelKind.gaussian, self.gamma)


@dataclass(frozen=True)
class Laplacian(Decay):
    """The kernel exp(-gamma |x - z|_1) of the sum of absolute differences.

    Parameters
    ----------
    gamma : float
        How fast it decays.

    Examples
    --------
    >>> Laplacian(gamma=0.5)([[0.0, 0.0]], [[1.0, -1.0]]).round(4)
    array([[0.3679]])
    """

    gamma: float = 1.0

    def __post_init__(self) -> None:
        check_positive("gamma", self.gamma, zero=True)

    def _values(self, differences: NDArray[np.float64], sums: NDArray[np.float64]) -> Any:
        return np.exp(-self.gamma * np.abs(differences).sum(axis=1))

    def core(self) -> _core.Kernel:
        """Return the compiled core's form of this kernel."""
        return _core.Kernel(_core.KernelKind.laplacian, self.gamma)


@dataclass(frozen=True)
class Chi2(Decay):
    """The kernel of histograms exp(-gamma sum_k (x_k - z_k)^2 / (x_k + z_k)).

    Values must be at least 0; where both are 0 a term is 0.

    Parameters
    ----------
    gamma : float
        How fast it decays.

    Examples
    --------
    >>> Chi2(gamma=1.0)([[1.0, 0.0]], [[0.0, 0.0]]).round(4)
    array([[0.3679]])
    """

    gamma: float = 1.0

    def __post_init__(self) -> None:
        check_positive("gamma", self.gamma, zero=True)

    def nonnegative_columns(self, n_columns: int) -> NDArray[np.int64]:
        """Return all columns."""
        return np.arange(n_columns)

    def _values(self, differences: NDArray[np.float64], sums: NDArray[np.float64]) -> Any:
        terms = differences * (differences / np.where(sums > 0, sums, 1.0))
        return np.exp(-self.gamma * terms.sum(axis=1))

    def core(self) -> _core.Kernel:
        """Return the compiled core's form of this kernel."""
        return _core.Kernel(_core.KernelKind.chi2, self.gamma)


@dataclass(frozen=True)
class Matern(Decay):
    """The Matern kernel of smoothness nu.

    With r = |x - z| / length_scale:

        nu = 0.5   exp(-r)
        nu = 1.5   (1 + t) exp(-t),             t = sqrt(3) r
        nu = 2.5   (1 + t + t^2 / 3) exp(-t),   t = sqrt(5) r
        nu = inf   exp(-r^2 / 2), the RBF kernel

    Parameters
    ----------
    length_scale : float
        The distance over which it decays.
    nu : {0.5, 1.5, 2.5, inf}
        Smoothness: a function in its space has nu - 1/2 derivatives.

    Examples
    --------
    >>> Matern(length_scale=1.0, nu=1.5)([[0.0]], [[1.0]]).round(4)
    array([[0.4834]])
    """

    length_scale: float = 1.0
    nu: float = 1.5

    _kinds: ClassVar[dict[float, _core.KernelKind]] = {
        0.5: _core.KernelKind.matern12,
        1.5: _core.KernelKind.matern32,
        2.5: _core.KernelKind.matern52,
    }

    def __post_init__(self) -> None:
        if self.length_scale != np.inf:
            check_positive("length_scale", self.length_scale)
        if self.nu not in (*self._kinds, np.inf):
            raise ValueError(f"nu is {self.nu!r}; it must be 0.5, 1.5, 2.5 or infinity.")

    def _values(self, differences: NDArray[np.float64], sums: NDArray[np.float64]) -> Any:
        r = np.linalg.norm(differences, axis=1) / self.length_scale
        if self.nu == np.inf:
            return np.exp(-(r**2) / 2)
        t = np.sqrt(2 * self.nu) * r
        polynomial = {0.5: 1.0, 1.5: 1 + t, 2.5: 1 + t + t**2 / 3}[self.nu]
        return polynomial * np.exp(-t)

    def core(self) -> _core.Kernel:
        """Return the compiled core's form of this kernel."""
        if self.nu == np.inf:
            return _core.Kernel(_core.KernelKind.gaussian, 0.5 / self.length_scale**2)
        gamma = float(np.sqrt(2 * self.nu)) / self.length_scale
        return _core.Kernel(self._kinds[self.nu], gamma)
