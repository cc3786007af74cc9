"""Support vector classification that chooses C and gamma."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal

from sklearn.base import ClassifierMixin
from sklearn.utils.metaestimators import available_if

from maxmargin.estimators import SVC
from maxmargin.estimators.kernel_classifier import CLASSIFIER_RULES
from maxmargin.estimators.parameters import Rule, keep
from maxmargin.selection.kernel_cv import CV_RULES, KernelCV
from maxmargin.selection.watch import SearchProgress


def _calibrated(machine: Any) -> bool:
    if machine.calibration is None:
        raise AttributeError(
            'predict_proba is not available when calibration=None: set calibration="sigmoid"'
        )
    return True


class SVCCV(ClassifierMixin, KernelCV):  # type: ignore[misc]
    """Support vector classification that chooses C and gamma by cross-validation.

    The grid comes from the data: gamma about one over the median squared distance of rows, C in
    units of the kernel. Then the neighbourhood of the best is searched at a quarter of the steps.
    All folds and C share their work, as in `GridSearchCV`.

    Parameters
    ----------
    Cs, gammas : int or list of float, default=11 and 10
        How many values, which the data choose, or the values. Kernels without gamma have none.
    kernel, degree, coef0, tol, cache_size, class_weight, break_ties, decision_function_shape
        As in `SVC`.
    cv, scoring, refit, verbose
        As in `GridSearchCV`: cv="loo" leaves out every row, from one fit a candidate;
        `refit=selection.simplest` for the one-standard-error rule.
    refine : bool, default=True
        Whether to search about the best, for parameters whose values the data choose.
    n_iter : int or None, default=None
        Most candidates to judge, those in the middle of the grid first.
    n_jobs, memory, time_limit, callback, on_interrupt
        As in `GridSearchCV`.
    stages : True, "auto" or None, default="auto"
        As in `GridSearchCV`: with more than 20,000 rows not all candidates are judged on all rows,
        and a warning says so.
    calibration : {"sigmoid", "venn-abers"} or None, default=None
        Whether the machine that is found has probabilities, as in `SVC`.

    Attributes
    ----------
    C_, gamma_ : float
        What was chosen.
    Cs_, gammas_ : ndarray
        The grid.
    scores_ : ndarray of shape (n_splits, n_Cs, n_gammas)
        The scores of the grid; NaN where a search was stopped before.
    best_estimator_, best_params_, best_score_, best_index_, cv_results_, search_report_
        As in `GridSearchCV`; `cv_results_` has the refined candidates, too.
    search_ : GridSearchCV
        The search.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin.selection import SVCCV
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SVCCV(Cs=5, gammas=4).fit(X, y)
    >>> model.scores_.shape, bool(model.best_score_ > 0.97), model.predict(X[:2])
    ((5, 5, 4), True, array([0, 0]))
    """

    _rules: ClassVar[dict[str, Rule]] = {
        **CV_RULES,
        **{
            name: CLASSIFIER_RULES[name]
            for name in ("class_weight", "break_ties", "decision_function_shape", "calibration")
        },
    }
    _passed = (
        *KernelCV._passed,
        "class_weight",
        "break_ties",
        "decision_function_shape",
        "calibration",
    )
    calibration: str | None

    def __init__(
        self,
        *,
        Cs: Any = 11,
        gammas: Any = 10,
        kernel: str | Callable[..., Any] = "rbf",
        degree: int = 3,
        coef0: float = 0.0,
        cv: Any = None,
        scoring: Any = None,
        refit: Any = True,
        refine: bool = True,
        n_iter: int | None = None,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        tol: float = 1e-3,
        cache_size: float | Literal["auto"] = 200,
        break_ties: bool = False,
        decision_function_shape: str = "ovr",
        n_jobs: int | None = None,
        verbose: int = 0,
        memory: float | str = "auto",
        time_limit: float | None = None,
        callback: Callable[[SearchProgress], bool | None] | None = None,
        on_interrupt: str = "raise",
        stages: bool | str | None = "auto",
        calibration: str | None = None,
    ) -> None:
        keep(self, locals())

    score = KernelCV.score

    def _machine(self, **params: Any) -> SVC:
        return SVC(**params)

    def decision_function(self, X: Any) -> Any:
        """Score rows by the machine that was found.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray
            As in `SVC`.
        """
        return self._found().decision_function(X)

    @available_if(_calibrated)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Any:
        """Estimate the probability of each class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples, n_classes)
            As in `SVC`.
        """
        return self._found().predict_proba(X)
