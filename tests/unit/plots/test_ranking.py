"""ROC and precision-recall curves, margins and residuals: the numbers behind the pictures."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from maxmargin.plots import MarginDisplay, PrecisionRecallDisplay, ResidualDisplay, RocDisplay


@pytest.fixture
def ranked():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 2000)
    scores = rng.normal(size=(2000, 3)) + np.eye(3)[y]
    names = ["a", "b", "c"]
    return (
        {name: y == k for k, name in enumerate(names)},
        {name: scores[:, k] for k, name in enumerate(names)},
    )


def test_areas_are_those_of_scikit_learn(ranked):
    rows, scores = ranked
    roc = RocDisplay.from_scores(rows, scores)
    precision = PrecisionRecallDisplay.from_scores(rows, scores)
    for name in rows:
        assert roc.areas[name] == pytest.approx(roc_auc_score(rows[name], scores[name]))
        expected = average_precision_score(rows[name], scores[name])
        assert precision.frame()["areas"][name] == pytest.approx(expected)


def test_long_curves_are_drawn_with_few_corners(ranked):
    axes = RocDisplay.from_scores(*ranked).plot()
    lines = [line for line in axes.get_lines() if str(line.get_label()).startswith(("a", "b", "c"))]
    assert len(lines) == 3
    assert all(len(line.get_xdata()) <= 400 for line in lines)
    for line in lines:  # from corner to corner of the picture
        assert (line.get_xdata()[0], line.get_xdata()[-1]) == (0.0, 1.0)


def test_a_class_without_others_has_no_curve():
    with pytest.raises(ValueError, match="there is no curve"):
        RocDisplay.from_scores({"a": [1, 1]}, {"a": [0.0, 1.0]})


def test_margins_are_counted_by_side():
    margins = np.array([-2.0, -0.1, 0.0, 0.4, 1 - 1e-9, 1.0, 1.7])
    frame = MarginDisplay(margins).frame()
    assert (frame["wrong"], frame["inside"], frame["beyond"]) == (2, 2, 3)
    assert frame["slack"] == pytest.approx(3.0 + 1.1 + 1.0 + 0.6)
    assert frame["counts"].sum() == len(margins)
    assert np.any(np.isclose(frame["edges"], 0.0))
    assert np.any(np.isclose(frame["edges"], 1.0))


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_margins_of_any_size(scale):
    margins = scale * np.random.default_rng(0).normal(size=300)
    frame = MarginDisplay(margins, slack=False).frame()
    assert frame["counts"].sum() == 300
    assert (frame["wrong"], frame["inside"]) == ((margins < 0).sum(), 0)
    assert len(frame["counts"]) <= 40


def test_equal_margins():
    assert MarginDisplay(np.zeros(5), slack=False).frame()["counts"].sum() == 5
    assert MarginDisplay(np.ones(5)).plot() is not None


def test_many_margins_far_out_do_not_make_many_bars():
    frame = MarginDisplay(np.append(np.linspace(-1, 3, 999), 1e6)).frame()
    assert len(frame["counts"]) < 100
    assert frame["counts"].sum() == 1000


def test_residuals_outside_the_tube():
    frame = ResidualDisplay([0.0, 1.0, 2.0], [0.0, 1.5, 4.0], epsilon=0.5).frame()
    assert frame["outside"].tolist() == [False, False, True]
    assert not ResidualDisplay([0.0, 9.0], [0.0, 1.0]).frame()["outside"].any()


def test_a_picture_as_svg_has_texts_and_is_the_same_again(ranked):
    display = RocDisplay.from_scores(*ranked)
    text = display.svg(size=(4.0, 3.0))
    assert text.startswith("<svg")
    assert "a, area" in text
    assert "<metadata>" not in text
    assert text == display.svg(size=(4.0, 3.0))
