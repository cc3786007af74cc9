"""One door to all solvers: it chooses, gathers, numbers, and ends where it is told to."""

from dataclasses import replace

import numpy as np
import pytest

from instances import blobs, sparse_rows
from maxmargin import SVC, LinearSVC, Status
from maxmargin.data import Dataset, check_data
from maxmargin.kernels import RBF, Linear, Precomputed
from maxmargin.losses import (
    L1,
    Absolute,
    EpsilonInsensitive,
    Hinge,
    Huber,
    Logistic,
    MarginLoss,
    Perceptron,
    Squared,
    SquaredHinge,
)
from maxmargin.problems import (
    Intercept,
    LinearRisk,
    SolverSettings,
    Steps,
    c_svc,
    linear_problem,
    loss_dual,
    nu_svc,
    one_class,
)
from maxmargin.solvers import choose, solve


def signed(n=60, d=3, seed=0):
    X, y = blobs(n, d, seed=seed)
    return check_data(X, 2.0 * y - 1)


def risk(data, loss):
    return LinearRisk(data.X, data.y, data.weight, loss, 0.1)


WIDE = check_data(np.random.default_rng(0).normal(size=(20, 50)), np.tile([-1.0, 1.0], 10))
TALL = signed(1200)
SPARSE = Dataset(
    sparse_rows((700, 3000), 0.01, np.random.default_rng(0)),
    np.tile([-1.0, 1.0], 350),
    np.ones(700),
)
MANY_SPARSE = Dataset(
    sparse_rows((4000, 300), 0.06, np.random.default_rng(0)),
    np.tile([-1.0, 1.0], 2000),
    np.ones(4000),
)
FEW_ENTRIES = replace(MANY_SPARSE, X=sparse_rows((4000, 300), 0.01, np.random.default_rng(0)))
PENALIZED = Intercept.penalized()
CHOICES = {
    "kernel": (c_svc(signed(), RBF()), "smo"),
    "few rows": (c_svc(signed(), Linear()), "smo"),
    "many rows": (c_svc(TALL, Linear()), "primal"),
    "two sums": (nu_svc(TALL, Linear()), "smo"),
    "one class": (one_class(TALL, Linear()), "smo"),
    "no slack": (c_svc(signed(), RBF(), np.inf), "hard margin"),
    "no bound": (c_svc(signed(), RBF(), squared=True), "smo"),
    "few features": (linear_problem(signed(), Hinge()), "newton"),
    "fewer rows than features": (linear_problem(WIDE, Hinge()), "gram"),
    "bounded rows": (linear_problem(signed(2000), Hinge(), 0.01, intercept=PENALIZED), "descent"),
    "free rows": (linear_problem(signed(2000), Hinge(), 1.0, intercept=PENALIZED), "newton"),
    "many features": (linear_problem(SPARSE, Hinge()), "descent"),
    "smooth": (linear_problem(SPARSE, Logistic()), "newton-cg"),
    "smooth, a cheap matrix": (linear_problem(MANY_SPARSE, SquaredHinge()), "newton"),
    "smooth, a dear matrix": (linear_problem(FEW_ENTRIES, SquaredHinge()), "newton-cg"),
    "sparse weights": (linear_problem(signed(), SquaredHinge(), penalty=L1()), "working-set"),
    "steps": (risk(signed(), Hinge()), "asgd"),
}


@pytest.mark.parametrize(("problem", "method"), CHOICES.values(), ids=CHOICES.keys())
def test_the_method_is_chosen_by_the_problem(problem, method):
    assert choose(problem, SolverSettings()) == method


def test_what_an_estimator_gets_is_what_the_toolbox_gets():
    for model, problem in (
        (SVC(kernel="linear"), c_svc(TALL, Linear())),
        (SVC(gamma=0.5), c_svc(TALL, RBF(0.5))),
        (LinearSVC(), linear_problem(TALL, SquaredHinge())),
    ):
        model.set_params(n_jobs=1).fit(TALL.X, TALL.y)
        [found] = solve([problem], SolverSettings(tol=model.tol, max_iter=model.max_iter))
        assert found.method == model.fit_report_["method"]
        assert found.certificate == model.certificate_
        assert found.multipliers[0] == model.intercept_[0]


def test_problems_of_all_kinds_keep_their_order():
    data = signed()
    problems = [
        risk(data, Hinge()),
        c_svc(data, RBF(0.5)),
        linear_problem(data, Hinge()),
        c_svc(data, RBF(0.5), 7.0),
        c_svc(data, Linear(), 7.0),
    ]
    rows = []
    found = solve(problems, progress=rows.append)
    assert [solution.method for solution in found] == ["asgd", "smo", "newton", "smo", "smo"]
    for problem, solution in zip(problems, found, strict=True):
        [alone] = solve([problem])
        assert solution.certificate.primal == pytest.approx(alone.certificate.primal, rel=1e-9)
        again = problem.certify(solution)
        assert again.primal == pytest.approx(solution.certificate.primal, rel=1e-12)
    assert {int(row["part"]) for row in rows} <= set(range(5))


