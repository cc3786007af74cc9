import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_classification

from maxmargin import LinearSVC
from maxmargin.selection import l1_path


def data():
    return make_classification(100, 30, n_informative=5, flip_y=0.1, random_state=0)


@pytest.mark.parametrize("loss", ["squared_hinge", "logistic"])
@pytest.mark.parametrize("intercept", ["free", "penalized"])
def test_each_is_what_a_fit_from_nothing_finds(loss, intercept):
    X, y = data()
    path = l1_path(X, y, Cs=6, loss=loss, intercept=intercept, tol=1e-7)
    assert (path.gaps <= 1e-7).all()
    for C, coef in zip(path.Cs, path.coefs, strict=True):
        model = LinearSVC(penalty="l1", loss=loss, intercept=intercept, C=C, tol=1e-7).fit(X, y)
        np.testing.assert_allclose(coef, model.coef_[0], atol=1e-3 * np.abs(coef).max())


def test_the_first_has_no_weights_and_more_follow():
    X, y = data()
    path = l1_path(sparse.csr_matrix(X), y, Cs=8)
    assert path.n_features[0] == 0
    assert path.n_features[-1] > path.n_features[2] > 0


def test_weights_of_rows_and_classes_count():
    X, y = data()
    weight = np.random.default_rng(0).uniform(0.5, 2.0, len(y))
    path = l1_path(X, y, Cs=[0.1], class_weight="balanced", sample_weight=weight, tol=1e-7)
    model = LinearSVC(penalty="l1", C=0.1, class_weight="balanced", tol=1e-8).fit(X, y, weight)
    np.testing.assert_allclose(path.coefs[0], model.coef_[0], atol=1e-5)


def test_what_is_refused():
    X, y = data()
    with pytest.raises(ValueError, match="more than two classes"):
        l1_path(X, np.arange(len(y)) % 3)
    with pytest.raises(ValueError, match="Cs is"):
        l1_path(X, y, Cs=[-1.0])
    with pytest.raises(ValueError, match="hinge"):
        l1_path(X, y, loss="hinge")
