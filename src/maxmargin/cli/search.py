"""Choosing C and gamma, and judging a model or the choice itself, by cross-validation."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import Pipeline

from maxmargin import SVC, SVR
from maxmargin.cli.bar import FitBar
from maxmargin.cli.scores import ClassScore, NumberScore, mean_interval
from maxmargin.cli.task import Task
from maxmargin.cli.terminal import GREEN, Terminal
from maxmargin.selection import GridSearchCV
from maxmargin.selection.memory import memory_bytes

#: How many folds a search has that nobody has asked for.
SEARCH_FOLDS = 5
#: Factors of C and of the usual gamma.
PENALTIES = 2.0 ** np.arange(-3, 13, 3)
WIDTHS = 2.0 ** np.arange(-6, 7, 3)
_BY_TIME, _BY_HAND = "by the time limit", "by Ctrl-C"


@dataclass(frozen=True)
class Search:
    """A search of the best C, and gamma where the kernel has one, among the models of a grid.

    Parameters
    ----------
    task : Task
        What is learnt.
    folds : int
        How many parts to leave out in turn.
    seconds : float, optional
        When to stop and take the best so far.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> search = Search(Task.CLASSIFICATION, 3)
    >>> with FitBar("searching", show=False) as bar:
    ...     found = search.run(SVC(kernel="linear"), X, y, bar)
    >>> found.best
    {'C': ...}
    """

    task: Task
    folds: int
    seconds: float | None = None

    def n_fits(self, model: Any) -> int:
        """Return how many fits it takes.

        Parameters
        ----------
        model : estimator
            The machine, or a pipeline that ends with it.
        """
        return self.folds * len(PENALTIES) * (len(WIDTHS) if _has_width(model) else 1)

    def run(self, model: Any, X: Any, y: NDArray[Any], bar: FitBar) -> Found:
        """Score all models of the grid, those in its middle first; Ctrl-C ends it with what it has.

        Parameters
        ----------
        model : estimator
            The machine, or a pipeline that ends with it.
        X, y : rows and targets
            The training data.
        bar : FitBar
            Where to show it.
        """
        grid = _grid(model, X, y)
        if shares_work(model, X):
            return self._shared(model, X, y, grid, bar)
        scores = np.full([len(values) for values in grid.values()], np.nan)
        deadline = np.inf if self.seconds is None else perf_counter() + self.seconds
        stopped = ""
        try:
            for place in _middle_first(scores.shape):
                values = {name: grid[name][k] for name, k in zip(grid, place, strict=True)}
                candidate = clone(model).set_params(**values)
                scores[place] = self._score(candidate, X, y, bar, deadline)
        except TimeoutError:
            stopped = _BY_TIME
        except KeyboardInterrupt:
            stopped = _BY_HAND
        return Found(grid, scores, self.folds, stopped)

    def _shared(
        self, model: Any, X: Any, y: NDArray[Any], grid: dict[str, NDArray[np.float64]], bar: FitBar
    ) -> Found:
        """Score all models of the grid on shared work, C after C of a gamma."""
        C, *widths = grid
        order = [place[1:] for place in _middle_first(tuple(map(len, grid.values())))]
        lines = [
            {C: grid[C], **{name: [grid[name][k]] for name, k in zip(widths, place, strict=True)}}
            for place in dict.fromkeys(order)
        ]
        quiet = unlimited(model)
        folds = list(splits(self.task, self.folds, X, y))
        search = GridSearchCV(
            quiet,
            lines,
            cv=folds,
            refit=False,
            n_jobs=_machine(model).n_jobs,
            time_limit=self.seconds,
            callback=bar.follow(),
            on_interrupt="keep",
        )
        scores, stopped = np.full([len(values) for values in grid.values()], np.nan), ""
        try:
            with _in_silence():
                search.fit(X, y)
        except (TimeoutError, KeyboardInterrupt) as error:
            by_clock = isinstance(error, TimeoutError)
            return Found(grid, scores, self.folds, _BY_TIME if by_clock else _BY_HAND)
        results = search.cv_results_
        for params, score in zip(results["params"], results["mean_test_score"], strict=True):
            scores[tuple(int(np.argmin(np.abs(grid[n] - params[n]))) for n in grid)] = score
        if search.search_report_["stopped"]:
            clock = str(search.search_report_["stopped"]).startswith("time_limit")
            stopped = _BY_TIME if clock else _BY_HAND
        return Found(grid, scores, self.folds, stopped)

    def _score(self, model: Any, X: Any, y: NDArray[Any], bar: FitBar, deadline: float) -> float:
        """Return the mean score over the folds."""
        scores = []
        for inside, outside in splits(self.task, self.folds, X, y):
            fitted = _limited(clone(model), deadline)
            with _in_silence():
                bar.fit(fitted, rows(X, inside), y[inside])
            scores.append(fitted.score(rows(X, outside), y[outside]))
        return float(np.mean(scores))


@dataclass(frozen=True, eq=False)
class Found:
    """What a search has found.

    Parameters
    ----------
    grid : dict of str to ndarray
        The values that were searched, by the name of their parameter.
    scores : ndarray
        The mean score of each model; NaN where it was not reached.
    folds : int
        Over how many folds.
    stopped : str
        What has stopped the search; empty if nothing has.

    Examples
    --------
    >>> Found({"C": np.array([1.0, 2.0])}, np.array([0.5, 0.75]), 5, "").best
    {'C': 2.0}
    """

    grid: dict[str, NDArray[np.float64]]
    scores: NDArray[np.float64]
    folds: int
    stopped: str

    @property
    def n_tried(self) -> int:
        """Number of models that were scored."""
        return int(np.isfinite(self.scores).sum())

    @property
    def place(self) -> tuple[int, ...]:
        """Where in the grid the best is; its middle if none was reached."""
        if self.n_tried == 0:
            return next(_middle_first(self.scores.shape))
        return tuple(int(k) for k in np.unravel_index(np.nanargmax(self.scores), self.scores.shape))

    @property
    def best(self) -> dict[str, float]:
        """The parameters of the best."""
        return {
            name: float(self.grid[name][k]) for name, k in zip(self.grid, self.place, strict=True)
        }

    def show(self, task: Task, terminal: Terminal) -> None:
        """Write the grid and what was chosen.

        Parameters
        ----------
        task : Task
            What is learnt.
        terminal : Terminal
            Where to.
        """
        measure = "accuracy" if task is Task.CLASSIFICATION else "R2"
        terminal.heading(f"Search: mean {measure} of {self.folds} folds", "the best is marked by *")
        C, *gammas = self.grid.values()
        columns, best = self.scores.reshape(len(C), -1), [*self.place, 0][:2]
        header = ["C", *(f"gamma {g:.3g}" for g in gammas[0])] if gammas else ["C", measure]
        table = []
        for i, row in enumerate(columns):
            marks = ["*" if [i, j] == best else " " for j in range(len(row))]
            cells = ["-" if np.isnan(value) else f"{value:.4f}" for value in row]
            table.append([f"{C[i]:.4g}", *(a + b for a, b in zip(cells, marks, strict=True))])
        terminal.table(header, table)
        chosen = ", ".join(f"{key.rpartition('_')[2]} {v:.4g}" for key, v in self.best.items())
        terminal.line(terminal.marked(f"chosen: {chosen}", GREEN))
        terminal.line()


def fold_scores(
    model: Any,
    X: Any,
    y: NDArray[Any],
    task: Task,
    folds: int,
    bar: FitBar,
    search: Search | None = None,
) -> tuple[str, ClassScore | NumberScore]:
    """Score a model on rows it has not seen, with an interval; the choice of it, too.

    Where the model was chosen by a search, the search is made anew in each fold, on the rows that
    are not left out: the folds that chose a model would praise it.

    Parameters
    ----------
    model : estimator
        The machine, or a pipeline that ends with it.
    X, y : rows and targets
        The data.
    task : Task
        What is learnt.
    folds : int
        How many parts to leave out in turn.
    bar : FitBar
        Where to show it.
    search : Search, optional
        How the model is chosen.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> with FitBar("scoring", 5, show=False) as bar:
    ...     fold_scores(SVC(), X, y, Task.CLASSIFICATION, 5, bar)[0]
    '5-fold cross-validation: accuracy 0.9533 (143 of 150), 95% interval 0.907 to 0.977'
    """
    whole: ClassScore | NumberScore = ClassScore() if task is Task.CLASSIFICATION else NumberScore()
    values, shares = [], []
    for inside, outside in splits(task, folds, X, y):
        Z, fitted = rows(X, inside), clone(model)
        if search is not None:
            found = search.run(model, Z, y[inside], bar)
            if found.stopped == _BY_HAND:
                raise KeyboardInterrupt
            fitted.set_params(**found.best)
        with _in_silence():
            bar.fit(fitted, Z, y[inside])
        predicted = fitted.predict(rows(X, outside))
        whole.add(y[outside], predicted)
        if isinstance(whole, NumberScore):
            part = NumberScore()
            part.add(y[outside], predicted)
            values.append(part.r2)
            shares.append(len(outside) / len(inside))
    said = str(whole) if isinstance(whole, ClassScore) else _mean(np.array(values), shares)
    how = "; the search was made anew in each fold" if search is not None else ""
    return f"{folds}-fold cross-validation: {said}{how}", whole


def _mean(values: NDArray[np.float64], shares: list[float]) -> str:
    low, high = mean_interval(values, float(np.mean(shares)))
    # Student's interval does not know that no R2 is above 1.
    return f"R2 {values.mean():.4g}, 95% interval {low:.3g} to {min(high, 1.0):.3g}"


def splits(
    task: Task, folds: int, X: Any, y: NDArray[Any]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Cut rows into folds; yields the rows inside and outside of each.

    Parameters
    ----------
    task, folds, X, y
        As in `fold_scores`.

    Examples
    --------
    >>> y = np.array([0, 1] * 4)
    >>> [len(outside) for _, outside in splits(Task.CLASSIFICATION, 4, y[:, None], y)]
    [2, 2, 2, 2]
    """
    # Shuffled, as files are often sorted by their target; always alike.
    kind = StratifiedKFold if task is Task.CLASSIFICATION else KFold
    # Within a fold there may be fewer rows of a class than there were outside of it.
    most = np.unique(y, return_counts=True)[1].max() if kind is StratifiedKFold else len(y)
    with warnings.catch_warnings():
        # Of classes with fewer rows than folds; `train` says so itself, once.
        warnings.simplefilter("ignore", UserWarning)
        yield from list(kind(min(folds, int(most)), shuffle=True, random_state=0).split(X, y))


