"""The verb `svm-train`: LIBSVM's own options and files, for scripts that have them."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import PurePath
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

import maxmargin
from maxmargin.cli.folds import libsvm_folds
from maxmargin.cli.scores import NumberScore
from maxmargin.data.files import FileError, read_libsvm
from maxmargin.models import Classes, SupportStatus
from maxmargin.storage import write_libsvm_model
from maxmargin.storage.libsvm import libsvm_order

#: The estimators of LIBSVM's machines, by their number.
MACHINES = ("SVC", "NuSVC", "OneClassSVM", "SVR", "NuSVR")
CLASSIFIERS = ("SVC", "NuSVC")
KERNELS = ("linear", "poly", "rbf", "sigmoid", "precomputed")


@dataclass
class Options:
    """LIBSVM's options with its defaults.

    Examples
    --------
    >>> options, files = parse(["-c", "10", "-w1", "2", "data", "model"])
    >>> options.C, options.weights, files
    (10.0, {1: 2.0}, ['data', 'model'])
    """

    machine: str = "SVC"
    kernel: str = "rbf"
    degree: int = 3
    gamma: float = 0.0
    coef0: float = 0.0
    C: float = 1.0
    nu: float = 0.5
    epsilon: float = 0.1
    cache: float = 100.0
    tol: float = 1e-3
    shrinking: bool = True
    weights: dict[int, float] = field(default_factory=dict)
    folds: int = 0
    quiet: bool = False
    probability: bool = False


_NUMBERS = {
    "g": "gamma",
    "r": "coef0",
    "c": "C",
    "n": "nu",
    "p": "epsilon",
    "m": "cache",
    "e": "tol",
}


@click.command(
    "svm-train",
    context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="DATA [MODEL]")
def svm_train(arguments: tuple[str, ...]) -> None:
    """Train as LIBSVM's svm-train does: its options, its data, its model text.

    \b
    -s machine    0 C-SVC  1 nu-SVC  2 one-class  3 epsilon-SVR  4 nu-SVR    (0)
    -t kernel     0 linear  1 polynomial  2 RBF  3 sigmoid  4 precomputed    (2)
    -d degree     of the polynomial kernel                                   (3)
    -g gamma      of the kernels                        (1 / number of features)
    -r coef0      of the kernels                                             (0)
    -c C          of -s 0, 3, 4                                              (1)
    -n nu         of -s 1, 2, 4                                            (0.5)
    -p epsilon    of -s 3                                                  (0.1)
    -m cache      megabytes                                                (100)
    -e tolerance  of the KKT conditions                                  (0.001)
    -h 0 or 1     accepted; working sets take the place of shrinking         (1)
    -wi weight    C of class i is weight times C, of -s 0                    (1)
    -v folds      cross-validate in LIBSVM's folds and write no model
    -q            say nothing about the fit
    -b 0 or 1     whether to learn probabilities, of -s 0 and 1              (0)
    """
    options, files = parse(list(arguments))
    if options.probability and options.machine not in CLASSIFIERS:
        raise click.UsageError("-b 1 is for classes, -s 0 and 1; there are no other probabilities")
    if not 1 <= len(files) <= 2:
        raise click.UsageError("one data file is needed, and at most one model file")
    # Columns are LIBSVM's indices, from 0 on: neither file need say where the other begins.
    block = read_libsvm(files[0], zero_based=True)
    X, y = block.X, block.y if block.y is not None else np.zeros(0)
    if options.gamma == 0:
        options.gamma = 1.0 / max(1, X.shape[1] - 1)
    if options.kernel == "precomputed":
        X = _gram(X, files[0])
    if options.machine in CLASSIFIERS:
        y = y.astype(np.int64)
    if options.folds:
        _cross_validate(X, y, options)
        return
    write_libsvm_model(
        _fitted(X, y, options),
        files[1] if len(files) > 1 else f"{PurePath(files[0]).name}.model",
        zero_based=True,
    )


def parse(arguments: list[str]) -> tuple[Options, list[str]]:
    """Read LIBSVM's options: letter and value, apart; -wi and -q are their own.

    Parameters
    ----------
    arguments : list of str
        What follows the command.

    Examples
    --------
    >>> parse(["-s", "3", "-q", "data"])[0].machine
    'SVR'
    """
    options, k = Options(), 0
    while k < len(arguments) and arguments[k].startswith("-") and len(arguments[k]) > 1:
        name = arguments[k][1:]
        k += 1
        if name == "q":
            options.quiet = True
            continue
        if k == len(arguments):
            raise click.UsageError(f"-{name} needs a value")
        _set(options, name, arguments[k])
        k += 1
    return options, arguments[k:]


def _set(options: Options, name: str, text: str) -> None:
    try:
        if name == "s":
            options.machine = MACHINES[_index(text, 5)]
        elif name == "t":
            options.kernel = KERNELS[_index(text, 5)]
        elif name == "d":
            options.degree = int(text)
        elif name == "h":
            options.shrinking = bool(_index(text, 2))
        elif name == "b":
            options.probability = _index(text, 2) == 1
        elif name == "v":
            options.folds = int(text)
            if options.folds < 2:
                raise click.UsageError("-v needs at least 2 folds")
        elif name in _NUMBERS:
            setattr(options, _NUMBERS[name], float(text))
        elif name.startswith("w") and len(name) > 1:
            label = int(name[1:])
            options.weights[label] = options.weights.get(label, 1.0) * float(text)
        else:
            raise click.UsageError(f"there is no option -{name}")
    except ValueError as error:
        raise click.UsageError(f"-{name} {text}: this is not a value it can have") from error


def _index(text: str, n: int) -> int:
    if int(text) not in range(n):
        raise ValueError(text)
    return int(text)


def _gram(X: Any, name: str) -> NDArray[np.float64]:
    """Values of a precomputed kernel: column 0 numbers the rows."""
    values = np.asarray(X.toarray())
    if values.shape[1] != len(values) + 1 or (values[:, 0] != np.arange(1, len(values) + 1)).any():
        raise FileError("with -t 4 a row is 0:number 1:K(x,1) ... n:K(x,n), in order", name)
    return np.ascontiguousarray(values[:, 1:])


def _fitted(X: Any, y: NDArray[Any], options: Options) -> Any:
    """Fit LIBSVM's machine, with classes that take precedence in its order; say what came out."""
    kind = getattr(maxmargin, options.machine)
    values: dict[str, Any] = {
        "kernel": options.kernel,
        "degree": options.degree,
        "gamma": options.gamma,
        "coef0": options.coef0,
        "cache_size": options.cache,
        "tol": options.tol,
        "shrinking": options.shrinking,
        "C": options.C,
        "nu": options.nu,
        "epsilon": options.epsilon,
        "probability": options.probability,
    }
    if options.machine == "SVC":
        values["class_weight"] = _class_weight(y, options)
    known = kind._get_param_names()
    model = kind(**{name: value for name, value in values.items() if name in known}).fit(X, y)
    if options.machine in CLASSIFIERS:
        classes = Classes.listed(libsvm_order(y))
        model.model_ = replace(model.model_, classes=classes)
    if not options.quiet:
        for line in _report(model, y):
            print(line)
    return model


