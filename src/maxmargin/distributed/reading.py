"""Data files as Dask collections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import dask
import dask.array as da
import dask.dataframe as dd
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.data.files import Block, Dialect, FileError, Format
from maxmargin.data.files.dialect import PLAIN
from maxmargin.data.files.table import is_text
from maxmargin.distributed.files import TABLES, Files
from maxmargin.distributed.pieces import CHUNK_BYTES


def read(
    pattern: str,
    target: str | None = None,
    *,
    sample_weight: str | None = None,
    drop: Sequence[str] = (),
    format: str | None = None,  # noqa: A002
    n_features: int | None = None,
    dialect: Dialect = PLAIN,
    chunk_bytes: int = CHUNK_BYTES,
) -> tuple[Any, Any, Any]:
    r"""Return the rows of data files as Dask collections, for the machines of a cluster.

    Files are looked at once, on the workers, to agree on the columns; they are read, again on the
    workers, when a fit or a prediction asks for them. Each is read as the command line reads it on
    one machine: CSV, TSV, Parquet, NPZ or LIBSVM text, compressed or not.

    Parameters
    ----------
    pattern : str
        A file, a folder, or a pattern such as "part-*.parquet"; also an address that fsspec knows,
        such as "s3://bucket/part-*.csv". Workers must reach the files by the same name.
    target : str, optional
        The target's column in a table, by name or by number from 1 (-1 is the last).
    sample_weight : str, optional
        The column of a table that says what each row counts.
    drop : sequence of str
        Columns to leave out.
    format : {"csv", "tsv", "parquet", "libsvm", "npz"}, optional
        By default what the name or the first bytes of the first file tell.
    n_features : int, optional
        Of LIBSVM text: how many columns to make; by default as many as the largest index asks for.
    dialect : Dialect, optional
        How the text of a table is written: `maxmargin.data.files.Dialect`.
    chunk_bytes : int, default=67108864
        Files of more bytes are cut into partitions of about as many, if they can be: compressed
        text, and Parquet of one row group, cannot. No cell of text may then have several lines.

    Returns
    -------
    X : Dask dataframe or array
        A dataframe of tables, with the features' names; else an array of dense or CSR blocks.
        Columns of text stay text: ``dask.dataframe.get_dummies(X.categorize())`` makes them
        numbers.
    y : Dask series, array or None
        The target, where there is one.
    sample_weight : Dask series or None
        The weights, where there are any.

    Raises
    ------
    FileError
        With the name of the file whose content is wrong, and the place in it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from distributed import Client
    >>> from maxmargin.distributed import LinearSVC, read
    >>> client = Client(processes=False, n_workers=1, dashboard_address=":0")
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for k in range(2):
    ...     _ = (folder / f"part-{k}.csv").write_text(f"a,b,kind\n1,{k},x\n3,4,y\n")
    >>> X, y, _ = read(str(folder / "part-*.csv"), target="kind")
    >>> list(X.columns), X.npartitions
    (['a', 'b'], 2)
    >>> LinearSVC().fit(X, y).predict(X).compute()
    array(['x', 'y', 'x', 'y'], dtype=object)
    >>> client.close()
    """
    files = Files(
        pattern,
        n_features=n_features,
        chunk_bytes=chunk_bytes,
        format=None if format is None else Format(format),
        target=target,
        dialect=dialect,
    )
    blocks = files.blocks()
    if files.format not in TABLES:
        _refuse_columns(files, {"target": target, "sample_weight": sample_weight, "drop": drop})
        return *_arrays(files, blocks), None
    return _frames(files, blocks, sample_weight, drop)


def _refuse_columns(files: Files, given: dict[str, Any]) -> None:
    for parameter, value in given.items():
        if value:
            raise FileError(
                f"{parameter} is {value!r}, a column of a table, but the files are "
                f"{files.format.value}",
                files.pattern,
                parameter=parameter,
            )


def _arrays(files: Files, blocks: Sequence[Any]) -> tuple[Any, Any]:
    width, kinds = files.looks[0].width, [one.kind for one in files.looks]
    meta: Any = np.zeros((0, width))
    if files.format is Format.LIBSVM:
        meta = sparse.csr_array(meta)
    X = [
        da.from_delayed(block.X, (length, width), meta=meta)
        for block, length in zip(blocks, files.lengths, strict=True)
    ]
    if "" in kinds:
        return da.concatenate(X), None
    kind = np.result_type(*kinds) if "O" not in kinds else np.dtype(object)
    y = [
        da.from_delayed(block.y, (length,), dtype=kind)
        for block, length in zip(blocks, files.lengths, strict=True)
    ]
    return da.concatenate(X), da.concatenate(y)


def _frames(
    files: Files, blocks: Sequence[Any], sample_weight: str | None, drop: Sequence[str]
) -> tuple[Any, Any, Any]:
    import pandas as pd

    assert files.names is not None
    target = files.looks[0].target
    others = [column for column in (target, sample_weight, *drop) if column is not None]
    for parameter, columns in (("sample_weight", [sample_weight]), ("drop", drop)):
        for column in columns:
            if column is not None and column not in files.names:
                raise FileError(
                    f"{parameter} names {column!r}, but there is no such column; the columns are "
                    f"{', '.join(files.names[:12])}",
                    files.pieces[0].name,
                    parameter=parameter,
                )
    names = [name for name in files.names if name not in others]
    kinds = {name: object if name in files.texts else np.float64 for name in names}
    meta = pd.DataFrame({name: pd.Series([], dtype=kind) for name, kind in kinds.items()})
    frame, column = dask.delayed(_features), dask.delayed(_column)
    X = dd.from_delayed([frame(block, names) for block in blocks], meta=meta)
    y = weight = None
    if target is not None:
        # Whole numbers in one file and fractions in another are fractions in all.
        kinds_y = {one.kind for one in files.looks}
        kind = object if target in files.texts else np.int64 if kinds_y == {"i"} else np.float64
        parts = [column(block, None, np.dtype(kind)) for block in blocks]
        y = dd.from_delayed(parts, meta=pd.Series([], dtype=kind, name=target))
    if sample_weight is not None:
        parts = [column(block, sample_weight, np.dtype(np.float64)) for block in blocks]
        weight = dd.from_delayed(parts, meta=pd.Series([], dtype=np.float64, name=sample_weight))
    return X, y, weight


# ---- On the workers ------------------------------------------------------------------------------


def _features(block: Block, names: list[str]) -> Any:
    X = block.X[names]
    others = [name for name, kind in X.dtypes.items() if not is_text(kind)]
    return X.astype(dict.fromkeys(others, np.float64))


def _column(block: Block, name: str | None, kind: np.dtype[Any]) -> Any:
    import pandas as pd

    if name is None:
        assert block.y is not None
        return pd.Series(block.y, dtype=kind, name=block.target)
    values: NDArray[Any] = block.X[name].to_numpy()
    if is_text(values.dtype):
        raise FileError(f"the weights, {name!r}, are text such as {values[0]!r}")
    return pd.Series(values, dtype=kind, name=name)
