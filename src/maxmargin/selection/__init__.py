"""Choosing the parameters of support vector machines, on shared work."""

from maxmargin.selection.bounds import radius_margin_bound, span_bound
from maxmargin.selection.grid_search import GridSearchCV
from maxmargin.selection.learning_curve import LearningCurve, learning_curve
from maxmargin.selection.left_out import leave_one_out
from maxmargin.selection.linear_cv import LinearSVCCV, LinearSVRCV
from maxmargin.selection.paths import L1Path, c_path, l1_path
from maxmargin.selection.simplest import simplest
from maxmargin.selection.svc_cv import SVCCV
from maxmargin.selection.svr_cv import SVRCV
from maxmargin.selection.watch import SearchProgress
from maxmargin.solvers.c_path import CPath
from maxmargin.solvers.leave_one_out import LeaveOneOut

__all__ = [
    "SVCCV",
    "SVRCV",
    "CPath",
    "GridSearchCV",
    "L1Path",
    "LearningCurve",
    "LeaveOneOut",
    "LinearSVCCV",
    "LinearSVRCV",
    "SearchProgress",
    "c_path",
    "l1_path",
    "learning_curve",
    "leave_one_out",
    "radius_margin_bound",
    "simplest",
    "span_bound",
]
