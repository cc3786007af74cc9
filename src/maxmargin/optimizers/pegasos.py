"""Pegasos: stochastic subgradient steps for the hinge loss, with projection.

For J(w) = a |w|^2 + c sum_i hinge_i, which is c n times lambda/2 |w|^2 + mean(hinge) with
lambda = 2 a / (c n),

    w <- w - g / (2 a t),      g a subgradient of J on a mini-batch
    w <- the nearest point with |w| <= 1 / sqrt(lambda)

The minimiser lies in that ball: at the optimum penalty and dual agree, so that
lambda |w|^2 = mean(alpha) <= 1 with the alphas scaled to [0, 1].

Reference: S. Shalev-Shwartz, Y. Singer, N. Srebro and A. Cotter, Pegasos: primal estimated
sub-gradient solver for SVM, Mathematical Programming 127 (2011).
"""

from __future__ import annotations

import numpy as np

from maxmargin.losses.margin import Hinge
from maxmargin.losses.penalty import L2
from maxmargin.optimizers.minimize import Run, minimize
from maxmargin.optimizers.rules import Average, Ball, Plain, Project
from maxmargin.optimizers.schedules import StronglyConvex
from maxmargin.problems.objective import Objective
from maxmargin.prompt import brief, keywords


@keywords(
    **dict.fromkeys(["X", "y", "lam", "C"], "objective=Objective(X, y, 'hinge', lam=0.1)"),
    **dict.fromkeys(["n_iter", "iterations", "steps", "T"], "max_iter="),
    **dict.fromkeys(["batch_size", "k"], "batch="),
    random_state="seed=",
)
def pegasos(
    objective: Objective,
    *,
    max_iter: int,
    batch: int = 1,
    seed: int | None = None,
    power: float = 1.0,
    record_every: int = 100,
) -> Run:
    """Minimise a hinge loss with squared norm from w = 0, averaging the iterates.

    Parameters
    ----------
    objective : Objective
        With the hinge loss and the squared norm; if it has an intercept, that must be penalised,
        because otherwise the objective is not strongly convex.
    max_iter : int
    batch : int
        Rows per step.
    seed : int
    power : float
        As in `Average`: iterates weigh as t^power.
    record_every : int

    Returns
    -------
    Run

    Examples
    --------
    >>> from maxmargin.problems import LAMBDA_MEAN
    >>> X, y = [[-2.0], [-1.0], [1.0], [3.0]], [-1.0, -1.0, 1.0, 1.0]
    >>> J = Objective(X, y, Hinge(), 0.05, convention=LAMBDA_MEAN, intercept=False)
    >>> run = pegasos(J, max_iter=2000, seed=0)
    >>> abs(run.value - 0.05) < 1e-3
    True
    """
    if not isinstance(objective, Objective):
        raise TypeError(
            f"objective must be an Objective, got {brief(objective)}; of rows and labels it is "
            'Objective(X, y, "hinge", lam=0.1, intercept=False)'
        )
    if not isinstance(objective.loss, Hinge) or objective.penalty != L2():
        raise ValueError(
            "objective must have the hinge loss and the squared norm, got "
            f"{objective.loss!r} and {objective.penalty!r}; use minimize for other losses"
        )
    if not objective.penalised.all():
        raise ValueError(
            "objective must penalise its intercept or have none: use "
            "convention.penalising_intercept() or intercept=False"
        )
    radius = float(np.sqrt(objective.c * objective.n / (2 * objective.a)))
    return minimize(
        objective,
        np.zeros(objective.A.shape[1]),
        StronglyConvex(2 * objective.a),
        rule=Average(Project(Plain(), onto=Ball(radius)), power=power),
        max_iter=max_iter,
        batch=batch,
        seed=seed,
        record_every=record_every,
    )
