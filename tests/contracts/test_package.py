"""What the package promises as a whole: layers, documentation, silence, versions, stubs."""

import ast
import importlib
import inspect
import pkgutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import maxmargin

ROOT = Path(__file__).parents[2]
SOURCE = Path(maxmargin.__file__).parent
MODULES = sorted(
    info.name
    for info in pkgutil.walk_packages(maxmargin.__path__, "maxmargin.")
    if not info.name.endswith(("._core", ".__main__"))
)
LOWER = ["data", "losses", "kernels", "problems", "solvers", "optimizers", "models"]


def public_names():
    """Every name a package exports, once."""
    seen = {}
    for name in ["maxmargin", *MODULES]:
        module = importlib.import_module(name)
        for exported in getattr(module, "__all__", []):
            value = getattr(module, exported)
            own = getattr(value, "__module__", "").startswith("maxmargin")
            if own and (inspect.isclass(value) or inspect.isfunction(value)):
                seen.setdefault(f"{value.__module__}.{value.__qualname__}", value)
    return sorted(seen.items())


def test_layers():
    pytest.importorskip("importlinter")
    from importlinter.cli import lint_imports

    assert lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True) == 0


def test_lower_layers_do_not_load_scikit_learn():
    # The package's own front door opens all rooms, so it is stood in for by an empty one.
    layers = [f"maxmargin.{name}" for name in LOWER if (SOURCE / name).is_dir()]
    code = f"""
import importlib, sys, types
front = types.ModuleType("maxmargin")
front.__path__ = {[str(SOURCE), *maxmargin.__path__]!r}
sys.modules["maxmargin"] = front
for layer in {layers!r}:
    importlib.import_module(layer)
    loaded = {{name.partition(".")[0] for name in sys.modules}}
    assert not loaded & {{"sklearn", "matplotlib", "joblib"}}, (layer, loaded)
"""
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("module", ["maxmargin", *MODULES])
def test_module_docstrings(module):
    assert (importlib.import_module(module).__doc__ or "").strip()


@pytest.mark.parametrize(("name", "value"), public_names())
def test_docstrings_with_examples(name, value):
    text = inspect.getdoc(value) or ""
    assert text, f"{name} has no docstring"
    assert ">>>" in text, f"the docstring of {name} has no example"


@pytest.mark.parametrize(("name", "value"), public_names())
def test_parameters_are_documented(name, value):
    text = inspect.getdoc(value) or ""
    for parameter in inspect.signature(value).parameters if "Parameters\n---" in text else ():
        assert parameter in text, f"{name} does not document {parameter}"


@pytest.mark.parametrize("module", ["maxmargin", *MODULES])
def test_exports_exist(module):
    loaded = importlib.import_module(module)
    exported = getattr(loaded, "__all__", [])
    assert sorted(set(exported), key=str.lower) == sorted(exported, key=str.lower)
    assert all(hasattr(loaded, name) for name in exported)


def test_version():
    assert maxmargin.__version__ == version("maxmargin")


def test_stub_is_that_of_the_module(tmp_path):
    pytest.importorskip("nanobind")
    fresh = tmp_path / "_core.pyi"
    command = [sys.executable, "-m", "nanobind.stubgen", "-q", "-m", "maxmargin._core"]
    subprocess.run([*command, "-o", str(fresh)], check=True)
    assert (SOURCE / "_core.pyi").read_text() == fresh.read_text()


def test_stub_names_every_type():
    for node in ast.walk(ast.parse((SOURCE / "_core.pyi").read_text())):
        if isinstance(node, ast.FunctionDef):
            types = [node.returns, *(argument.annotation for argument in node.args.args[1:])]
            vague = {ast.unparse(t) for t in types if t} & {"object", "tuple", "list", "NDArray"}
            assert not vague, (node.name, vague)


def test_import_and_fit_are_silent(capfd):
    code = (
        "import maxmargin, numpy as np; X = np.arange(12.0).reshape(6, 2);"
        "m = maxmargin.SVC().fit(X, [0, 1] * 3); m.predict(X); m.certify(X, [0, 1] * 3)"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)
    assert capfd.readouterr() == ("", "")


def test_show_versions(capsys):
    maxmargin.show_versions()
    out = capsys.readouterr().out
    assert maxmargin.__version__ in out
    assert "numpy" in out
