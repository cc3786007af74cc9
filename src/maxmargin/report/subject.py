"""What a report is about: a fitted model, rows, and what the one says of the other."""

from __future__ import annotations

import enum
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import is_classifier, is_outlier_detector, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from maxmargin.report.columns import Columns
from maxmargin.report.origin import Provenance, provenance

Array = NDArray[np.float64]


class Task(enum.Enum):
    """What a model predicts.

    Examples
    --------
    >>> Task("one class").name
    'ONE_CLASS'
    """

    CLASSES = "classes"
    NUMBERS = "numbers"
    ONE_CLASS = "one class"


@dataclass(frozen=True, eq=False)
class Subject:
    """A fitted model and rows with their targets.

    Make it with `of`, which checks both.

    Parameters
    ----------
    model : estimator
        Fitted: a machine, or a pipeline that ends with one.
    search : estimator or None
        The search that has chosen its parameters.
    X : array-like, sparse matrix or data frame of shape (n, d)
        Rows.
    y : ndarray of shape (n,) or None
        Labels or targets; one class may have none.
    names : list of str
        What the rows are called.
    told : bool or None
        Whether the rows are those of the fit, as the user says.
    target : str
        What is predicted.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> X, y = [[-1.0], [1.0], [5.0]], ["left", "right", "right"]
    >>> subject = Subject.of(SVC(kernel="linear").fit(X, y), X, y)
    >>> subject.task, subject.margins
    (<Task.CLASSES: 'classes'>, array([1., 1., 5.]))
    """

    model: Any
    search: Any
    X: Any
    y: NDArray[Any] | None
    names: list[str]
    told: bool | None = None
    target: str = "target"

    @classmethod
    def of(
        cls, model: Any, X: Any, y: Any = None, *, names: Any = None, training: bool | None = None
    ) -> Subject:
        """Check a model and rows.

        Parameters
        ----------
        model, X, y, names, training
            As in `report_of`.
        """
        plain, search = _without_search(model)
        _check_model(plain)
        rows = X if hasattr(X, "shape") else np.asarray(X)
        _check_shape(plain, rows)
        targets = _targets(plain, rows.shape[0], y)
        labels = _row_names(rows, names)
        said = str(getattr(y, "name", None) or "target")
        return cls(plain, search, rows, targets, labels, training, said)

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def task(self) -> Task:
        """What is predicted."""
        return _task(self.model)

    @property
    def machine(self) -> Any:
        """The last step."""
        return self.model[-1] if isinstance(self.model, Pipeline) else self.model

    @property
    def n_fit(self) -> int | None:
        """Number of rows of the fit, where the model knows it."""
        shape = getattr(self.machine, "shape_fit_", (0,))
        # A model that was read from a text has 0.
        return int(getattr(self.machine, "_n_rows", shape[0])) or None

    @cached_property
    def columns(self) -> Columns:
        """The rows, column by column."""
        return Columns.of(self.X, getattr(self.model, "feature_names_in_", None))

    @cached_property
    def features(self) -> Any:
        """Rows as the last step sees them."""
        X = self.model[:-1].transform(self.X) if isinstance(self.model, Pipeline) else self.X
        return X if sparse.issparse(X) else np.asarray(X)

    @property
    def feature_names(self) -> list[str]:
        """What the columns of `features` are called."""
        width = self.features.shape[1]
        if isinstance(self.model, Pipeline):
            try:
                names = self.model[:-1].get_feature_names_out(self.columns.names)
            except (AttributeError, ValueError, TypeError):
                return [f"feature {j + 1}" for j in range(width)]
            return [str(name) for name in names]
        return self.columns.names

    @cached_property
    def provenance(self) -> Provenance:
        """Whether these are the rows of the fit."""
        return provenance(self.machine, self.features, self.y, self.told)

    @cached_property
    def _timed(self) -> tuple[NDArray[Any], float]:
        began = perf_counter()
        predicted = np.asarray(self.model.predict(self.X))
        return predicted, perf_counter() - began

    @property
    def predicted(self) -> NDArray[Any]:
        """What the model says of each row."""
        return self._timed[0]

    @property
    def seconds(self) -> float:
        """How long it took to predict all rows."""
        return self._timed[1]

    @property
    def classes(self) -> NDArray[Any]:
        """Labels in the order of their codes; outliers and inliers of one class."""
        if self.task is Task.ONE_CLASS:
            return np.array([-1, 1])
        return np.asarray(self.model.classes_)

    @cached_property
    def codes(self) -> NDArray[np.int64]:
        """Numbers of the labels in `classes`."""
        assert self.y is not None
        places = {label: code for code, label in enumerate(self.classes.tolist())}
        return np.array([places[label] for label in self.y.tolist()], np.int64)

    @cached_property
    def probabilities(self) -> Array | None:
        """Probabilities of the classes, where the model has them."""
        if not hasattr(self.model, "predict_proba"):
            return None
        return np.asarray(self.model.predict_proba(self.X), np.float64)

    @cached_property
    def scores(self) -> Array | None:
        """One score per class: decision values, or else probabilities; one column for two."""
        if not hasattr(self.model, "decision_function"):
            P = self.probabilities
            return None if P is None else P[:, 1:] if P.shape[1] == 2 else P
        model = self.model
        if getattr(self.machine, "decision_function_shape", "ovr") == "ovo":
            machine = copy(self.machine)
            machine.decision_function_shape = "ovr"
            steps = model.steps[:-1] if isinstance(model, Pipeline) else []
            model = Pipeline([*steps, ("machine", machine)])
        values = np.asarray(model.decision_function(self.X), np.float64)
        return values.reshape(self.n, -1)

    @cached_property
    def margins(self) -> Array | None:
        """How far each row is on its own side; what that means is `margin_kind`.

        Two classes: y f(x). More: the lead of its class, as in `maxmargin.plots.LeadDisplay`. One
        class: f(x).
        """
        if self.task is Task.NUMBERS or not hasattr(self.model, "decision_function"):
            return None
        if self.task is Task.ONE_CLASS:
            return np.asarray(self.model.decision_function(self.X), np.float64).ravel()
        if len(self.classes) == 2:
            assert self.scores is not None
            return np.where(self.codes == 1, 1.0, -1.0) * self.scores[:, 0]
        from maxmargin.plots.classifier import Classifier

        return Classifier(self.model, self.X).leads(self.codes)

    @property
    def has_slack(self) -> bool:
        """Whether a margin below 1 is a slack: the model was fitted by a hinge."""
        machine = self.machine
        if self.task is not Task.CLASSES:
            return False
        hinge = getattr(machine, "loss", None) in ("hinge", "squared_hinge")
        hinge = hinge or hasattr(machine, "support_vectors_")
        pairs = len(self.classes) == 2 or hasattr(machine, "decision_function_shape")
        whole = getattr(machine, "multi_class", None) == "crammer_singer"
        return hinge and (pairs or whole) and getattr(machine, "multi_class", "ovo") != "ovr"

    @property
    def epsilon(self) -> float | None:
        """Half the width of a regression's tube, if it has one."""
        from maxmargin.plots.regression import tube_of

        return tube_of(self.model) if self.task is Task.NUMBERS else None


