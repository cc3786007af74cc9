"""Pipelines of others, converted by skl2onnx once the machines are registered."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.decomposition import PCA
from sklearn.ensemble import StackingClassifier
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from exported import data
from maxmargin import SVC, SVR, LinearSVC, Nystroem, OneClassSVM
from maxmargin.export import ExportError, register_skl2onnx

skl2onnx = pytest.importorskip("skl2onnx", reason="pip install skl2onnx onnxruntime")
ort = pytest.importorskip("onnxruntime", reason="pip install skl2onnx onnxruntime")

PROBABLE = SVC(calibration="sigmoid")
MODELS = {
    "pca": (make_pipeline(StandardScaler(), PCA(5), SVC()), "cancer"),
    "probabilities": (make_pipeline(StandardScaler(), SelectKBest(k=3), PROBABLE), "iris"),
    "calibrated": (CalibratedClassifierCV(LinearSVC(), cv=2), "cancer"),
    "stacked": (StackingClassifier([("a", PROBABLE), ("b", SVC(probability=True))], cv=2), "iris"),
    "features": (make_pipeline(PCA(8), Nystroem(n_components=10), LinearSVC()), "wine"),
    "regression": (make_pipeline(PCA(5), SVR(C=10)), "diabetes"),
    "one_class": (make_pipeline(PCA(5), OneClassSVM()), "digits"),
}


@pytest.mark.parametrize("name", MODELS)
def test_skl2onnx_converts_it(name):
    register_skl2onnx()
    model, source = MODELS[name]
    X, y = data(source)
    model.fit(X, y)
    options = {"zipmap": False} if hasattr(model, "predict_proba") else None
    graph = skl2onnx.to_onnx(model, X[:1], options=options)
    found = ort.InferenceSession(graph.SerializeToString()).run(None, {"X": X})
    wanted = model.predict(X)
    if name == "regression":
        np.testing.assert_allclose(found[0][:, 0], wanted, rtol=1e-10)
        return
    np.testing.assert_array_equal(found[0].ravel(), wanted)
    if options:
        np.testing.assert_allclose(found[1], model.predict_proba(X), atol=1e-10)


def test_dicts_of_probabilities_are_float32():
    register_skl2onnx()
    X, y = data("wine")
    rows = X.astype(np.float32)
    graph = skl2onnx.to_onnx(SVC(probability=True).fit(X, y), rows[:1])
    label, dicts = ort.InferenceSession(graph.SerializeToString()).run(None, {"X": rows})
    assert max(dicts[0], key=dicts[0].get) == label[0]


def test_an_old_opset():
    register_skl2onnx()
    X, y = data("iris")
    with pytest.raises(ExportError, match="target_opset=19"):
        skl2onnx.to_onnx(SVC().fit(X, y), X[:1], target_opset=15)
