"""Fits that are stopped before their end: no worse than a guess, and better with time."""

import os
import time
from pathlib import Path

import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning

from instances import blobs
from maxmargin import SVC, SVR, HardMarginSVC, LinearSVC, NuSVC, Status
from maxmargin.data import check_data
from maxmargin.kernels import RBF
from maxmargin.losses import Hinge, SquaredHinge
from maxmargin.problems import SolverSettings, c_svc, epsilon_svr, linear_problem, nu_svr
from maxmargin.solvers import Watch, solve

DATA = os.environ.get("MAXMARGIN_DATA")


def uneven(n=2000, d=8, seed=0):
    """Rows of six classes, the last of which has half of the rows and the first hardly any."""
    rng = np.random.default_rng(seed)
    y = rng.choice(6, n, p=[0.01, 0.06, 0.08, 0.15, 0.2, 0.5])
    return rng.normal(scale=1.2, size=(6, d))[y] + rng.normal(size=(n, d)), y


def digits():
    X, y = load_digits(return_X_y=True)
    return X / 16.0, y


def real(name, n):
    """Some rows of a data set, scaled."""
    path = Path(DATA or "") / f"{name}.npz"
    if not DATA or not path.exists():
        pytest.skip(f"{name} is not there: MAXMARGIN_DATA")
    with np.load(path) as stored:
        y = stored["y"]
        if "X" in stored:
            X = stored["X"]
        else:
            parts = (stored["data"], stored["indices"], stored["indptr"])
            X = sparse.csr_array(parts, shape=stored["shape"]).toarray()
    chosen = np.random.default_rng(0).permutation(len(y))[:n]
    X = np.asarray(X[chosen], float)
    return (X - X.mean(axis=0)) / np.where(X.std(axis=0) > 0, X.std(axis=0), 1), y[chosen]


def majority(y):
    return np.unique(y, return_counts=True)[1].max() / len(y)


class Expires(Watch):
    """Says stop at its n-th look at the clock, which takes the place of time."""

    limited = True

    def __init__(self, looks):
        super().__init__()
        self.left = looks

    @property
    def expired(self):
        self.left -= 1
        if self.left <= 0:
            self.reason = Status.TIME_LIMIT
        return self.reason is not None


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("share", [0.01, 0.05, 0.2, 0.5, 1.0])
@pytest.mark.parametrize(
    ("data", "make"),
    [
        (lambda: real("covtype", 6000), lambda **limit: SVC(C=100.0, **limit)),
        (lambda: real("letter", 6000), lambda **limit: SVC(C=10.0, gamma=0.1, **limit)),
        (uneven, lambda **limit: SVC(C=1e3, **limit)),
        (lambda: uneven(6000), lambda **limit: SVC(kernel="linear", **limit)),
        (digits, lambda **limit: SVC(multi_class="ovr", C=10.0, **limit)),
        (lambda: uneven(20000, 40), lambda **limit: LinearSVC(loss="hinge", **limit)),
        (digits, lambda **limit: NuSVC(nu=0.1, **limit)),
    ],
    ids=["covtype", "letter", "pairs", "linear kernel", "one-vs-rest", "linear", "nu"],
)
def test_no_worse_than_the_majority(data, make, share):
    X, y = data()
    began = time.perf_counter()
    full = make(n_jobs=1).fit(X, y)
    seconds = time.perf_counter() - began
    stopped = make(n_jobs=1, time_limit=share * seconds).fit(X, y)
    assert stopped.score(X, y) >= majority(y)
    if stopped.status_ is Status.OPTIMAL:
        # A limit that is not reached changes nothing.
        np.testing.assert_array_equal(stopped.intercept_, full.intercept_)
        assert stopped.score(X, y) == full.score(X, y)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("make", [SVC, LinearSVC, HardMarginSVC], ids=lambda kind: kind.__name__)
def test_without_a_step_the_majority_is_predicted(make):
    X, y = uneven()
    X[:, :6] += 100 * np.eye(6)[y]  # apart, so that there is a hard margin
    for limit in ({"max_iter": 0}, {"time_limit": 1e-9}):
        np.testing.assert_array_equal(make(**limit).fit(X, y).predict(X), 5)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_without_a_step_the_mean_is_predicted():
    X, _ = blobs(200)
    target = X[:, 0] ** 2
    found = SVR(time_limit=1e-9).fit(X, target).predict(X)
    np.testing.assert_allclose(found, target.mean())


