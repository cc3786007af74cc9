"""Choosing the parameters of support vector machines, on shared work."""

from maxmargin.selection.grid_search import GridSearchCV
from maxmargin.selection.watch import SearchProgress

__all__ = ["GridSearchCV", "SearchProgress"]
