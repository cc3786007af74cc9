"""Every type that a model file may hold. A new estimator, or a new kernel, is one line here."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import SGDOneClassSVM
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    StandardScaler,
)

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
from maxmargin.kernels import (
    RBF,
    Chi2,
    Columns,
    Constant,
    Cosine,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Precomputed,
    Product,
    Scaled,
    Sigmoid,
    Sum,
)
from maxmargin.models import Classes, KernelModel, LinearModel, Sigmoids, Softmax, VennAbers
from maxmargin.problems import (
    TRACE,
    Certificate,
    CertificatePart,
    Iterate,
    Solution,
    Status,
    Work,
)
from maxmargin.storage.rules import (
    ANY,
    Rule,
    array,
    count,
    either,
    instance,
    listed,
    records,
    rows,
)
from maxmargin.storage.scikit_learn import CALIBRATION, TRANSFORMERS
from maxmargin.storage.stored import Choice, Fitted, Stored, Value

NONE = instance(type(None))
NUMBER = instance(int, float)
NAMES = array("O", "d")

KERNELS = (
    Value(Linear),
    Value(Polynomial, {"degree": count("degree")}),
    Value(RBF),
    Value(Sigmoid),
    Value(Cosine),
    Value(Laplacian),
    Value(Chi2),
    Value(Matern),
    Value(Sum, {"parts": listed(instance(Kernel))}),
    Value(Product, {"parts": listed(instance(Kernel))}),
    Value(Scaled, {"kernel": instance(Kernel)}),
    Value(Columns, {"kernel": instance(Kernel), "columns": listed(instance(int, str))}),
    Value(Constant),
    Value(Precomputed),
)

#: d features; a model, the solutions it was made of, and the number of training rows.
MACHINE: Mapping[str, Rule] = {
    "n_features_in_": count("d"),
    "solutions_": listed(instance(Solution)),
    "_n_rows": instance(int),
}
KERNEL_MACHINE: Mapping[str, Rule] = {
    **MACHINE,
    "model_": instance(KernelModel),
    "shape_fit_": listed(instance(int)),
}
LINEAR_MACHINE: Mapping[str, Rule] = {**MACHINE, "model_": instance(LinearModel)}
#: What a model read from another format does not have.
COURSE: Mapping[str, Rule] = {"feature_names_in_": NAMES, "fit_report_": instance(dict)}
CLASSES: Mapping[str, Rule] = {**COURSE, "class_weight_": array("f", "k", low=0)}
#: Functions that watch a fit are no part of the model.
UNWATCHED: Mapping[str, Any] = {"callback": None}
#: m landmarks.
FEATURES: Mapping[str, Rule] = {"n_features_in_": count("d"), "_n_features_out": instance(int)}


def _parts_agree(machine: Any) -> str | None:
    """Whether model, solutions and features of a machine belong together."""
    model, d, p = machine.model_, machine.n_features_in_, len(machine.model_.intercepts)
    rows = model.vectors if isinstance(model, KernelModel) else model.coef
    if rows.shape[1] != d:
        return f"has a model of {rows.shape[1]} features and n_features_in_ = {d}"
    found = sum(len(solution.certificate.parts) for solution in machine.solutions_)
    at_once = getattr(machine, "multi_class", None) == "crammer_singer"
    if machine.solutions_ and found != (1 if at_once else p):
        return f"has certificates of {found} problems in a model of {p}"
    if isinstance(model, KernelModel):
        m, total = len(model.support), model.n_support.sum()
        if total != m:
            return f"counts {total} support vectors but has {m}"
        if isinstance(model.kernel, Precomputed) and m and model.support.max() >= d:
            return f"has support vector {model.support.max()} of {d} rows"
    return _classes_agree(machine, p)


def _calibration_agrees(model: Any, p: int) -> str | None:
    """Whether there is a sigmoid, or a slope, for each output."""
    calibration = model.calibration
    if calibration is None:
        return None
    if model.classes is None:
        return "has a calibration and no classes"
    if isinstance(calibration, VennAbers):
        scores = calibration.scores
        sorted_ = bool((np.diff(scores) > 0).all())
        fits = p == 1 and sorted_ and len(calibration.low) == 2 * len(scores) + 1
        return None if fits else "has a Venn-Abers calibration that does not fit its outputs"
    softmax = len(model.classes.names) > 2 and model.classes.scheme == "ovr"
    if len(calibration.slopes) != p or isinstance(calibration, Softmax) != softmax:
        return f"has a {type(calibration).__name__} calibration that does not fit {p} outputs"
    return None


def _classes_agree(machine: Any, p: int) -> str | None:
    """Whether there are as many outputs as the classes need."""
    problem = _calibration_agrees(machine.model_, p)
    if problem:
        return problem
    classes = machine.model_.classes
    if classes is None:
        single = p == 1 and not is_classifier(machine)
        return None if single else f"has {p} outputs and no classes"
    k = len(classes.names)
    if k < 2 or p != classes.n_outputs:
        return f"has {k} classes and {p} outputs"
    if len(set(classes.names.tolist())) != k:
        return "has a class twice"
    counted = isinstance(machine.model_, KernelModel) and is_classifier(machine)
    if counted and len(machine.model_.n_support) != k:
        return f"has {k} classes and counts support vectors of {len(machine.model_.n_support)}"
    return None


def _machine(
    kind: type, rules: Mapping[str, Rule], optional: Mapping[str, Rule] = COURSE
) -> Fitted:
    return Fitted(kind, rules, optional, UNWATCHED, check=_parts_agree)


ESTIMATORS = (
    *(_machine(kind, KERNEL_MACHINE, CLASSES) for kind in (SVC, NuSVC, HardMarginSVC)),
    *(_machine(kind, KERNEL_MACHINE) for kind in (SVR, NuSVR, OneClassSVM)),
    *(_machine(kind, LINEAR_MACHINE, CLASSES) for kind in (LinearSVC, SGDSVC)),
    *(_machine(kind, LINEAR_MACHINE) for kind in (LinearSVR, SGDSVR)),
    _machine(
        Perceptron, {**LINEAR_MACHINE, "mistake_bound_": array("f", ANY, finite=False)}, CLASSES
    ),
    Fitted(
        Nystroem,
        {
            **FEATURES,
            "_kernel": instance(Kernel),
            "_weights": array("f", "m", "m"),
            "landmarks_": rows("m", "d"),
            "landmark_indices_": array("i", "m", low=0),
            "error_": NUMBER,
            "trace_error_": NUMBER,
        },
        {"feature_names_in_": NAMES},
    ),
    Fitted(
        RandomFourier,
        {
            **FEATURES,
            "frequencies_": array("f", "d", "m"),
            "error_": NUMBER,
            "max_error_": NUMBER,
        },
        {"feature_names_in_": NAMES},
    ),
)


def _scheme(value: Any, sizes: Any) -> str | None:
    return None if value in ("ovo", "ovr") else f"is {value!r} where 'ovo' or 'ovr' is needed"


_CALIBRATION = either(NONE, instance(Sigmoids, Softmax, VennAbers))

RESULTS = (
    Choice(Status),
    *(
        Value(kind, {"slopes": array("f", "p"), "offsets": array("f", "p")})
        for kind in (Sigmoids, Softmax)
    ),
    Value(
        VennAbers,
        {"scores": array("f", "m"), "low": array("f", "e", low=0), "high": array("f", "e", low=0)},
    ),
    Value(
        Classes,
        {
            "names": array("fiubUO", "k"),
            "scheme": _scheme,
            "zero": instance(int),
            "precedence": either(NONE, array("i", "k")),
        },
    ),
    Value(
        Iterate,
        {
            "weights": array("f", "p", "d"),
            "intercepts": array("f", "p"),
            "mean": array("f", "p", "d"),
            "mean_intercepts": array("f", "p"),
            "mistakes": array("i", ANY, ANY, low=0),
        },
    ),
    Value(Certificate, {"parts": listed(instance(CertificatePart)), "held": instance(bool)}),
    # Not a number where it is not known.
    Value(
        CertificatePart,
        {
            **dict.fromkeys(("primal", "dual", "gap", "violation", "bound"), NUMBER),
            "convex": instance(bool),
        },
    ),
    Value(Work),
    Value(
        Solution,
        {
            "status": instance(Status),
            "certificate": instance(Certificate),
            "multipliers": listed(instance(float)),
            "beta": either(NONE, array("f", ANY)),
            "w": NONE,
            # Of a source of chunks, how often it has been read as well.
            "trace": either(
                records(TRACE), records(np.dtype([*TRACE.descr, ("passes", np.float64)]))
            ),
            "work": instance(Work),
            "method": instance(str),
            "iterate": either(NONE, instance(Iterate)),
            "soft_c": either(NONE, NUMBER),
            "gradient": NONE,
        },
    ),
    Value(
        KernelModel,
        {
            "kernel": instance(Kernel),
            "vectors": rows("m", "d"),
            "support": array("i", "m", low=0),
            "weights": array("f", "m", "p"),
            "status": array("i", "m", "p", low=0),
            "intercepts": array("f", "p"),
            "n_support": array("i", ANY, low=0),
            "classes": either(NONE, instance(Classes)),
            "calibration": _CALIBRATION,
        },
    ),
    Value(
        LinearModel,
        {
            "coef": rows("p", "d"),
            "intercepts": array("f", "p"),
            "support": array("i", "m", low=0),
            "weights": array("f", "p", "m"),
            "classes": either(NONE, instance(Classes)),
            "calibration": _CALIBRATION,
        },
    ),
)

_VECTOR = array("f", "d")
_COUNTED: Mapping[str, Rule] = {
    "n_features_in_": count("d"),
    "n_samples_seen_": either(NUMBER, array("fi", "d", low=0)),
}
_NAMED: Mapping[str, Rule] = {"feature_names_in_": NAMES}
_COLUMNS = either(instance(str, int, slice), listed(instance(str, int, bool)), array("biUO", ANY))


def _columns_agree(made: ColumnTransformer) -> str | None:
    if not all(
        isinstance(entry, tuple) and len(entry) == 3 and isinstance(entry[0], str)
        for entry in [*made.transformers, *made.transformers_]
    ):
        return "has an entry that is not name, transformer and columns"
    for _, transformer, columns in made.transformers_:
        if transformer not in ("drop", "passthrough") and type(transformer) not in _TRANSFORMERS:
            return f"has a transformer of the type {type(transformer).__name__}"
        problem = _COLUMNS(columns, {})
        if problem:
            return f"has columns of which one {problem}"
    return None


def _union_agrees(made: FeatureUnion) -> str | None:
    for entry in made.transformer_list:
        if not isinstance(entry, tuple) or len(entry) != 2 or not isinstance(entry[0], str):
            return "has an entry that is not name and transformer"
        if entry[1] not in ("drop", "passthrough") and type(entry[1]) not in _TRANSFORMERS:
            return f"has a transformer of the type {type(entry[1]).__name__}"
    return None


def _steps_agree(made: Pipeline) -> str | None:
    steps = made.steps
    if not isinstance(steps, list) or not steps:
        return "has no steps"
    if not all(isinstance(s, tuple) and len(s) == 2 and isinstance(s[0], str) for s in steps):
        return "has a step that is not name and estimator"
    for _, step in steps[:-1]:
        if step not in (None, "passthrough") and type(step) not in _TRANSFORMERS:
            return f"has a step of the type {type(step).__name__} before its last"
    if type(steps[-1][1]) not in REGISTRY and steps[-1][1] != "passthrough":
        return "does not end in an estimator"
    return None


#: scikit-learn's own, which LIBLINEAR's one-class text becomes.
LINEAR_ONE_CLASS = Fitted(
    SGDOneClassSVM,
    {"coef_": array("f", 1, "d"), "offset_": array("f", 1), "n_features_in_": count("d")},
    _NAMED,
    open=True,
)

#: scikit-learn's own, where a model is more than its last step.
OTHERS = (
    Fitted(
        StandardScaler,
        {"mean_": either(NONE, _VECTOR), "var_": either(NONE, _VECTOR), **_COUNTED},
        {"scale_": either(NONE, _VECTOR), **_NAMED},
        open=True,
    ),
    Fitted(
        MinMaxScaler,
        {
            **dict.fromkeys(("min_", "scale_", "data_min_", "data_max_", "data_range_"), _VECTOR),
            **_COUNTED,
        },
        _NAMED,
        open=True,
    ),
    Fitted(MaxAbsScaler, {"scale_": _VECTOR, "max_abs_": _VECTOR, **_COUNTED}, _NAMED, open=True),
    Fitted(
        SimpleImputer,
        {
            "statistics_": array("fiuUO", "d", finite=False),
            "n_features_in_": count("d"),
            "indicator_": NONE,
        },
        _NAMED,
        open=True,
    ),
    Fitted(
        OneHotEncoder,
        {
            "categories_": listed(array("fiubUO", ANY, finite=False)),
            "n_features_in_": count("d"),
            "drop_idx_": either(NONE, array("O", "d"), array("i", "d")),
        },
        _NAMED,
        open=True,
    ),
    Fitted(
        ColumnTransformer,
        {
            "transformers": listed(instance(tuple)),
            "transformers_": listed(instance(tuple)),
            "n_features_in_": count("d"),
            "output_indices_": instance(dict),
            "sparse_output_": instance(bool),
        },
        _NAMED,
        fixed={"n_jobs": None},
        open=True,
        check=_columns_agree,
    ),
    Fitted(
        FeatureUnion,
        {"transformer_list": listed(instance(tuple))},
        fixed={"n_jobs": None},
        open=True,
        check=_union_agrees,
    ),
    # What "passthrough" becomes; any other function is code.
    Fitted(FunctionTransformer, {"func": NONE, "inverse_func": NONE}, _NAMED, open=True),
    # A cache would be read with pickle.
    Fitted(
        Pipeline,
        {"steps": listed(instance(tuple))},
        fixed={"memory": None},
        open=True,
        check=_steps_agree,
    ),
)

_TRANSFORMERS = {entry.type for entry in (*OTHERS, *TRANSFORMERS)} | {Nystroem, RandomFourier}
REGISTRY: Mapping[type, Stored] = {
    entry.type: entry
    for entry in chain(
        ESTIMATORS, KERNELS, RESULTS, OTHERS, TRANSFORMERS, CALIBRATION, [LINEAR_ONE_CLASS]
    )
}
TYPES: Mapping[str, Stored] = {entry.name: entry for entry in REGISTRY.values()}
