"""Exact kernel machines on a Dask cluster against one machine, as rows grow: 10^4 to 3 10^5.

    python -m benchmarks.cluster_kernel [--rows 10000,30000] [--limit SECONDS]

Rows are generated on the workers, in ten partitions; the workers have fitted once before the clock
starts. Every fit has a time limit; one that reaches it is shown with the violation that it had by
then. The classes overlap at their boundary, and one label in two thousand is wrong: the number of
support vectors grows with the rows, to some thousand.
"""

import argparse
import multiprocessing
import sys
import warnings
from time import perf_counter

import dask.array as da
import numpy as np
from dask import delayed
from distributed import Client, LocalCluster

from benchmarks.results import Table, available_cores, keep, machine
from maxmargin import SVC, distributed
from maxmargin.cli.terminal import Terminal

ROWS = (10_000, 30_000, 100_000, 300_000)
#: Seconds for each fit, of ours and of peers.
LIMIT = 90.0
#: Peers are not asked for more rows: their time grows with the square.
PEER_ROWS = 100_000
PARTITIONS, COLUMNS = 10, 4
PARAMETERS = {"C": 100.0, "gamma": 0.5, "tol": 1e-3}


def rows_of(part: int, n: int) -> np.ndarray:
    """Rows of a partition, the label last."""
    rng = np.random.default_rng([7, part])
    X = rng.normal(size=(n, COLUMNS))
    score = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.01 * rng.normal(size=n)
    wrong = rng.random(n) < 0.0005
    return np.column_stack([X, (score > 0.3) ^ wrong])


def generated(n: int) -> da.Array:
    """The same rows on the workers, when they are asked for."""
    each, make = n // PARTITIONS, delayed(rows_of, pure=True)
    shape = (each, COLUMNS + 1)
    return da.concatenate(
        [da.from_delayed(make(part, each), shape, float) for part in range(PARTITIONS)]
    )


def on_cluster(n: int, workers: int, limit: float) -> dict:
    """Fit on workers of one thread each."""
    with (
        LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=":0", memory_limit=0
        ) as cluster,
        Client(cluster),
    ):
        few = generated(1000)  # the first fit imports the package
        distributed.SVC().fit(few[:, :COLUMNS], few[:, COLUMNS])
        data = generated(n).persist()
        model = distributed.SVC(**PARAMETERS, time_limit=limit)
        return _measured(model, data[:, :COLUMNS], data[:, COLUMNS])


def on_one_machine(n: int, limit: float) -> dict:
    """Fit with all cores of this machine."""
    data = np.concatenate([rows_of(part, n // PARTITIONS) for part in range(PARTITIONS)])
    model = SVC(**PARAMETERS, time_limit=limit, n_jobs=available_cores())
    return _measured(model, np.ascontiguousarray(data[:, :COLUMNS]), data[:, COLUMNS])


def _measured(model: SVC, X: object, y: object) -> dict:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X, y)
    part, report = model.certificate_.parts[0], model.fit_report_
    seconds = f"{report['solver_seconds']:.1f}"
    if not part.within(model.tol):
        seconds = f"> {seconds} (violation {part.violation:.0e})"
    return {
        "seconds": seconds,
        "support": len(model.support_),
        "primal": part.primal,
        "dual": part.dual,
        "sets": len(model.history_) - 1,
        "values": report["kernel_entries"],
        **report.get("cluster", {}),
    }


def _fit_peer(n: int, answer: multiprocessing.Queue) -> None:
    from sklearn import svm

    data = np.concatenate([rows_of(part, n // PARTITIONS) for part in range(PARTITIONS)])
    began = perf_counter()
    svm.SVC(**PARAMETERS, cache_size=500).fit(data[:, :COLUMNS], data[:, COLUMNS])
    answer.put(perf_counter() - began)


def peer_seconds(n: int, limit: float) -> str:
    """Fit scikit-learn's SVC, which uses one core, in a process that is ended at the limit."""
    if n > PEER_ROWS:
        return "not tried"
    context = multiprocessing.get_context("spawn")
    answer = context.Queue()
    process = context.Process(target=_fit_peer, args=(n, answer))
    process.start()
    process.join(limit)
    if process.is_alive():
        process.kill()
        process.join()
        return f"> {limit:.0f}"
    return f"{answer.get():.1f}"


def run(terminal: Terminal, rows: tuple[int, ...] = ROWS, limit: float = LIMIT) -> None:
    """Measure, show and keep."""
    about, lines = machine(), []
    for n in rows:
        one = on_one_machine(n, limit)
        workers = {k: on_cluster(n, k, limit) for k in (1, 2)}
        two = workers[2]
        for each in workers.values():  # both certify the same optimum
            assert each["primal"] >= one["dual"] - 1e-9 * abs(one["dual"])
            assert one["primal"] >= each["dual"] - 1e-9 * abs(one["dual"])
        lines.append(
            [
                f"{n:,}", f"{two['support']:,}", one["seconds"], workers[1]["seconds"],
                two["seconds"], f"{two['sets']}", f"{two['rounds']}",
                f"{two['bytes_moved'] / 2**20:.1f}", f"{two['values']:.1e}",
                f"{one['values']:.1e}", f"{two['values'] / (n * two['support']):.1f}",
                f"{two['values'] / two['worker_seconds']:.0e}", peer_seconds(n, limit),
            ]
        )  # fmt: skip
    table = Table(
        "Exact kernel machines on a cluster",
        f"Seconds of the solver, rows being where they are; at most {limit:.0f} for each fit. One "
        f"machine has {available_cores()} threads, a worker one. Messages and what follows are of "
        "two workers; changes a vector: kernel values over rows x support vectors; values a "
        "second: for each second that a worker was at work, on whatever.",
        [
            "rows", "support vectors", "one machine", "1 worker", "2 workers", "working sets",
            "messages", "MB moved", "kernel values", "on one machine", "changes a vector",
            "values a second", "scikit-learn",
        ],
        lines,
    )  # fmt: skip
    terminal.heading(table.title, table.note)
    terminal.table(table.header, table.rows)
    keep("cluster_kernel", "make bench-cluster", [table], about)


def main() -> None:
    """Run with the options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", default=",".join(map(str, ROWS)), help="numbers of rows")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds for each fit")
    options = parser.parse_args()
    run(Terminal(sys.stdout), tuple(int(n) for n in options.rows.split(",")), options.limit)


if __name__ == "__main__":
    main()
