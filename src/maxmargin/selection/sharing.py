"""What a search can share, and what it is handed over for: the machine and its parameters."""

from __future__ import annotations

from dataclasses import dataclass
from math import isinf
from typing import Any

from sklearn.base import clone
from sklearn.pipeline import Pipeline

from maxmargin.estimators import SVC, SVR
from maxmargin.kernels import Kernel
from maxmargin.patch.substitutes import own_type

#: What a kernel is made of, and what a path on its matrix has of its own.
KERNEL_NAMES = ("kernel", "gamma", "degree", "coef0")
PATH_NAMES = ("C", "epsilon", "class_weight", "tol")
#: Parameters that change no solution.
IDLE_NAMES = ("cache_size", "shrinking", "verbose", "random_state", "n_jobs", "warm_start")
#: What a machine must be for its fits to be shared, where it has the parameter.
_PLAIN = {"loss": "hinge", "max_iter": -1, "tol_gap": None, "time_limit": None, "callback": None}


class NotShared(Exception):  # noqa: N818 - not an error: the search goes another way
    """The work of a search cannot be shared; the message says why.

    Examples
    --------
    >>> str(NotShared("the estimator is a tree"))
    'the estimator is a tree'
    """


@dataclass(frozen=True, eq=False)
class Subject:
    """The estimator of a search: a machine, and the transformers before it.

    Parameters
    ----------
    estimator : estimator
        As it was given.
    machine : SVC or SVR
        The estimator, or the last step of it.
    transformers : Pipeline or None
        The other steps.
    prefix : str
        What the names of the machine's parameters begin with.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> subject = Subject.of(make_pipeline(StandardScaler(), SVC()))
    >>> subject.prefix, subject.split({"svc__C": 2.0, "standardscaler__with_std": False})
    ('svc__', ({'standardscaler__with_std': False}, {'C': 2.0}))
    """

    estimator: Any
    machine: Any
    transformers: Any = None
    prefix: str = ""

    @classmethod
    def of(cls, estimator: Any) -> Subject:
        """Look at an estimator, or say why its fits cannot be shared.

        Parameters
        ----------
        estimator : estimator
            Of a search.
        """
        if getattr(estimator, "_skl_callbacks", None):
            raise NotShared("the estimator has callbacks")
        if type(estimator) is not Pipeline:
            return cls(estimator, _checked(estimator))
        if estimator.transform_input is not None:
            raise NotShared("the pipeline has transform_input")
        name, machine = estimator.steps[-1]
        _checked(machine)
        if machine.kernel == "precomputed":
            raise NotShared("the kernel is precomputed, after other steps")
        steps = estimator[:-1] if len(estimator.steps) > 1 else None
        return cls(estimator, machine, steps, f"{name}__")

    @property
    def classifies(self) -> bool:
        """Whether there are classes."""
        return isinstance(self.machine, SVC)

    @property
    def votes(self) -> bool:
        """Whether pairs of classes vote, if there are more than two classes."""
        return self.classifies and self.machine.multi_class == "ovo"

    def split(self, params: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Return the parameters of the transformers and those of the machine.

        Parameters
        ----------
        params : dict
            Of a candidate.
        """
        cut = len(self.prefix)
        if not cut:
            return {}, params
        own = {name[cut:]: v for name, v in params.items() if name.startswith(self.prefix)}
        if len(own) == len(params):
            return {}, own
        others = {name: v for name, v in params.items() if not name.startswith(self.prefix)}
        if self.prefix[:-2] in others:
            raise NotShared(f"the grid replaces the step {self.prefix[:-2]!r}")
        if others and self.transformers is None:
            raise NotShared(f"the grid has {next(iter(others))!r}")
        return others, own

    def check(self, params: dict[str, Any]) -> str:
        """Return what is wrong with the values of some of the machine's parameters.

        Parameters
        ----------
        params : dict
            By the names of the machine.
        """
        for name, value in params.items():
            if name.startswith("kernel__") and isinstance(self.machine.kernel, Kernel):
                continue
            if name not in (*KERNEL_NAMES, *PATH_NAMES, *IDLE_NAMES) or not hasattr(
                self.machine, name
            ):
                raise NotShared(f"the grid has {self.prefix}{name}")
            rule = self.machine._rules.get(name)
            if rule is not None and not rule.holds(value):
                return f"{name} is {value!r}; it must {rule.must}."
        if isinf(params.get("C", self.machine.C)):
            raise NotShared("C is infinite")
        return ""

    def transformer(self, params: dict[str, Any]) -> Any:
        """Return transformers to be fitted, with their parameters.

        Parameters
        ----------
        params : dict
            Of the transformers.
        """
        assert self.transformers is not None
        return clone(self.transformers).set_params(**clone(params, safe=False))

    def with_kernel(self, base: Any, params: dict[str, Any]) -> Any:
        """Return a machine whose kernel is that of a candidate.

        Parameters
        ----------
        base : machine
            That has seen the rows.
        params : dict
            Of the machine.
        """
        machine = copied(base)
        plain = {name: value for name, value in params.items() if name in KERNEL_NAMES}
        vars(machine).update(plain)
        if len(plain) < len(params):
            machine.set_params(**params)
        if machine._calls_python():
            raise NotShared("the kernel is a function")
        return machine


def copied(machine: Any) -> Any:
    """Return a machine with the same attributes, without what `clone` and `copy` look at.

    Parameters
    ----------
    machine : estimator
        The machine.

    Examples
    --------
    >>> copied(SVC(C=2.0)).C
    2.0
    """
    other = object.__new__(type(machine))
    vars(other).update(vars(machine))
    return other


def _checked(machine: Any) -> Any:
    """Return a machine whose fits can be shared."""
    if own_type(machine) not in (SVC, SVR):
        raise NotShared(f"the estimator is a {type(machine).__name__}")
    for name, value in _PLAIN.items():
        if getattr(machine, name, value) != value:
            raise NotShared(f"{name} is {getattr(machine, name)!r}")
    if machine._calls_python():
        raise NotShared("the kernel is a function")
    ties = getattr(machine, "break_ties", False) and machine.multi_class == "ovo"
    if ties and machine.decision_function_shape == "ovo":
        raise NotShared("break_ties is True and decision_function_shape is 'ovo'")
    if getattr(machine, "_skl_callbacks", None):
        raise NotShared("the estimator has callbacks")
    return machine
