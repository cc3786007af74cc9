"""Stochastic descent against its formulas, step by step, and against the exact optimum."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize as minimize_scipy

from instances import blobs
from maxmargin import LinearSVC, LinearSVR, Status, _core, problems, solvers
from maxmargin.losses import (
    EpsilonInsensitive,
    Hinge,
    Huber,
    Logistic,
    ModifiedHuber,
    Perceptron,
    Squared,
    SquaredEpsilonInsensitive,
    SquaredHinge,
)
from maxmargin.optimizers import (
    Average,
    Ball,
    Constant,
    Harmonic,
    Plain,
    Project,
    StronglyConvex,
    minimize,
)
from maxmargin.problems import (
    C_MEAN,
    HeldRows,
    Intercept,
    Iterate,
    Objective,
    SolverSettings,
    Steps,
    lowest,
    smallest,
)
from maxmargin.solvers import Watch, solve, tighten
from maxmargin.solvers.stochastic import FORGET

LOSSES = {
    "hinge": Hinge(),
    "squared_hinge": SquaredHinge(),
    "logistic": Logistic(),
    "modified_huber": ModifiedHuber(),
    "perceptron": Perceptron(),
    "epsilon_insensitive": EpsilonInsensitive(0.2),
    "squared_epsilon_insensitive": SquaredEpsilonInsensitive(0.2),
    "huber": Huber(0.2),
    "squared": Squared(),
    "squared_error": Squared(halved=True),
}
INTERCEPTS = {
    "free": Intercept(),
    "penalized": Intercept.penalized(),
    "none": Intercept.none(),
}
MARGIN = ("hinge", "squared_hinge", "logistic", "modified_huber", "perceptron")
losses = pytest.mark.parametrize("name", LOSSES)


def LinearRisk(X, y, weight, name, alpha, n_outputs=1, intercept="free"):
    """The problem with a loss and an intercept of these names."""
    return problems.LinearRisk(X, y, weight, LOSSES[name], alpha, n_outputs, INTERCEPTS[intercept])


def descend(risk, steps=None, start=None, *, max_iter=5, tol=1e-3):
    settings = SolverSettings(tol=tol, max_iter=max_iter, method=steps or Steps())
    return solve([risk], settings, starts=[start])[0]


def advance(risk, steps, start=None):
    return solvers.advance(risk, SolverSettings(method=steps), Watch(), start)


def state(name, n=60, d=4, alpha=0.05, intercept="free", seed=0, **options):
    X, codes = blobs(n, d, seed=seed)
    rng = np.random.default_rng(seed)
    y = np.where(codes == 1, 1.0, -1.0)
    if name not in MARGIN:
        y = X @ rng.normal(size=d) + 0.3 * rng.normal(size=n)
    weight = rng.integers(0, 3, n).astype(float)
    return LinearRisk(X, y, weight, name, alpha, intercept=intercept, **options)


def slopes(risk, f, rows):
    """The derivative of the loss in the score; on a kink, the end that the core takes."""
    loss, y = risk.loss, risk.y[rows]
    low, high = loss.subdifferential(loss.argument(f, y))
    kink = isinstance(loss, Perceptron)
    chosen = low if kink else np.where(np.abs(low) < np.abs(high), low, high)
    return chosen * loss.slope(y) * risk.weight[rows]


def towards_zero(w, asked, paid, columns):
    """Weights of some columns move towards zero by what they have not paid yet."""
    left = np.where(w > 0, np.maximum(0, w - asked - paid), np.minimum(0, w + asked - paid))
    left = np.where(columns & (w != 0), left, w)
    return left, paid + left - w


def by_the_formulas(risk, steps, eta0, rate=1.0):
    """One pass in the rows' own order, without lazy factors."""
    w, b = np.zeros(risk.X.shape[1]), 0.0
    mean, mean_b = w.copy(), b
    asked, paid = 0.0, np.zeros_like(w)
    decay, batch = steps.batch / 1000, steps.batch
    free, radius = risk.intercept.free, risk.radius()
    for t, begin in enumerate(range(0, len(risk.rows), batch), 1):
        rows = risk.rows[begin : begin + batch]
        convex = 1 + risk.lam * eta0 * t
        eta = {
            "asgd": eta0 / max((1 + decay * t) ** 0.75, convex),
            "sgd": eta0 / max(1 + decay * t, convex),
            "pegasos": 1 / (risk.lam * t),
        }[steps.method]
        s = slopes(risk, risk.X[rows] @ w + b, rows)
        w = max(0, 1 - eta * risk.lam) * w - eta / len(rows) * s @ risk.X[rows]
        asked += eta * risk.l1
        w, paid = towards_zero(w, asked, paid, (risk.X[rows] != 0).any(axis=0) & (risk.l1 > 0))
        if risk.intercept.present:
            kept = 1 if free else max(0, 1 - rate * eta * risk.lam)
            b = kept * b - rate * eta / len(rows) * s.sum()
        if steps.method == "pegasos":
            length = np.sqrt(w @ w + (b * b if risk.intercept.present else 0))
            inside = radius / max(radius, length)
            w, b = w * inside, b * inside
        share = (1 + FORGET) / (t + FORGET)
        mean, mean_b = mean + share * (w - mean), mean_b + share * (b - mean_b)
    w, paid = towards_zero(w, asked, paid, risk.l1 > 0)
    return (w, b, mean, mean_b) if steps.averaged else (w, b, w, b)


