"""The machines for skl2onnx, so that pipelines with steps of others convert as well."""

from __future__ import annotations

from typing import Any

import numpy as np

from maxmargin.estimators import (
    SGDSVC,
    SGDSVR,
    SVC,
    SVR,
    HardMarginSVC,
    LinearSVC,
    LinearSVR,
    NuSVC,
    NuSVR,
    Nystroem,
    OneClassSVM,
    Perceptron,
    RandomFourier,
)
from maxmargin.export.chain import Chain, Expansion
from maxmargin.export.error import ExportError
from maxmargin.export.onnx.graph import OPSET, Graph
from maxmargin.export.onnx.model import add_machine
from maxmargin.export.onnx.rows import Rows
from maxmargin.export.onnx.steps import apply_step

CLASSIFIERS: tuple[type, ...] = (SVC, NuSVC, HardMarginSVC, LinearSVC, SGDSVC, Perceptron)
REGRESSORS: tuple[type, ...] = (SVR, NuSVR, LinearSVR, SGDSVR)
TRANSFORMERS: tuple[type, ...] = (Nystroem, RandomFourier)


def register_skl2onnx() -> None:
    """Tell skl2onnx how to convert the machines of maxmargin, in this process.

    After it `skl2onnx.to_onnx` takes pipelines, votes and stacks with these machines in them.
    Classifiers have the results `label` and `probabilities`; of one without probabilities, and
    where `raw_scores` is asked for, the second is its decision values, of two classes -f and f.
    `OneClassSVM` has `label` and `scores`. The target opset must be 19 or more.

    Examples
    --------
    >>> import numpy as np
    >>> import skl2onnx
    >>> from maxmargin import SVC
    >>> from maxmargin.export import register_skl2onnx
    >>> register_skl2onnx()
    >>> X = np.array([[0.0], [1.0]], np.float32)
    >>> graph = skl2onnx.to_onnx(SVC().fit(X, [0, 1]), X).graph
    >>> [result.name for result in graph.output]
    ['label', 'probabilities']
    """
    try:
        from skl2onnx import update_registered_converter
    except ImportError as error:
        raise ImportError(
            "register_skl2onnx needs skl2onnx: pip install 'maxmargin[skl2onnx]'"
        ) from error
    options = {
        "zipmap": [True, False, "columns"],
        "output_class_labels": [False, True],
        "raw_scores": [True, False],
        "nocl": [True, False],
    }
    for kind in CLASSIFIERS:
        alias = f"Maxmargin{kind.__name__}"
        update_registered_converter(
            kind, alias, _class_shapes, _convert_machine, parser=_parse, options=options
        )
    update_registered_converter(
        OneClassSVM, "MaxmarginOneClassSVM", _one_class_shapes, _convert_machine
    )
    for kind in REGRESSORS:
        update_registered_converter(
            kind, f"Maxmargin{kind.__name__}", _value_shapes, _convert_machine
        )
    for kind in TRANSFORMERS:
        update_registered_converter(
            kind, f"Maxmargin{kind.__name__}", _feature_shapes, _convert_transformer
        )


def _parse(scope: Any, model: Any, inputs: Any, custom_parsers: Any = None) -> Any:
    """Say what the results are: probabilities may become dicts, decision values do not."""
    from skl2onnx._parse import _parse_sklearn_classifier, _parse_sklearn_simple_model

    chosen = _parse_sklearn_classifier
    if Chain.of(model).calibration is None:
        chosen = _parse_sklearn_simple_model
    return chosen(scope, model, inputs, custom_parsers=custom_parsers)


def _class_shapes(operator: Any) -> None:
    from skl2onnx.common.data_types import Int64TensorType, StringTensorType

    chain, (rows, real) = Chain.of(operator.raw_operator), _input_of(operator)
    assert chain.classes is not None
    names = chain.classes.names
    kind = StringTensorType if names.dtype.kind in "OU" else Int64TensorType
    operator.outputs[0].type = kind([rows])
    given = _scores_wanted(operator) or chain.calibration is None
    width = len(names)
    if given and width > 2 and not chain.scored:
        width = chain.classes.n_outputs
    operator.outputs[1].type = real([rows, width])


