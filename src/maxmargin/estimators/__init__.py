"""Estimators with scikit-learn's interface."""

from maxmargin.estimators.advice import AdviceWarning
from maxmargin.estimators.approximations import Nystroem, RandomFourier
from maxmargin.estimators.hard_margin_svc import HardMarginSVC
from maxmargin.estimators.l1_min_c import l1_min_c
from maxmargin.estimators.linear_svc import LinearSVC
from maxmargin.estimators.linear_svr import LinearSVR
from maxmargin.estimators.nu_svc import NuSVC
from maxmargin.estimators.nu_svr import NuSVR
from maxmargin.estimators.one_class_svm import OneClassSVM
from maxmargin.estimators.perceptron import Perceptron
from maxmargin.estimators.sgd_svc import SGDSVC
from maxmargin.estimators.sgd_svr import SGDSVR
from maxmargin.estimators.svc import SVC
from maxmargin.estimators.svr import SVR

__all__ = [
    "SGDSVC",
    "SGDSVR",
    "SVC",
    "SVR",
    "AdviceWarning",
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
