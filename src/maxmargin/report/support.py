"""Support vectors: how many there are, where they lie, and what that says about C.

For every machine that is solved to its optimum, a row that is no support vector can be left out
without changing anything. So the share of support vectors bounds the leave-one-out error.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from maxmargin.models import SupportStatus
from maxmargin.report.subject import Subject, Task

#: From this share of the rows on, nearly all are support vectors; below that one, few are.
NEARLY_ALL, FEW = 0.9, 0.02
#: From this share of the rows on, those at their bound are many.
MANY_AT_BOUND = 0.5


@dataclass(frozen=True)
class Support:
    """The support vectors of a fitted machine.

    Parameters
    ----------
    task : Task
        What the machine predicts.
    n, n_fit : int
        Support vectors, and rows of the fit.
    at_bound : int or None
        Those of them with a dual variable at its bound, in one problem at least; None where the
        model does not tell.
    name, value : str, float
        The parameter that they speak about, C or nu, and its value.

    Examples
    --------
    >>> Support(Task.CLASSES, 60, 100, 55, "C", 1.0).share
    0.6
    """

    task: Task
    n: int
    n_fit: int
    at_bound: int | None
    name: str
    value: float

    @property
    def share(self) -> float:
        """Share of the rows of the fit."""
        return self.n / self.n_fit

    @property
    def _bound_share(self) -> float:
        return (self.at_bound or 0) / self.n_fit

    @property
    def facts(self) -> str:
        """How many there are, in a sentence or two."""
        rows = f"{self.n:,} of the {self.n_fit:,} rows of the fit"
        said = f"{rows} ({self.share:.1%}) are support vectors"
        if self.at_bound is None:
            return f"{said}."
        where, edge = {
            Task.CLASSES: ("inside the margin or on the wrong side", "the margin"),
            Task.NUMBERS: ("outside the tube", "the edge of the tube"),
            Task.ONE_CLASS: ("outside the boundary", "the boundary"),
        }[self.task]
        return (
            f"{said}: {self.at_bound:,} of them ({self._bound_share:.1%} of the rows) are at the "
            f"bound, as only rows {where} are; {self.n - self.at_bound:,} are free, exactly at "
            f"{edge}."
        )

    @property
    def meaning(self) -> str:
        """What that says about the parameter."""
        if self.task is Task.ONE_CLASS:
            return (
                f"nu = {self.value:g} is at least the share of outliers among the rows of the fit "
                "and at most the share of support vectors: it lies between "
                f"{self._bound_share:.3g} and {self.share:.3g}, as it must."
            )
        loo = ""
        if self.task is Task.CLASSES:
            loo = (
                " If each row were left out in turn, at most this share of them would be "
                "misclassified: leaving out any other row changes nothing."
            )
        return self._about_parameter + loo

    @property
    def _about_parameter(self) -> str:
        name, numbers = self.name, self.task is Task.NUMBERS
        if name == "nu":
            return (
                "nu bounds both shares: it is at least that of rows "
                f"{'outside the tube' if numbers else 'inside the margin'} and at most that of "
                "support vectors."
            )
        if self.at_bound == 0:
            return (
                f"No row is at the bound {name}: a larger {name} would change nothing, and "
                f"{'every row is in the tube' if numbers else 'the margin is a hard one'}."
            )
        if self.share >= NEARLY_ALL:
            return (
                f"Nearly every row is needed, as with a {name} so small that most rows are "
                "at the bound, with a kernel so narrow that each row knows itself only"
                f"{', or with an epsilon below the noise' if numbers else ', or with noise'}. Try "
                f"{'a larger epsilon, ' if numbers else ''}a larger {name} or a smaller gamma."
            )
        if self._bound_share >= MANY_AT_BOUND:
            return (
                f"More than half of the rows are at the bound: with {name} = {self.value:g} the "
                f"model is kept simple at their cost. If it does not fit well, try a larger {name}."
            )
        if self.share <= FEW:
            why = "the tube is wide" if numbers else "the classes are well apart"
            return (
                f"Few rows carry the model: {why} for this kernel, and the exact value of {name} "
                "matters little."
            )
        return (
            f"{name} = {self.value:g} is in force: it limits the pull of the rows at the bound and "
            f"leaves the others free. A smaller {name} would put more rows at the bound and make "
            "the model simpler, a larger one fewer."
        )

    @property
    def worry(self) -> tuple[str, str, bool] | None:
        """Title, text and whether it is serious, if there is something to worry about."""
        if self.share < NEARLY_ALL or self.n_fit < 100 or self.name == "nu":
            return None
        return (
            f"{self.share:.0%} of the rows of the fit are support vectors",
            f"{self._about_parameter} Predictions cost as much as there are support vectors.",
            False,
        )


def support_of(subject: Subject) -> Support | None:
    """Return the support vectors of a model, if it has some and knows of how many rows.

    Parameters
    ----------
    subject : Subject
        The model and rows.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> X, y = [[-1.0], [1.0], [5.0]], [0, 1, 1]
    >>> support_of(Subject.of(SVC(kernel="linear").fit(X, y), X, y)).n
    2
    """
    machine, n_fit = subject.machine, subject.n_fit
    try:
        n = len(machine.support_)
    except AttributeError:  # there are none, or the model was read from a text
        return None
    name = "nu" if hasattr(machine, "nu") else "C"
    value = getattr(machine, name, None)
    if n_fit is None or not isinstance(value, int | float):
        return None
    status = getattr(machine, "support_status_", None)
    at_bound = None
    if status is not None:
        at_bound = int((np.asarray(status) == SupportStatus.AT_BOUND).any(axis=0).sum())
    return Support(subject.task, n, n_fit, at_bound, name, float(value))