def rows(X: Any, places: NDArray[np.int64]) -> Any:
    """Return some rows of an array or of a table.

    Parameters
    ----------
    X : DataFrame, ndarray or CSR
        Rows.
    places : ndarray of int
        Which.

    Examples
    --------
    >>> rows(np.eye(3), np.array([1]))
    array([[0., 1., 0.]])
    """
    return X.iloc[places] if hasattr(X, "iloc") else X[places]


def shares_work(model: Any, X: Any) -> bool:
    """Whether the fits of a search share their work.

    Parameters
    ----------
    model : estimator
        The machine, or a pipeline that ends with it.
    X : rows
        The data.

    Examples
    --------
    >>> from maxmargin import SVC, LinearSVC
    >>> shares_work(SVC(), np.eye(2)), shares_work(LinearSVC(), np.eye(2))
    (True, False)
    """
    kernel_machine = isinstance(_machine(model), SVC | SVR)
    return kernel_machine and 8 * X.shape[0] ** 2 <= memory_bytes("auto")


def unlimited(model: Any) -> Any:
    """Return a model like this one, whose fits have no time limit of their own.

    Parameters
    ----------
    model : estimator
        The machine, or a pipeline that ends with it.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> unlimited(SVC(time_limit=1.0)).time_limit
    """
    other = clone(model)
    _machine(other).set_params(time_limit=None)
    return other


