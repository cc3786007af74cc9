"""Models: what a solution says about data."""

from typing import TYPE_CHECKING

from maxmargin.models.attribution import explain
from maxmargin.models.calibration import (
    Calibration,
    Sigmoids,
    Softmax,
    VennAbers,
    calibrate,
)
from maxmargin.models.classes import Classes
from maxmargin.models.explanation import Explanation
from maxmargin.models.hyperplane import Hyperplane
from maxmargin.models.kernel import KernelModel, SupportStatus
from maxmargin.models.linear import LinearModel
from maxmargin.models.margins import Margins, SlackClass, SupportKind
from maxmargin.models.ridge import KernelRidge, kernel_ridge
from maxmargin.prompt import hints

__all__ = [
    "Calibration",
    "Classes",
    "Explanation",
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
    "explain",
    "kernel_ridge",
]

if not TYPE_CHECKING:
    __getattr__ = hints(
        __name__,
        __all__,
        {
            **dict.fromkeys(["Plane", "Line", "LinearClassifier"], "Hyperplane(w, b)"),
            **dict.fromkeys(
                ["margin", "geometric_margin", "functional_margin"], "Margins.of(model, X, y)"
            ),
            **dict.fromkeys(["KernelRidge", "ridge"], "kernel_ridge(X, y, kernel, lam)"),
        },
    )