def test_each_problem_may_have_its_own_settings():
    data = signed(400)
    problem = c_svc(data, RBF(0.3), 10.0)
    tight, loose, cut = solve(
        [problem] * 3,
        [SolverSettings(tol=1e-9), SolverSettings(tol=0.5), SolverSettings(max_iter=3)],
    )
    assert tight.certificate.violation < 1e-8 < loose.certificate.violation <= 0.5
    assert (tight.status, cut.status) == (Status.OPTIMAL, Status.MAX_ITERATIONS)
    assert cut.work.iterations <= 3


def test_kernel_values_may_be_shared():
    data = signed(300)
    K = RBF(0.4)(data.X, data.X)
    given = Dataset(K, data.y, data.weight)
    weights = [np.ones(300), np.where(np.arange(300) % 2, 2.0, 0.5)]
    problems = [
        c_svc(replace(given, weight=weight), Precomputed(), C)
        for C in (0.1, 10.0)
        for weight in weights
    ]
    expected = [
        c_svc(replace(data, weight=weight), RBF(0.4), C) for C in (0.1, 10.0) for weight in weights
    ]
    for shared, own in zip(solve(problems), solve(expected), strict=True):
        assert shared.certificate.dual == pytest.approx(own.certificate.dual, rel=1e-6)
        assert shared.status is Status.OPTIMAL


def test_starts_of_their_own():
    data = signed(300)
    problems = [c_svc(data, RBF(0.4), C) for C in (1.0, 2.0)]
    cold = solve(problems)
    warm = solve(problems, starts=[None, cold[1].beta])
    assert warm[0].work.iterations == cold[0].work.iterations > warm[1].work.iterations
    steps = risk(data, Hinge())
    [first] = solve([steps], SolverSettings(tol=0.0, max_iter=2))
    [second] = solve([steps], SolverSettings(tol=0.0, max_iter=2), starts=[first.iterate])
    assert second.iterate.steps == 2 * first.iterate.steps == 4 * 300


@pytest.mark.parametrize("stop", ["function", "first row"])
def test_what_was_not_reached_is_certified_where_it_begins(stop):
    data = signed(60)
    problems = [risk(data, Hinge()), linear_problem(data, Hinge()), c_svc(data, RBF())]
    seen = []

    def enough(row):
        seen.append(row)
        return stop == "first row" or len(seen) > 1

    found = solve(problems, SolverSettings(tol=0.0, max_iter=10**5), enough)
    assert found[0].status is found[-1].status is Status.INTERRUPTED
    assert found[-1].work.iterations == 0
    assert found[-1].certificate.primal == 60


@pytest.mark.parametrize("method", ["simplex", Steps()])
def test_an_unknown_method_is_refused(method):
    with pytest.raises(ValueError, match="it must be one of auto, smo, primal"):
        solve([c_svc(signed(), RBF())], SolverSettings(method=method))
    with pytest.raises(ValueError, match="it must be one of auto, newton, newton-cg"):
        solve([linear_problem(signed(), Hinge())], SolverSettings(method=method))
    with pytest.raises(ValueError, match=r'the primal needs .* Use method="smo"'):
        solve([c_svc(signed(), RBF())], SolverSettings(method="primal"))


class Exponential(MarginLoss):
    """A loss that no solver knows."""

    def value(self, z):
        return np.exp(-np.asarray(z))

    def subdifferential(self, z):
        return -np.exp(-np.asarray(z)), -np.exp(-np.asarray(z))


def test_a_loss_without_a_dual_form_is_refused_with_one_text():
    needs = "needs one whose dual is an interval and a quadratic"
    for loss in (Exponential(), Logistic(scaled=True)):
        with pytest.raises(ValueError, match=needs):
            linear_problem(signed(), loss)
        with pytest.raises(ValueError, match=needs):
            loss_dual(signed(), RBF(), loss)
        with pytest.raises(ValueError, match="stochastic steps are compiled for"):
            risk(signed(), loss)


@pytest.mark.parametrize(
    "loss",
    [
        Hinge(),
        SquaredHinge(),
        Perceptron(0.5),
        Absolute(),
        Squared(),
        EpsilonInsensitive(0.2),
        Huber(),
    ],
    ids=lambda loss: type(loss).__name__,
)
def test_every_tube_is_solved_by_both_engines(loss):
    data = signed(80)
    kernel, linear = solve(
        [loss_dual(data, Linear(), loss, 0.7), linear_problem(data, loss, 0.7)],
        SolverSettings(tol=1e-9),
    )
    assert kernel.certificate.primal == pytest.approx(linear.certificate.primal, rel=1e-7)
    # The objective by the loss itself.
    f = data.X @ linear.w + linear.multipliers[0]
    primal = linear.w @ linear.w / 2 + 0.7 * loss.value(loss.argument(f, data.y)).sum()
    assert linear.certificate.primal == pytest.approx(primal, rel=1e-9)
