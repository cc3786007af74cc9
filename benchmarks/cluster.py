"""Linear machines on a cluster of processes: python -m benchmarks.cluster

Rows are made by the workers, 20 features in float32 with labels that a plane explains in part, and
are there before the clock starts; workers have imported their packages by then. Every case is a
process of its own, so that the largest memory of the client, with the scheduler in it, is that of
the case. "one machine" is `maxmargin.LinearSVC` on the same rows in one process, with as many
threads as the cluster has. The peers, dask-ml's `Incremental` over scikit-learn's SGDClassifier and
joblib over Dask with scikit-learn's LinearSVC for each of four classes, run in the environment of
the peers; the objectives of all are computed from their weights in the same way.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np

from benchmarks.results import Table, keep, machine

ROOT = Path(__file__).parents[1]
PEERS = ROOT / ".venv-bench" / "bin" / "python"
SIZES = (10**5, 10**6, 10**7)
FEATURES, BLOCK, TOL = 20, 250_000, 1e-4
#: Rows of the comparison with the peers, and what a case may take.
PEER_ROWS, SECONDS = 10**6, 180


def block_of(seed: int, n: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows and labels of one partition."""
    plane = np.random.default_rng(0).normal(size=(FEATURES, classes))
    made = np.random.default_rng([1, seed])
    X = made.normal(size=(n, FEATURES)).astype(np.float32)
    return X, (X @ plane + 3 * made.normal(size=(n, classes))).argmax(axis=1)


