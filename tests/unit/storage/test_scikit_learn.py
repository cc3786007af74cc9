"""Models that are more than one estimator: calibrated, searched, on components, of texts."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.feature_selection import SelectKBest
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import GridSearchCV, KFold, RandomizedSearchCV
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC, LinearSVC, load, save
from maxmargin.data.files import FileError
from maxmargin.storage import container
from maxmargin.storage.registry import REGISTRY
from maxmargin.storage.tree import Encoder

TEXTS = ["to be or not", "not to be", "that is the question", "the question is to be"] * 5
LABELS = [0, 0, 1, 1] * 5


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.maxmargin"


def again(model, path):
    save(model, path)
    return load(path)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "temperature"])
@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("ensemble", [True, False])
def test_calibrated_classifiers(method, classes, ensemble, path):
    X, y = load_iris(return_X_y=True)
    X, y = X[y < classes] + np.random.default_rng(0).normal(size=(50 * classes, 4)), y[y < classes]
    estimator = make_pipeline(StandardScaler(), SVC())
    model = CalibratedClassifierCV(
        estimator, method=method, cv=KFold(3, shuffle=True), ensemble=ensemble
    )
    try:
        model.fit(X, y)
    except ValueError as error:
        pytest.skip(f"this scikit-learn: {error}")
    found = again(model, path)
    np.testing.assert_array_equal(found.predict_proba(X), model.predict_proba(X))
    np.testing.assert_array_equal(found.predict(X), model.predict(X))


def test_a_calibrated_classifier_in_a_pipeline(path):
    X, y = load_iris(return_X_y=True)
    frozen = FrozenEstimator(LinearSVC().fit(X, y))
    model = make_pipeline(PCA(4), CalibratedClassifierCV(frozen)).fit(X, y)
    found = again(model, path)
    # Components are stored row by row, and BLAS adds up in another order.
    np.testing.assert_allclose(found.predict_proba(X), model.predict_proba(X), rtol=1e-12)


@pytest.mark.parametrize("search", [GridSearchCV, RandomizedSearchCV])
def test_the_best_model_of_a_search(search, path):
    X, y = load_iris(return_X_y=True)
    options = {"n_iter": 2, "random_state": 0} if search is RandomizedSearchCV else {}
    fitted = search(SVC(), {"C": [0.1, 1.0, 10.0]}, cv=3, **options).fit(X, y)
    found = again(fitted, path)
    assert type(found) is SVC
    assert fitted.best_params_["C"] == found.C
    np.testing.assert_array_equal(found.predict(X), fitted.predict(X))


def test_a_search_without_a_best_model(path):
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(SVC(), {"C": [1.0]}, refit=False).fit(X, y)
    with pytest.raises(TypeError, match=r"refit=False and has no best model"):
        save(search, path)


@pytest.mark.parametrize(
    "before",
    [
        lambda: PCA(2),
        lambda: PCA(2, whiten=True, random_state=0),
        lambda: make_union(PCA(2), StandardScaler(), "passthrough"),
        lambda: make_column_transformer((PCA(1), [0, 1]), ("passthrough", [2]), ("drop", [3])),
        lambda: TruncatedSVD(2),
    ],
    ids=["pca", "whitened", "union", "columns", "svd"],
)
def test_components(before, path):
    X, y = load_iris(return_X_y=True)
    model = make_pipeline(before(), SVC()).fit(X, y)
    found = again(model, path)
    np.testing.assert_array_equal(found.decision_function(X), model.decision_function(X))


@pytest.mark.parametrize(
    "before",
    [
        lambda: [TfidfVectorizer()],
        lambda: [TfidfVectorizer(use_idf=False, ngram_range=(1, 2), stop_words=["the"])],
        lambda: [CountVectorizer(dtype=np.float64, binary=True, stop_words="english")],
        lambda: [TfidfVectorizer(), TruncatedSVD(3)],
        lambda: [make_union(TfidfVectorizer(), TfidfVectorizer(analyzer="char", max_features=9))],
    ],
    ids=["tfidf", "pairs", "counts", "svd", "union"],
)
@pytest.mark.filterwarnings("ignore:Your stop_words may be inconsistent")
def test_texts(before, path):
    model = make_pipeline(*before(), LinearSVC()).fit(TEXTS, LABELS)
    found = again(model, path)
    new = [*TEXTS, "a question of being", "ünïcode"]
    np.testing.assert_array_equal(found.decision_function(new), model.decision_function(new))
    first = path.read_bytes()
    save(found, path)
    assert path.read_bytes() == first


def test_what_cannot_be_stored_has_a_remedy(path):
    model = make_pipeline(TfidfVectorizer(tokenizer=str.split, token_pattern=None), LinearSVC())
    with pytest.raises(TypeError, match="holds no code"):
        save(model.fit(TEXTS, LABELS), path)
    other = make_pipeline(SelectKBest(k=2), SVC())
    with pytest.raises(TypeError, match=r"SelectKBest.*model-file.md lists what can.*joblib.dump"):
        save(other.fit(*load_iris(return_X_y=True)), path)


def forge(model, change, path):
    """Write a model with its tree changed and a good checksum."""
    encoder = Encoder(REGISTRY)
    tree = encoder.encode(model, "model")
    change(tree["values"])
    header = {"scikit-learn": "1.9", "model": tree}
    with path.open("wb") as stream:
        container.write(stream, header, encoder.arrays)


def tfidf():
    return TfidfVectorizer().fit(TEXTS)


def calibrated():
    X, y = load_iris(return_X_y=True)
    return CalibratedClassifierCV(SVC(), cv=2).fit(X, y)


def isotonic():
    X, y = load_iris(return_X_y=True)
    return CalibratedClassifierCV(SVC(), cv=2, method="isotonic", ensemble=False).fit(X, y)


def one_of(values):
    return values["calibrated_classifiers_"][0]["values"]


FORGERIES = {
    "a word twice": (tfidf, lambda v: v["vocabulary_"]["items"][0].__setitem__(1, 1), "number its"),
    "a word that is a number": (
        tfidf,
        lambda v: v["vocabulary_"]["items"][0].__setitem__(0, 3),
        "dictionary of words",
    ),
    "fewer words than weights": (
        tfidf,
        lambda v: (
            v["vocabulary_"]["items"].sort(key=lambda item: item[1])
            or v["vocabulary_"]["items"].pop()
        ),
        "words and weights of",
    ),
    "code to cut words": (
        tfidf,
        lambda v: v.update(tokenizer={"type": "numpy", "name": "object_"}),
        "tokenizer of",
    ),
    "no calibrator": (
        calibrated,
        lambda v: one_of(v)["calibrators"].pop(),
        "3 classes and 2 calibrators",
    ),
    "an unknown method": (calibrated, lambda v: one_of(v).update(method="eval"), "no method"),
    "one more attribute": (
        calibrated,
        lambda v: one_of(v).update(predict_proba=1),
        "does not know",
    ),
    "nothing to calibrate": (
        calibrated,
        lambda v: one_of(v).update(estimator={"type": "sklearn.MaxAbsScaler", "values": {}}),
        "lacks",
    ),
    "thresholds in no order": (
        isotonic,
        lambda v: one_of(v)["calibrators"][0]["values"].update(
            X_thresholds_=one_of(v)["calibrators"][0]["values"]["y_thresholds_"]
        ),
        "do not ascend",
    ),
}


@pytest.mark.parametrize(("make", "change", "message"), FORGERIES.values(), ids=FORGERIES.keys())
def test_forgeries_are_refused(make, change, message, path):
    forge(make(), change, path)
    with pytest.raises(FileError, match=message):
        load(path)
