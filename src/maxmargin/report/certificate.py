"""The certificate of a fit in plain words: how far it is from the best, and what that is worth."""

from __future__ import annotations

from math import inf, isfinite
from typing import Any

from maxmargin.problems import Certificate, Status

ENDINGS = {
    Status.OPTIMAL: "The fit went to its end",
    Status.PRECISION: "The fit went as far as float64 allows",
    Status.MAX_ITERATIONS: "The fit was stopped at its limit of steps",
    Status.TIME_LIMIT: "The fit was stopped by its time limit",
    Status.INTERRUPTED: "The fit was interrupted",
    Status.DEGENERATE: "What was asked for has no solution that predicts; the nearest that has was "
    "solved",
}
#: The ending of a fit that was asked for a gap, and no more.
APPROXIMATE = "The fit is approximate, as it was asked to be, and ended when its gap was proven"
#: A relative gap of at most this is nothing in practice.
NOTHING = 1e-6


def in_words(machine: Any) -> list[str]:
    """Return what the certificate of a fitted machine says, in sentences.

    Parameters
    ----------
    machine : estimator
        Fitted; of others than this library's there is no certificate.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> in_words(SVC().fit([[0.0], [1.0]], [0, 1]))[0]
    'The fit went to its end (status OPTIMAL).'
    """
    if not hasattr(machine, "certificate_") or not getattr(machine, "solutions_", ()):
        return [
            "This model carries no certificate: how near its parameters are to the best for its "
            "training problem is not known."
        ]
    status, certificate, tol = machine.status_, machine.certificate_, getattr(machine, "tol", None)
    approximate = tol == inf  # only a gap was asked for
    ending = APPROXIMATE if approximate and status is Status.OPTIMAL else ENDINGS[status]
    said = [f"{ending} (status {status.name})."]
    said += _distance(certificate)
    if isfinite(certificate.violation):
        asked = f"; {tol:g} was asked for" if isinstance(tol, float) and isfinite(tol) else ""
        said.append(
            f"The conditions of optimality are violated by at most {certificate.violation:.1e}"
            f"{asked}, which bounds how far decision values are off."
        )
    found = "a better one was missed by no more" if approximate else "no better one was missed"
    said.append(
        "This is about the training problem only: of the models of this kind with these "
        f"parameters {found}. It does not say that the model predicts well: that is what the "
        "scores say."
    )
    return said


def _distance(certificate: Certificate) -> list[str]:
    problems = len(certificate.parts)
    which = f", the worst of {problems} problems" if problems > 1 else ""
    if not certificate.convex:
        return [
            "The kernel is not positive semidefinite on the rows, so the problem is not convex: "
            "what was found is a local optimum, and how far the best is away is not known."
        ]
    if certificate.held:
        return [
            f"On {certificate.n_rows:,} rows that the stream had not used yet, the objective is "
            f"estimated to be within {certificate.gap:.1%} of the best."
        ]
    if certificate.gap <= NOTHING:
        return [
            f"It is proven that no other choice of weights has an objective that is lower by more "
            f"than a share of {certificate.gap:.1e}{which}: for all practical purposes this is the "
            "best there is."
        ]
    return [
        f"It is proven that the objective is within {certificate.gap:.2%} of the best{which} "
        f"(relative duality gap {certificate.gap:.1e})."
    ]
