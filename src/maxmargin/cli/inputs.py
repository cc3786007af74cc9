"""Options that several verbs have, and data brought to the form that a model was fitted to."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import click
import numpy as np
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder

from maxmargin.data.files import Block, FileError, Format
from maxmargin.data.files.table import is_number

Command = Callable[..., Any]

format_option = click.option(
    "--format",
    type=click.Choice([entry.value for entry in Format]),
    callback=lambda _, __, value: None if value is None else Format(value),
    help="Format of the data. Default: by the file's name, else by its first line.",
)
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
data_argument = click.argument("data", metavar="DATA")
model_argument = click.argument("model", metavar="MODEL")


def names_option(name: str, text: str) -> Callable[[Command], Command]:
    """Make an option that takes names, separated by commas or given again.

    Examples
    --------
    >>> callable(names_option("--drop", "columns to leave out"))
    True
    """

    def split(_: Any, __: Any, values: Sequence[str]) -> tuple[str, ...]:
        return tuple(part.strip() for value in values for part in value.split(",") if part.strip())

    return click.option(name, multiple=True, metavar="COLUMN,...", callback=split, help=text)


def text_columns(model: Any) -> list[str]:
    """Return the columns that a model reads as text: those it encodes by words.

    Parameters
    ----------
    model : estimator
        Fitted.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> text_columns(SVC())
    []
    """
    found: list[str] = []
    for step in _steps(model):
        if not isinstance(step, ColumnTransformer):
            continue
        for _, transformer, columns in step.transformers_:
            encoders = [part for part in _steps(transformer) if isinstance(part, OneHotEncoder)]
            words = any(part.categories_[0].dtype.kind in "OU" for part in encoders)
            if words and not isinstance(columns, slice | str | int):
                found += [str(column) for column in columns]
    return found


def rows_for(model: Any, block: Block, name: str) -> Any:
    """Bring a block to the columns of a model.

    Features of sparse rows that the model does not know are left out, as are columns of a table.

    Parameters
    ----------
    model : estimator
        Fitted.
    block : Block
        Rows.
    name : str
        The file's name, for the errors.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> model = SVC().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    >>> rows_for(model, Block(sparse.csr_array([[1.0]]), None), "here")
    array([[1., 0.]])
    """
    names, width = getattr(model, "feature_names_in_", None), model.n_features_in_
    if hasattr(block.X, "columns"):
        frame = block.X if names is None else _chosen(block.X, list(names), name)
        _check_numbers(frame, text_columns(model), block.first, name)
        if not _fills(model):
            check_missing(frame, block.first, name, "train the model again with --missing fill")
        return frame if names is not None else _as_numbers(frame, width, name)
    X = block.X
    if sparse.issparse(X) and (X.shape[1] < width or names is None):
        if X.shape[1] > width:
            warnings.warn(
                f"{name}: features above {width} are left out, as the model does not know them",
                stacklevel=2,
            )
        X = X.copy()
        X.resize((X.shape[0], width))
    if X.shape[1] != width:
        raise FileError(f"the rows have {X.shape[1]} features but the model {width}", name)
    if names is None:
        return X.toarray() if sparse.issparse(X) and _fitted_to_dense(model) else X
    import pandas as pd

    return pd.DataFrame(X.toarray() if sparse.issparse(X) else X, columns=list(names))


def _fitted_to_dense(model: Any) -> bool:
    """Whether it is a kernel machine of dense rows, or a pipeline that ends in one."""
    machine = model.steps[-1][1] if hasattr(model, "steps") else model
    vectors = getattr(getattr(machine, "model_", None), "vectors", None)
    return vectors is not None and not sparse.issparse(vectors)


def check_missing(X: Any, first: int, name: str, remedy: str) -> None:
    """Refuse missing values with the column, the rows and what to do.

    Parameters
    ----------
    X : DataFrame, ndarray or CSR
        Rows.
    first : int
        The number of the first of them.
    name : str
        The file's name.
    remedy : str
        What to do.

    Examples
    --------
    >>> check_missing(np.array([[1.0], [np.nan]]), 1, "here", "give --missing")
    Traceback (most recent call last):
    maxmargin.data.files.error.FileError: here: column 1 lacks a value in row 2; give --missing
    """
    if hasattr(X, "columns"):
        columns = [(repr(column), X[column].isna().to_numpy()) for column in X.columns]
    elif sparse.issparse(X):
        if np.isfinite(X.data).all():
            return
        columns = [("of the sparse rows", np.isnan(X.toarray()).any(axis=1))]
    else:
        bad = np.flatnonzero(np.isnan(X).any(axis=0))
        columns = [(str(k + 1), np.isnan(X[:, k])) for k in bad]
    for column, missing in columns:
        rows = np.flatnonzero(missing) + first
        if len(rows) > 0:
            shown = ", ".join(map(str, rows[:5])) + (", ..." if len(rows) > 5 else "")
            where = f"row {shown}" if len(rows) == 1 else f"{len(rows)} rows ({shown})"
            raise FileError(f"column {column} lacks a value in {where}; {remedy}", name)


def _steps(model: Any) -> list[Any]:
    return [step for _, step in model.steps] if hasattr(model, "steps") else [model]


def _fills(model: Any) -> bool:
    """Whether a model fills missing values itself."""
    for step in _steps(model):
        if isinstance(step, SimpleImputer):
            return True
        if isinstance(step, ColumnTransformer):
            return any(_fills(part) for _, part, _ in step.transformers_ if part != "drop")
    return False


def _chosen(frame: Any, names: list[str], name: str) -> Any:
    missing = [column for column in names if column not in frame.columns]
    if missing:
        shown = ", ".join(map(repr, missing[:5])) + (", ..." if len(missing) > 5 else "")
        raise FileError(f"the model needs the column {shown}, which is not there", name)
    return frame[names]


def _check_numbers(frame: Any, texts: list[str], first: int, name: str) -> None:
    """Find the first cell that is text where the model takes numbers."""
    for column, kind in frame.dtypes.items():
        if kind == np.float64 or column in texts:
            continue
        for row, cell in enumerate(frame[column], first):
            if cell is not None and not is_number(cell):
                raise FileError(
                    f"column {column!r} has {cell!r} in row {row}, where the model takes a number",
                    name,
                )


def _as_numbers(frame: Any, width: int, name: str) -> Any:
    if frame.shape[1] != width:
        raise FileError(f"there are {frame.shape[1]} columns but the model takes {width}", name)
    return frame.to_numpy(np.float64)
