"""Fitted models as pure data."""

from maxmargin.models.kernel import KernelModel, SupportStatus
from maxmargin.models.multiclass import class_scores, vote

__all__ = ["KernelModel", "SupportStatus", "class_scores", "vote"]
