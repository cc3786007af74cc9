"""Model files that version 0.1 wrote can be read, and say what they said."""

from pathlib import Path

import numpy as np
import pytest

import maxmargin

FOLDER = Path(__file__).parents[2] / "data" / "models"
FILES = sorted(FOLDER.glob("*-0.1.maxmargin"))


def expected(name):
    with np.load(FOLDER / "expected-0.1.npz") as file:
        values = {key.partition(":")[2]: file[key] for key in file if key.startswith(f"{name}:")}
        return file["X"], values


def test_there_is_a_file_of_each_estimator():
    names = {path.name.split("-")[0] for path in FILES}
    kinds = {
        name
        for name, value in vars(maxmargin).items()
        if isinstance(value, type) and hasattr(value, "get_params")
    }
    assert kinds <= names


# The steps of pipelines are scikit-learn's, and were written by another version of it.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.InconsistentVersionWarning")
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name.removesuffix("-0.1.maxmargin"))
def test_it_says_what_it_said(path, tmp_path):
    name = path.name.removesuffix("-0.1.maxmargin")
    X, values = expected(name)
    X = X @ X.T if "precomputed" in name else X
    model = maxmargin.load(path)
    maxmargin.save(model, tmp_path / "again.maxmargin")
    for read in (model, maxmargin.load(tmp_path / "again.maxmargin")):
        machine = read[-1] if hasattr(read, "steps") else read
        for key, value in values.items():
            # What is read is equal; what is computed from it rounds as this machine's kernels do.
            computed = key in ("predict", "decision_function")
            if computed:
                found = getattr(read, key)(X)
            elif key == "primal":
                found = machine.certificate_.primal
            else:
                found = getattr(machine, key)
            found = found.toarray() if hasattr(found, "toarray") else np.asarray(found)
            found = found.reshape(value.shape)
            if computed and value.dtype.kind == "f":
                np.testing.assert_allclose(found, value, rtol=1e-12, atol=1e-12, err_msg=key)
            else:
                np.testing.assert_array_equal(found, value, err_msg=key)


@pytest.mark.parametrize("name", ["SVC-ovr", "SVR"])
def test_it_can_go_on_from_there(name):
    X, _ = expected(name)
    model = maxmargin.load(FOLDER / f"{name}-0.1.maxmargin")
    y = np.arange(24) % 3
    assert model.warm_start
    again = model.fit(X, y)
    assert again.status_ is maxmargin.Status.OPTIMAL
