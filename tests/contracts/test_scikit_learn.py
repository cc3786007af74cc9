"""scikit-learn's contract: its own checks without excuses, and the company an estimator keeps."""

import pickle

import numpy as np
import pytest
import sklearn
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from instances import KERNELS, blobs
from maxmargin import SVC, SVR, HardMarginSVC, InfeasibleError, NuSVC, NuSVR, OneClassSVM

kernels = pytest.mark.parametrize("kernel", KERNELS.values(), ids=KERNELS.keys())


def expected_failures(estimator):
    """Return the checks whose data have no such model, each with its reason."""
    if isinstance(estimator, HardMarginSVC):
        # Rows of zeros with both labels, as in scikit-learn's random sparse data.
        names = (f"check_estimator_sparse_{name}" for name in ("tag", "array", "matrix"))
        return dict.fromkeys(names, "the data cannot be separated")
    found = {}
    if isinstance(estimator, NuSVC) and estimator.kernel == "rbf":
        # A class of 1e-7 of the weight: it is all margin errors, and still keeps its surroundings.
        found["check_class_weight_classifiers"] = "80 % of the rows change sides, not 87 %"
    if isinstance(estimator, NuSVC) and estimator.nu == 0.5:
        # As in scikit-learn: the smaller class has less than a quarter of the weight.
        names = (f"check_sample_weight_equivalence_on_{name}_data" for name in ("dense", "sparse"))
        found.update(dict.fromkeys(names, "the specified nu is infeasible"))
    return found


@parametrize_with_checks(
    [
        SVC(),
        SVC(kernel="linear"),
        SVC(kernel="precomputed"),
        SVC(class_weight="balanced", break_ties=True, on_interrupt="keep", n_jobs=2),
        SVC(loss="squared_hinge"),
        SVC(multi_class="ovr", warm_start=True),
        SVC(probability=True),
        NuSVC(),
        NuSVC(nu=0.2),
        NuSVC(kernel="linear"),
        NuSVC(kernel="linear", nu=0.1),
        NuSVC(kernel="sigmoid", nu=0.35),
        HardMarginSVC(),
        SVR(),
        SVR(kernel="precomputed"),
        NuSVR(),
        OneClassSVM(),
    ],
    expected_failed_checks=expected_failures,
)
# What NuSVC says where nu is too small, or where class weights make it too large.
@pytest.mark.filterwarnings("ignore:nu=.* is (too small|more than class_weight)")
# A hard margin of 4e-6 in one check's data, where the bound of a violation's own error is tol.
@pytest.mark.filterwarnings("ignore:The fit ended early. steps in float64")
def test_estimator_checks(estimator, check):
    check(estimator)


def test_is_a_classifier():
    assert is_classifier(SVC())


@kernels
def test_clone(kernel):
    X, y = blobs(50)
    model = SVC(C=3.0, **kernel).fit(X, y)
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert not hasattr(copy, "support_")
    np.testing.assert_array_equal(copy.fit(X, y).dual_coef_, model.dual_coef_)


@kernels
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(kernel, protocol, layout):
    X, y = blobs(50, 4, 3)
    model = SVC(**kernel).fit(layout(X), y)
    copy = pickle.loads(pickle.dumps(model, protocol))
    np.testing.assert_array_equal(copy.decision_function(X), model.decision_function(X))
    assert copy.certificate_ == model.certificate_
    assert copy.status_ is model.status_
    np.testing.assert_array_equal(copy.history_, model.history_)


def test_pickle_of_another_format():
    X, y = blobs(30)
    model = SVC().fit(X, y)
    state = model.__getstate__()
    assert state["_pickle_format"] >= 1
    with pytest.raises(ValueError, match="format 999"):
        SVC().__setstate__({**state, "_pickle_format": 999})


def test_pickle_of_errors():
    with pytest.raises(InfeasibleError) as caught:
        HardMarginSVC(kernel="linear").fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    copy = pickle.loads(pickle.dumps(caught.value))
    assert str(copy) == str(caught.value)
    np.testing.assert_array_equal(
        copy.evidence.positive_weights, caught.value.evidence.positive_weights
    )


