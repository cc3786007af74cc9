"""Models go to a file and come back as they were."""

import inspect as python_inspect
import io
import json

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.compose import ColumnTransformer, make_column_transformer
from sklearn.exceptions import InconsistentVersionWarning, NotFittedError
from sklearn.impute import SimpleImputer
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, OneHotEncoder, StandardScaler

import maxmargin
import maxmargin.kernels
from instances import blobs, laplacian
from maxmargin import (
    SVC,
    SVR,
    FileError,
    HardMarginSVC,
    LinearSVC,
    LinearSVR,
    NuSVC,
    NuSVR,
    OneClassSVM,
    load,
    save,
)
from maxmargin.data import Chunks
from maxmargin.kernels import RBF, Columns, Laplacian, Linear
from maxmargin.problems import Solutions
from maxmargin.storage import container, inspect
from maxmargin.storage.registry import REGISTRY, TYPES
from maxmargin.storage.tree import Decoder, Encoder

PUBLIC = [
    value
    for value in vars(maxmargin).values()
    if python_inspect.isclass(value) and issubclass(value, BaseEstimator)
]
KERNELS = [
    value
    for name in maxmargin.kernels.__all__
    if python_inspect.isclass(value := getattr(maxmargin.kernels, name))
    and issubclass(value, maxmargin.kernels.Kernel)
    and not python_inspect.isabstract(value)
    and value is not maxmargin.kernels.Function  # code
]


def example(kind):
    """An instance of a kernel; those that are made of others have no default."""
    rbf, linear = maxmargin.kernels.RBF(0.5), maxmargin.kernels.Linear()
    arguments = {
        "Sum": [(rbf, linear)],
        "Product": [(rbf, linear)],
        "Scaled": [rbf, 2.0],
        "Columns": [rbf, (0, 2)],
    }
    return kind(*arguments.get(kind.__name__, []))


def again(model, path):
    save(model, path)
    return load(path)


def assert_equal(a, b):
    """The same in every parameter and fitted attribute, down to the last bit."""
    if isinstance(a, Solutions):  # which a file has one by one
        a = tuple(a)
    assert type(a) is type(b)
    if isinstance(a, np.ndarray):
        assert a.dtype == b.dtype
        for name in a.dtype.names or [...]:  # of a table, column by column: some are not numbers
            np.testing.assert_array_equal(a[name], b[name])
    elif sparse.issparse(a):
        assert a.shape == b.shape
        for part in ("data", "indices", "indptr"):
            assert_equal(getattr(a, part), getattr(b, part))
    elif isinstance(a, list | tuple):
        assert len(a) == len(b)
        for x, y in zip(a, b, strict=True):
            assert_equal(x, y)
    elif hasattr(a, "__dict__") and not isinstance(a, type) and not hasattr(a, "__members__"):
        assert vars(a).keys() == vars(b).keys()
        for name in vars(a):
            x, y = vars(a)[name], vars(b)[name]
            assert_equal(x.item() if isinstance(x, np.generic) else x, y)
    else:
        assert a == b or (a != a and b != b)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.maxmargin"


@pytest.mark.parametrize("kind", PUBLIC, ids=lambda kind: kind.__name__)
def test_every_public_estimator_round_trips(kind, path):
    assert kind in REGISTRY, f"{kind.__name__} needs a line in storage/registry.py"
    X, y = blobs(60, spread=0.05)
    model = kind().fit(X, y)
    loaded = again(model, path)
    assert_equal(model, loaded)
    method = "predict" if hasattr(model, "predict") else "transform"
    np.testing.assert_array_equal(getattr(model, method)(X), getattr(loaded, method)(X))


@pytest.mark.parametrize("kind", KERNELS, ids=lambda kind: kind.__name__)
def test_every_kernel_round_trips(kind):
    assert kind in REGISTRY, f"{kind.__name__} needs a line in storage/registry.py"
    encoder = Encoder(REGISTRY)
    tree = json.loads(json.dumps(encoder.encode(example(kind), "kernel")))
    assert Decoder(TYPES, encoder.arrays).decode(tree) == example(kind)


MODELS = {
    "two classes": SVC(class_weight={0: 2.0, 1: 0.5}),
    "linear": SVC(kernel="linear", class_weight="balanced"),
    "poly": SVC(kernel="poly", degree=2, gamma=0.5, coef0=1.0),
    "sigmoid": SVC(kernel="sigmoid", gamma=0.01),
    "hard": HardMarginSVC(gamma=50.0),
    "one against all": SVC(multi_class="ovr", loss="squared_hinge"),
    "nu": NuSVC(nu=0.3),
    "regression": SVR(C=10.0),
    "nu regression": NuSVR(nu=0.3),
    "tree of kernels": SVC(kernel=2.0 * RBF(0.5) * Columns(Linear(), (0, 1)) + Laplacian(0.1)),
    "one class": OneClassSVM(nu=0.2),
    "linear machine": LinearSVC(loss="hinge", class_weight={0: 2.0, 1: 0.5}),
    "few weights": LinearSVC("l1", intercept="penalized"),
    "linear regression": LinearSVR(epsilon=0.1),
}


