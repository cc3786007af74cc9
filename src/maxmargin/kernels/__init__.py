"""Kernels: inner products of rows in a feature space."""

from maxmargin.kernels.kernel import RBF, Function, Kernel, Linear, Polynomial, Precomputed, Sigmoid

__all__ = ["RBF", "Function", "Kernel", "Linear", "Polynomial", "Precomputed", "Sigmoid"]
