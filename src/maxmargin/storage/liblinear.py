"""Models in LIBLINEAR's own text, read and written: f(x) = w'x + b, one column of w per class.

LIBLINEAR writes the intercept as the weight of a feature whose value is `bias` in every row. With
two classes there is one column, positive for the first label.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.linear_model import SGDOneClassSVM

from maxmargin.data.files import FileError, replacing
from maxmargin.data.files.source import display_name, open_source
from maxmargin.estimators import LinearSVC, LinearSVR
from maxmargin.models import Classes, LinearModel
from maxmargin.storage.fields import Fields, join_numbers, read_fields, whole_labels

#: LIBLINEAR's solvers and the penalty and loss of what they solve; of several the first is written.
CLASSIFIERS = {
    "L2R_LR": ("l2", "logistic"),
    "L2R_L2LOSS_SVC_DUAL": ("l2", "squared_hinge"),
    "L2R_L2LOSS_SVC": ("l2", "squared_hinge"),
    "L2R_L1LOSS_SVC_DUAL": ("l2", "hinge"),
    "L1R_L2LOSS_SVC": ("l1", "squared_hinge"),
    "L1R_LR": ("l1", "logistic"),
    "L2R_LR_DUAL": ("l2", "logistic"),
}
REGRESSORS = {
    "L2R_L2LOSS_SVR": "squared_epsilon_insensitive",
    "L2R_L2LOSS_SVR_DUAL": "squared_epsilon_insensitive",
    "L2R_L1LOSS_SVR_DUAL": "epsilon_insensitive",
}
ONE_CLASS = "ONECLASS_SVM"
#: Crammer and Singer's machine, which has a column for each class even where there are two.
ALL_AT_ONCE = "MCSVM_CS"
_MOST_CLASSES = 1_000_000


def read_liblinear_model(path: str | os.PathLike[str]) -> Any:
    """Read a model that LIBLINEAR's train wrote.

    Parameters
    ----------
    path : path-like
        The file.

    Returns
    -------
    LinearSVC, LinearSVR or scikit-learn's SGDOneClassSVM
        Fitted. The text has the decision function and which loss it is of; C and epsilon are left
        at their defaults, and there are no dual variables and no certificate.

    Raises
    ------
    FileError
        If the file is not such a model.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from maxmargin import SVC
    >>> from maxmargin.storage import read_liblinear_model, write_liblinear_model
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.txt"
    >>> write_liblinear_model(SVC(kernel="linear").fit([[0.0], [2.0]], [3, 7]), path)
    >>> read_liblinear_model(path).predict([[1.5]])
    array([7])
    """
    with open_source(path) as stream:
        text = stream.read()
    name = display_name(path)
    fields, body, n_lines = read_fields(text, "solver_type", "w", name)
    solver = fields.choice("solver_type", (*CLASSIFIERS, ALL_AT_ONCE, *REGRESSORS, ONE_CLASS))
    k = fields.integer("nr_class", 2, _MOST_CLASSES)
    d = fields.integer("nr_feature", 0, 2**31 - 1)
    (bias,) = fields.numbers("bias", 1)
    several = solver == ALL_AT_ONCE or (solver in CLASSIFIERS and k > 2)
    w = _read_weights(body, (d + (bias >= 0), k if several else 1), n_lines, name)
    coef, intercept = w[:, :d], (bias * w[:, d] if bias >= 0 else np.zeros(len(w)))
    if solver == ONE_CLASS:
        made: Any = SGDOneClassSVM()
        made.coef_, made.offset_ = coef, fields.numbers("rho", 1) - intercept
        made.n_features_in_, made.n_iter_ = d, 0
        return made
    constant: dict[str, Any] = {"fit_intercept": bool(bias > 0), "intercept": "penalized"}
    if bias > 0:
        constant["intercept_scaling"] = float(bias)
    if solver in REGRESSORS:
        return _filled(LinearSVR(loss=REGRESSORS[solver], **constant), coef, intercept)
    names, coef, intercept = _sorted_classes(fields, coef, intercept, k)
    if solver == ALL_AT_ONCE:
        made = LinearSVC(multi_class="crammer_singer", **constant)
    else:
        penalty, loss = CLASSIFIERS[solver]
        made = LinearSVC(penalty, loss, **constant)
    return _filled(made, coef, intercept, Classes(names, "ovr", zero=0))


def write_liblinear_model(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a fitted linear model as LIBLINEAR's text, for its predict and all who read that.

    Parameters
    ----------
    model : estimator
        Fitted and linear: `coef_` and `intercept_` say all about it. Classes must be whole numbers;
        with more than two there must be a score for each, not for each pair.
    path : path-like
        Where to; replaced when complete.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from maxmargin import SVR
    >>> from maxmargin.storage import write_liblinear_model
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.txt"
    >>> write_liblinear_model(SVR(kernel="linear", epsilon=0.0).fit([[0.0], [2.0]], [1, 2]), path)
    >>> print(path.read_text().partition("w")[0], end="")
    solver_type L2R_L1LOSS_SVR_DUAL
    nr_class 2
    nr_feature 1
    bias 1
    """
    try:
        coef = model.coef_
        coef = np.atleast_2d(coef.toarray() if sparse.issparse(coef) else np.asarray(coef))
    except AttributeError as error:
        raise TypeError(
            f"LIBLINEAR's models are linear, this {type(model).__name__} is not: it has no coef_. "
            "Of a pipeline, write the last step and transform the data first"
        ) from error
    head, intercept = _head(model, coef)
    biased = bool(np.any(intercept))
    weights = np.column_stack([coef, intercept]) if biased else coef
    if _at_once(model) and len(weights) == 1:  # the difference of two columns
        weights = np.concatenate([-weights / 2, weights / 2])
    head += [f"nr_feature {coef.shape[1]}", f"bias {1 if biased else -1}", *_rho(model), "w", ""]
    with replacing(path) as stream:
        stream.write("\n".join(head).encode())
        for column in weights.T:
            stream.write(f"{join_numbers(column)} \n".encode())


