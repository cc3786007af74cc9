"""Models of tables for LIBSVM and LIBLINEAR: the machine, and its scaling beside it."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin.cli.modelfile import ModelFormat, write_model
from maxmargin.data.files import FileError, replacing


def scaling_of(model: Any, name: str) -> StandardScaler | None:
    """Return the scaling before a machine, or None; refuse what these formats have no place for.

    Parameters
    ----------
    model : estimator
        The machine, or a pipeline that ends with it.
    name : str
        The file's name, for the errors.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> scaling_of(SVC(), "here") is None
    True
    """
    steps = [step for _, step in model.steps[:-1]] if isinstance(model, Pipeline) else []
    others = [step for step in steps if not isinstance(step, StandardScaler)]
    if others or len(steps) > 1:
        names = ", ".join(type(step).__name__ for step in others or steps)
        raise FileError(
            f"the model fills or encodes columns ({names}), for which LIBSVM and LIBLINEAR have no "
            "form; train it on numbers alone: leave texts out (--drop) and gaps (--missing drop)",
            name,
        )
    return steps[0] if steps else None


def write_text(
    model: Any, path: str, kind: ModelFormat, scaling: StandardScaler | None
) -> list[str]:
    """Write the machine, and beside it the scaling as svm-scale's file; say what is to be known.

    Parameters
    ----------
    model : estimator
        The machine, or a pipeline that ends with it.
    path : str
        Where to.
    kind : ModelFormat
        LIBSVM's or LIBLINEAR's.
    scaling : StandardScaler or None
        What `scaling_of` found.

    Returns
    -------
    list of str
        What to say.

    Examples
    --------
    >>> import os
    >>> from maxmargin import SVC
    >>> machine = SVC().fit([[0.0], [1.0]], ["no", "yes"])
    >>> write_text(machine, os.devnull, ModelFormat.LIBSVM, None)
    ['class 0 is no', 'class 1 is yes']
    """
    machine, said = model[-1] if isinstance(model, Pipeline) else model, []
    names = getattr(machine, "classes_", np.zeros(0))
    if names.dtype.kind in "OU":
        machine = _numbered(machine)
        said += [f"class {k} is {name}" for k, name in enumerate(names)]
    write_model(machine, path, kind, {})
    if scaling is not None:
        with replacing(ranges_path(path)) as stream:
            stream.write(_ranges(scaling).encode())
        said.append(f"scale data for it first: svm-scale -r {ranges_path(path)} data.txt")
    return said


def ranges_path(path: str) -> str:
    """Return where the scaling of a model goes.

    Examples
    --------
    >>> ranges_path("model.txt")
    'model.txt.range'
    """
    return f"{path}.range"


def _ranges(scaling: StandardScaler) -> str:
    """svm-scale's file: what becomes -1 and 1, which is a deviation below and above the mean."""
    mean = scaling.mean_ if scaling.with_mean else np.zeros(len(scaling.scale_))
    bounds = zip((mean - scaling.scale_).tolist(), (mean + scaling.scale_).tolist(), strict=True)
    lines = [f"{k} {low!r} {high!r}" for k, (low, high) in enumerate(bounds, 1)]
    return "\n".join(["x", "-1 1", *lines, ""])


def _numbered(machine: Any) -> Any:
    """Put the numbers of its classes in the place of their names."""
    numbered = copy.copy(machine)
    names = np.arange(len(machine.classes_))
    numbered.model_ = replace(machine.model_, classes=replace(machine.model_.classes, names=names))
    return numbered
