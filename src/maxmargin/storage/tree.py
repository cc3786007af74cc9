"""Objects as a tree of JSON and a list of arrays, and back.

JSON's own types stand for themselves; everything else is {"type": ..., ...}. Only types of the
registry are made, from values that follow their rules: a file can name no code.
"""

from __future__ import annotations

from collections import UserList
from collections.abc import Mapping
from math import isfinite, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.patch.substitutes import own_type
from maxmargin.problems import Solutions
from maxmargin.storage.stored import Stored

#: numpy types that appear as parameters, such as the output type of an encoder.
_NUMPY_TYPES: dict[str, type] = {
    name: getattr(np, name) for name in ("float32", "float64", "int32", "int64", "object_", "bool_")
}


class Encoder:
    """Takes objects apart.

    Parameters
    ----------
    registry : mapping of type to Stored
        The types that can be stored.

    Attributes
    ----------
    arrays : list of ndarray
        What was too large for JSON.

    Examples
    --------
    >>> encoder = Encoder({})
    >>> encoder.encode((1, np.arange(2.0)), "model")
    {'type': 'tuple', 'items': [1, {'type': 'array', 'number': 0}]}
    >>> encoder.arrays
    [array([0., 1.])]
    """

    def __init__(self, registry: Mapping[type, Stored]) -> None:
        self.arrays: list[NDArray[Any]] = []
        self._registry = registry
        #: Arrays by their identity, kept alive: one that stands in two places is stored once.
        self._stored: dict[int, tuple[NDArray[Any], int]] = {}

    def encode(self, value: Any, name: str) -> Any:
        """Return the tree of a value.

        Parameters
        ----------
        value : object
            Anything of the known types.
        name : str
            What it is, for the errors.
        """
        stored = self._registry.get(own_type(value))
        if stored is not None:
            parts = {
                key: self.encode(part, f"{name}.{key}") for key, part in stored.parts(value).items()
            }
            return {"type": stored.name, "values": parts}
        if value is None or isinstance(value, bool | str) or type(value) is int:
            return value
        if isinstance(value, np.generic) and not isinstance(value, np.void):
            return self.encode(value.item(), name)
        if isinstance(value, float):
            return value if isfinite(value) else {"type": "float", "value": str(value)}
        if isinstance(value, UserList):  # some versions of scikit-learn have lists of their own
            return self.encode(value.data, name)
        if isinstance(value, list):
            return [self.encode(item, f"{name}[{k}]") for k, item in enumerate(value)]
        return self._encode_tagged(value, name)

    def _encode_tagged(self, value: Any, name: str) -> dict[str, Any]:
        if isinstance(value, tuple | Solutions):
            return {"type": "tuple", "items": self.encode(list(value), name)}
        if isinstance(value, dict):
            items = [
                [self.encode(key, name), self.encode(part, f"{name}[{key!r}]")]
                for key, part in value.items()
            ]
            return {"type": "dict", "items": items}
        if isinstance(value, np.ndarray):
            return self._encode_array(value, name)
        if sparse.issparse(value) and value.format == "csr":
            parts = {part: self.encode(getattr(value, part), name) for part in _CSR_PARTS}
            kind = "csr_array" if isinstance(value, sparse.sparray) else "csr_matrix"
            return {"type": kind, "shape": [int(n) for n in value.shape], **parts}
        if isinstance(value, slice):
            ends = {end: self.encode(getattr(value, end), name) for end in _SLICE_PARTS}
            return {"type": "slice", **ends}
        if isinstance(value, np.dtype) and value.name in _DTYPE_NAMES:
            return {"type": "dtype", "name": value.name}
        if isinstance(value, type) and value in _NUMPY_TYPES.values():
            return {"type": "numpy", "name": value.__name__}
        raise TypeError(_refusal(value, name))

    def _encode_array(self, value: NDArray[Any], name: str) -> dict[str, Any]:
        if value.dtype.kind == "V" and value.dtype.names:
            columns = [
                [key, self.encode(np.ascontiguousarray(value[key]), f"{name}[{key!r}]")]
                for key in value.dtype.names
            ]
            return {"type": "records", "columns": columns}
        if value.dtype.kind == "O":
            items = [self.encode(item, name) for item in value.ravel()]
            return {"type": "objects", "shape": list(value.shape), "items": items}
        if value.dtype.kind not in "fiubU" or value.dtype.itemsize == 0 or value.ndim > 2:
            raise TypeError(f"{name} is an array of {value.dtype}, which cannot be stored")
        if id(value) not in self._stored:
            little = np.ascontiguousarray(value, value.dtype.newbyteorder("<"))
            self._stored[id(value)] = (value, len(self.arrays))
            self.arrays.append(little.reshape(value.shape))
        return {"type": "array", "number": self._stored[id(value)][1]}


