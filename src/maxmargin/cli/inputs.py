"""Options that several verbs have, and data brought to the form that a model was fitted to."""

from __future__ import annotations

import codecs
import functools
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import click
import numpy as np
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.preprocessing import OneHotEncoder

from maxmargin.cli.columns import as_floats, check_cells, check_finite, check_missing, rows_of
from maxmargin.cli.preparation import is_missing
from maxmargin.cli.terminal import counted
from maxmargin.data.files import Block, DataFile, Dialect, FileError, Format
from maxmargin.data.files.dialect import PLAIN
from maxmargin.data.files.format import format_of_name
from maxmargin.data.files.table import is_text

Command = Callable[..., Any]
TABLES = (Format.CSV, Format.TSV, Format.PARQUET)
#: What the last column is called where it is plainly the target.
_TARGETS = ("target", "label", "labels", "class", "classes", "y")
_MARKS = {"tab": "\t", "\\t": "\t", "space": " "}

format_option = click.option(
    "--format",
    type=click.Choice([entry.value for entry in Format]),
    callback=lambda _, __, value: None if value is None else Format(value),
    help="Format of the data. Default: by the file's name, else by its first line.",
)
quiet_option = click.option("-q", "--quiet", is_flag=True, help="Print nothing but errors.")
data_argument = click.argument("data", metavar="DATA")
model_argument = click.argument("model", metavar="MODEL")
id_option = click.option(
    "--id", "row_id", metavar="COLUMN", help="Column that names the rows: no feature."
)
no_target_option = click.option(
    "--no-target", is_flag=True, help="There is no target: all columns are features."
)


class Number(click.ParamType):  # type: ignore[type-arg]  # click 8.1 has no [float]
    """A number within bounds.

    Parameters
    ----------
    low, high : float
        The bounds.
    above : bool
        Whether the number must be above `low`, and not only at it.

    Examples
    --------
    >>> Number(0.0, above=True).convert("0.5", None, None)
    0.5
    """

    name = "number"

    def __init__(self, low: float, high: float = math.inf, *, above: bool = False) -> None:
        self.low, self.high, self.above = low, high, above

    def convert(self, value: Any, param: Any, ctx: Any) -> float:
        """Read the number, or say what it must be."""
        try:
            number = float(value)
        except ValueError:
            self.fail(f"{value!r} is not a number", param, ctx)
        if not (self.low < number if self.above else self.low <= number) or number > self.high:
            high = f" and at most {self.high:g}" if self.high < math.inf else ""
            low = f"{'above' if self.above else 'at least'} {self.low:g}"
            self.fail(f"{value} must be {low}{high}", param, ctx)
        return number


def dialect_options(command: Command) -> Command:
    """Give a verb the options of how tables are written, as its parameter `dialect`.

    Parameters
    ----------
    command : callable
        The verb.

    Examples
    --------
    >>> callable(dialect_options(print))
    True
    """

    @click.option(
        "--header/--no-header",
        default=None,
        help="Whether the first line of CSV has names. Default: unless it is all numbers.",
    )
    @click.option(
        "--delimiter",
        metavar="MARK",
        callback=_mark,
        help="What separates cells: a character, tab or space. Default: a comma; in TSV a tab.",
    )
    @click.option("--decimal", default=".", metavar="MARK", callback=_mark, help="Decimal sign.")
    @click.option(
        "--thousands", metavar="MARK", callback=_mark, help="What groups the digits of numbers."
    )
    @click.option(
        "--encoding", default="utf-8", metavar="NAME", callback=_encoding, help="Such as latin-1."
    )
    @click.option(
        "--na",
        "missing_words",
        multiple=True,
        metavar="WORD",
        help="What stands for a missing value, besides an empty cell, ?, NA and the like.",
    )
    @functools.wraps(command)
    def collected(
        header: bool | None,
        delimiter: str | None,
        decimal: str,
        thousands: str | None,
        encoding: str,
        missing_words: tuple[str, ...],
        **others: Any,
    ) -> Any:
        if decimal == thousands:
            raise click.UsageError("--decimal and --thousands must differ")
        dialect = Dialect(header, delimiter, decimal, thousands, encoding, missing_words)
        return command(dialect=dialect, **others)

    return collected