def _filled(
    made: Any,
    coef: NDArray[np.float64],
    intercept: NDArray[np.float64],
    classes: Classes | None = None,
) -> Any:
    """Set the model; the text does not tell how it was found: there are no solutions."""
    made.model_ = LinearModel.plain(np.ascontiguousarray(coef), intercept, classes)
    made.solutions_, made._n_rows, made.n_features_in_ = (), 0, coef.shape[1]
    return made


def _head(model: Any, coef: NDArray[np.float64]) -> tuple[list[str], NDArray[np.float64]]:
    if hasattr(model, "offset_"):
        return [f"solver_type {ONE_CLASS}", "nr_class 2"], np.zeros(1)
    intercept = np.broadcast_to(np.asarray(model.intercept_, np.float64), len(coef))
    if not hasattr(model, "classes_"):
        solver = _solver_of(REGRESSORS, getattr(model, "loss", None), "L2R_L1LOSS_SVR_DUAL")
        return [f"solver_type {solver}", "nr_class 2"], intercept
    labels = whole_labels(model.classes_)
    if _in_pairs(model):
        raise TypeError(
            f"LIBLINEAR has a score for each class; this {type(model).__name__} has one for each "
            "pair of classes: write it as LIBSVM's text"
        )
    if _at_once(model):
        names = f"label {' '.join(map(str, labels))}"
        return [f"solver_type {ALL_AT_ONCE}", f"nr_class {len(labels)}", names], intercept
    solved = getattr(model, "penalty", "l2"), getattr(model, "loss", None)
    solver = _solver_of(CLASSIFIERS, solved, "L2R_L1LOSS_SVC_DUAL")
    # Of two labels LIBLINEAR's score speaks for the first, ours for the second.
    order = labels if len(labels) > 2 else labels[::-1]
    names = f"label {' '.join(map(str, order))}"
    return [f"solver_type {solver}", f"nr_class {len(labels)}", names], intercept


def _at_once(model: Any) -> bool:
    """Whether all classes were one problem."""
    return getattr(model, "multi_class", None) == "crammer_singer"


def _solver_of(solvers: Mapping[str, Any], solved: Any, other: str) -> str:
    """Return the solver of this problem, or another where there is none: predictions are alike."""
    return next((name for name, problem in solvers.items() if problem == solved), other)


def _in_pairs(model: Any) -> bool:
    """Whether a kernel machine scores pairs of classes, of which three classes have as many."""
    return (
        len(model.classes_) > 2
        and hasattr(model, "dual_coef_")
        and (getattr(model, "multi_class", "ovo") == "ovo")
    )


def _rho(model: Any) -> list[str]:
    return [f"rho {join_numbers(np.ravel(model.offset_))}"] if hasattr(model, "offset_") else []


def _read_weights(
    body: bytes, shape: tuple[int, int], n_lines: int, name: str
) -> NDArray[np.float64]:
    """Read a line for each feature, a number for each output; one row per output is returned."""
    lines = body.rstrip().splitlines()
    if len(lines) != shape[0]:
        raise FileError(f"{shape[0]} lines of weights are needed but {len(lines)} follow", name)
    if shape[0] * shape[1] > len(body):
        raise FileError(f"the lines of weights lack numbers for {shape[1]} classes", name)
    w = np.zeros(shape[::-1])
    for i, line in enumerate(lines):
        try:
            w[:, i] = [float(word) for word in line.split(maxsplit=shape[1])]
        except ValueError as error:
            problem = f"{shape[1]} numbers are needed"
            raise FileError(problem, name, n_lines + i + 1) from error
    if not np.isfinite(w).all():
        raise FileError("a weight is not finite", name)
    return w


def _sorted_classes(
    fields: Fields, coef: NDArray[np.float64], intercept: NDArray[np.float64], k: int
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    labels = np.array(fields.integers("label", k, -(2**31), 2**31 - 1))
    if len(np.unique(labels)) != k:
        raise fields.error("label", "has a value twice")
    if len(coef) == 1:
        sign = 1.0 if labels[0] > labels[1] else -1.0
        return np.sort(labels), sign * coef, sign * intercept
    order = np.argsort(labels)
    if k == 2:  # two columns, as of Crammer and Singer: their difference is the score
        first, second = order
        coef, intercept = coef[[second]] - coef[[first]], intercept[[second]] - intercept[[first]]
        return labels[order], coef, intercept
    return labels[order], coef[order], intercept[order]
