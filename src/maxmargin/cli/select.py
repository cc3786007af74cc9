"""The verb `select`: the best C and gamma for data, and the grid that shows it."""

from __future__ import annotations

import math
import sys
import warnings
from dataclasses import dataclass
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import Pipeline

from maxmargin.cli.inputs import (
    Number,
    data_argument,
    dialect_options,
    format_option,
    quiet_option,
)
from maxmargin.cli.machine import MachineOptions
from maxmargin.cli.outputs import Content, check_output, force_option
from maxmargin.cli.search import splits, unlimited
from maxmargin.cli.summary import STOPPED
from maxmargin.cli.task import Task
from maxmargin.cli.terminal import GREEN, Terminal
from maxmargin.cli.train import Training, training_options
from maxmargin.selection import SearchProgress
from maxmargin.selection.default_grid import (
    C_POWERS,
    GAMMA_POWERS,
    WITH_GAMMA,
    powers,
    sample,
    usual_c,
    usual_gamma,
)
from maxmargin.selection.kernel_cv import RefinedSearch
from maxmargin.selection.simplest import simplest, standard_errors

#: Values of C and of gamma in the grid.
_N_CS, _N_GAMMAS = 11, 10


@click.command()
@data_argument
@training_options
@click.option("--folds", type=click.IntRange(2), metavar="K", help="Folds to judge by. Default: 5.")
@click.option(
    "--scoring",
    metavar="NAME",
    help="What to judge by, as scikit-learn names it. Default: accuracy, or r2.",
)
@click.option(
    "--time-limit",
    type=Number(0, above=True),
    metavar="SECONDS",
    help="Stop then, and take the best so far.",
)
@click.option(
    "--plot",
    "picture",
    metavar="PICTURE",
    help="Also draw the grid: PNG, SVG or PDF, by its ending. Needs the extra plot.",
)
@format_option
@dialect_options
@force_option
@quiet_option
def select(**options: Any) -> None:
    """Search the C and gamma that are best for DATA.

    The grid comes from the data: gamma about the distance of rows, C in units of the kernel; then
    the neighbourhood of the best is searched in finer steps. -C or -g fix a value. All folds share
    their work. A terminal shows the grid while it fills; elsewhere there is a line for each pair.
    Ctrl-C and --time-limit end it with the best so far, and the exit status is 6.

    \b
    maxmargin select iris.csv --target species
    maxmargin select a9a.txt --time-limit 60 --plot grid.png
    """
    machine = MachineOptions.taken_from(options)
    options |= {"output": "-", "auto": True, "test": None, "report": False, "on_interrupt": "keep"}
    Selecting(machine=machine, **options).run()


@dataclass(frozen=True)
class Selecting(Training):
    """What `select` was asked to do; the fields are its options and those of `train`."""

    scoring: str | None = None
    picture: str | None = None

    def run(self) -> None:
        """Check, read, search, and say what is best."""
        self._check()
        terminal, file = self._terminal(), self._file()
        _, task, X, y = self._read(file, terminal)
        assert y is not None
        search = self._grid_search(X, y, task)
        grid = LiveGrid(search, self.scoring or _measure(task), self._shown(terminal))
        search.callback = grid
        with grid, warnings.catch_warnings(action="ignore", category=ConvergenceWarning):
            try:
                search.fit(X, y)
            except TimeoutError as error:
                terminal.line(str(error))
                raise click.exceptions.Exit(STOPPED) from error
        self._say(search, terminal)
        if self.picture is not None:
            terminal.line(str(search.display().save(self.picture)))
        if search.search_report_["stopped"]:
            terminal.line("the search was stopped: there may be better models")
            raise click.exceptions.Exit(STOPPED)

    def _check(self) -> None:
        if self.task == Task.ONE_CLASS.value:
            raise click.UsageError("select needs a target to score by; one-class has none")
        super()._check()
        if self.picture is not None:
            check_output(self.picture, Content.PICTURE, [self.data], force=self.force)

    def _terminal(self) -> Terminal:
        return Terminal.of(sys.stdout)

    def _shown(self, terminal: Terminal) -> str:
        """Return how the search is shown: as a grid, as lines, or not at all."""
        return "" if self.quiet else "grid" if terminal.frames else "lines"

    def _grid_search(self, X: Any, y: NDArray[Any], task: Task) -> RefinedSearch:
        model = unlimited(self._pipeline(X, task, y))
        piped = isinstance(model, Pipeline)
        machine, prefix = (model[-1], "machine__") if piped else (model, "")
        axes, own = self._axes(machine, X, y, model[:-1] if piped else None)
        return RefinedSearch(
            model,
            {prefix + name: values for name, values in axes.items()},
            {prefix + name for name in own},
            cv=list(splits(task, self.folds or 5, X, y)),
            scoring=self.scoring,
            refit=False,
            n_jobs=self.machine.jobs,
            time_limit=self.time_limit,
            on_interrupt="keep",
            stages="auto",
        )

    def _axes(
        self, machine: Any, X: Any, y: NDArray[Any], steps: Any
    ) -> tuple[dict[str, NDArray[np.float64]], set[str]]:
        """Return the values of C and gamma, and which of them the data choose."""
        Z = X if steps is None else clone(steps).fit_transform(X, y)
        kernel = getattr(machine, "kernel", "linear")
        rows, weight = sample(Z, np.ones(Z.shape[0]))
        unit, own = machine.C, {"C"}
        if hasattr(machine, "kernel"):
            unit *= usual_c(rows, clone(machine).set_params(gamma="scale")._make_kernel(rows, None))
        axes = {"C": powers(_N_CS, C_POWERS, unit)}
        if self.machine.penalty is not None:
            axes["C"], own = np.array([self.machine.penalty]), set()
        if kernel in WITH_GAMMA and self.machine.gamma is None:
            axes["gamma"] = powers(_N_GAMMAS, GAMMA_POWERS, usual_gamma(rows, kernel, weight))
            own.add("gamma")
        return axes, own

    def _say(self, search: RefinedSearch, terminal: Terminal) -> None:
        """Write what was found, and how to train it."""
        results, errors = search.cv_results_, standard_errors(search.cv_results_)
        named = {"best": search.best_index_, "simplest within one error": simplest(results)}
        for name, place in named.items():
            values = _values(results["params"][place])
            score = f"{results['mean_test_score'][place]:.4f} ± {errors[place]:.4f}"
            text = f"{name}: {', '.join(f'{k} {v:.4g}' for k, v in values.items())}; {score}"
            terminal.line(terminal.marked(text, GREEN) if name == "best" else text)
        best = _values(search.best_params_)
        options = [("-C", best.get("C")), ("-g", best.get("gamma"))]
        given = " ".join(f"{option} {value:.6g}" for option, value in options if value is not None)
        terminal.line(f"for train: {given}")


