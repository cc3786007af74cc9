"""Kernels, their feature maps, and Mercer's condition."""

from typing import TYPE_CHECKING

from maxmargin.kernels.columns import Columns
from maxmargin.kernels.constant import Constant
from maxmargin.kernels.decays import RBF, Chi2, Laplacian, Matern
from maxmargin.kernels.dots import Cosine, Linear, Polynomial, Sigmoid
from maxmargin.kernels.gaussian import Gaussian
from maxmargin.kernels.given import Function, Precomputed
from maxmargin.kernels.kernel import Kernel, Product, Scaled, Sum
from maxmargin.kernels.maps import (
    GaussianMap,
    MonomialMap,
    PolynomialMap,
    PowerMap,
    ProductMap,
    exponents,
)
from maxmargin.kernels.mercer import Mercer, check_mercer
from maxmargin.kernels.parameters import kernel_parameters, with_parameters
from maxmargin.prompt import hints

__all__ = [
    "RBF",
    "Chi2",
    "Columns",
    "Constant",
    "Cosine",
    "Function",
    "Gaussian",
    "GaussianMap",
    "Kernel",
    "Laplacian",
    "Linear",
    "Matern",
    "Mercer",
    "MonomialMap",
    "Polynomial",
    "PolynomialMap",
    "PowerMap",
    "Precomputed",
    "Product",
    "ProductMap",
    "Scaled",
    "Sigmoid",
    "Sum",
    "check_mercer",
    "exponents",
    "kernel_parameters",
    "with_parameters",
]

if not TYPE_CHECKING:
    __getattr__ = hints(
        __name__,
        __all__,
        {
            **dict.fromkeys(["Gram", "gram", "gram_matrix"], "kernel(X, X)"),
            **dict.fromkeys(["Mercer", "is_mercer", "is_psd"], "check_mercer(K)"),
        },
    )
