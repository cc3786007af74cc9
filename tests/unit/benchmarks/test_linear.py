import numpy as np
import pytest

from benchmarks.linear import AT_ONCE, FREE, OURS, Row, dual, means, primal, ratio_of

DONE = {"seconds": 0.5, "gap": 5e-5, "tol": 1e-4}


def results(**peers):
    return {OURS: DONE, FREE: {**DONE, "seconds": 1.0}, **peers}


def test_the_fastest_peer_that_got_there_counts():
    found = results(LIBLINEAR={"seconds": 0.1, "gap": 1e-2}, other={"seconds": 2.0, "gap": 1e-5})
    assert str(ratio_of(found, OURS)) == "4.00"
    assert str(ratio_of(found, FREE)) == "2.00"


def test_a_peer_that_did_not_get_there_is_a_bound():
    late = {"seconds": 60.0, "note": "time-out"}
    assert (
        str(ratio_of(results(LIBLINEAR={"seconds": 1.0, "gap": 1e-2}, other=late), OURS)) == ">120"
    )
    assert ratio_of({**results(LIBLINEAR=late), OURS: {"seconds": 1.0, "gap": 1e-2}}, OURS) is None


def test_means_are_by_kind_of_work():
    rows = [
        {"row": {"group": "text"}, "results": results(LIBLINEAR={**DONE, "seconds": s})}
        for s in (0.25, 1.0)
    ]
    assert means(rows).splitlines()[-1] == "| text | 1.00 | 0.50 lost | 0.50 lost | 0.25 lost |"


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "logistic"])
def test_the_judge_encloses_the_optimum(loss):
    from maxmargin import LinearSVC

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    row = Row("", "", "", loss, C=2.0)
    for penalized in (True, False):
        model = LinearSVC(loss=loss, C=2.0, intercept="penalized" if penalized else "free")
        model.fit(X, y)
        b = np.zeros((1, 60))
        b[:, model.support_] = model.dual_coef_
        P = primal(X, y, row, model.coef_, model.intercept_, penalized)
        D = dual(X, y, row, b, penalized)
        assert 0 <= P[0] - D[0] + 1e-9 * P[0] <= 1e-6 * P[0]


@pytest.mark.parametrize("penalized", [True, False])
def test_the_judge_of_all_classes_encloses_the_optimum(penalized):
    from maxmargin import LinearSVC

    rng = np.random.default_rng(0)
    y = np.arange(60) % 4
    X = rng.normal(size=(60, 3)) + rng.normal(size=(4, 3))[y]
    model = LinearSVC(multi_class=AT_ONCE, intercept="penalized" if penalized else "free")
    model.fit(X, y)
    b = np.zeros((4, 60))
    b[:, model.support_] = model.dual_coef_
    row = Row("", "", "", AT_ONCE)
    [P] = primal(X, y, row, model.coef_, model.intercept_, penalized)
    [D] = dual(X, y, row, b, penalized)
    assert 0 <= P - D + 1e-12 * P <= 1e-9 * P