class Decoder:
    """Puts objects together, and refuses what does not fit.

    Parameters
    ----------
    types : mapping of str to Stored
        The registry by name.
    arrays : list of ndarray
        The file's arrays.

    Examples
    --------
    >>> Decoder({}, [np.ones(2)]).decode([{"type": "array", "number": 0}])
    [array([1., 1.])]
    >>> Decoder({}, []).decode({"type": "os.system"})
    Traceback (most recent call last):
    ValueError: there is no type 'os.system'
    """

    def __init__(self, types: Mapping[str, Stored], arrays: list[NDArray[Any]]) -> None:
        self._types = types
        self._arrays = arrays

    def decode(self, node: Any) -> Any:
        """Return the object of a tree, or raise ValueError.

        Parameters
        ----------
        node : JSON
            The tree.
        """
        if node is None or isinstance(node, bool | int | str):
            return node
        if isinstance(node, float):
            if not isfinite(node):
                raise ValueError("a number is too large")
            return node
        if isinstance(node, list):
            return [self.decode(item) for item in node]
        kind = node.get("type")
        if isinstance(kind, str) and kind in self._types:
            values = _need(node, "values", dict)
            return self._types[kind].make({key: self.decode(part) for key, part in values.items()})
        make = getattr(self, f"_make_{kind}", None) if isinstance(kind, str) else None
        if make is None:
            raise ValueError(f"there is no type {kind!r}")
        return make(node)

    def _make_float(self, node: dict[str, Any]) -> float:
        if node.get("value") not in ("nan", "inf", "-inf"):
            raise ValueError(f"{node.get('value')!r} is no number")
        return float(node["value"])

    def _make_tuple(self, node: dict[str, Any]) -> tuple[Any, ...]:
        return tuple(self.decode(_need(node, "items", list)))

    def _make_dict(self, node: dict[str, Any]) -> dict[Any, Any]:
        items = self.decode(_need(node, "items", list))
        if not all(isinstance(item, list) and len(item) == 2 for item in items):
            raise ValueError("a dictionary has an entry that is not a pair")
        if not all(key is None or isinstance(key, bool | int | float | str) for key, _ in items):
            raise ValueError("a dictionary has a key that cannot be one")
        return dict(items)

    def _make_array(self, node: dict[str, Any]) -> NDArray[Any]:
        number: int = _need(node, "number", int)
        if not 0 <= number < len(self._arrays):
            raise ValueError(f"there is no array {number}")
        return self._arrays[number]

    def _make_objects(self, node: dict[str, Any]) -> NDArray[Any]:
        items, shape = self.decode(_need(node, "items", list)), _shape(node)
        if not all(item is None or isinstance(item, bool | int | float | str) for item in items):
            raise ValueError("a list of objects has an item that is neither text nor number")
        if prod(shape) != len(items):
            raise ValueError(f"{len(items)} objects do not have the shape {shape}")
        values: NDArray[Any] = np.empty(len(items), object)
        values[:] = items
        return values.reshape(shape)

    def _make_records(self, node: dict[str, Any]) -> NDArray[Any]:
        columns = self.decode(_need(node, "columns", list))
        if not columns or not all(
            isinstance(pair, list)
            and len(pair) == 2
            and isinstance(pair[0], str)
            and isinstance(pair[1], np.ndarray)
            and pair[1].shape == columns[0][1].shape
            for pair in columns
        ):
            raise ValueError("the columns of a table differ in length")
        table = np.zeros(columns[0][1].shape, [(key, part.dtype) for key, part in columns])
        for key, part in columns:
            table[key] = part
        return table

    def _make_csr(self, node: dict[str, Any], kind: Any) -> Any:
        data, indices, indptr = (self.decode(node.get(part)) for part in _CSR_PARTS)
        shape = _shape(node)
        if not all(isinstance(part, np.ndarray) for part in (data, indices, indptr)):
            raise ValueError("compressed rows lack an array")
        if len(shape) != 2 or max(shape) >= 2**31 or indptr.shape != (shape[0] + 1,):
            raise ValueError(f"compressed rows cannot have the shape {shape}")
        if data.dtype.kind != "f" or {indices.dtype.str, indptr.dtype.str} - {"<i4", "<i8"}:
            raise ValueError("compressed rows have numbers of a wrong type")
        rows = kind((data, indices, indptr), shape=shape, copy=False)
        rows.check_format(full_check=True)
        if not rows.has_canonical_format:
            raise ValueError("compressed rows have entries out of order")
        return rows

    def _make_csr_array(self, node: dict[str, Any]) -> Any:
        return self._make_csr(node, sparse.csr_array)

    def _make_csr_matrix(self, node: dict[str, Any]) -> Any:
        return self._make_csr(node, sparse.csr_matrix)

    def _make_slice(self, node: dict[str, Any]) -> slice:
        ends = [node.get(end) for end in _SLICE_PARTS]
        if not all(end is None or type(end) is int for end in ends):
            raise ValueError("the ends of a range are not whole numbers")
        return slice(*ends)

    def _make_dtype(self, node: dict[str, Any]) -> np.dtype[Any]:
        name = _need(node, "name", str)
        if name not in _DTYPE_NAMES:
            raise ValueError(f"there is no number type {name!r}")
        return np.dtype(str(name))

    def _make_numpy(self, node: dict[str, Any]) -> type:
        name = _need(node, "name", str)
        if name not in _NUMPY_TYPES:
            raise ValueError(f"there is no number type {name!r}")
        return _NUMPY_TYPES[name]


_CSR_PARTS = ("data", "indices", "indptr")
_SLICE_PARTS = ("start", "stop", "step")
_DTYPE_NAMES = ("float32", "float64", "int32", "int64", "bool", "object")


def _need(node: dict[str, Any], key: str, kind: type) -> Any:
    found = node.get(key)
    if type(found) is not kind:
        raise ValueError(f"{node.get('type')!r} needs {key!r} as {kind.__name__}")
    return found


def _shape(node: dict[str, Any]) -> tuple[int, ...]:
    shape = _need(node, "shape", list)
    if len(shape) > 2 or not all(type(n) is int and 0 <= n < 2**48 for n in shape):
        raise ValueError(f"{shape!r} is not a shape")
    return tuple(shape)


def _refusal(value: Any, name: str) -> str:
    kind = type(value).__name__
    if callable(value):
        return (
            f"{name} is a function or of the type {kind}, and a model file holds no code; use a "
            'kernel of maxmargin.kernels or kernel="precomputed" in its place'
        )
    return (
        f"{name} is of the type {kind}, which cannot be stored; docs/design/model-file.md lists "
        "what can. joblib.dump stores anything, in files that are code: load those that you trust"
    )
