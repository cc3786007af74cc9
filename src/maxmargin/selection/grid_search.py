"""scikit-learn's grid search, on shared work."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn import model_selection
from sklearn.model_selection import ParameterGrid
from sklearn.utils._param_validation import StrOptions

from maxmargin.estimators.parameters import (
    CALLABLE,
    MEGABYTES,
    NONE,
    POSITIVE,
    Rule,
    check_parameters,
    one_of,
)
from maxmargin.selection.judging import Judge
from maxmargin.selection.run import LEAVE_ONE_OUT, Evaluate, SearchRun, say_stopped
from maxmargin.selection.sharing import NotShared
from maxmargin.selection.simplest import simplest
from maxmargin.selection.stages import STAGES
from maxmargin.selection.watch import SearchProgress, SearchWatch

#: Of the parameters that scikit-learn's search does not have.
SEARCH_RULES: dict[str, Rule] = {
    "memory": one_of("auto") | MEGABYTES,
    "time_limit": POSITIVE | NONE,
    "callback": CALLABLE | NONE,
    "on_interrupt": one_of("raise", "keep"),
    "stages": STAGES,
}


class GridSearchCV(model_selection.GridSearchCV):  # type: ignore[misc]
    """scikit-learn's GridSearchCV, with the work of all candidates and folds shared.

    For `SVC` and `SVR`, alone or at the end of a Pipeline: a kernel matrix is computed once for
    all folds and C, each solution begins where that of the smaller C ended, held-out rows are
    scored without a prediction, and the other steps of a pipeline are fitted once a fold. What
    cannot be shared (another estimator, other parameters, a scorer that looks into the model) is
    handed to scikit-learn's class; `search_report_` says which way it went, and why.

    Parameters
    ----------
    estimator, param_grid, scoring, refit, pre_dispatch, error_score, return_train_score
        As in scikit-learn.
    cv : int, splitter, iterable or "loo", default=None
        As in scikit-learn. "loo", for an `SVC` of two classes: every row is left out, from one fit
        a candidate (see `leave_one_out`). All rows are scored together, as one split, and
        `cv_results_` says for how many of them that is an approximation. gamma="scale" and
        balanced class weights are those of all rows.
    n_jobs : int or None, default=None
        Threads; None for all cores, one inside parallel workers. Results do not depend on it.
        Where the search is handed over, processes as in scikit-learn.
    verbose : int, default=0
        Show a line of progress on standard error.
    memory : float or "auto", default="auto"
        Megabytes for kernel matrices, 8 bytes for each pair of rows; "auto" is a quarter of what
        is free. If not even one fits, splits share the rows of it that they look at instead.
    time_limit : float or None, default=None
        Seconds for the search, without the refit. Candidates that are complete by then are kept,
        the others have NaN.
    callback : callable or None, default=None
        Called about every 100 ms with a `SearchProgress`; returning True ends the search.
    on_interrupt : {"raise", "keep"}, default="raise"
        Whether Ctrl-C raises, or ends the search with what it has.
    stages : True, "auto" or None, default=None
        Whether all candidates are judged on a sixteenth of the rows (at least 2,000) first, the
        best quarter of them on a quarter, and the best 20 on all; "auto" for more than 20,000
        rows. `cv_results_["n_rows"]` says on how many rows a candidate was judged last, and those
        that were judged on more rank first.

    Attributes
    ----------
    cv_results_ : dict of str to ndarray
        As in scikit-learn, and of shared searches `violation`, the largest over splits with the
        bound of its own error, and `mean_n_support`. With cv="loo" also `n_approximate`, the rows
        without which others would change their sets, so that their value is not exact, and
        `least_errors` and `most_errors` that n fits could find.
    search_report_ : dict
        Whether the work was `shared`; if not, for which `reason`; `seconds` of the search;
        `n_fits` that it has made; `stopped`, and why, or empty.
    best_estimator_, best_params_, best_score_, best_index_, scorer_, n_splits_, refit_time_, \
    multimetric_, classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC
    >>> from maxmargin.selection import GridSearchCV
    >>> X, y = load_iris(return_X_y=True)
    >>> search = GridSearchCV(SVC(), {"C": [1, 10, 100], "gamma": [0.01, 0.1]}).fit(X, y)
    >>> search.best_params_, search.best_score_.round(3).item(), search.search_report_["shared"]
    ({'C': 1, 'gamma': 0.1}, 0.98, True)
    """

    _rules: ClassVar[dict[str, Rule]] = SEARCH_RULES
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **model_selection.GridSearchCV._parameter_constraints,
        "cv": ["cv_object", StrOptions({LEAVE_ONE_OUT})],
    }
    cv: Any
    n_splits_: int
    cv_results_: dict[str, Any]
    _watch: SearchWatch

    def __init__(
        self,
        estimator: Any,
        param_grid: Any,
        *,
        scoring: Any = None,
        n_jobs: int | None = None,
        refit: Any = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: Any = "2*n_jobs",
        error_score: Any = np.nan,
        return_train_score: bool = False,
        memory: float | str = "auto",
        time_limit: float | None = None,
        callback: Callable[[SearchProgress], bool | None] | None = None,
        on_interrupt: str = "raise",
        stages: bool | str | None = None,
    ) -> None:
        super().__init__(
            estimator,
            param_grid,
            scoring=scoring,
            n_jobs=n_jobs,
            refit=refit,
            cv=cv,
            verbose=verbose,
            pre_dispatch=pre_dispatch,
            error_score=error_score,
            return_train_score=return_train_score,
        )
        self.memory = memory
        self.time_limit = time_limit
        self.callback = callback
        self.on_interrupt = on_interrupt
        self.stages = stages

    def fit(self, X: Any, y: Any = None, **params: Any) -> Self:
        """Judge all candidates, and fit the best to all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; the kernel matrix if the kernel is precomputed.
        y : array-like of shape (n_samples,)
            Class labels, or targets of a regression.
        **params
            As in scikit-learn: `sample_weight` for the estimator and, from scikit-learn 1.7 on,
            for scorers that take it, `groups` for the splitter.

        Returns
        -------
        self : estimator
            The fitted search.
        """
        self._validate_params()
        check_parameters(vars(self), self._rules)
        watch = SearchWatch(
            self.time_limit, self.callback, self.on_interrupt == "keep", self.verbose
        )
        run = SearchRun(self, watch)
        try:
            run.share(X, y, params)
        except NotShared as reason:
            if run.leaves_out:
                raise ValueError(
                    f'cv is "loo", which is not possible here: {reason}. cv=LeaveOneOut() of '
                    "scikit-learn makes a fit for each row and candidate."
                ) from reason
            return self._hand_over(run, str(reason), X, y, params)
        finally:
            watch.close()
        return self

    def _judge(self, *parts: Any, **options: Any) -> Judge:
        """Return who judges candidates."""
        return Judge(*parts, **options)

    def _hand_over(self, run: SearchRun, reason: str, X: Any, y: Any, params: Any) -> Self:
        """Let scikit-learn make the search, with the same splits."""
        self._watch, given = (
            SearchWatch(self.time_limit, self.callback, self.on_interrupt == "keep"),
            self.cv,
        )
        if run.splits is not None:  # which a generator yields only once
            self.cv = run.splits
        try:
            super().fit(X, y, **params)
        finally:
            self.cv = given
            watch = self._watch
            for name in ("_watch", "_so_far"):
                self.__dict__.pop(name, None)
        self.search_report_ = {
            "shared": False,
            "reason": reason,
            "seconds": watch.seconds,
            "n_fits": len(self.cv_results_["params"]) * self.n_splits_,
            "stopped": watch.stopped,
        }
        say_stopped(watch.stopped, len(self.cv_results_["params"]))
        return self

    # ---- Drawing ----------------------------------------------------------------------------

    def display(self) -> Any:
        """Return the picture of the search as data.

        Returns
        -------
        SearchDisplay or ValidationDisplay
            Of `maxmargin.plots`: a map of two parameters, or a curve along one.
        """
        return display_of(self)

    def plot(self, ax: Any = None) -> Any:
        """Draw the scores, their standard errors, training times and support vectors.

        Parameters
        ----------
        ax : array of matplotlib Axes, optional
            Where to draw, one for each panel; by default a new figure.

        Returns
        -------
        Axes or array of them
            Where it was drawn.
        """
        return self.display().plot(ax)

    # ---- Which candidates -------------------------------------------------------------------

    def _run_search(self, evaluate_candidates: Any, *, callback_ctx: Any = None) -> None:
        """Make a search that was handed over; where it may be stopped, one candidate at a time."""
        plain = type(self)._rounds is GridSearchCV._rounds and not self._watch.limited
        if not plain:
            self._rounds(lambda candidates: self._one_by_one(evaluate_candidates, candidates))
        elif callback_ctx is None:
            super()._run_search(evaluate_candidates)
        else:
            super()._run_search(evaluate_candidates, callback_ctx=callback_ctx)

    def _one_by_one(self, evaluate_candidates: Any, candidates: Sequence[dict[str, Any]]) -> Any:
        watch, results = self._watch, self.__dict__.get("_so_far")
        for place, candidate in enumerate(candidates):
            if watch.stopped:
                break
            try:
                results = evaluate_candidates([candidate])
            except KeyboardInterrupt as error:
                if results is None:
                    raise
                watch.interrupted(error)
                break
            look, n_splits = _seen(results)
            watch.look_at(look)
            watch.total += n_splits * (len(candidates) if place == 0 else 0)
            watch.finished(n_splits)
            watch.tick(0)
        self._so_far = results
        return results

    def _rounds(self, evaluate: Evaluate) -> None:
        """Have candidates judged; a search that goes by what it sees has several rounds.

        Parameters
        ----------
        evaluate : callable
            Judges candidates, and returns `cv_results_` of all so far.
        """
        evaluate(list(ParameterGrid(self.param_grid)))


def display_of(search: Any) -> Any:
    """Return a picture as data: a map where two parameters have several values, else a curve.

    Parameters
    ----------
    search : estimator
        Fitted, with `cv_results_`.
    """
    # An import to the side, and only when asked for: a search does not need matplotlib.
    from maxmargin.plots import SearchDisplay, ValidationDisplay

    results = search.cv_results_
    varied = [
        key.removeprefix("param_").rpartition("__")[2]
        for key, values in results.items()
        if key.startswith("param_") and len({v for v in values if isinstance(v, Real)}) > 1
    ]
    if len(varied) < 2:
        return ValidationDisplay.from_search(search, varied[0] if varied else "C")
    place = simplest(results) if "mean_test_score" in results else None
    return SearchDisplay.from_search(search, simplest=place)


def _seen(results: dict[str, Any]) -> tuple[Callable[[], tuple[list[Any], Any]], int]:
    """Return what a callback sees, candidates and the first of their scores; number of splits."""
    first = next(key for key in results if key.startswith("split0_test_"))
    metric = first.removeprefix("split0")
    columns = [results[key] for key in results if re.fullmatch(rf"split\d+{metric}", key)]
    return lambda: (results["params"], np.stack(columns, axis=1)), len(columns)
