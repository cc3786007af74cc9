"""NPZ archives: X and y, or CSR parts as scipy.sparse.save_npz has them, with an optional y."""

from __future__ import annotations

import errno
import os
import zipfile
from math import prod
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.data.files.block import Block
from maxmargin.data.files.error import FileError
from maxmargin.data.files.source import check_expansion, display_name

_PARTS = ("data", "indices", "indptr", "shape")


def read_npz(path: str | os.PathLike[str], stream: IO[bytes]) -> Block:
    """Read an archive; objects in it, which would be code, are refused.

    Parameters
    ----------
    path : path-like
        Its name, for the errors.
    stream : binary stream
        Its bytes, which can be wound back.

    Examples
    --------
    >>> import io
    >>> stream = io.BytesIO()
    >>> np.savez(stream, X=np.eye(2), y=[0, 1])
    >>> read_npz("here", stream).y
    array([0, 1])
    """
    name = display_name(path)
    try:
        with zipfile.ZipFile(stream) as archive:
            arrays = {
                info.filename.removesuffix(".npy"): _read_array(archive, info, name)
                for info in archive.infolist()
                if info.filename.removesuffix(".npy") in ("X", "y", *_PARTS)
            }
        X = arrays["X"] if "X" in arrays else _compressed(arrays)
    except FileError:
        raise
    except KeyError as error:
        raise FileError(f"the archive has no array {error}; it needs X, and y", name) from error
    except OSError as error:
        # An offset that lies outside the file is no fault of the system.
        if error.errno not in (None, errno.EINVAL):
            raise
        raise FileError(f"the archive is damaged: {error}", name) from error
    except Exception as error:  # zipfile, its decompressors and numpy know a dozen kinds
        raise FileError(f"the archive is not as it should be: {error}", name) from error
    y = arrays.get("y")
    if X.ndim != 2 or X.dtype.kind not in "fiub" or X.shape[0] == 0:
        raise FileError(f"X is an array of {X.dtype} and shape {X.shape}; it needs rows", name)
    if y is not None and y.shape != (X.shape[0],):
        raise FileError(f"y has the shape {y.shape} but X has {X.shape[0]} rows", name)
    if X.dtype not in (np.float32, np.float64):
        X = X.astype(np.float64)
    return Block(X, y)


def write_npz(stream: IO[bytes], X: Any, y: NDArray[Any] | None) -> None:
    """Write an archive.

    Parameters
    ----------
    stream : binary stream
        Where to.
    X : ndarray or CSR
        Rows.
    y : ndarray or None
        Targets.

    Examples
    --------
    >>> import io
    >>> stream = io.BytesIO()
    >>> write_npz(stream, sparse.csr_array(np.eye(2)), None)
    >>> read_npz("here", stream).X.nnz
    2
    """
    arrays: dict[str, Any] = (
        {part: np.asarray(getattr(X, part)) for part in _PARTS}
        if sparse.issparse(X)
        else {"X": np.asarray(X)}
    )
    if y is not None:
        values = np.asarray(y)
        arrays["y"] = values.astype(str) if values.dtype.kind == "O" else values
    np.savez_compressed(stream, **arrays)


def _read_array(archive: zipfile.ZipFile, info: zipfile.ZipInfo, name: str) -> NDArray[Any]:
    """Read an array whose length is held against the archive's before memory is taken."""
    check_expansion(info.compress_size, info.file_size, name)
    with archive.open(info) as member:
        version = np.lib.format.read_magic(member)
        read = {(1, 0): np.lib.format.read_array_header_1_0}.get(
            version, np.lib.format.read_array_header_2_0
        )
        shape, _, dtype = read(member)
        if dtype.hasobject:
            raise ValueError(f"{info.filename} holds objects")
        if prod(shape) * dtype.itemsize > info.file_size:
            raise ValueError(f"{info.filename} claims the shape {shape} but is shorter")
    with archive.open(info) as member:
        return np.asarray(np.lib.format.read_array(member, allow_pickle=False))


def _compressed(arrays: dict[str, NDArray[Any]]) -> Any:
    data, indices, indptr, shape = (arrays[part] for part in _PARTS)
    if any(part.dtype.kind not in "iu" for part in (indices, indptr, shape)):
        raise ValueError("the indices are not whole numbers")
    rows = sparse.csr_array((data, indices, indptr), shape=tuple(int(n) for n in shape))
    rows.check_format(full_check=True)
    return rows
