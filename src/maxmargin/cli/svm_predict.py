"""The verb `svm-predict`: LIBSVM's own options and files, for scripts that have them."""

from __future__ import annotations

from typing import Any

import click
import numpy as np

from maxmargin.cli.scores import ClassScore, NumberScore
from maxmargin.data.files import FileError, libsvm_blocks, replacing
from maxmargin.kernels import Precomputed
from maxmargin.storage import read_libsvm_model


@click.command(
    "svm-predict",
    context_settings={"ignore_unknown_options": True, "help_option_names": ["--help"]},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="DATA MODEL OUT")
def svm_predict(arguments: tuple[str, ...]) -> None:
    """Predict as LIBSVM's svm-predict does: its data, its model text, one prediction per line.

    \b
    -q         say nothing
    -b 0 or 1  whether to write probabilities, of a model of svm-train -b 1   (0)
    """
    words, quiet, probability = list(arguments), False, False
    while words and words[0].startswith("-") and len(words[0]) > 1:
        option = words.pop(0)
        if option == "-q":
            quiet = True
        elif option == "-b" and words and words[0] in ("0", "1"):
            probability = words.pop(0) == "1"
        else:
            raise click.UsageError(f"{option}: there are -q, -b 0 and -b 1 alone")
    if len(words) != 3:
        raise click.UsageError("three files are needed: data, model and output")
    data, model_path, output = words
    model = read_libsvm_model(model_path, zero_based=True)
    classes = hasattr(model, "classes_")
    calibrated = model.model_.calibration is not None
    if probability and not calibrated:
        raise FileError("Model does not support probabiliy estimates; train with -b 1", model_path)
    if calibrated and not probability and not quiet:
        print("Model supports probability estimates, but disabled in prediction.")
    score: Any = NumberScore() if not classes and hasattr(model, "epsilon") else ClassScore()
    numbered = isinstance(model.model_.kernel, Precomputed)
    with replacing(output) as stream:
        if probability:
            stream.write(f"labels {' '.join(map(str, _labels(model)))}\n".encode())
        for block in libsvm_blocks(data, zero_based=True):
            rows = _values(model, block.X) if numbered else _fit(model, block.X)
            shares = _shares(model, rows) if probability else np.empty((rows.shape[0], 0))
            predicted = (
                _labels(model)[shares.argmax(axis=1)] if probability else model.predict(rows)
            )
            for value, row in zip(predicted, shares, strict=True):
                words = [f"{value:.17g}", *(f"{share:g}" for share in row)]
                stream.write(f"{' '.join(words)}\n".encode())
            score.add(block.y, predicted)
    if not quiet:
        _say(score)


def _labels(model: Any) -> Any:
    """Labels in LIBSVM's order."""
    return model.classes_[model.model_.classes.precedence]


def _shares(model: Any, rows: Any) -> Any:
    """Probabilities in that order: LIBSVM's, whose largest need not be what votes predict."""
    outputs = model.model_.decide(rows)
    shares = model.model_.calibration.probabilities(outputs, len(model.classes_))
    return shares[:, model.model_.classes.precedence]


def _fit(model: Any, X: Any) -> Any:
    """Give rows and model the same features: what one of them lacks is 0 there."""
    width = max(X.shape[1], model.n_features_in_)
    X.resize((X.shape[0], width))
    if width > model.n_features_in_:
        model.model_ = model.model_.widened(width)
        model.n_features_in_ = width
    return X


def _values(model: Any, X: Any) -> Any:
    """Kernel values against the support vectors; column 0 numbers the rows."""
    X.resize((X.shape[0], max(X.shape[1], model.n_features_in_ + 1)))
    return np.asarray(X.toarray()[:, 1 + model.support_])


def _say(score: Any) -> None:
    """Print what LIBSVM prints, for scripts that look for it."""
    if isinstance(score, ClassScore):
        share = f"({score.correct}/{score.n})"
        print(f"Accuracy = {100 * score.correct / score.n:g}% {share} (classification)")
        return
    print(f"Mean squared error = {score.mean_squared_error:g} (regression)")
    print(f"Squared correlation coefficient = {score.squared_correlation:g} (regression)")