class LiveGrid:
    """The scores of a search while it runs: a grid in a terminal, elsewhere lines.

    Parameters
    ----------
    search : RefinedSearch
        The search, for the values of its grid.
    measure : str
        What it judges by.
    shown : {"grid", "lines", ""}
        How.
    """

    def __init__(self, search: RefinedSearch, measure: str, shown: str) -> None:
        self._axes = [np.asarray(values) for values in search.axes.values()]
        self._names = list(search.axes)
        self._measure, self._shown = measure, shown
        self._told: set[int] = set()
        self._live = Live(console=Console(), refresh_per_second=8) if shown == "grid" else None

    def __enter__(self) -> LiveGrid:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(self, *_: Any) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, progress: SearchProgress) -> None:
        """Show what has come since the last call."""
        if self._live is not None:
            self._live.update(self._table(progress))
        elif self._shown == "lines":
            self._lines(progress)

    def _lines(self, progress: SearchProgress) -> None:
        complete = np.isfinite(progress.scores).all(axis=1)
        for place in np.flatnonzero(complete):
            if int(place) not in self._told:
                self._told.add(int(place))
                values = _values(progress.params[place])
                text = ", ".join(f"{name} {value:.4g}" for name, value in values.items())
                mean = float(progress.scores[place].mean())
                print(f"{text}: {self._measure} {mean:.4f}", flush=True)

    def _table(self, progress: SearchProgress) -> Table:
        """Return the grid so far: the mean over the folds that are done."""
        means, finer = self._means(progress)
        text = f"{progress.done} of {progress.total} fits, {progress.seconds:.0f} s"
        if progress.done < progress.total:
            text += f", about {progress.seconds_left:.0f} s left"
        if finer > -math.inf:
            text += f"; finer steps about the best: {finer:.4f}"
        Cs, *widths = self._axes
        title = f"mean {self._measure}" + ("; gamma to the right" if widths else "")
        table = Table(title=title, caption=text, title_justify="left", caption_justify="left")
        table.box, table.pad_edge, table.padding = SIMPLE_HEAD, False, (0, 1, 0, 0)
        table.add_column("C", justify="right", no_wrap=True)
        for name in [f"{g:.0e}" for g in widths[0]] if widths else [self._measure]:
            table.add_column(name, justify="right", no_wrap=True)
        for C, row in zip(Cs, means, strict=True):
            table.add_row(f"{C:.3g}", *(_cell(value, means) for value in row))
        return table

    def _means(self, progress: SearchProgress) -> tuple[NDArray[np.float64], float]:
        """Return the mean scores of the grid, and the best of what is between its places."""
        places = [{float(value): k for k, value in enumerate(axis)} for axis in self._axes]
        means, finer = np.full([*map(len, self._axes), 1][:2], np.nan), -math.inf
        known = np.isfinite(progress.scores)
        for row in np.flatnonzero(known.any(axis=1)):
            mean = float(progress.scores[row][known[row]].mean())
            params = progress.params[row]
            at = [where.get(params[n]) for where, n in zip(places, self._names, strict=True)]
            if None in at:
                finer = max(finer, mean)
            else:
                means[tuple([*at, 0][:2])] = mean
        return means, finer


def _cell(value: float, means: NDArray[np.float64]) -> Text:
    """Write a score, the better the greener; the best is marked."""
    if np.isnan(value):
        return Text("·", style="dim")
    best, worst = float(np.nanmax(means)), float(np.nanmin(means))
    share = (value - worst) / (best - worst) if best > worst else 1.0
    text = f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 0.9995 else f"{value:.2f}"
    color = f"rgb({int(200 - 200 * share)},{int(90 + 90 * share)},{int(120 - 90 * share)})"
    return Text(text + ("*" if value == best else " "), style=color)


def _values(params: dict[str, Any]) -> dict[str, float]:
    """Return parameters by their short names."""
    return {name.rpartition("__")[2]: value for name, value in params.items()}


def _measure(task: Task) -> str:
    return "accuracy" if task is Task.CLASSIFICATION else "R2"
