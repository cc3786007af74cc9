"""cv="loo": every row left out, from one fit a candidate."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_moons
from sklearn.model_selection import LeaveOneOut
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, SVR
from maxmargin.selection import SVCCV, GridSearchCV, leave_one_out

GRID = {"C": [0.1, 1.0, 10.0, 1000.0], "gamma": [0.1, 1.0, 5.0]}


@pytest.fixture(scope="module")
def moons():
    return make_moons(40, noise=0.3, random_state=0)


@pytest.fixture(scope="module")
def search(moons):
    return GridSearchCV(SVC(tol=1e-8), GRID, cv="loo").fit(*moons)


def test_n_fits_find_errors_within_the_bounds(moons, search):
    exact = GridSearchCV(SVC(tol=1e-8), GRID, cv=LeaveOneOut()).fit(*moons).cv_results_
    errors = np.rint(40 * (1 - exact["mean_test_score"]))
    found = search.cv_results_
    assert (found["least_errors"] <= errors).all()
    assert (errors <= found["most_errors"]).all()
    assert (found["n_approximate"] > 0).any()
    assert (found["n_approximate"] < 40).any()
    # Approximate where sets change, and much nearer than the bounds.
    assert np.abs(40 * (1 - found["mean_test_score"]) - errors).max() <= 3
    assert search.search_report_["n_fits"] == 12
    assert search.n_splits_ == 1


def test_a_cell_is_what_leave_one_out_says(moons, search):
    X, y = moons
    for params, score, approximate in zip(
        search.cv_results_["params"],
        search.cv_results_["mean_test_score"],
        search.cv_results_["n_approximate"],
        strict=True,
    ):
        one = leave_one_out(SVC(**params).fit(X, y), X, y)
        if (one.changed & np.isnan(one.span)).any():  # no row is free: these are fitted
            assert approximate < one.n_changed
            continue
        assert score == pytest.approx(1 - one.error_rate)
        assert approximate == np.count_nonzero(~one.exact)


def test_all_rows_are_scored_together(moons):
    X, y = moons
    found = GridSearchCV(
        SVC(), {"C": [1.0]}, cv="loo", scoring=["roc_auc", "accuracy"], refit="roc_auc",
        return_train_score=True,
    ).fit(X, y)  # fmt: skip
    values = leave_one_out(SVC(C=1.0).fit(X, y), X, y)
    above = values.decision[y == 1][:, None] > values.decision[y == 0]
    assert found.best_score_ == pytest.approx(above.mean())
    fitted = np.mean((values.fitted > 0) == y)
    assert found.cv_results_["mean_train_accuracy"][0] == pytest.approx(fitted)


def test_weights_and_rows_that_count_nothing(moons):
    X, y = moons
    weight = np.where(np.arange(40) % 5 == 0, 0.0, 1.0 + np.arange(40) % 3)
    found = GridSearchCV(SVC(gamma=1.0), {"C": [1.0]}, cv="loo").fit(X, y, sample_weight=weight)
    one = leave_one_out(SVC(gamma=1.0).fit(X, y, weight), X, y, sample_weight=weight)
    right = (one.decision > 0) == y
    assert found.cv_results_["n_approximate"][0] == one.n_changed
    assert found.best_score_ == pytest.approx(np.average(right, weights=weight))


def test_svccv_takes_it_and_threads_do_not_matter(moons):
    X, y = moons
    one, two = (SVCCV(Cs=4, gammas=3, cv="loo", n_jobs=n).fit(X, y) for n in (1, 2))
    assert one.scores_.shape == (1, 4, 3)
    for name in ("mean_test_score", "n_approximate", "violation"):
        assert (one.cv_results_[name] == two.cv_results_[name]).all()
    assert one.predict(X).shape == (40,)


def test_a_callback_ends_it(moons):
    with pytest.warns(UserWarning, match="ended early"):
        found = SVCCV(
            Cs=4, gammas=6, cv="loo", callback=lambda seen: seen.done >= 8
        ).fit(*moons)  # fmt: skip
    assert 8 <= np.isfinite(found.cv_results_["mean_test_score"]).sum() < 24


@pytest.mark.parametrize(
    ("estimator", "reason"),
    [
        (make_pipeline(StandardScaler(), SVC()), "the other steps"),
        (SVR(), "two classes"),
        (SVC(loss="squared_hinge"), "loss is 'squared_hinge'"),
    ],
)
def test_what_it_is_not_for_is_said(moons, estimator, reason):
    with pytest.raises(ValueError, match=f'(?s)cv is "loo".*{reason}.*LeaveOneOut'):
        GridSearchCV(estimator, {}, cv="loo").fit(*moons)


def test_three_classes_and_other_words_are_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="two classes"):
        SVCCV(cv="loo").fit(X, y)
    with pytest.raises(ValueError, match="cv"):
        GridSearchCV(SVC(), {}, cv="all").fit(X, y)
