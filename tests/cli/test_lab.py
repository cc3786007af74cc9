"""`maxmargin lab`: a table on a page of its own."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris

pytestmark = pytest.mark.usefixtures("lab_page")


def state(path):
    """What is in the page."""
    [text] = re.findall(r'id="maxmargin-data">(.*?)</script>', Path(path).read_text())
    return json.loads(text)


@pytest.fixture
def iris(tmp_path):
    frame = load_iris(as_frame=True).frame.rename(columns=lambda name: name.removesuffix(" (cm)"))
    frame["species"] = np.array(["setosa", "versicolor", "virginica"])[frame.pop("target")]
    frame.to_csv(tmp_path / "iris.csv", index=False)
    return frame


def test_without_data_the_page_is_opened(ok, lab_page):
    assert ok("lab").out.strip().endswith("lab.html")
    assert len(lab_page) == 1
    assert lab_page[0].startswith("file://")


def test_two_columns(ok, iris, lab_page):
    result = ok("lab", "iris.csv", "--features", "petal length,petal width", "--no-open")
    found = state("iris.html")
    assert result.out == "iris.html\n"
    assert not lab_page
    assert found["view"] == "multi-class"
    assert found["classes"] == ["setosa", "versicolor", "virginica"]
    assert found["points"] == iris[["petal length", "petal width"]].to_numpy().tolist()
    assert found["parameters"]["kernel"] == "rbf"


def test_more_columns_become_components_and_it_says_so(ok, iris):
    result = ok("lab", "iris.csv", "--no-open", "-o", "page.html")
    assert "first 2 principal components of 4 standardised columns are shown (96%" in result.err
    assert state("page.html")["features"] == ["component 1", "component 2"]


def test_two_classes_numbers_and_one_class(ok, iris):
    iris[iris.species != "virginica"].iloc[:, [0, 1, 4]].to_csv("two.csv", index=False)
    ok("lab", "two.csv", "--no-open")
    assert state("two.html")["view"] == "margins"
    assert set(state("two.html")["y"]) == {-1.0, 1.0}
    iris.iloc[:, [2, 3]].to_csv("numbers.csv", index=False)
    ok("lab", "numbers.csv", "--no-open")
    assert state("numbers.html")["view"] == "regression"
    assert state("numbers.html")["features"] == ["petal length"]
    ok("lab", "numbers.csv", "--no-target", "--no-open")
    assert state("numbers.html")["view"] == "one-class"


def test_many_rows_are_sampled_and_it_says_so(ok):
    random = np.random.default_rng(0)
    X = random.normal(size=(30_000, 2)).round(3)
    frame = pd.DataFrame(X, columns=["a", "b"]).assign(
        kind=np.where(X[:, 0] > 1.5, "rare", "usual")
    )
    frame.to_csv("many.csv", index=False)
    assert (
        "30,000 rows, of which the page has a sample of 20,000"
        in ok("lab", "many.csv", "--no-open").err
    )
    found = state("many.html")
    assert len(found["points"]) == 20_000
    rare = (frame.kind == "rare").mean()
    assert np.mean(np.array(found["y"]) < 0) == pytest.approx(rare, abs=1e-3)


def test_text_is_left_out_and_it_says_so(ok):
    Path("t.csv").write_text("a,colour,b,kind\n1,red,2,x\n3,blue,4,y\n0,red,1,x\n")
    assert "text is left out: colour" in ok("lab", "t.csv", "--no-open").err
    assert state("t.html")["features"] == ["a", "b"]


@pytest.mark.parametrize(
    ("text", "options", "status", "message"),
    [
        ("a,b,kind\n1,2,x\n3,4,x\n", [], 3, "'x' in all rows"),
        ("a,b,kind\n1,2,x\n,4,y\n", [], 3, "column 'a' lacks a value in row 2"),
        ("a,kind\n1,x\n3,y\n", [], 3, "1 column of numbers; 2 are drawn"),
        ("a,b,kind\n1,2,x\n3,4,y\n", ["--features", "a,z"], 3, "no column 'z'"),
        ("a,b,kind\n1,2,x\n3,4,y\n", ["--features", "a,9"], 3, "no column"),
        ("a,b,kind\n1,2,x\n3,4,y\n", ["--task", "regression"], 3, "the target is text"),
        ("a,b,kind\n1,2,x\n3,4,y\n", ["-o", "nowhere/page.html"], 4, "no folder for it"),
        ("a,b,kind\n1,2,x\n3,4,y\n", ["-o", "t.csv"], 2, "both read and written"),
    ],
)
def test_errors(fails, run, text, options, status, message):
    Path("t.csv").write_text(text)
    assert message in fails(status, "lab", "t.csv", "--no-open", *options)
    assert not Path("t.html").exists()


def test_options_without_data(fails):
    assert "need DATA" in fails(2, "lab", "--features", "a,b")


def test_something_else_is_not_replaced(fails, iris):
    Path("notes.html").write_text("my notes")
    assert "is not a page" in fails(4, "lab", "iris.csv", "--no-open", "-o", "notes.html")
