"""Fit a drawn problem, and say what is wrong with it: nothing, if all is well."""

import time
import traceback
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from differential import kernel_machines, linear_machines
from differential.digits import in_digits
from differential.draw import Drawn
from differential.optimum import optimum
from differential.refusals import justified
from maxmargin import AdviceWarning, Status

#: No fit of so few rows takes longer.
MOST_SECONDS = 60.0


@dataclass(frozen=True)
class Judged:
    """How a problem ended: its status or the error that refused it, its time, and the faults."""

    end: str
    seconds: float
    faults: list[str]
    optima: int = 0  # problems whose optimum was found independently
    missed: int = 0  # and those whose optimum the method did not find


def judge(drawn: Drawn, solve: bool = True) -> Judged:
    """Fit and judge a problem; with `solve`, find its optimum as well."""
    began = time.process_time()
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            drawn.model.fit(drawn.X, drawn.y, drawn.weight)
        except ValueError as error:
            with in_digits():
                fault = justified(drawn, error)
            return Judged(type(error).__name__, time.process_time() - began, fault)
    seconds = time.process_time() - began
    faults = [f"it took {seconds:.0f} s"] if seconds > MOST_SECONDS else []
    faults += list(_unfounded(drawn.model, said))
    with in_digits():
        room = (
            linear_machines if drawn.name.startswith(("linear", "L1", "all")) else kernel_machines
        )
        try:
            parts, wrong = room.judge(drawn)
        except AssertionError as error:
            parts, wrong = [], [f"the fitted point is not as it should be: {_place(error)}"]
        faults += wrong
        found = [_compared(part, faults) for part in parts if solve and part.program]
    return Judged(str(drawn.model.status_), seconds, faults, sum(found), len(found) - sum(found))


def _place(error: AssertionError) -> str:
    """What was asserted, or where."""
    last = traceback.extract_tb(error.__traceback__)[-1]
    return str(error) or f"{last.line} ({last.name}, line {last.lineno})"


def _compared(part: Any, faults: list[str]) -> bool:
    """Hold P and D against the optimum; tell whether it was found."""
    found = optimum(part.program)
    if found is None:
        return False
    least, error = found
    best, slack = part.constant - least, part.slack + error
    if not part.dual - slack <= best <= part.primal + slack:
        faults.append(
            f"the optimum {best:.17e} is not between D = {part.dual:.17e} and "
            f"P = {part.primal:.17e} (+- {slack:.1e})"
        )
    return True


def _unfounded(model: Any, said: list[warnings.WarningMessage]) -> Iterator[str]:
    """What warns without a cause, or does not warn with one."""
    certificate, status = model.certificate_, model.status_
    for warning in said:
        text, kind = str(warning.message), warning.category
        if kind is ConvergenceWarning and "ended early" in text:
            if status is Status.OPTIMAL:
                yield f"it is optimal, but: {text}"
        elif kind is ConvergenceWarning and "The KKT violation is at most" in text:
            if certificate.gap <= 1e-3:
                yield f"the gap is {certificate.gap:.1e}, but: {text}"
        elif kind is ConvergenceWarning and "no boundary of this kernel" in text:
            if status is not Status.DEGENERATE:
                yield f"its margin is not zero, but: {text}"
        elif kind is AdviceWarning and "positive semidefinite" in text:
            yield f"the kernel is positive semidefinite, but: {text}"
        elif kind is not AdviceWarning:
            yield f"{kind.__name__}: {text}"
    if not np.isfinite([certificate.primal, certificate.dual, certificate.gap]).all():
        yield f"the certificate is not finite: {certificate}"
