"""Estimators with scikit-learn's interface."""

from maxmargin.estimators.classifiers import SVC, HardMarginSVC
from maxmargin.estimators.linear import LinearSVC, LinearSVR
from maxmargin.estimators.outliers import OneClassSVM
from maxmargin.estimators.regressors import SVR

__all__ = ["SVC", "SVR", "HardMarginSVC", "LinearSVC", "LinearSVR", "OneClassSVM"]