def _grid(model: Any, X: Any, y: NDArray[Any]) -> dict[str, NDArray[np.float64]]:
    prefix = "machine__" if isinstance(model, Pipeline) else ""
    grid = {f"{prefix}C": _machine(model).C * PENALTIES}
    if _has_width(model):
        grid[f"{prefix}gamma"] = _usual_gamma(model, X, y) * WIDTHS
    return grid


def _has_width(model: Any) -> bool:
    return bool(getattr(_machine(model), "kernel", "linear") != "linear")


def _machine(model: Any) -> Any:
    return model[-1] if isinstance(model, Pipeline) else model


def _usual_gamma(model: Any, X: Any, y: NDArray[Any]) -> float:
    """1 / (d var), of the rows as the machine gets them."""
    Z = clone(model[:-1]).fit_transform(X, y) if isinstance(model, Pipeline) else X
    squares, mean = (Z.multiply(Z), Z.mean()) if hasattr(Z, "multiply") else (Z * Z, Z.mean())
    variance = float(squares.mean() - mean**2)
    return 1.0 / (Z.shape[1] * variance) if variance > 0 else 1.0


def _middle_first(shape: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Places of a grid, from the usual C and gamma outwards: who stops early has seen these."""
    centre = [int(np.argmin(np.abs(np.log2(v)))) for v in (PENALTIES, WIDTHS)][: len(shape)]
    places = [tuple(int(k) for k in place) for place in np.ndindex(*shape)]
    return iter(
        sorted(places, key=lambda p: sum(abs(a - b) for a, b in zip(p, centre, strict=True)))
    )


def _limited(model: Any, deadline: float) -> Any:
    """Give a fit of the search the time that is left."""
    if deadline < np.inf:
        left = deadline - perf_counter()
        if left <= 0:
            raise TimeoutError
        machine = _machine(model)
        machine.set_params(time_limit=left)
    return model


def _in_silence() -> warnings.catch_warnings[None]:
    """Without warnings of single fits: what they warn of shows in the fit of the model, too."""
    return warnings.catch_warnings(action="ignore", category=ConvergenceWarning)
