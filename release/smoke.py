"""What a wheel is tried with, in an empty environment: fits, files, errors, the command line."""

import importlib.metadata
import subprocess
import sys
import sysconfig
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris

import maxmargin
from maxmargin import SVC, SVR, LinearSVC, _core
from maxmargin.lab import LabPage

X, y = load_iris(return_X_y=True)
FOLDER = Path(maxmargin.__file__).parent


def fits():
    model = SVC(C=10.0).fit(X, y)
    assert model.status_.name == "OPTIMAL"
    assert model.certificate_.gap < 1e-6
    assert model.score(X, y) > 0.95
    assert LinearSVC().fit(X, y).score(X, y) > 0.9
    assert SVR().fit(X[:, :3], X[:, 3]).score(X[:, :3], X[:, 3]) > 0.9


def fits_in_threads_are_the_same_bits():
    alone = SVC(C=10.0, n_jobs=1).fit(X, y).dual_coef_
    with ThreadPoolExecutor(4) as pool:
        fitted = pool.map(lambda _: SVC(C=10.0, n_jobs=2).fit(X, y).dual_coef_, range(20))
        assert all(np.array_equal(alone, found) for found in fitted)
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        assert not sys._is_gil_enabled(), "the module has switched the GIL on"


def a_model_is_saved_and_loaded():
    model = SVC(C=10.0).fit(X, y)
    maxmargin.save(model, "model.mm")
    assert np.array_equal(
        maxmargin.load("model.mm").decision_function(X), model.decision_function(X)
    )


def an_exception_crosses_from_the_core():
    message = ""
    try:
        _core.kernel_matrix(_core.Data.dense(X), _core.Kernel(_core.KernelKind.sum), 2, None)
    except ValueError as error:
        message = str(error)
    assert "has no parts" in message, message


def the_command_line_has_its_demo():
    command = Path(sys.executable).with_name("maxmargin")
    shown = subprocess.run([command, "demo"], capture_output=True, text=True, check=False)
    assert shown.returncode == 0, shown.stderr


def all_of_it_was_installed():
    assert importlib.metadata.version("maxmargin") == maxmargin.__version__ == _core.version
    assert (FOLDER / "py.typed").exists()
    assert (FOLDER / "_core.pyi").exists()
    licence = importlib.metadata.distribution("maxmargin").read_text("licenses/LICENSE")
    assert licence.startswith("BSD 3-Clause License")


def the_lab_opens_if_it_is_there():
    if LabPage.built() is None:
        return False
    assert "</html>" in LabPage().html()
    return True


def seconds_of(statement):
    timed = f"import time; t = time.process_time(); {statement}; print(time.process_time() - t)"
    return min(float(subprocess.check_output([sys.executable, "-c", timed])) for _ in range(5))


if __name__ == "__main__":
    fits()
    fits_in_threads_are_the_same_bits()
    a_model_is_saved_and_loaded()
    an_exception_crosses_from_the_core()
    the_command_line_has_its_demo()
    all_of_it_was_installed()
    lab = the_lab_opens_if_it_is_there()
    size = sum(file.stat().st_size for file in FOLDER.rglob("*") if file.suffix != ".pyc")
    print(
        f"maxmargin {maxmargin.__version__} works on Python {sys.version.split()[0]} "
        f"with {_core.instruction_set()}: {size / 1e6:.1f} MB installed, "
        f"{'with' if lab else 'without'} the lab's page; "
        f"from maxmargin import SVC {seconds_of('from maxmargin import SVC'):.2f} s, "
        f"from sklearn.svm import SVC {seconds_of('from sklearn.svm import SVC'):.2f} s"
    )
