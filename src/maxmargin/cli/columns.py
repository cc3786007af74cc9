"""Whether columns can be learnt from; if not, which cells are wrong and which option helps."""

from __future__ import annotations

import re
import warnings
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.cli.terminal import counted
from maxmargin.data.files import Dialect, FileError
from maxmargin.data.files.dialect import PLAIN
from maxmargin.data.files.table import is_text

#: A text column with more different words than this, or than half the rows, is no category.
MOST_WORDS = 1000
_FEW_WORDS = 20
#: A text column with so many numbers among its cells is one of numbers, with faults.
_MOSTLY = 0.5
#: How small the spread of a column may be beside the steps of float64 at its largest value.
_STEPS = 1e6
#: How dates begin.
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?|\d\d?[./]\d\d?[./]\d{2,4}")
#: So many rows that count from one to the next are no accident.
COUNTED_ROWS = 10


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
        found = ((repr(column), X[column].isna().to_numpy()) for column in X.columns)
    else:
        found = ((column, np.isnan(values)) for column, values in _suspects(X))
    for column, missing in found:
        if missing.any():
            raise FileError(
                f"column {column} lacks a value in {rows_of(missing, first)}; {remedy}", name
            )


def check_empty(X: Any, name: str) -> None:
    """Refuse columns without a single value, which nothing can be learnt from or filled with.

    Parameters
    ----------
    X : DataFrame
        Rows.
    name : str
        The file's name.

    Examples
    --------
    >>> import pandas as pd
    >>> check_empty(pd.DataFrame({"a": [1.0], "b": [np.nan]}), "here")
    Traceback (most recent call last):
    maxmargin.data.files.error.FileError: here: column 'b' has no value at all; ... --drop 'b'
    """
    for column in X.columns:
        if X[column].isna().all():
            raise FileError(
                f"column {column!r} has no value at all; leave it out with --drop {column!r}", name
            )


def check_finite(X: Any, first: int, name: str, remedy: str = "correct it") -> None:
    """Refuse infinite values with the column, the rows and what to do.

    Parameters
    ----------
    X, first, name, remedy
        As in `check_missing`.

    Examples
    --------
    >>> check_finite(np.array([[1.0, np.inf]]), 1, "here")
    Traceback (most recent call last):
    maxmargin.data.files.error.FileError: here: column 2 is infinite in row 1; ...
    """
    if hasattr(X, "columns"):
        found: Iterator[Any] = ((repr(c), X[c]) for c in X.columns if X[c].dtype == np.float64)
    else:
        found = _suspects(X)
    for column, values in found:
        infinite = np.isinf(np.asarray(values, np.float64))
        if infinite.any():
            raise FileError(
                f"column {column} is infinite in {rows_of(infinite, first)}; {remedy}", name
            )


def check_words(
    X: Any, categorical: Collection[str], first: int, name: str, dialect: Dialect
) -> None:
    """Refuse text columns that are no categories: numbers with faults, and names.

    Parameters
    ----------
    X : DataFrame
        Rows.
    categorical : collection of str
        Columns that were said to be categories.
    first, name
        As in `check_missing`.
    dialect : Dialect
        How numbers are written.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"a": ["1.5", "-", "2"]}, dtype=object)
    >>> check_words(table, (), 1, "here", Dialect())
    Traceback (most recent call last):
    maxmargin.data.files.error.FileError: here: column 'a' has numbers, but '-' in row 2; if ...
    """
    for column in [column for column, kind in X.dtypes.items() if is_text(kind)]:
        cells = X[column].to_numpy(object)
        if column not in categorical:
            check_cells(cells, f"column {column!r}", first, name, dialect)
        check_category(str(column), X[column].dropna().unique(), len(cells), name, dialect)