@losses
@pytest.mark.parametrize("method", ["asgd", "sgd"])
@pytest.mark.parametrize("batch", [1, 7])
@pytest.mark.parametrize("intercept", ["free", "penalized", "none"])
def test_a_pass_is_its_formulas(name, method, batch, intercept):
    risk, steps = state(name, intercept=intercept), Steps(method, batch, shuffle=False)
    found = advance(risk, steps, Iterate.zero(4, eta0=0.1))
    expected = by_the_formulas(risk, steps, 0.1)
    np.testing.assert_allclose(found.weights[0], expected[0], atol=1e-12)
    np.testing.assert_allclose(found.mean[0], expected[2], atol=1e-12)
    np.testing.assert_allclose(found.intercepts[0], expected[1], atol=1e-12)
    np.testing.assert_allclose(found.mean_intercepts[0], expected[3], atol=1e-12)


def schedule_of(risk, steps, eta0):
    """The step sizes as the toolbox has them."""
    decay, lam, power = steps.batch / 1000, risk.lam, 0.75 if steps.averaged else 1.0
    return {
        "auto": lambda t: eta0 / max((1 + decay * t) ** power, 1 + lam * eta0 * t),
        "optimal": Harmonic(1 / lam, delay=lam**-0.75 - 1),
        "constant": Constant(eta0),
        "adaptive": Constant(eta0),
        "invscaling": lambda t: eta0 / t**steps.power,
    }[steps.learning_rate]


@losses
@pytest.mark.parametrize("batch", [1, 7])
@pytest.mark.parametrize("lam", [0.0, 0.05])
def test_steps_towards_zero_are_their_formulas(name, batch, lam, layout):
    risk = replace(state(name, n=200, d=8), lam=lam, l1=0.02)
    risk.X[np.random.default_rng(0).random(risk.X.shape) < 0.7] = 0
    steps = Steps("sgd", batch, shuffle=False)
    found = advance(replace(risk, X=layout(risk.X)), steps, Iterate.zero(8, eta0=0.1))
    w, b, *_ = by_the_formulas(replace(risk, lam=max(lam, 1e-300)), steps, 0.1)
    np.testing.assert_allclose(found.weights[0], w, atol=1e-12)
    np.testing.assert_allclose(found.intercepts[0], b, atol=1e-12)


