"""What SVCCV and SVRCV share: a grid from the data, a search, the machine that it has found."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.model_selection import ParameterGrid
from sklearn.utils.validation import check_is_fitted

from maxmargin.estimators.kernel_machine import KERNEL_RULES
from maxmargin.estimators.parameters import (
    BOOLEAN,
    NONE,
    POSITIVE_COUNT,
    Rule,
    check_parameters,
)
from maxmargin.selection.default_grid import (
    C_POWERS,
    GAMMA_POWERS,
    WITH_GAMMA,
    finer,
    middle_first,
    powers,
    sample,
    usual_c,
    usual_gamma,
)
from maxmargin.selection.grid_search import SEARCH_RULES, GridSearchCV
from maxmargin.selection.run import Evaluate

Array = NDArray[np.float64]


def _values(given: Any) -> bool:
    """Whether a parameter is a list of numbers that are positive."""
    if isinstance(given, str) or np.ndim(given) != 1:
        return False
    values = np.asarray(given)
    return len(values) > 0 and values.dtype.kind in "biuf" and bool((values > 0).all())


AXIS = POSITIVE_COUNT | Rule("be a list of numbers greater than 0", test=_values)
CV_RULES: dict[str, Rule] = {
    **SEARCH_RULES,
    "Cs": AXIS,
    "gammas": AXIS,
    "refine": BOOLEAN,
    "n_iter": POSITIVE_COUNT | NONE,
    **{name: KERNEL_RULES[name] for name in ("kernel", "degree", "coef0", "tol", "cache_size")},
}


class RefinedSearch(GridSearchCV):
    """A search of a grid, and then about the best of it.

    Parameters
    ----------
    estimator : estimator
        The machine.
    axes : dict of str to ndarray
        The values of the grid.
    own : set of str
        Those of them that the data have chosen, and that are refined.
    n_iter : int or None
        Most candidates.
    **options
        As in `GridSearchCV`.
    """

    def __init__(
        self,
        estimator: Any,
        axes: dict[str, Array],
        own: set[str],
        n_iter: int | None = None,
        **options: Any,
    ) -> None:
        grid = {name: list(map(float, values)) for name, values in axes.items()}
        super().__init__(estimator, grid, **options)
        self.axes = axes
        self.own = own
        self.n_iter = n_iter

    def _rounds(self, evaluate: Evaluate) -> None:
        limited = self.n_iter is not None or self.time_limit is not None
        coarse = middle_first(self.axes) if limited else list(ParameterGrid(self.param_grid))
        left = None
        if self.n_iter is not None:
            # A quarter for the neighbourhood of the best.
            coarse = coarse[: max(1, self.n_iter - self.n_iter // 4 * bool(self.own))]
            left = self.n_iter - len(coarse)
        results = evaluate(coarse)
        if not self.own:
            return
        metric = self.refit if isinstance(self.refit, str) else "score"
        best = results["params"][int(np.argmin(results[f"rank_test_{metric}"]))]
        fine = finer(self.axes, best, self.own)[:left]
        if fine:
            evaluate(fine)


class KernelCV(BaseEstimator):  # type: ignore[misc]
    """Base of the machines that choose their parameters by cross-validation."""

    _rules: ClassVar[dict[str, Rule]]
    #: How the grid is searched.
    _search: ClassVar[type[RefinedSearch]] = RefinedSearch
    #: The parameters of the machine that are passed on as they are.
    _passed: ClassVar[tuple[str, ...]] = ("kernel", "degree", "coef0", "tol", "cache_size")
    Cs: Any
    gammas: Any
    kernel: str | Callable[..., Any]
    degree: int
    coef0: float
    cv: Any
    scoring: Any
    refit: Any
    refine: bool
    n_iter: int | None
    n_jobs: int | None
    verbose: int
    memory: float | str
    time_limit: float | None
    callback: Callable[..., bool | None] | None
    on_interrupt: str
    stages: bool | str | None
    search_: RefinedSearch
    n_features_in_: int

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.kernel != "precomputed"
        tags.input_tags.pairwise = self.kernel == "precomputed"
        return tags

    @abstractmethod
    def _machine(self, **params: Any) -> Any:
        """Return the machine that is searched for."""

    def _more_axes(self, y: Array, weight: Array) -> dict[str, tuple[Any, Array]]:
        """Return further axes: what was given, and their values."""
        return {}

    def _unit(self, y: Array, weight: Array) -> float:
        """Return what C is measured in beside the kernel."""
        return 1.0

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        groups: ArrayLike | None = None,
    ) -> Self:
        """Choose the parameters, and fit the machine to all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows; the kernel matrix if kernel="precomputed".
        y : array-like of shape (n_samples,)
            Class labels, or targets of a regression.
        sample_weight : array-like of shape (n_samples,), optional
            What each row counts.
        groups : array-like of shape (n_samples,), optional
            For splitters that keep groups together.

        Returns
        -------
        self : estimator
            The fitted estimator.
        """
        check_parameters(vars(self), self._rules)
        axes, own = self._axes(X, y, sample_weight)
        search = self._search(
            self._machine(**{name: getattr(self, name) for name in self._passed}),
            axes,
            own if self.refine else set(),
            self.n_iter,
            **{
                name: getattr(self, name)
                for name in ("cv", "scoring", "refit", "n_jobs", "verbose", *SEARCH_RULES)
            },
        )
        given = {"sample_weight": sample_weight, "groups": groups}
        search.fit(X, y, **{name: v for name, v in given.items() if v is not None})
        self._take(search, axes)
        return self

    def _axes(self, X: Any, y: Any, sample_weight: Any) -> tuple[dict[str, Array], set[str]]:
        """Return the values of each parameter, and which of them the data have chosen."""
        machine = self._machine(kernel=self.kernel, degree=self.degree, coef0=self.coef0)
        if y is None:
            machine._refuse_missing_target(X)
        data = machine._check(X, y, sample_weight, reset=True)
        weight = np.ones(len(data.y)) if data.given is None else data.given
        has_gamma = isinstance(self.kernel, str) and self.kernel in WITH_GAMMA
        unit, gamma = self._unit(data.y, weight), 1.0
        if not machine._by_place():
            rows, some = sample(data.X, weight)
            gamma = usual_gamma(rows, str(self.kernel), some) if has_gamma else 1.0
            machine.set_params(gamma=gamma)
            unit *= usual_c(rows, machine._make_kernel(rows, None), some)
        found = {"C": (self.Cs, C_POWERS, unit)}
        if has_gamma:
            found["gamma"] = (self.gammas, GAMMA_POWERS, gamma)
        axes = {
            name: powers(int(given), ends, unit)
            if isinstance(given, int | np.integer)
            else np.sort(np.asarray(given, np.float64))
            for name, (given, ends, unit) in found.items()
        }
        own = {name for name, (given, *_) in found.items() if np.ndim(given) == 0}
        for name, (_, values) in self._more_axes(data.y, weight).items():
            axes[name] = values
        return axes, own

    def _take(self, search: RefinedSearch, axes: dict[str, Array]) -> None:
        """Set the attributes."""
        self.search_ = search
        self.cv_results_ = search.cv_results_
        self.search_report_ = search.search_report_
        self.Cs_, self.gammas_ = axes["C"], axes.get("gamma")
        self.scores_ = _grid_scores(search, axes)
        if not hasattr(search, "best_index_"):
            return
        self.best_index_, self.best_params_ = search.best_index_, search.best_params_
        metric = search.refit if isinstance(search.refit, str) else "score"
        if f"mean_test_{metric}" in search.cv_results_:
            self.best_score_ = search.cv_results_[f"mean_test_{metric}"][search.best_index_]
        self.C_ = search.best_params_["C"]
        if "gamma" in axes:
            self.gamma_ = search.best_params_["gamma"]
        if "epsilon" in axes:
            self.epsilon_ = search.best_params_["epsilon"]
        if self.refit:
            self.best_estimator_ = best = search.best_estimator_
            for name in ("n_features_in_", "feature_names_in_", "classes_"):
                if hasattr(best, name):
                    setattr(self, name, getattr(best, name))

    # ---- The fitted machine -----------------------------------------------------------------

    def _found(self) -> Any:
        check_is_fitted(self, "search_")
        if not self.refit:
            raise AttributeError(
                f"refit is {self.refit!r}: there is no fitted model. Set refit=True and fit again."
            )
        return self.best_estimator_

    def predict(self, X: Any) -> Any:
        """Predict rows by the machine that was found.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Classes, or targets.
        """
        return self._found().predict(X)

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """Score the machine that was found, by `scoring` where it is given.

        Parameters
        ----------
        X, y : array-likes
            Rows and what is known of them.
        sample_weight : array-like of shape (n_samples,), optional
            What each row counts; for the default score.

        Returns
        -------
        float
            The score.
        """
        if self.scoring is None:
            return float(self._found().score(X, y, sample_weight))
        self._found()
        return float(self.search_.score(X, y))

    # ---- Drawing ----------------------------------------------------------------------------

    def display(self) -> Any:
        """Return the picture of the search as data, as in `GridSearchCV`."""
        check_is_fitted(self, "search_")
        return self.search_.display()

    def plot(self, ax: Any = None) -> Any:
        """Draw the search, as in `GridSearchCV`.

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


def _grid_scores(search: RefinedSearch, axes: dict[str, Array]) -> Array:
    """Return the scores of the grid by split and by axis; NaN where it was not reached."""
    results, shape = search.cv_results_, [len(axis) for axis in axes.values()]
    name = next(key for key in results if key.startswith("split0_test_"))
    scores = np.full((search.n_splits_, *shape), np.nan)
    places = [{float(v): k for k, v in enumerate(axis)} for axis in axes.values()]
    for row, params in enumerate(results["params"]):
        at = [known.get(params[axis]) for axis, known in zip(axes, places, strict=True)]
        if None not in at:
            for split in range(search.n_splits_):
                key = name.replace("split0", f"split{split}", 1)
                scores[(split, *at)] = results[key][row]
    return scores