def check_category(
    column: str, words: Sequence[str], n_rows: int, name: str, dialect: Dialect
) -> None:
    """Refuse a text column with too many different words for a category.

    Parameters
    ----------
    column : str
        Its name.
    words : sequence of str
        The different ones.
    n_rows : int
        Rows that they are in.
    name, dialect
        As in `check_words`.

    Examples
    --------
    >>> check_category("day", [f"2024-01-{k}" for k in range(1, 29)], 28, "here", Dialect())
    Traceback (most recent call last):
    maxmargin.data.files.error.FileError: here: column 'day' has dates such as 2024-01-1; ...
    """
    n_words = len(words)
    if n_words <= MOST_WORDS and (n_words <= _FEW_WORDS or 2 * n_words <= n_rows):
        return
    if all(map(_DATE.match, words)):
        raise FileError(
            f"column {column!r} has dates such as {words[0]}; turn them into numbers, or leave it "
            f"out with --drop {column!r}",
            name,
        )
    long = all(map(dialect.is_number, words))
    found = f"{n_words} different {'numbers of many digits' if long else 'texts'}"
    raise FileError(
        f"column {column!r} has {found} in {counted(n_rows, 'row')}, too many for a category; if "
        f"it names the rows, give --id {column!r}, else leave it out with --drop {column!r}",
        name,
    )


def check_cells(
    cells: NDArray[Any],
    what: str,
    first: int,
    name: str,
    dialect: Dialect,
    *,
    most: bool = True,
    missing: str = " and --missing fill or drop",
) -> None:
    """Refuse texts among numbers, with the cells and the option that helps.

    Parameters
    ----------
    cells : ndarray of str
        A column of text; None is missing.
    what : str
        What to call it.
    first, name, dialect
        As in `check_words`.
    most : bool
        Whether it takes most cells to be numbers; else any text is refused.
    missing : str
        What to do beside --na, where a word stands for a missing value.

    Examples
    --------
    >>> check_cells(np.array(["a", "b"], dtype=object), "column 'a'", 1, "here", Dialect())
    """
    given = np.array([cell is not None for cell in cells])
    odd = given & ~np.array([cell is not None and dialect.is_number(cell) for cell in cells])
    mostly = odd.sum() < _MOSTLY * given.sum() or (odd.any() and all(map(_grouped, cells[odd])))
    if not odd.any() or (most and not mostly):
        return
    words = list(dict.fromkeys(cells[odd].tolist()))
    shown = ", ".join(map(repr, words[:3])) + (", ..." if len(words) > 3 else "")
    has, where = f"has numbers, but {shown}", ""
    if not most or odd.sum() == given.sum():
        has, where = f"has {shown}", "" if most else ", where the model takes a number"
    remedy = "" if len(words) > 3 and odd.all() and not mostly else f"; {_remedy(words, missing)}"
    raise FileError(f"{what} {has} in {rows_of(odd, first)}{where}{remedy}", name)


def check_resolution(X: Any, name: str) -> None:
    """Refuse numbers so large and so close together that float64 cannot tell them apart.

    Parameters
    ----------
    X : DataFrame
        Rows.
    name : str
        The file's name.

    Examples
    --------
    >>> import pandas as pd
    >>> check_resolution(pd.DataFrame({"a": [1e16, 1e16 + 2, 1e16 + 4]}), "here")
    Traceback (most recent call last):
    maxmargin.data.files.error.FileError: here: column 'a' has numbers as large as 1e+16 ...
    """
    for column, kind in X.dtypes.items():
        if is_text(kind):
            continue
        values = X[column].to_numpy(np.float64, na_value=np.nan)
        largest = np.nanmax(np.abs(values), initial=0.0)
        spread = np.nanmax(values, initial=-np.inf) - np.nanmin(values, initial=np.inf)
        if 0 < spread < _STEPS * np.spacing(largest):
            raise FileError(
                f"column {column!r} has numbers as large as {largest:g} that differ by {spread:g} "
                "at most, which float64 cannot tell apart; if it names the rows, give --id "
                f"{column!r}, else subtract an offset, or leave it out with --drop {column!r}",
                name,
            )