def _mark(_: Any, parameter: click.Parameter, value: str | None) -> str | None:
    mark = None if value is None else _MARKS.get(value, value)
    if mark is not None and len(mark) != 1:
        raise click.BadParameter(f"{value!r} is not one character", param=parameter)
    return mark


def _encoding(_: Any, parameter: click.Parameter, value: str) -> str:
    try:
        codecs.lookup(value)
    except LookupError as error:
        raise click.BadParameter(f"there is no encoding {value!r}", param=parameter) from error
    return value


def data_file(
    path: str,
    format: Format | None,  # noqa: A002
    dialect: Dialect,
    given: Sequence[tuple[str, Any]] = (),
    **options: Any,
) -> DataFile:
    """Make a data file, and refuse options that its format has no use for, before it is read.

    Parameters
    ----------
    path, format, dialect
        As in `DataFile`.
    given : sequence of (str, value)
        Options that are for tables alone, and what was given for them.
    **options
        Of `DataFile`.

    Examples
    --------
    >>> data_file("a.libsvm", None, Dialect(), [("--id", "name")])
    Traceback (most recent call last):
    click.exceptions.UsageError: --id is for tables, which name their columns; a.libsvm is libsvm
    """
    kind = given_format(path, format, dialect)
    file = DataFile(path, kind, dialect=dialect, **options)
    asked = dialect != PLAIN or any(value for _, value in given)
    if asked and (path != "-" or kind):
        check_table_options(file.detect(), file.name, dialect, given)
    return file


def given_format(path: str, format: Format | None, dialect: Dialect) -> Format | None:  # noqa: A002
    """Return the format that was asked for: a delimiter is one of text, if the name tells nothing.

    Parameters
    ----------
    path, format, dialect
        As in `DataFile`.

    Examples
    --------
    >>> given_format("rows", None, Dialect(delimiter=";"))
    <Format.CSV: 'csv'>
    """
    unnamed = dialect.delimiter is not None and format_of_name(path) is None
    return Format.CSV if format is None and unnamed else format


def check_table_options(
    known: Format, name: str, dialect: Dialect, given: Sequence[tuple[str, Any]]
) -> None:
    """Refuse options that a format has no use for.

    Parameters
    ----------
    known : Format
        The format.
    name : str
        The file's name.
    dialect, given
        As in `data_file`.

    Examples
    --------
    >>> check_table_options(Format.CSV, "a.csv", Dialect(), [("--id", "name")])
    """
    asked = [option for option, value in given if value]
    if dialect != PLAIN:
        asked.append("--header, --delimiter, --decimal, --thousands, --encoding or --na")
    if asked and (known not in TABLES or (known is Format.PARQUET and dialect != PLAIN)):
        what = "text" if known is Format.PARQUET else "tables, which name their columns"
        option = asked[-1] if known is Format.PARQUET else asked[0]
        raise click.UsageError(f"{option} is for {what}; {name} is {known.value}")


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


def feature_place(feature: str, names: Sequence[str]) -> int | str:
    """Return the place of a column that is given by its number from 1; a name as it is.

    Parameters
    ----------
    feature : str
        A name or a number.
    names : sequence of str
        The names that there are.

    Examples
    --------
    >>> feature_place("2", ["a", "b"]), feature_place("2", ["1", "2"])
    (1, '2')
    """
    return int(feature) - 1 if feature.isdigit() and feature not in names else feature


def target_option(text: str) -> Callable[[Command], Command]:
    """Make the option that names the target.

    Parameters
    ----------
    text : str
        What it is for.

    Examples
    --------
    >>> callable(target_option("target column"))
    True
    """
    return click.option("-t", "--target", metavar="COLUMN", help=text)


