"""Write golden.json: what the package says about problems that the page solves, too.

Run `python lab/src/engine/golden.py` from the root of the repository.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.data import check_data
from maxmargin.kernels import (
    RBF,
    Chi2,
    Cosine,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Sigmoid,
)
from maxmargin.losses import Hinge, SquaredHinge
from maxmargin.optimizers import Harmonic, InverseSquareRoot, minimize, perceptron
from maxmargin.problems import (
    HALF_SUM,
    DualProblem,
    Intercept,
    LinearRisk,
    Objective,
    SolverSettings,
    Steps,
    c_svc,
    crammer_singer_problem,
    epsilon_svr,
    linear_problem,
    nu_svc,
    nu_svr,
    one_class,
)
from maxmargin.solvers import solve

FILE = Path(__file__).with_name("golden.json")

KERNELS: dict[str, tuple[Kernel, dict[str, float]]] = {
    "linear": (Linear(), {}),
    "poly": (Polynomial(degree=2, gamma=0.1, coef0=1.0), {"gamma": 0.1, "coef0": 1.0, "degree": 2}),
    "rbf": (RBF(gamma=0.8), {"gamma": 0.8}),
    "sigmoid": (Sigmoid(gamma=0.02, coef0=0.0), {"gamma": 0.02}),
    "laplacian": (Laplacian(gamma=0.5), {"gamma": 0.5}),
    "chi2": (Chi2(gamma=0.6), {"gamma": 0.6}),
    "cosine": (Cosine(), {}),
    "matern12": (Matern(nu=0.5, length_scale=1.0), {}),
    "matern32": (Matern(nu=1.5, length_scale=1.0), {}),
    "matern52": (Matern(nu=2.5, length_scale=1.0), {}),
}


def data() -> tuple[NDArray[np.float64], ...]:
    """Return rows, labels, real targets, weights and new rows; rounded, and none below 0."""
    random = np.random.default_rng(24)
    y = np.repeat([-1.0, 1.0], [22, 18])
    X = (random.normal(size=(40, 2)) + 0.9 * y[:, None] + 4.0).clip(0.0).round(3)
    real = (np.sin(X[:, 0]) + 0.3 * X[:, 1] + 0.2 * random.normal(size=40)).round(3)
    weight = random.choice([0.0, 0.5, 1.0, 2.0], 40, p=[0.1, 0.3, 0.4, 0.2])
    return X, y, real, weight, random.uniform(1.0, 7.0, size=(12, 2)).round(3)


def stated(kernel: Kernel) -> Iterator[tuple[str, dict[str, float], DualProblem]]:
    """Yield each formulation with its parameters."""
    X, y, real, weight, _ = data()
    classes, numbers = check_data(X, y, weight), check_data(X, real, weight)
    yield "c_svc", {"C": 1.5}, c_svc(classes, kernel, C=1.5)
    yield "squared_hinge", {"C": 1.5}, c_svc(classes, kernel, C=1.5, squared=True)
    yield "nu_svc", {"nu": 0.7}, nu_svc(classes, kernel, nu=0.7)
    yield "svr", {"C": 1.5, "epsilon": 0.1}, epsilon_svr(numbers, kernel, C=1.5, epsilon=0.1)
    yield "nu_svr", {"C": 1.5, "nu": 0.4}, nu_svr(numbers, kernel, C=1.5, nu=0.4)
    yield "one_class", {"nu": 0.3}, one_class(numbers, kernel, nu=0.3)


def dual_cases() -> Iterator[dict[str, Any]]:
    """Yield the optimum of each formulation with each kernel."""
    new = data()[-1]
    for name, (kernel, numbers) in KERNELS.items():
        for formulation, parameters, problem in stated(kernel):
            if name == "sigmoid" and formulation not in ("c_svc", "svr"):
                continue  # not positive semi-definite: the others have no optimum of their own
            [found] = solve([problem], SolverSettings(tol=1e-10))
            beta, part = found.beta, found.certificate.parts[0]
            weights, intercept = problem.decision(beta, found.multipliers)
            values = kernel(new, problem.X[problem.rows]) @ weights + intercept
            yield {
                "formulation": formulation,
                "kernel": {"name": name, **numbers},
                **parameters,
                "dual": part.dual,
                "gap": part.gap,
                "support": problem.rows[weights != 0].tolist(),
                "intercept": intercept,
                "decision": values.tolist(),
            }


def linear_cases() -> Iterator[dict[str, Any]]:
    """Yield the optimum of the linear machines."""
    X, y, _, weight, _ = data()
    kept = weight > 0
    known = check_data(X[kept], y[kept], weight[kept])
    intercepts = {"free": Intercept(), "penalised": Intercept.penalized(), "none": Intercept.none()}
    for loss in (Hinge(), SquaredHinge()):
        for name, intercept in intercepts.items():
            problem = linear_problem(known, loss, C=0.8, intercept=intercept)
            [found] = solve([problem], SolverSettings(tol=1e-12))
            yield {
                "loss": "hinge" if isinstance(loss, Hinge) else "squared_hinge",
                "intercept": name,
                "C": 0.8,
                "dual": found.certificate.parts[0].dual,
                "w": found.w.tolist(),
                "b": found.multipliers[0] if found.multipliers else 0.0,
            }


def course_cases() -> dict[str, Any]:
    """Return where stochastic and subgradient methods are after some steps."""
    X, y, *_ = data()
    C = 0.1
    lam = 1 / (C * len(y))
    objective = Objective(X, y, "hinge", convention=HALF_SUM, C=C)
    scale = C * len(y)  # from steps on lam/2 |w|^2 + mean to steps on 1/2 |w|^2 + C sum
    slow, root = Harmonic(2.0 / scale, delay=3.0), InverseSquareRoot(0.5 / scale)
    mistakes = perceptron(X, y, max_passes=5)
    risk = LinearRisk(X, y, np.ones(len(y)), Hinge(), lam, intercept=Intercept.penalized())
    settings = SolverSettings(tol=0.0, max_iter=5, method=Steps("pegasos", seed=7))
    [pegasos] = solve([risk], settings)
    return {
        "C": C,
        "harmonic": minimize(objective, np.zeros(3), slow, max_iter=50).last.tolist(),
        "inverse_sqrt": minimize(objective, np.zeros(3), root, max_iter=50).last.tolist(),
        "perceptron": [*mistakes.w.tolist(), mistakes.b],
        "pegasos": [*pegasos.w.ravel().tolist(), pegasos.multipliers[0]],
    }


def class_case() -> dict[str, Any]:
    """Return Crammer and Singer's machine of three classes."""
    X, y, *_ = data()
    label = np.where(y < 0, 0, 1 + (X[:, 0] > 5.0)).astype(np.int64)
    problem = crammer_singer_problem(check_data(X, label), C=0.5)
    [found] = solve([problem], SolverSettings(tol=1e-12))
    part = found.certificate.parts[0]
    scores = X @ found.w.T + np.array(found.multipliers)
    return {"label": label.tolist(), "C": 0.5, "dual": part.dual, "scores": scores.tolist()}


def golden() -> dict[str, Any]:
    """Return all of it."""
    X, y, real, weight, new = data()
    return {
        "X": X.tolist(),
        "y": y.tolist(),
        "real": real.tolist(),
        "weight": weight.tolist(),
        "new": new.tolist(),
        "dual": list(dual_cases()),
        "linear": list(linear_cases()),
        "course": course_cases(),
        "classes": class_case(),
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps(golden(), indent=1) + "\n")
