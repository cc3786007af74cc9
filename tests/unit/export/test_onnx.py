"""Graphs of ONNX say what the models say."""

import sys

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn.compose import ColumnTransformer, make_column_selector
from sklearn.decomposition import PCA
from sklearn.exceptions import NotFittedError
from sklearn.feature_selection import SelectKBest
from sklearn.impute import SimpleImputer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import (
    MaxAbsScaler,
    MinMaxScaler,
    OneHotEncoder,
    RobustScaler,
    StandardScaler,
)

from exported import NAMES, assert_same, data, fitted
from maxmargin import SVC, SVR, LinearSVC, Nystroem, OneClassSVM, RandomFourier
from maxmargin.export import ExportError, to_onnx
from maxmargin.models import Classes
from maxmargin.storage import read_libsvm_model, write_libsvm_model

onnx = pytest.importorskip("onnx", reason="pip install onnx onnxruntime")
ort = pytest.importorskip("onnxruntime", reason="pip install onnx onnxruntime")

PRECISIONS = ["float64", "float32"]


def session(path):
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    return ort.InferenceSession(path, options)


def run(path, feed):
    loaded = session(path)
    names = [output.name for output in loaded.get_outputs()]
    return dict(zip(names, loaded.run(None, feed), strict=True))


def exported(model, path, rows, dtype):
    to_onnx(model, path, dtype=dtype)
    return run(path, {"X": rows})


@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("name", NAMES)
def test_a_graph_says_what_the_model_says(name, dtype, tmp_path):
    model, X = fitted(name)
    rows = np.ascontiguousarray(X.astype(dtype))
    path = tmp_path / "model.onnx"
    found = exported(model, path, rows, dtype)
    if name == "venn_abers" and dtype == "float32":
        # Its probabilities are steps: that of a row next to one may be on the other side.
        same = np.isclose(found["probabilities"], model.predict_proba(rows), atol=1e-5)
        assert same.mean() > 0.99
        found["probabilities"] = model.predict_proba(rows)
    assert_same(found, model, rows, dtype)
    alone = run(path, {"X": rows[7:8]})
    for key, values in alone.items():
        assert len(values) == 1
        if key == "label":
            assert values[0] == found[key][7]


@pytest.mark.parametrize("name", ["linear", "inner_products", "linear_svc", "perceptron"])
def test_a_linear_model_is_a_linear_operator(name, tmp_path):
    model, X = fitted(name)
    report = to_onnx(model, tmp_path / "model.onnx")
    assert report.n_vectors == 0
    graph = onnx.load(tmp_path / "model.onnx").graph
    [weights] = [
        node for node in graph.node if node.op_type == "Gemm" and "_rows" not in node.name
    ][:1]
    sizes = {constant.name: list(constant.dims) for constant in graph.initializer}
    assert sizes[weights.input[1]][0] == X.shape[1]
    assert report.table_bytes < 8 * 12 * (X.shape[1] + 200)


def test_memory_is_rows_by_vectors_not_by_columns_too(tmp_path):
    """Rows x vectors x columns would be 1.3 GB here."""
    rng = np.random.default_rng(0)
    X, y = rng.uniform(size=(400, 500)), np.arange(400) % 2
    model = SVC(kernel="laplacian", gamma=0.01, C=1e3).fit(X, y)
    rows = np.tile(X, (4, 1)).astype(np.float32)
    to_onnx(model, tmp_path / "model.onnx")
    resource = pytest.importorskip("resource")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    run(tmp_path / "model.onnx", {"X": rows})
    unit = 1 if sys.platform == "darwin" else 1024
    assert unit * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) < 3e8


# ---- Ties and zeros -------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("precedence", [None, [2, 0, 3, 1]])
@pytest.mark.parametrize("break_ties", [False, True])
def test_ties_and_zeros_are_decided_as_the_classes_say(dtype, precedence, break_ties):
    from maxmargin.export.onnx.classes import winners
    from maxmargin.export.onnx.graph import Graph

    grid = np.stack(np.meshgrid(*[[-1.0, 0.0, 1.0]] * 6), axis=-1).reshape(-1, 6)
    order = None if precedence is None else np.array(precedence)
    classes = Classes(np.arange(4), precedence=order)
    codes = _evaluate(
        Graph(dtype), lambda g: winners(g, classes, "X", break_ties=break_ties), grid.astype(dtype)
    )
    np.testing.assert_array_equal(codes, classes.codes(grid, break_ties=break_ties))