def test_pipeline():
    X, y = blobs(80, 4, 3)
    pipeline = make_pipeline(StandardScaler(), SVC()).fit(X, y)
    alone = SVC().fit(StandardScaler().fit_transform(X), y)
    np.testing.assert_array_equal(pipeline[-1].dual_coef_, alone.dual_coef_)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_grid_search(n_jobs):
    X, y = blobs(120, 4, 3)
    grid = {"C": [0.1, 1.0, 10.0], "gamma": [0.05, 0.5], "kernel": ["rbf"]}
    search = GridSearchCV(SVC(), grid, n_jobs=n_jobs, cv=3, error_score="raise").fit(X, y)
    theirs = GridSearchCV(sklearn.svm.SVC(tol=1e-6), grid, cv=3).fit(X, y)
    np.testing.assert_allclose(
        search.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], atol=0.02
    )


def test_precomputed_in_cross_validation():
    # The pairwise tag makes scikit-learn cut rows and columns.
    X, y = blobs(80)
    K = X @ X.T
    given = cross_val_score(SVC(kernel="precomputed"), K, y, cv=4)
    np.testing.assert_array_equal(given, cross_val_score(SVC(kernel="linear"), X, y, cv=4))


def test_precomputed_needs_only_the_support_vectors_columns():
    X, y = blobs(80, 3, 3)
    K = X @ X.T
    model = SVC(kernel="precomputed").fit(K, y)
    np.testing.assert_allclose(
        model.decision_function(K[:, model.support_]), model.decision_function(K), atol=1e-12
    )


def test_calibration():
    X, y = blobs(120, 4, 3)
    probabilities = CalibratedClassifierCV(SVC(), cv=3).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)


def test_meta_estimators():
    X, y = blobs(90, 4, 3)
    assert OneVsRestClassifier(SVC()).fit(X, y).score(X, y) > 0.5


def test_metadata_routing():
    X, y = blobs(60)
    weight = np.linspace(0.1, 2.0, len(y))
    with sklearn.config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        pipeline = make_pipeline(scaler, SVC().set_fit_request(sample_weight=True))
        routed = pipeline.fit(X, y, sample_weight=weight)[-1]
    scaled = StandardScaler().fit_transform(X)
    direct = SVC().fit(scaled, y, sample_weight=weight)
    np.testing.assert_array_equal(routed.dual_coef_, direct.dual_coef_)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames(library):
    frames = pytest.importorskip(library)
    X, y = blobs(60, 3, 3)
    names = ["width", "height", "depth"]
    frame = frames.DataFrame(dict(zip(names, X.T, strict=True)))
    labels = frames.Series(np.array(["a", "b", "c"])[y])
    model = SVC().fit(frame, labels)
    assert model.feature_names_in_.tolist() == names
    np.testing.assert_array_equal(model.predict(frame), SVC().fit(X, np.array(labels)).predict(X))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[names[::-1]])


def test_strings_through_a_callable_kernel():
    def shared(A, B):
        return np.array([[len(set(a) & set(b)) for b in B] for a in A], float)

    words = ["abc", "abd", "acd", "xyz", "xyw", "yzw"]
    model = SVC(kernel=shared, C=10.0).fit(words, [0, 0, 0, 1, 1, 1])
    assert model.predict(["bcd", "xzw"]).tolist() == [0, 1]
    assert set(model.support_vectors_) <= set(words)


def test_parameters_are_stored_as_given():
    weight = {0: 2, 1: 1}
    model = SVC(class_weight=weight, C=2)
    assert model.class_weight is weight
    X, y = blobs(30)
    model.fit(X, y)
    assert model.class_weight is weight
    assert type(model.C) is int


def test_representation():
    assert repr(SVC(C=2.0)) == "SVC(C=2.0)"
    assert "SVC" in SVC()._repr_html_()
