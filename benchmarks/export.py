"""Prediction of exported models, by onnxruntime and as C, beside maxmargin's own.

    python -m benchmarks.export            # times and sizes
    python -m benchmarks.export accuracy   # how far exported models are from their originals

Rows are predicted all at once, the contestants in turns on one thread, best of several; C has one
row at a time, as its function takes them. Columns are times, as multiples of maxmargin's own with
all support vectors, and bytes: of the graph, of the C file's tables and of the machine code that
gcc -O2 makes of it. Accuracy is the largest error of a decision value as a share of the largest of
them, and how many rows have another label; then what smaller sets of vectors cost on held-out rows.
"""

from __future__ import annotations

import ctypes
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, LinearSVC
from maxmargin.export import to_c, to_onnx

ROUNDS = 7
N_ROWS = 4000
MAIN = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include "model.h"
int main(void) {
    static model_real x[ROWS][MODEL_N_FEATURES];
    struct timespec begin, end;
    long i, sum = 0;
    FILE *in = fopen("rows", "rb");
    if (in == NULL || fread(x, sizeof x, 1, in) != 1) return 1;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    for (i = 0; i < ROWS; ++i) sum += model_predict(x[i]);
    clock_gettime(CLOCK_MONOTONIC, &end);
    printf("%.9f %ld", difftime(end.tv_sec, begin.tv_sec) + 1e-9 * (double)end.tv_nsec
           - 1e-9 * (double)begin.tv_nsec, sum);
    return 0;
}
"""


def models():
    digits, cancer = load_digits(return_X_y=True), load_breast_cancer(return_X_y=True)
    yield "digits, RBF", SVC(n_jobs=1), digits
    yield "digits, RBF, 60 vectors", SVC(n_jobs=1), digits
    yield "digits, Laplacian", SVC(kernel="laplacian", gamma=0.01, n_jobs=1), digits
    yield "breast cancer, RBF", make_pipeline(StandardScaler(), SVC(n_jobs=1)), cancer
    yield "digits, linear", make_pipeline(StandardScaler(), LinearSVC(n_jobs=1)), digits


def graph(model, rows, dtype, folder, compress):
    """A function that predicts by onnxruntime, and the bytes of the graph."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    report = to_onnx(model, folder / "model.onnx", dtype=dtype, compress=compress)
    session = onnxruntime.InferenceSession(folder / "model.onnx", options)
    given = rows.astype(dtype)
    return lambda: session.run(["label"], {"X": given}), report.file_bytes


def program(model, rows, dtype, folder, compress):
    """A function that runs a program and returns its own time; bytes of tables and of code."""
    folder = folder / dtype
    folder.mkdir()
    report = to_c(model, folder / "model.c", dtype=dtype, compress=compress)
    rows.astype(dtype).tofile(folder / "rows")
    (folder / "main.c").write_text(MAIN.replace("ROWS", str(len(rows))))
    for command in (["-std=c99", "-c", "model.c"], ["main.c", "model.o", "-o", "main", "-lm"]):
        subprocess.run(["gcc", "-O2", *command], cwd=folder, check=True)
    sizes = subprocess.run(["size", "-A", "model.o"], cwd=folder, capture_output=True, text=True)
    code = sum(int(size) for size in re.findall(r"^\.text\S*\s+(\d+)", sizes.stdout, re.M))

    def run():
        out = subprocess.run(["./main"], cwd=folder, capture_output=True, text=True, check=True)
        return float(out.stdout.split()[0])

    return run, f"{report.table_bytes} + {code}"


