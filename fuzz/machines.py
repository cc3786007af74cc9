"""Machines under random sequences of calls: what they refuse must leave them as they were."""

import copy
import pickle
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from fuzz.choices import Choices
from maxmargin import (
    SGDSVC,
    SGDSVR,
    SVC,
    SVR,
    HardMarginSVC,
    LinearSVC,
    LinearSVR,
    NuSVC,
    NuSVR,
    OneClassSVM,
    Perceptron,
)
from maxmargin.export import ExportError, to_c, to_onnx


class StopError(Exception):
    """What an interrupting callback raises."""


def interrupt(*_: object) -> bool:
    """Stand for Ctrl-C in the middle of a fit."""
    raise StopError


MACHINES = [SVC, SVR, NuSVC, NuSVR, OneClassSVM, HardMarginSVC, LinearSVC, LinearSVR, SGDSVC,
            SGDSVR, Perceptron]  # fmt: skip
#: Values that parameters are set to; a machine that has no such parameter refuses it.
VALUES: dict[str, list[Any]] = {
    "C": [1.0, 1e-10, 1e10, 0.0, -1.0, np.nan],
    "kernel": ["rbf", "linear", "poly", "sigmoid", "laplacian", "chi2", "precomputed", "none", 3],
    "gamma": ["scale", "auto", 1e-12, 1e12, 0.5, -1.0],
    "nu": [0.5, 1e-6, 1.0, 2.0],
    "loss": ["hinge", "squared_hinge", "epsilon_insensitive", "logistic", "none"],
    "penalty": ["l2", "l1", "none"],
    "multi_class": ["ovo", "ovr", "crammer_singer"],
    "dual": [True, False, "auto"],
    "tol": [1e-3, 0.5, 1e-12],
    "max_iter": [-1, 1, 3],
    "warm_start": [True, False],
    "calibration": [None, "sigmoid", "venn-abers"],
    "class_weight": [None, "balanced", {0: 1e-3, 1: 1e3}],
    "time_limit": [None, 1e-9],
    "on_interrupt": ["raise", "keep"],
    "callback": [None, interrupt],
}
#: What a call may end in; all else is a finding.
REFUSALS = (ValueError, TypeError, KeyError, AttributeError, NotImplementedError)
FOLDER = Path(tempfile.mkdtemp(prefix="fuzz-export-"))


def rows(choices: Choices) -> Any:
    """Return data: dense or sparse, of either precision, perhaps with numbers that are none."""
    n, d = choices.between(0, 9), choices.between(0, 4)
    X = choices.array((n, d))
    if choices.flag():
        X = X.astype(np.float32)
    return sparse.csr_array(X) if choices.flag() else X


def targets(choices: Choices, n: int) -> Any:
    """Return labels or targets, mostly as many as rows."""
    if choices.byte() % 16 == 0:
        n += 1
    if choices.flag():
        return np.array([choices.between(0, 2) for _ in range(n)])
    return choices.array((n,))


def outputs(machine: Any, X: Any) -> Any:
    """Return what the machine says of rows, or the type of its refusal."""
    try:
        return machine.predict(X)
    except REFUSALS as refusal:
        return type(refusal)


def same(first: Any, second: Any) -> bool:
    """Compare outputs to the last bit."""
    if isinstance(first, type) or isinstance(second, type):
        return first is second
    return np.array_equal(first, second, equal_nan=np.asarray(first).dtype.kind == "f")


def fit(machine: Any, choices: Choices, method: str) -> None:
    """Fit; one that is refused leaves outputs as they were."""
    X = rows(choices)
    y, known = targets(choices, X.shape[0]), rows(choices)
    before = outputs(machine, known)
    weight = choices.array((X.shape[0],)) if choices.byte() % 4 == 0 else None
    try:
        getattr(machine, method)(X, y, sample_weight=weight)
    except (*REFUSALS, StopError):
        assert same(before, outputs(machine, known)), "a fit that was refused has changed the model"


def set_parameter(machine: Any, choices: Choices) -> None:
    """Set a parameter to a good or a bad value."""
    name = choices.one_of(sorted(VALUES))
    with suppress(ValueError):
        machine.set_params(**{name: choices.one_of(VALUES[name])})


def predict(machine: Any, choices: Choices) -> None:
    """Ask for outputs at rows of any shape."""
    X = rows(choices)
    for method in ("predict", "decision_function", "predict_proba"):
        with suppress(*REFUSALS):
            assert len(getattr(machine, method)(X)) == X.shape[0]


def pickled(machine: Any, choices: Choices) -> None:
    """Come back from a pickle, and from a copy, with the same outputs."""
    machine.set_params(callback=None)
    X = rows(choices)
    for other in (pickle.loads(pickle.dumps(machine)), copy.deepcopy(machine)):
        assert same(outputs(machine, X), outputs(other, X)), "a copy says something else"


def write(machine: Any, choices: Choices) -> None:
    """Write as ONNX and as C, under any name."""
    dtype, name = choices.one_of(["float32", "float64"]), choices.text()
    with suppress(ExportError, *REFUSALS):
        to_onnx(machine, FOLDER / "model.onnx", dtype=dtype)
    with suppress(ExportError, *REFUSALS):
        to_c(machine, FOLDER / "model.c", dtype=dtype, name=name)
        source = (FOLDER / "model.c").read_text()
        assert name in source


CALLS: list[Callable[[Any, Choices], None]] = [
    lambda machine, choices: fit(machine, choices, "fit"),
    lambda machine, choices: fit(machine, choices, "partial_fit"),
    set_parameter,
    set_parameter,
    predict,
    pickled,
]


def make(choices: Choices) -> Any:
    """Return a machine; of thousands of passes over nine rows a few say as much."""
    machine = choices.one_of(MACHINES)()
    return machine.set_params(max_iter=20) if machine.max_iter > 20 else machine


def run(content: bytes) -> None:
    """Make a machine and call it as the bytes say."""
    choices = Choices(content)
    machine = make(choices)
    for _ in range(12):
        if not choices.left():
            return
        choices.one_of(CALLS)(machine, choices)


def run_writers(content: bytes) -> None:
    """Fit a machine with any parameters on any data, and write it."""
    choices = Choices(content)
    machine = make(choices)
    for _ in range(choices.between(0, 3)):
        set_parameter(machine, choices)
    with suppress(*REFUSALS, StopError):
        machine.fit(X := rows(choices), targets(choices, X.shape[0]))
    machine.set_params(callback=None)
    write(machine, choices)