def _one_class_shapes(operator: Any) -> None:
    from skl2onnx.common.data_types import Int64TensorType

    rows, real = _input_of(operator)
    operator.outputs[0].type = Int64TensorType([rows, 1])
    operator.outputs[1].type = real([rows, 1])


def _value_shapes(operator: Any) -> None:
    rows, real = _input_of(operator)
    operator.outputs[0].type = real([rows, 1])


def _feature_shapes(operator: Any) -> None:
    rows, real = _input_of(operator)
    operator.outputs[0].type = real([rows, operator.raw_operator._n_features_out])


def _input_of(operator: Any) -> tuple[Any, Any]:
    """Return the number of rows, if it is known, and the type of real numbers."""
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType

    given = operator.inputs[0].type
    real = DoubleTensorType if isinstance(given, DoubleTensorType) else FloatTensorType
    return operator.inputs[0].get_first_dimension(), real


def _scores_wanted(operator: Any) -> bool:
    """Whether whatever holds the machine asks for decision values."""
    options = operator.scope_inst.get_options(operator.raw_operator, {"raw_scores": False})
    return bool(options["raw_scores"])


def _convert_machine(scope: Any, operator: Any, container: Any) -> None:
    g, x = _graph(scope, operator, container)
    chain = Chain.of(operator.raw_operator)
    found = add_machine(g, chain, Expansion.of(chain.machine), x)
    if chain.classes is None:
        names = ["prediction"]
    elif "probabilities" in found and not _scores_wanted(operator):
        names = ["label", "probabilities"]
    else:
        names = ["label", "decision"]
    for output, name in zip(operator.outputs, names, strict=True):
        result, element, shape = found[name]
        if name == "label" and element in (9, 11):  # labels of skl2onnx are texts or whole numbers
            result = g("Cast", result, to=7)
        if len(shape) == 1 and (name != "label" or chain.one_class):
            result = g("Unsqueeze", result, np.array([1]))
        if name == "decision" and len(shape) == 1 and not chain.one_class:
            result = g("Concat", g("Neg", result), result, axis=1)
        g("Identity", result, out=output.full_name)
    _add(g, container)


def _convert_transformer(scope: Any, operator: Any, container: Any) -> None:
    g, x = _graph(scope, operator, container)
    step = operator.raw_operator
    rows = apply_step(g, type(step).__name__, step, Rows(g, (x,), int(step.n_features_in_)))
    g("Identity", rows.matrix(), out=operator.outputs[0].full_name)
    _add(g, container)


def _graph(scope: Any, operator: Any, container: Any) -> tuple[Graph, str]:
    """Begin a graph in the precision of an operator's input."""
    from skl2onnx.common.data_types import DoubleTensorType, FloatTensorType

    if container.target_opset < OPSET:
        raise ExportError(
            f"the target opset is {container.target_opset}; the machines of maxmargin need "
            f"{OPSET} or more: give target_opset={OPSET}"
        )
    given = operator.inputs[0]
    wide = isinstance(given.type, DoubleTensorType)
    g = Graph(np.float64 if wide else np.float32, f"{scope.get_unique_variable_name('maxmargin')}_")
    known = isinstance(given.type, DoubleTensorType | FloatTensorType)
    return g, given.full_name if known else g.cast(given.full_name)


def _add(g: Graph, container: Any) -> None:
    from onnx import helper

    container.initializers.extend(g.constants)
    for node in g.nodes:
        attributes = {part.name: helper.get_attribute_value(part) for part in node.attribute}
        container.add_node(
            node.op_type,
            list(node.input),
            list(node.output),
            op_version=OPSET,
            name=node.name,
            **attributes,
        )
