"""Kernels, their feature maps, and Mercer's condition."""

from maxmargin.kernels.gaussian import Gaussian
from maxmargin.kernels.kernel import RBF, Function, Kernel, Linear, Polynomial, Precomputed, Sigmoid
from maxmargin.kernels.maps import (
    GaussianMap,
    MonomialMap,
    PolynomialMap,
    PowerMap,
    ProductMap,
    exponents,
)
from maxmargin.kernels.mercer import Mercer, check_mercer

__all__ = [
    "RBF",
    "Function",
    "Gaussian",
    "GaussianMap",
    "Kernel",
    "Linear",
    "Mercer",
    "MonomialMap",
    "Polynomial",
    "PolynomialMap",
    "PowerMap",
    "Precomputed",
    "ProductMap",
    "Sigmoid",
    "check_mercer",
    "exponents",
]
