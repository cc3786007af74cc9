"""Every type that a model file may hold. A new estimator, or a new kernel, is one line here."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import SGDOneClassSVM
from sklearn.pipeline import Pipeline
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
from maxmargin.estimators.warm_start import Memory
from maxmargin.kernels import (
    RBF,
    Chi2,
    Columns,
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
from maxmargin.models import KernelModel, LinearModel
from maxmargin.problems import (
    TRACE,
    Certificate,
    CertificatePart,
    RiskBound,
    RiskCertificate,
    Status,
)
from maxmargin.solvers import Iterate
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
    Value(Columns, {"kernel": instance(Kernel), "columns": listed(instance(int))}),
    Value(Precomputed),
)

#: What a fit leaves besides its result; a model read from another format does not have it.
COURSE: Mapping[str, Rule] = {
    "status_": instance(Status),
    "history_": records(TRACE),
    "fit_report_": instance(dict),
    "_interruption": instance(str),
    "_memory": instance(Memory),
    "_multipliers": listed(listed(instance(float))),
}
#: m support vectors of d features, p problems.
KERNEL_MACHINE: Mapping[str, Rule] = {
    "n_features_in_": count("d"),
    "_model": instance(KernelModel),
    "support_": array("i", "m", low=0),
    "support_vectors_": rows("m", "d"),
    "intercept_": array("f", "p"),
    "alphas_": array("f", "p", "m", low=0),
    "support_status_": array("i", "p", "m", low=0),
    "shape_fit_": listed(instance(int)),
    "certificate_": instance(Certificate),
    "fit_status_": instance(int),
}
#: k classes.
CLASSIFIER: Mapping[str, Rule] = {
    **KERNEL_MACHINE,
    "classes_": array("fiubUO", "k"),
    "class_weight_": array("f", "k", low=0),
    "n_support_": array("i", "k", low=0),
    "dual_coef_": array("f", "others", "m"),
    "n_iter_": array("i", "p", low=0),
}
SINGLE: Mapping[str, Rule] = {
    **KERNEL_MACHINE,
    "n_support_": array("i", 1, low=0),
    "dual_coef_": array("f", 1, "m"),
    "n_iter_": instance(int),
}
#: Functions that watch a fit are no part of the model.
UNWATCHED: Mapping[str, Any] = {"callback": None}


def _parts_agree(machine: Any) -> str | None:
    """Whether the pieces of a kernel machine belong together."""
    model, d = machine._model, machine.n_features_in_
    m, p = model.weights.shape
    if not np.array_equal(model.support, machine.support_):
        return "has other support vectors in its model than in support_"
    if len(machine.intercept_) != p or machine.support_vectors_.shape[0] != m:
        return f"has a model of {m} support vectors and {p} problems, and other attributes"
    if len(machine.certificate_.parts) != p:
        return f"has {len(machine.certificate_.parts)} certificates for {p} problems"
    if isinstance(model.kernel, Precomputed) and m and machine.support_.max() >= d:
        return f"has support vector {machine.support_.max()} of {d} rows"
    if hasattr(machine, "classes_"):
        k, pairs = len(machine.classes_), getattr(machine, "multi_class", "ovo") == "ovo"
        if k < 2 or p != (k * (k - 1) // 2 if pairs or k == 2 else k):
            return f"has {k} classes and {p} problems"
        if machine.n_support_.sum() != m or len(machine.dual_coef_) != (k - 1 if pairs else p):
            return f"counts its {m} support vectors differently"
        if len(set(machine.classes_.tolist())) != k:
            return "has a class twice"
    elif p != 1:
        return f"has {p} problems where there is one"
    return None


def _classifier(kind: type, optional: Mapping[str, Rule] | None = None) -> Fitted:
    extra = {"feature_names_in_": NAMES, **COURSE, **(optional or {})}
    return Fitted(kind, CLASSIFIER, extra, UNWATCHED, check=_parts_agree)


def _single(kind: type) -> Fitted:
    extra = {"feature_names_in_": NAMES, **COURSE}
    return Fitted(kind, SINGLE, extra, UNWATCHED, check=_parts_agree)


#: p problems of d features; what LIBLINEAR's text tells.
EXACT: Mapping[str, Rule] = {
    "n_features_in_": count("d"),
    "_model": instance(LinearModel),
    "_shape_fit": listed(instance(int)),
    "intercept_": array("f", "p"),
    "margin_": array("f", "p", finite=False, low=0),
    "certificate_": instance(Certificate),
    "n_iter_": instance(int),
}
#: m rows with a dual variable other than zero.
EXACT_COURSE: Mapping[str, Rule] = {
    "feature_names_in_": NAMES,
    "support_": array("i", "m", low=0),
    "dual_coef_": array("f", "p", "m"),
    "status_": instance(Status),
    # Of a source of chunks, how often it has been read as well.
    "history_": either(records(TRACE), records(np.dtype([*TRACE.descr, ("passes", np.float64)]))),
    "solver_": instance(str),
    "fit_report_": instance(dict),
    "_interruption": instance(str),
}


def _weights_agree(machine: Any) -> str | None:
    """Whether the pieces of an exact linear machine belong together."""
    model, (p, d) = machine._model, machine._model.coef.shape
    if not np.array_equal(np.atleast_2d(machine.coef_), model.coef):
        return "has other weights in its model than in coef_"
    if not np.array_equal(machine.intercept_, model.intercepts) or machine.n_features_in_ != d:
        return f"has a model of {d} features and {p} problems, and other attributes"
    if hasattr(machine, "support_") and not np.array_equal(model.support, machine.support_):
        return "has other support vectors in its model than in support_"
    if hasattr(machine, "dual_coef_") and not np.array_equal(model.weights, machine.dual_coef_):
        return "has other dual variables in its model than in dual_coef_"
    if len(machine.certificate_.parts) != p:
        return f"has {len(machine.certificate_.parts)} certificates for {p} problems"
    return _problems_agree(machine, p)


#: p outputs of d features: a model of stochastic steps, which can go on from where it is.
LINEAR_MACHINE: Mapping[str, Rule] = {
    "n_features_in_": count("d"),
    "_iterate": instance(Iterate),
    "coef_": array("f", "p", "d"),
    "intercept_": array("f", "p"),
    "n_iter_": instance(int),
}
STOCHASTIC: Mapping[str, Rule] = {
    **LINEAR_MACHINE,
    "certificate_": instance(RiskCertificate),
    "eta0_": NUMBER,
    "t_": instance(int),
}
STREAM_COURSE: Mapping[str, Rule] = {
    "feature_names_in_": NAMES,
    "status_": instance(Status),
    "history_": records(TRACE),
    "_interruption": instance(str),
}
#: m landmarks.
FEATURES: Mapping[str, Rule] = {"n_features_in_": count("d"), "_n_features_out": instance(int)}


def _outputs_agree(machine: Any) -> str | None:
    """Whether the pieces of a linear machine belong together."""
    if machine._iterate.weights.shape != machine.coef_.shape:
        return "goes on from weights of another shape than coef_"
    return _problems_agree(machine, machine.coef_.shape[0])


def _problems_agree(machine: Any, p: int) -> str | None:
    """Whether there is a problem for each class, or one for two classes and for regression."""
    if not hasattr(machine, "classes_"):
        return None if p == 1 else f"has {p} outputs where there is one"
    k = len(machine.classes_)
    if k < 2 or p != (1 if k == 2 else k):
        return f"has {k} classes and {p} outputs"
    return None if len(set(machine.classes_.tolist())) == k else "has a class twice"


ESTIMATORS = (
    Fitted(
        SGDSVC,
        {**STOCHASTIC, "classes_": array("fiubUO", "k")},
        STREAM_COURSE,
        UNWATCHED,
        check=_outputs_agree,
    ),
    Fitted(SGDSVR, STOCHASTIC, STREAM_COURSE, UNWATCHED, check=_outputs_agree),
    Fitted(
        Perceptron,
        {
            **LINEAR_MACHINE,
            "classes_": array("fiubUO", "k"),
            "status_": instance(Status),
            "mistakes_": array("i", ANY, "p", low=0),
            "n_mistakes_": array("i", "p", low=0),
            "mistake_bound_": array("f", "p", finite=False),
        },
        {"feature_names_in_": NAMES},
        UNWATCHED,
        check=_outputs_agree,
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
    _classifier(SVC),
    _classifier(
        HardMarginSVC,
        {"margin_": array("f", "p", finite=False), "_soft_C": listed(instance(float))},
    ),
    _classifier(NuSVC),
    _single(SVR),
    _single(NuSVR),
    _single(OneClassSVM),
    Fitted(
        LinearSVC,
        {**EXACT, "classes_": array("fiubUO", "k"), "coef_": array("f", "p", "d")},
        {**EXACT_COURSE, "class_weight_": array("f", "k", low=0)},
        UNWATCHED,
        check=_weights_agree,
    ),
    Fitted(
        LinearSVR,
        {**EXACT, "coef_": array("f", "d")},
        EXACT_COURSE,
        UNWATCHED,
        check=_weights_agree,
    ),
)

#: Rows and values of each problem, by what it is about.
_ARRAYS = listed(array("fi", ANY, finite=False))
RESULTS = (
    Value(
        Memory,
        {"keys": instance(tuple), "rows": _ARRAYS, "values": _ARRAYS, "exact": _ARRAYS},
    ),
    Choice(Status),
    Value(
        Iterate,
        {
            "weights": array("f", "p", "d"),
            "intercepts": array("f", "p"),
            "mean": array("f", "p", "d"),
            "mean_intercepts": array("f", "p"),
            "steps": instance(int),
            "eta0": NUMBER,
        },
    ),
    Value(RiskCertificate, {"parts": listed(instance(RiskBound)), "n_rows": instance(int)}),
    Value(RiskBound, dict.fromkeys(("primal", "dual", "standard_error"), NUMBER)),
    Value(Certificate, {"parts": listed(instance(CertificatePart))}),
    # Not a number where a model of another library came without a certificate.
    Value(CertificatePart, dict.fromkeys(("primal", "dual", "gap", "violation", "bound"), NUMBER)),
    Value(
        KernelModel,
        {
            "kernel": instance(Kernel),
            "support": array("i", "m", low=0),
            "weights": array("f", "m", "p"),
            "status": array("i", "m", "p", low=0),
            "intercepts": array("f", "p"),
        },
    ),
    Value(
        LinearModel,
        {
            "coef": array("f", "p", "d"),
            "intercepts": array("f", "p"),
            "support": array("i", "m", low=0),
            "weights": array("f", "p", "m"),
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

_TRANSFORMERS = {entry.type for entry in OTHERS} | {Nystroem, RandomFourier}
REGISTRY: Mapping[type, Stored] = {
    entry.type: entry for entry in chain(ESTIMATORS, KERNELS, RESULTS, OTHERS, [LINEAR_ONE_CLASS])
}
TYPES: Mapping[str, Stored] = {entry.name: entry for entry in REGISTRY.values()}
