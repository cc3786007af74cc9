"""Choosing the parameters of support vector machines, on shared work."""

from maxmargin.selection.grid_search import GridSearchCV
from maxmargin.selection.learning_curve import LearningCurve, learning_curve
from maxmargin.selection.simplest import simplest
from maxmargin.selection.svc_cv import SVCCV
from maxmargin.selection.svr_cv import SVRCV
from maxmargin.selection.watch import SearchProgress

__all__ = [
    "SVCCV",
    "SVRCV",
    "GridSearchCV",
    "LearningCurve",
    "SearchProgress",
    "learning_curve",
    "simplest",
]
