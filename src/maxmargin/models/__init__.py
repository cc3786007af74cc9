"""Models: what a solution says about data."""

from maxmargin.models.hyperplane import Hyperplane
from maxmargin.models.margins import Margins, SlackClass, SupportKind
from maxmargin.models.ridge import KernelRidge, kernel_ridge

__all__ = [
    "Hyperplane",
    "KernelRidge",
    "Margins",
    "SlackClass",
    "SupportKind",
    "kernel_ridge",
]
