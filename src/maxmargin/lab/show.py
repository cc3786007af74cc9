"""A fitted model in the lab."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_array, check_is_fitted, column_or_1d

from maxmargin.estimators import SVC, SVR, NuSVC, NuSVR, OneClassSVM
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
from maxmargin.lab.page import LabPage
from maxmargin.lab.plane import plane_of
from maxmargin.lab.state import LabState

#: Matern kernels of the page, by their smoothness.
_MATERNS = {0.5: "matern12", 1.5: "matern32", 2.5: "matern52"}


def show(
    model: Any,
    X: ArrayLike,
    y: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    features: Sequence[str | int] | None = None,
) -> LabPage:
    """Show a fitted model in the lab: its data, kernel and parameters.

    The page solves the problem again, with the same compiled core. It draws two features, or one of
    a regression: with another number of them it shows the same machine on the columns that are
    chosen, or on the first principal components, and a warning says so.

    Parameters
    ----------
    model : SVC, NuSVC, SVR, NuSVR or OneClassSVM
        A fitted machine, or a pipeline that ends with one; then its other steps are applied to `X`.
    X : array or DataFrame of shape (n, d)
        The rows it was fitted to.
    y : array of shape (n,), optional
        Their labels or targets; none for one class.
    sample_weight : array of shape (n,), optional
        The weights it was fitted with.
    features : sequence of str or int, optional
        Which columns to draw, by name or by place from 0.

    Returns
    -------
    LabPage
        What a notebook shows as a page; `save` writes it to a file.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> X, y = [[0.0, 0.0], [1.0, 0.0], [3.0, 1.0]], ["left", "right", "right"]
    >>> page = show(SVC(kernel="linear", C=10.0).fit(X, y), X, y)
    >>> page.state.classes, page.state.parameters
    (('left', 'right'), {'kernel': 'linear', 'formulation': 'C', 'C': 10.0})
    """
    machine, rows, names = _machine(model, X)
    task = _task(machine)
    plane = plane_of(rows, names, 1 if task == "regression" else 2, features)
    if plane.note:
        warnings.warn(
            f"{plane.note}: what you see is a machine with the same parameters, fitted to what is "
            "shown.",
            stacklevel=2,
        )
    weight = (
        np.ones(len(rows)) if sample_weight is None else column_or_1d(sample_weight, dtype=float)
    )
    target, classes, weight = _targets(machine, task, y, weight, len(rows))
    if task == "margins" and len(classes) > 2:
        task = "multi-class"
    state = LabState(
        name=f"data of {type(machine).__name__}",
        points=plane.points,
        y=target,
        features=plane.features,
        classes=classes,
        view=task,
        weight=None if (weight == 1).all() else weight,
        parameters={**_kernel(machine.model_.kernel), **_parameters(machine)},
    )
    return LabPage(state)


def _machine(model: Any, X: Any) -> tuple[Any, NDArray[np.float64], list[str]]:
    """Return the machine, the rows that reach it, and the names of their columns."""
    check_is_fitted(model)
    names = getattr(X, "columns", None)
    if isinstance(model, Pipeline):
        before = model[:-1]
        if hasattr(before, "get_feature_names_out"):
            names = before.get_feature_names_out(names)
        X, model = before.transform(X), model[-1]
    if not isinstance(model, SVC | NuSVC | SVR | NuSVR | OneClassSVM):
        raise TypeError(
            f"model is {type(model).__name__}; the lab shows SVC, NuSVC, SVR, NuSVR and "
            "OneClassSVM, or a pipeline that ends with one of them."
        )
    rows = check_array(X, dtype=np.float64)
    if rows.shape[1] != model.n_features_in_:
        raise ValueError(
            f"X has {rows.shape[1]} features, {type(model).__name__} was fitted to "
            f"{model.n_features_in_}."
        )
    if names is None:
        names = [f"x{k + 1}" for k in range(rows.shape[1])]
    return model, rows, [str(name) for name in names]


def _task(machine: Any) -> str:
    if isinstance(machine, OneClassSVM):
        return "one-class"
    return "regression" if isinstance(machine, SVR | NuSVR) else "margins"


def _targets(
    machine: Any, task: str, y: Any, weight: NDArray[np.float64], n: int
) -> tuple[NDArray[np.float64], tuple[str, ...], NDArray[np.float64]]:
    """Return targets as the page has them, the names of the classes, and the rows' weights."""
    if task == "one-class":
        return np.ones(n), ("data",), weight
    if y is None:
        raise ValueError(f"y is None; {type(machine).__name__} was fitted to labels or targets.")
    name = str(getattr(y, "name", None) or "target")
    y = column_or_1d(y)
    if len(y) != n:
        raise ValueError(f"X has {n} rows, y has {len(y)}.")
    if task == "regression":
        return np.asarray(y, np.float64), (name,), weight
    classes = machine.classes_
    codes = np.searchsorted(classes, y)
    if not (classes[np.minimum(codes, len(classes) - 1)] == y).all():
        raise ValueError(f"y has labels that {type(machine).__name__} was not fitted to.")
    target = np.where(codes == 1, 1.0, -1.0) if len(classes) == 2 else codes.astype(np.float64)
    return target, tuple(map(str, classes)), weight * np.asarray(machine.class_weight_)[codes]


def _parameters(machine: Any) -> dict[str, Any]:
    """Return the formulation and its parameters, as the page calls them."""
    if isinstance(machine, SVC):
        return {"formulation": "C" if machine.loss == "hinge" else "squared", "C": machine.C}
    if isinstance(machine, SVR):
        return {"formulation": "C", "C": machine.C, "epsilon": machine.epsilon}
    if isinstance(machine, NuSVR):
        return {"formulation": "nu", "C": machine.C, "nu": machine.nu}
    return {"formulation": "nu", "nu": machine.nu}


def _kernel(kernel: Kernel) -> dict[str, Any]:
    """Return a kernel as the page has it."""
    match kernel:
        case Linear():
            return {"kernel": "linear"}
        case Cosine():
            return {"kernel": "cosine"}
        case RBF() | Laplacian() | Chi2():
            return {"kernel": type(kernel).__name__.lower(), "gamma": kernel.gamma}
        case Sigmoid():
            return {"kernel": "sigmoid", "gamma": kernel.gamma, "coef0": kernel.coef0}
        case Polynomial():
            own = {"gamma": kernel.gamma, "coef0": kernel.coef0, "degree": kernel.degree}
            return {"kernel": "poly", **own}
        case Matern() if kernel.nu in _MATERNS:
            return {"kernel": _MATERNS[kernel.nu], "gamma": 1 / kernel.length_scale}
    raise TypeError(f"kernel is {kernel!r}, which the lab does not have.")
