"""Choosing C: paths of solutions, linear machines along C, leave-one-out from one fit."""

from maxmargin.selection.bounds import radius_margin_bound, span_bound
from maxmargin.selection.left_out import leave_one_out
from maxmargin.selection.linear_cv import LinearSVCCV, LinearSVRCV
from maxmargin.selection.paths import L1Path, c_path, l1_path
from maxmargin.solvers.c_path import CPath
from maxmargin.solvers.leave_one_out import LeaveOneOut

__all__ = [
    "CPath",
    "L1Path",
    "LeaveOneOut",
    "LinearSVCCV",
    "LinearSVRCV",
    "c_path",
    "l1_path",
    "leave_one_out",
    "radius_margin_bound",
    "span_bound",
]
