"""Estimators with scikit-learn's interface."""

from maxmargin.estimators.classifiers import SVC

__all__ = ["SVC"]
