"""Models: what a solution says about data."""

from maxmargin.models.calibration import (
    Calibration,
    Sigmoids,
    Softmax,
    VennAbers,
    calibrate,
)
from maxmargin.models.classes import Classes
from maxmargin.models.hyperplane import Hyperplane
from maxmargin.models.kernel import KernelModel, SupportStatus
from maxmargin.models.linear import LinearModel
from maxmargin.models.margins import Margins, SlackClass, SupportKind
from maxmargin.models.ridge import KernelRidge, kernel_ridge

__all__ = [
    "Calibration",
    "Classes",
    "Hyperplane",
    "KernelModel",
    "KernelRidge",
    "LinearModel",
    "Margins",
    "Sigmoids",
    "SlackClass",
    "Softmax",
    "SupportKind",
    "SupportStatus",
    "VennAbers",
    "calibrate",
    "kernel_ridge",
]
