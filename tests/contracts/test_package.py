"""What the package promises as a whole: layers, documentation, silence, versions, stubs."""

import ast
import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
import tomllib
from enum import Enum
from importlib.metadata import packages_distributions, version
from pathlib import Path

import pytest
from numpydoc.docscrape import NumpyDocString

import maxmargin

ROOT = Path(__file__).parents[2]
SOURCE = Path(maxmargin.__file__).parent
MODULES = sorted(
    info.name
    for info in pkgutil.walk_packages(maxmargin.__path__, "maxmargin.")
    if not info.name.endswith(("._core", ".__main__"))
)
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
#: The folder that needs an extra as soon as it is imported; others import its packages when used.
HOMES = {
    "cli": "cli",
    "dask": "distributed",
    "plot": "plots",
    "qp": None,
    "onnx": None,
    "skl2onnx": None,
}
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


def public_definitions():
    """Every public class, function and method, wherever it is defined."""
    for name in MODULES:
        for value in vars(importlib.import_module(name)).values():
            own = getattr(value, "__module__", None) == name
            if own and (inspect.isclass(value) or inspect.isfunction(value)):
                yield value
                yield from _methods(value)


def _methods(value):
    names = [name for name in vars(value) if not name.startswith("_")]
    members = [getattr(value, name) for name in names] if inspect.isclass(value) else []
    return [member for member in members if inspect.isfunction(member) or inspect.ismethod(member)]


def imports():
    """Every import of another project: the file, the distribution, and whether it is lazy."""
    distributions = packages_distributions()
    for path in sorted(SOURCE.rglob("*.py")):
        tree = ast.parse(path.read_text())
        functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
        lazy = {id(node) for function in functions for node in ast.walk(function)}
        for node in ast.walk(tree):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module] if isinstance(node, ast.ImportFrom) else []
            for package in {name.partition(".")[0] for name in names}:
                if package not in sys.stdlib_module_names | {"maxmargin"}:
                    (distribution,) = set(distributions[package])
                    yield path.relative_to(SOURCE), distribution, id(node) in lazy


def _names_of(requirements):
    return {re.match(r"[\w.-]+", requirement)[0] for requirement in requirements}


def test_what_is_imported_is_declared():
    allowed = {("anywhere", name) for name in _names_of(PROJECT["dependencies"])}
    for extra, packages in PROJECT["optional-dependencies"].items():
        allowed |= {
            (place, name) for name in _names_of(packages) for place in ("lazy", HOMES[extra])
        }
    found = list(imports())
    undeclared = [
        (str(path), name)
        for path, name, lazy in found
        if not {("anywhere", name), ("lazy" if lazy else path.parts[0], name)} & allowed
    ]
    assert undeclared == []
    assert {name for _, name in allowed} == {name for _, name, _ in found}


def test_layers():
    pytest.importorskip("importlinter")
    from importlinter.cli import lint_imports

    assert lint_imports(config_filename=str(ROOT / "pyproject.toml"), no_cache=True) == 0


def test_lower_layers_do_not_load_scikit_learn():
    layers = [f"maxmargin.{name}" for name in LOWER]
    code = f"""
import importlib, sys
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


def _listed(value):
    """The names in a docstring's list of parameters, where "a, b : float" is two."""
    text = (inspect.getdoc(value) or "").replace("\\\n", "")
    entries = [entry.name for entry in NumpyDocString(text)["Parameters"]]
    return [name.strip(" *") for entry in entries for name in entry.split(",")]


def _parameters(value):
    return [name for name in inspect.signature(value).parameters if name not in ("self", "cls")]


def test_lists_of_parameters_are_those_of_the_signatures():
    # In any order: what is "As in `SVC`" stands together.
    listing = {value: _listed(value) for value in public_definitions() if _listed(value)}
    wrong = {
        f"{value.__module__}.{value.__qualname__}": (listed, _parameters(value))
        for value, listed in listing.items()
        if sorted(listed) != sorted(_parameters(value))
    }
    assert wrong == {}
    assert {maxmargin.SVC, maxmargin.NuSVC, maxmargin.SVC.certify} <= listing.keys()


def called(value):
    """Whether users make or call it: nobody makes a protocol, and the members of an enum exist."""
    return not (
        inspect.isclass(value)
        and (issubclass(value, Enum) or getattr(value, "_is_protocol", False))
    )


@pytest.mark.parametrize(("name", "value"), [item for item in public_names() if called(item[1])])
def test_parameters_are_documented(name, value):
    # A short docstring may name them in its sentences.
    text = (inspect.getdoc(value) or "").partition("Examples\n---")[0]
    missing = [p for p in _parameters(value) if not re.search(rf"\b{p}\b", text)]
    assert missing == [], name


@pytest.mark.parametrize("module", ["maxmargin", *MODULES])
def test_exports_exist(module):
    loaded = importlib.import_module(module)
    exported = getattr(loaded, "__all__", [])
    assert sorted(set(exported)) == sorted(exported)
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


def test_packages_are_there_without_an_import_of_their_own():
    code = "import maxmargin; print(maxmargin.plots.BoundaryDisplay, maxmargin.optimizers.Nesterov)"
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    assert {"SVC", "plots", "save"} <= set(dir(maxmargin))
    with pytest.raises(AttributeError, match="no attribute 'svc'"):
        maxmargin.svc  # noqa: B018


def test_show_versions(capsys):
    maxmargin.show_versions()
    out = capsys.readouterr().out
    assert maxmargin.__version__ in out
    assert "numpy" in out
