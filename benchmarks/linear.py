"""Linear machines side by side: python -m benchmarks.linear

Every contestant is to reach a verified relative gap of 1e-4 on its own problem. The peers know no
gap, so they are run with smaller and smaller tolerances until they have reached it; the fit that
did is the one whose time counts. Where none has reached it within the limit for a row, which they
share, the ratio is a bound. LIBLINEAR's problem has a penalised intercept; maxmargin takes that one
and its own, without the penalty. LIBLINEAR ends after a fixed number of passes: where that is too
few, scikit-learn's copy of it is asked, which has no such end.

The judge is plain numpy in float64: P of the returned weights, and D of the dual variables that
maxmargin returns for the same problem at a tolerance of 1e-5, both from their definitions.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
from scipy import sparse

from benchmarks.ratios import Ratio, mean
from benchmarks.results import Table, keep, machine

ROOT = Path(__file__).parents[1]
PEERS = ROOT / ".venv-bench" / "bin" / "python"
GAP = 1e-4
REFERENCE = 1e-5
TOLERANCES = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)


@dataclass(frozen=True)
class Row:
    name: str
    group: str
    data: str
    loss: str = "hinge"
    C: float = 1.0
    scaling: str = ""  # "std": columns standardised; "255": divided by 255
    dense: bool = False
    long: bool = False


DENSE, HARD, SMOOTH = "dense, hinge", "unscaled or C = 100, hinge", "dense, smooth"
TEXT, IMAGES, MORE = "sparse text, hinge", "MNIST", "more"
# The loss of Crammer and Singer: all classes are one problem.
AT_ONCE = "crammer_singer"
ALL = "all classes at once"
# One of each kind of work first, so that a run that is cut short has seen them all.
ROWS = (
    Row("a9a", DENSE, "a9a"),
    Row("a9a C=100", HARD, "a9a", C=100),
    Row("a9a squared", SMOOTH, "a9a", "squared_hinge"),
    Row("reuters", TEXT, "reuters_moneyfx"),
    Row("mnist squared", IMAGES, "mnist", "squared_hinge", C=0.1, scaling="255", dense=True),
    Row("ijcnn1", DENSE, "ijcnn1", dense=True),
    Row("news20", TEXT, "news20_tfidf"),
    Row("a9a logistic", SMOOTH, "a9a", "logistic"),
    Row("ijcnn1 squared", SMOOTH, "ijcnn1", "squared_hinge", dense=True),
    Row("ijcnn1 logistic", SMOOTH, "ijcnn1", "logistic", dense=True),
    Row("covtype squared", SMOOTH, "covtype", "squared_hinge", scaling="std", dense=True),
    Row("sector", TEXT, "sector"),
    Row("covtype", DENSE, "covtype", scaling="std", dense=True),
    Row("covtype raw", HARD, "covtype", dense=True),
    Row("covtype C=100", HARD, "covtype", scaling="std", dense=True, C=100),
    Row("covtype logistic", SMOOTH, "covtype", "logistic", scaling="std", dense=True),
    Row("satimage all", ALL, "satimage", AT_ONCE, dense=True),
    Row("letter all", ALL, "letter", AT_ONCE, dense=True),
    Row("usps all", ALL, "usps", AT_ONCE, C=0.1, dense=True),
    Row("news20 all", ALL, "news20_tfidf", AT_ONCE),
    Row("sector all", ALL, "sector", AT_ONCE, long=True),
    Row("news20 squared", MORE, "news20_tfidf", "squared_hinge", long=True),
    Row("sector squared", MORE, "sector", "squared_hinge", long=True),
)


def load(row: Row):
    """Rows as float32 (dense or CSR), and classes 0, 1, ..."""
    with np.load(Path(os.environ["MAXMARGIN_DATA"], f"{row.data}.npz")) as file:
        if "X" in file:
            X = file["X"]
        else:
            X = sparse.csr_matrix((file["data"], file["indices"], file["indptr"]), file["shape"])
        y = file["y"]
    y = y == 2 if row.data == "covtype" else y
    if row.dense and sparse.issparse(X):
        X = X.toarray()
    if row.scaling == "std":
        deviation = X.std(axis=0, dtype=float)
        X = (X - X.mean(axis=0, dtype=float)) / np.where(deviation > 0, deviation, 1.0)
    if row.scaling == "255":
        X = X / 255.0
    return X.astype(np.float32), np.unique(y, return_inverse=True)[1]


# ---- Contestants, each in a process of its own ------------------------------------------------


def named(row: Row) -> dict[str, str]:
    """The parameter of LinearSVC that says which problem it is."""
    return {"multi_class": AT_ONCE} if row.loss == AT_ONCE else {"loss": row.loss}


def fit_maxmargin(X, y, row: Row, tol: float, intercept: str):
    from maxmargin import LinearSVC

    model = LinearSVC(**named(row), C=row.C, tol=tol, intercept=intercept, max_iter=-1)
    start = perf_counter()
    model.fit(X, y)
    seconds = perf_counter() - start
    b = np.zeros((len(model.coef_), len(y)))
    b[:, model.support_] = model.dual_coef_
    return seconds, model.coef_, model.intercept_, b


def fit_scikit_learn(X, y, row: Row, tol: float):
    import warnings

    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    warnings.simplefilter("ignore")
    X = X.astype(np.float64)
    if row.loss == "logistic":
        model = LogisticRegression(C=row.C, tol=tol, solver="liblinear", max_iter=100_000)
    else:
        # As scikit-learn's dual="auto" chooses where both are possible.
        dual = row.loss != "squared_hinge" or X.shape[0] < X.shape[1]
        model = LinearSVC(**named(row), C=row.C, tol=tol, dual=dual, max_iter=100_000)
    start = perf_counter()
    model.fit(X, y)
    return perf_counter() - start, model.coef_, model.intercept_, None


def fit_liblinear(X, y, row: Row, tol: float):
    from liblinear.liblinear import parameter, problem
    from liblinear.liblinearutil import train

    wide = X.shape[0] < X.shape[1]
    solvers = {"hinge": 3, "squared_hinge": 1 if wide else 2, "logistic": 7 if wide else 0}
    solver = solvers.get(row.loss, 4)
    data = problem(y.astype(float), sparse.csr_matrix(X, dtype=np.float64), 1.0)
    options = parameter(f"-s {solver} -c {row.C} -e {tol} -B 1 -q")
    start = perf_counter()
    model = train(data, options)
    seconds = perf_counter() - start
    labels = model.get_labels()
    classes = range(1 if len(labels) == 2 else len(labels))
    parts = [model.get_decfun(k) for k in classes]
    w, c = np.array([part[0] for part in parts]), np.array([part[1] for part in parts])
    if len(labels) == 2 and labels[0] == 0:  # the first label is the positive one
        w, c = -w, -c
    order = np.argsort(labels) if len(labels) > 2 else [0]
    return seconds, w[order], c[order], None


OURS, FREE = "maxmargin", "maxmargin, free intercept"
CONTESTANTS = {
    OURS: lambda *a: fit_maxmargin(*a, "penalized"),
    FREE: lambda *a: fit_maxmargin(*a, "free"),
    "LIBLINEAR": fit_liblinear,
    "scikit-learn": fit_scikit_learn,
}


def trial(name: str, path: str, row: str, tol: str, limit: str) -> None:
    """One fit, in a process that is ended when it takes too long."""
    stated = Row(**json.loads(row))
    with np.load(path, allow_pickle=False) as file:
        if "X" in file:
            X = file["X"]
        else:
            X = sparse.csr_matrix((file["data"], file["indices"], file["indptr"]), file["shape"])
        y = file["y"]
    fit = CONTESTANTS[name]
    # First calls load libraries and start threads; nobody's time should contain that.
    few = np.r_[np.flatnonzero(y == 0)[:100], np.flatnonzero(y == 1)[:100]]
    fit(X[few], y[few], stated, 1e-1)
    signal.setitimer(signal.ITIMER_REAL, float(limit))
    seconds, w, c, b = fit(X, y, stated, float(tol))
    signal.setitimer(signal.ITIMER_REAL, 0)
    spent = seconds
    while spent < 1.0:
        again = fit(X, y, stated, float(tol))[0]
        seconds, spent = min(seconds, again), spent + max(again, 0.02)
    np.savez(path + ".out.npz", w=w, c=c, **({} if b is None else {"b": b}))
    print(json.dumps({"seconds": seconds}))


# ---- The judge --------------------------------------------------------------------------------


def primal(X, y, row: Row, w, c, penalized: bool):
    """P of each problem of returned weights, from its definition."""
    if row.loss == AT_ONCE:
        levels = np.asarray(X @ w.T) + c + (np.arange(len(w)) != y[:, None])
        loss = (levels.max(axis=1) - levels[np.arange(len(y)), y]).sum()
        penalty = (w**2).sum() / 2 + ((c**2).sum() / 2 if penalized else 0.0)
        return np.array([penalty + row.C * loss])
    values = []
    for p in range(len(w)):
        sign = np.where(y == (1 if len(w) == 1 else p), 1.0, -1.0)
        z = sign * (X @ w[p] + c[p])
        slack = np.maximum(0.0, 1.0 - z)
        loss = {"hinge": slack, "squared_hinge": slack**2, "logistic": np.logaddexp(0.0, -z)}
        penalty = w[p] @ w[p] / 2 + (c[p] ** 2 / 2 if penalized else 0.0)
        values.append(penalty + row.C * loss[row.loss].sum())
    return np.array(values)


def dual(X, y, row: Row, b, penalized: bool):
    """D of each problem of returned dual variables, from its definition."""
    if row.loss == AT_ONCE:
        return np.array([dual_at_once(X, y, row, b, penalized)])
    values = []
    for p in range(len(b)):
        sign = np.where(y == (1 if len(b) == 1 else p), 1.0, -1.0)
        a, own = sign * b[p], X.T @ b[p]
        upper = np.inf if row.loss == "squared_hinge" else row.C
        assert ((a >= 0) & (a <= upper)).all(), "b leaves its box"
        if row.loss == "logistic":
            s = np.clip(a / row.C, 1e-300, 1 - 1e-16)
            conjugate = -row.C * (s * np.log(s) + (1 - s) * np.log1p(-s)).sum()
        else:
            square = a @ a / (4 * row.C) if row.loss == "squared_hinge" else 0.0
            conjugate = a.sum() - square
        total = b[p].sum()
        if not penalized:
            assert abs(total) <= 1e-9 * np.abs(b[p]).sum(), "b does not sum to zero"
        values.append(conjugate - own @ own / 2 - (total**2 / 2 if penalized else 0.0))
    return np.array(values)


def dual_at_once(X, y, row: Row, b, penalized: bool) -> float:
    upper = np.where(np.arange(len(b))[:, None] == y, row.C, 0.0)
    assert (b <= upper).all(), "b leaves its box"
    assert (np.abs(b.sum(axis=0)) <= 1e-12 * row.C).all(), "b of a row does not sum to zero"
    totals = b.sum(axis=1)
    if not penalized:
        assert (np.abs(totals) <= 1e-9 * np.abs(b).sum()).all(), "b does not sum to zero"
    own = np.asarray(X.T @ b.T)
    square = (own**2).sum() + ((totals**2).sum() if penalized else 0.0)
    return float(b[y, np.arange(len(y))].sum() - square / 2)


# ---- Running ----------------------------------------------------------------------------------


def run_trial(name: str, path: str, row: Row, tol: float, limit: float):
    """Seconds and the model, or the reason why there is none."""
    peer = not name.startswith("maxmargin") and PEERS.exists()
    command = [str(PEERS) if peer else sys.executable, "-m", "benchmarks.linear", "--trial"]
    done = subprocess.run(
        [*command, name, path, json.dumps(row.__dict__), str(tol), str(limit)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode == -signal.SIGALRM:
        return "time-out", None
    if done.returncode != 0:
        return (done.stderr.splitlines() or ["failed"])[-1], None
    with np.load(path + ".out.npz") as file:
        return json.loads(done.stdout.splitlines()[-1])["seconds"], dict(file)


def verified_gap(exact, y, row: Row, model, bounds, penalized: bool) -> float:
    P = primal(exact, y, row, model["w"], model["c"], penalized)
    return float(((P - bounds[penalized]) / np.abs(P)).max())


def reach(name: str, path: str, row: Row, limit: float, gap_of) -> dict:
    """The first fit of a contestant that reaches the gap, or the last one before it gives up.

    `spent` is what all of its fits took.
    """
    ladder = (GAP,) if name in (OURS, FREE) else TOLERANCES
    result, spent = {"seconds": limit, "note": "not run"}, 0.0
    for tol in ladder:
        seconds, model = run_trial(name, path, row, tol, limit - spent)
        if model is None:
            return {**result, "seconds": limit - spent, "note": seconds, "spent": limit}
        gap = gap_of(model)
        spent += seconds
        if gap == result.get("gap"):  # a smaller tolerance changes nothing: the passes are used up
            return {**result, "note": "ends early", "spent": spent}
        result = {"seconds": seconds, "gap": gap, "tol": tol, "spent": spent}
        if gap <= GAP or spent >= limit:
            break
    return result


def reached(result: dict) -> bool:
    return result.get("gap", np.inf) <= GAP


def run_row(row: Row, limit: float, repeats: int):
    """Seconds and verified gap of each contestant."""
    X, y = load(row)
    exact = X.astype(np.float64)
    results: dict[str, dict] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "problem.npz"))
        if sparse.issparse(X):
            fields = {name: getattr(X, name) for name in ("data", "indices", "indptr", "shape")}
            np.savez(path, y=y, **fields)
        else:
            np.savez(path, X=X, y=y)
        bounds = {}
        for penalized, name in ((True, OURS), (False, FREE)):
            _, model = run_trial(name, path, row, REFERENCE, 10 * limit)
            bounds[penalized] = dual(exact, y, row, model["b"], penalized)
        for name in CONTESTANTS:
            left = limit
            if name == "scikit-learn":
                left -= results["LIBLINEAR"]["spent"]
                if results["LIBLINEAR"].get("note") != "ends early" or left < 1:
                    continue
            results[name] = reach(
                name,
                path,
                row,
                left,
                lambda model, own=name != FREE: verified_gap(exact, y, row, model, bounds, own),
            )
        for _ in range(repeats - 1):
            for name, result in results.items():
                if reached(result) and result["seconds"] < 1:
                    again, _ = run_trial(name, path, row, result["tol"], limit)
                    result["seconds"] = min(result["seconds"], again)
    return X.shape, results


def ratio_of(results: dict, ours: str) -> Ratio | None:
    """Against the fastest peer that reached the gap; a bound where none has."""
    peers = [result for name, result in results.items() if name not in (OURS, FREE)]
    if not reached(results[ours]):
        return None
    there = [peer["seconds"] for peer in peers if reached(peer)]
    theirs = min(there) if there else max(peer["seconds"] for peer in peers)
    return Ratio(theirs / results[ours]["seconds"], "" if there else ">")


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["--trial"]:
        trial(*arguments[1:])
        return 0
    parser = argparse.ArgumentParser(prog="python -m benchmarks.linear", description=__doc__)
    parser.add_argument("--rows", help="only these, separated by commas")
    parser.add_argument("--limit", type=float, default=60.0, help="the peers' seconds for a row")
    parser.add_argument("--repeats", type=int, default=2, help="best of this many short fits")
    parser.add_argument("--full", action="store_true", help="all rows, 300 s for a row")
    options = parser.parse_args(arguments)
    if "MAXMARGIN_DATA" not in os.environ:
        print("Set MAXMARGIN_DATA to the folder of the data sets.", file=sys.stderr)
        return 2
    limit = 300.0 if options.full else options.limit
    wanted = options.rows.split(",") if options.rows else None
    about = machine()
    print(f"load {about['load']:.1f} at the start")
    header = (
        f"| row | size | loss, C | {OURS} | {FREE} | LIBLINEAR | scikit-learn | ratio | "
        "ratio, free intercept |"
    )
    print(header)
    print("| --- |" + " --- |" * 8, flush=True)
    written, lines = [], []
    output = ROOT / "build" / "bench"
    output.mkdir(parents=True, exist_ok=True)
    for row in ROWS:
        if (row.name not in wanted) if wanted else (row.long and not options.full):
            continue
        shape, found = run_row(row, limit, options.repeats)
        written.append({"row": row.__dict__, "results": found})
        lines.append(line(row, shape, found))
        print(lines[-1], flush=True)
        (output / "linear.json").write_text(json.dumps(written, indent=1) + "\n")
    summary = means(written)
    print("\n" + summary)
    head, _, *rest = summary.splitlines()
    note = "seconds to a verified relative gap; the ratio is to the fastest peer that got there"
    tables = [
        Table.of_lines("Linear machines at equal gap", note, header, lines),
        Table.of_lines("Means", "of the ratios, by kind of work", head, rest),
    ]
    keep("linear", "make bench-linear", tables, about)
    return 0


def line(row: Row, shape, results) -> str:
    cells = [cell(results[name]) if name in results else "" for name in CONTESTANTS]
    cells += [str(ratio_of(results, name) or "") for name in (OURS, FREE)]
    size = f"{shape[0]:,} x {shape[1]:,}"
    return f"| {row.name} | {size} | {row.loss}, {row.C:g} | {' | '.join(cells)} |"


def cell(result: dict) -> str:
    told = [f"gap {result['gap']:.0e}"] if "gap" in result else []
    told += [result["note"]] if "note" in result else []
    return f"{'' if reached(result) else '> '}{result['seconds']:.3g} s ({', '.join(told)})"


def means(written: list[dict]) -> str:
    """Geometric mean and lowest ratio of each kind of work."""
    lines = [
        "| work | geometric mean | lowest | free intercept, mean | lowest |",
        "| --- | --- | --- | --- | --- |",
    ]
    for group in dict.fromkeys(entry["row"]["group"] for entry in written):
        cells = [group]
        for name in (OURS, FREE):
            found = [
                ratio
                for entry in written
                if entry["row"]["group"] == group and (ratio := ratio_of(entry["results"], name))
            ]
            lowest = min(found, key=lambda ratio: ratio.value, default=None)
            cells += [str(mean(found) or ""), str(lowest or "")]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
