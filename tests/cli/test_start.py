"""How the command starts: at once, and with the verbs imported that are called."""

import importlib
import subprocess
import sys

import click
import pytest

from maxmargin.cli.app import VERBS

HEAVY = ("numpy", "scipy", "sklearn", "pandas", "rich", "matplotlib")


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_loads_no_library(option):
    code = f"""
import sys
from maxmargin.cli import main
assert main([{option!r}]) == 0
loaded = set(sys.modules) & set({HEAVY!r})
assert not loaded, loaded
"""
    subprocess.run([sys.executable, "-c", code], check=True, stdout=subprocess.DEVNULL)


def test_the_package_loads_no_library():
    code = f"import sys, maxmargin; assert not set(sys.modules) & set({HEAVY!r})"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_every_verb_is_listed_and_helps(ok):
    listed = ok("--help").out
    for name, text in VERBS.items():
        assert text in listed
        verb = getattr(
            importlib.import_module(f"maxmargin.cli.{name.replace('-', '_')}"),
            name.replace("-", "_"),
        )
        assert isinstance(verb, click.Command)
        assert f"Usage: maxmargin {name}" in ok(name, "--help").out


def test_a_misspelt_verb_is_guessed(fails):
    assert "Did you mean 'train'?" in fails(2, "trian")
