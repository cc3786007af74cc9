"""The verb `svm-train`: LIBSVM's own options and files, for scripts that have them."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold, StratifiedKFold, cross_val_predict

import maxmargin
from maxmargin.cli.scores import NumberScore
from maxmargin.data.files import FileError, read_libsvm
from maxmargin.storage import write_libsvm_model

#: The estimators of LIBSVM's machines, by their number.
MACHINES = ("SVC", "NuSVC", "OneClassSVM", "SVR", "NuSVR")
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
    gamma: float | None = None
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
    -wi weight    C of class i is weight times C                             (1)
    -v folds      cross-validate and write no model
    -q            say nothing
    -b 0          probabilities (-b 1) are not supported
    """
    options, files = parse(list(arguments))
    if not 1 <= len(files) <= 2:
        raise click.UsageError("one data file is needed, and at most one model file")
    block = read_libsvm(files[0], zero_based=True if options.kernel == "precomputed" else "auto")
    X, y = block.X, block.y if block.y is not None else np.zeros(0)
    if options.kernel == "precomputed":
        X = _gram(X, files[0])
    estimator = _estimator(options, X)
    if options.folds:
        _cross_validate(estimator, X, _labels(y, options), options)
        return
    estimator.fit(X, _labels(y, options))
    if not options.quiet:
        _report(estimator)
    write_libsvm_model(
        estimator, files[1] if len(files) > 1 else f"{PurePath(files[0]).name}.model"
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
            if _index(text, 2) == 1:
                raise click.UsageError("-b 1: probabilities are not supported")
        elif name == "v":
            options.folds = int(text)
            if options.folds < 2:
                raise click.UsageError("-v needs at least 2 folds")
        elif name in _NUMBERS:
            setattr(options, _NUMBERS[name], float(text))
        elif name.startswith("w") and len(name) > 1:
            options.weights[int(name[1:])] = float(text)
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


def _estimator(options: Options, X: Any) -> Any:
    kind = getattr(maxmargin, options.machine)
    gamma = 1.0 / max(1, X.shape[1]) if options.gamma is None else options.gamma
    values: dict[str, Any] = {
        "kernel": options.kernel,
        "degree": options.degree,
        "gamma": gamma,
        "coef0": options.coef0,
        "cache_size": options.cache,
        "tol": options.tol,
        "shrinking": options.shrinking,
        "C": options.C,
        "nu": options.nu,
        "epsilon": options.epsilon,
        "class_weight": options.weights or None,
    }
    known = kind._get_param_names()
    return kind(**{name: value for name, value in values.items() if name in known})


def _labels(y: NDArray[np.float64], options: Options) -> NDArray[Any]:
    return y.astype(np.int64) if options.machine in ("SVC", "NuSVC") else y


def _cross_validate(estimator: Any, X: Any, y: NDArray[Any], options: Options) -> None:
    """Print what LIBSVM prints, for scripts that look for it."""
    classes = options.machine in ("SVC", "NuSVC")
    if options.machine == "OneClassSVM":
        raise click.UsageError("-v needs targets to score by; -s 2 has none")
    kind = StratifiedKFold if classes else KFold
    folds = kind(options.folds, shuffle=True, random_state=0)
    predicted = cross_val_predict(estimator, X, y, cv=folds)
    if classes:
        print(f"Cross Validation Accuracy = {100 * np.mean(predicted == y):g}%")
        return
    score = NumberScore()
    score.add(y, predicted)
    print(f"Cross Validation Mean squared error = {score.mean_squared_error:g}")
    print(f"Cross Validation Squared correlation coefficient = {score.squared_correlation:g}")


def _report(estimator: Any) -> None:
    certificate = estimator.certificate_
    steps = int(np.sum(estimator.n_iter_))
    bounded = int((estimator.support_status_ == maxmargin.SupportStatus.AT_BOUND).sum())
    print(f"optimization finished, #iter = {steps}")
    print(f"obj = {-certificate.dual:.6f}, relative gap = {certificate.gap:.1e}")
    print(f"nSV = {len(estimator.support_)}, nBSV = {bounded}")
    print(f"Total nSV = {len(estimator.support_)}")
    sys.stdout.flush()
