"""The threads of BLAS: none of them changes a fit, and all are given back."""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from sklearn.datasets import make_classification
from threadpoolctl import threadpool_info

from maxmargin import LinearSVC
from maxmargin.estimators.blas import OneBlasThread

FIT = """
import hashlib, numpy as np, sys
from sklearn.datasets import make_classification
from maxmargin import SVC, LinearSVC, Nystroem
X, y = make_classification(400, 900, n_informative=9, n_classes=3, random_state=0)
wide = [LinearSVC(), LinearSVC(loss="hinge"), LinearSVC(penalty="l1", tol=1e-3, C=0.1)]
fits = [model.fit(X, y).coef_ for model in wide]
fits.append(Nystroem(n_components=200).fit(X)._weights)
fits.append(SVC().fit(X, y, sample_weight=np.linspace(1, 2, 400)).intercept_)
print([hashlib.sha256(fit.tobytes()).hexdigest() for fit in fits])
"""


def blas_threads():
    return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]


def test_contexts_may_overlap():
    before = blas_threads()
    first, second = OneBlasThread(), OneBlasThread()
    first.__enter__()
    second.__enter__()
    first.__exit__()
    assert set(blas_threads()) == {1}
    second.__exit__()
    assert blas_threads() == before


def test_bits_do_not_depend_on_the_threads_of_blas():
    found = {
        subprocess.run(
            [sys.executable, "-c", FIT],
            env={**os.environ, "OPENBLAS_NUM_THREADS": str(threads)},
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for threads in (1, 2, 4)
    }
    assert len(found) == 1


def test_a_fit_gives_the_threads_back():
    before = blas_threads()
    X, y = make_classification(100, 300, random_state=0)
    fits = [threading.Thread(target=LinearSVC().fit, args=(X, y)) for _ in range(4)]
    for fit in fits:
        fit.start()
    for fit in fits:
        fit.join()
    with pytest.raises(ValueError, match="C is -1"):
        LinearSVC(C=-1).fit(X, y)
    with pytest.raises(ValueError, match="NaN"):
        LinearSVC().fit(np.full_like(X, np.nan), y)
    assert blas_threads() == before


def test_the_report_has_all_seconds_of_a_fit():
    X, y = make_classification(500, 2000, random_state=0)
    LinearSVC().fit(X[:50], y[:50])  # finds the libraries
    began = time.perf_counter()
    model = LinearSVC(solver="gram").fit(X, y)
    assert model.solver_ == "gram"
    assert model.fit_report_["seconds"] > 0.9 * (time.perf_counter() - began)


def test_few_rows_of_many_features_take_little_time():
    # Of the processor, all threads together: with the threads of BLAS it was 50 times as much.
    X, y = make_classification(100, 300, random_state=0)
    LinearSVC().fit(X, y)
    began = time.process_time()
    for _ in range(10):
        LinearSVC().fit(X, y)
    assert (time.process_time() - began) / 10 < 0.02
