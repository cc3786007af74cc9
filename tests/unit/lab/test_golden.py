"""The numbers that the page's own tests compare with are still the package's."""

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest

SOURCES = Path(__file__).parents[3] / "lab" / "src"


def flat(value):
    """All numbers and texts of a tree, in order."""
    if isinstance(value, dict):
        return [leaf for key in sorted(value) for leaf in flat(value[key])]
    return [leaf for entry in value for leaf in flat(entry)] if isinstance(value, list) else [value]


@pytest.mark.filterwarnings("ignore::maxmargin.AdviceWarning")
@pytest.mark.parametrize(
    ("folder", "at_least"), [("engine", 2000), ("mathematics", 1500), ("views", 600)]
)
def test_golden_numbers(folder, at_least):
    spec = importlib.util.spec_from_file_location("golden", SOURCES / folder / "golden.py")
    golden = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(golden)
    known = json.loads((SOURCES / folder / "golden.json").read_text())
    fresh = json.loads(json.dumps(golden.golden()))
    pairs = list(zip(flat(known), flat(fresh), strict=True))
    assert len(pairs) > at_least
    for old, new in pairs:
        if isinstance(old, str | int):
            assert old == new
        else:
            assert new == pytest.approx(old, rel=1e-7, abs=1e-9)
    assert np.isfinite([old for old, _ in pairs if isinstance(old, float)]).all()
