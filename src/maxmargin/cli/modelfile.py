"""Model files of any kind: maxmargin's own, LIBSVM's text and LIBLINEAR's, ONNX and C."""

from __future__ import annotations

import enum
import os
import tempfile
from pathlib import Path, PurePath
from typing import Any

from sklearn.pipeline import Pipeline

from maxmargin.data.files import FileError
from maxmargin.data.files.sink import open_sink
from maxmargin.estimators.linear_machine import LinearMachine
from maxmargin.storage import (
    inspect,
    load,
    read_liblinear_model,
    read_libsvm_model,
    save,
    write_liblinear_model,
    write_libsvm_model,
)
from maxmargin.storage.container import MAGIC


class ModelFormat(enum.Enum):
    """The formats of models.

    Examples
    --------
    >>> ModelFormat("libsvm-model").name
    'LIBSVM'
    """

    MAXMARGIN = "maxmargin"
    LIBSVM = "libsvm-model"
    LIBLINEAR = "liblinear-model"
    #: Written only.
    ONNX = "onnx"
    C = "c"


_BY_SUFFIX = {
    ".maxmargin": ModelFormat.MAXMARGIN,
    ".onnx": ModelFormat.ONNX,
    ".c": ModelFormat.C,
    ".h": ModelFormat.C,
    ".libsvm": ModelFormat.LIBSVM,
    ".liblinear": ModelFormat.LIBLINEAR,
}


def model_format_of_name(path: str | os.PathLike[str], model: Any) -> ModelFormat | None:
    """Return the format that the name of a model file tells; None if it tells none.

    Parameters
    ----------
    path : path-like
        The name. One that ends in .model or .txt is LIBLINEAR's text of a linear machine, and
        LIBSVM's of others.
    model : estimator
        What is to be written.

    Examples
    --------
    >>> from maxmargin import SVC, LinearSVC
    >>> model_format_of_name("a.onnx", None), model_format_of_name("a.txt", LinearSVC())
    (<ModelFormat.ONNX: 'onnx'>, <ModelFormat.LIBLINEAR: 'liblinear-model'>)
    """
    suffix = PurePath(path).suffix.lower()
    if suffix in (".model", ".txt"):
        machine = model[-1] if isinstance(model, Pipeline) else model
        linear = isinstance(machine, LinearMachine)
        return ModelFormat.LIBLINEAR if linear else ModelFormat.LIBSVM
    return _BY_SUFFIX.get(suffix)


def model_format(path: str | os.PathLike[str]) -> ModelFormat | None:
    """Return the format of a model file, by its first bytes; None if it is none.

    Examples
    --------
    >>> import os
    >>> model_format(os.devnull) is None
    True
    """
    if Path(path).is_fifo():  # it could be opened once only, and to read it takes several passes
        raise FileError("a model is read from a file, not from a pipe: write it to one first", path)
    with Path(path).open("rb") as stream:
        start = stream.read(256)
    if start.startswith(MAGIC):
        return ModelFormat.MAXMARGIN
    words = start.split()
    first = words[0] if words else b""
    return {b"svm_type": ModelFormat.LIBSVM, b"solver_type": ModelFormat.LIBLINEAR}.get(first)


def read_model(path: str | os.PathLike[str]) -> tuple[Any, dict[str, Any]]:
    """Read a model of any format, and the notes that came with it.

    Parameters
    ----------
    path : path-like
        The file.

    Examples
    --------
    >>> import os
    >>> read_model(os.devnull)
    Traceback (most recent call last):
    maxmargin.data.files.error.FileError: /dev/null: this is not a model file
    """
    match model_format(path):
        case ModelFormat.MAXMARGIN:
            return load(path), inspect(path)["notes"]
        case ModelFormat.LIBSVM:
            return read_libsvm_model(path), {}
        case ModelFormat.LIBLINEAR:
            return read_liblinear_model(path), {}
        case _:
            raise FileError("this is not a model file", path)


def write_model(
    model: Any, path: str | os.PathLike[str], kind: ModelFormat, notes: dict[str, Any]
) -> None:
    """Write a model in a format.

    Parameters
    ----------
    model : estimator
        Fitted.
    path : path-like
        Where to; "-" for standard output.
    kind : ModelFormat
        The format: one that can be read, too.
    notes : dict
        What to remember besides, where the format can.

    Examples
    --------
    >>> import os
    >>> from maxmargin import SVC
    >>> model = SVC().fit([[0.0], [1.0]], [0, 1])
    >>> write_model(model, os.devnull, ModelFormat.LIBSVM, {})
    """
    if os.fspath(path) == "-":
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "model"
            write_model(model, file, kind, notes)
            with open_sink("-") as stream:
                stream.write(file.read_bytes())
    elif kind is ModelFormat.MAXMARGIN:
        save(model, path, notes=notes)
    elif kind is ModelFormat.LIBSVM:
        write_libsvm_model(model, path)
    else:
        write_liblinear_model(model, path)
