"""Transformers in a graph."""

from __future__ import annotations

from collections import UserList
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    RobustScaler,
    StandardScaler,
)

from maxmargin.estimators import Nystroem, RandomFourier
from maxmargin.export.chain import flat_steps
from maxmargin.export.error import ExportError
from maxmargin.export.onnx.graph import Graph
from maxmargin.export.onnx.kernels import kernel_values
from maxmargin.export.onnx.rows import Rows
from maxmargin.export.scaling import Scaling


def apply_step(g: Graph, name: str, step: Any, rows: Rows) -> Rows:
    """Add the nodes of a fitted transformer.

    Parameters
    ----------
    g : Graph
        Where to.
    name : str
        Its name in the pipeline, for errors.
    step : transformer
        Fitted.
    rows : Rows
        What it is given.
    """
    for kind, add in _STEPS.items():
        if isinstance(step, kind):
            return add(g, name, step, rows)
    known = ", ".join(kind.__name__ for kind in _STEPS)
    raise ExportError(
        f"step {name!r} is a {type(step).__name__}, which has no form here ({known} have); call "
        "maxmargin.export.register_skl2onnx() and convert the pipeline with skl2onnx.to_onnx, or "
        "export the machine alone and transform the rows before"
    )


def text_columns(step: Any, places: Sequence[int]) -> set[int]:
    """Return which columns of the input a transformer takes as texts.

    Parameters
    ----------
    step : transformer
        Fitted.
    places : sequence of int
        The columns of the input that it is given.

    Examples
    --------
    >>> text_columns(OneHotEncoder().fit([["a", 1], ["b", 2]]), [0, 1])
    {0}
    """
    found: set[int] = set()
    if isinstance(step, Pipeline):
        steps = [part for _, part in flat_steps(step.steps)]
        # What follows a filling has the same columns; what follows others has numbers.
        for part in steps:
            found |= text_columns(part, places)
            if not isinstance(part, SimpleImputer):
                break
    elif isinstance(step, ColumnTransformer):
        for _, part, chosen in _parts(step):
            found |= text_columns(part, [places[place] for place in chosen])
    elif isinstance(step, OneHotEncoder):
        known = zip(places, step.categories_, strict=True)
        found = {place for place, words in known if _are_texts(words)}
    elif isinstance(step, SimpleImputer):
        filled = zip(places, step.statistics_, strict=False)
        found = {place for place, value in filled if isinstance(value, str)}
    return found


def _are_texts(words: NDArray[Any]) -> bool:
    return any(isinstance(word, str) for word in words.tolist())


def _parts(step: ColumnTransformer) -> list[tuple[str, Any, list[int]]]:
    """List the parts of a ColumnTransformer with the numbers of their columns."""
    d = int(step.n_features_in_)
    names = [str(name) for name in getattr(step, "feature_names_in_", [])]
    listed = []
    for name, part, columns in step.transformers_:
        if isinstance(part, str) and part == "drop":
            continue
        if isinstance(columns, UserList):  # the rest's in scikit-learn 1.6, which warns when read
            columns = columns.data
        if isinstance(columns, slice | str) or np.isscalar(columns):
            columns = [columns] if not isinstance(columns, slice) else _slice(columns, names, d)
        given = np.asarray(columns)
        if given.dtype.kind == "b":
            places = np.flatnonzero(given).tolist()
        else:
            texts = [isinstance(column, str) for column in columns]
            numbers = [
                names.index(column) if text else int(column) % d
                for column, text in zip(columns, texts, strict=True)
            ]
            places = numbers
        if places:
            listed.append((name, part, places))
    return listed


def _slice(columns: slice, names: list[str], d: int) -> list[int]:
    """Return the columns of a slice; one of names has its end with it."""
    start, stop = (
        names.index(end) + last if isinstance(end, str) else end
        for end, last in ((columns.start, 0), (columns.stop, 1))
    )
    return list(range(d))[slice(start, stop, columns.step)]


def _column_transformer(g: Graph, name: str, step: ColumnTransformer, rows: Rows) -> Rows:
    blocks, width = [], 0
    for part_name, part, places in _parts(step):
        found = _pipeline(g, f"{name}, part {part_name}", part, rows.chosen(places))
        block = found.matrix()
        factor = (step.transformer_weights or {}).get(part_name, 1.0)
        blocks.append(block if factor == 1.0 else g("Mul", block, float(factor)))
        width += found.width
    return Rows(g, (g("Concat", *blocks, axis=1) if len(blocks) > 1 else blocks[0],), width)


def _pipeline(g: Graph, name: str, step: Any, rows: Rows) -> Rows:
    for part_name, part in flat_steps([(name, step)]):
        rows = apply_step(g, name if part is step else f"{name}, {part_name}", part, rows)
    return rows


def _scaler(g: Graph, name: str, step: Any, rows: Rows) -> Rows:
    """(x - shift) / divisor * factor + offset, in the order in which scikit-learn does it."""
    scaling, x = Scaling.of(step), rows.matrix()
    if scaling.shift.any():
        x = g.minus(x, scaling.shift)
    if (scaling.divisor != 1).any():
        x = g("Div", x, scaling.divisor)
    if scaling.clip is not None:
        x = g("Clip", x, *map(float, scaling.clip))
    return Rows(g, (x,), rows.width)


def _imputer(g: Graph, name: str, step: SimpleImputer, rows: Rows) -> Rows:
    texts = text_columns(step, range(rows.width))
    if texts:
        return _text_imputer(g, name, step, rows, texts)
    x, fill = rows.matrix(), np.asarray(step.statistics_, np.float64)
    gaps = _missing(g, step, x)
    kept = np.flatnonzero(~np.isnan(fill))  # a column without any value is left out
    filled = g("Where", gaps, np.nan_to_num(fill), x)
    parts = [filled if len(kept) == rows.width else g.columns(filled, kept)]
    width = len(kept)
    if step.add_indicator:
        parts.append(g.cast(g.columns(gaps, step.indicator_.features_)))
        width += len(step.indicator_.features_)
    return Rows(g, (g("Concat", *parts, axis=1) if len(parts) > 1 else parts[0],), width)


