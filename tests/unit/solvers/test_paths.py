"""The path engine: every cell is the solution that a fit of its own would find."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_classification, make_regression

from maxmargin import SVC, SVR
from maxmargin.kernels import RBF, Laplacian, Linear, Polynomial, Precomputed
from maxmargin.models import Classes
from maxmargin.problems import PathGrid, PathPart, one_vs_one
from maxmargin.solvers import solve_paths

CS = 2.0 ** np.arange(-5, 16, 4)


def _splits(n, k=3):
    fold = np.arange(n) % k
    return [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(k)]


def _penalty(splits, n, weight=1.0):
    penalty = np.zeros((len(splits), n))
    for row, (train, _) in zip(penalty, splits, strict=True):
        row[train] = np.broadcast_to(weight, n)[train]
    return penalty


def _classes(n=240, k=2, seed=0):
    return make_classification(
        n, 6, n_informative=4, n_classes=k, flip_y=0.1, class_sep=0.8, random_state=seed
    )


def _grid(X, y, kernels, weight=1.0, splits=None):
    codes = np.unique(y, return_inverse=True)[1]
    k = codes.max() + 1
    splits = splits or _splits(len(y))
    parts = [PathPart.hinge(pair.rows, pair.y) for pair in one_vs_one(codes, k)]
    penalty = _penalty(splits, len(y), weight)
    return PathGrid(
        X, kernels, parts, penalty, [test for _, test in splits], CS, n_classes=k if k > 2 else 0
    )


def _fitted(X, y, kernel, C, train, weight=None):
    own = None if weight is None else weight[train]
    rows = X[np.ix_(train, train)] if isinstance(kernel, Precomputed) else X[train]
    kernel = "precomputed" if isinstance(kernel, Precomputed) else kernel
    return SVC(kernel=kernel, C=C, tol=1e-5).fit(rows, y[train], own)


@pytest.mark.parametrize("kernel", [RBF(0.1), Laplacian(0.1), Polynomial(2, 0.1, 1.0), Linear()])
@pytest.mark.parametrize("n", [240, 900])
def test_outputs_are_those_of_fits_of_their_own(kernel, n):
    X, y = _classes(n)
    splits = _splits(n)
    found = solve_paths(_grid(X, y, [kernel]), tol=1e-4)
    # With the largest C the bound that a violation has of its own error is above that.
    assert (found.violation[..., :-1] <= 1e-4).all()
    assert (found.violation <= 1e-3).all()
    for s, (train, test) in enumerate(splits):
        for c in (0, 3):
            model = _fitted(X, y, kernel, CS[c], train)
            expected = model.decision_function(X[test])
            np.testing.assert_allclose(
                found.outputs[s][0, c, :, 0], expected, atol=2e-3 * np.abs(expected).max()
            )
            assert abs(found.n_support[0, s, c] - len(model.support_)) <= 3


def test_many_classes_vote_as_models_do():
    X, y = _classes(300, 4)
    found = solve_paths(_grid(X, y, [RBF(0.05), RBF(0.5)]), tol=1e-6)
    for s, (train, test) in enumerate(_splits(300)):
        for g, gamma in enumerate((0.05, 0.5)):
            model = _fitted(X, y, RBF(gamma), CS[2], train)
            np.testing.assert_array_equal(found.codes[s][g, 2], model.predict(X[test]))
            np.testing.assert_allclose(
                found.outputs[s][g, 2], model.decision_function(X[test]), atol=1e-3
            )


def test_scores_of_pairs_are_those_of_classes():
    """The core's votes against the one place that says who wins."""
    X, y = _classes(300, 3)
    grid = _grid(X, y, [RBF(0.2)])
    voted = solve_paths(grid)
    plain = PathGrid(X, grid.kernels, grid.parts, grid.penalty, grid.test, grid.Cs)
    outputs = solve_paths(plain).outputs
    classes = Classes(np.arange(3))
    for s in range(grid.n_splits):
        for c in range(len(CS)):
            np.testing.assert_array_equal(voted.codes[s][0, c], classes.codes(outputs[s][0, c]))
            np.testing.assert_allclose(voted.outputs[s][0, c], classes.scores(outputs[s][0, c]))


