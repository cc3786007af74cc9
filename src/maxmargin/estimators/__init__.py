"""Estimators with scikit-learn's interface."""

from maxmargin.estimators.classifiers import SVC, HardMarginSVC, NuSVC
from maxmargin.estimators.outliers import OneClassSVM
from maxmargin.estimators.regressors import SVR, NuSVR

__all__ = ["SVC", "SVR", "HardMarginSVC", "NuSVC", "NuSVR", "OneClassSVM"]