def _class_weight(y: NDArray[Any], options: Options) -> dict[int, float]:
    for label in options.weights:
        if label not in y:
            warnings.warn(f"class label {label} specified in weight is not found", stacklevel=2)
    return {label: weight for label, weight in options.weights.items() if label in y}


def _cross_validate(X: Any, y: NDArray[Any], options: Options) -> None:
    """Print what LIBSVM prints, for scripts that look for it."""
    n_folds = options.folds
    if n_folds > len(y):
        warnings.warn(f"{n_folds} folds of {len(y)} rows: each row is a fold", stacklevel=2)
        n_folds = len(y)
    folds = libsvm_folds(len(y), n_folds, y if options.machine in CLASSIFIERS else None)
    predicted = np.zeros_like(y)
    for k, fold in enumerate(folds):
        rest = np.concatenate([rows for j, rows in enumerate(folds) if j != k])
        columns = rest if options.kernel == "precomputed" else slice(None)
        model = _fitted(X[rest][:, columns], y[rest], options)
        predicted[fold] = model.predict(X[fold][:, columns])
    if options.machine in ("SVR", "NuSVR"):
        score = NumberScore()
        score.add(y, predicted)
        print(f"Cross Validation Mean squared error = {score.mean_squared_error:g}")
        print(f"Cross Validation Squared correlation coefficient = {score.squared_correlation:g}")
    else:
        print(f"Cross Validation Accuracy = {100 * np.mean(predicted == y):g}%")


def _report(model: Any, y: NDArray[Any]) -> Iterator[str]:
    """Yield what LIBSVM says of each problem, a pair of classes or all, and of the model."""
    classes = model.model_.classes
    if not hasattr(model, "classes_"):
        extra = _extra(model, 0, len(y), float(getattr(model, "C", 1.0)))
        yield from _problem_lines(model, 0, 1.0, extra)
        return
    rows = [int((y == name).sum()) for name in classes.names]
    for first, second in combinations(classes.precedence.tolist(), 2):
        output, sign = classes.output_of(first, second)
        C = getattr(model, "C", 1.0) * model.class_weight_[[first, second]]
        extra = _extra(model, output, rows[first] + rows[second], C[0]) if C[0] == C[1] else []
        yield from _problem_lines(model, output, sign, extra)
    yield f"Total nSV = {len(model.support_)}"


def _problem_lines(model: Any, output: int, sign: float, extra: list[str]) -> Iterator[str]:
    solution, status = model.solutions_[output], model.model_.status[:, output]
    n_vectors, n_bounded = (status != SupportStatus.ZERO).sum(), status == SupportStatus.AT_BOUND
    # LIBSVM's own point of a nu-SVC has a margin of 1.
    objective = -solution.certificate.dual / _margin(model, output) ** 2
    yield "*"
    yield f"optimization finished, #iter = {solution.work.iterations}"
    yield from extra
    yield f"obj = {objective:f}, rho = {-sign * model.model_.intercepts[output]:f}"
    yield f"nSV = {n_vectors}, nBSV = {n_bounded.sum()}"


def _extra(model: Any, output: int, n_rows: int, C: float) -> list[str]:
    """Tell the parameter that was not given: nu for C and epsilon, and the other way."""
    match model:
        case maxmargin.SVC() | maxmargin.SVR():
            total = float(np.abs(model.model_.weights[:, output]).sum())
            return [f"nu = {total / (C * n_rows):f}"]
        case maxmargin.NuSVC():
            return [f"C = {1 / _margin(model, output):f}"]
        case maxmargin.NuSVR():
            return [f"epsilon = {model.epsilon_:f}"]
    return []


def _margin(model: Any, output: int) -> float:
    """Return the margin of the solver's point, which is 1 except for nu-SVC."""
    if not isinstance(model, maxmargin.NuSVC):
        return 1.0
    lower, upper = model.solutions_[output].multipliers
    return float(upper - lower) / 2