@pytest.mark.parametrize("n_threads", [1, 2])
def test_problems_are_solved_in_turn_and_coarse_first(n_threads):
    # What is left of each problem when the time ends: its guess, a coarse point, its solution.
    X, y = uneven()
    data = [check_data(X, np.where(y == k, 1.0, -1.0)) for k in range(6)]
    problems = [linear_problem(one, SquaredHinge()) for one in data]
    primal = []
    for looks in range(1, 60):
        found = solve(problems, progress=Expires(looks))
        primal.append([solution.certificate.primal for solution in found])
    primal = np.array(primal)
    assert (np.diff(primal, axis=0) <= 0).all()
    guess = primal[0]
    begun = (primal < guess).sum(axis=1)
    assert set(begun) == {0, 6}, "some problems knew something while others did not"
    exact = [solution.certificate.primal for solution in solve(problems)]
    np.testing.assert_array_equal(primal[-1], exact)
    coarse = primal[np.argmax(begun > 0)]
    assert (coarse > exact).all()


def test_a_coarse_point_is_certified_on_all_rows():
    X, y = uneven()
    problem = c_svc(check_data(X, np.where(y == 5, 1.0, -1.0)), RBF(0.1), C=10.0)
    for looks in range(3, 12):
        [found] = solve([problem], progress=Expires(looks))
        again = problem.certify(found).parts[0]
        told = found.certificate.parts[0]
        assert told.primal == pytest.approx(again.primal)
        assert found.trace[-1]["primal"] == told.primal if found.beta.any() else True
        assert problem.feasible(found.beta)


class Limited(Watch):
    """Says that the time may end, as it does after so many steps on any machine."""

    limited = True


@pytest.mark.parametrize("formulation", ["svr", "nu_svr"])
def test_what_steps_have_reached_is_not_thrown_away(formulation):
    # Bounds of a float32 gradient made points of a small gap look worse than coarse ones.
    rng = np.random.default_rng(5)
    X = rng.uniform(-3, 3, (2500, 5))
    data = check_data(X, np.sin(X[:, 0]) * X[:, 1] + 0.3 * rng.normal(size=2500) + 7)
    if formulation == "svr":
        problem = epsilon_svr(data, RBF(0.1), C=100.0, epsilon=0.01)
    else:
        problem = nu_svr(data, RBF(0.1), C=100.0, nu=0.5)
    [full] = solve([problem])
    steps = int(full.trace["iterations"][-1])
    primal = []
    for share in (0.4, 0.6, 0.9):
        few = SolverSettings(max_iter=int(share * steps))
        [found] = solve([problem], few, progress=Limited())
        assert found.status is Status.MAX_ITERATIONS
        assert found.certificate.convex, "half of a working set's matrix was taken for the whole"
        assert found.certificate.primal <= 1.01 * found.trace["primal"][:-2].min()
        assert problem.certify(found).primal == pytest.approx(found.certificate.primal)
        primal.append(found.certificate.primal)
    assert primal[2] < primal[1] < primal[0]
    assert primal[2] < 1.2 * full.certificate.primal


def test_a_guess_is_the_better_for_its_intercept():
    X, y = uneven()
    problem = linear_problem(check_data(X, np.where(y == 0, 1.0, -1.0)), Hinge())
    found = problem.untouched()
    assert found.multipliers[0] == pytest.approx(2 * np.mean(y == 0) - 1)
    assert found.certificate.primal < problem.C.sum()


def test_thousands_of_pairs_keep_to_the_limit():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(90), 12)  # 4,005 pairs
    X = rng.normal(size=(90, 5))[y] + 0.5 * rng.normal(size=(len(y), 5))

    def least_seconds(model):
        """Of several fits, as a busy machine or a collection of garbage may hold up any."""
        seconds = []
        for _ in range(4):
            began = time.perf_counter()
            model.fit(X, y)
            seconds.append(time.perf_counter() - began)
        return min(seconds)

    full = least_seconds(SVC())
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        stopped = least_seconds(SVC(time_limit=1e-3))
    assert stopped < 0.9 * full + 0.1
