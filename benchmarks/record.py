"""Fits of every estimator and formulation, recorded to the last bit, and compared with a record.

    python -m benchmarks.record write FILE      # before a change that should change no result
    python -m benchmarks.record compare FILE    # after it: exits 1 and lists what differs

Records belong to one machine: another instruction set rounds differently.
"""

import sys
import warnings
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import maxmargin as mm
from maxmargin.data import Chunks
from maxmargin.kernels import RBF, Laplacian, Linear, Polynomial

#: What a fitted machine is compared by, where it has it.
ATTRIBUTES = (
    *("support_", "dual_coef_", "intercept_", "coef_", "alphas_", "support_status_", "n_support_"),
    *("n_iter_", "classes_", "class_weight_", "margin_", "epsilon_", "offset_", "eta0_", "t_"),
    *("mistakes_", "n_mistakes_", "mistake_bound_"),
)
LAYOUTS = {
    "dense64": lambda X: X,
    "dense32": lambda X: X.astype(np.float32),
    "csr64": csr_array,
    "csr32": lambda X: csr_array(X.astype(np.float32)),
}


def rows(n: int, d: int, classes: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Overlapping clouds with many zeros: rows, class numbers, targets."""
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % classes)
    X = rng.normal(size=(classes, d))[y] + rng.normal(size=(n, d))
    X[np.abs(X) < 0.4] = 0
    return X, y, np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.2 * rng.normal(size=n)


def kernel_machines() -> Iterator[tuple[str, Any, str]]:
    """Name, estimator and what it is fitted to."""
    for kernel in ("rbf", "linear", "poly", "sigmoid", "laplacian", "matern", "cosine"):
        yield f"SVC-{kernel}", mm.SVC(kernel=kernel, C=2.0), "classes"
    for C in (0.01, 100.0):
        yield f"SVC-rbf-C{C:g}", mm.SVC(C=C), "classes"
    composed = RBF(0.3).on([0, 1]) * Polynomial(2, 0.5, 1.0) + 0.5 * Laplacian(0.2)
    yield "SVC-composed", mm.SVC(kernel=composed), "classes"
    yield "SVC-tight", mm.SVC(tol=1e-8, C=10.0), "classes"
    yield "SVC-squared", mm.SVC(loss="squared_hinge"), "classes"
    yield "SVC-ovr", mm.SVC(multi_class="ovr"), "classes"
    yield "SVC-balanced", mm.SVC(class_weight="balanced"), "classes"
    yield "SVC-steps", mm.SVC(max_iter=7), "classes"
    yield "NuSVC", mm.NuSVC(nu=0.6), "classes"
    yield "NuSVC-linear", mm.NuSVC(nu=0.8, kernel="linear"), "classes"
    yield "SVR", mm.SVR(C=2.0), "targets"
    yield "SVR-linear", mm.SVR(kernel="linear", C=0.5), "targets"
    yield "NuSVR", mm.NuSVR(C=2.0, nu=0.4), "targets"
    yield "OneClassSVM", mm.OneClassSVM(nu=0.3), "classes"
    yield "HardMarginSVC", mm.HardMarginSVC(gamma=2.0), "classes"
    yield "HardMarginSVC-linear", mm.HardMarginSVC(kernel="linear"), "apart"


def linear_machines() -> Iterator[tuple[str, Any, str]]:
    """The same of linear machines."""
    for loss, intercept in product(("squared_hinge", "hinge", "logistic"), ("free", "penalized")):
        yield (
            f"LinearSVC-{loss}-{intercept}",
            mm.LinearSVC(loss=loss, intercept=intercept),
            "classes",
        )
    for solver in ("newton", "newton-cg", "descent", "gram"):
        yield f"LinearSVC-{solver}", mm.LinearSVC(solver=solver), "classes"
    yield "LinearSVC-hinge-gram", mm.LinearSVC(loss="hinge", solver="gram"), "classes"
    yield "LinearSVC-plain", mm.LinearSVC(fit_intercept=False, class_weight="balanced"), "classes"
    for loss in ("squared_hinge", "logistic"):
        yield f"LinearSVC-l1-{loss}", mm.LinearSVC("l1", loss, C=0.1), "classes"
    for loss in ("epsilon_insensitive", "squared_epsilon_insensitive", "huber"):
        yield f"LinearSVR-{loss}", mm.LinearSVR(loss=loss, epsilon=0.2), "targets"
        yield f"SGDSVR-{loss}", mm.SGDSVR(loss=loss, random_state=0, max_iter=7), "targets"
    for loss in ("hinge", "squared_hinge", "logistic", "perceptron"):
        yield f"SGDSVC-{loss}", mm.SGDSVC(loss=loss, random_state=0, max_iter=7), "classes"
    for method in ("sgd", "pegasos"):
        machine = mm.SGDSVC(method=method, intercept="penalized", random_state=3, batch_size=4)
        yield f"SGDSVC-{method}", machine, "classes"
    yield "SGDSVC-balanced", mm.SGDSVC(class_weight="balanced", random_state=1), "classes"
    yield "Perceptron", mm.Perceptron(max_iter=20), "classes"
    yield "Perceptron-average", mm.Perceptron(average=True, shuffle=True, random_state=2), "apart"


def fits() -> Iterator[tuple[str, Any, np.ndarray]]:
    """Name, fitted machine and rows to predict."""
    machines = [*kernel_machines(), *linear_machines()]
    for (name, machine, kind), (layout, form), seed in product(machines, LAYOUTS.items(), range(2)):
        for n, classes, weighted in ((90, 2, False), (130, 3, True), (700, 2, True)):
            if n > 500 and (seed or layout in ("csr32",)):
                continue
            X, codes, targets = rows(n, 6, classes, seed)
            if kind == "apart":
                X[:, 0] += 9 * codes
            y = targets if kind == "targets" else codes
            weight = np.random.default_rng(9).uniform(0.2, 2, n).round(1) if weighted else None
            if weight is not None:
                weight[::17] = 0
            fitted = clone(machine).fit(form(X), y, weight)
            yield f"{name}/{layout}/{n}/{classes}/{seed}", fitted, form(X)
    yield from large_fits()
    yield from special_fits()


def large_fits() -> Iterator[tuple[str, Any, np.ndarray]]:
    """Fits beyond what is solved in memory at once, and many classes."""
    X, y, targets = rows(2600, 8, 2, 4)
    for name, machine in {
        "SVC": mm.SVC(C=5.0),
        "SVC-large-C": mm.SVC(C=1000.0, gamma=0.5),
        "SVC-linear": mm.SVC(kernel="linear"),
        "SVC-poly": mm.SVC(kernel="poly", coef0=1.0),
        "NuSVC": mm.NuSVC(nu=0.5),
        "OneClassSVM": mm.OneClassSVM(nu=0.2),
    }.items():
        yield f"large/{name}", machine.fit(X, y), X[:300]
    for name, machine in {
        "SVR": mm.SVR(C=10.0),
        "NuSVR": mm.NuSVR(),
        "linear": mm.SVR(kernel="linear"),
    }.items():
        yield f"large/{name}", machine.fit(X, targets), X[:300]
    X, y, _ = rows(1500, 10, 9, 5)
    for threads in (1, 2):
        yield f"many/{threads}", mm.SVC(C=3.0, n_jobs=threads).fit(X, y), X[:300]
    yield "many/csr", mm.SVC(kernel="linear").fit(csr_array(X), y), csr_array(X[:300])
    yield "many/ovr", mm.SVC(multi_class="ovr").fit(X, y), X[:300]
    wide = np.random.default_rng(6).normal(size=(120, 400))
    for loss in ("hinge", "squared_hinge", "logistic"):
        yield f"wide/{loss}", mm.LinearSVC(loss=loss).fit(wide, np.arange(120) % 2), wide
    sparse = csr_array(
        np.where(np.abs(np.random.default_rng(7).normal(size=(600, 3000))) > 2.3, 1.0, 0.0)
    )
    for loss in ("hinge", "squared_hinge", "logistic"):
        yield f"text/{loss}", mm.LinearSVC(loss=loss).fit(sparse, np.arange(600) % 4), sparse


def special_fits() -> Iterator[tuple[str, Any, np.ndarray]]:
    """Fits that go another way: given matrices, functions, warm starts, streams, chunks."""
    X, y, targets = rows(160, 6, 3, 8)
    K = RBF(0.2)(X, X)
    yield "precomputed/SVC", mm.SVC(kernel="precomputed").fit(K, y), K
    yield "precomputed/SVR", mm.SVR(kernel="precomputed").fit(K, targets), K
    yield "callable/SVC", mm.SVC(kernel=lambda A, B: A @ B.T).fit(X, y), X
    yield "kernel/SVC", mm.SVC(kernel=Linear()).fit(X, y), X
    warm = mm.SVC(warm_start=True).fit(X, y).set_params(C=4.0)
    yield "warm/SVC", warm.fit(X, y), X
    warm = mm.NuSVR(warm_start=True).fit(X, targets).set_params(C=4.0)
    yield "warm/NuSVR", warm.fit(X[20:], targets[20:]), X
    stream = mm.SGDSVC(random_state=0)
    taught = mm.Perceptron()
    for block in range(0, 160, 40):
        part = slice(block, block + 40)
        stream.partial_fit(X[part], y[part], classes=[0, 1, 2])
        taught.partial_fit(X[part], y[part], classes=[0, 1, 2])
    yield "stream/SGDSVC", stream, X
    yield "stream/Perceptron", taught, X
    again = mm.SGDSVC(random_state=0, warm_start=True, max_iter=2).fit(X, y)
    yield "warm/SGDSVC", again.fit(X, y), X
    chunks = Chunks.from_arrays(X, y, chunk_rows=40)
    yield "chunks/LinearSVC", mm.LinearSVC().fit(chunks), X


def recorded(machine: Any, X: Any) -> Iterator[tuple[str, np.ndarray]]:
    """What a fit gives, by name."""
    for name in ATTRIBUTES:
        try:
            value = getattr(machine, name)
        except AttributeError:
            continue
        yield name, np.asarray(value.toarray() if hasattr(value, "toarray") else value)
    yield "status_", np.asarray(getattr(machine, "status_", -1))
    parts = getattr(getattr(machine, "certificate_", None), "parts", ())
    yield "certificate_", np.array([(part.primal, part.dual, part.gap) for part in parts])
    yield "predict", np.asarray(machine.predict(X))
    if hasattr(machine, "decision_function"):
        yield "decision_function", np.asarray(machine.decision_function(X))


def record() -> dict[str, np.ndarray]:
    """Make all fits."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return {
            f"{case}:{name}": value
            for case, machine, X in fits()
            for name, value in recorded(machine, X)
        }


def differences(before: dict[str, np.ndarray], now: dict[str, np.ndarray]) -> list[str]:
    """Say what is not the same, one line each."""
    lines = [f"{key}: only {'before' if key in before else 'now'}" for key in before.keys() ^ now]
    for key in before.keys() & now.keys():
        old, new = before[key], now[key]
        if old.shape != new.shape:
            lines.append(f"{key}: shape {old.shape}, now {new.shape}")
        elif old.tobytes() != new.astype(old.dtype).tobytes():
            off = (
                np.abs(old.astype(float) - new.astype(float)).max() if old.dtype.kind != "U" else 1
            )
            lines.append(f"{key}: differs by up to {off:.1e}")
    return sorted(lines)


def main(verb: str, path: str) -> int:
    """Write a record, or compare with one."""
    found = record()
    cases = len({key.partition(":")[0] for key in found})
    if verb == "write":
        np.savez_compressed(path, **found)
        print(f"{cases} fits, {len(found)} values recorded in {path}")
        return 0
    with np.load(path) as file:
        lines = differences(dict(file), found)
    print("\n".join([*lines, f"{cases} fits, {len(found)} values, {len(lines)} differ"]))
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
