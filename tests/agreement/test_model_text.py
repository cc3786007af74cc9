"""LIBSVM and LIBLINEAR read our models and we read theirs, to the same predictions."""

import os

import numpy as np
import pytest
from scipy import sparse
from sklearn.svm import LinearSVC, LinearSVR

from instances import blobs
from maxmargin import SVC, SVR, HardMarginSVC, NuSVC, NuSVR, OneClassSVM, load, save
from maxmargin import LinearSVC as OurLinearSVC
from maxmargin.storage import (
    read_liblinear_model,
    read_libsvm_model,
    write_liblinear_model,
    write_libsvm_model,
)

os.environ.setdefault("OMP_NUM_THREADS", "1")  # LIBSVM's threads wait by spinning
svm = pytest.importorskip("libsvm.svm")
svmutil = pytest.importorskip("libsvm.svmutil")
linearutil = pytest.importorskip("liblinear.liblinearutil")


def theirs(path, X, y=None):
    """LIBSVM's predictions and decision values with a model in a file."""
    model = svmutil.svm_load_model(str(path))
    labels, _, values = svmutil.svm_predict([] if y is None else y, X, model, "-q")
    return np.array(labels), np.array(values)


KERNELS = {
    "linear": ({"kernel": "linear"}, "-t 0"),
    "poly": ({"kernel": "poly", "degree": 2, "gamma": 0.5, "coef0": 1.0}, "-t 1 -d 2 -g 0.5 -r 1"),
    "rbf": ({"kernel": "rbf", "gamma": 0.3}, "-t 2 -g 0.3"),
    "sigmoid": ({"kernel": "sigmoid", "gamma": 0.02, "coef0": 0.1}, "-t 3 -g 0.02 -r 0.1"),
}
LABELS = {"two": [-1, 1], "reversed": [1, -1], "three": [5, -2, 3], "four": [3, 1, 2, 0]}


def data(labels):
    """Rows whose first labels come in the given order, as LIBSVM's own order does."""
    X, y = blobs(80, d=3, classes=len(labels))
    order = np.argsort(y[: len(labels)])
    X[: len(labels)], y[: len(labels)] = X[order], y[order]
    for k in range(len(labels)):
        y[k] = k
    return X, np.array(labels)[y]


@pytest.mark.parametrize(("ours", "options"), KERNELS.values(), ids=KERNELS.keys())
@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS.keys())
def test_classifiers_of_libsvm(labels, ours, options, tmp_path):
    X, y = data(labels)
    path = tmp_path / "model"
    model = SVC(C=2.0, **ours).fit(X, y)
    write_libsvm_model(model, path)
    np.testing.assert_array_equal(theirs(path, X)[0], model.predict(X))
    again = read_libsvm_model(path)
    np.testing.assert_allclose(
        again.decision_function(sparse.csr_array(X)), model.decision_function(X), atol=1e-12
    )

    svmutil.svm_save_model(
        str(path), svmutil.svm_train(y.tolist(), X.tolist(), f"-c 2 -q {options}")
    )
    loaded = read_libsvm_model(path)
    loaded.decision_function_shape = "ovo"
    labels_theirs, values = theirs(path, X.tolist())
    mine = loaded.decision_function(sparse.csr_array(X)).reshape(values.shape)
    np.testing.assert_allclose(np.sort(np.abs(mine)), np.sort(np.abs(values)), atol=1e-9)
    np.testing.assert_array_equal(loaded.predict(sparse.csr_array(X)), labels_theirs)


@pytest.mark.parametrize(("ours", "options"), KERNELS.values(), ids=KERNELS.keys())
@pytest.mark.parametrize(
    ("machine", "option"),
    [
        (SVR(C=3.0), "-s 3 -c 3"),
        (NuSVR(nu=0.4), "-s 3"),
        (SVR(), "-s 4 -n 0.4"),
        (OneClassSVM(nu=0.3), "-s 2 -n 0.3"),
    ],
    ids=["svr", "ours nu-svr", "nu-svr", "one-class"],
)
def test_regression_and_one_class_of_libsvm(machine, option, ours, options, tmp_path):
    X, y = blobs(60, d=3)
    path = tmp_path / "model"
    model = machine.set_params(**ours).fit(X, y + X[:, 0])
    write_libsvm_model(model, path)
    values = theirs(path, X)[1][:, 0]
    expected = model.model_.decide(X)[:, 0]
    np.testing.assert_allclose(values, expected, atol=1e-9)
    again = read_libsvm_model(path).model_.decide(sparse.csr_array(X))[:, 0]
    np.testing.assert_allclose(again, expected, atol=1e-9)

    trained = svmutil.svm_train((y + X[:, 0]).tolist(), X.tolist(), f"{option} -q {options}")
    svmutil.svm_save_model(str(path), trained)
    loaded = read_libsvm_model(path)
    np.testing.assert_allclose(
        loaded.model_.decide(sparse.csr_array(X))[:, 0],
        theirs(path, X.tolist())[1][:, 0],
        atol=1e-9,
    )


def test_precomputed_kernels_of_libsvm(tmp_path):
    X, y = blobs(50, d=3)
    K = X @ X.T
    numbered = np.column_stack([np.arange(1, 51), K])
    model = SVC(kernel="precomputed").fit(K, y)
    path = tmp_path / "model"
    write_libsvm_model(model, path)
    np.testing.assert_array_equal(theirs(path, numbered.tolist())[0], model.predict(K))
    again = read_libsvm_model(path)
    np.testing.assert_array_equal(again.support_, model.support_)
    np.testing.assert_array_equal(again.predict(K[:, model.support_]), model.predict(K))
    problem = svm.svm_problem(y.tolist(), numbered.tolist(), isKernel=True)
    svmutil.svm_save_model(str(path), svmutil.svm_train(problem, "-t 4 -q"))
    loaded = read_libsvm_model(path)
    columns = K[:, loaded.support_]
    np.testing.assert_array_equal(loaded.predict(columns), theirs(path, numbered.tolist())[0])


