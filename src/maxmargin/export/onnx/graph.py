"""A graph of ONNX in the making: nodes, and constants in one precision."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from itertools import count
from typing import Any

import numpy as np

#: Text can be compared since this version of the operators.
OPSET = 19
#: The version of the file format that came with it, which runtimes of 2023 read.
IR_VERSION = 9


class Graph:
    """Nodes and constants that are added one after the other.

    Calling it adds a node and returns the name of its result. What is no name (a number, an array)
    becomes a constant: floating-point ones in the graph's precision.

    Parameters
    ----------
    dtype : dtype
        float32 or float64.
    prefix : str
        What all names begin with.

    Examples
    --------
    >>> graph = Graph(np.float32)
    >>> graph("Mul", "X", 2.0), len(graph.nodes), graph.constants[0].dims
    ('Mul_2', 1, [])
    """

    def __init__(self, dtype: Any, prefix: str = "") -> None:
        self.dtype = np.dtype(dtype)
        self.prefix = prefix
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._numbers = count(1)

    def wide(self) -> Graph:
        """Return this graph as one of float64: what is added to it is added here."""
        other = copy(self)
        other.dtype = np.dtype(np.float64)
        return other

    @property
    def element(self) -> int:
        """ONNX's number of the precision."""
        from onnx import helper

        return int(helper.np_dtype_to_tensor_dtype(self.dtype))

    def name(self, kind: str) -> str:
        """Return a name that nothing has yet."""
        return f"{self.prefix}{kind}_{next(self._numbers)}"

    def constant(self, value: Any) -> str:
        """Add a constant: numbers with a point in the graph's precision, texts as they are."""
        from onnx import helper, numpy_helper

        array = np.asarray(value)
        if array.dtype.kind == "f":
            array = array.astype(self.dtype)
        name = self.name("constant")
        if array.dtype.kind in "OU":
            texts = [str(text).encode() for text in array.ravel().tolist()]
            tensor = helper.make_tensor(name, 8, array.shape, np.array(texts, object))  # 8 is text
        else:
            tensor = numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name)
        self.constants.append(tensor)
        return name

    def __call__(
        self, operator: str, *inputs: Any, out: str | None = None, **attributes: Any
    ) -> str:
        """Add a node with one result."""
        return self.several(operator, 1, *inputs, outs=out and [out], **attributes)[0]

    def several(
        self, operator: str, n: int, *inputs: Any, outs: Any = None, **attributes: Any
    ) -> list[str]:
        """Add a node with several results."""
        from onnx import helper

        given = [entry if isinstance(entry, str) else self.constant(entry) for entry in inputs]
        results = outs or [self.name(operator) for _ in range(n)]
        # A name of its own, which profiles and viewers show.
        name = self.name(f"{operator}_node") if outs else f"{results[0]}_node"
        self.nodes.append(helper.make_node(operator, given, results, name, **attributes))
        return results

    def cast(self, value: str) -> str:
        """Cast to the graph's precision."""
        return self("Cast", value, to=self.element)

    def rows(self, x: str) -> str:
        """Return the number of rows, as a tensor of one number."""
        return self("Shape", x, start=0, end=1)

    def full(self, x: str, width: int, value: float) -> str:
        """Return a matrix of equal values with as many rows as another."""
        shape = self("Concat", self.rows(x), np.array([width]), axis=0)
        return self("Expand", np.array([[value]]), shape)

    def minus(self, x: str, constant: Any) -> str:
        """Subtract a constant of float64 without rounding it to float32 first."""
        high = np.asarray(constant, np.float64).astype(self.dtype)
        difference = self("Sub", x, high)
        low = np.asarray(constant, np.float64) - high
        return self("Sub", difference, low) if low.any() else difference

    def columns(self, x: str, places: Any) -> str:
        """Take some columns."""
        return self("Gather", x, np.asarray(places, np.int64), axis=1)

    def sum_over_columns(self, x: str, vectors: Any, term: Callable[[Graph, str, str], str]) -> str:
        """Return sum_k term(x_ik, z_jk), shape (n, m), one row after the other.

        Beside the result, memory is a few matrices of the shape of the vectors, however many rows
        there are; and these stay in the processor's cache where the vectors do.

        Parameters
        ----------
        x : str
            Rows, shape (n, d).
        vectors : ndarray of shape (m, d)
            z.
        term : callable
            Adds the nodes of the terms, from a graph and the names of a row x (d,) and of z (m, d).
        """
        from onnx import helper

        body, z = Graph(self.dtype, self.name("row_")), self.constant(vectors)
        row = body.name("x")
        sums = body("ReduceSum", term(body, row, z), np.array([1]), keepdims=0)
        d, m = np.shape(vectors)[1], len(vectors)
        graph = helper.make_graph(
            body.nodes,
            body.prefix,
            [helper.make_tensor_value_info(row, body.element, [d])],
            [helper.make_tensor_value_info(sums, body.element, [m])],
            body.constants,
        )
        return self("Scan", x, body=graph, num_scan_inputs=1)