def _task(model: Any) -> Task:
    if is_outlier_detector(model):
        return Task.ONE_CLASS
    return Task.CLASSES if is_classifier(model) else Task.NUMBERS


def _without_search(model: Any) -> tuple[Any, Any]:
    """Return the model that a search has found, alone or at the end of a pipeline, and it."""
    if isinstance(model, Pipeline):
        last, search = _without_search(model[-1])
        if search is None:
            return model, None
        inner = last.steps if isinstance(last, Pipeline) else [("machine", last)]
        taken = {name for name, _ in model.steps[:-1]}
        inner = [(f"{name} " if name in taken else name, step) for name, step in inner]
        return Pipeline([*model.steps[:-1], *inner]), search
    if not hasattr(model, "cv_results_"):
        return model, None
    if not hasattr(model, "best_estimator_"):
        raise ValueError(
            f"model is a {type(model).__name__} with refit=False, which has chosen parameters but "
            "has no model; fit one with its best_params_, or use refit=True."
        )
    return model.best_estimator_, model


def _check_model(model: Any) -> None:
    last = model[-1] if isinstance(model, Pipeline) else model
    known = hasattr(model, "predict") and (
        is_classifier(model) or is_regressor(model) or is_outlier_detector(model)
    )
    if not known:
        raise TypeError(
            f"model is a {type(model).__name__}; a report is about a fitted classifier, "
            "regression or one-class machine, or a pipeline that ends with one."
        )
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise NotFittedError(
            f"model is a {type(last).__name__} that is not fitted; call fit(X, y) first."
        ) from None
    kernel = getattr(last, "kernel", None)
    if kernel == "precomputed":
        raise ValueError(
            'model has kernel="precomputed": it knows kernel values and no rows, so that there is '
            "nothing to report on. Fit it with the kernel itself, e.g. a function of two blocks "
            "of rows."
        )