def by_the_optimizers(risk, steps, eta0, average):
    """The same pass by the toolbox: its schedule, rule and objective, one mini-batch a step."""
    batch = steps.batch
    schedule, rule = schedule_of(risk, steps, eta0), Plain()
    if steps.method == "pegasos":
        schedule, rule = StronglyConvex(risk.lam), Project(Plain(), onto=Ball(risk.radius()))
    convention = C_MEAN if risk.intercept.free else C_MEAN.penalising_intercept()
    objective = Objective(
        risk.X,
        risk.y,
        risk.loss,
        risk.lam,
        convention=convention,
        intercept=risk.intercept.present,
        choose=lowest if isinstance(risk.loss, Perceptron) else smallest,
    )
    rows = [risk.rows[begin : begin + batch] for begin in range(0, len(risk.rows), batch)]
    return [
        minimize(objective, np.zeros(objective.A.shape[1]), schedule, rule=each, batch=rows).last
        for each in (rule, average(rule))
    ]


def t_squared(rule):
    """The average as the methods weigh it."""
    return Average(rule, power=FORGET)


#: Pegasos is for losses of bounded slope without a free intercept.
BOUNDED = ("hinge", "logistic", "modified_huber", "epsilon_insensitive", "huber")
RUNS = [
    *product(LOSSES, ("asgd", "sgd"), ("free", "penalized", "none")),
    *product(BOUNDED, ("pegasos",), ("penalized", "none")),
]


@pytest.mark.parametrize(("name", "method", "intercept"), RUNS)
@pytest.mark.parametrize("batch", [1, 7])
def test_a_pass_is_the_optimizers(name, method, batch, intercept):
    risk = state(name, intercept=intercept, alpha=0.2)
    risk = replace(risk, weight=np.ones(60))
    steps = Steps(method, batch, shuffle=False)
    found = advance(risk, steps, Iterate.zero(4, eta0=0.1))
    last, mean = by_the_optimizers(risk, steps, 0.1, t_squared)
    np.testing.assert_allclose(found.weights[0], last[:4], atol=1e-12)
    np.testing.assert_allclose(found.mean[0], last[:4] if method == "sgd" else mean[:4], atol=1e-12)
    if intercept != "none":
        np.testing.assert_allclose(found.intercepts[0], last[4], atol=1e-12)


@losses
@pytest.mark.parametrize("learning_rate", ["optimal", "constant", "invscaling", "adaptive"])
@pytest.mark.parametrize("power", [0.25, 0.75, 1.0])
@pytest.mark.parametrize("batch", [1, 7])
def test_learning_rates_are_the_optimizers(name, learning_rate, power, batch):
    risk = replace(state(name, alpha=0.2), weight=np.ones(60))
    steps = Steps("sgd", batch, False, learning_rate=learning_rate, power=power, average=1)
    found = advance(risk, steps, Iterate.zero(4, eta0=0.1))
    last, mean = by_the_optimizers(risk, steps, 0.1, Average)
    np.testing.assert_allclose(found.weights[0], last[:4], atol=1e-12)
    np.testing.assert_allclose(found.mean[0], mean[:4], atol=1e-12)
    np.testing.assert_allclose(found.intercepts[0], last[4], atol=1e-12)
    np.testing.assert_allclose(found.mean_intercepts[0], mean[4], atol=1e-12)


def test_an_average_begins_where_it_is_asked_to_also_in_blocks():
    risk = replace(state("hinge"), weight=np.ones(60))
    steps = Steps("sgd", shuffle=False, eta0=0.1, learning_rate="constant", average=31)
    blocks = [slice(begin, begin + 15) for begin in range(0, 60, 15)]
    found, iterates = None, []
    for rows in blocks:
        found = advance(
            replace(risk, X=risk.X[rows], y=risk.y[rows], weight=np.ones(15)), steps, found
        )
        if found.steps <= 30:  # not begun: the last iterate
            np.testing.assert_array_equal(found.mean, found.weights)
    for n in range(31, 61):
        some = replace(risk, X=risk.X[:n], y=risk.y[:n], weight=np.ones(n))
        iterates.append(advance(some, steps).weights)
    np.testing.assert_allclose(found.mean, np.mean(iterates, axis=0), atol=1e-12)


