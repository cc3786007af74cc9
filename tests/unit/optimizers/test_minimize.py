import numpy as np
import pytest

from maxmargin import optimizers
from maxmargin.losses import Hinge, MarginLoss, Polyhedral
from maxmargin.optimizers import (
    Constant,
    Ending,
    Gap,
    Harmonic,
    InverseSquareRoot,
    ObjectiveChange,
    StepLength,
    StronglyConvex,
    minimize,
    perceptron,
)
from maxmargin.problems import LAMBDA_MEAN, Objective, soft_margin_primal
from maxmargin.solvers import solve_qp

rng = np.random.default_rng(5)
X = rng.normal(size=(50, 2)) + 0.5
y = np.where(X[:, 0] + 0.5 * rng.normal(size=50) > 0.5, 1.0, -1.0)
convention = LAMBDA_MEAN.penalising_intercept()
J = Objective(X, y, Hinge(), 0.1, convention=convention)
optimum = solve_qp(soft_margin_primal(X, y, 0.1, convention)).value
absolute = Polyhedral([[1.0, 2.0], [1.0, -2.0], [-1.0, 2.0], [-1.0, -2.0]], np.zeros(4))


def test_the_best_iterate_is_kept_although_steps_climb():
    run = minimize(absolute, [1.0, 0.3], Constant(0.1), max_iter=200)
    assert np.any(np.diff(run.trace["value"]) > 0)
    assert run.value == run.trace["value"].min() == run.trace["best"][-1]
    assert absolute.value(run.w) == run.value
    assert np.all(np.diff(run.trace["best"]) <= 0)


def test_constant_steps_end_near_and_decaying_steps_end_nearer():
    constant = minimize(absolute, [1.0, 0.3], Constant(0.1), max_iter=2000)
    decaying = minimize(absolute, [1.0, 0.3], Harmonic(1.0), max_iter=2000)
    # |g|^2 = 5: the theory leaves a constant step a with at most a |g|^2 / 2.
    assert constant.trace["value"][1000:].max() > 1e-3
    assert constant.value <= 0.1 * 5 / 2
    assert decaying.trace["value"][1000:].max() < 1e-2


def test_the_trace_tells_every_recorded_step():
    run = minimize(J, np.zeros(3), StronglyConvex(0.2), max_iter=25, record_every=10)
    assert run.trace["t"].tolist() == [0, 10, 20, 25]
    assert run.trace["value"].tolist() == [J.value(w) for w in run.trace["w"]]
    assert np.all(np.diff(run.trace["time"]) >= 0)
    assert np.isnan(run.trace["step_length"][0])
    assert np.all(run.trace["bound"] == -np.inf)
    assert np.array_equal(run.last, run.trace["w"][-1])
    assert (run.n_iter, run.ending) == (25, Ending.MAX_ITERATIONS)


def test_stops_by_step_length():
    run = minimize(J, np.zeros(3), StronglyConvex(0.2), stop=[StepLength(1e-3)], max_iter=10**4)
    assert run.ending is Ending.STOPPED
    assert run.trace["step_length"][-1] <= 1e-3 < run.trace["step_length"][-2]


def test_stops_by_objective_change():
    stop = [ObjectiveChange(1e-6)]
    run = minimize(J, np.zeros(3), InverseSquareRoot(0.1), stop=stop, max_iter=10**4)
    assert run.ending is Ending.STOPPED
    assert abs(run.trace["value"][-1] - run.trace["value"][-2]) <= 1e-6


def test_stops_by_a_gap_that_is_true():
    run = minimize(
        J, np.zeros(3), StronglyConvex(0.2), stop=[Gap(1e-2)], certify=True, max_iter=10**4
    )
    assert run.ending is Ending.STOPPED
    assert run.gap <= 1e-2
    assert run.lower_bound <= optimum <= run.value
    assert np.all(run.trace["bound"] <= optimum + 1e-12)