def lengths_of(n: int, workers: int = 2) -> list[int]:
    size = min(BLOCK, -(-n // (2 * workers)))
    return [min(size, n - start) for start in range(0, n, size)]


def everything(n: int, classes: int) -> tuple[np.ndarray, np.ndarray]:
    """All rows in this process."""
    blocks = [block_of(k, size, classes) for k, size in enumerate(lengths_of(n))]
    return np.concatenate([X for X, _ in blocks]), np.concatenate([y for _, y in blocks])


def on_workers(client, n: int, classes: int):
    """All rows as Dask arrays, which the workers hold."""
    import dask.array as da
    from dask import delayed
    from distributed import wait

    X, y = [], []
    for k, size in enumerate(lengths_of(n)):
        both = delayed(block_of, nout=2)(k, size, classes)
        X.append(da.from_delayed(both[0], (size, FEATURES), np.float32))
        y.append(da.from_delayed(both[1], (size,), np.int64))
    arrays = client.persist([da.concatenate(X), da.concatenate(y)])
    wait(arrays)
    return arrays


def warm_up(client) -> None:
    """Have the workers import what a fit needs."""
    from maxmargin.distributed import LinearSVC

    LinearSVC(tol=0.1).fit(*on_workers(client, 1000, 2))


def objective(X, y, coef, intercept, C: float) -> float:
    """The sum over the classes' problems of 1/2 |w|^2 + C sum of hinge losses."""
    coef, intercept, total = np.atleast_2d(coef), np.atleast_1d(intercept), 0.0
    for k, (w, b) in enumerate(zip(coef, intercept, strict=True)):
        positive = y == (1 if len(coef) == 1 else k)
        margins = np.where(positive, 1.0, -1.0) * (X @ w.astype(np.float64) + b)
        total += w @ w / 2 + C * np.maximum(0.0, 1 - margins).sum()
    return float(total)


def memory() -> float:
    """The largest memory of this process so far, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def case_one(n: int, loss: str, threads: int) -> dict:
    from maxmargin import LinearSVC

    X, y = everything(n, 2)
    began = time.perf_counter()
    model = LinearSVC(loss=loss, tol=TOL, n_jobs=threads).fit(X, y)
    seconds = time.perf_counter() - began
    return {"seconds": seconds, "gap": model.certificate_.gap, "primal": model.certificate_.primal}


def case_cluster(n: int, loss: str, workers: int) -> dict:
    from distributed import Client

    from maxmargin.distributed import LinearSVC

    with Client(**_local(workers)) as client:
        X, y = on_workers(client, n, 2)
        warm_up(client)
        before = memory()
        began = time.perf_counter()
        model = LinearSVC(loss=loss, tol=TOL).fit(X, y)
        seconds = time.perf_counter() - began
        return {
            "seconds": seconds,
            "gap": model.certificate_.gap,
            "primal": model.certificate_.primal,
            "steps": int(model.n_iter_),
            "memory": memory(),
            "grown": memory() - before,
            **model.fit_report_["cluster"],
        }


def case_ours(n: int, name: str) -> dict:
    """Our side of the comparison with the peers, on one of their problems."""
    from distributed import Client

    from maxmargin import distributed

    classes, C = (2, 1.0 / n * 1e4) if name == "stream" else (4, 1e-3)
    machines = {
        "stream": distributed.SGDSVC(alpha=1 / (C * n), max_iter=1, tol=0, random_state=0),
        "exact": distributed.LinearSVC(loss="hinge", C=C, tol=TOL),
    }
    with Client(**_local(2)) as client:
        X, y = on_workers(client, n, classes)
        warm_up(client)
        return _judged(machines["stream" if name == "stream" else "exact"].fit, X, y, n, classes, C)


def case_peer(n: int, name: str) -> dict:
    """A peer's side of it, in the environment of the peers."""
    import joblib
    from distributed import Client
    from sklearn.linear_model import SGDClassifier
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.svm import LinearSVC

    classes, C = (2, 1.0 / n * 1e4) if name == "stream" else (4, 1e-3)
    with Client(**_local(2)) as client:
        X, y = on_workers(client, n, classes)
        client.run(_import_peers)
        if name == "stream":
            from dask_ml.wrappers import Incremental

            inner = SGDClassifier(alpha=1 / (C * n), average=True, random_state=0)
            model = Incremental(inner, shuffle_blocks=True, random_state=0)
            return _judged(lambda X, y: model.fit(X, y, classes=[0, 1]), X, y, n, classes, C)

        def fit(X, y):
            whole = X.compute(), y.compute()
            with joblib.parallel_config("dask"):
                found = OneVsRestClassifier(LinearSVC(loss="hinge", C=C), n_jobs=-1).fit(*whole)
            found.coef_ = np.vstack([each.coef_ for each in found.estimators_])
            found.intercept_ = np.concatenate([each.intercept_ for each in found.estimators_])
            return found

        return _judged(fit, X, y, n, classes, C)


def _import_peers() -> None:
    import sklearn.linear_model
    import sklearn.svm  # noqa: F401


def _judged(fit, X, y, n: int, classes: int, C: float) -> dict:
    began = time.perf_counter()
    model = fit(X, y)
    seconds = time.perf_counter() - began
    model = getattr(model, "estimator_", model)
    value = objective(*everything(n, classes), model.coef_, model.intercept_, C)
    return {"seconds": seconds, "objective": value}


def _local(workers: int) -> dict:
    return {
        "n_workers": workers, "threads_per_worker": 1, "processes": True, "host": "127.0.0.1",
        "dashboard_address": ":0", "memory_limit": 0,
    }  # fmt: skip


def run(python: Path | str, name: str, n: int, *arguments: object) -> dict | None:
    """Have a case measured in a process of its own; None where it cannot be."""
    command = [
        str(python),
        "-m",
        "benchmarks.cluster",
        "--case",
        name,
        str(n),
        *map(str, arguments),
    ]
    try:
        made = subprocess.run(
            command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS, check=True
        )
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as error:
        print(f"{name} {n}: {str(error.stderr or error)[-300:]}", file=sys.stderr)
        return None
    return json.loads(made.stdout.splitlines()[-1])


def scale(sizes: list[int]) -> Table:
    """Time, rounds, bytes and memory as rows grow."""
    rows = []
    for n in sizes:
        for loss in ("squared_hinge", "hinge"):
            for workers in (1, 2):
                one, found = run(sys.executable, "one", n, loss, workers), None
                found = run(sys.executable, "cluster", n, loss, workers)
                if one is None or found is None:
                    rows.append([f"{n:.0e}", loss, str(workers), *["-"] * 8])
                    continue
                assert abs(found["primal"] / one["primal"] - 1) < 2 * TOL
                rows.append([
                    f"{n:.0e}", loss, str(workers), f"{one['seconds']:.2f}",
                    f"{found['seconds']:.2f}", f"{found['rounds']:.0f}", str(found["steps"]),
                    f"{found['bytes_moved'] / 1e6:.2f}", f"{found['worker_seconds']:.2f}",
                    f"{found['memory']:.0f}", f"{found['gap']:.0e}",
                ])  # fmt: skip
                print("  ".join(rows[-1]), flush=True)
    header = ["rows", "loss", "workers", "one machine s", "cluster s", "rounds", "Newton steps",
              "MB moved", "worker s", "client MB", "gap"]  # fmt: skip
    note = "20 features; gap 1e-4; one machine has as many threads as there are workers"
    return Table("Rows on workers", note, header, rows)


def beside_peers(n: int) -> Table:
    """Seconds and objectives of ours and theirs."""
    rows = []
    for name, ours, theirs in (
        ("stream", "SGDSVC, one pass", "dask-ml Incremental(SGDClassifier)"),
        ("exact", "LinearSVC, 4 classes", "scikit-learn's LinearSVC, joblib over Dask"),
    ):
        for who, python, case in ((ours, sys.executable, "ours"), (theirs, PEERS, "peer")):
            found = run(python, case, n, name) if Path(python).exists() else None
            told = ["-", "-"]
            if found is not None:
                told = [f"{found['seconds']:.2f}", f"{found['objective']:.6g}"]
            rows.append([name, who, *told])
            print("  ".join(rows[-1]), flush=True)
    note = f"{n:.0e} rows, 2 workers; the hinge's objective of the weights, less is better"
    return Table("Beside the peers", note, ["", "machine", "s", "objective"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster", description=__doc__)
    parser.add_argument("--rows", type=float, nargs="*", default=SIZES, help="numbers of rows")
    parser.add_argument("--peer-rows", type=float, default=PEER_ROWS)
    parser.add_argument("--case", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.case:
        name, n, *rest = options.case
        cases = {"one": case_one, "cluster": case_cluster, "ours": case_ours, "peer": case_peer}
        warnings.simplefilter("ignore")
        numbers = [int(value) if value.isdigit() else value for value in rest]
        print(json.dumps(cases[name](int(n), *numbers)))
        return
    about = machine()
    tables = [scale([int(n) for n in options.rows]), beside_peers(int(options.peer_rows))]
    keep("cluster", "make bench-cluster", tables, about)


if __name__ == "__main__":
    main()
