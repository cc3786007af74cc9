"""Save a fitted model and load it again, without any code in the file."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

import sklearn
from sklearn.base import BaseEstimator
from sklearn.exceptions import InconsistentVersionWarning, NotFittedError
from sklearn.utils.validation import check_is_fitted

from maxmargin import _core
from maxmargin.data.files import FileError, replacing
from maxmargin.storage.container import read_arrays, read_header, read_slots, write
from maxmargin.storage.registry import REGISTRY, TYPES
from maxmargin.storage.tree import Decoder, Encoder
from maxmargin.storage.version_1 import TYPES_1


def save(
    model: BaseEstimator,
    path: str | os.PathLike[str],
    *,
    notes: Mapping[str, str | int | float | bool | None] | None = None,
) -> None:
    """Save a fitted model to a file that holds data only and can be loaded safely.

    The file is written beside the old one and takes its place when it is complete. The same model
    gives the same bytes.

    Parameters
    ----------
    model : estimator
        A fitted estimator of maxmargin; a Pipeline of scikit-learn's scalers, encoders, imputers,
        column transformers, unions, PCA, TruncatedSVD or text vectorizers that ends in one; a
        CalibratedClassifierCV of either. Of a search, such as GridSearchCV, the best model is saved
        and is what `load` returns.
    path : path-like
        Where to; by convention it ends in ".maxmargin".
    notes : mapping of str to text or number, optional
        What else is to be remembered, such as the name of the target; `inspect` returns it.

    Raises
    ------
    TypeError
        If a part of the model is code, such as a kernel that is a function.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from maxmargin import SVC, load, save
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.maxmargin"
    >>> save(SVC().fit([[0.0], [1.0]], ["no", "yes"]), path)
    >>> load(path).predict([[0.9]])
    array(['yes'], dtype='<U3')
    """
    model = _best(model)
    check_is_fitted(model)
    encoder = Encoder(REGISTRY)
    header = {
        "maxmargin": _core.version,
        "scikit-learn": sklearn.__version__,
        "notes": dict(notes or {}),
        "model": encoder.encode(model, type(model).__name__),
    }
    with replacing(path) as stream:
        write(stream, header, encoder.arrays)


def _best(model: BaseEstimator) -> BaseEstimator:
    """Return the best model of a search, any other model as it is."""
    if not hasattr(model, "cv_results_"):
        return model
    if not hasattr(model, "best_estimator_"):
        raise TypeError(
            f"{type(model).__name__} was fitted with refit=False and has no best model; fit one "
            "with its best_params_, or use refit=True."
        )
    best: BaseEstimator = model.best_estimator_
    return best


def load(path: str | os.PathLike[str]) -> Any:
    """Load a model, or refuse the file with the reason.

    Nothing in the file is run. Its checksum, and every count, length, range and number are checked
    first. A checksum finds damage, not forgery: who can write the file can choose the predictions.

    Parameters
    ----------
    path : path-like
        A file that `save` wrote.

    Returns
    -------
    estimator
        Fitted as it was.

    Raises
    ------
    FileError
        If the file is damaged, of a later version or no model.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from maxmargin import load
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.maxmargin"
    >>> path.write_text("not a model")
    11
    >>> load(path)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    maxmargin.data.files.error.FileError: ...model.maxmargin: this is not a model file of maxmargin
    """
    with _opened(path) as stream:
        header = read_header(stream, path)
        types = TYPES_1 if header["format"] == 1 else TYPES
        try:
            model = Decoder(types, read_arrays(stream, read_slots(header, path), path)).decode(
                header.get("model")
            )
            if not isinstance(model, BaseEstimator):
                raise ValueError(f"it holds a {type(model).__name__}")
            check_is_fitted(model)
        except FileError:
            raise
        except RecursionError as error:
            raise FileError("the model is nested too deeply", path) from error
        except (ValueError, TypeError, KeyError, IndexError, NotFittedError) as error:
            raise FileError(f"this is not a model as it should be: {error}", path) from error
    _compare_versions(model, str(header.get("scikit-learn")))
    return model


def inspect(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Return the header of a model file, checked but without its arrays.

    Parameters
    ----------
    path : path-like
        A file that `save` wrote.

    Returns
    -------
    dict
        The versions that wrote it, the notes, the model as a tree, and the list of arrays.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from maxmargin import SVC, save
    >>> from maxmargin.storage import inspect
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "model.maxmargin"
    >>> save(SVC().fit([[0.0], [1.0]], [0, 1]), path, notes={"target": "spam"})
    >>> inspect(path)["notes"]
    {'target': 'spam'}
    """
    with _opened(path) as stream:
        header = read_header(stream, path)
    if not isinstance(header.get("notes"), dict):
        raise FileError("the model file has no notes", path)
    return header


def _opened(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a model file, which is gone through several times."""
    if Path(path).is_fifo():
        raise FileError("a model is read from a file, not from a pipe: write it to one first", path)
    return Path(path).open("rb")


def _compare_versions(model: Any, found: str) -> None:
    """Warn where scikit-learn's own parts may have another meaning by now."""
    own = type(model).__module__.startswith("maxmargin")
    if not own and found.split(".")[:2] != sklearn.__version__.split(".")[:2]:
        warnings.warn(
            InconsistentVersionWarning(
                estimator_name=type(model).__name__,
                current_sklearn_version=sklearn.__version__,
                original_sklearn_version=found,
            ),
            stacklevel=3,
        )