def test_adaptive_steps_become_smaller_when_passes_bring_too_little():
    risk = state("hinge", n=300, alpha=0.02)
    steps = Steps("sgd", eta0=0.5, learning_rate="adaptive", patience=3)
    constant = descend(risk, replace(steps, learning_rate="constant"), max_iter=1000)
    adaptive = descend(risk, steps, max_iter=1000)
    assert adaptive.status in (Status.PRECISION, Status.OPTIMAL)
    best = optimum(risk)
    assert best <= adaptive.certificate.primal <= 1.02 * best < constant.certificate.primal
    # 0.5 / 5^9 is the first below 1e-6; each costs three passes at least.
    assert len(adaptive.trace) >= 3 * 10 > len(constant.trace)


def test_held_rows_tell_when_to_stop():
    risk = state("hinge", n=300, alpha=0.02)
    asked = []

    def judge(outputs):
        asked.append(outputs)
        return min(len(asked), 7) / 10

    held = HeldRows(risk.X[:5], judge)
    done = descend(replace(risk, held=held), Steps(patience=3), max_iter=1000, tol=0.05)
    assert done.status is Status.PRECISION
    # The seventh score is the last that is better.
    assert len(done.trace) == 10
    scores = risk.X[:5] @ done.w[0] + done.multipliers[0]
    np.testing.assert_allclose(asked[-1][:, 0], scores, atol=1e-12)
    assert done.certificate.primal == done.trace["primal"][-1]


PEGASOS = pytest.mark.parametrize("name", BOUNDED)


@PEGASOS
@pytest.mark.parametrize("batch", [1, 7])
@pytest.mark.parametrize("intercept", ["penalized", "none"])
def test_pegasos_is_its_formulas(name, batch, intercept):
    risk = state(name, intercept=intercept, alpha=0.2)
    steps = Steps("pegasos", batch, shuffle=False)
    found = advance(risk, steps)
    expected = by_the_formulas(risk, steps, 1.0)
    np.testing.assert_allclose(found.weights[0], expected[0], atol=1e-12)
    np.testing.assert_allclose(found.mean[0], expected[2], atol=1e-12)
    assert np.linalg.norm(found.weights) <= risk.radius() + 1e-12
    if name == "hinge":
        assert risk.radius() == np.sqrt(risk.weight.max() / risk.lam)


@pytest.mark.parametrize("method", ["asgd", "sgd", "pegasos"])
def test_a_stream_in_blocks_is_the_stream(method):
    risk = state("hinge", intercept="penalized")
    steps = Steps(method, shuffle=False)
    whole = advance(risk, steps, Iterate.zero(4, eta0=0.3))
    part = Iterate.zero(4, eta0=0.3)
    for begin in range(0, 60, 13):
        rows = slice(begin, begin + 13)
        block = LinearRisk(
            risk.X[rows], risk.y[rows], risk.weight[rows], "hinge", 0.05, 1, "penalized"
        )
        if method == "pegasos":  # its radius follows the largest weight of the block
            assert block.weight.max() == risk.weight.max()
        part = advance(block, steps, part)
    np.testing.assert_allclose(part.weights, whole.weights, atol=1e-12)
    np.testing.assert_allclose(part.mean, whole.mean, atol=1e-12)
    assert part.steps == whole.steps == len(risk.rows)


def test_factors_are_folded_before_they_underflow():
    risk = state("hinge", alpha=0.9)
    steps = Steps("sgd", shuffle=False)
    start = Iterate.zero(4, eta0=1.0)
    repeated = LinearRisk(
        np.tile(risk.X, (200, 1)),
        np.tile(risk.y, 200),
        np.tile(risk.weight, 200),
        "hinge",
        0.9,
    )
    found = advance(repeated, steps, start)
    expected = by_the_formulas(repeated, steps, 1.0)
    np.testing.assert_allclose(found.weights[0], expected[0], rtol=1e-9)