def _check_shape(model: Any, X: Any) -> None:
    if len(X.shape) != 2:
        raise ValueError(f"X has shape {tuple(X.shape)}; a report needs rows, shape (n, d).")
    if X.shape[0] == 0:
        raise ValueError("X has no rows; a report needs at least one.")
    names, width = getattr(model, "feature_names_in_", None), getattr(model, "n_features_in_", None)
    if names is not None and hasattr(X, "columns"):
        missing = [str(name) for name in names if name not in list(X.columns)]
        if missing:
            raise ValueError(
                f"X lacks the column {missing[0]!r}, which the model was fitted with; its columns "
                f"are {', '.join(map(str, list(X.columns)[:8]))}."
            )
    if width is not None and X.shape[1] != width:
        raise ValueError(f"X has {X.shape[1]} columns but the model was fitted to {width}.")


def _targets(model: Any, n: int, y: Any) -> NDArray[Any] | None:
    """Targets as an array of as many entries as there are rows, all known to the model."""
    task = _task(model)
    if y is None:
        if task is Task.ONE_CLASS:
            return None
        raise ValueError("y is None; a report compares predictions with labels or targets.")
    targets = np.asarray(y)
    if targets.shape != (n,):
        raise ValueError(f"y has shape {targets.shape}; one entry per row is needed, ({n},).")
    if task is Task.NUMBERS:
        try:
            numbers = targets.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                f"y has {targets[0]!r}, but the model predicts numbers: targets must be numbers."
            ) from None
        if not np.isfinite(numbers).all():
            place = int(np.flatnonzero(~np.isfinite(numbers))[0])
            raise ValueError(f"y[{place}] is {numbers[place]}; leave out rows without a target.")
        return numbers
    known = [-1, 1] if task is Task.ONE_CLASS else model.classes_.tolist()
    strangers = [label for label in dict.fromkeys(targets.tolist()) if label not in known]
    if strangers:
        shown = ", ".join(map(repr, known[:8])) + (", ..." if len(known) > 8 else "")
        raise ValueError(
            f"y has the label {strangers[0]!r}, which the model does not know; its classes are "
            f"{shown}."
        )
    return targets


def _row_names(X: Any, names: Any) -> list[str]:
    n = int(X.shape[0])
    if names is None:
        index = getattr(X, "index", None)
        return [str(name) for name in (range(n) if index is None or callable(index) else index)]
    labels = [str(name) for name in names]
    if len(labels) != n:
        raise ValueError(f"names has {len(labels)} entries; one per row is needed, {n}.")
    return labels
