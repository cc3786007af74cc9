import matplotlib
import pytest


@pytest.fixture(autouse=True)
def no_screen():
    matplotlib.use("Agg")
