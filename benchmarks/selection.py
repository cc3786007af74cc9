"""A whole grid of C and gamma: maxmargin.selection beside scikit-learn's GridSearchCV.

    python -m benchmarks.selection                  bundled data and those in MAXMARGIN_DATA
    python -m benchmarks.selection digits letter    some of them
    python -m benchmarks.selection --pipeline       with a StandardScaler in a pipeline
    python -m benchmarks.selection --own            beside fits of maxmargin one by one, too
    python -m benchmarks.selection --exact          how exact the cells are, without times

LIBSVM's default grid (C = 2^-5, 2^-3 .. 2^15; gamma = 2^-15, 2^-13 .. 2^3), five folds, the same
for all, no refit; scikit-learn with two processes and a cache of 2,000 MB. Wall time, the median
of three for maxmargin, once for the others. Data sets with * were not looked at while the engine
was tuned.
"""

from __future__ import annotations

import argparse
import os
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import sklearn.svm
from scipy import sparse
from sklearn import datasets
from sklearn.model_selection import GridSearchCV as TheirSearch
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MinMaxScaler, StandardScaler

import maxmargin
from benchmarks import selection_exact
from benchmarks.results import Table, keep, machine
from maxmargin.selection import GridSearchCV

CS = 2.0 ** np.arange(-5, 16, 2)
GAMMAS = 2.0 ** np.arange(-15, 4, 2)
#: Most rows; "svr" for a regression.
BUNDLED = {"breast_cancer": (10000, "svc"), "digits": (10000, "svc"), "diabetes*": (10000, "svr")}
STORED = {
    "german_numer_scale": (5000, "svc"),
    "splice": (5000, "svc"),
    "diabetes_pima": (5000, "svc"),
    "svmguide1": (5000, "svc"),
    "ijcnn1": (3000, "svc"),
    "satimage": (2500, "svc"),
    "usps": (2000, "svc"),
    "letter": (2000, "svc"),
    "fourclass_scale*": (5000, "svc"),
    "mammography*": (4000, "svc"),
    "w8a*": (2500, "svc"),
    "covtype": (1500, "svc"),
    "shuttle*": (4000, "svc"),
    "reuters_moneyfx*": (2000, "svc"),
    "concrete*": (5000, "svr"),
    "abalone*": (1500, "svr"),
    "cpusmall*": (1500, "svr"),
}
TRIALS = 3


def data_sets(chosen: list[str]) -> Iterator[tuple[str, Any, Any, str]]:
    """Yield names, rows between -1 and 1 (sparse ones as they are), targets, and the task."""
    folder = os.environ.get("MAXMARGIN_DATA")
    for name, (most, task) in {**BUNDLED, **(STORED if folder else {})}.items():
        if chosen and name.strip("*") not in chosen:
            continue
        if name in BUNDLED:
            X, y = getattr(datasets, f"load_{name.strip('*')}")(return_X_y=True)
        else:
            X, y = _stored(Path(str(folder)) / f"{name.strip('*')}.npz")
        rows = np.random.RandomState(0).permutation(len(y))[:most]
        X, y = X[rows], y[rows]
        if not sparse.issparse(X):
            X = MinMaxScaler((-1, 1)).fit_transform(np.asarray(X, np.float64))
        if task == "svr":
            y = (y - np.mean(y)) / np.std(y)
        else:
            labels, counts = np.unique(y, return_counts=True)
            kept = np.isin(y, labels[counts >= 5])
            X, y = X[kept], y[kept]
        yield name, X, y, task


def _stored(path: Path) -> tuple[Any, Any]:
    with np.load(path) as file:
        if "X" in file:
            return file["X"], file["y"]
        parts = (file["data"].astype(np.float64), file["indices"], file["indptr"])
        return sparse.csr_matrix(parts, tuple(file["shape"])), file["y"]


