import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from maxmargin.plots.section import Section


@pytest.fixture
def X():
    return np.random.default_rng(0).normal(size=(40, 5)) * [1, 2, 3, 4, 5]


def test_a_pair_keeps_its_values_and_fixes_the_rest(X):
    section = Section.of(X, features=(3, 1))
    np.testing.assert_array_equal(section.coordinates(X), X[:, [3, 1]])
    rows = section.rows(X[:, [3, 1]])
    np.testing.assert_array_equal(rows[:, [3, 1]], X[:, [3, 1]])
    for j in (0, 2, 4):
        assert (rows[:, j] == np.median(X[:, j])).all()


@pytest.mark.parametrize("fill", ["mean", "median", np.arange(5.0)])
def test_fill(X, fill):
    typical = getattr(np, fill)(X, axis=0) if isinstance(fill, str) else fill
    rows = Section.of(X, features=(0, 1), fill=fill).rows([[7.0, 8.0]])
    np.testing.assert_allclose(rows[0], [7.0, 8.0, *typical[2:]])


def test_names_choose_columns(X):
    frame = pd.DataFrame(X, columns=list("abcde"))
    section = Section.of(frame, features=("d", "a"))
    assert section.names == ("d", "a")
    np.testing.assert_array_equal(section.coordinates(frame), X[:, [3, 0]])


def test_negative_places_count_from_the_end(X):
    np.testing.assert_array_equal(Section.of(X, features=(-1, 0)).coordinates(X), X[:, [4, 0]])


def test_two_features_are_the_plane_itself(X):
    section = Section.of(X[:, :2])
    assert section.contains(X[:, :2])
    np.testing.assert_array_equal(section.coordinates(X[:, :2]), X[:, :2])


def test_more_features_are_shown_along_their_principal_components(X):
    section = Section.of(X)
    np.testing.assert_allclose(section.basis @ section.basis.T, np.eye(2), atol=1e-12)
    spread = section.coordinates(X).std(axis=0)
    assert spread[0] > spread[1] > X[:, 2].std() * 0.9
    assert not section.contains(X)
    np.testing.assert_allclose(section.coordinates(section.rows([[1.0, -2.0]])), [[1.0, -2.0]])


def test_flat_data_lie_in_their_plane(X):
    flat = X[:, :2] @ [[1.0, 0.0, -1.0, 2.0], [0.5, 3.0, 1.0, 0.0]] + 7.0
    assert Section.of(flat).contains(flat)


def test_sparse(X):
    np.testing.assert_array_equal(
        Section.of(csr_array(X), features=(0, 1)).coordinates(csr_array(X)), X[:, :2]
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"features": (0, 9)}, "features names 9, which X does not have"),
        ({"features": ("a", "b")}, "features names 'a'"),
        ({"features": (0,)}, "two different columns"),
        ({"features": (1, 1)}, "two different columns"),
        ({"features": "tsne"}, "features is 'tsne'"),
        ({"features": (0, 1), "fill": "mode"}, "fill is 'mode'"),
        ({"features": (0, 1), "fill": [1.0]}, r"fill has shape \(1,\)"),
        ({"feature_names": ["a"]}, "feature_names has 1 names; X has 5"),
    ],
)
def test_what_is_refused(X, options, message):
    with pytest.raises(ValueError, match=message):
        Section.of(X, **options)


def test_one_feature_is_refused(X):
    with pytest.raises(ValueError, match="needs two features or more"):
        Section.of(X[:, :1])