def test_a_gap_without_a_certificate_is_refused():
    with pytest.raises(ValueError, match="pass certify=True"):
        minimize(J, np.zeros(3), Constant(0.1), stop=[Gap(1e-2)])


def test_several_reasons_the_first_that_is_met():
    stop = [StepLength(1e-12), ObjectiveChange(1.0)]
    assert minimize(J, np.zeros(3), StronglyConvex(0.2), stop=stop).n_iter == 1


def test_divergence_is_an_ending_not_a_warning():
    class Bowl:
        def value(self, w):
            return float(w @ w)

        def subgradient(self, w):
            return 2 * w

    run = minimize(Bowl(), [1.0], Constant(10.0), max_iter=10**4)
    assert run.ending is Ending.DIVERGED
    assert run.value == 1.0
    assert np.isfinite(run.w).all()


def test_mini_batches_are_reproducible():
    def run(**options):
        return minimize(J, np.zeros(3), StronglyConvex(0.2), max_iter=50, **options).w

    assert np.array_equal(run(batch=5, seed=1), run(batch=5, seed=1))
    assert not np.array_equal(run(batch=5, seed=1), run(batch=5, seed=2))


def test_a_batch_of_all_rows_is_the_full_subgradient():
    full = minimize(J, np.zeros(3), StronglyConvex(0.2), max_iter=50)
    batch = minimize(J, np.zeros(3), StronglyConvex(0.2), max_iter=50, batch=50, seed=0)
    assert np.allclose(full.w, batch.w)


def test_a_users_own_loss():
    class Exponential(MarginLoss):
        def value(self, z):
            return np.exp(-np.asarray(z))

        def subdifferential(self, z):
            return -np.exp(-np.asarray(z)), -np.exp(-np.asarray(z))

    own = Objective(X, y, Exponential(), 0.1, convention=convention)
    run = minimize(own, np.zeros(3), Constant(0.1), max_iter=2000)
    assert np.linalg.norm(own.subgradient(run.w)) < 1e-6


def test_the_start_is_left_alone():
    start = np.ones(3)
    minimize(J, start, Constant(0.1), max_iter=5)
    assert np.array_equal(start, np.ones(3))


@pytest.mark.parametrize("batch", [0, 51])
def test_batch_out_of_range(batch):
    with pytest.raises(ValueError, match="batch must be between 1 and the number of rows 50"):
        minimize(J, np.zeros(3), Constant(0.1), batch=batch)


@pytest.mark.parametrize("name", ["max_iter", "record_every"])
def test_counts_out_of_range(name):
    with pytest.raises(ValueError, match=f"{name} must be 1 or more, got 0"):
        minimize(J, np.zeros(3), Constant(0.1), **{name: 0})


@pytest.mark.parametrize(
    ("ask", "text"),
    [
        (lambda run: run.b, r"use w\[-1\]"),
        (lambda run: run.loss, r'use trace\["value"\]'),
        (lambda run: run.path, r'use trace\["w"\]'),
        (lambda run: run.gapp, "did you mean 'gap'"),
        (lambda run: optimizers.SGD, r"use minimize\(J, start, step_size, batch=1"),
        (lambda run: optimizers.minimise, "did you mean 'minimize'"),
    ],
)
def test_wrong_guesses(ask, text):
    J = Objective([[-1.0], [2.0]], [-1.0, 1.0], "hinge", C=1.0)
    with pytest.raises(AttributeError, match=text):
        ask(minimize(J, [2.0, 1.0], 0.1, max_iter=3))


def test_what_cannot_be_minimised():
    with pytest.raises(TypeError, match=r"value\(w\) and subgradient\(w\)"):
        minimize(np.sin, [0.0], 0.1)


def test_the_text_of_a_run_is_short():
    J = Objective([[-1.0], [2.0]], [-1.0, 1.0], "hinge", C=1.0)
    run = minimize(J, [2.0, 1.0], 0.01, max_iter=900)
    assert len(repr(run)) < 500
    assert "<901 array of t, time, value" in repr(run)
    assert len(repr(perceptron(J.X, J.y))) < 500
