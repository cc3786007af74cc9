"""How fast LIBSVM text is read: against scikit-learn's load_svmlight_file, on made-up data."""

import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file

from benchmarks.results import Table, keep, machine
from maxmargin.cli.terminal import Terminal
from maxmargin.data.files import read_libsvm, write_libsvm


def shapes() -> dict:
    """Rows of the usual kinds: few ones, many decimals, wide and sparse."""
    rng = np.random.default_rng(0)
    ones = sparse.random(30_000, 123, density=0.11, format="csr", random_state=0)
    ones.data[:] = 1.0
    return {
        "ones, 30,000 x 123, 11 % filled": ones,
        "decimals, 7,000 x 256, dense": rng.normal(size=(7_000, 256)).round(6),
        "full precision, 10,000 x 50,000, 0.2 % filled": sparse.random(
            10_000, 50_000, density=0.002, format="csr", random_state=0
        ),
    }


def run(terminal: Terminal, repeats: int) -> None:
    """Measure in turns, the best of several, after holding both results against each other."""
    about, rows = machine(), []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.txt"
        for name, X in shapes().items():
            write_libsvm(path, X, np.arange(X.shape[0]) % 2)
            ours, theirs = read_libsvm(path), load_svmlight_file(str(path))
            assert (theirs[0] != ours.X).nnz == 0
            assert (ours.y == theirs[1]).all()
            times = np.array(
                [
                    [_seconds(lambda: read_libsvm(path)), _seconds(lambda: _load(path))]
                    for _ in range(repeats)
                ]
            )
            mine, other = times.min(axis=0)
            size = path.stat().st_size / 1e6
            cells = [f"{size:.0f}", f"{size / mine:.0f}", f"{size / other:.0f}"]
            rows.append([name, *cells, f"{other / mine:.1f}"])
    table = Table(
        "Reading LIBSVM text",
        "MB/s; the ratio is scikit-learn's time over maxmargin's",
        ["", "MB", "maxmargin", "scikit-learn", "ratio"],
        rows,
    )
    terminal.heading(table.title, table.note)
    terminal.table(table.header, table.rows)
    keep("files", "make bench-files", [table], about)


def _load(path: Path) -> None:
    load_svmlight_file(str(path))


def _seconds(work) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start
