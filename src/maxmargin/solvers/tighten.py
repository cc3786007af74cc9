"""Certificates of stochastic steps, made as good as those of the exact machines."""

from __future__ import annotations

from dataclasses import replace

from maxmargin.losses import Perceptron
from maxmargin.problems import Certificate, LinearRisk, SolverSettings
from maxmargin.solvers.solve import solve

#: Relative gap of the dual problems that are solved.
TIGHT = 1e-2


def tighten(risk: LinearRisk, certificate: Certificate, n_threads: int = 1) -> Certificate:
    """Raise a certificate's lower bounds by solving the dual problems to about 1 %.

    Parameters
    ----------
    risk : LinearRisk
        The rows, with the penalty |w|^2 alone and any loss but the perceptron's; otherwise nothing
        is raised.
    certificate : Certificate
        Of a model on them.
    n_threads : int
        Threads to use.

    Returns
    -------
    Certificate
        The same objectives, with bounds at least as high.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.losses import Hinge
    >>> X, y = np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0])
    >>> risk = LinearRisk(X, y, np.ones(2), Hinge(), lam=0.1)
    >>> tighten(risk, risk.certify_point(np.array([[1.0]]), np.zeros(1))).gap < 0.01
    True
    """
    # The least objective of the perceptron's loss is that of w = 0; the dual is that of |w|^2.
    if isinstance(risk.loss, Perceptron) or risk.lam == 0 or risk.l1 > 0:
        return certificate
    exact = solve(risk.exact(), SolverSettings(tol=TIGHT, n_threads=n_threads))
    parts = []
    for part, solution in zip(certificate.parts, exact, strict=True):
        dual = min(part.primal, max(part.dual, solution.certificate.dual * risk.lam))
        gap = (part.primal - dual) / part.primal if part.primal > 0 else 0.0
        parts.append(replace(part, dual=dual, gap=gap))
    return replace(certificate, parts=tuple(parts))
