"""Linear classification."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from maxmargin.data import ChunkedMatrix, Chunks, Dataset
from maxmargin.estimators.calibrated_classifier import (
    CALIBRATION_RULES,
    CalibratedClassifier,
    by_content,
)
from maxmargin.estimators.classes import ClassWeight, classification_data
from maxmargin.estimators.exact_linear_machine import LINEAR_RULES, ExactLinearMachine
from maxmargin.estimators.linear_machine import LinearClassifier
from maxmargin.estimators.parameters import MAPPING, NONE, Rule, keep, one_of
from maxmargin.estimators.training import Training
from maxmargin.losses import L1, L2, Hinge, named_loss
from maxmargin.problems import (
    CrammerSingerProblem,
    LinearProblem,
    crammer_singer_problem,
    linear_problem,
    one_vs_rest,
)


class LinearSVC(LinearClassifier, CalibratedClassifier, ExactLinearMachine):
    """Linear classification, solved exactly and certified, with an intercept that is not penalised.

    Minimises 1/2 |w|^2 + C sum_i s_i h(y_i (w'x_i + b)) with s_i a row's weight; with more than two
    classes, for each class against the rest. With loss="hinge" it is `SVC(kernel="linear")`'s
    problem. With multi_class="crammer_singer" it minimises sum_c 1/2 |w_c|^2 +
    C sum_i s_i max(0, 1 + max_{c != y_i} f_c(x_i) - f_{y_i}(x_i)), f_c(x) = w_c'x + b_c.

    Where it differs from scikit-learn's is in docs/differences.md.

    Parameters
    ----------
    penalty : {"l2", "l1"}, default="l2"
        Penalty of the weights: 1/2 |w|^2, or |w|_1, which sets most of them to zero. "l1" goes with
        "squared_hinge" and "logistic" and has a method of its own.
    loss : {"squared_hinge", "hinge", "logistic"}, default="squared_hinge"
        h(z) is max(0, 1 - z)^2, max(0, 1 - z) or log(1 + exp(-z)).
    dual : "auto" or bool, default="auto"
        Accepted for compatibility: primal and dual are always both solved.
    tol : float, default=1e-4
        Upper bound of the relative duality gap. Small problems with many more rows than features
        are solved to float64 rounding.
    C : float, default=1.0
        Factor of the losses.
    multi_class : {"ovr", "crammer_singer"}, default="ovr"
        More than two classes: each against the rest, or all in one problem, which ignores
        `penalty`, `loss` and `dual` and has a method of its own. Two classes are one problem with
        `coef_` = w_1 - w_0; by "crammer_singer" it is the hinge's with 2 C, which is twice the
        objective above.
    fit_intercept : bool, default=True
        Whether there is an intercept.
    intercept_scaling : float, default=1
        With intercept="penalized", the constant feature's value.
    class_weight : dict or "balanced", default=None
        Factor of C for each class; "balanced" makes all classes count the same. With more than two
        classes by "ovr" it is the factor of a class against the rest, which counts as it is.
    verbose : bool or int, default=0
        Show a line of progress on standard error.
    random_state : int, RandomState or None, default=None
        Accepted for compatibility: results do not depend on it.
    max_iter : int, default=1000
        Most steps for each problem; -1 for a safety limit only.
    intercept : {"free", "penalized"}, default="free"
        Whether the intercept is left out of the penalty, or is the weight of a constant feature as
        in LIBLINEAR and scikit-learn.
    solver : {"auto", "newton", "newton-cg", "descent", "gram"}, default="auto"
        The method; "auto" chooses by fixed rules and tells in `solver_`. "newton" for many more
        rows than features, "gram" for few rows, "descent" for many features or not many more rows,
        "newton-cg" for many features; "descent" takes every loss but "logistic".
    time_limit : float or None, default=None
        Seconds for the whole fit; what is there by then is kept, and certified.
    callback : callable or None, default=None
        Called about every 100 ms with the latest row of the trace; returning True ends the fit.
    on_interrupt : {"raise", "keep"}, default="raise"
        Whether Ctrl-C raises and leaves the estimator as it was, or keeps the best model so far.
    n_jobs : int or None, default=None
        Threads; None for all cores, one inside parallel workers. Results do not depend on it.
    calibration : {"sigmoid", "venn-abers"} or None, default=None
        Whether there are probabilities, `predict_proba`: a sigmoid of the output of two classes, a
        softmax of more; or, of two classes, intervals too (`predict_proba_interval`). They are
        learnt from further fits, each without some of the rows, and agree with `predict`.
        Rows count by their content: neither their order nor a seed matters, and copies of a row
        are one row of their common weight. Not with a source of chunks.

    Attributes
    ----------
    coef_, intercept_, classes_, n_iter_, n_features_in_, feature_names_in_
        As in scikit-learn.
    support_ : ndarray of shape (n_SV,)
        Rows with a dual variable other than zero.
    dual_coef_ : ndarray of shape (n_outputs, n_SV)
        Their signed dual variables, exactly at their bounds where they are; an output is a problem,
        or a class of "crammer_singer", over which the variables of a row sum to zero.
    alpha_ : ndarray of shape (n_samples,), or (n_outputs, n_samples)
        The size of every row's dual variable.
    margin_ : ndarray of shape (n_outputs,)
        Geometric margin 1 / |w|.
    certificate_ : Certificate
        Primal, dual, gap and violation of each problem (`parts`).
    status_ : Status
        How the fit ended.
    history_ : structured ndarray
        How it got there: part, time, iterations, primal, dual, gap, violation, n_support; the
        violation is known at the end of each part.
    solver_ : str
        The method that was used.
    class_weight_ : ndarray of shape (n_classes,)
        Factor of C of each class.
    fit_report_ : dict
        What the fit has cost, as in `SVC`.
    model_, solutions_ : LinearModel, sequence of Solution
        What predicts, with the dual variables of the rows; and one solution per problem: status,
        certificate, trace, method.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import LinearSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = LinearSVC(loss="hinge").fit(X, y)
    >>> model.status_.name, bool(model.certificate_.gap < 1e-10)
    ('OPTIMAL', True)
    >>> model.predict(X[:3])
    array([0, 0, 0])
    """

    penalty: str
    multi_class: str
    class_weight: ClassWeight
    _rules: ClassVar[dict[str, Rule]] = {
        **LINEAR_RULES,
        **CALIBRATION_RULES,
        "penalty": one_of("l2", "l1"),
        "loss": one_of("squared_hinge", "hinge", "logistic"),
        "multi_class": one_of("ovr", "crammer_singer"),
        "class_weight": one_of("balanced") | MAPPING | NONE,
    }

    def __init__(
        self,
        penalty: str = "l2",
        loss: str = "squared_hinge",
        *,
        dual: str | bool = "auto",
        tol: float = 1e-4,
        C: float = 1.0,
        multi_class: str = "ovr",
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        verbose: bool | int = 0,
        random_state: Any = None,
        max_iter: int = 1000,
        intercept: str = "free",
        solver: str = "auto",
        time_limit: float | None = None,
        callback: Callable[[np.void], bool | None] | None = None,
        on_interrupt: str = "raise",
        n_jobs: int | None = None,
        calibration: str | None = None,
    ) -> None:
        keep(self, locals())

    @property
    def _at_once(self) -> bool:
        """Whether all classes are one problem."""
        return self.multi_class == "crammer_singer"

    def _check_combination(self) -> None:
        if self._at_once:
            if self.solver != "auto":
                raise ValueError(
                    f'solver is {self.solver!r} and multi_class is "crammer_singer", which has a '
                    'method of its own; use solver="auto".'
                )
            return
        super()._check_combination()
        if self.penalty == "l1" and self.loss == "hinge":
            raise ValueError(
                "Unsupported set of arguments: Parameters: penalty='l1', loss='hinge', "
                f"dual={self.dual!r}; with an L1 penalty the loss must be 'squared_hinge' or "
                "'logistic'."
            )

    def _check(self, X: Any, y: Any, sample_weight: ArrayLike | None, *, reset: bool) -> Training:
        if self._at_once and isinstance(X, Chunks):
            raise ValueError(
                'multi_class is "crammer_singer", which goes through rows in any order; for a '
                'source of chunks it must be "ovr".'
            )
        X, y, sample_weight = self._scanned(X, y, sample_weight)
        rows = self._check_rows(X, reset=reset)
        data = classification_data(
            rows,
            y,
            sample_weight,
            self.class_weight,
            one_class="This solver needs samples of at least 2 classes in the data, but the data "
            "contains only one class",
            scheme="ovr",
            zero=0,
        )
        if self.calibration is None:
            return data
        self._check_method(data.classes)
        if isinstance(rows, ChunkedMatrix):
            raise ValueError(
                f"calibration is {self.calibration!r}, which needs rows in any order; for a source "
                "of chunks it must be None."
            )
        return by_content(data)

    def _state(self, data: Training) -> list[LinearProblem] | list[CrammerSingerProblem]:
        assert data.classes is not None
        assert data.class_weight is not None
        k, loss, C = len(data.classes.names), named_loss(self.loss), self.C
        penalty = L1() if self.penalty == "l1" else L2(factor=0.5)
        intercept, factors, problems = self._intercept(), data.class_weight[data.y], []
        if self._at_once and k > 2:
            weighted = Dataset(data.X, data.y, data.factors)
            return [crammer_singer_problem(weighted, C, intercept=intercept, rows=data.rows)]
        if self._at_once:  # w_0 = -w_1
            loss, penalty, C = Hinge(), L2(factor=0.5), 2 * C
        for labels in (pair.y for pair in one_vs_rest(data.y, k)):
            # As in LIBLINEAR, the rest of more than two classes counts as it is.
            own = factors if k == 2 else np.where(labels > 0, factors, 1.0)
            problems.append(
                linear_problem(
                    Dataset(data.X, labels, data.weight * own),
                    loss,
                    C,
                    intercept=intercept,
                    penalty=penalty,
                    rows=data.rows,
                )
            )
        return problems