def searches(task: str, y: Any, pipeline: bool) -> dict[str, Callable[[], Any]]:
    """The contestants, each ready to be fitted."""
    split = KFold if task == "svr" else StratifiedKFold
    cv = split(5, shuffle=True, random_state=0)
    name = task.upper()
    theirs = getattr(sklearn.svm, name)(cache_size=2000)
    ours = getattr(maxmargin, name)(cache_size=2000)
    grid: dict[str, Any] = {"C": CS, "gamma": GAMMAS}
    if pipeline:
        theirs, ours = (make_pipeline(StandardScaler(), last) for last in (theirs, ours))
        grid = {f"{task}__{key}": values for key, values in grid.items()}
    options: dict[str, Any] = {"cv": cv, "refit": False, "n_jobs": 2}
    return {
        "shared": lambda: GridSearchCV(ours, grid, **options),
        "scikit-learn": lambda: TheirSearch(theirs, grid, **options),
        "own": lambda: TheirSearch(ours, grid, **options),
    }


def timed(search: Any, X: Any, y: Any) -> tuple[float, Any]:
    began = time.perf_counter()
    search.fit(X, y)
    return time.perf_counter() - began, search


def compare(
    name: str, X: Any, y: Any, task: str, options: argparse.Namespace
) -> tuple[str, list[float]]:
    """Print a row of the table; return it, and the ratios."""
    make = searches(task, y, options.pipeline)
    trials = [timed(make["shared"](), X, y) for _ in range(TRIALS)]
    seconds, found = median(trial[0] for trial in trials), trials[-1][1]
    theirs, other = timed(make["scikit-learn"](), X, y)
    own = timed(make["own"](), X, y)[0] if options.own else np.nan
    ours, scores = (one.cv_results_["mean_test_score"] for one in (found, other))
    differ = np.abs(ours - scores) > 1e-9
    best = np.flatnonzero(ours >= ours.max())
    same = int(np.argmax(scores)) in best.tolist()
    classes = "-" if task == "svr" else str(len(np.unique(y)))
    line = (
        f"| {name} | {X.shape[0]} x {X.shape[1]} | {classes} | {seconds:.2f} s | "
        f"{theirs / seconds:.1f} | {own / seconds:.1f} | {'same' if same else 'other'} | "
        f"{differ.sum()}, {np.abs(ours - scores).max():.4f} | "
        f"{found.cv_results_['violation'].max():.1e} |"
    )
    print(line, flush=True)
    return line, [theirs / seconds, own / seconds]


def judge(names: list[str]) -> None:
    """Print how exact the cells of sets of two classes, or of a regression, are."""
    print(selection_exact.HEAD)
    print("| --- " * 8 + "|")
    for name, X, y, task in data_sets(names):
        if task == "svr" or len(np.unique(y)) == 2:
            print(selection_exact.report(name, X, y, task, CS, GAMMAS), flush=True)


def mean(ratios: list[float]) -> float:
    return float(np.exp(np.mean(np.log(ratios)))) if ratios else float("nan")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--pipeline", action="store_true")
    parser.add_argument("--own", action="store_true")
    parser.add_argument("--exact", action="store_true")
    options = parser.parse_args()
    if options.exact:
        judge(options.names)
        return
    header = (
        "| data | rows x columns | classes | search | scikit-learn takes | maxmargin fit by fit | "
        "best cell | cells that differ, by | violation |"
    )
    print(header)
    print("| --- " * 9 + "|")
    few, many, own, fresh, lines = [], [], [], [], []
    about = machine()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, X, y, task in data_sets(options.names):
            line, (theirs, ours) = compare(name, X, y, task, options)
            lines.append(line)
            (many if task == "svc" and len(np.unique(y)) >= 20 else few).append(theirs)
            if name.endswith("*"):
                fresh.append(theirs)
            if options.own:
                own.append(ours)
    summary = (
        f"up to ten classes: {mean(few):.1f} times in the mean, "
        f"at least {min(few, default=np.nan):.1f}; "
        f"20 and more classes: {mean(many):.1f}; data not looked at: {mean(fresh):.1f}"
    )
    print(f"\n{summary}")
    table = Table.of_lines("Grids of C and gamma, five folds", summary, header, lines)
    keep("selection", "make bench-select", [table], about)
    if own:
        print(f"beside fits one by one of maxmargin: {mean(own):.1f}")


if __name__ == "__main__":
    main()
