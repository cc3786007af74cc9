"""One search on shared work, from its beginning to its end."""

from __future__ import annotations

import time
import traceback
import warnings
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning, FitFailedWarning
from sklearn.model_selection import check_cv
from sklearn.utils import indexable
from sklearn.utils.validation import _check_method_params, _num_samples

from maxmargin.estimators import AdviceWarning
from maxmargin.estimators.threads import count_threads
from maxmargin.selection.fold_rows import SearchData
from maxmargin.selection.judging import LEFT_OUT_COLUMNS
from maxmargin.selection.scoring import Scoring
from maxmargin.selection.sharing import NotShared, Subject
from maxmargin.selection.stages import LAST, sample_order, stage_sizes
from maxmargin.selection.table import Table
from maxmargin.selection.watch import SearchWatch

Results = dict[str, Any]
#: As `cv`: every row is left out, from one fit a candidate.
LEAVE_ONE_OUT = "loo"
#: So many candidates are named in a warning.
_NAMED = 5


class Evaluate(Protocol):
    """Judges candidates; returns `cv_results_` of all so far."""

    def __call__(self, candidates: list[dict[str, Any]], /) -> Results:
        """Judge candidates."""


class SearchRun:
    """One search on shared work.

    Parameters
    ----------
    search : GridSearchCV
        Whose attributes are set when it is complete, and not before.
    watch : SearchWatch
        Who may stop it.

    Attributes
    ----------
    splits : list or None
        The splits, once they are known.
    leaves_out : bool
        Whether rows are left out one by one, without a fit for each.
    """

    def __init__(self, search: Any, watch: SearchWatch) -> None:
        self.splits: list[Any] | None = None
        self.leaves_out = isinstance(search.cv, str) and search.cv == LEAVE_ONE_OUT
        self._search = search
        self._watch = watch
        self._results: Results = {}

    def share(self, X: Any, y: Any, params: dict[str, Any]) -> None:
        """Make the search, or say why it cannot be shared.

        Parameters
        ----------
        X, y, params
            As `fit` was given them.
        """
        self._prepare(X, y, params)
        search = self._search
        self._sizes = stage_sizes(self._data.n_rows, search.stages)
        search._rounds(self._evaluate)
        if not self._results:
            raise ValueError(
                "No fits were performed. Was the CV iterator empty? Were there no candidates?"
            )
        self._finish()

    def _prepare(self, X: Any, y: Any, params: dict[str, Any]) -> None:
        """Do what scikit-learn's search does before it begins, and check the data."""
        search = self._search
        self._scorer, self._metric = search._get_scorers()
        self._X, self._y = X, y = indexable(X, y)
        params = _check_method_params(X, params=params)
        routed = search._get_routed_params_for_fit(params)
        self._fit_params = routed.estimator.fit
        cv = [_all_rows(X)] if self.leaves_out else search.cv
        self._cv = check_cv(cv, y, classifier=is_classifier(search.estimator))
        n_splits = self._cv.get_n_splits(X, y, **routed.splitter.split)
        self.splits = list(self._cv.split(X, y, **routed.splitter.split))
        _check_splits(self.splits, n_splits)
        # After the splits, so that a search that is handed over has the same for all candidates.
        subject = Subject.of(search.estimator)
        if getattr(search, "_skl_callbacks", None):
            raise NotShared("the search has callbacks")
        weights = {
            "weight": _fit_weight(subject, self._fit_params),
            "score_weight": _score_weight(routed.scorer.score),
        }
        splits = [(_places(train), _places(test)) for train, test in self.splits]
        try:
            self._data = SearchData.of(subject, X, y, splits, **weights)
        except (ValueError, TypeError) as error:
            raise NotShared(f"the data are refused: {error}") from error
        self._table = Table(n_splits)
        self._watch.look_at(lambda: (self._table.params, self._table.scores))
        self._judge = search._judge(
            subject,
            self._data,
            Scoring(subject, self._data, search.scoring, self._scorer),
            self._table,
            self._watch,
            memory=search.memory,
            n_threads=count_threads(search.n_jobs),
            train_scores=search.return_train_score,
            leaves_out=self.leaves_out,
        )

    # ---- Judging ----------------------------------------------------------------------------

    def _evaluate(self, candidates: list[dict[str, Any]]) -> Results:
        """Judge candidates on all rows, or stage after stage."""
        n_splits = self._table.n_splits
        if self._watch.stopped:
            return self._results
        if self._search.verbose > 0:
            print(
                f"Fitting {n_splits} folds for each of {len(candidates)} candidates, totalling "
                f"{n_splits * len(candidates)} fits"
            )
        positions = self._table.add(candidates)
        for stage, size in enumerate(self._sizes):
            self._judge_on(positions, size)
            if self._watch.stopped:
                break
            if stage + 1 < len(self._sizes):
                last = stage + 2 == len(self._sizes)
                positions = self._best(positions, LAST if last else -(-len(positions) // 4))
        self._results = self._formatted()
        return self._results

    def _judge_on(self, positions: NDArray[np.int64], size: int) -> None:
        data = self._data
        if size < data.n_rows:
            data = data.on(sample_order(data.targets, data.names is not None)[:size])
        self._table.forget(positions)
        try:
            if self.leaves_out and not self._judge.fits(data):
                raise NotShared(
                    f"matrices of {size} rows do not fit in memory={self._search.memory!r}"
                )
            self._judge.judge(positions, data)
        except KeyboardInterrupt as error:
            self._watch.interrupted(error)
        except (ValueError, TypeError) as error:
            raise NotShared(f"the data are refused: {error}") from error
        self._table.n_rows[positions] = size
        if self._table.errors and self._search.error_score == "raise":
            (position, split), first = next(iter(self._table.errors.items()))
            first.add_note(f"in split {split} of {self._table.params[position]}")
            raise first

    def _best(self, positions: NDArray[np.int64], n: int) -> NDArray[np.int64]:
        """Return the candidates with the best mean scores."""
        means = self._table.mean_scores(self._metric_name())[positions]
        order = np.argsort(-np.where(np.isnan(means), -np.inf, means), kind="stable")
        return positions[np.sort(order[:n])]

    def _metric_name(self) -> str | None:
        """Return the score that decides, or None for the first."""
        metric = self._metric
        return metric if isinstance(metric, str) and metric in self._table.metrics else None

    # ---- Results ----------------------------------------------------------------------------

    def _formatted(self) -> Results:
        table, error_score = self._table, self._search.error_score
        if len(table.errors) == len(table.params) * table.n_splits:
            raise ValueError(_failures(table, error_score))
        for (position, split), _ in table.errors.items():
            for name in [name for name in table.columns if name.startswith(("test_", "train_"))]:
                table.put(name, np.array(position), split, error_score)
            for name in ("fit_time", "score_time"):
                table.put(name, np.array(position), split, 0.0)
        if not table.metrics:
            self._nothing()
        out = list(_out(table, self._search.return_train_score))
        more: dict[str, Any] = {
            "violation": _over_splits(np.nanmax, table.columns.get("violation")),
            "mean_n_support": _over_splits(np.nanmean, table.columns.get("n_support")),
        }
        for name in LEFT_OUT_COLUMNS:
            more[name] = _over_splits(np.nanmax, table.columns.get(name))
        more = {name: values for name, values in more.items() if values is not None}
        if len(self._sizes) > 1:
            more["n_rows"] = table.n_rows
        with warnings.catch_warnings():
            # Said once, at the end, with the candidates.
            warnings.filterwarnings("ignore", message="One or more of the", category=UserWarning)
            results: Results = self._search._format_results(
                list(table.params), table.n_splits, out, more
            )
        if len(self._sizes) > 1:
            _rank_by_stage(results, table.n_rows)
        return results

    def _nothing(self) -> None:
        """Say that there is no score at all."""
        reason = self._watch.stopped
        if reason == "it was interrupted":
            raise KeyboardInterrupt
        raise TimeoutError(
            f"The search ended before any candidate was judged in all splits: {reason}. Give it "
            "more time, or fewer rows or splits."
        )

    def _finish(self) -> None:
        """Choose, fit the best to all rows, and set the attributes."""
        search, results = self._search, self._results
        metric = self._metric
        multi = self._table.metrics != ["score"]
        if multi and callable(search.scoring):
            search._check_refit_for_multimetric(dict.fromkeys(self._table.metrics))
            metric = search.refit
        found: dict[str, Any] = {"multimetric_": multi, "n_splits_": self._table.n_splits}
        if search.refit or not multi:
            self._refuse_nothing(metric)
            found["best_index_"] = index = search._select_best_index(search.refit, metric, results)
            if not callable(search.refit):
                found["best_score_"] = results[f"mean_test_{metric}"][index]
            found["best_params_"] = results["params"][index]
        self._warn()
        seconds = self._watch.seconds
        if search.refit:
            best = clone(search.estimator).set_params(**clone(found["best_params_"], safe=False))
            began = time.time()
            best.fit(self._X, self._y, **self._fit_params)
            found["best_estimator_"], found["refit_time_"] = best, time.time() - began
            if hasattr(best, "feature_names_in_"):
                found["feature_names_in_"] = best.feature_names_in_
        found["scorer_"] = getattr(self._scorer, "_scorers", self._scorer)
        found["cv_results_"] = results
        found["_checked_cv_orig"] = self._cv
        found["search_report_"] = {
            "shared": True,
            "reason": "",
            "seconds": seconds,
            "n_fits": int(np.isfinite(self._table.columns["fit_time"]).sum()),
            "stopped": self._watch.stopped,
        }
        if len(self._sizes) > 1:
            found["search_report_"]["stages"] = self._sizes
        vars(search).update(found)

    def _refuse_nothing(self, metric: Any) -> None:
        means = self._results.get(f"mean_test_{metric}" if isinstance(metric, str) else "", ())
        if self._watch.stopped and len(means) and not np.isfinite(means).any():
            self._nothing()

    def _warn(self) -> None:
        """Say what went wrong, with the candidates that it went wrong for."""
        table, stopped = self._table, self._watch.stopped
        if table.errors:
            warnings.warn(_failures(table, self._search.error_score), FitFailedWarning, 5)
        if stopped:
            judged = np.isfinite(table.scores).all(axis=1).sum()
            say_stopped(stopped, int(judged), 5)
        else:
            for key in (key for key in self._results if key.startswith("mean_t")):
                _say_not_finite(key, self._results)
        if len(self._sizes) > 1 and self._search.stages == "auto":
            warnings.warn(
                AdviceWarning(
                    f"The data have {self._data.n_rows} rows: candidates were judged on "
                    f"{', '.join(map(str, self._sizes))} rows, the best of each stage on more. "
                    "stages=None judges all of them on all rows."
                ),
                stacklevel=5,
            )


def say_stopped(stopped: str, n_judged: int, stacklevel: int = 4) -> None:
    """Warn of a search that was stopped.

    Parameters
    ----------
    stopped : str
        Why; nothing is said if it is empty.
    n_judged : int
        How many candidates were judged.
    stacklevel : int
        Of the warning.

    Examples
    --------
    >>> say_stopped("", 3)
    """
    if stopped:
        warnings.warn(
            f"The search ended early: {stopped}. The best of the {n_judged} candidates that were "
            "judged in all splits is kept.",
            ConvergenceWarning,
            stacklevel=stacklevel,
        )


def _check_splits(splits: Sequence[Any], n_splits: int) -> None:
    if len(splits) != n_splits:
        raise ValueError(
            f"cv.split and cv.get_n_splits return inconsistent results. Expected {n_splits} "
            f"splits, got {len(splits)}"
        )
    if n_splits == 0:
        raise NotShared("there are no splits")


def _all_rows(X: Any) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the one split of a search that leaves rows out one by one."""
    every = np.arange(_num_samples(X))
    return every, every


def _places(rows: Any) -> NDArray[np.int64]:
    """Return a side of a split as places of rows; splitters may yield masks."""
    places: NDArray[Any] = np.asarray(rows)
    return np.flatnonzero(places) if places.dtype == np.bool_ else places.astype(np.int64)


def _fit_weight(subject: Subject, params: dict[str, Any]) -> Any:
    """Return the weights of the rows in fits, which are all that a shared fit takes."""
    given = {name: value for name, value in params.items() if value is not None}
    weight = given.pop(f"{subject.prefix}sample_weight", None)
    if given:
        raise NotShared(f"fit takes {next(iter(given))}")
    return weight


def _score_weight(params: dict[str, Any]) -> Any:
    given = {name: value for name, value in params.items() if value is not None}
    weight = given.pop("sample_weight", None)
    if given:
        raise NotShared(f"the scorer takes {next(iter(given))}")
    return None if weight is None else np.asarray(weight)


def _out(table: Table, train: bool) -> Any:
    """Yield what scikit-learn's search makes its table of: candidates, and in them splits."""
    columns, metrics = table.columns, table.metrics
    fit, score = columns["fit_time"].tolist(), columns["score_time"].tolist()
    sides = {
        side: {name: columns[f"{side}_{name}"].tolist() for name in metrics}
        for side in (("test", "train") if train else ("test",))
    }
    single = metrics == ["score"]
    for p in range(len(table.params)):
        for s in range(table.n_splits):
            row = {"fit_time": fit[p][s], "score_time": score[p][s]}
            for side, values in sides.items():
                row[f"{side}_scores"] = (
                    values["score"][p][s]
                    if single
                    else {name: each[p][s] for name, each in values.items()}
                )
            yield row


def _over_splits(function: Any, values: NDArray[np.float64] | None) -> Any:
    """Reduce over the splits that are known."""
    if values is None:
        return None
    known = np.isfinite(values).any(axis=1)
    found = np.full(len(values), np.nan)
    found[known] = function(values[known], axis=1)
    return found


def _rank_by_stage(results: Results, n_rows: NDArray[np.int64]) -> None:
    """Rank candidates that were judged on more rows before all others."""
    for key in [key for key in results if key.startswith("rank_test_")]:
        means = results[key.replace("rank", "mean", 1)]
        low = np.where(np.isnan(means), -np.inf, means)
        order = rankdata(-low, method="min")
        results[key] = rankdata(order - n_rows * len(order), method="min").astype(np.int32)


def _named(params: Sequence[dict[str, Any]]) -> str:
    """Name some candidates."""
    names = ["; ".join(f"{k}={v!r}" for k, v in p.items()) or "the estimator" for p in params]
    more = f", and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(f"({name})" for name in names[:_NAMED]) + more


def _failures(table: Table, error_score: Any) -> str:
    """Return how many fits have failed, which, and how."""
    total = len(table.params) * table.n_splits
    kinds: dict[str, list[tuple[int, int]]] = {}
    for place, error in table.errors.items():
        kinds.setdefault("".join(traceback.format_exception(error)), []).append(place)
    details = "".join(
        f"\n{'-' * 80}\n{len(places)} fits failed, of {_named(_of(table, places))} in splits "
        f"{', '.join(map(str, sorted({split for _, split in places})))}, with this error:\n{text}"
        for text, places in kinds.items()
    )
    if len(table.errors) == total:
        return (
            f"\nAll the {total} fits failed.\nIt is very likely that your model is misconfigured.\n"
            "You can try to debug the error by setting error_score='raise'.\n\nBelow are more "
            f"details about the failures:{details}"
        )
    return (
        f"\n{len(table.errors)} fits failed out of a total of {total}.\nThe score on these "
        f"train-test partitions for these parameters will be set to {error_score}.\nIf these "
        "failures are not expected, you can try to debug them by setting error_score='raise'.\n\n"
        f"Below are more details about the failures:{details}"
    )


def _of(table: Table, places: list[tuple[int, int]]) -> list[dict[str, Any]]:
    return [table.params[p] for p in dict.fromkeys(position for position, _ in places)]


def _say_not_finite(key: str, results: Results) -> None:
    bad = np.flatnonzero(~np.isfinite(results[key]))
    if len(bad):
        side = key.removeprefix("mean_").split("_")[0]
        warnings.warn(
            f"One or more of the {side} scores are non-finite: {results[key]}; of "
            f"{_named([results['params'][p] for p in bad])}",
            UserWarning,
            stacklevel=6,
        )