def _missing(g: Graph, step: SimpleImputer, x: str) -> str:
    value = step.missing_values
    if value is None or (isinstance(value, float) and np.isnan(value)):
        return g("IsNaN", x)
    return g("Equal", x, float(value))


def _text_imputer(g: Graph, name: str, step: SimpleImputer, rows: Rows, texts: set[int]) -> Rows:
    """Fill texts that are empty, as which a graph is given what is missing."""
    if len(texts) < rows.width or step.add_indicator:
        raise ExportError(
            f"step {name!r} is a SimpleImputer of texts with "
            + ("add_indicator=True" if step.add_indicator else "numbers among them")
            + "; give texts and numbers a SimpleImputer each, and texts none that adds columns"
        )
    gap = step.missing_values if isinstance(step.missing_values, str) else ""
    columns = [
        g("Where", g("Equal", rows.column(j), np.array([gap])), np.array([fill]), rows.column(j))
        for j, fill in enumerate(step.statistics_)
    ]
    return Rows(g, tuple(columns), rows.width)


def _one_hot(g: Graph, name: str, step: OneHotEncoder, rows: Rows) -> Rows:
    """One-hot of the known categories, times what the encoder makes of each."""
    blocks, width = [], 0
    for j, (words, table, unknown) in enumerate(_encodings(step)):
        known = _is_category(g, name, rows.column(j), words)
        block = g("MatMul", known, table)
        if unknown.any():
            rest = g("Sub", 1.0, g("ReduceSum", known, np.array([1]), keepdims=1))
            block = g("Add", block, g("MatMul", rest, unknown[None, :]))
        blocks.append(block)
        width += table.shape[1]
    return Rows(g, (g("Concat", *blocks, axis=1) if len(blocks) > 1 else blocks[0],), width)


def _is_category(g: Graph, name: str, column: str, words: NDArray[Any]) -> str:
    if not _are_texts(words):
        values = words.astype(np.float64)
        equal = g("Equal", column, values)
        if np.isnan(values).any():
            equal = g("Or", equal, g("And", g("IsNaN", column), np.isnan(values)))
        return g.cast(equal)
    texts = [word if isinstance(word, str) else "" for word in words.tolist()]
    if len(set(texts)) < len(texts):
        raise ExportError(
            f"step {name!r} knows both the empty text and a missing one, which are the same in "
            "ONNX; replace one of them before"
        )
    return g.cast(g("Equal", column, np.array(texts, object)))


def _encodings(
    step: OneHotEncoder,
) -> list[tuple[NDArray[Any], NDArray[np.float64], NDArray[np.float64]]]:
    """Return of each column the categories, a row of output for each, and that of unknown ones."""
    rare = getattr(step, "infrequent_categories_", [None] * len(step.categories_))
    dropped = [None] * len(rare) if step.drop_idx_ is None else step.drop_idx_
    found, begin = [], 0
    for j, words in enumerate(step.categories_):
        few = 0 if rare[j] is None else len(rare[j])
        width = len(words) - few + (few > 0) - (dropped[j] is not None)
        rows = np.empty((len(words), len(step.categories_)), object)
        rows[:] = [known[0] for known in step.categories_]
        rows[:, j] = words
        if not any(_are_texts(known) for known in step.categories_):
            rows = rows.astype(np.float64)
        if hasattr(step, "feature_names_in_"):
            import pandas as pd  # which it was fitted to, or what gives it the same names

            rows = pd.DataFrame(rows, columns=step.feature_names_in_)
        output = step.transform(rows)
        dense = np.asarray(output.toarray() if sparse.issparse(output) else output, np.float64)
        table = dense[:, begin : begin + width]
        to_rare = few and step.handle_unknown in ("infrequent_if_exist", "warn")
        unknown = table[words.tolist().index(rare[j][0])] if to_rare else np.zeros(width)
        found.append((words, table, unknown))
        begin += width
    return found


def _nystroem(g: Graph, name: str, step: Nystroem, rows: Rows) -> Rows:
    marks, wide = step.landmarks_, g.wide()
    vectors = np.asarray(marks.toarray() if sparse.issparse(marks) else marks, np.float64)
    # In float64: the factor of landmarks that are near to each other is large.
    values = kernel_values(wide, step._kernel, wide.cast(rows.matrix()), vectors)
    return Rows(g, (g.cast(wide("MatMul", values, step._weights)),), len(vectors))


def _fourier(g: Graph, name: str, step: RandomFourier, rows: Rows) -> Rows:
    # In float64: many turns of a wave leave little of float32.
    wide, n = g.wide(), step.frequencies_.shape[1]
    angles = wide("MatMul", wide.cast(rows.matrix()), step.frequencies_)
    waves = wide("Concat", wide("Cos", angles), wide("Sin", angles), axis=1)
    return Rows(g, (g.cast(wide("Div", waves, float(np.sqrt(n)))),), 2 * n)


_STEPS: dict[type, Callable[[Graph, str, Any, Rows], Rows]] = {
    StandardScaler: _scaler,
    MinMaxScaler: _scaler,
    MaxAbsScaler: _scaler,
    RobustScaler: _scaler,
    SimpleImputer: _imputer,
    OneHotEncoder: _one_hot,
    ColumnTransformer: _column_transformer,
    Nystroem: _nystroem,
    RandomFourier: _fourier,
}
