"""What holds for every test, also for those in docstrings."""

import sys

import pytest


@pytest.fixture(autouse=True)
def no_figure_is_left():
    """Figures of pyplot stay until they are closed, and matplotlib warns of the twenty-first."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
