"""The verb `report`: a page about a model and a file."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest


@pytest.fixture(autouse=True)
def without_pictures(monkeypatch):
    """Draw nothing: the pictures have tests of their own."""
    monkeypatch.setattr("maxmargin.plots.display.Display.svg", lambda *_, **__: "<svg ></svg>")


@pytest.fixture
def model(ok, shop):
    ok("train", shop, "-q")
    return "shop.maxmargin"


def test_a_page_about_the_training_rows(ok, model, shop):
    result = ok("report", model, shop, "--title", "Who <buys>?")
    assert result.out.splitlines()[-1] == "shop.html"
    assert "that it was fitted to" in result.out
    page = Path("shop.html").read_text()
    assert "<h1>Who &lt;buys&gt;?</h1>" in page
    assert "shop.csv" in page
    assert "tells no from yes by 4 columns" in page


def test_a_page_about_other_rows(ok, model, shop):
    frame = pd.read_csv(shop)
    frame["age"] += 0.05
    frame["name"] = [f"row <{i}>" for i in range(len(frame))]
    frame.to_csv("new.csv", index=False)
    out = ok("report", model, "new.csv", "-o", "-", "--id", "name").out
    assert out.startswith("<!DOCTYPE html>")
    assert "row &lt;" in out
    assert "on new rows" in out
    assert "on the rows of the fit" in ok("report", model, "new.csv", "-o", "-", "--training").out


def test_rows_are_counted_from_one(ok, model, shop):
    pd.read_csv(shop)[:5].to_csv("few.csv", index=False)
    page = ok("report", model, "few.csv", "-o", "-").out
    table = page.partition('id="worst"')[2].partition("</section>")[0]
    assert set(re.findall(r'<th scope="row">(\w+)</th>', table)) == set("12345")


def test_numbers_and_one_class(ok):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 2)), columns=["a", "b"])
    frame.to_csv("rows.csv", index=False)
    ok("train", "rows.csv", "--task", "one-class", "--nu", "0.2", "-o", "one.maxmargin", "-q")
    assert "outliers" in ok("report", "one.maxmargin", "rows.csv").out
    frame["price"] = 3 * frame.a + rng.normal(size=60)
    frame.to_csv("prices.csv", index=False)
    ok("train", "prices.csv", "--target", "price", "-q")
    assert "predicts price by 2 columns" in ok("report", "prices.maxmargin", "prices.csv").out


def test_a_model_of_libsvm(ok, sparse_file):
    ok("svm-train", "-q", sparse_file, "model.txt")
    ok("report", "model.txt", sparse_file, "-o", "page.html")
    assert "carries no certificate" in Path("page.html").read_text()


def test_what_cannot_be_reported_on(fails, model, shop):
    frame = pd.read_csv(shop)
    frame.drop(columns="age").to_csv("narrow.csv", index=False)
    assert "'age'" in fails(3, "report", model, "narrow.csv")
    frame.assign(buys="perhaps").to_csv("others.csv", index=False)
    assert "label 'perhaps'" in fails(3, "report", model, "others.csv")
    frame.drop(columns="buys").to_csv("bare.csv", index=False)
    assert "give --target" in fails(3, "report", model, "bare.csv")
    frame.assign(buys=["yes", None] * 60).to_csv("gaps.csv", index=False)
    assert "lacks a value" in fails(3, "report", model, "gaps.csv")
    frame[:0].to_csv("empty.csv", index=False)
    fails(3, "report", model, "empty.csv")
    assert "not a model" in fails(3, "report", shop, shop, "-o", "x.html")
    assert not list(Path().glob("*.html"))


def test_only_pages_are_replaced(fails, ok, model, shop):
    Path("notes.html").write_text("my notes")
    assert "--force" in fails(4, "report", model, shop, "-o", "notes.html")
    ok("report", model, shop, "-o", "notes.html", "--force", "-q")
    ok("report", model, shop, "-o", "notes.html", "-q")
