"""Probabilities beside scikit-learn's: log-loss on held-out rows, agreement, and what they cost.

    python -m benchmarks.probability            bundled data and, if MAXMARGIN_DATA is set, those

Times are processor time on one core, the best of several trials. Data sets with * are not among
the nine that the method was chosen on; the number of folds was chosen with most of them in view.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import sklearn.svm
from scipy import sparse
from sklearn import datasets
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from benchmarks.results import Table, keep, machine
from maxmargin import SVC

#: Loader of scikit-learn and C; name of a file, most rows, C and gamma.
BUNDLED = (("breast_cancer", 1.0), ("digits", 5.0), ("wine", 1.0))
STORED = (
    ("german_numer_scale", 2000, 1.0, "scale"),
    ("diabetes_pima", 2000, 1.0, "scale"),
    ("splice", 2000, 5.0, "scale"),
    ("svmguide1", 5000, 10.0, "scale"),
    ("satimage", 5000, 10.0, "scale"),
    ("usps", 5000, 10.0, "scale"),
    ("letter", 6000, 10.0, "scale"),
    ("*fourclass_scale", 2000, 10.0, "scale"),
    ("*heart_scale", 2000, 0.3, "scale"),
    ("*a1a", 5000, 1.0, "scale"),
    ("*ijcnn1", 8000, 32.0, 2.0 / 22),
    ("*shuttle", 8000, 100.0, "scale"),
    ("*covtype", 6000, 10.0, "scale"),
    ("*mnist", 2500, 5.0, "scale"),
    ("*w8a", 6000, 5.0, "scale"),
)
TRIALS = 2


def data_sets() -> Iterator[tuple[str, Any, Any, float, Any]]:
    for name, C in BUNDLED:
        X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
        yield name, X, y, C, "scale"
    folder = os.environ.get("MAXMARGIN_DATA")
    for label, most, C, gamma in STORED if folder else ():
        with np.load(Path(str(folder)) / f"{label.strip('*')}.npz") as file:
            X = file["X"] if "X" in file else _dense(file)
            y = file["y"]
        rows = np.random.RandomState(0).permutation(len(y))[:most]
        yield label, X[rows].astype(float), y[rows], C, gamma


def _dense(file: Any) -> Any:
    parts = (file["data"], file["indices"], file["indptr"])
    return sparse.csr_matrix(parts, tuple(file["shape"])).toarray()


def best_time(work: Callable[[], Any]) -> tuple[float, Any]:
    """The least processor time of some trials, and the last result."""
    times, result = [], None
    for _ in range(TRIALS):
        began = time.process_time()
        result = work()
        times.append(time.process_time() - began)
    return min(times), result


def compare(name: str, X: Any, y: Any, C: float, gamma: Any) -> tuple[str, list[float]]:
    counts = {label: (y == label).sum() for label in np.unique(y)}
    kept = np.array([counts[label] >= 10 for label in y])
    X, y = X[kept], y[kept]
    X, Z, y, z = train_test_split(X, y, test_size=0.4, random_state=0, stratify=y)
    scaler = StandardScaler().fit(X)
    X, Z = scaler.transform(X), scaler.transform(Z)
    options = {"C": C, "gamma": gamma}
    theirs = sklearn.svm.SVC(probability=True, random_state=0, cache_size=2000, **options)
    plain = SVC(n_jobs=1, **options)
    ours = SVC(n_jobs=1, calibration="sigmoid", **options)
    wrapped = CalibratedClassifierCV(sklearn.svm.SVC(cache_size=2000, **options), ensemble=False)
    cost_plain, _ = best_time(lambda: plain.fit(X, y))
    cost, _ = best_time(lambda: ours.fit(X, y))
    cost_theirs, _ = best_time(lambda: theirs.fit(X, y))
    wrapped.fit(X, y)
    losses = [
        log_loss(z, model.predict_proba(Z), labels=ours.classes_)
        for model in (ours, theirs, wrapped)
    ]
    differ = [
        int((model.classes_[model.predict_proba(Z).argmax(axis=1)] != model.predict(Z)).sum())
        for model in (ours, theirs)
    ]
    line = (
        f"| {name} | {len(y)} | {len(ours.classes_)} | {losses[0]:.4f} | "
        f"{losses[0] - losses[1]:+.4f} | {losses[0] - losses[2]:+.4f} | "
        f"{differ[0]} / {differ[1]} | {cost / cost_plain:.1f} | {cost_theirs / cost:.1f} |"
    )
    print(line, flush=True)
    return line, [
        losses[0] - losses[1],
        losses[0] - losses[2],
        cost / cost_plain,
        cost_theirs / cost,
    ]


def main() -> None:
    warnings.simplefilter("ignore")
    header = (
        "| data | rows | classes | log-loss | beside scikit-learn | "
        "beside CalibratedClassifierCV | differs from predict (ours / theirs) | "
        "plain fits it costs | times as fast |"
    )
    print(header)
    print("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    about = machine()
    lines, numbers = zip(*(compare(*entry) for entry in data_sets()), strict=True)
    rows = np.array(numbers)
    summary = (
        f"mean {rows[:, 0].mean():+.4f} and {rows[:, 1].mean():+.4f} of log-loss, at worst "
        f"{rows[:, 0].max():+.4f}; {np.exp(np.log(rows[:, 2]).mean()):.1f} plain fits (most "
        f"{rows[:, 2].max():.1f}); {np.exp(np.log(rows[:, 3]).mean()):.1f} times as fast as "
        f"probability=True (least {rows[:, 3].min():.1f})"
    )
    print(f"\n{summary}")
    table = Table.of_lines("Probabilities", summary, header, lines)
    keep("probability", "make bench-probability", [table], about)


if __name__ == "__main__":
    main()
