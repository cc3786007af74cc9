"""Models: what a solution says about data."""

from maxmargin.models.hyperplane import Hyperplane
from maxmargin.models.kernel import KernelModel, Settled, SupportStatus
from maxmargin.models.linear import LinearModel
from maxmargin.models.margins import Margins, SlackClass, SupportKind
from maxmargin.models.multiclass import (
    class_scores,
    highest_settled,
    signs_settled,
    vote,
    vote_settled,
)
from maxmargin.models.ridge import KernelRidge, kernel_ridge

__all__ = [
    "Hyperplane",
    "KernelModel",
    "KernelRidge",
    "LinearModel",
    "Margins",
    "Settled",
    "SlackClass",
    "SupportKind",
    "SupportStatus",
    "class_scores",
    "highest_settled",
    "kernel_ridge",
    "signs_settled",
    "vote",
    "vote_settled",
]