@pytest.mark.parametrize("model", MODELS.values(), ids=MODELS.keys())
def test_layouts_and_number_types(model, layout, dtype, path):
    X, y = blobs(60, dtype=dtype)
    X = layout(X)
    fitted = clone(model).fit(X, y)
    loaded = again(fitted, path)
    assert_equal(fitted, loaded)
    np.testing.assert_array_equal(fitted.predict(X), loaded.predict(X))
    assert loaded.certify(X, y) == fitted.certify(X, y)


@pytest.mark.parametrize(
    "names",
    [
        np.array(["ant", "bee", "cicada"]),
        np.array(["ant", "bee", "cicada"], object),
        np.array([-1.5, 0.0, 2.5]),
        np.array([3, 5, 7], np.uint8),
    ],
    ids=["text", "object", "float", "byte"],
)
def test_class_names_of_every_kind(names, path):
    X, y = blobs(60, classes=3)
    if names.dtype.kind == "f":
        names = names.astype(int)
    model = SVC().fit(X, names[y])
    assert_equal(model, again(model, path))


def test_booleans_as_classes(path):
    X, y = blobs(40)
    model = SVC().fit(X, y == 1)
    assert_equal(model, again(model, path))


def test_a_linear_machine_of_chunks(path):
    X, y = blobs(60, classes=3)
    model = LinearSVC().fit(Chunks.from_arrays(X, y, chunk_rows=20))
    assert "passes" in model.history_.dtype.names
    loaded = again(model, path)
    assert_equal(model, loaded)
    np.testing.assert_array_equal(model.predict(X), loaded.predict(X))


def test_a_precomputed_kernel(path):
    X, y = blobs(40)
    model = SVC(kernel="precomputed").fit(X @ X.T, y)
    loaded = again(model, path)
    assert_equal(model, loaded)
    np.testing.assert_array_equal(loaded.predict(X @ X.T), model.predict(X @ X.T))


def table(n=60):
    X, y = blobs(n)
    frame = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    frame["colour"] = np.array(["red", "green", "blue"])[np.arange(n) % 3]
    frame["size"] = pd.Series(["S", "L"] * (n // 2)).astype(object)
    frame.loc[3, "a"] = np.nan
    return frame, y


@pytest.mark.parametrize("scaler", [StandardScaler, MinMaxScaler, MaxAbsScaler])
@pytest.mark.parametrize("estimator", [SVC(), SVR(), OneClassSVM()], ids=str)
def test_pipelines_of_scaler_and_estimator(scaler, estimator, path):
    X, y = blobs(60)
    model = make_pipeline(scaler(), clone(estimator)).fit(X, y)
    loaded = again(model, path)
    np.testing.assert_array_equal(model.predict(X), loaded.predict(X))
    assert loaded.get_params().keys() == model.get_params().keys()


@pytest.mark.parametrize("sparse_threshold", [0.0, 1.0])
def test_pipelines_of_columns(sparse_threshold, path):
    frame, y = table()
    numbers = make_pipeline(SimpleImputer(strategy="median"), StandardScaler())
    texts = make_pipeline(
        SimpleImputer(strategy="most_frequent"), OneHotEncoder(handle_unknown="ignore")
    )
    model = Pipeline(
        [
            (
                "columns",
                ColumnTransformer(
                    [("numbers", numbers, ["a", "b"]), ("texts", texts, ["colour", "size"])],
                    remainder="passthrough",
                    sparse_threshold=sparse_threshold,
                ),
            ),
            ("machine", SVC()),
        ]
    ).fit(frame, y)
    loaded = again(model, path)
    np.testing.assert_array_equal(model.decision_function(frame), loaded.decision_function(frame))
    unknown = frame.assign(colour="violet")
    np.testing.assert_array_equal(model.predict(unknown), loaded.predict(unknown))
    np.testing.assert_array_equal(model.feature_names_in_, loaded.feature_names_in_)
    # Fitting again works as well: the parameters came along.
    assert loaded.fit(frame, y).score(frame, y) == model.score(frame, y)


def test_one_hot_encoding_that_drops_and_groups(path):
    frame, y = table()
    columns = make_column_transformer(
        (OneHotEncoder(drop="if_binary", max_categories=2), ["colour", "size"])
    )
    model = make_pipeline(columns, SVC()).fit(frame, y)
    np.testing.assert_array_equal(model.predict(frame), again(model, path).predict(frame))


def test_the_same_model_gives_the_same_bytes(path):
    X, y = blobs(60)
    model = make_pipeline(StandardScaler(), SVC()).fit(X, y)
    save(model, path)
    first = path.read_bytes()
    save(load(path), path)
    assert path.read_bytes() == first


def test_notes_and_header(path):
    X, y = blobs(40)
    save(SVC().fit(X, y), path, notes={"target": "übung", "rows": 40})
    header = inspect(path)
    assert header["notes"] == {"target": "übung", "rows": 40}
    assert header["maxmargin"] == maxmargin.__version__
    assert header["model"]["type"] == "SVC"


def test_callbacks_are_no_part_of_the_model(path):
    X, y = blobs(40)
    model = SVC(callback=lambda row: False).fit(X, y)
    assert again(model, path).callback is None
    assert model.callback is not None


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (SVC(kernel=laplacian), "SVC.kernel is a function .* holds no code"),
        (SVC(random_state=np.random.RandomState(0)), "SVC.random_state is of the type RandomState"),
    ],
    ids=["kernel", "random_state"],
)
def test_code_is_refused_by_name(model, message, path):
    X, y = blobs(40)
    with pytest.raises(TypeError, match=message):
        save(model.fit(X, y), path)
    assert not path.exists()