def optimum(risk, width=0.2):
    """P of the exact machine with C = 1 / (alpha n), in this problem's units."""
    n = len(risk.rows)
    options = {"C": 1 / (risk.lam * n), "fit_intercept": risk.intercept.present, "tol": 1e-9}
    options["intercept"] = "penalized" if risk.intercept.penalty > 0 else "free"
    [name] = [name for name, loss in LOSSES.items() if loss == risk.loss]
    if name in ("modified_huber", "squared", "squared_error"):  # no estimator's
        [exact] = solve(risk.exact(), SolverSettings(tol=1e-9))
        return exact.certificate.primal * risk.lam
    if name in MARGIN:
        model = LinearSVC(loss=name, **options)
    else:
        model = LinearSVR(loss=name, epsilon=width, **options)
    return model.fit(risk.X, risk.y, risk.weight).certificate_.primal * risk.lam


@pytest.mark.parametrize("name", [name for name in LOSSES if name != "perceptron"])
@pytest.mark.parametrize("intercept", ["free", "penalized", "none"])
def test_the_certificate_encloses_the_optimum(name, intercept, seed):
    risk = state(name, n=300, alpha=0.02, intercept=intercept, seed=seed)
    best = optimum(risk)
    for passes in (1, 10, 50):
        done = descend(risk, max_iter=passes, tol=0.0)
        assert done.certificate.dual <= best * (1 + 1e-9)
        assert best <= done.certificate.primal * (1 + 1e-9)
    assert done.certificate.primal <= 1.01 * best
    # At a kink the bound is loose, and how loose depends on the rows near it.
    loose = {"hinge": 0.8, "epsilon_insensitive": 0.8, "modified_huber": 0.2}
    assert done.certificate.gap <= loose.get(name, 0.15)


def test_the_certificate_is_the_objective(layout, dtype):
    risk = state("logistic", n=200, alpha=0.02)
    stored = LinearRisk(layout(risk.X.astype(dtype)), risk.y, risk.weight, "logistic", 0.02)
    w, b = np.array([[0.3, -1.0, 0.5, 0.2]]), np.array([0.1])
    X = np.asarray(risk.X.astype(dtype), float)
    values = risk.weight * LOSSES["logistic"].value(risk.y * (X @ w[0] + 0.1))
    rows = risk.rows
    primal = 0.01 * (w**2).sum() + values[rows].mean()
    certificate = stored.certify_point(w, b, held=True)
    np.testing.assert_allclose(certificate.primal, primal, rtol=1e-12)
    np.testing.assert_allclose(
        certificate.standard_error, values[rows].std() / np.sqrt(len(rows)), rtol=1e-9
    )
    assert certificate.n_rows == len(rows)


@PEGASOS
def test_pegasos_reaches_the_optimum(name):
    risk = state(name, n=300, alpha=0.05, intercept="penalized")
    done = descend(risk, Steps("pegasos"), max_iter=100, tol=0.0)
    assert done.certificate.primal <= 1.005 * optimum(risk)
    # The ball that steps are projected on holds the optimum.
    length = np.linalg.norm(np.append(done.iterate.mean, done.iterate.mean_intercepts))
    assert length < risk.radius()


@pytest.mark.parametrize("name", [name for name in LOSSES if name != "perceptron"])
@pytest.mark.parametrize("intercept", ["free", "penalized", "none"])
def test_a_tight_certificate_tells_the_distance(name, intercept):
    risk = state(name, n=300, alpha=1e-4, intercept=intercept)
    best = optimum(risk)
    done = descend(risk, max_iter=5, tol=0.0)
    tight = tighten(risk, done.certificate)
    assert tight.primal == done.certificate.primal
    assert max(done.certificate.dual, 0.989 * best) <= tight.dual <= best * (1 + 1e-9)


