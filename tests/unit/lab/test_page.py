"""The page with data inside, which nothing in the data can break out of."""

import html
import json
import re

import numpy as np
import pytest

from maxmargin.lab import LabPage, LabState

TEXT = "<!doctype html><html><head><script>'</body>'</script></head><body><p></p></body></html>"


@pytest.fixture
def page(tmp_path, monkeypatch):
    place = tmp_path / "lab.html"
    place.write_text(TEXT)
    monkeypatch.setattr(LabPage, "built", staticmethod(lambda: place))
    return place


def state(name="points"):
    return LabState(name, np.eye(2), np.array([-1.0, 1.0]), ("a", "b"), ("no", "yes"))


@pytest.mark.usefixtures("page")
def test_data_are_inside(tmp_path):
    place = LabPage(state()).save(tmp_path / "mine.html")
    found = re.findall(
        r'<script type="application/json" id="maxmargin-data">(.*?)</script>', place.read_text()
    )
    assert [json.loads(text)["name"] for text in found] == ["points"]
    assert place.read_text().endswith("</script></body></html>")


@pytest.mark.usefixtures("page")
@pytest.mark.parametrize(
    "name", ["</script><script>alert(1)</script>", "<!--<script>", "</SCRIPT >"]
)
def test_names_cannot_end_the_element(name):
    text = LabPage(state(name)).html()
    added = text.removeprefix(TEXT.rpartition("</body>")[0]).removesuffix("</body></html>")
    assert added.count("<") == 2  # the element's own two tags
    assert json.loads(re.sub(r"</?script.*?>", "", added))["name"] == name


@pytest.mark.usefixtures("page")
def test_a_notebook_gets_a_frame():
    text = LabPage(state("quote \" and 'quote'"))._repr_html_()
    source = re.fullmatch(
        r'<iframe srcdoc="([^"]*)" title="maxmargin lab" style="[^"]*"></iframe>', text
    )
    assert source is not None
    assert html.unescape(source[1]).startswith("<!doctype html>")


@pytest.mark.usefixtures("page")
def test_without_data_it_is_the_page_itself():
    assert LabPage().html() == TEXT


def test_a_missing_page_says_how_to_get_it(monkeypatch):
    monkeypatch.setattr(LabPage, "built", staticmethod(lambda: None))
    with pytest.raises(FileNotFoundError, match="make lab"):
        LabPage().html()


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"points": np.array([[0.0, np.nan]]), "y": np.ones(1)}, "not finite"),
        (
            {"points": np.zeros((20_001, 2)), "y": np.ones(20_001)},
            "20001 rows; the lab takes up to",
        ),
        ({"view": "multi-class", "classes": tuple("abcdefghi")}, "9 classes"),
        ({"parameters": {"gamma": 1e9}}, r"gamma is 1e\+09"),
    ],
)
def test_what_the_page_cannot_take(changes, match):
    given = {
        "name": "points",
        "points": np.eye(2),
        "y": np.array([-1.0, 1.0]),
        "features": ("a", "b"),
        "classes": ("no", "yes"),
    }
    with pytest.raises(ValueError, match=match):
        LabState(**{**given, **changes})