@pytest.mark.parametrize("n", [200, 800])
def test_regression(n):
    X, y = make_regression(n, 5, noise=5.0, random_state=0)
    y = y / y.std()
    splits = _splits(n)
    part = PathPart.tube(np.arange(n), y)
    tests = [test for _, test in splits]
    grid = PathGrid(
        X, [RBF(0.2)], [part], _penalty(splits, n), tests, CS, epsilons=np.full(len(splits), 0.05)
    )
    found = solve_paths(grid, tol=1e-6)
    assert (found.violation <= 1e-6).all()
    for s, (train, test) in enumerate(splits):
        for c in (0, 2, 5):
            model = SVR(kernel=RBF(0.2), C=CS[c], epsilon=0.05, tol=1e-5).fit(X[train], y[train])
            np.testing.assert_allclose(
                found.outputs[s][0, c, :, 0], model.predict(X[test]), atol=1e-4
            )


def test_weights_sparse_rows_and_matrices():
    X, y = _classes()
    weight = np.random.default_rng(0).uniform(0.2, 3.0, len(y))
    weight[::11] = 0.0
    dense = solve_paths(_grid(X, y, [RBF(0.3)], weight), tol=1e-6)
    rows = sparse.csr_matrix(X)
    np.testing.assert_allclose(
        solve_paths(_grid(rows, y, [RBF(0.3)], weight), tol=1e-6).outputs[1],
        dense.outputs[1],
        atol=1e-5,
    )
    given = RBF(0.3)(X, X)
    np.testing.assert_allclose(
        solve_paths(_grid(given, y, [Precomputed()], weight), tol=1e-6).outputs[1],
        dense.outputs[1],
        atol=1e-4,
    )
    train, test = _splits(len(y))[1]
    model = _fitted(X, y, RBF(0.3), CS[2], train, weight)
    np.testing.assert_allclose(
        dense.outputs[1][0, 2, :, 0], model.decision_function(X[test]), atol=1e-4
    )


def test_splits_that_overlap_and_leave_rows_out():
    X, y = _classes()
    rng = np.random.default_rng(3)
    splits = [tuple(np.sort(part) for part in np.split(rng.permutation(200), [120])) for _ in "abc"]
    found = solve_paths(_grid(X, y, [RBF(0.3)], splits=splits), tol=1e-6)
    for s, (train, test) in enumerate(splits):
        model = _fitted(X, y, RBF(0.3), CS[3], train)
        np.testing.assert_allclose(
            found.outputs[s][0, 3, :, 0], model.decision_function(X[test]), atol=1e-4
        )


def test_same_bits_for_any_threads_and_memory():
    X, y = _classes(400, 3)
    kernels = [RBF(gamma) for gamma in (0.01, 0.1, 1.0)]
    one = solve_paths(_grid(X, y, kernels), n_threads=1, memory=0)
    two = solve_paths(_grid(X, y, kernels), n_threads=2)
    for a, b in zip(one.outputs, two.outputs, strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(one.violation, two.violation)


def test_a_stop_leaves_what_is_missing_unknown():
    X, y = _classes(900)
    kernels = [RBF(gamma) for gamma in np.geomspace(0.01, 10, 40)]
    asked = []

    def progress(done, total):
        asked.append((done, total))
        return True

    found = solve_paths(_grid(X, y, kernels), progress=progress, memory=0)
    assert asked
    assert asked[0][1] == 120
    assert np.isnan(found.violation).any()
    assert np.isnan(found.outputs[0][np.isnan(found.violation[:, 0, 0])]).all()


def test_copies_and_one_sided_kernels_end():
    """Rows that are copies, and a kernel that is nearly constant or nearly the identity."""
    X, y = _classes(120)
    X, y = np.repeat(X, 3, axis=0), np.repeat(y, 3)
    y[::7] = 1 - y[::7]
    found = solve_paths(_grid(X, y, [RBF(1e-9), RBF(1e-3), RBF(1e4)]), tol=1e-3)
    assert (found.violation <= 1e-3).all()