def test_what_cannot_be_stored(path):
    with pytest.raises(NotFittedError):
        save(SVC(), path)
    with pytest.raises(TypeError, match="_Own, which cannot be stored"):
        save(make_pipeline(StandardScaler(), _Own()).fit([[0.0]], [1]), path)
    assert not path.exists()


class _Own(BaseEstimator):
    def fit(self, X, y):
        self.fitted_ = True
        return self


def test_another_version_of_scikit_learn_warns_where_it_matters(path, monkeypatch):
    X, y = blobs(40)
    save(make_pipeline(StandardScaler(), SVC()).fit(X, y), path)
    monkeypatch.setattr("sklearn.__version__", "1.0.3")
    with pytest.warns(InconsistentVersionWarning):
        load(path)
    save(SVC().fit(X, y), path)
    load(path)


def test_a_later_format_is_told_apart_from_damage(path):
    save(SVC().fit([[0.0], [1.0]], [0, 1]), path)
    content = bytearray(path.read_bytes())
    content[8] = 3
    path.write_bytes(content)
    with pytest.raises(FileError, match=r"format version 3 .* later maxmargin"):
        load(path)


def test_empty_and_missing_files(path):
    with pytest.raises(FileNotFoundError):
        load(path)
    path.write_bytes(b"")
    with pytest.raises(FileError, match="not a model file"):
        load(path)
    path.write_bytes(container.MAGIC)
    with pytest.raises(FileError, match="cut off"):
        load(path)


def test_a_failed_save_leaves_the_old_model(path, monkeypatch):
    X, y = blobs(40)
    save(SVC(C=3.0).fit(X, y), path)

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError, match="No space left"):
        save(SVC(C=5.0).fit(X, y), path)
    assert load(path).C == 3.0
    assert len(list(path.parent.iterdir())) == 1


def rewritten(model, change):
    """A file whose checksum is right and whose header is not."""
    encoder = Encoder(REGISTRY)
    header = {"scikit-learn": "", "model": encoder.encode(model, "model")}
    change(header["model"]["values"], encoder.arrays)
    stream = io.BytesIO()
    container.write(stream, header, encoder.arrays)
    return stream.getvalue()


def model_of(values):
    return values["model_"]["values"]


def classes_of(values):
    return model_of(values)["classes"]["values"]


def names(*labels):
    return {"type": "objects", "shape": [len(labels)], "items": list(labels)}


def solution_of(values):
    return values["solutions_"]["items"][0]["values"]


def test_parameters_newer_than_a_file_have_their_defaults(path):
    model = maxmargin.SGDSVC(alpha=0.1, random_state=0).fit([[0.0], [1.0]], [0, 1])
    newer = ("learning_rate", "average", "early_stopping")
    path.write_bytes(rewritten(model, lambda v, _: [v.pop(name) for name in newer]))
    assert load(path).get_params() == model.get_params()


