"""The rates that theory promises, with an interior point method as judge of the optimum."""

from dataclasses import replace

import numpy as np
import pytest

from maxmargin.losses import (
    EpsilonInsensitive,
    Hinge,
    Huber,
    Logistic,
    Squared,
    SquaredEpsilonInsensitive,
    SquaredHinge,
)
from maxmargin.optimizers import (
    Average,
    Ball,
    Constant,
    Harmonic,
    InverseSquareRoot,
    Momentum,
    Nesterov,
    Plain,
    Project,
    StronglyConvex,
    minimize,
    pegasos,
)
from maxmargin.problems import LAMBDA_MEAN, Objective, soft_margin_primal, tube_primal
from maxmargin.solvers import solve_qp

LAM = 0.05
CONVENTION = LAMBDA_MEAN.penalising_intercept()


def problem(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(40, 3))
    return X, np.where(X[:, 0] + 0.7 * rng.normal(size=40) > 0.2, 1.0, -1.0)


def squared_slack(X, y):
    """The soft margin's program with squared slacks."""
    program = soft_margin_primal(X, y, LAM, CONVENTION)
    n = len(y)
    _, c = CONVENTION.weights(LAM, n)
    hessian = program.hessian.copy()
    hessian[-n:, -n:] = 2 * c * np.eye(n)
    return replace(program, hessian=hessian, linear=np.zeros_like(program.linear))


@pytest.fixture(params=range(4))
def nonsmooth(request):
    X, y = problem(request.param)
    solution = solve_qp(soft_margin_primal(X, y, LAM, CONVENTION))
    return Objective(X, y, Hinge(), LAM, convention=CONVENTION), solution.theta[:4], solution.value


@pytest.fixture(params=range(4))
def smooth(request):
    X, y = problem(request.param)
    solution = solve_qp(squared_slack(X, y))
    J = Objective(X, y, SquaredHinge(), LAM, convention=CONVENTION)
    assert J.value(solution.theta[:4]) == pytest.approx(solution.value, rel=1e-10)
    # a |w|^2 curves by 2 a; the losses, of curvature at most 2, add at most 2 c |A|^2.
    strong = 2 * J.a
    lipschitz = strong + 2 * J.c * np.linalg.norm(J.A, 2) ** 2
    return J, solution.theta[:4], solution.value, strong, lipschitz


class TestNonsmooth:
    n_iter = 1000

    def test_constant_steps(self, nonsmooth):
        """best - J* <= R^2 / (2 a T) + a G^2 / 2, with G the steepest subgradient met."""
        J, w_best, optimum = nonsmooth
        a = 0.02
        run = minimize(J, np.zeros(4), Constant(a), max_iter=self.n_iter)
        G = max(np.linalg.norm(J.subgradient(w)) for w in run.trace["w"])
        assert run.value - optimum <= w_best @ w_best / (2 * a * self.n_iter) + a * G**2 / 2

    def test_inverse_square_root_steps(self, nonsmooth):
        """best - J* <= (R^2 + G^2 sum a_t^2) / (2 sum a_t)."""
        J, w_best, optimum = nonsmooth
        schedule = InverseSquareRoot(0.3)
        run = minimize(J, np.zeros(4), schedule, max_iter=self.n_iter)
        G = max(np.linalg.norm(J.subgradient(w)) for w in run.trace["w"])
        sizes = np.array([schedule(t) for t in range(1, self.n_iter + 1)])
        bound = (w_best @ w_best + G**2 * (sizes**2).sum()) / (2 * sizes.sum())
        assert run.value - optimum <= bound

    @pytest.mark.parametrize("T", [100, 1000])
    def test_averaged_strongly_convex_steps(self, nonsmooth, T):
        """J(average) - J* <= G^2 (1 + log T) / (2 lambda T)."""
        J, _, optimum = nonsmooth
        strong = 2 * J.a
        rule = Average(Plain())
        run = minimize(J, np.zeros(4), StronglyConvex(strong), rule=rule, max_iter=T)
        plain = minimize(J, np.zeros(4), StronglyConvex(strong), max_iter=T)
        G = max(np.linalg.norm(J.subgradient(w)) for w in plain.trace["w"])
        last = J.value(run.last) - optimum
        assert last <= G**2 * (1 + np.log(T)) / (2 * strong * T)

    def test_the_dual_average_closes_the_gap(self, nonsmooth):
        """The averaged slopes prove the optimum; those of single iterates stay away from it."""
        J, _, optimum = nonsmooth
        run = minimize(J, np.zeros(4), StronglyConvex(2 * J.a), max_iter=2500, certify=True)
        single = max(J.dual_value(J.dual_point(w)) for w in run.trace["w"])
        assert run.lower_bound <= optimum + 1e-12 <= run.value + 2e-12
        assert run.gap < 1e-3 * optimum
        assert optimum - single > 2e-3 * optimum
        # As 1 / T: a quarter of the steps leaves four times the gap.
        earlier = run.trace[625]
        assert optimum - earlier["bound"] == pytest.approx(4 * (optimum - run.lower_bound), rel=0.1)

    def test_pegasos(self, nonsmooth):
        """The same bound in expectation, for single rows: on average over seeds."""
        J, w_best, optimum = nonsmooth
        T, strong = 1500, 2 * J.a
        radius = np.sqrt(J.c * J.n / strong)
        assert np.linalg.norm(w_best) <= radius
        G = strong * radius + np.linalg.norm(J.A, axis=1).max()
        bound = G**2 * (1 + np.log(T)) / (2 * strong * T)
        excess = [
            J.value(pegasos(J, max_iter=T, seed=seed, power=0.0, record_every=T).last) - optimum
            for seed in range(4)
        ]
        assert np.mean(excess) <= bound
        assert min(excess) >= -1e-12


