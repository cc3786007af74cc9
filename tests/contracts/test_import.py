"""What is there after `import maxmargin`, and what it does not wait for."""

import subprocess
import sys
from pathlib import Path

import pytest

import maxmargin


def answer(code):
    """What a new process prints."""
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return run.stdout.strip()


@pytest.mark.parametrize(
    "name",
    [
        "data",
        "distributed",
        "kernels",
        "models",
        "optimizers",
        "plots",
        "problems",
        "solvers",
        "storage",
    ],
)
def test_every_package_is_found(name):
    assert answer(f"import maxmargin; print(maxmargin.{name}.__name__)") == f"maxmargin.{name}"
    assert name in dir(maxmargin)


def test_what_is_not_there():
    assert not hasattr(maxmargin, "nothing")


def test_what_a_fit_does_not_need_is_not_imported():
    later = [
        "dask",
        "distributed",
        "matplotlib",
        "maxmargin.storage",
        "sklearn.calibration",
        "sklearn.decomposition",
    ]
    code = f"import maxmargin, sys; print([m for m in {later} if m in sys.modules])"
    assert answer(code) == "[]"


def test_types_are_shipped():
    assert (Path(maxmargin.__file__).parent / "py.typed").exists()
