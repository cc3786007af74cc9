"""What is exported: the transformers of a pipeline in their order, and the machine at its end."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.validation import check_is_fitted

from maxmargin.estimators import OneClassSVM
from maxmargin.estimators.machine import Machine
from maxmargin.export.error import ExportError
from maxmargin.export.linear import linear_weights
from maxmargin.kernels import (
    RBF,
    Chi2,
    Columns,
    Constant,
    Cosine,
    Function,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Precomputed,
    Product,
    Scaled,
    Sigmoid,
    Sum,
)
from maxmargin.models import Calibration, Classes, KernelModel, LinearModel

Array: TypeAlias = NDArray[np.float64]

_LEAVES = (RBF, Laplacian, Chi2, Matern, Linear, Polynomial, Sigmoid, Cosine, Constant)


@dataclass(frozen=True)
class Expansion:
    """f_p(x) = sum_j weights[j, p] k(x, vectors[j]) + intercepts[p], without copies of vectors.

    Parameters
    ----------
    kernel : Kernel
        Of `maxmargin.kernels`; Linear where the machine is linear, in which case the vectors are
        the unit vectors and stand for nothing.
    vectors : ndarray of shape (m, d)
        Where the kernels stand; none of a linear machine.
    weights : ndarray of shape (m, p), or (d, p) of a linear machine
        One column per output.
    intercepts : ndarray of shape (p,)
        One per output.
    n_merged : int
        Support vectors that are left out: copies of others, and those that weigh nothing.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> Expansion.of(SVC(kernel="linear").fit([[0.0], [2.0]], [0, 1])).weights
    array([[1.]])
    """

    kernel: Kernel
    vectors: Array
    weights: Array
    intercepts: Array
    n_merged: int = 0

    @classmethod
    def of(cls, machine: Any) -> Expansion:
        """Return what a fitted machine computes.

        Parameters
        ----------
        machine : Machine
            Fitted.
        """
        model: KernelModel | LinearModel = machine.model_
        d = int(machine.n_features_in_)
        if d == 0:
            raise ExportError("the model has no features: its file tells none that is not zero")
        if isinstance(model, LinearModel):
            weights, intercepts = model.dense_coef.T, model.intercepts
            return cls(Linear(), np.zeros((0, d)), np.ascontiguousarray(weights), intercepts)
        check_kernel(model.kernel)
        vectors = np.asarray(
            model.vectors.toarray() if sparse.issparse(model.vectors) else model.vectors, np.float64
        )
        collapsed = linear_weights(model.kernel, vectors, model.support, model.weights, d)
        if len(vectors) == 0:  # a tube that holds all targets needs none
            collapsed = np.zeros((d, model.weights.shape[1])), np.zeros(model.weights.shape[1])
        if collapsed is not None:
            coef, constants = collapsed
            return cls(Linear(), np.zeros((0, d)), coef, model.intercepts + constants)
        distinct, weights = merged(vectors, model.weights)
        n_merged = len(vectors) - len(distinct)
        return cls(model.kernel, distinct, weights, model.intercepts, n_merged)

    @property
    def is_linear(self) -> bool:
        """Whether the weights are those of the features."""
        return len(self.vectors) == 0

    @property
    def n_features(self) -> int:
        """Number of features."""
        return int(self.vectors.shape[1])

    def rounding(self) -> float:
        """Return about what float32 rounds off an output at the vectors themselves."""
        if self.is_linear:
            sizes = np.abs(self.weights).sum(axis=0)
        else:
            values = self.kernel.expand(self.vectors, self.vectors, np.abs(self.weights))
            sizes = np.abs(values).max(axis=0)
        return float(4 * np.finfo(np.float32).eps * (sizes + np.abs(self.intercepts)).max())

    def rounded(self, dtype: Any) -> Expansion:
        """Return the expansion with vectors as a precision has them, those that are equal merged.

        Parameters
        ----------
        dtype : dtype
            float32 or float64.
        """
        if self.is_linear:
            return self
        with np.errstate(over="ignore"):
            near = self.vectors.astype(dtype).astype(np.float64)
        if not np.isfinite(near).all():
            raise ExportError(
                "a support vector has values beyond the range of float32; scale the data before "
                'the machine, or give dtype="float64"'
            )
        vectors, weights = merged(near, self.weights)
        n_merged = self.n_merged + len(near) - len(vectors)
        return replace(self, vectors=vectors, weights=weights, n_merged=n_merged)


def merged(vectors: Array, weights: Array) -> tuple[Array, Array]:
    """Leave out copies of vectors, and give the first of each the weights of all.

    Parameters
    ----------
    vectors, weights : ndarrays of shapes (m, d) and (m, p)
        Vectors, and a row of weights for each.

    Examples
    --------
    >>> merged(np.array([[2.0], [1.0], [2.0]]), np.array([[1.0], [2.0], [4.0]]))
    (array([[2.],
           [1.]]), array([[5.],
           [2.]]))
    """
    vectors = vectors + 0.0  # -0 is 0
    _, first, place = np.unique(vectors, axis=0, return_index=True, return_inverse=True)
    sums = np.zeros((len(first), weights.shape[1]))
    np.add.at(sums, place.reshape(-1), weights)
    order = np.argsort(first)  # as they were
    kept = order[sums[order].any(axis=1)] if sums.any() else order[:1]
    return np.ascontiguousarray(vectors[first[kept]]), np.ascontiguousarray(sums[kept])


def check_kernel(kernel: Kernel) -> None:
    """Refuse a kernel whose formula is not known here.

    Parameters
    ----------
    kernel : Kernel
        The kernel of a fitted machine.

    Examples
    --------
    >>> check_kernel(RBF(1.0) + Linear().on([0]))
    """
    if isinstance(kernel, Function):
        name = getattr(kernel.function, "__name__", repr(kernel.function))
        raise ExportError(
            f"kernel {name} is a function written in Python, which nothing else can run; write it "
            "as a kernel of maxmargin.kernels (these add, multiply and choose columns), or fit "
            'with kernel="precomputed" and export the machine on kernel values'
        )
    if isinstance(kernel, Sum | Product):
        for part in kernel.parts:
            check_kernel(part)
    elif isinstance(kernel, Scaled | Columns):
        check_kernel(kernel.kernel)
    elif type(kernel) not in (*_LEAVES, Precomputed):
        raise ExportError(
            f"kernel {kernel!r} is of the type {type(kernel).__name__}, whose formula is not known "
            "here; kernels of maxmargin.kernels, their sums and products can be exported"
        )


@dataclass(frozen=True, eq=False)
class Chain:
    """The transformers of a pipeline in their order, and the machine at its end.

    Parameters
    ----------
    steps : tuple of pairs
        Name and fitted transformer.
    machine : Machine
        Fitted.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from maxmargin import SVC
    >>> model = make_pipeline(StandardScaler(), SVC()).fit([[0.0], [1.0]], [0, 1])
    >>> [name for name, _ in Chain.of(model).steps]
    ['standardscaler']
    """

    steps: tuple[tuple[str, Any], ...]
    machine: Any

    @classmethod
    def of(cls, model: Any) -> Chain:
        """Take a model apart; refuse one that is not fitted or does not end with a machine.

        Parameters
        ----------
        model : estimator, pipeline or search
            Fitted.
        """
        steps: list[tuple[str, Any]] = []
        while not isinstance(model, Machine):
            if isinstance(model, Pipeline):
                steps += flat_steps(model.steps[:-1])
                model = model.steps[-1][1]
            elif hasattr(model, "best_estimator_"):  # a search, or SVCCV and its relatives
                model = model.best_estimator_
            else:
                _refuse(model)
        check_is_fitted(model)
        if getattr(model, "break_ties", False) and model.decision_function_shape == "ovo":
            raise ExportError(
                "break_ties is True and decision_function_shape 'ovo', with which the model itself "
                'predicts nothing; set decision_function_shape="ovr" or break_ties=False'
            )
        return cls(tuple(steps), model)

    @property
    def classes(self) -> Classes | None:
        """What the outputs speak for; None for a regression."""
        return self.machine.model_.classes  # type: ignore[no-any-return]

    def classes_in(self, dtype: Any, expansion: Expansion) -> Classes | None:
        """Return the classes as a precision decides them.

        Of one class, rows on the boundary, as every free support vector is, are inside: what is
        below the rounding of float32 counts as zero there.

        Parameters
        ----------
        dtype : dtype
            float32 or float64.
        expansion : Expansion
            What the machine computes.
        """
        if self.classes is None or not self.one_class or dtype == np.float64:
            return self.classes
        return replace(self.classes, rounding=max(self.classes.rounding, expansion.rounding()))

    @property
    def calibration(self) -> Calibration | None:
        """How outputs become probabilities."""
        return self.machine.model_.calibration  # type: ignore[no-any-return]

    @property
    def one_class(self) -> bool:
        """Whether outputs below their own rounding count as zero."""
        return isinstance(self.machine, OneClassSVM)

    @property
    def break_ties(self) -> bool:
        """Whether the highest score wins, instead of the first class with most votes."""
        return bool(getattr(self.machine, "break_ties", False))

    @property
    def scored(self) -> bool:
        """Whether `decision_function` is a score per class, made of outputs of pairs."""
        classes = self.classes
        if classes is None or len(classes.names) == 2 or classes.scheme == "ovr":
            return False
        return getattr(self.machine, "decision_function_shape", "ovr") == "ovr"

    def feature_names(self) -> list[str]:
        """Return the names of the columns that the model was fitted to, none where it has none."""
        first = self.steps[0][1] if self.steps else self.machine
        return [str(name) for name in getattr(first, "feature_names_in_", [])]


def flat_steps(steps: Any) -> list[tuple[str, Any]]:
    """List the transformers of a pipeline, those of pipelines inside it one by one.

    Parameters
    ----------
    steps : sequence of pairs
        Name and transformer.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> flat_steps([("a", "passthrough"), ("b", make_pipeline("passthrough"))])
    []
    """
    found: list[tuple[str, Any]] = []
    for name, step in steps:
        if isinstance(step, Pipeline):
            found += flat_steps(step.steps)
        elif not _does_nothing(step):
            check_is_fitted(step)
            found.append((name, step))
    return found


def _does_nothing(step: Any) -> bool:
    if isinstance(step, FunctionTransformer):  # as which ColumnTransformer has "passthrough"
        return step.func is None
    return step is None or (isinstance(step, str) and step == "passthrough")


def _refuse(model: Any) -> None:
    name = type(model).__name__
    if isinstance(model, type):
        raise TypeError(f"model is the class {model.__name__}; give a fitted estimator")
    if not hasattr(model, "fit"):
        raise TypeError(f"model is of the type {name}; it must be a fitted estimator or pipeline")
    if hasattr(model, "best_score_") or hasattr(model, "param_grid"):
        check_is_fitted(model)
        raise ExportError(f"{name} was fitted with refit=False and has no best model to export")
    check_is_fitted(model)
    raise ExportError(
        f"{name} is no machine of maxmargin; a pipeline must end with one. Where it holds one, "
        "call maxmargin.export.register_skl2onnx() and convert the whole with skl2onnx"
    )