class TestSmooth:
    def test_gradient_descent(self, smooth):
        """J_T - J* <= (1 - mu / L)^T (J_0 - J*)."""
        J, _, optimum, strong, lipschitz = smooth
        run = minimize(J, np.zeros(4), Constant(1 / lipschitz), max_iter=300)
        excess = run.trace["value"] - optimum
        rate = (1 - strong / lipschitz) ** run.trace["t"]
        assert np.all(excess <= rate * excess[0] + 1e-12)
        assert np.all(np.diff(excess) <= 1e-15)

    def test_nesterov(self, smooth):
        """J_T - J* <= (1 - sqrt(mu / L))^T (J_0 - J* + mu / 2 |w_0 - w*|^2)."""
        J, w_best, optimum, strong, lipschitz = smooth
        root = np.sqrt(strong / lipschitz)
        rule = Nesterov((1 - root) / (1 + root))
        run = minimize(J, np.zeros(4), Constant(1 / lipschitz), rule=rule, max_iter=300)
        start = J.value(np.zeros(4)) - optimum + strong / 2 * w_best @ w_best
        excess = run.trace["value"] - optimum
        assert np.all(excess <= (1 - root) ** run.trace["t"] * start + 1e-12)

    def test_momentum_on_an_ill_conditioned_parabola(self):
        """Steps grow as kappa without momentum and as its root with Polyak's choice of it."""
        X, y = problem(0)
        J = Objective(X * [1.0, 0.1, 0.04], y, Squared(), 1e-5, convention=CONVENTION)
        optimum = J.value(np.linalg.solve(J.c * J.A.T @ J.A + J.a * np.eye(4), J.c * y @ J.A))
        curvatures = np.linalg.eigvalsh(2 * J.c * J.A.T @ J.A) + 2 * J.a
        strong, lipschitz = np.sqrt(curvatures[[0, -1]])

        def steps(size, rule):
            run = minimize(J, np.zeros(4), Constant(size), rule=rule, max_iter=8000)
            reached = run.trace["value"] - optimum < 1e-9
            assert reached[-1]
            return np.argmax(reached)

        kappa = (lipschitz / strong) ** 2
        assert kappa > 500
        plain = steps(2 / (strong**2 + lipschitz**2), Plain())
        decay = ((lipschitz - strong) / (lipschitz + strong)) ** 2
        momentum = steps(4 / (strong + lipschitz) ** 2, Momentum(decay))
        assert plain > 0.5 * kappa
        assert momentum < 20 * np.sqrt(kappa)


@pytest.mark.parametrize(
    "rule",
    [
        Plain(),
        Momentum(0.9),
        Nesterov(0.9),
        Average(Plain(), power=2.0),
        Project(Plain(), onto=Ball(5.0)),
        Average(Project(Nesterov(0.5), onto=Ball(5.0)), power=1.0),
    ],
    ids=lambda rule: repr(rule)[:60],
)
@pytest.mark.parametrize("schedule", [Harmonic(10.0, 10.0), InverseSquareRoot(0.1)], ids=repr)
def test_every_rule_reaches_the_hinge_optimum(rule, schedule):
    X, y = problem(0)
    solution = solve_qp(soft_margin_primal(X, y, LAM, CONVENTION))
    assert np.linalg.norm(solution.theta[:4]) < 5
    J = Objective(X, y, Hinge(), LAM, convention=CONVENTION)
    run = minimize(J, np.zeros(4), schedule, rule=rule, max_iter=2500)
    assert 0 <= run.value - solution.value + 1e-12 <= 5e-3 * solution.value


def test_the_tube_optimum_is_reached():
    X, _ = problem(1)
    targets = X @ [1.0, -1.0, 0.5] + np.sin(5 * X[:, 0])
    solution = solve_qp(tube_primal(X, targets, LAM, 0.1, CONVENTION))
    J = Objective(X, targets, EpsilonInsensitive(0.1), LAM, convention=CONVENTION)
    run = minimize(J, np.zeros(4), StronglyConvex(2 * J.a), max_iter=4000, certify=True)
    assert run.lower_bound <= solution.value + 1e-12 <= run.value + 2e-12
    assert run.value - solution.value <= 5e-3 * solution.value


@pytest.mark.parametrize(
    "loss",
    [
        SquaredHinge(),
        Logistic(),
        Logistic(scaled=True),
        Squared(),
        Huber(0.5),
        SquaredEpsilonInsensitive(0.1),
    ],
    ids=repr,
)
@pytest.mark.parametrize("convention", [LAMBDA_MEAN, CONVENTION], ids=lambda c: c.formula)
def test_differentiable_losses_prove_their_own_optimum(loss, convention):
    X, y = problem(2)
    J = Objective(X, y, loss, LAM, convention=convention)
    lipschitz = 2 * J.a + 2 * J.c * np.linalg.norm(J.A, 2) ** 2
    run = minimize(
        J, np.zeros(4), Constant(1 / lipschitz), rule=Nesterov(0.8), max_iter=2000, certify=True
    )
    assert 0 <= run.gap + 1e-12 <= 1e-6 * run.value


def test_mini_batches_come_closer_the_larger_they_are():
    X, y = problem(3)
    J = Objective(X, y, Hinge(), LAM, convention=CONVENTION)
    optimum = solve_qp(soft_margin_primal(X, y, LAM, CONVENTION)).value

    def excess(batch):
        runs = [
            minimize(J, np.zeros(4), StronglyConvex(2 * J.a), max_iter=500, batch=batch, seed=seed)
            for seed in range(8)
        ]
        return np.mean([J.value(run.last) - optimum for run in runs])

    one, ten, all_rows = excess(1), excess(10), excess(40)
    assert one > ten > all_rows > 0
