import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array

from maxmargin.plots.table import Table


@pytest.fixture
def frame():
    return pd.DataFrame(
        {
            "size": [1.0, 2.0, 9.0, 4.0],
            "town": ["東京", "Rom", "Rom", "Bern"],
            "count": [1, 2, 3, 4],
            "member": [True, False, True, True],
        }
    )


def test_the_way_there_and_back(frame):
    table = Table.of(frame)
    back = table.rows(table.values)
    assert back["town"].tolist() == frame["town"].tolist()
    for name in ("size", "count", "member"):
        np.testing.assert_array_equal(back[name], frame[name].astype(float))


def test_typical_rows_are_rows_of_the_table(frame):
    table = Table.of(frame)
    assert table.told(table.typical("median")) == {
        "size": "3",
        "town": "Rom",
        "count": "2.5",
        "member": "1",
    }
    assert table.typical("mean")[0] == 4.0


def test_polars(frame):
    polars = pytest.importorskip("polars")
    given = polars.DataFrame({name: frame[name].tolist() for name in frame})
    table = Table.of(given)
    assert table.rows(table.values)["town"].to_list() == frame["town"].tolist()


def test_arrays_and_sparse_matrices():
    X = np.array([[0.0, 1.0], [2.0, 0.0]])
    for given in (X, X.tolist(), csr_array(X)):
        table = Table.of(given)
        np.testing.assert_array_equal(table.values, X)
        assert table.rows(X) is X


def test_columns_of_texts_are_no_axes(frame):
    table = Table.of(frame)
    assert (table.place("count"), table.place(-1)) == (2, 3)
    with pytest.raises(ValueError, match="'town', a column of texts"):
        table.place("town")
