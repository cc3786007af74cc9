import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.losses import Hinge
from maxmargin.problems import CONVENTIONS, Objective, convert, objective_factor

conventions = st.sampled_from(
    [*CONVENTIONS, *(convention.penalising_intercept() for convention in CONVENTIONS)]
)
pairs = st.tuples(conventions, conventions).filter(
    lambda pair: pair[0].penalise_intercept == pair[1].penalise_intercept
)
parameters = st.floats(1e-6, 1e6)
sizes = st.integers(1, 10**7)


@given(value=parameters, n=sizes, pair=pairs)
def test_there_and_back(value, n, pair):
    source, target = pair
    there = convert(value, n, source, target)
    assert convert(there, n, target, source) == pytest.approx(value, rel=1e-12)
    factor = objective_factor(value, n, source, target)
    assert factor * objective_factor(there, n, target, source) == pytest.approx(1, rel=1e-12)


@given(value=parameters, n=sizes, pair=pairs, middle=conventions)
def test_by_way_of_a_third(value, n, pair, middle):
    source, target = pair
    if middle.penalise_intercept != source.penalise_intercept:
        return
    by_way = convert(convert(value, n, source, middle), n, middle, target)
    assert by_way == pytest.approx(convert(value, n, source, target), rel=1e-12)


@given(value=st.floats(1e-3, 1e3), pair=pairs, seed=st.integers(0, 99))
def test_objectives_differ_by_the_factor_everywhere(value, pair, seed):
    source, target = pair
    rng = np.random.default_rng(seed)
    X, y, w = rng.normal(size=(7, 2)), rng.choice([-1.0, 1.0], size=7), rng.normal(size=3)
    one = Objective(X, y, Hinge(), value, convention=source)
    other = Objective(X, y, Hinge(), convert(value, 7, source, target), convention=target)
    factor = objective_factor(value, 7, source, target)
    assert other.value(w) == pytest.approx(factor * one.value(w), rel=1e-10)
    assert np.allclose(other.subgradient(w), factor * one.subgradient(w), rtol=1e-9, atol=1e-9)
