"""Held against Clarabel, an interior-point solver that shares nothing with this library.

The dual in the scaled variable a = alpha / C: minimise C/2 a'Qa - 1'a subject to y'a = 0 and
0 <= a <= s (s the weights), with Q_ij = y_i y_j K_ij.
"""

import numpy as np
import pytest
import scipy.sparse as sp

from instances import CONVEX, blobs, rings
from judge import machines, verdicts
from maxmargin import SVC

clarabel = pytest.importorskip("clarabel")


def reference(machine, C):
    """The optimal dual objective of one binary problem."""
    y, n = machine.y, len(machine.y)
    K = (machine.K + machine.offset).astype(float)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_iter = 500
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    # Its default regularisation is too coarse for large penalties.
    settings.static_regularization_constant = 1e-14
    answer = clarabel.DefaultSolver(
        sp.csc_matrix(np.triu(C * np.outer(y, y) * K)),
        -np.ones(n),
        sp.csc_matrix(np.vstack([y[None, :], -np.eye(n), np.eye(n)])),
        np.concatenate([[0.0], np.zeros(n), machine.C / C]),
        [clarabel.ZeroConeT(1), clarabel.NonnegativeConeT(2 * n)],
        settings,
    ).solve()
    assert str(answer.status) in ("Solved", "AlmostSolved")
    return -C * answer.obj_val


@pytest.mark.parametrize("C", [1e-3, 1.0, 1e2, 1e4], ids="C{:.0e}".format)
@pytest.mark.parametrize("kernel", CONVEX.values(), ids=CONVEX.keys())
@pytest.mark.parametrize("make", [rings, blobs])
def test_objective(make, kernel, C):
    X, y = make(80)
    model = SVC(C=C, **kernel).fit(X, y)
    (machine,), (verdict,) = machines(model, X, y), verdicts(model, X, y)
    assert verdict.dual == pytest.approx(reference(machine, C), rel=1e-7)


@pytest.mark.parametrize("kernel", CONVEX.values(), ids=CONVEX.keys())
def test_objective_with_classes_and_weights(kernel, seed):
    X, y = blobs(70, 3, 3, seed)
    weight = np.random.default_rng(seed).choice([0.2, 1.0, 4.0], len(y))
    model = SVC(C=2.0, class_weight="balanced", **kernel).fit(X, y, sample_weight=weight)
    for machine, verdict in zip(
        machines(model, X, y, weight), verdicts(model, X, y, weight), strict=True
    ):
        assert verdict.dual == pytest.approx(reference(machine, 2.0), rel=1e-7)