def plain_target(frame: Any, name: str) -> str:
    """Return the target of a table that nobody has named, where it is plain: the last column.

    Parameters
    ----------
    frame : DataFrame
        Rows.
    name : str
        The file's name, for the errors.

    Examples
    --------
    >>> import pandas as pd
    >>> plain_target(pd.DataFrame({"a": [1.0], "label": [2.0]}), "here")
    'label'
    """
    last = str(frame.columns[-1])
    if last.lower() in _TARGETS or is_text(frame.dtypes.iloc[-1]):
        return last
    raise click.UsageError(
        f"{name}: is the last column, {last!r}, the target or a feature? Give --target {last!r} or "
        "--no-target"
    )


def without_columns(block: Block, drop: Sequence[str], name: str) -> Block:
    """Leave columns of a table out.

    Parameters
    ----------
    block : Block
        Rows.
    drop : sequence of str
        The columns.
    name : str
        The file's name, for the errors.

    Examples
    --------
    >>> import pandas as pd
    >>> block = Block(pd.DataFrame({"a": [1.0], "b": [2.0]}), None)
    >>> list(without_columns(block, ["a"], "here").X.columns)
    ['b']
    """
    if not drop:
        return block
    missing = [column for column in drop if column not in block.X.columns]
    if missing:
        raise FileError(f"there is no column {missing[0]!r} to drop", name)
    return replace(block, X=block.X.drop(columns=list(drop)))


def target_texts(model: Any, target: str | None) -> list[str]:
    """Return the columns that a model reads as text, its target included.

    Parameters
    ----------
    model : estimator
        Fitted.
    target : str or None
        The name of the target.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> target_texts(SVC().fit([[0.0], [1.0]], ["no", "yes"]), "buys")
    ['buys']
    """
    classes = getattr(model, "classes_", None)
    words = target is not None and classes is not None and classes.dtype.kind in "OU"
    return text_columns(model) + ([target] if words and target is not None else [])


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
    return list(_known_words(model))


def _known_words(model: Any) -> dict[str, set[str]]:
    """Return the columns that a model encodes by words, and the words that it knows."""
    found: dict[str, set[str]] = {}
    for step in _steps(model):
        if not isinstance(step, ColumnTransformer):
            continue
        for _, transformer, columns in step.transformers_:
            encoders = [part for part in _steps(transformer) if isinstance(part, OneHotEncoder)]
            words = any(part.categories_[0].dtype.kind in "OU" for part in encoders)
            if words and not isinstance(columns, slice | str | int):
                found |= {
                    str(column): set(known)
                    for column, known in zip(columns, encoders[0].categories_, strict=True)
                }
    return found


def _warn_of_strangers(model: Any, frame: Any, name: str) -> None:
    """Say which words the model does not know: they count as none."""
    for column, known in _known_words(model).items():
        words = [word for word in frame[column].dropna().unique() if word not in known]
        if words:
            shown = ", ".join(map(repr, words[:5])) + (", ..." if len(words) > 5 else "")
            warnings.warn(
                f"{name}: column {column!r} has {shown}, unknown to the model: it counts as none",
                stacklevel=2,
            )


