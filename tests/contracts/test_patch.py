"""`patch_sklearn`: programs written for `sklearn.svm` go on working, before, under and after it."""

import inspect
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import sklearn.calibration
import sklearn.svm
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import all_estimators, check_random_state
from sklearn.utils.estimator_checks import parametrize_with_checks

import maxmargin
from instances import blobs
from maxmargin.patch import substitutes
from maxmargin.patch.switch import ORIGINALS, SUBSTITUTES
from maxmargin.storage import write_libsvm_model

CLASSES = [name for name in ORIGINALS if inspect.isclass(ORIGINALS[name])]
classes = pytest.mark.parametrize("name", CLASSES)


@pytest.fixture(autouse=True)
def unpatched():
    yield
    maxmargin.unpatch_sklearn()


@pytest.fixture
def patched():
    maxmargin.patch_sklearn(verbose=False)


def found():
    return {name: getattr(sklearn.svm, name) for name in ORIGINALS}


def test_every_name_is_replaced_and_given_back():
    assert set(ORIGINALS) == set(sklearn.svm.__all__)
    for _ in range(2):
        maxmargin.patch_sklearn(verbose=False)
        maxmargin.patch_sklearn(verbose=False)
        assert found() == SUBSTITUTES
        assert sklearn.calibration.LinearSVC is substitutes.LinearSVC
        maxmargin.unpatch_sklearn()
        maxmargin.unpatch_sklearn()
        assert found() == ORIGINALS
        assert sklearn.calibration.LinearSVC is ORIGINALS["LinearSVC"]


@pytest.mark.parametrize("names", ["SVC", ["SVC", "l1_min_c"], iter(["NuSVR"]), []])
def test_some_names(names):
    names = names if isinstance(names, str) else list(names)
    maxmargin.patch_sklearn(names, verbose=False)
    changed = {name for name in ORIGINALS if found()[name] is SUBSTITUTES[name]}
    assert changed == ({names} if isinstance(names, str) else set(names))
    maxmargin.patch_sklearn(verbose=False)
    maxmargin.unpatch_sklearn(names)
    assert {name for name in ORIGINALS if found()[name] is ORIGINALS[name]} == changed


@pytest.mark.parametrize("switch", [maxmargin.patch_sklearn, maxmargin.unpatch_sklearn])
def test_unknown_names_change_nothing(switch):
    with pytest.raises(ValueError, match=r"names has 'SVM'; sklearn\.svm has 'SVC'"):
        switch(["SVC", "SVM"])
    assert found() == ORIGINALS


def test_it_tells_once_what_it_has_done(capsys):
    maxmargin.patch_sklearn("SVC")
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(f"maxmargin {maxmargin.__version__} in sklearn.svm: SVC (")
    maxmargin.patch_sklearn("SVC")
    maxmargin.patch_sklearn(verbose=False)
    assert capsys.readouterr() == ("", "")


@classes
def test_instances_of_either_library_are_instances(name, patched):
    original, substitute, ours = ORIGINALS[name], SUBSTITUTES[name], getattr(maxmargin, name)
    for kind in (original, substitute, ours):
        assert isinstance(kind(), getattr(sklearn.svm, name))
    assert isinstance(substitute(), original)
    assert isinstance(substitute(), ours)
    assert issubclass(substitute, original)
    # Nothing else is: what ours or theirs are has not changed.
    assert not isinstance(original(), ours)
    assert not isinstance(ours(), original)
    others = [SUBSTITUTES[other] for other in CLASSES if other != name]
    assert not any(isinstance(substitute(), other) for other in others)


@classes
def test_nothing_public_of_theirs_is_used(name):
    substitute, ours = SUBSTITUTES[name], getattr(maxmargin, name)
    # Requests of metadata are made anew for each class; a variable is left in one of theirs.
    public = [
        member
        for member in dir(substitute)
        if not member.startswith(("_", "set_")) and member != "unused_param"
    ]
    inherited = [
        member
        for member in public
        if inspect.getattr_static(substitute, member)
        is not inspect.getattr_static(ours, member, None)
    ]
    assert inherited == []


