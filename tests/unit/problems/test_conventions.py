from itertools import product

import numpy as np
import pytest

from maxmargin.problems import (
    C_MEAN,
    CONVENTIONS,
    HALF_MEAN,
    HALF_SUM,
    LAMBDA_MEAN,
    LAMBDA_SUM,
    MEAN,
    SUM,
    convert,
    objective_factor,
    soft_margin_primal,
)
from maxmargin.solvers import solve_qp

rng = np.random.default_rng(0)
X = rng.normal(size=(20, 2)) + 0.5
y = np.where(X[:, 0] - X[:, 1] + rng.normal(size=20) > 0, 1.0, -1.0)


@pytest.mark.parametrize(
    ("convention", "formula", "weights"),
    [
        (HALF_SUM, "1/2 |w|^2 + C sum(loss)", (0.5, 3.0)),
        (SUM, "|w|^2 + C sum(loss)", (1.0, 3.0)),
        (HALF_MEAN, "1/2 |w|^2 + C/n sum(loss)", (0.5, 0.3)),
        (MEAN, "|w|^2 + C/n sum(loss)", (1.0, 0.3)),
        (LAMBDA_MEAN, "lambda |w|^2 + 1/n sum(loss)", (3.0, 0.1)),
        (LAMBDA_SUM, "lambda/2 |w|^2 + sum(loss)", (1.5, 1.0)),
        (C_MEAN, "C/2 |w|^2 + 1/n sum(loss)", (1.5, 0.1)),
    ],
)
def test_the_seven(convention, formula, weights):
    assert convention.formula == formula
    assert convention.weights(3.0, n=10) == pytest.approx(weights)


def test_all_seven_are_listed_once():
    assert len(set(CONVENTIONS)) == 7


@pytest.mark.parametrize("penalised", [False, True])
@pytest.mark.parametrize(("source", "target"), list(product(CONVENTIONS, repeat=2)))
def test_converted_problems_have_one_minimiser(source, target, penalised):
    if penalised:
        source, target = source.penalising_intercept(), target.penalising_intercept()
    converted = convert(0.7, len(y), source, target)
    one = solve_qp(soft_margin_primal(X, y, 0.7, source))
    other = solve_qp(soft_margin_primal(X, y, converted, target))
    assert np.allclose(one.theta[:2], other.theta[:2], rtol=1e-6, atol=1e-7)
    factor = objective_factor(0.7, len(y), source, target)
    assert other.value == pytest.approx(factor * one.value, rel=1e-9)


def test_penalising_the_intercept_is_another_problem():
    with pytest.raises(ValueError, match="agree on penalise_intercept, got False and True"):
        convert(1.0, 10, HALF_SUM, SUM.penalising_intercept())
    free = solve_qp(soft_margin_primal(X, y, 0.7))
    penalised = solve_qp(soft_margin_primal(X, y, 0.7, HALF_SUM.penalising_intercept()))
    assert abs(penalised.theta[2]) < abs(free.theta[2])


@pytest.mark.parametrize("value", [0.0, -1.0, np.inf, np.nan])
def test_a_parameter_out_of_range(value):
    with pytest.raises(ValueError, match="lambda must be positive and finite, got"):
        LAMBDA_MEAN.weights(value, n=10)


def test_no_samples():
    with pytest.raises(ValueError, match="n must be 1 or more, got 0"):
        HALF_SUM.weights(1.0, n=0)