def rows_for(model: Any, block: Block, name: str, dialect: Dialect = PLAIN) -> Any:
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
    dialect : Dialect
        How numbers are written.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> model = SVC().fit([[0.0, 1.0], [1.0, 0.0]], [0, 1])
    >>> rows_for(model, Block(sparse.csr_array([[1.0]]), None), "here")
    array([[1., 0.]])
    """
    names, width = getattr(model, "feature_names_in_", None), model.n_features_in_
    if hasattr(block.X, "columns"):
        frame = block.X if names is None else with_columns(block.X, list(names), name)
        _check_width(frame, width, name)
        again = "train the model again with --missing fill"
        missing, remedy = "", "correct it, or give --na inf --na -inf"
        if not _fills(model):
            missing, remedy = f" and {again}", "correct it"
        _check_numbers(frame, text_columns(model), block.first, name, dialect, missing)
        if not _fills(model):
            check_missing(frame, block.first, name, again)
        check_finite(frame, block.first, name, remedy)
        _warn_of_strangers(model, frame, name)
        frame = as_floats(frame)
        return frame if names is not None else frame.to_numpy(np.float64)
    X = block.X
    check_finite(X, block.first, name)
    if sparse.issparse(X) and (X.shape[1] < width or names is None):
        if X.shape[1] > width:
            warnings.warn(
                f"{name}: features above {width} are left out, as the model does not know them",
                stacklevel=2,
            )
        X = X.copy()
        X.resize((X.shape[0], width))
    if X.shape[1] != width:
        raise FileError(
            f"the rows have {counted(X.shape[1], 'feature')} but the model {width}", name
        )
    if names is None:
        return X.toarray() if sparse.issparse(X) and _fitted_to_dense(model) else X
    import pandas as pd

    return pd.DataFrame(X.toarray() if sparse.issparse(X) else X, columns=list(names))


def targets_for(model: Any, block: Block, target: str | None, name: str) -> Any:
    """Return the targets of a block as a model knows them, a series with their name.

    Parameters
    ----------
    model : estimator
        Fitted.
    block : Block
        Rows.
    target : str or None
        What the target is called, where the block does not say.
    name : str
        The file's name, for the errors.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> model = SVC().fit([[0.0], [1.0]], [0, 1])
    >>> targets_for(model, Block(np.eye(1), np.array([1.0])), "buys", "here").tolist()
    [1]
    """
    import pandas as pd

    if block.y is None:
        raise FileError("there is no target to compare with; give --target", name)
    y = np.asarray(block.y)
    missing = is_missing(y)
    if missing.any():
        raise FileError(f"the target lacks a value in {rows_of(missing)}", name)
    classes = getattr(model, "classes_", None)
    if classes is not None and y.dtype.kind not in "OU" and classes.dtype.kind not in "OU":
        known = y.astype(classes.dtype)
        y = known if np.array_equal(known, y) else y
    return pd.Series(y, name=block.target or target)


def _fitted_to_dense(model: Any) -> bool:
    """Whether it is a kernel machine of dense rows, or a pipeline that ends in one."""
    machine = model.steps[-1][1] if hasattr(model, "steps") else model
    vectors = getattr(getattr(machine, "model_", None), "vectors", None)
    return vectors is not None and not sparse.issparse(vectors)


def with_columns(frame: Any, names: list[str], name: str) -> Any:
    """Return the columns of these names, in their order.

    Parameters
    ----------
    frame : DataFrame
        Rows.
    names : list of str
        The columns that a model needs.
    name : str
        The file's name, for the errors.

    Examples
    --------
    >>> import pandas as pd
    >>> list(with_columns(pd.DataFrame({"a": [1.0], "b": [2.0]}), ["b"], "here").columns)
    ['b']
    """
    missing = [column for column in names if column not in frame.columns]
    unnamed = all(column.isdigit() for column in [*names, *frame.columns])
    if missing and unnamed and len(names) == frame.shape[1]:
        return frame.set_axis(names, axis=1)  # neither has names: the order counts
    if missing:
        shown = ", ".join(map(repr, missing[:5])) + (", ..." if len(missing) > 5 else "")
        there = ", ".join(map(repr, frame.columns[:8])) + (", ..." if frame.shape[1] > 8 else "")
        raise FileError(
            f"the model needs the column{'' if len(missing) == 1 else 's'} {shown}, which "
            f"{'is' if len(missing) == 1 else 'are'} not there; the columns are {there}"
            + ("; if there is no target, give --no-target" if unnamed else ""),
            name,
        )
    return frame[names]


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


def _check_numbers(
    frame: Any, texts: list[str], first: int, name: str, dialect: Dialect, missing: str
) -> None:
    """Find the cells that are text where the model takes numbers."""
    for column, kind in frame.dtypes.items():
        if is_text(kind) and column not in texts:
            cells = frame[column].to_numpy(object)
            what = f"column {column!r}"
            check_cells(cells, what, first, name, dialect, most=False, missing=missing)


def _check_width(frame: Any, width: int, name: str) -> None:
    if frame.shape[1] != width:
        raise FileError(
            f"there are {frame.shape[1]} columns of features but the model takes {width}; "
            "--target, --id and --no-target say which are none",
            name,
        )
