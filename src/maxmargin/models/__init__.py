"""Models: what a solution says about data."""

from maxmargin.models.hyperplane import Hyperplane
from maxmargin.models.kernel import KernelModel, SupportStatus
from maxmargin.models.linear import LinearModel
from maxmargin.models.margins import Margins, SlackClass, SupportKind
from maxmargin.models.multiclass import class_scores, vote
from maxmargin.models.ridge import KernelRidge, kernel_ridge

__all__ = [
    "Hyperplane",
    "KernelModel",
    "KernelRidge",
    "LinearModel",
    "Margins",
    "SlackClass",
    "SupportKind",
    "SupportStatus",
    "class_scores",
    "kernel_ridge",
    "vote",
]
