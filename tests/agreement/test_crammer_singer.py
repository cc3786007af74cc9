"""Crammer and Singer's machine against LIBLINEAR, scikit-learn and Clarabel."""

import os
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import svm as peers
from sklearn.datasets import load_iris, load_wine
from sklearn.preprocessing import StandardScaler

from crammer_singer_judge import confirm, primal
from instances import blobs
from maxmargin import LinearSVC

IRIS = load_iris(return_X_y=True)
WINE = StandardScaler().fit_transform(load_wine().data), load_wine().target
PENALISED = {"multi_class": "crammer_singer", "intercept": "penalized"}


@pytest.mark.parametrize("C", [0.01, 1.0])
@pytest.mark.parametrize("data", [IRIS, WINE], ids=["iris", "wine"])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_scikit_learns(data, C, fit_intercept):
    options = {"C": C, "fit_intercept": fit_intercept}
    peer = peers.LinearSVC(
        multi_class="crammer_singer", tol=1e-7, max_iter=200_000, random_state=0, **options
    ).fit(*data)
    ours = LinearSVC(**PENALISED, **options).fit(*data)
    confirm(ours, *data)
    assert ours.certificate_.gap < 1e-12
    X, y = data
    penalty = 1.0 if fit_intercept else 0.0
    theirs = primal(peer.coef_, np.broadcast_to(peer.intercept_, 3), X, y, C, penalty)
    assert ours.certificate_.primal <= theirs * (1 + 1e-12)
    np.testing.assert_allclose(theirs, ours.certificate_.primal, rtol=1e-6)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=2e-3 * np.abs(peer.coef_).max())


def test_weights_are_scikit_learns():
    X, y = IRIS
    weight = np.random.default_rng(0).integers(1, 4, len(y))
    options = {"class_weight": {0: 2.0, 2: 0.5}, "C": 0.3}
    peer = peers.LinearSVC(
        multi_class="crammer_singer", tol=1e-7, max_iter=200_000, random_state=0, **options
    ).fit(X, y, weight)
    ours = LinearSVC(**PENALISED, **options).fit(X, y, weight)
    confirm(ours, X, y, weight)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-4)
    np.testing.assert_allclose(ours.intercept_, peer.intercept_, atol=1e-4)


@pytest.mark.parametrize("scaling", [1.0, 5.0])
def test_two_classes_are_scikit_learns(scaling):
    X, y = blobs(80, 3)
    options = {"intercept_scaling": scaling, "C": 0.4}
    peer = peers.LinearSVC(
        multi_class="crammer_singer", tol=1e-8, max_iter=200_000, random_state=0, **options
    ).fit(X, y)
    ours = LinearSVC(**PENALISED, **options).fit(X, y)
    assert ours.coef_.shape == peer.coef_.shape == (1, 3)
    assert ours.intercept_.shape == peer.intercept_.shape == (1,)
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-5)
    np.testing.assert_allclose(ours.intercept_, peer.intercept_, atol=1e-5)


def quadratic_program(X, y, C, k):
    """The primal with free intercepts in (w, b, xi), solved by Clarabel; its optimal value."""
    clarabel = pytest.importorskip("clarabel")
    n, d = X.shape
    size = k * (d + 1) + n
    rows, bounds = [], []
    for i in range(n):
        for c in range(k):  # f_c - f_y - xi <= -[c != y]
            row = np.zeros(size)
            if c != y[i]:
                for sign, e in ((1, c), (-1, y[i])):
                    row[e * d : (e + 1) * d] = sign * X[i]
                    row[k * d + e] = sign
            row[k * (d + 1) + i] = -1
            rows.append(row)
            bounds.append(-1.0 if c != y[i] else 0.0)
    square = sp.diags([1.0] * (k * d) + [0.0] * (k + n)).tocsc()
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-10
    price = np.concatenate([np.zeros(k * (d + 1)), C])
    answer = clarabel.DefaultSolver(
        square,
        price,
        sp.csc_matrix(np.array(rows)),
        np.array(bounds),
        [clarabel.NonnegativeConeT(len(rows))],
        settings,
    ).solve()
    assert str(answer.status) in ("Solved", "AlmostSolved")
    return answer.obj_val


@pytest.mark.parametrize("C", [0.05, 1.0, 20.0])
@pytest.mark.parametrize("k", [3, 5])
def test_free_intercepts_are_the_quadratic_programs(C, k):
    rng = np.random.default_rng(k)
    y = np.arange(60) % k
    X = rng.normal(size=(60, 4)) + rng.normal(size=(k, 4))[y] + 3
    weight = rng.uniform(0.5, 2, 60)
    model = LinearSVC(multi_class="crammer_singer", C=C).fit(X, y, weight)
    confirm(model, X, y, weight)
    expected = quadratic_program(X, y, C * weight, k)
    np.testing.assert_allclose(model.certificate_.primal, expected, rtol=1e-7)


@pytest.mark.parametrize(("name", "C"), [("letter", 1.0), ("usps", 0.01)])
def test_real_data_against_liblinear(name, C):
    folder = os.environ.get("MAXMARGIN_DATA")
    if folder is None or not Path(folder, f"{name}.npz").exists():
        pytest.skip("the data sets of MAXMARGIN_DATA")
    train = pytest.importorskip("liblinear.liblinearutil").train
    with np.load(Path(folder, f"{name}.npz")) as file:
        if "X" in file:
            X = file["X"][:1000].astype(float)
        else:
            X = sp.csr_matrix((file["data"], file["indices"], file["indptr"]), file["shape"])
            X = X[:1000].astype(float)
        y = np.unique(file["y"][:1000], return_inverse=True)[1]
    ours = LinearSVC(**PENALISED, C=C, tol=1e-5).fit(X, y)
    confirm(ours, X, y)
    assert ours.certificate_.gap <= 1e-5
    peer = train(y.astype(float), sp.csr_matrix(X), f"-s 4 -c {C} -e 0.1 -B 1 -q")
    parts = [peer.get_decfun(c) for c in np.argsort(peer.get_labels())]
    w, b = np.array([part[0] for part in parts]), np.array([part[1] for part in parts])
    theirs = primal(w, b, X, y, C, 1.0)
    assert theirs >= ours.certificate_.dual
    assert theirs <= 1.5 * ours.certificate_.primal