@pytest.mark.parametrize("zero", [0, 1])
def test_an_output_of_zero(zero):
    from maxmargin.export.onnx.classes import winners
    from maxmargin.export.onnx.graph import Graph

    outputs = np.array([[-1.0], [-0.0], [0.0], [1e-300], [2.0]])
    classes = Classes(np.arange(2), zero=zero)
    codes = _evaluate(
        Graph(np.float64), lambda g: winners(g, classes, "X", break_ties=False), outputs
    )
    np.testing.assert_array_equal(codes, classes.codes(outputs))


def test_predicted_classes_have_the_largest_probability():
    from maxmargin.export.onnx.graph import Graph
    from maxmargin.export.onnx.probabilities import towards
    from maxmargin.models.calibration import towards as model_towards

    rng = np.random.default_rng(0)
    given = rng.dirichlet(np.ones(5) / 2, 300)
    given[:20] = 0.2
    codes = rng.integers(0, 5, 300)

    def nodes(g):
        return towards(g, "X", g.constant(codes), 5, float(np.finfo(np.float64).eps))

    found = _evaluate(Graph(np.float64), nodes, given)
    np.testing.assert_allclose(found, model_towards(given, codes), atol=1e-15)
    np.testing.assert_array_equal(found.argmax(axis=1), codes)


def _evaluate(g, nodes, X):
    """Run nodes that take X."""
    from onnx import helper

    from maxmargin.export.onnx.graph import IR_VERSION, OPSET

    result = nodes(g)
    infos = [helper.make_tensor_value_info("X", g.element, [None, X.shape[1]])]
    outputs = [helper.make_empty_tensor_value_info(result)]
    graph = helper.make_graph(g.nodes, "test", infos, outputs, g.constants)
    made = helper.make_model(
        graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=IR_VERSION
    )
    inferred = onnx.shape_inference.infer_shapes(made)
    return ort.InferenceSession(inferred.SerializeToString()).run(None, {"X": X})[0]


def test_a_model_of_libsvm_decides_ties_in_its_order(tmp_path):
    X, y = data("iris")
    write_libsvm_model(SVC().fit(X[::-1], 3 - y[::-1]), tmp_path / "text")
    model = read_libsvm_model(tmp_path / "text")
    found = exported(model, tmp_path / "model.onnx", X, "float64")
    np.testing.assert_array_equal(found["label"], model.predict(csr_array(X)))


def test_rows_on_the_boundary_of_one_class_are_inside(tmp_path):
    X = np.random.default_rng(0).integers(0, 9, (200, 3)).astype(np.float32)
    model = OneClassSVM(nu=0.3, gamma=0.05).fit(X)
    assert (model.decision_function(X) == 0).any()
    for dtype in PRECISIONS:
        found = exported(model, tmp_path / "model.onnx", X.astype(dtype), dtype)
        np.testing.assert_array_equal(found["label"], model.predict(X))


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        ([3, 7], np.int64),
        ([1.0, 2.0], np.float64),
        ([False, True], np.bool_),
        (["no", "yes"], np.object_),
    ],
)
def test_labels_keep_their_type(names, kind, tmp_path):
    y = np.array(names)[[0, 0, 1, 1]]
    model = LinearSVC().fit([[0.0], [1.0], [2.0], [3.0]], y)
    found = exported(model, tmp_path / "m.onnx", np.array([[0.0], [3.0]], np.float32), "float32")
    assert found["label"].dtype == kind
    assert found["label"].tolist() == names


# ---- Pipelines ------------------------------------------------------------------------------


def people(n=120):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 10, n),
            "income": rng.lognormal(8, 1, n),
            "city": pd.Series(
                rng.choice(["Rom", "Oslo", "Köln"], n, p=[0.6, 0.3, 0.1]), dtype=object
            ),
            "label": pd.Series(rng.choice(["a", "b"], n), dtype=object),
            "rooms": rng.integers(0, 4, n).astype(float),
        }
    )
    y = np.where(frame.age / 40 + (frame.city == "Rom") + rng.normal(size=n) / 5 > 1.5, "yes", "no")
    frame.loc[::7, "age"] = np.nan
    frame["city"] = pd.Series(
        [None if i % 11 == 0 else city for i, city in enumerate(frame.city)], dtype=object
    )
    return frame, y


