"""Classification by kernel machines, one class against one: all but the formulation."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import assert_all_finite
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
)

from maxmargin.data import Dataset
from maxmargin.estimators.base import (
    KERNEL_RULES,
    KernelMachine,
    check_gram,
    check_weight,
    unchanged_on_error,
)
from maxmargin.estimators.callbacks import FitTasks, with_callbacks
from maxmargin.estimators.labels import distinct, numbers
from maxmargin.estimators.parameters import (
    ANY,
    BOOLEAN,
    Rule,
    check_parameters,
    one_of,
)
from maxmargin.estimators.warm_start import Memory
from maxmargin.kernels import Kernel
from maxmargin.models import (
    KernelModel,
    class_scores,
    highest_settled,
    signs_settled,
    vote,
    vote_settled,
)
from maxmargin.problems import (
    DualProblem,
    Pair,
    RowVariables,
    Solution,
    Status,
    one_vs_one,
    one_vs_rest,
)

CLASSIFIER_RULES: dict[str, Rule] = {
    **KERNEL_RULES,
    "multi_class": one_of("ovo", "ovr"),
    "decision_function_shape": one_of("ovr", "ovo"),
    "break_ties": BOOLEAN,
    "random_state": ANY,
}


@dataclass(frozen=True, eq=False)
class TrainingClasses:
    """Training rows with their classes as numbers; rows of weight zero are left out."""

    X: Any
    rows: NDArray[np.int64]  # places in the caller's data
    codes: NDArray[np.int64]
    weight: NDArray[np.float64]
    given: NDArray[np.float64] | None  # the caller's weights of all rows
    names: NDArray[Any]


def check_classes(X: Any, y: ArrayLike | None, sample_weight: ArrayLike | None) -> TrainingClasses:
    """Turn labels into class numbers, or say what is wrong with them.

    Parameters
    ----------
    X : rows
        Training rows, checked.
    y : array-like of shape (n,)
        Class labels.
    sample_weight : array-like of shape (n,) or None
        What each row counts.
    """
    whole = type(y) is np.ndarray and y.ndim == 1 and y.dtype.kind in "biu"
    labels: NDArray[Any] = np.asarray(y) if whole else column_or_1d(y, warn=True)
    if not whole:
        assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
    check_consistent_length(X, labels)
    weight = check_weight(sample_weight, labels)
    rows = np.flatnonzero(weight)
    names = distinct(labels[rows])
    codes = numbers(labels[rows], names)
    if whole and 2 * len(names) > len(labels):
        check_classification_targets(labels)  # warns that these may be no classes
    if len(names) < 2:
        raise ValueError(
            f"y has {len(names)} class {', '.join(map(str, names))} in the rows of positive "
            "weight; a classifier needs at least two classes. Use OneClassSVM for one."
        )
    given = None if sample_weight is None else weight
    return TrainingClasses(X, rows, codes, weight[rows], given, names)


def class_weights(
    class_weight: dict[Any, float] | Literal["balanced"] | None, classes: TrainingClasses
) -> NDArray[np.float64]:
    """Return the factor of C of each class.

    Parameters
    ----------
    class_weight : dict, "balanced" or None
        As scikit-learn takes it.
    classes : TrainingClasses
        The classes of the rows.
    """
    if class_weight is None:
        return np.ones(len(classes.names))
    if class_weight == "balanced":
        counts = np.bincount(classes.codes, classes.weight, len(classes.names))
        return np.asarray(classes.weight.sum() / (len(classes.names) * counts))
    factors = compute_class_weight(
        class_weight, classes=classes.names, y=classes.names[classes.codes]
    )
    bad = ~(np.isfinite(factors) & (factors > 0))
    if bad.any():
        k = int(np.argmax(bad))
        raise ValueError(
            f"class_weight of class {classes.names[k]} is {factors[k]}; it must be a finite "
            "number greater than 0."
        )
    return np.asarray(factors, np.float64)


class KernelClassifier(ClassifierMixin, KernelMachine):  # type: ignore[misc]
    """One-vs-one classification by kernel machines: all but the formulation."""

    _rules: ClassVar[dict[str, Rule]]
    #: Whether a row is stated alike whatever the others are: then all problems are stated at once.
    _row_by_row: ClassVar[bool] = True
    class_weight: dict[Any, float] | Literal["balanced"] | None
    multi_class: str
    decision_function_shape: str
    break_ties: bool

    @abstractmethod
    def _problem(self, data: Dataset, kernel: Kernel, rows: NDArray[np.int64]) -> DualProblem:
        """State the problem of one pair of classes."""

    # ---- Fitting ----------------------------------------------------------------------------

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; the kernel matrix if kernel="precomputed"; anything with a length if the
            kernel is a callable.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            Factor of C for each row: weight 2 is the row twice, weight 0 the row left out.

        Returns
        -------
        self : estimator
            The fitted estimator.
        """
        check_parameters(vars(self), self._rules)
        with unchanged_on_error(self):
            rows = self._fit(X, y, sample_weight)
        self._warn_if_not_converged(rows)
        return self

    @with_callbacks  # type: ignore[untyped-decorator]
    def _fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> Any:
        start = time.perf_counter()
        classes = self._check_training(X, y, sample_weight, reset=True)
        kernel = self._make_kernel(classes.X, classes.given)
        class_weight = class_weights(self.class_weight, classes)
        problems = self._problems(classes, kernel, class_weight)
        starts = self._starts(self._keys(classes), problems, classes.X)
        metadata = None if sample_weight is None else {"sample_weight": sample_weight}
        tasks = FitTasks(self, {"X": X, "y": y, "metadata": metadata}, len(problems))
        problems, solutions, status = self._solve(problems, starts, tasks, start)
        self._assign(classes, kernel, class_weight, problems, solutions, status)
        tasks.finish()
        return classes.X

    def _check_training(
        self, X: Any, y: ArrayLike | None, sample_weight: ArrayLike | None, *, reset: bool
    ) -> TrainingClasses:
        X = self._check_rows(X, reset=reset)
        classes = check_classes(X, y, sample_weight)
        return replace(classes, X=check_gram(X)) if self.kernel == "precomputed" else classes

    def _problems(
        self, classes: TrainingClasses, kernel: Kernel, class_weight: NDArray[np.float64]
    ) -> list[DualProblem]:
        kernel, X = self._stated(kernel, classes.X)
        weight = classes.weight * class_weight[classes.codes]
        pairs = self._split(classes)
        if not self._row_by_row:
            return [
                self._problem(
                    Dataset(X, pair.y, weight[pair.rows]), kernel, classes.rows[pair.rows]
                )
                for pair in pairs
            ]
        rows = np.concatenate([pair.rows for pair in pairs])
        data = Dataset(X, np.concatenate([pair.y for pair in pairs]), weight[rows])
        stated = self._problem(data, kernel, classes.rows[rows])
        return stated.cut([len(pair.rows) for pair in pairs])

    def _split(self, classes: TrainingClasses) -> list[Pair]:
        split = one_vs_one if self.multi_class == "ovo" else one_vs_rest
        return split(classes.codes, len(classes.names))

    def _keys(self, classes: TrainingClasses) -> list[Hashable]:
        """Name the classes that each problem is about."""
        names = classes.names.tolist()
        if self.multi_class == "ovr" and len(names) > 2:
            return [(name, None) for name in names]
        return list(combinations(names, 2))

    def _assign(
        self,
        classes: TrainingClasses,
        kernel: Kernel,
        class_weight: NDArray[np.float64],
        problems: list[DualProblem],
        solutions: list[Solution],
        status: Status,
    ) -> None:
        found = RowVariables.of(problems, [solution.b for solution in solutions])
        model = KernelModel.from_solutions(problems, solutions, kernel, found)
        codes = classes.codes[np.searchsorted(classes.rows, model.support)]
        order = np.argsort(codes, kind="stable")
        model, codes = model.reordered(order), codes[order]
        memory = Memory.of(self._keys(classes), found, solutions)
        self._assign_solutions(model, classes.X, solutions, status, memory)
        self.classes_ = classes.names
        self.class_weight_ = class_weight
        self.n_support_ = np.bincount(codes, minlength=len(classes.names)).astype(np.int32)
        pairs = len(classes.names) if self.multi_class == "ovo" else 2
        self.dual_coef_ = _dual_coef(model.weights, codes, pairs)
        self.n_iter_ = np.array([solution.iterations for solution in solutions], np.int32)

    # ---- Predicting -------------------------------------------------------------------------

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Score rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows; with a precomputed kernel, its values against all training rows or against the
            support vectors alone.

        Returns
        -------
        ndarray of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
            Two classes: positive speaks for `classes_[1]`. More: as `decision_function_shape` says.
        """
        decisions = self._decisions(X)
        if len(self.classes_) == 2:
            return decisions[:, 0]
        if self.decision_function_shape == "ovo" or self.multi_class == "ovr":
            return decisions
        return class_scores(decisions, len(self.classes_))

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict the class of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows, as in `decision_function`.

        Returns
        -------
        ndarray of shape (n_samples,)
            Class labels.
        """
        check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError(
                'break_ties is True and decision_function_shape is "ovo"; ties are broken by class '
                'scores, so decision_function_shape must be "ovr".'
            )
        n_classes = len(self.classes_)
        if n_classes == 2:
            codes = (self._settled(X, signs_settled)[:, 0] >= 0).astype(np.int64)
        elif self.multi_class == "ovr":
            codes = self._settled(X, highest_settled).argmax(axis=1)
        elif self.break_ties:
            codes = class_scores(self._decisions(X), n_classes).argmax(axis=1)
        else:
            codes = vote(self._settled(X, vote_settled), n_classes)
        return np.asarray(self.classes_[codes])

    # ---- Certifying -------------------------------------------------------------------------

    def _state_again(
        self, X: Any, y: ArrayLike | None, sample_weight: ArrayLike | None
    ) -> list[DualProblem]:
        classes = self._check_training(X, y, sample_weight, reset=False)
        if not np.array_equal(classes.names, self.classes_):
            raise ValueError(
                f"y has classes {classes.names} but the model was fitted to {self.classes_}; give "
                "the same data."
            )
        return self._as_solved(self._problems(classes, self._model.kernel, self.class_weight_))

    def _as_solved(self, problems: list[DualProblem]) -> list[DualProblem]:
        """State the problems that the solutions belong to, where they are not the given ones."""
        return problems

    # ---- Drawing ----------------------------------------------------------------------------

    def plot(
        self,
        X: Any,
        y: ArrayLike,
        *,
        ax: Any = None,
        features: Sequence[int | str] | str | None = None,
        fill: str | ArrayLike = "median",
        **options: Any,
    ) -> Any:
        """Draw the regions, the boundary, the margin, support vectors and slacks.

        Needs matplotlib, the extra `plot`. `maxmargin.plots` has more, and the numbers behind it.

        Parameters
        ----------
        X, y : array-likes
            The data the model was fitted to.
        ax : matplotlib Axes, optional
            Where to draw; by default a new figure.
        features : pair of int or str, "pca" or None
            The two features to show, or the plane in which the data vary most. None: the two there
            are, or "pca".
        fill : {"median", "mean"} or array-like of shape (n_features,)
            What the other features are fixed at.
        **options
            What to draw, as in `maxmargin.plots.BoundaryDisplay.plot`.

        Returns
        -------
        Axes
            Where it was drawn.
        """
        # The one import upwards, and only when asked for: a fit does not need matplotlib.
        from maxmargin.plots import BoundaryDisplay

        display = BoundaryDisplay.from_estimator(self, X, y, features=features, fill=fill)
        return display.plot(ax, **options)


def _dual_coef(
    weights: NDArray[np.float64], codes: NDArray[np.int64], n_classes: int
) -> NDArray[np.float64]:
    """Lay out as scikit-learn does: row r belongs to the pair with the r-th other class."""
    if n_classes == 2:
        return np.ascontiguousarray(weights.T)
    pair_of = np.zeros((n_classes, n_classes), np.int64)
    first, second = np.triu_indices(n_classes, 1)
    pair_of[first, second] = pair_of[second, first] = np.arange(len(first))
    coef = np.empty((n_classes - 1, len(codes)))
    for r in range(n_classes - 1):
        other = np.where(codes <= r, r + 1, r)
        coef[r] = weights[np.arange(len(codes)), pair_of[codes, other]]
    return coef
