"""Choosing C of linear machines: python -m benchmarks.linear_path

A search of 20 Cs by 5 folds (`LinearSVCCV`, without its last fit) beside the dearest of the 20
single fits of `LinearSVC` to all rows, at the same tolerance, in turn, best of several. Seconds are
those of the processor, one thread each. `GridSearchCV` fits each cell from nothing, which takes
about four times the sum of the 20 fits: shown as a ratio to the search.
"""

import argparse
import os
from dataclasses import dataclass
from pathlib import Path
from time import process_time

import numpy as np

from benchmarks.linear import Row, load
from maxmargin import LinearSVC
from maxmargin.selection import LinearSVCCV

CS = np.logspace(-3, 3, 20)


@dataclass(frozen=True)
class Case:
    kind: str
    row: Row
    penalty: str = "l2"
    rows: int = 0  # of a permutation; 0 for all


CASES = (
    Case("dense tall", Row("ijcnn1", "", "ijcnn1", "squared_hinge", dense=True)),
    Case("dense tall", Row("ijcnn1", "", "ijcnn1", "hinge", dense=True)),
    Case("sparse tall", Row("a9a", "", "a9a", "squared_hinge")),
    Case("sparse tall", Row("a9a", "", "a9a", "hinge")),
    Case("dense wide", Row("mnist", "", "mnist", "squared_hinge", scaling="255"), rows=400),
    Case("dense wide", Row("mnist", "", "mnist", "hinge", scaling="255"), rows=400),
    Case("sparse text", Row("reuters", "", "reuters_moneyfx", "squared_hinge")),
    Case("sparse text", Row("reuters", "", "reuters_moneyfx", "hinge")),
    Case("sparse text, l1", Row("reuters", "", "reuters_moneyfx", "squared_hinge"), "l1"),
)


def data(case: Case):
    """Rows, and whether they are of the last class."""
    X, y = load(case.row)
    y = y == y.max()
    if case.rows:
        chosen = np.random.RandomState(0).permutation(len(y))[: case.rows]
        X, y = X[chosen], y[chosen]
    return X, y


def measure(case: Case, repeats: int):
    """Seconds of the search, of the dearest fit and of all fits."""
    X, y = data(case)
    same = {"loss": case.row.loss, "penalty": case.penalty}
    search, fits = [], []
    for _ in range(repeats):
        fits.append([])
        for C in CS:
            start = process_time()
            LinearSVC(C=C, n_jobs=1, **same).fit(X, y)
            fits[-1].append(process_time() - start)
        start = process_time()
        found = LinearSVCCV(CS, refit=False, n_jobs=1, **same).fit(X, y)
        search.append(process_time() - start)
    each = np.min(fits, axis=0)
    return X.shape, min(search), each.max(), each.sum(), found.cv_results_["gap"].max()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--only", default="", help="kinds that contain this text")
    options = parser.parse_args()
    if (
        not Path(os.environ.get("MAXMARGIN_DATA", "")).is_dir()
        or "MAXMARGIN_DATA" not in os.environ
    ):
        raise SystemExit("MAXMARGIN_DATA must be the folder of the data sets.")
    print("kind              data      loss           rows x cols      search  dearest  ratio  "
          "20 x 5 fits / search  gap")  # fmt: skip
    for case in CASES:
        if options.only not in case.kind:
            continue
        shape, search, dearest, total, gap = measure(case, options.repeats)
        size = f"{shape[0]} x {shape[1]}"
        print(
            f"{case.kind:<17} {case.row.name:<9} {case.row.loss:<14} {size:<15} {search:7.2f} "
            f"{dearest:8.3f} {search / dearest:6.1f} {4 * total / search:12.1f} {gap:16.0e}",
            flush=True,
        )


if __name__ == "__main__":
    main()