FORGERIES = {
    "missing attribute": (lambda v, _: v.pop("solutions_"), "lacks solutions_"),
    "unknown attribute": (lambda v, _: v.update(predict="x"), "has predict, which"),
    "parameter": (lambda v, _: v.update(C=-1.0), "C is -1.0"),
    "callable": (lambda v, _: v.update(callback="os.system"), "callback of SVC must be None"),
    "type": (lambda v, _: v.update(model_={"type": "os.system"}), "no type 'os.system'"),
    "own names": (lambda v, _: v.update(model_={"type": "_make_tuple"}), "no type"),
    "other object": (
        lambda v, _: v.update(model_=solution_of(v)["status"]),
        "where KernelModel is needed",
    ),
    "count": (lambda v, _: v.update(n_features_in_=10**9), "n_features_in_ = 10{9}"),
    "negative": (lambda v, _: v.update(n_features_in_=-1), "where a whole number is needed"),
    "array number": (
        lambda v, _: model_of(v).update(intercepts={"type": "array", "number": 10**6}),
        "no array",
    ),
    "not finite": (
        lambda v, a: a[model_of(v)["intercepts"]["number"]].fill(np.nan),
        "not finite",
    ),
    "status": (
        lambda v, _: solution_of(v)["status"]["values"].update(name="FINE"),
        "no member 'FINE'",
    ),
    "solutions": (lambda v, _: v.update(solutions_=2 * v["solutions_"]["items"]), "of 2 problems"),
    "degree": (lambda v, _: v.update(degree=2**40), "degree is"),
    "kernel": (
        lambda v, _: model_of(v)["kernel"]["values"].update(gamma="wide"),
        "gamma of RBF",
    ),
    "scheme": (lambda v, _: classes_of(v).update(scheme="all"), "where 'ovo' or 'ovr' is needed"),
    "one class": (lambda v, _: classes_of(v).update(names=names("a", "a")), "a class twice"),
    "classes": (
        lambda v, _: classes_of(v).update(names=names("a", "b", "c")),
        "3 classes and 1 outputs",
    ),
    "no classes": (lambda v, _: model_of(v).update(classes=None), "no classes"),
    "support vectors": (
        lambda v, a: a[model_of(v)["n_support"]["number"]].fill(7),
        "counts 14 support vectors but has 2",
    ),
}


@pytest.mark.parametrize(("change", "message"), FORGERIES.values(), ids=FORGERIES.keys())
def test_forgeries_with_a_good_checksum_are_refused(change, message, path):
    path.write_bytes(rewritten(SVC().fit([[0.0], [1.0]], [0, 1]), change))
    with pytest.raises(FileError, match=message):
        load(path)


LINEAR_FORGERIES = {
    "weights": (
        lambda v, _: model_of(v).update(coef=model_of(v)["intercepts"]),
        "has shape .* is needed",
    ),
    "support": (lambda v, a: a[model_of(v)["support"]["number"]].fill(-1), "below 0"),
    "certificate": (
        lambda v, _: solution_of(v)["certificate"]["values"].update(parts=[]),
        "certificates of 0 problems",
    ),
    "features": (lambda v, _: v.update(n_features_in_=2), "of 1 features"),
    "one class": (lambda v, _: classes_of(v).update(names=names("a", "a")), "a class twice"),
    "classes": (
        lambda v, _: classes_of(v).update(names=names("a", "b", "c")),
        "3 classes and 1 outputs",
    ),
}


@pytest.mark.parametrize(
    ("change", "message"), LINEAR_FORGERIES.values(), ids=LINEAR_FORGERIES.keys()
)
def test_forged_linear_machines_are_refused(change, message, path):
    path.write_bytes(rewritten(LinearSVC().fit([[0.0], [1.0]], [0, 1]), change))
    with pytest.raises(FileError, match=message):
        load(path)


def test_forged_compressed_rows_are_refused(path):
    model = SVC().fit(sparse.csr_array([[0.0, 1.0], [2.0, 3.0]]), [0, 1])

    def point_outside(values, arrays):
        arrays[model_of(values)["vectors"]["indices"]["number"]][0] = 7

    path.write_bytes(rewritten(model, point_outside))
    with pytest.raises(FileError, match=r"indices|index"):
        load(path)


def test_a_cache_folder_is_refused(path):
    model = make_pipeline(StandardScaler(), SVC()).fit([[0.0], [1.0]], [0, 1])
    path.write_bytes(rewritten(model, lambda v, _: v.update(memory="/tmp/cache")))
    with pytest.raises(FileError, match=r"memory of sklearn\.Pipeline must be None"):
        load(path)
    path.write_bytes(rewritten(model, lambda v, _: v.update(predict="x")))
    with pytest.raises(FileError, match="predict"):
        load(path)
