import pytest

from benchmarks import results


@pytest.fixture(autouse=True)
def kept_elsewhere(tmp_path, monkeypatch):
    """What a test measures is not what the site shows."""
    monkeypatch.setattr(results, "FOLDER", tmp_path / "results")