def counting_columns(X: Any) -> list[str]:
    """Return the columns that count the rows, as an index does.

    Parameters
    ----------
    X : DataFrame
        Rows.

    Examples
    --------
    >>> import pandas as pd
    >>> counting_columns(pd.DataFrame({"a": np.arange(12.0), "b": np.ones(12)}))
    ['a']
    """
    if X.shape[0] < COUNTED_ROWS:
        return []
    numbers = [column for column, kind in X.dtypes.items() if kind == np.float64]
    return [column for column in numbers if (np.diff(X[column].to_numpy()) == 1).all()]


def warn_of_counting(columns: Sequence[str], name: str) -> list[str]:
    """Say which columns count the rows, as an index does; returns those to leave out.

    Parameters
    ----------
    columns : sequence of str
        Those that do.
    name : str
        The file's name.

    Examples
    --------
    >>> warn_of_counting([], "here")
    []
    """
    unnamed = [column for column in columns if column.startswith("Unnamed: ")]
    for column in columns:
        text = f"column {column!r} counts the rows; if it is no feature, give --id {column!r}"
        if column in unnamed:
            text = "the column without a name counts the rows and is left out; give it a name to "
            text += "keep it"
        warnings.warn(f"{name}: {text}", stacklevel=2)
    return unnamed


def as_floats(X: Any) -> Any:
    """Return rows whose numbers are all float64, as those to learn from are.

    Parameters
    ----------
    X : DataFrame, ndarray or CSR
        Rows.

    Examples
    --------
    >>> import pandas as pd
    >>> as_floats(pd.DataFrame({"a": [2**60]})).dtypes.tolist()
    [dtype('float64')]
    """
    if not hasattr(X, "columns"):
        return X
    others = [c for c, kind in X.dtypes.items() if not is_text(kind) and kind != np.float64]
    return X.assign(**{c: X[c].to_numpy(np.float64, na_value=np.nan) for c in others})


def rows_of(chosen: NDArray[np.bool_], first: int = 1) -> str:
    """Say which rows are chosen.

    Parameters
    ----------
    chosen : ndarray of bool
        Whether each row is.
    first : int
        The number of the first row.

    Examples
    --------
    >>> rows_of(np.array([False, True, True]))
    '2 rows (2, 3)'
    """
    rows = np.flatnonzero(chosen) + first
    shown = ", ".join(map(str, rows[:5])) + (", ..." if len(rows) > 5 else "")
    return f"row {shown}" if len(rows) == 1 else f"{len(rows)} rows ({shown})"


def _suspects(X: Any) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Columns of an array that hold something else than finite numbers."""
    if sparse.issparse(X):
        columns = np.unique(X.indices[~np.isfinite(X.data)])
        return ((str(k + 1), X[:, [k]].toarray().ravel()) for k in columns)
    bad = np.flatnonzero(~np.isfinite(X).all(axis=0))
    return ((str(k + 1), np.asarray(X[:, k], np.float64)) for k in bad)


def _grouped(cell: str) -> bool:
    """Whether a cell is a number but for commas and a sign of per cent or of a currency."""
    bare = cell.replace(",", "").strip("%$€£¥ ")
    return bare != cell and PLAIN.is_number(bare)


def _remedy(words: list[str], missing: str) -> str:
    """Name the option that would read these words among numbers."""
    commas = [word for word in words if "," in word]
    if commas and all(map(Dialect(decimal=",").is_number, commas)):
        # Three digits behind every comma: these are groups. 1,5 is not, nor is 1,2345.
        if all(len(word.rpartition(",")[2]) == 3 for word in commas):
            return "if the comma groups digits, give --thousands ,"
        return "if the comma is the decimal sign, give --decimal ,"
    if commas and all(map(Dialect(thousands=",").is_number, commas)):
        return "if the comma groups digits, give --thousands ,"
    if any(map(_grouped, words)):
        return "take the signs away in the file"
    if len(words) <= 3:
        marks = " ".join(f"--na {word!r}" for word in words)
        return f"if that stands for a missing value, give {marks}{missing}"
    return "correct the cells, or give --na for each word that stands for a missing value"