def timed(call):
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def main() -> None:
    print(
        "| | maxmargin, ms | onnxruntime f32 | f64 | C float | double | bytes of f32 | of float |"
    )
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, model, (X, y) in models():
        compress = 60 if "60" in name else None
        rows = np.resize(X, (N_ROWS, X.shape[1]))
        model.fit(X, y)
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place)
            narrow, graph_bytes = graph(model, rows, "float32", folder, compress)
            wide, _ = graph(model, rows, "float64", folder, compress)
            single, code_bytes = program(model, rows, "float32", folder, compress)
            double, _ = program(model, rows, "float64", folder, compress)
            contestants = [lambda: timed(lambda: model.predict(rows))]  # noqa: B023
            contestants += [lambda: timed(narrow), lambda: timed(wide), single, double]  # noqa: B023
            rounds = [[run() for run in contestants] for _ in range(ROUNDS)]
        own, *others = np.min(rounds, axis=0)
        ratios = " | ".join(f"{other / own:.2g}" for other in others)
        print(f"| {name} | {1e3 * own:.1f} | {ratios} | {graph_bytes} | {code_bytes} |")


def cases():
    digits, cancer = load_digits(return_X_y=True), load_breast_cancer(return_X_y=True)
    yield "digits, RBF", SVC(), digits
    yield "digits, Laplacian", SVC(kernel="laplacian", gamma=0.01), digits
    yield "digits, linear", make_pipeline(StandardScaler(), LinearSVC()), digits
    yield "breast cancer, not scaled", SVC(), cancer
    yield "breast cancer, scaled, C = 10", make_pipeline(StandardScaler(), SVC(C=10)), cancer
    yield "breast cancer, not scaled, C = 10,000", SVC(C=1e4), cancer


def of_graph(model, rows, dtype, folder):
    """Decision values and labels by onnxruntime."""
    import onnxruntime

    to_onnx(model, folder / "model.onnx", dtype=dtype)
    session = onnxruntime.InferenceSession(folder / "model.onnx")
    return session.run(["decision", "label"], {"X": rows})


def of_library(model, rows, dtype, folder):
    """Decision values and labels by C."""
    to_c(model, folder / f"{dtype}.c", name="model", dtype=dtype)
    command = ["gcc", "-O2", "-shared", "-fPIC", f"{dtype}.c", "-o", f"{dtype}.so", "-lm"]
    subprocess.run(command, cwd=folder, check=True)
    library = ctypes.CDLL(str(folder / f"{dtype}.so"))
    shape = model.decision_function(rows[:1]).shape
    decision = np.zeros((len(rows), *shape[1:]), dtype)
    places = []
    for row, out in zip(rows, decision.reshape(len(rows), -1), strict=True):
        library.model_decision(*(ctypes.c_void_p(part.ctypes.data) for part in (row, out)))
        places.append(library.model_predict(ctypes.c_void_p(row.ctypes.data)))
    return decision, model.classes_[places]


def accuracy() -> None:
    print("| | ONNX float64 | ONNX float32 | C double | C float |")
    print("| --- | --- | --- | --- | --- |")
    for name, model, (X, y) in cases():
        model.fit(X, y)
        shown = []
        for way in (of_graph, of_library):
            for dtype in ("float64", "float32"):
                rows = np.ascontiguousarray(X.astype(dtype))
                exact = model.decision_function(rows.astype(float))
                with tempfile.TemporaryDirectory() as folder:
                    decision, label = way(model, rows, dtype, Path(folder))
                error = np.abs(decision - exact).max() / np.abs(exact).max()
                wrong = int((label != model.predict(rows.astype(float))).sum())
                shown.append(f"{error:.0e}" + (f", {wrong} rows" if wrong else ""))
        print(f"| {name} | {' | '.join(shown)} |")
    X, y = load_digits(return_X_y=True)
    model = SVC().fit(X[:1200], y[:1200])
    for n in (20, 50, 100, 200):
        with tempfile.TemporaryDirectory() as folder:
            report = to_c(model, Path(folder) / "m.c", compress=n, X=X[1200:], y=y[1200:])
        print(report.compression)


if __name__ == "__main__":
    accuracy() if sys.argv[1:] == ["accuracy"] else main()
