"""Kernels, their feature maps, and Mercer's condition."""

from maxmargin.kernels.gaussian import Gaussian
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
    "Gaussian",
    "GaussianMap",
    "Mercer",
    "MonomialMap",
    "PolynomialMap",
    "PowerMap",
    "ProductMap",
    "check_mercer",
    "exponents",
]
