"""Who takes part. A contestant prepares data in its own format, fits, predicts, shows its model.

Nothing is imported before `load`, which runs in a process of the contestant's own environment.
"""

import importlib
import os
import re
from importlib.metadata import version

import numpy as np
from scipy import sparse

from benchmarks.model import Model, from_libsvm, from_sklearn
from benchmarks.problem import Problem

PEERS_CACHE_MB = 2000


class Estimator:
    """A library with scikit-learn's interface."""

    def __init__(self, package: str, module: str, dtype: type = np.float64, **parameters):
        self.package, self.module, self.dtype = package, module, dtype
        self.parameters = parameters
        self.peer = package != "maxmargin"

    def load(self, turn: int) -> str:
        self.SVC = importlib.import_module(self.module).SVC
        return version(self.package)

    def prepare(self, X, y):
        return X.astype(self.dtype), y

    def fit(self, data, problem: Problem) -> None:
        self.svc = self.SVC(
            C=problem.C, gamma=problem.gamma, tol=problem.tol, **self.parameters
        ).fit(*data)

    def predict(self, data):
        return self.svc.predict(data[0])

    def model(self, y) -> Model:
        return from_sklearn(self.svc, y)

    def iterations(self) -> int:
        return int(np.sum(self.svc.n_iter_))


class Libsvm:
    """LIBSVM itself, its own conversion of rows to lists of nodes left out of the times.

    Its threads help large problems and hold up small ones, so that every other turn has only one.
    They wait passively: spinning ones take ten times as long when anything else runs.
    """

    package = "libsvm-official"
    peer = True

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
        options = f"-c {problem.C!r} -g {problem.gamma!r} -e {problem.tol!r} -m {PEERS_CACHE_MB}"
        parameter, self.log = self.svm.svm_parameter(options), []
        parameter.print_func = self.svm.PRINT_STRING_FUN(self.log.append)
        self.fitted = self.util.svm_train(data, parameter)

    def predict(self, data):
        decide = self.svm.libsvm.svm_predict
        return np.array([decide(self.fitted, data.x[i]) for i in range(data.l)])

    def model(self, y) -> Model:
        fitted, labels = self.fitted, self.fitted.get_labels()
        support = np.array(fitted.get_sv_indices()) - 1
        coef = np.array([fitted.sv_coef[r][: fitted.l] for r in range(len(labels) - 1)])
        intercept = -np.array(fitted.rho[: len(labels) * (len(labels) - 1) // 2])
        return from_libsvm(coef, support, np.argsort(labels)[y[support]], intercept, labels)

    def iterations(self) -> int:
        text = b"".join(self.log).decode()
        return sum(map(int, re.findall(r"#iter = (\d+)", text)))


_SKLEARNEX = ("scikit-learn-intelex", "sklearnex.svm")
CONTESTANTS = {
    "maxmargin": Estimator("maxmargin", "maxmargin"),
    "scikit-learn": Estimator("scikit-learn", "sklearn.svm", cache_size=PEERS_CACHE_MB),
    "oneDAL float32": Estimator(*_SKLEARNEX, np.float32, cache_size=PEERS_CACHE_MB),
    "oneDAL float64": Estimator(*_SKLEARNEX, np.float64, cache_size=PEERS_CACHE_MB),
    "LIBSVM": Libsvm(),
}
