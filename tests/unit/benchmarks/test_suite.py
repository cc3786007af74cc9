import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from benchmarks import suite
from benchmarks.problem import Problem
from benchmarks.suite import BUNDLED, EXTRA, SUITE, Row, choose, load


def test_names_are_unique_and_long_rows_run_only_by_name():
    for rows in (BUNDLED, EXTRA + SUITE):
        assert len({row.name for row in rows}) == len(rows)
    assert len(choose(SUITE, [])) == 15
    assert [row.name for row in choose(SUITE, ["mnist", "usps"])] == ["mnist", "usps"]
    with pytest.raises(ValueError, match="no such rows: nothing"):
        choose(SUITE, ["nothing"])


@pytest.mark.skipif("MAXMARGIN_DATA" not in os.environ, reason="the suite's data are not here")
def test_the_suite_is_the_one_that_the_data_describe():
    text = Path(os.environ["MAXMARGIN_DATA"], "README.md").read_text().split("## The kernel suite")
    lines = [line.strip("| ").split(" | ") for line in text[1].splitlines() if line[:1] == "|"]
    rows = [row for row in SUITE if not row.long]
    for row, (name, data, n, scaling, machine, C, gamma, *other) in zip(
        rows, lines[2:], strict=True
    ):
        assert (row.name, row.data, row.machine) == (name, data.split(",")[0], machine)
        assert row.n == (0 if n == "all" else int(n.replace(",", "")))
        assert (row.scaling or "-") == scaling
        assert C in ("-", f"{row.C:g}")
        assert row.gamma == pytest.approx(float(Fraction(gamma)))
        assert row.sparse == ("sparse" in "".join(other))


def test_bundled_rows_load_and_survive_the_file(tmp_path):
    for row in BUNDLED:
        problem = load(row)
        assert problem.X.dtype == np.float32
        assert np.array_equal(np.unique(problem.y), np.arange(problem.n_classes))
        problem.save(tmp_path / "problem.npz")
        again = Problem.load(tmp_path / "problem.npz")
        assert np.array_equal(again.X, problem.X)
        assert (again.C, again.gamma, again.tol) == (row.C, row.gamma, suite.TOL)


def test_stored_rows_are_chosen_scaled_and_kept_sparse(tmp_path, monkeypatch):
    monkeypatch.setenv("MAXMARGIN_DATA", str(tmp_path))
    X, y = np.array([[0, 7], [4, 7], [8, 7]], np.float32), np.array([3, 5, 3])
    np.savez(tmp_path / "dense.npz", X=X, y=y)
    problem = load(Row("r", "dense", gamma=1, n=2, scaling="std"))
    assert np.array_equal(problem.y, (y == 5)[[2, 1]])  # RandomState(0).permutation(3) is 2, 1, 0
    assert np.array_equal(problem.X, [[1, 0], [-1, 0]])

    np.savez(tmp_path / "curve.npz", X=X, y=np.array([1.0, 2.0, 9.0]))
    problem = load(Row("r", "curve", gamma=1, machine="SVR", epsilon=0.1))
    assert problem.y.mean() == pytest.approx(0.0, abs=1e-6)
    assert problem.y.std() == pytest.approx(1.0)
    assert problem.parameters == {"C": 1.0, "epsilon": 0.1, "gamma": 1.0, "tol": suite.TOL}
    problem = load(Row("r", "dense", gamma=1, machine="OneClassSVM", nu=0.2))
    assert problem.y.tolist() == [1, -1, 1]
    problem.save(tmp_path / "problem.npz")
    assert Problem.load(tmp_path / "problem.npz").parameters == problem.parameters
    assert problem.megabytes == X.nbytes / 2**20

    A, B = sparse.csr_matrix(X), sparse.csr_matrix(X[:, :1])
    for name, S in (("csr.npz", A), ("csr.test.npz", B)):
        np.savez(
            tmp_path / name, data=S.data, indices=S.indices, indptr=S.indptr, shape=S.shape, y=y
        )
    problem = load(Row("r", "csr", gamma=1, sparse=True))
    assert sparse.issparse(problem.X)
    assert problem.X_test.shape == (3, 2)