def least_with_l1(risk):
    """The optimum with an l1, of a smooth loss, by a method that knows bounds."""
    n, d = len(risk.rows), risk.X.shape[1]
    X, y, s = risk.X[risk.rows], risk.y[risk.rows], risk.weight[risk.rows]

    # w = u - v with u, v >= 0, so that the objective is smooth in them.
    def objective(theta):
        u, v, b = theta[:d], theta[d:-1], theta[-1]
        w = u - v
        z = risk.loss.argument(X @ w + b, y)
        slope = s * risk.loss.subdifferential(z)[0] * risk.loss.slope(y) / n
        g = risk.lam * w + X.T @ slope
        J = risk.lam / 2 * w @ w + risk.l1 * (u + v).sum() + (s * risk.loss.value(z)).sum() / n
        return J, np.concatenate([g + risk.l1, risk.l1 - g, [slope.sum()]])

    bounds = [(0, None)] * (2 * d) + [(None, None)]
    options = {"maxiter": 10_000, "maxfun": 100_000, "ftol": 1e-15, "gtol": 1e-10}
    found = minimize_scipy(
        objective, np.zeros(2 * d + 1), jac=True, bounds=bounds, method="L-BFGS-B", options=options
    )
    return found.fun


@pytest.mark.parametrize("name", ["squared_hinge", "logistic", "huber", "squared_error"])
@pytest.mark.parametrize("lam", [0.0, 0.03])
def test_a_certificate_with_an_l1_encloses_the_optimum(name, lam, seed):
    risk = replace(state(name, n=300, d=10, seed=seed), lam=lam, l1=0.03)
    best = least_with_l1(risk)
    for passes in (1, 10, 100):
        done = descend(risk, Steps("sgd", average=0), max_iter=passes, tol=0.0)
        assert done.certificate.dual <= best * (1 + 1e-9)
        assert best <= done.certificate.primal * (1 + 1e-9)
    assert done.certificate.primal <= 1.01 * best
    assert done.certificate.gap <= 0.5
    w, b = done.w[0], done.multipliers[0]
    values = risk.loss.value(risk.loss.argument(risk.X @ w + b, risk.y))
    J = lam / 2 * w @ w + 0.03 * np.abs(w).sum() + (risk.weight * values)[risk.rows].mean()
    np.testing.assert_allclose(done.certificate.primal, J, rtol=1e-12)


def test_what_an_l1_does_not_go_with():
    risk = replace(state("hinge"), l1=0.1)
    for steps in (Steps(), Steps("pegasos", average=0), Steps("sgd", average=3)):
        with pytest.raises(ValueError, match="neither an average nor Pegasos"):
            descend(risk, steps)
    with pytest.raises(ValueError, match="the intercept is penalised"):
        replace(risk, intercept=Intercept.penalized())
    with pytest.raises(ValueError, match="own has 2 factors for 3 outputs"):
        replace(state("hinge"), n_outputs=3, own=np.ones(2))


def test_a_tight_certificate_of_several_outputs():
    X, codes = blobs(300, 4, 3)
    risk = LinearRisk(X, codes.astype(float), np.ones(300), "hinge", 1e-3, n_outputs=3)
    done = descend(risk, max_iter=30, tol=0.0)
    tight = tighten(risk, done.certificate)
    for k, part in enumerate(tight.parts):
        one = LinearRisk(X, np.where(codes == k, 1.0, -1.0), np.ones(300), "hinge", 1e-3)
        assert part.dual <= optimum(one) * (1 + 1e-9) <= part.primal * (1 + 2e-9)
    assert tight.gap < 0.05