NUMBERS = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
TEXTS = make_pipeline(
    SimpleImputer(strategy="most_frequent", missing_values=None),
    OneHotEncoder(handle_unknown="ignore"),
)
RARE = make_pipeline(
    SimpleImputer(strategy="constant", fill_value="?", missing_values=None),
    OneHotEncoder(min_frequency=0.2, handle_unknown="infrequent_if_exist"),
)
TABLES = {
    "texts": ColumnTransformer(
        [("n", NUMBERS, ["age", "income"]), ("t", TEXTS, ["city", "label"])]
    ),
    "rest": ColumnTransformer(
        [
            ("t", TEXTS, ["city"]),
            ("o", OneHotEncoder(drop="first"), ["label"]),
            ("n", NUMBERS, ["age"]),
        ],
        remainder="passthrough",
        transformer_weights={"n": 2.0},
    ),
    "rare": ColumnTransformer(
        [("t", RARE, ["city", "label"]), ("n", NUMBERS, slice("age", "income"))]
    ),
    "chosen": ColumnTransformer(
        [
            ("n", NUMBERS, make_column_selector(dtype_include="number")),
            ("t", TEXTS, make_column_selector(dtype_exclude="number")),
        ]
    ),
    "dropped": ColumnTransformer([("n", MaxAbsScaler(), ["income"]), ("t", TEXTS, ["city"])]),
}


@pytest.mark.parametrize("dtype", PRECISIONS)
@pytest.mark.parametrize("name", TABLES)
def test_tables_of_numbers_and_texts(name, dtype, tmp_path):
    frame, y = people()
    model = Pipeline([("columns", TABLES[name]), ("svm", SVC(C=3))]).fit(frame, y)
    frame = frame.astype(dict.fromkeys(("age", "income", "rooms"), dtype))
    if name != "rest":  # one that would raise
        frame.loc[3, "label"] = "never seen"
    path = tmp_path / "model.onnx"
    to_onnx(model, path, dtype=dtype)
    inputs = session(path).get_inputs()
    feed = {
        info.name: frame[info.name].fillna("").to_numpy(object)[:, None]
        if info.type == "tensor(string)"
        else frame[info.name].to_numpy(dtype)[:, None]
        for info in inputs
    }
    assert len(feed) == (2 if name == "dropped" else 4 if name == "texts" else len(inputs))
    found = run(path, feed)
    frame = frame.astype(dict.fromkeys(("age", "income", "rooms"), "float64"))
    called = "predicted_label" if "label" in feed else "label"
    np.testing.assert_array_equal(found[called], model.predict(frame))
    scale = np.abs(model.decision_function(frame)).max()
    error = np.abs(found["decision"] - model.decision_function(frame)).max()
    assert error < {"float64": 1e-12, "float32": 1e-5}[dtype] * scale


@pytest.mark.parametrize(
    "steps",
    [
        [RobustScaler(), MinMaxScaler((-1, 2))],
        [SimpleImputer(missing_values=-1.0, strategy="mean"), make_pipeline(StandardScaler())],
        [StandardScaler(with_mean=False), Nystroem(n_components=20)],
        [
            StandardScaler(with_std=False),
            RandomFourier(n_components=20, random_state=0, gamma=0.01),
        ],
        [ColumnTransformer([("o", OneHotEncoder(), [-1]), ("p", "passthrough", slice(0, 5))])],
        ["passthrough", ColumnTransformer([("m", RobustScaler(), np.arange(30) < 4)])],
    ],
)
@pytest.mark.parametrize("dtype", PRECISIONS)
def test_steps_of_numbers(steps, dtype, tmp_path):
    X, y = data("cancer")
    X = X.copy()
    X[:, -1] = np.arange(len(X)) % 3
    X[::9, 3] = -1.0
    rows = X.astype(dtype)
    model = make_pipeline(*steps, LinearSVC()).fit(rows.astype(np.float64), y)
    assert_same(exported(model, tmp_path / "m.onnx", rows, dtype), model, rows, dtype)


def test_a_mean_that_float32_would_round(tmp_path):
    """Years: what float32 rounds off their mean is as much as the differences count."""
    rng = np.random.default_rng(0)
    X = (1e6 + rng.integers(0, 20, (200, 3))).astype(np.float32)
    model = make_pipeline(StandardScaler(), SVC()).fit(X.astype(float), X[:, 0] > 1e6 + 9.3)
    assert_same(exported(model, tmp_path / "m.onnx", X, "float32"), model, X, "float32")


