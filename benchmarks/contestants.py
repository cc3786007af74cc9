"""Who takes part. A contestant prepares data in its own format, fits, predicts, shows its model.

Nothing is imported before `load`, which runs in a process of the contestant's own environment.
"""

import importlib
import os
import re
from importlib.metadata import version
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.model import Model, from_libsvm, from_sklearn
from benchmarks.problem import Problem

PEERS_CACHE_MB = 2000


class NotOfferedError(Exception):
    """The library has no such machine."""


class Estimator:
    """A library with scikit-learn's interface."""

    def __init__(self, package: str, module: str, dtype: type = np.float64, **parameters):
        self.package, self.module, self.dtype = package, module, dtype
        self.parameters = parameters
        self.peer = package != "maxmargin"
        #: What the fit is asked for, where that is not the suite's tolerance.
        self.tol = parameters.get("tol")

    def load(self, turn: int) -> str:
        self.library = importlib.import_module(self.module)
        return version(self.package)

    def prepare(self, X, y):
        return X.astype(self.dtype), y

    def fit(self, data, problem: Problem) -> None:
        if not hasattr(self.library, problem.machine):
            raise NotOfferedError(f"{self.package} has no {problem.machine}")
        machine = getattr(self.library, problem.machine)
        self.fitted = machine(**{**problem.parameters, **self.parameters}).fit(*data)

    def predict(self, data):
        return self.fitted.predict(data[0])

    def model(self, y) -> Model:
        return from_sklearn(self.fitted, y)

    def about_fit(self) -> dict[str, Any]:
        """What the library itself says about the fit."""
        about: dict[str, Any] = {"iterations": int(np.sum(self.fitted.n_iter_))}
        if not self.peer:
            about |= {"report": self.fitted.fit_report_, "cache": float(self.fitted.cache_size)}
        elif self.package == "scikit-learn-intelex" and not hasattr(
            self.fitted, "_onedal_estimator"
        ):
            about["note"] = "fell back to scikit-learn"
        return about


class Libsvm:
    """LIBSVM itself, its own conversion of rows to lists of nodes left out of the times.

    Its threads help large problems and hold up small ones, so that every other turn has only one.
    They wait passively: spinning ones take ten times as long when anything else runs.
    """

    package = "libsvm-official"
    peer = True
    tol = None

    def load(self, turn: int) -> str:
        os.environ["OMP_WAIT_POLICY"] = "passive"
        if turn % 2 == 1:
            os.environ["OMP_NUM_THREADS"] = "1"
        self.svm = importlib.import_module("libsvm.svm")
        self.util = importlib.import_module("libsvm.svmutil")
        return version(self.package)

    def prepare(self, X, y):
        return self.svm.svm_problem(y, sparse.csr_matrix(X, dtype=np.float64))

    def fit(self, data, problem: Problem) -> None:
        self.machine, number = problem.machine, {"SVC": 0, "OneClassSVM": 2, "SVR": 3}
        letters = {"C": "c", "gamma": "g", "tol": "e", "epsilon": "p", "nu": "n"}
        options = " ".join(f"-{letters[k]} {v!r}" for k, v in problem.parameters.items())
        options = f"-s {number[self.machine]} {options} -m {PEERS_CACHE_MB}"
        parameter, self.log = self.svm.svm_parameter(options), []
        parameter.print_func = self.svm.PRINT_STRING_FUN(self.log.append)
        self.fitted = self.util.svm_train(data, parameter)

    def predict(self, data):
        decide = self.svm.libsvm.svm_predict
        return np.array([decide(self.fitted, data.x[i]) for i in range(data.l)])

    def model(self, y) -> Model:
        fitted = self.fitted
        support = np.array(fitted.get_sv_indices()) - 1
        if self.machine != "SVC":
            coef = np.array(fitted.sv_coef[0][: fitted.l])
            return Model(support, coef[:, None], -np.array(fitted.rho[:1]))
        labels = fitted.get_labels()
        coef = np.array([fitted.sv_coef[r][: fitted.l] for r in range(len(labels) - 1)])
        intercept = -np.array(fitted.rho[: len(labels) * (len(labels) - 1) // 2])
        return from_libsvm(coef, support, np.argsort(labels)[y[support]], intercept, labels)

    def about_fit(self) -> dict[str, Any]:
        text = b"".join(self.log).decode()
        return {"iterations": sum(map(int, re.findall(r"#iter = (\d+)", text)))}


OURS = "maxmargin"
TIGHT = "maxmargin 1e-8"  # its model is judged by that tolerance, and nothing is predicted
ONEDAL = ("oneDAL float32", "oneDAL float64")
SKLEARN = "scikit-learn"
_SKLEARNEX = ("scikit-learn-intelex", "sklearnex.svm")
CONTESTANTS: dict[str, Any] = {
    OURS: Estimator("maxmargin", "maxmargin"),
    TIGHT: Estimator("maxmargin", "maxmargin", tol=1e-8),
    SKLEARN: Estimator("scikit-learn", "sklearn.svm", cache_size=PEERS_CACHE_MB),
    ONEDAL[0]: Estimator(*_SKLEARNEX, np.float32, cache_size=PEERS_CACHE_MB),
    ONEDAL[1]: Estimator(*_SKLEARNEX, np.float64, cache_size=PEERS_CACHE_MB),
    "LIBSVM": Libsvm(),
}
