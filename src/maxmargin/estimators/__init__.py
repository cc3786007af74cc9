"""Estimators with scikit-learn's interface."""

from maxmargin.estimators.approximations import Nystroem, RandomFourier
from maxmargin.estimators.classifiers import SVC, HardMarginSVC, NuSVC
from maxmargin.estimators.linear import LinearSVC, LinearSVR, l1_min_c
from maxmargin.estimators.outliers import OneClassSVM
from maxmargin.estimators.perceptron import Perceptron
from maxmargin.estimators.regressors import SVR, NuSVR
from maxmargin.estimators.sgd import SGDSVC, SGDSVR

__all__ = [
    "SGDSVC",
    "SGDSVR",
    "SVC",
    "SVR",
    "HardMarginSVC",
    "LinearSVC",
    "LinearSVR",
    "NuSVC",
    "NuSVR",
    "Nystroem",
    "OneClassSVM",
    "Perceptron",
    "RandomFourier",
    "l1_min_c",
]
