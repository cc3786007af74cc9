"""A model or a pipeline as a graph of ONNX."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from maxmargin import __version__
from maxmargin.data.files import replacing
from maxmargin.export.chain import Chain, Expansion
from maxmargin.export.compression import Compression, compressed
from maxmargin.export.error import ExportError
from maxmargin.export.onnx.classes import scores, winners
from maxmargin.export.onnx.graph import IR_VERSION, OPSET, Graph
from maxmargin.export.onnx.kernels import kernel_values
from maxmargin.export.onnx.probabilities import probabilities, towards
from maxmargin.export.onnx.rows import Rows
from maxmargin.export.onnx.steps import apply_step, text_columns
from maxmargin.export.precision import Precision, precision_of
from maxmargin.export.report import ExportReport
from maxmargin.models import Classes

#: Messages of ONNX are at most this long.
_MOST_BYTES = 2**31 - 1


def to_onnx(
    model: Any,
    path: str | os.PathLike[str],
    *,
    dtype: Precision = "float32",
    compress: int | None = None,
    X: Any = None,
    y: Any = None,
) -> ExportReport:
    """Write a fitted model, or a pipeline that ends with one, as a graph of ONNX.

    Parameters
    ----------
    model : estimator, pipeline or search
        Fitted: any machine of maxmargin, with any kernel that is not a Python function, alone or
        after StandardScaler, MinMaxScaler, MaxAbsScaler, RobustScaler, SimpleImputer,
        OneHotEncoder, ColumnTransformer, Nystroem, RandomFourier and pipelines of them. Of a search
        its best model.
    path : path-like
        Where to; the file takes its place when it is complete.
    dtype : {"float32", "float64"}
        Precision of inputs, kernel values and outputs. Sums over support vectors, and what is
        decided by them, are float64 in either.
    compress : int, optional
        Fit so many vectors in the place of the support vectors, as in `to_c`.
    X, y : array-likes, optional
        Rows as the model takes them, and their labels or targets, to measure on what that costs.

    Returns
    -------
    ExportReport
        The size of the file, and how many vectors are in it.

    Raises
    ------
    ExportError
        If a part has no form in ONNX: the text names it.

    Notes
    -----
    Input: `X` of shape (rows, features), any number of rows. Where a column is text, there is one
    input of shape (rows, 1) for each column that is used, by its name (`x0`, `x1` where there are
    none); a text that is missing is the empty one. Outputs are what the methods give:

        classes      `label`, `decision` and, of a calibrated model, `probabilities`
        one class    `label` (1 or -1), `decision`
        regression   `prediction`

    (`predicted_label` and so on where a column of the input is called like that.)

    A machine of a linear kernel is one linear operator. Kernel machines need memory for two or
    three matrices of (rows, support vectors).

    In "float64" labels are the model's, and decision values differ by rounding, 1e-12 of their
    scale. In "float32" they differ by about 1e-6 of their scale, sum_j |weight_j k(x, x_j)|: rows
    that are nearer to the boundary may get the other label, and large weights (a large C) make that
    more likely. Take "float64" where that matters. Probabilities of Venn-Abers are steps: in
    float32 a row next to a step may be on its other side. A category that was not seen gives zeros,
    also where the pipeline would raise, and negative values that chi2 refuses are not refused.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC
    >>> from maxmargin.export import to_onnx
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "iris.onnx"
    >>> report = to_onnx(SVC().fit(*load_iris(return_X_y=True)), path, dtype="float64")
    >>> report.file_bytes == path.stat().st_size
    True
    """
    _need("onnx")
    import onnx

    chain, precision = Chain.of(model), precision_of(dtype)
    cost: Compression | None = None
    if compress is None:
        expansion = Expansion.of(chain.machine)
    else:
        expansion, cost = compressed(chain, compress, X, y)
    made, report = _model(chain, expansion, precision)
    if made.ByteSize() > _MOST_BYTES:
        raise ExportError(
            f"the graph has {report.n_vectors} vectors and is larger than the 2 GB that ONNX "
            "allows; compress=N makes them fewer"
        )
    onnx.checker.check_model(made, full_check=True)
    content = made.SerializeToString()
    with replacing(path) as stream:
        stream.write(content)
    return replace(report, compression=cost).written([Path(path)], len(content))


def _need(package: str) -> None:
    from importlib.util import find_spec

    if find_spec(package) is None:
        raise ImportError(f"to_onnx needs {package}: pip install 'maxmargin[{package}]'")


def _model(chain: Chain, expansion: Expansion, dtype: Any) -> tuple[Any, ExportReport]:
    from onnx import helper

    g = Graph(dtype)
    inputs, rows = _inputs(g, chain)
    for name, step in chain.steps:
        rows = apply_step(g, name, step, rows)
    results = add_machine(g, chain, expansion, rows.matrix())
    outputs = []
    read = {name for node in g.nodes for name in node.input}
    inputs = [info for info in inputs if info.name in read]  # without columns that are dropped
    taken = {info.name for info in inputs}
    for name, (source, element, shape) in results.items():
        name = f"predicted_{name}" if name in taken else name
        g("Identity", source, out=name)
        outputs.append(helper.make_tensor_value_info(name, element, shape))
    graph = helper.make_graph(g.nodes, "maxmargin", inputs, outputs, g.constants)
    made = helper.make_model(
        graph,
        producer_name="maxmargin",
        producer_version=__version__,
        opset_imports=[helper.make_opsetid("", OPSET)],
        ir_version=IR_VERSION,
    )
    helper.set_model_props(made, _notes(chain))
    table_bytes = sum(len(tensor.raw_data) for tensor in g.constants)
    return made, ExportReport(
        paths=(),
        file_bytes=0,
        table_bytes=table_bytes,
        n_vectors=len(expansion.vectors),
        n_merged=expansion.n_merged,
    )


def _notes(chain: Chain) -> dict[str, str]:
    notes = {"machine": type(chain.machine).__name__}
    names = chain.feature_names()
    if names:
        notes["features"] = json.dumps(names)
    if chain.classes is not None:
        notes["classes"] = json.dumps([str(name) for name in chain.classes.names.tolist()])
    return notes


def _inputs(g: Graph, chain: Chain) -> tuple[list[Any], Rows]:
    """Return the inputs of a graph, and the rows that they are."""
    from onnx import helper

    first = chain.steps[0][1] if chain.steps else chain.machine
    d = int(first.n_features_in_)
    texts: set[int] = set()
    for _, step in chain.steps:
        if step is not first and not _keeps_columns(first):
            break
        texts |= text_columns(step, range(d))
    if not texts:
        return [helper.make_tensor_value_info("X", g.element, ["rows", d])], Rows(g, ("X",), d)
    names = chain.feature_names() or [f"x{k}" for k in range(d)]
    infos = [
        helper.make_tensor_value_info(name, 8 if k in texts else g.element, ["rows", 1])
        for k, name in enumerate(names)
    ]
    return infos, Rows(g, tuple(names), d)


def _keeps_columns(step: Any) -> bool:
    from sklearn.impute import SimpleImputer

    return isinstance(step, SimpleImputer)


def add_machine(
    g: Graph, chain: Chain, expansion: Expansion, x: str
) -> dict[str, tuple[str, int, list[Any]]]:
    """Add the nodes of a machine; return the results by name, with their types and shapes.

    Parameters
    ----------
    g : Graph
        Where to.
    chain : Chain
        Whose machine it is.
    expansion : Expansion
        What it computes.
    x : str
        Rows, shape (n, d).
    """
    wide = g.wide()
    outputs = _outputs(g, wide, expansion, x)
    classes = chain.classes_in(g.dtype, expansion)
    results = _results(wide, chain, classes, outputs, float(np.finfo(g.dtype).eps))
    if g.dtype == wide.dtype:
        return results
    return {
        name: found if name == "label" else (g.cast(found[0]), g.element, found[2])
        for name, found in results.items()
    }


def _outputs(g: Graph, wide: Graph, expansion: Expansion, x: str) -> str:
    """Add the nodes of all outputs, shape (n, p): kernel values are summed up in float64."""
    values = x if expansion.is_linear else kernel_values(g, expansion.kernel, x, expansion.vectors)
    summed = values if g.dtype == wide.dtype else wide.cast(values)
    return wide("Gemm", summed, expansion.weights, expansion.intercepts)


def _results(
    g: Graph, chain: Chain, classes: Classes | None, outputs: str, eps: float
) -> dict[str, tuple[str, int, list[Any]]]:
    """Add the nodes from outputs to what the methods of a machine give."""
    if classes is None:
        return {"prediction": (g("Squeeze", outputs, np.array([1])), g.element, ["rows"])}
    codes = winners(g, classes, outputs, break_ties=chain.break_ties)
    results = {"label": _label(g, classes.names, codes)}
    k = len(classes.names)
    if chain.scored:
        results["decision"] = (scores(g, classes, outputs), g.element, ["rows", k])
    elif classes.n_outputs > 1:
        results["decision"] = (outputs, g.element, ["rows", classes.n_outputs])
    else:
        results["decision"] = (_single(g, chain, classes, outputs), g.element, ["rows"])
    if chain.calibration is not None:
        given = probabilities(g, chain.calibration, k, outputs)
        results["probabilities"] = (towards(g, given, codes, k, eps), g.element, ["rows", k])
    return results


def _single(g: Graph, chain: Chain, classes: Classes, outputs: str) -> str:
    decision = g("Squeeze", outputs, np.array([1]))
    if not chain.one_class:
        return decision
    near = g("LessOrEqual", g("Abs", decision), classes.rounding)
    return g("Where", near, 0.0, decision)


def _label(g: Graph, names: Any, codes: str) -> tuple[str, int, list[Any]]:
    """Add the node of the labels, in their own type whatever the graph's precision is."""
    texts = names.tolist()
    if names.dtype.kind in "OU":
        if not all(isinstance(text, str) for text in texts):
            raise ExportError(
                f"the labels {texts} are neither texts nor numbers; rename the classes"
            )
        constant, element = g.constant(np.array(texts, object)), 8
    else:
        kind, element = {"b": (np.bool_, 9), "f": (np.float64, 11)}.get(
            names.dtype.kind, (np.int64, 7)
        )
        constant = g.constant(names.astype(kind))
    return g("Gather", constant, codes, axis=0), element, ["rows"]