@classes
def test_only_the_linear_intercept_differs_from_ours(name):
    own = inspect.signature(getattr(maxmargin, name)).parameters
    stated = inspect.signature(SUBSTITUTES[name]).parameters
    assert list(stated) == list(own)
    different = {key for key in own if own[key].default != stated[key].default}
    assert different == ({"intercept"} if name.startswith("Linear") else set())
    assert repr(SUBSTITUTES[name]()) == f"{name}()"


def test_linear_machines_have_the_numbers_of_scikit_learn(patched):
    X, y = blobs(80, 4, spread=1.0)
    X += 2.0  # so that a penalised intercept makes a difference
    for options in ({"intercept_scaling": 0.5}, {"fit_intercept": False}, {"loss": "hinge"}):
        theirs = ORIGINALS["LinearSVC"](tol=1e-10, max_iter=10**6, **options).fit(X, y)
        ours = sklearn.svm.LinearSVC(tol=1e-10, **options).fit(X, y)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-5)
    theirs = ORIGINALS["LinearSVR"](tol=1e-10, max_iter=10**6, epsilon=0.1).fit(X, y)
    ours = sklearn.svm.LinearSVR(tol=1e-10, epsilon=0.1).fit(X, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    for scaling in (1.0, 10.0):
        expected = ORIGINALS["l1_min_c"](X, y, intercept_scaling=scaling)
        assert sklearn.svm.l1_min_c(X, y, intercept_scaling=scaling) == pytest.approx(expected)


@pytest.mark.parametrize("reading", [False, True])
@pytest.mark.parametrize("name", ["SVC", "LinearSVC"])
def test_pickles_are_read_with_and_without_the_patch(name, reading):
    X, y = blobs(60)
    before = pickle.dumps(getattr(sklearn.svm, name)().fit(X, y))
    maxmargin.patch_sklearn(verbose=False)
    model = getattr(sklearn.svm, name)().fit(X, y)
    under = pickle.dumps(model)
    if not reading:
        maxmargin.unpatch_sklearn()
    theirs, ours = pickle.loads(before), pickle.loads(under)
    assert type(theirs) is ORIGINALS[name]
    assert type(ours) is SUBSTITUTES[name]
    np.testing.assert_array_equal(ours.decision_function(X), model.decision_function(X))
    np.testing.assert_allclose(theirs.decision_function(X), model.decision_function(X), atol=1e-2)


def test_pickles_are_read_where_nothing_was_patched(patched, tmp_path):
    X, y = blobs(60)
    model = sklearn.svm.SVC().fit(X, y)
    path = tmp_path / "model.pickle"
    path.write_bytes(pickle.dumps((model, X)))
    code = (
        f"import pickle; model, X = pickle.load(open({str(path)!r}, 'rb'));"
        "import sklearn.svm; assert sklearn.svm.SVC.__module__ == 'sklearn.svm._classes';"
        "print(model.predict(X).tolist())"
    )
    out = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert out.stdout.strip() == str(model.predict(X).tolist())


@classes
def test_clones_stay_what_they_are(name, patched):
    for kind in (ORIGINALS[name], SUBSTITUTES[name]):
        assert type(clone(kind(tol=0.5))) is kind
        assert clone(kind(tol=0.5)).tol == 0.5


def test_models_are_saved_as_what_they_are(patched, tmp_path):
    X, y = blobs(60)
    for kind in (sklearn.svm.SVC, sklearn.svm.LinearSVC):
        model = make_pipeline(StandardScaler(), kind()).fit(X + 2.0, y)
        maxmargin.save(model, tmp_path / "model")
        read = maxmargin.load(tmp_path / "model")
        assert type(read[-1]) is getattr(maxmargin, kind.__name__)
        assert getattr(read[-1], "intercept", "penalized") == "penalized"
        np.testing.assert_array_equal(read.decision_function(X), model.decision_function(X))
    write_libsvm_model(sklearn.svm.SVC().fit(X, y), tmp_path / "text")
    assert (tmp_path / "text").read_text().startswith("svm_type c_svc")


@classes
def test_what_a_program_draws_next_is_the_same(name):
    X, y = blobs(40)
    shared, drawn = check_random_state(None), []  # NumPy's own, which fits use by default
    for kind in (ORIGINALS[name], SUBSTITUTES[name]):
        shared.seed(0)
        kind(tol=0.1).fit(X, y)
        with pytest.raises(ValueError, match="NaN"):
            kind().fit(X * np.nan, y)
        given = np.random.RandomState(7)
        if "random_state" in kind().get_params():
            kind(tol=0.1, random_state=given).fit(X, y)
        drawn.append((shared.rand(), given.rand()))
    assert drawn[0] == drawn[1]


def test_derived_classes(patched):
    class Tuned(sklearn.svm.SVC):
        def __init__(self, C=3.0):
            super().__init__(C=C, gamma=0.5)

    X, y = blobs(60)
    model = Tuned().fit(X, y)
    assert isinstance(model, ORIGINALS["SVC"])
    assert not isinstance(sklearn.svm.SVC(), Tuned)
    assert not isinstance(ORIGINALS["SVC"](), Tuned)
    expected = maxmargin.SVC(C=3.0, gamma=0.5).fit(X, y).dual_coef_
    np.testing.assert_array_equal(model.dual_coef_, expected)


def test_company(patched):
    X, y = blobs(90, 4, 3)
    pipeline = make_pipeline(StandardScaler(), sklearn.svm.SVC())
    search = GridSearchCV(pipeline, {"svc__C": [1.0, 10.0]}, cv=3, n_jobs=2).fit(X, y)
    assert type(search.best_estimator_[-1]) is substitutes.SVC
    assert cross_val_score(sklearn.svm.LinearSVC(), X, y, cv=3).min() > 0.5
    calibrated = CalibratedClassifierCV(cv=2).fit(X, y)
    assert type(calibrated.calibrated_classifiers_[0].estimator) is substitutes.LinearSVC


def test_estimators_are_listed_once(patched):
    listed = all_estimators()
    names = [name for name, _ in listed]
    assert len(names) == len(set(names))
    assert {name: kind for name, kind in listed if name in CLASSES} == {
        name: SUBSTITUTES[name] for name in CLASSES
    }


def _kind_in_a_worker(model):
    import sklearn.svm

    return type(model).__module__, sklearn.svm.SVC.__module__


def test_workers_get_the_models_that_they_are_sent(patched):
    [(sent, imported)] = Parallel(n_jobs=2, backend="loky")(
        [delayed(_kind_in_a_worker)(sklearn.svm.SVC())]
    )
    assert sent == "maxmargin.patch.substitutes"
    assert imported == "sklearn.svm._classes"


def test_threads_may_patch_at_once():
    with ThreadPoolExecutor(8) as pool:
        switches = [maxmargin.unpatch_sklearn, lambda: maxmargin.patch_sklearn(verbose=False)]
        for future in [pool.submit(switches[i % 2]) for i in range(200)]:
            future.result()
    maxmargin.patch_sklearn(verbose=False)
    assert found() == SUBSTITUTES


PROGRAM = """
import sys
from sklearn.svm import SVC
if __name__ == "__main__":
    print(SVC.__module__, sys.argv[1:], sys.path[0])
"""


@pytest.mark.parametrize("way", ["script", "module"])
def test_programs_run_as_they_are(way, tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    target = ["program.py"] if way == "script" else ["-m", "program"]
    environment = {**os.environ, "PYTHONWARNINGS": "error"}
    done = subprocess.run(
        [sys.executable, "-m", "maxmargin.patch", *target, "-q", "--name", "x"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env=environment,
    )
    assert done.stdout == f"{substitutes.__name__} ['-q', '--name', 'x'] {tmp_path}\n"
    assert done.stderr.startswith("maxmargin")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["-q", "-n", "SVR", "program.py"], 0, ""),
        (["-n", "SVM", "program.py"], 2, "names has 'SVM'"),
        ([], 2, "a script, or -m and a module, is needed"),
    ],
)
def test_options_of_the_command(arguments, code, told, tmp_path):
    (tmp_path / "program.py").write_text("import sklearn.svm\nprint(sklearn.svm.SVC.__module__)\n")
    done = subprocess.run(
        [sys.executable, "-m", "maxmargin.patch", *arguments],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert done.returncode == code
    assert told in done.stderr
    assert done.stdout == ("sklearn.svm._classes\n" if code == 0 else "")


@parametrize_with_checks([SUBSTITUTES[name]() for name in ("SVC", "LinearSVC", "OneClassSVM")])
def test_estimator_checks(estimator, check):
    check(estimator)