def test_a_search_is_its_best_model(tmp_path):
    X, y = data("iris")
    search = GridSearchCV(SVC(), {"C": [0.1, 10]}).fit(X, y)
    assert_same(
        exported(search, tmp_path / "m.onnx", X, "float64"), search.best_estimator_, X, "float64"
    )


def test_precomputed_kernels_take_kernel_values(tmp_path):
    X, y = data("iris")
    K = X @ X.T
    model = SVC(kernel="precomputed").fit(K, y)
    assert_same(exported(model, tmp_path / "m.onnx", K, "float64"), model, K, "float64")


def test_sparse_support_vectors(tmp_path):
    X, y = data("digits")
    model = SVC().fit(csr_array(X), y)
    found = exported(model, tmp_path / "m.onnx", X, "float64")
    np.testing.assert_array_equal(found["label"], model.predict(csr_array(X)))


def test_copies_of_support_vectors_are_merged(tmp_path):
    X, y = data("iris")
    model = SVC(tol=1e-9).fit(np.vstack([X, X]), np.hstack([y, y]))
    report = to_onnx(model, tmp_path / "m.onnx", dtype="float64")
    assert report.n_vectors + report.n_merged == len(model.support_)
    assert report.n_merged > report.n_vectors / 2
    assert_same(run(tmp_path / "m.onnx", {"X": X}), model, X, "float64")


# ---- What cannot be exported ----------------------------------------------------------------


def dot(X, Z):
    return X @ Z.T


@pytest.mark.parametrize(
    ("model", "error", "words"),
    [
        (SVC(), NotFittedError, "not fitted"),
        (make_pipeline(StandardScaler(), SVC()), NotFittedError, "not fitted"),
        (SVC, TypeError, "the class SVC"),
        (3, TypeError, "type int"),
        (GridSearchCV(SVC(), {"C": [1]}), NotFittedError, "not fitted"),
    ],
)
def test_what_is_not_fitted(model, error, words, tmp_path):
    with pytest.raises(error, match=words):
        to_onnx(model, tmp_path / "m.onnx")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (SVC(kernel=dot), "kernel dot is a function written in Python.*maxmargin.kernels"),
        (make_pipeline(PCA(2), SVC()), "step 'pca' is a PCA.*register_skl2onnx"),
        (make_pipeline(StandardScaler(), SelectKBest(k=2), SVC()), "step 'selectkbest'"),
        (make_pipeline(StandardScaler(), PCA(2)), "PCA is no machine of maxmargin"),
        (SVC(break_ties=True, decision_function_shape="ovo"), "break_ties"),
        (GridSearchCV(SVC(), {"C": [1]}, refit=False), "refit=False"),
    ],
)
def test_errors_name_the_part_and_nothing_is_written(model, words, tmp_path):
    model.fit(*data("iris"))
    with pytest.raises(ExportError, match=words):
        to_onnx(model, tmp_path / "m.onnx")
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written(tmp_path):
    model, _ = fitted("rbf")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        to_onnx(model, tmp_path / "nowhere" / "m.onnx")
    with pytest.raises(IsADirectoryError):
        to_onnx(model, tmp_path)
    with pytest.raises(ValueError, match='dtype is \'half\'; it must be "float32" or "float64"'):
        to_onnx(model, tmp_path / "m.onnx", dtype="half")
    assert list(tmp_path.iterdir()) == []


def test_an_old_file_survives_a_failure(tmp_path, monkeypatch):
    path = tmp_path / "m.onnx"
    path.write_bytes(b"old")
    monkeypatch.setattr("os.fsync", _no_space)
    with pytest.raises(OSError, match="No space"):
        to_onnx(SVR().fit([[0.0], [1.0]], [0.0, 1.0]), path)
    assert [place.name for place in tmp_path.iterdir()] == ["m.onnx"]
    assert path.read_bytes() == b"old"


def _no_space(handle):
    raise OSError(28, "No space left on device")


def test_without_the_package(monkeypatch, tmp_path):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"pip install 'maxmargin\[onnx\]'"):
        to_onnx(SVC(), tmp_path / "m.onnx")
