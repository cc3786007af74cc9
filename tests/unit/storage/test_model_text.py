"""Models in LIBSVM's and LIBLINEAR's text that are not as they should be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from instances import blobs
from maxmargin import SVC, FileError, LinearSVC, LinearSVR, load, save
from maxmargin.storage import (
    read_liblinear_model,
    read_libsvm_model,
    write_liblinear_model,
    write_libsvm_model,
)

LIBSVM = """\
svm_type c_svc
kernel_type rbf
gamma 0.5
nr_class 2
total_sv 2
rho 0.25
label 1 -1
nr_sv 1 1
SV
0.5 1:1 3:2
-0.5 2:1
"""
LIBLINEAR = """\
solver_type L2R_L2LOSS_SVC_DUAL
nr_class 3
label 1 2 3
nr_feature 2
bias 1
w
1 2 3
4 5 6
7 8 9
"""


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model"


def test_the_examples_are_good(path):
    path.write_text(LIBSVM)
    model = read_libsvm_model(path)
    decision = 0.5 * np.exp(-0.5 * 5) - 0.5 * np.exp(-0.5) - 0.25
    np.testing.assert_allclose(model.decision_function(sparse.csr_array((1, 3))), decision)
    path.write_text(LIBLINEAR)
    np.testing.assert_array_equal(
        read_liblinear_model(path).decision_function([[1.0, 1.0]]), [[12.0, 15.0, 18.0]]
    )


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("svm_type c_svc", "", "does not begin with 'svm_type'"),
        ("kernel_type rbf", "", "has no kernel_type"),
        ("c_svc", "d_svc", "model:1: svm_type is 'd_svc'; it must be one of c_svc"),
        ("rbf", "sinc", "model:2: kernel_type is 'sinc'"),
        ("gamma 0.5", "gamma -1", "model:3: gamma is -1.0"),
        ("gamma 0.5", "gamma nan", "model:3: gamma has a value that is not finite"),
        ("gamma 0.5", "gamma a", "model:3: gamma has a value that is not a number"),
        ("gamma 0.5", "gamma 1\ngamma 2", "model:4: gamma occurs twice"),
        ("nr_class 2", "nr_class 99999999", "model:4: nr_class has a value outside"),
        ("nr_class 2", "nr_class 3", "rho has 1 values where 3 are needed"),
        ("total_sv 2", "total_sv 2000000000", "total_sv is 2000000000 but 2 support vectors"),
        ("total_sv 2", "total_sv x", "not a whole number"),
        ("label 1 -1", "label 1 1", "label has a value twice"),
        ("nr_sv 1 1", "nr_sv 1 2", "nr_sv does not add up"),
        ("SV\n", "", "it has no line 'SV'"),
        ("-0.5 2:1", "-0.5 2:x", "model:11: a value is missing"),
        ("-0.5 2:1", "x 2:1", "model:11: the line needs 1 coefficients"),
        ("-0.5 2:1", "inf 2:1", "a coefficient is not finite"),
        ("rbf", "precomputed", "each support vector must be 0:number"),
    ],
)
def test_faults_in_libsvm_models(old, new, message, path):
    assert old in LIBSVM
    path.write_text(LIBSVM.replace(old, new))
    with pytest.raises(FileError, match=message):
        read_libsvm_model(path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("L2R_L2LOSS_SVC_DUAL", "L3", "solver_type is 'L3'"),
        ("nr_class 3", "nr_class 1000000", "lack numbers for 1000000 classes"),
        ("nr_feature 2", "nr_feature 2000000", "2000001 lines of weights are needed but 3 follow"),
        ("bias 1", "bias 1 1", "bias has 2 values where 1 are needed"),
        ("label 1 2 3", "label 1 2 2", "label has a value twice"),
        ("4 5 6", "4 5", "model:8: 3 numbers are needed"),
        ("4 5 6", "4 5 6 7", "model:8: 3 numbers are needed"),
        ("4 5 6", "4 5 1e999", "not finite"),
        ("w\n", "", "it has no line 'w'"),
    ],
)
def test_faults_in_liblinear_models(old, new, message, path):
    assert old in LIBLINEAR
    path.write_text(LIBLINEAR.replace(old, new))
    with pytest.raises(FileError, match=message):
        read_liblinear_model(path)


@pytest.mark.parametrize(
    ("solver", "penalty", "loss"),
    [
        ("L2R_LR", "l2", "logistic"),
        ("L2R_L2LOSS_SVC_DUAL", "l2", "squared_hinge"),
        ("L2R_L1LOSS_SVC_DUAL", "l2", "hinge"),
        ("L1R_L2LOSS_SVC", "l1", "squared_hinge"),
        ("L1R_LR", "l1", "logistic"),
    ],
)
def test_the_problem_of_a_liblinear_model_comes_and_goes(solver, penalty, loss, path):
    text = LIBLINEAR.replace("L2R_L2LOSS_SVC_DUAL", solver)
    path.write_text(text)
    model = read_liblinear_model(path)
    assert isinstance(model, LinearSVC)
    assert (model.penalty, model.loss, model.intercept) == (penalty, loss, "penalized")
    assert not hasattr(model, "certificate_")
    # The text does not tell which rows the weights were made of.
    assert not hasattr(model, "support_")
    save(model, path.with_suffix(".maxmargin"))
    loaded = load(path.with_suffix(".maxmargin"))
    np.testing.assert_array_equal(loaded.decision_function([[1.0, 1.0]]), [[12.0, 15.0, 18.0]])
    write_liblinear_model(loaded, path)
    assert path.read_text().replace(".0", "").split() == text.split()


def test_all_classes_at_once_come_and_go(path):
    text = LIBLINEAR.replace("L2R_L2LOSS_SVC_DUAL", "MCSVM_CS")
    path.write_text(text)
    model = read_liblinear_model(path)
    assert (model.multi_class, model.intercept) == ("crammer_singer", "penalized")
    save(model, path.with_suffix(".maxmargin"))
    write_liblinear_model(load(path.with_suffix(".maxmargin")), path)
    assert path.read_text().replace(".0", "").split() == text.split()


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_regression_comes_and_goes(loss, path):
    X, y = blobs(40)
    model = LinearSVR(loss=loss).fit(X, y)
    write_liblinear_model(model, path)
    again = read_liblinear_model(path)
    assert again.loss == loss
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_what_liblinears_text_does_not_tell_cannot_be_certified(path):
    path.write_text(LIBLINEAR)
    with pytest.raises(AttributeError, match="does not tell how it was fitted"):
        read_liblinear_model(path).certify([[0.0, 1.0]] * 3, [1, 2, 3])


WORDS = st.sampled_from(
    [*LIBSVM.split(" "), *LIBLINEAR.split(), "\n", "0", "-1", "1e9", "999999999", "0:1", "nan"]
)


@given(st.data())
def test_any_change_is_read_or_refused(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "changed"
    for text, read in ((LIBSVM, read_libsvm_model), (LIBLINEAR, read_liblinear_model)):
        words = text.replace("\n", " \n ").split(" ")
        for _ in range(data.draw(st.integers(1, 4))):
            words[data.draw(st.integers(0, len(words) - 1))] = data.draw(WORDS)
        path.write_text(" ".join(words))
        try:
            model = read(path)
        except FileError:
            continue
        width = max(model.n_features_in_, 1)
        if width < 1000:
            rows = sparse.csr_array((1, model.n_features_in_)) if width > 1 else [[0.0]]
            assert model.predict(rows).shape == (1,)


def test_what_the_formats_have_no_form_for(path):
    X, y = blobs(40, classes=3)
    with pytest.raises(TypeError, match="LIBSVM has no form for Pipeline"):
        write_libsvm_model(make_pipeline(StandardScaler(), SVC()).fit(X, y), path)
    with pytest.raises(TypeError, match="are whole numbers"):
        write_libsvm_model(SVC().fit(X, y.astype(str)), path)
    with pytest.raises(TypeError, match="LIBSVM has no kernel Function"):
        write_libsvm_model(SVC(kernel=lambda A, B: A @ B.T).fit(X, y), path)
    with pytest.raises(TypeError, match="LIBLINEAR's models are linear"):
        write_liblinear_model(SVC().fit(X, y), path)
    with pytest.raises(TypeError, match="one for each pair of classes"):
        write_liblinear_model(SVC(kernel="linear").fit(X, y), path)
    assert not path.exists()
