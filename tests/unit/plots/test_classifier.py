import numpy as np
import pandas as pd
import pytest
from sklearn import svm
from sklearn.compose import make_column_transformer
from sklearn.datasets import load_iris, make_moons
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC
from maxmargin.plots.classifier import Classifier


@pytest.fixture
def moons():
    return make_moons(80, noise=0.2, random_state=0)


def test_alphas_of_both_libraries_agree(moons):
    X, y = moons
    ours = Classifier(SVC().fit(X, y), X).alphas()
    theirs = Classifier(svm.SVC(tol=1e-8).fit(X, y), X).alphas()
    np.testing.assert_allclose(ours, theirs, atol=1e-5)


def test_a_pipeline_is_asked_about_its_last_step(moons):
    X, y = moons
    model = make_pipeline(StandardScaler(), SVC()).fit(X, y)
    classifier = Classifier(model, X)
    assert classifier.has_margin
    assert classifier.name == "support vector machine, RBF kernel, C = 1"
    assert (classifier.alphas() > 0).sum() == len(model[-1].support_)


def test_no_alphas_for_other_rows_than_the_training_ones(moons):
    X, y = moons
    assert Classifier(SVC().fit(X, y), X[::-1]).alphas() is None
    assert Classifier(SVC().fit(X, y), X[:5]).alphas() is None


@pytest.mark.parametrize(
    ("model", "scores", "margin"),
    [
        (SVC(), True, True),
        (svm.LinearSVC(), True, True),
        (LogisticRegression(), True, False),
        (KNeighborsClassifier(), False, False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_a_model_has(moons, model, scores, margin):
    classifier = Classifier(model.fit(*moons), moons[0])
    assert (classifier.has_scores, classifier.has_margin) == (scores, margin)
    values = classifier.scores(moons[0])
    predicted = (values >= 0) if scores else values
    np.testing.assert_array_equal(predicted, model.predict(moons[0]))


def test_data_frames_reach_a_model_that_chooses_columns_by_name():
    data = load_iris()
    X = pd.DataFrame(data.data, columns=list("abcd"))
    model = make_pipeline(make_column_transformer((StandardScaler(), ["d", "a"])), SVC())
    classifier = Classifier(model.fit(X, data.target), X)
    np.testing.assert_array_equal(classifier.scores(data.data), model.predict(X))


def test_data_frames_of_polars(moons):
    polars = pytest.importorskip("polars")
    X = polars.DataFrame(moons[0], schema=["u", "v"])
    model = SVC().fit(X, moons[1])
    classifier = Classifier(model, X)
    np.testing.assert_array_equal(classifier.scores(moons[0]), model.decision_function(X))
    assert (classifier.alphas() > 0).sum() == len(model.support_)


def test_unknown_labels_are_refused(moons):
    classifier = Classifier(SVC().fit(*moons), moons[0])
    with pytest.raises(ValueError, match="label 2, which the estimator was not fitted to"):
        classifier.codes([0, 2])


def test_precomputed_kernels_are_refused(moons):
    X, y = moons
    with pytest.raises(ValueError, match="kernel='precomputed'"):
        Classifier(SVC(kernel="precomputed").fit(X @ X.T, y), X @ X.T)
