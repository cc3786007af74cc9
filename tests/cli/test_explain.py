"""The verb `explain`."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

from maxmargin import load


@pytest.fixture
def iris(tmp_path, ok):
    data = load_iris(as_frame=True)
    table = data.data.rename(columns=lambda name: name.removesuffix(" (cm)"))
    table["place"] = np.where(np.arange(150) % 2, "north", "south")
    table["species"] = data.target_names[data.target]
    table.to_csv(tmp_path / "iris.csv", index=False)
    ok("train", "iris.csv", "--target", "species", "-o", "iris.maxmargin", "--quiet")
    return table


def numbers(text, title):
    """The last numbers of the lines of a table."""
    lines = text.split(title)[1].split("\n\n")[0].splitlines()[1:]
    return [float(line.split()[-1]) for line in lines if line.strip()]


def test_parts_add_up_to_the_decision(iris, ok):
    out = ok("explain", "iris.maxmargin", "iris.csv", "--row", 51, "--row", 101, "--top", 2).out
    first, second = out.split("\nrow 101: ")
    assert first.startswith("row 51: versicolor, decision value ")
    assert second.startswith("virginica, decision value ")
    value = float(re.search(r"decision value (\S+)", first)[1])
    assert np.isclose(sum(numbers(first, "feature")), value, atol=1e-3)
    assert "petal" in first
    assert "4 others" in first
    labels = [line.split()[1] for line in first.split("training row")[1].splitlines()[1:3]]
    places = [int(line.split()[0]) for line in first.split("training row")[1].splitlines()[1:3]]
    assert labels == iris["species"].iloc[[place - 1 for place in places]].tolist()


def test_background_and_picture(iris, ok, tmp_path):
    out = ok("explain", "iris.maxmargin", "iris.csv", "--background", "--plot", "why.png").out
    assert out.startswith("row 1: setosa")
    assert out.endswith("why.png\n")
    assert (tmp_path / "why.png").read_bytes().startswith(b"\x89PNG")
    assert (
        load("iris.maxmargin").predict(pd.DataFrame(iris[:1].drop(columns="species"))) == "setosa"
    )


def test_rows_that_are_not_there_are_refused(iris, fails):
    assert "there is no row 151: there are 150" in fails(
        3, "explain", "iris.maxmargin", "iris.csv", "--row", 151
    )
    fails(4, "explain", "iris.maxmargin", "missing.csv")
