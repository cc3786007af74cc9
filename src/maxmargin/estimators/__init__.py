"""Estimators with scikit-learn's interface."""

from maxmargin.estimators.classifiers import SVC, HardMarginSVC

__all__ = ["SVC", "HardMarginSVC"]
