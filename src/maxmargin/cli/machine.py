"""From options to a machine: what is asked for, whether it fits together, and the estimator."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from maxmargin import SVC, SVR, LinearSVC, LinearSVR, OneClassSVM
from maxmargin.cli.inputs import Number
from maxmargin.cli.task import Task

Command = Callable[..., Any]

_OPTIONS = [
    click.option(
        "-k",
        "--kernel",
        type=click.Choice(["linear", "poly", "rbf", "sigmoid"]),
        help="Default: rbf.",
    ),
    click.option(
        "--linear",
        is_flag=True,
        help="Fit a linear machine, fast with many rows; several classes: one against the rest.",
    ),
    click.option(
        "-C",
        "penalty",
        type=Number(0, above=True),
        metavar="NUMBER",
        help="Penalty of slack. Default: 1 for classes, the target's spread for regression.",
    ),
    click.option(
        "-g", "--gamma", metavar="NUMBER", help="Width: a number, 'scale' (the default) or 'auto'."
    ),
    click.option("--degree", type=click.IntRange(0), help="Degree of the poly kernel. Default: 3."),
    click.option("--coef0", type=float, help="Constant of poly and sigmoid kernels. Default: 0."),
    click.option(
        "--epsilon",
        type=Number(0),
        metavar="NUMBER",
        help="Half width of regression's tube. Default: a tenth of the target's spread.",
    ),
    click.option(
        "--nu",
        type=Number(0, 1, above=True),
        metavar="NUMBER",
        help="Share of outliers, for --task one-class. Default: 0.1.",
    ),
    click.option(
        "-w",
        "--weight",
        "weights",
        multiple=True,
        metavar="CLASS=NUMBER",
        help="Factor of C for a class; or 'balanced', alone.",
    ),
    click.option(
        "--probability",
        is_flag=True,
        help="Learn probabilities of the classes, which predict --probability writes.",
    ),
    click.option(
        "--tol",
        type=Number(0, above=True),
        metavar="NUMBER",
        help="KKT violation to reach (default 1e-3); with --linear, relative gap (default 1e-4).",
    ),
    click.option(
        "-j", "--jobs", type=click.IntRange(1), metavar="N", help="Threads. Default: all cores."
    ),
]
#: Which kernels have which parameter.
_KERNELS_WITH = {
    "gamma": ("poly", "rbf", "sigmoid"),
    "degree": ("poly",),
    "coef0": ("poly", "sigmoid"),
}
#: Which tasks have which option.
_TASKS_WITH = {
    "penalty": ("-C", (Task.CLASSIFICATION, Task.REGRESSION)),
    "epsilon": ("--epsilon", (Task.REGRESSION,)),
    "nu": ("--nu", (Task.ONE_CLASS,)),
    "weights": ("--weight", (Task.CLASSIFICATION,)),
    "probability": ("--probability", (Task.CLASSIFICATION,)),
}


def machine_options(command: Command) -> Command:
    """Give a verb the options of `MachineOptions`.

    Parameters
    ----------
    command : callable
        The verb.

    Examples
    --------
    >>> callable(machine_options(lambda: None))
    True
    """
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@dataclass(frozen=True)
class MachineOptions:
    """What machine is asked for; None where nothing was said.

    Parameters
    ----------
    kernel, gamma, degree, coef0, epsilon, nu, tol
        As in `SVC`, `SVR` and `OneClassSVM`.
    linear : bool
        Whether a linear machine is wanted.
    penalty : float
        C.
    weights : sequence of str
        Factors of C, as CLASS=NUMBER.
    probability : bool
        Whether probabilities are wanted.
    jobs : int
        Number of threads.

    Examples
    --------
    >>> MachineOptions(penalty=3.0).machine(Task.CLASSIFICATION, np.array([0, 1]))
    SVC(C=3.0)
    """

    kernel: str | None = None
    linear: bool = False
    penalty: float | None = None
    gamma: str | None = None
    degree: int | None = None
    coef0: float | None = None
    epsilon: float | None = None
    nu: float | None = None
    weights: Sequence[str] = ()
    probability: bool = False
    tol: float | None = None
    jobs: int | None = None

    @classmethod
    def taken_from(cls, options: dict[str, Any]) -> MachineOptions:
        """Take its own options out of all that were given.

        Parameters
        ----------
        options : dict
            All of them; those taken are gone afterwards.
        """
        return cls(**{field.name: options.pop(field.name) for field in fields(cls)})

    def check(self, task: Task | None) -> None:
        """Refuse options that have no use beside the others.

        Parameters
        ----------
        task : Task or None
            What is learnt, where that is known already.
        """
        kernel = "linear" if self.linear else self.kernel or "rbf"
        if self.linear and self.kernel not in (None, "linear"):
            raise click.UsageError(f"--linear has no kernel, so --kernel {self.kernel} has no use")
        for name, kernels in _KERNELS_WITH.items():
            if getattr(self, name) is not None and kernel not in kernels:
                raise click.UsageError(
                    f"--{name} is for the kernel {' or '.join(kernels)}; this one is {kernel}"
                )
        if self.gamma is not None:
            _gamma(self.gamma)
        for entry in self.weights:
            if entry == "balanced" and len(self.weights) > 1:
                raise click.UsageError("--weight balanced stands alone")
            if entry != "balanced":
                _number(entry.rpartition("=")[2], f"--weight {entry}")
        for name, (option, tasks) in _TASKS_WITH.items():
            value = getattr(self, name)
            # Without a word on the task it is classes or numbers: which, the target tells.
            known = (task,) if task else (Task.CLASSIFICATION, Task.REGRESSION)
            if value not in (None, (), False) and not set(known) & set(tasks):
                names = " and ".join(entry.value for entry in tasks)
                raise click.UsageError(f"{option} is for {names}; see --task")

    def machine(self, task: Task, y: NDArray[Any] | None) -> Any:
        """Make the estimator.

        Parameters
        ----------
        task : Task
            What is learnt.
        y : ndarray or None
            The target.
        """
        common: dict[str, Any] = {"n_jobs": self.jobs}
        if self.tol is not None:
            common["tol"] = self.tol
        if not self.linear or task is Task.ONE_CLASS:
            common |= self._kernel()
        if task is Task.ONE_CLASS:
            return OneClassSVM(nu=0.1 if self.nu is None else self.nu, **common)
        if task is Task.CLASSIFICATION:
            C = 1.0 if self.penalty is None else self.penalty
            common |= {"C": C, "class_weight": _weights(self.weights, y)}
            common |= {"calibration": "sigmoid" if self.probability else None}
            return LinearSVC(loss="hinge", **common) if self.linear else SVC(**common)
        spread = _spread(y)
        C = spread if self.penalty is None else self.penalty
        epsilon = spread / 10 if self.epsilon is None else self.epsilon
        return (LinearSVR if self.linear else SVR)(C=C, epsilon=epsilon, **common)

    def _kernel(self) -> dict[str, Any]:
        return {
            "kernel": "linear" if self.linear else self.kernel or "rbf",
            "gamma": "scale" if self.gamma is None else _gamma(self.gamma),
            "degree": 3 if self.degree is None else self.degree,
            "coef0": self.coef0 or 0.0,
        }


def _gamma(text: str) -> str | float:
    return text if text in ("scale", "auto") else _number(text, "--gamma")


def _number(text: str, option: str) -> float:
    try:
        return Number(0).convert(text, None, None)
    except click.UsageError as error:
        raise click.UsageError(f"{option}: {error.message}") from error


def _weights(given: Sequence[str], y: NDArray[Any] | None) -> Any:
    if not given or y is None:
        return None
    if list(given) == ["balanced"]:
        return "balanced"
    classes = {str(value): value for value in np.unique(y).tolist()}
    weights = {}
    for entry in given:
        name, _, number = entry.rpartition("=")
        if name not in classes:
            raise click.UsageError(
                f"--weight {entry} names no class; write CLASS=NUMBER with one of "
                f"{', '.join(list(classes)[:10])}"
            )
        weights[classes[name]] = float(number)
    return weights


def _spread(y: NDArray[Any] | None) -> float:
    """Return the deviation of a target, from its quartiles so that outliers do not count."""
    low, high = np.percentile(y, [25, 75]) if y is not None else (0.0, 0.0)
    return float(high - low) / 1.349 or 1.0