def test_it_stops_when_the_objective_no_longer_falls():
    risk = state("hinge", n=300, alpha=0.02)
    done = descend(risk, max_iter=1000, tol=1e-3)
    falls = -np.diff(done.trace["primal"])
    assert done.status in (Status.PRECISION, Status.OPTIMAL)
    assert 3 <= len(done.trace) < 1000
    assert (falls[-2:] < 1e-3 * done.trace["primal"][-1]).all()
    assert done.certificate.primal == done.trace["primal"][-1]


def test_the_first_step_is_chosen_by_the_scale_of_the_data():
    risk = state("hinge", n=300)
    chosen = [
        descend(LinearRisk(risk.X * scale, risk.y, risk.weight, "hinge", 1e-8), max_iter=1)
        for scale in (1.0, 100.0)
    ]
    ratio = chosen[0].iterate.eta0 / chosen[1].iterate.eta0
    assert 100 < ratio < 1e6


def test_the_intercepts_steps_suit_the_features():
    dense = state("hinge", n=300)
    rng = np.random.default_rng(0)
    # 15 of 500 words a row, each row of length 1
    words = np.zeros((300, 500))
    np.put_along_axis(words, rng.permuted(np.tile(np.arange(500), (300, 1)), axis=1)[:, :15], 1, 1)
    words /= np.sqrt(15)
    rates = []
    for X in (words, sparse.csr_array(words)):
        risk = LinearRisk(X, dense.y, np.ones(300), "hinge", 1e-4)
        made = descend(risk, max_iter=1).iterate
        rates.append((made.eta0, made.intercept_rate))
    # The same of the columns that occur as of all; about the root of 1/500 a feature.
    np.testing.assert_allclose(rates[0], rates[1], rtol=1e-12)
    assert 0.8 / np.sqrt(500) < rates[0][1] < 1.2 / np.sqrt(500)
    large = LinearRisk(10 * dense.X, dense.y, dense.weight, "hinge", 1e-4)
    assert descend(large, max_iter=1).iterate.intercept_rate == 1
    # A first step that is given is that of the intercept too.
    given = Iterate.zero(500, eta0=0.1)
    assert descend(risk, start=given, max_iter=1).iterate.intercept_rate == 1


@pytest.mark.parametrize("intercept", ["free", "penalized"])
def test_small_steps_of_the_intercept_are_their_formulas(intercept):
    risk, steps = state("logistic", intercept=intercept), Steps(shuffle=False)
    start = replace(Iterate.zero(4, eta0=0.1), intercept_rate=0.2)
    found = advance(risk, steps, start)
    expected = by_the_formulas(risk, steps, 0.1, 0.2)
    np.testing.assert_allclose(found.mean[0], expected[2], atol=1e-12)
    np.testing.assert_allclose(found.mean_intercepts[0], expected[3], atol=1e-12)


def test_without_a_tolerance_the_objective_is_computed_once():
    done = descend(state("hinge", n=300), max_iter=3, tol=0.0)
    assert np.isinf(done.trace["primal"]).tolist() == [True, True, False]
    assert done.trace["primal"][-1] == done.certificate.primal


def test_a_shuffle_is_a_permutation_with_and_without_runs():
    for n in (1000, 200_000):
        data = _core.Data.dense(np.zeros((n, 8), np.float32))
        rows = np.arange(0, n, 3)
        order = _core.shuffled(data, rows, 5)
        np.testing.assert_array_equal(np.sort(order), rows)
        assert abs(np.corrcoef(order, np.arange(len(order)))[0, 1]) < 0.2
        assert not np.array_equal(order, _core.shuffled(data, rows, 6))


def test_steps_that_overflow_say_so():
    risk = state("squared_hinge", n=100)
    huge = LinearRisk(risk.X * 1e200, risk.y, risk.weight, "squared_hinge", 1e-4)
    start = Iterate.zero(4, eta0=1.0)
    with pytest.raises(ValueError, match=r"^Floating-point under-/overflow occurred at epoch #1\."):
        descend(huge, start=start)
