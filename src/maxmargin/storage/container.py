"""The file: a JSON header, raw arrays, and a checksum over all of it (docs/design/model-file.md).

    magic      8 bytes
    version    uint32, then 4 zero bytes
    length     uint64, of the header
    header     JSON in ASCII, padded with spaces to a multiple of 64
    arrays     little-endian, row-major, each padded with zeros to a multiple of 64
    checksum   SHA-256 of everything before it

Nothing is believed: the checksum is compared first, and every count and length is held against the
size of the file before memory is taken for it.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import struct
from dataclasses import dataclass
from math import prod
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.files import FileError

MAGIC = b"\x89mxmg\r\n\x1a"
VERSION = 2
#: Formats that are read; `storage.version_1` has what the first one was.
READABLE = (1, VERSION)
_PREFIX = struct.Struct("<8sIIQ")
_ALIGNMENT = 64
_CHECKSUM_BYTES = hashlib.sha256().digest_size
_BLOCK_BYTES = 1 << 20
#: Numbers and fixed-width text; nothing that needs code to be read.
_DTYPES = re.compile(r"<f[48]|\|[iu]1|<[iu][248]|\|b1|<U[1-9][0-9]{0,6}")


def _padding(length: int) -> int:
    return -length % _ALIGNMENT


@dataclass(frozen=True)
class Slot:
    """Where an array lies in the file.

    Parameters
    ----------
    dtype : str
        numpy's name of the type, little-endian.
    shape : tuple of int
        Its shape.

    Examples
    --------
    >>> Slot("<f8", (2, 3)).n_bytes
    48
    """

    dtype: str
    shape: tuple[int, ...]

    @property
    def n_bytes(self) -> int:
        """Its length without padding."""
        return np.dtype(self.dtype).itemsize * prod(self.shape)


def write(stream: BinaryIO, header: dict[str, Any], arrays: list[NDArray[Any]]) -> None:
    """Write a file.

    Parameters
    ----------
    stream : binary stream
        Where to.
    header : dict
        Of JSON's own types. The list of the arrays is added to it.
    arrays : list of ndarray
        Numbers, booleans or fixed-width text, little-endian and row-major.

    Examples
    --------
    >>> import io
    >>> stream = io.BytesIO()
    >>> write(stream, {"a": 1}, [np.arange(3.0)])
    >>> read_header(stream, "here")["a"]
    1
    """
    slots = [{"dtype": array.dtype.str, "shape": list(array.shape)} for array in arrays]
    text = json.dumps({**header, "arrays": slots}, allow_nan=False, separators=(",", ":")).encode()
    text += b" " * _padding(_PREFIX.size + len(text))
    digest = hashlib.sha256()
    for part in (_PREFIX.pack(MAGIC, VERSION, 0, len(text)), text):
        digest.update(part)
        stream.write(part)
    for array in arrays:
        for block in (_bytes(array), bytes(_padding(array.nbytes))):
            digest.update(block)
            stream.write(block)
    stream.write(digest.digest())


def read_header(stream: BinaryIO, path: str | os.PathLike[str]) -> dict[str, Any]:
    """Check a file and return its header, without taking memory for its arrays.

    Parameters
    ----------
    stream : binary stream
        The file, which can be wound back.
    path : path-like
        Its name, for the errors.

    Returns
    -------
    dict
        What the file says, and its version as "format".

    Examples
    --------
    >>> import io
    >>> read_header(io.BytesIO(b"some text"), "notes.txt")
    Traceback (most recent call last):
    maxmargin.data.files.error.FileError: notes.txt: this is not a model file of maxmargin
    """
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    prefix = stream.read(_PREFIX.size)
    if not prefix.startswith(MAGIC):
        raise FileError("this is not a model file of maxmargin", path)
    if size < _PREFIX.size + _CHECKSUM_BYTES:
        raise FileError("the model file is cut off; copy it again", path)
    _, version, _, length = _PREFIX.unpack(prefix)
    # Before the checksum, so that a later version may have another.
    if version not in READABLE:
        raise FileError(
            f"the model file has format version {version} but this version of maxmargin reads "
            f"{' and '.join(map(str, READABLE))}; it is damaged, or was written by a later "
            "maxmargin",
            path,
        )
    _verify(stream, size, path)
    if length > size - _PREFIX.size - _CHECKSUM_BYTES:
        raise FileError(f"the header claims {length} bytes, more than the file has", path)
    stream.seek(_PREFIX.size)
    header = _parse(stream.read(length), path)
    slots = read_slots(header, path)
    expected = _PREFIX.size + length + _CHECKSUM_BYTES
    expected += sum(slot.n_bytes + _padding(slot.n_bytes) for slot in slots)
    if expected != size:
        raise FileError(f"the header describes {expected} bytes but the file has {size}", path)
    return {**header, "format": version}


def read_slots(header: dict[str, Any], path: str | os.PathLike[str]) -> list[Slot]:
    """Check the list of arrays in a header.

    Parameters
    ----------
    header : dict
        As read.
    path : path-like
        The file's name, for the errors.

    Examples
    --------
    >>> read_slots({"arrays": [{"dtype": "<f8", "shape": [2]}]}, "here")
    [Slot(dtype='<f8', shape=(2,))]
    """
    given = header.get("arrays")
    if not isinstance(given, list):
        raise FileError("the header has no list of arrays", path)
    slots = []
    for k, entry in enumerate(given):
        dtype = entry.get("dtype") if isinstance(entry, dict) else None
        shape = entry.get("shape") if isinstance(entry, dict) else None
        if not isinstance(dtype, str) or not _DTYPES.fullmatch(dtype):
            raise FileError(f"array {k} has the type {dtype!r}, which is not allowed", path)
        if (
            not isinstance(shape, list)
            or len(shape) > 2
            or not all(type(n) is int and 0 <= n < 2**48 for n in shape)
        ):
            raise FileError(f"array {k} has the shape {shape!r}, which is not allowed", path)
        slots.append(Slot(dtype, tuple(shape)))
    return slots


def read_arrays(stream: BinaryIO, slots: list[Slot], path: str | os.PathLike[str]) -> list[Any]:
    """Read the arrays of a file whose header has been read.

    Parameters
    ----------
    stream : binary stream
        Just behind the header.
    slots : list of Slot
        What the header says.
    path : path-like
        The file's name, for the errors.

    Examples
    --------
    >>> import io
    >>> read_arrays(io.BytesIO(np.arange(2.0).tobytes()), [Slot("<f8", (2,))], "here")
    [array([0., 1.])]
    """
    arrays = []
    for k, slot in enumerate(slots):
        array: NDArray[Any] = np.zeros(slot.shape, slot.dtype)
        raw = array.reshape(-1).view(np.uint8)
        if stream.readinto(_bytes(array)) != slot.n_bytes:  # type: ignore[attr-defined]
            raise FileError("the file changed while it was read", path)
        stream.seek(_padding(slot.n_bytes), os.SEEK_CUR)
        if array.dtype.kind == "b" and raw.max(initial=0) > 1:
            raise FileError(f"array {k} has truth values that are neither true nor false", path)
        if array.dtype.kind == "U" and raw.view("<u4").max(initial=0) > 0x10FFFF:
            raise FileError(f"array {k} has characters that do not exist", path)
        arrays.append(array)
    return arrays


def _bytes(array: NDArray[Any]) -> memoryview:
    return memoryview(array.reshape(-1).view(np.uint8))  # type: ignore[arg-type]


def _verify(stream: BinaryIO, size: int, path: str | os.PathLike[str]) -> None:
    digest = hashlib.sha256()
    stream.seek(0)
    left = size - _CHECKSUM_BYTES
    while left > 0:
        block = stream.read(min(left, _BLOCK_BYTES))
        if not block:
            raise FileError("the file changed while it was read", path)
        digest.update(block)
        left -= len(block)
    if stream.read(_CHECKSUM_BYTES) != digest.digest():
        raise FileError("the model file is damaged: its checksum differs; copy it again", path)


def _parse(text: bytes, path: str | os.PathLike[str]) -> dict[str, Any]:
    def refuse(name: str) -> float:
        raise ValueError(f"{name} is not JSON")

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) != len(pairs):
            raise ValueError("a name occurs twice")
        return found

    try:
        header = json.loads(text.decode("ascii"), parse_constant=refuse, object_pairs_hook=once)
    except RecursionError as error:
        raise FileError("the header is nested too deeply", path) from error
    except ValueError as error:
        raise FileError(f"the header is not what it should be: {error}", path) from error
    if not isinstance(header, dict):
        raise FileError("the header is not an object", path)
    return header
