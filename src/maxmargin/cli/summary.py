"""Sentences that the terminal shows about data, task and fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier

from maxmargin import Status
from maxmargin.cli.task import Task
from maxmargin.cli.terminal import Terminal, counted
from maxmargin.data.files.table import is_text
from maxmargin.prompt import rounded

#: The exit status of a fit that was stopped; `maxmargin --help` lists them all.
STOPPED = 6
_SHOWN = ("C", "epsilon", "nu")
#: Why a fit has ended before its end.
_ENDINGS = {
    Status.TIME_LIMIT: "by the time limit",
    Status.INTERRUPTED: "by Ctrl-C",
    Status.MAX_ITERATIONS: "at the limit of steps",
}


def ending_of(machine: Any) -> list[str]:
    """Say why a fit has ended before its end, if it has.

    Parameters
    ----------
    machine : estimator
        Fitted.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> ending_of(SVC().fit([[0.0], [1.0]], [0, 1]))
    []
    """
    ending = _ENDINGS.get(machine.status_)
    return [f"the fit was stopped {ending}"] if ending else []


def end(stopped: Sequence[str], terminal: Terminal) -> None:
    """Say what was stopped, if anything was, in the last line and the exit status.

    Parameters
    ----------
    stopped : sequence of str
        What was.
    terminal : Terminal
        Where to say it.

    Examples
    --------
    >>> import sys
    >>> end([], Terminal(sys.stdout))
    """
    if stopped:
        terminal.line(f"{'; '.join(stopped)}: the model is not the best there is")
        raise click.exceptions.Exit(STOPPED)


def report_fit(machine: Any, score: float | None, terminal: Terminal) -> None:
    """Say what was fitted, and how well.

    Parameters
    ----------
    machine : estimator
        Fitted.
    score : float or None
        On the training rows.
    terminal : Terminal
        Where to say it.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> import sys
    >>> report_fit(SVC().fit([[0.0], [1.0]], [0, 1]), 1.0, Terminal(sys.stdout))
    SVC, C 1, ...: 2 support vectors; OPTIMAL, relative gap ...
    accuracy on the training rows 1
    """
    gap, seconds = machine.certificate_.gap, machine.fit_report_["seconds"]
    given = [f"{name} {getattr(machine, name):.4g}" for name in _SHOWN if hasattr(machine, name)]
    kernel = getattr(machine.model_, "kernel", None)
    how = f"loss {machine.loss}" if kernel is None else rounded(str(kernel))
    ending = f"{machine.status_.name}, relative gap {gap:.1e}, {seconds:.2g} s"
    if hasattr(machine, "support_"):  # on a cluster the dual variables stay with the rows
        ending = f"{counted(len(machine.support_), 'support vector')}; {ending}"
    terminal.line(f"{type(machine).__name__}, {', '.join(given)}, {how}: {ending}")
    if score is not None:
        measure = "accuracy" if is_classifier(machine) else "R2"
        terminal.line(f"{measure} on the training rows {score:.4g}")


def describe(X: Any, n_rows: int) -> str:
    """Say how many rows and columns there are.

    Parameters
    ----------
    X : DataFrame, ndarray or CSR
        The columns.
    n_rows : int
        Rows.

    Examples
    --------
    >>> describe(np.eye(2), 7)
    '7 rows, 2 features'
    """
    rows = counted(n_rows, "row")
    if not hasattr(X, "columns"):
        return f"{rows}, {counted(X.shape[1], 'feature')}"
    texts = sum(map(is_text, X.dtypes))
    return f"{rows}; columns: {X.shape[1] - texts} of numbers, {texts} of text"


def describe_task(task: Task, reason: str, y: NDArray[Any] | None, target: str | None) -> str:
    """Say what is learnt.

    Parameters
    ----------
    task : Task
        What.
    reason : str
        Why.
    y : ndarray or None
        The targets.
    target : str or None
        The name of their column.

    Examples
    --------
    >>> describe_task(Task.REGRESSION, "asked", np.array([1.0]), "price")
    'target price: regression, as asked (--task changes it)'
    """
    if task is Task.ONE_CLASS or y is None:
        left = f"; {target} is left out" if target else ""
        return f"one-class: where the rows lie{left}"
    name = f"target {target}: " if target else ""
    if task is Task.REGRESSION:
        return f"{name}regression, as {reason} (--task changes it)"
    classes, counts = np.unique(y, return_counts=True)
    shown = ", ".join(f"{c}: {n}" for c, n in zip(classes[:8], counts[:8], strict=True))
    more = ", ..." if len(classes) > 8 else ""
    return (
        f"{name}classification, as {reason} (--task changes it); {counted(len(classes), 'class')} "
        f"({shown}{more})"
    )