def test_models_of_libsvm_can_be_saved_in_our_format(tmp_path):
    X, y = data([5, -2, 3])
    path = tmp_path / "model"
    for option in ("-s 0", "-s 1", "-s 2", "-s 3", "-s 4"):
        svmutil.svm_save_model(
            str(path), svmutil.svm_train(y.tolist(), X.tolist(), f"{option} -n 0.2 -q")
        )
        model = read_libsvm_model(path)
        save(model, tmp_path / "ours")
        rows = sparse.csr_array(X)
        np.testing.assert_array_equal(load(tmp_path / "ours").predict(rows), model.predict(rows))


def test_probabilities_are_left_out_with_a_warning(tmp_path):
    X, y = data([-1, 1])
    path = tmp_path / "model"
    svmutil.svm_save_model(str(path), svmutil.svm_train(y.tolist(), X.tolist(), "-s 3 -b 1 -q"))
    with pytest.warns(UserWarning, match="probabilities are left out"):
        read_libsvm_model(path)


def test_nu_machines_go_to_libsvm(tmp_path):
    # Two classes: LIBSVM's Python keeps room for one score of a nu-SVC, however many it has.
    X, y = data([1, -1])
    model = NuSVC(nu=0.2).fit(X, y)
    write_libsvm_model(model, tmp_path / "model")
    np.testing.assert_array_equal(theirs(tmp_path / "model", X)[0], model.predict(X))


def test_hard_margins_go_to_libsvm(tmp_path):
    X, y = blobs(40, spread=0.01)
    model = HardMarginSVC(kernel="linear").fit(X, y)
    write_libsvm_model(model, tmp_path / "model")
    np.testing.assert_array_equal(theirs(tmp_path / "model", X)[0], y)


def theirs_linear(path, X):
    model = linearutil.load_model(str(path))
    labels, _, values = linearutil.predict([], X, model, "-q")
    return np.array(labels), np.array(values)


@pytest.mark.parametrize("bias", [-1, 1, 2.5])
@pytest.mark.parametrize("solver", [0, 1, 2, 3, 4, 5, 6, 7])
@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS.keys())
def test_classifiers_of_liblinear(labels, solver, bias, tmp_path):
    X, y = data(labels)
    path = tmp_path / "model"
    trained = linearutil.train(y.tolist(), X.tolist(), f"-s {solver} -B {bias} -q")
    linearutil.save_model(str(path), trained)
    model = read_liblinear_model(path)
    predicted, _ = theirs_linear(path, X.tolist())
    np.testing.assert_array_equal(model.predict(X), predicted)
    write_liblinear_model(model, path)
    np.testing.assert_array_equal(theirs_linear(path, X)[0], predicted)


@pytest.mark.parametrize("intercept", ["free", "penalized"])
@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS.keys())
def test_all_classes_at_once_go_to_liblinear_and_back(labels, intercept, tmp_path):
    X, y = data(labels)
    path = tmp_path / "model"
    ours = OurLinearSVC(multi_class="crammer_singer", intercept=intercept).fit(X, y)
    write_liblinear_model(ours, path)
    assert path.read_text().startswith("solver_type MCSVM_CS\n")
    predicted, _ = theirs_linear(path, X.tolist())
    np.testing.assert_array_equal(ours.predict(X), predicted)
    again = read_liblinear_model(path)
    assert again.multi_class == "crammer_singer"
    np.testing.assert_allclose(again.coef_, ours.coef_, rtol=1e-14)
    np.testing.assert_allclose(again.intercept_, ours.intercept_, rtol=1e-14)


@pytest.mark.parametrize("bias", [-1, 1])
@pytest.mark.parametrize("solver", [11, 12, 13, 21])
def test_regression_and_one_class_of_liblinear(solver, bias, tmp_path):
    if solver == 21 and bias == 1:
        pytest.skip("LIBLINEAR's one-class machine has no bias")
    X, y = blobs(60, d=3)
    path = tmp_path / "model"
    trained = linearutil.train((y + X[:, 0]).tolist(), X.tolist(), f"-s {solver} -B {bias} -q")
    linearutil.save_model(str(path), trained)
    predicted, _ = theirs_linear(path, X.tolist())
    model = read_liblinear_model(path)
    np.testing.assert_allclose(model.predict(X), predicted, atol=1e-12)
    write_liblinear_model(model, path)
    np.testing.assert_allclose(theirs_linear(path, X)[0], predicted, atol=1e-12)
    save(model, tmp_path / "ours")
    np.testing.assert_array_equal(load(tmp_path / "ours").predict(X), model.predict(X))


@pytest.mark.parametrize(
    "model",
    [
        SVC(kernel="linear"),
        SVR(kernel="linear"),
        OneClassSVM(kernel="linear", nu=0.3),
        LinearSVC(),
        LinearSVR(loss="squared_epsilon_insensitive", dual=False),
    ],
    ids=lambda model: f"{type(model).__module__.partition('.')[0]}.{type(model).__name__}",
)
def test_linear_models_go_to_liblinear(model, tmp_path):
    X, y = blobs(60, d=3)
    X += 5  # away from the origin, from which the one-class machine separates
    model.fit(X, y)
    write_liblinear_model(model, tmp_path / "model")
    predicted, _ = theirs_linear(tmp_path / "model", X)
    np.testing.assert_allclose(predicted, model.predict(X), atol=1e-9)
