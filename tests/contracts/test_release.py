"""What a release needs: versions that agree, a change log in form, workflows that parse."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml

import maxmargin
from maxmargin import _core

ROOT = Path(__file__).parents[2]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
CHANGES = (ROOT / "CHANGELOG.md").read_text()
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_there_is_one_version():
    version = PYPROJECT["project"]["version"]
    assert version == maxmargin.__version__ == _core.version
    assert version == re.findall(r"^## \[(\d+\.\d+\.\d+)\]", CHANGES, re.MULTILINE)[0]


def test_changes_have_the_form_of_keep_a_changelog():
    first, *others = re.findall(r"^## (.*)", CHANGES, re.MULTILINE)
    assert first == "[Unreleased]"
    assert all(re.fullmatch(r"\[\d+\.\d+\.\d+\] - \d{4}-\d\d-\d\d", title) for title in others)
    kinds = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
    assert set(re.findall(r"^### (.*)", CHANGES, re.MULTILINE)) <= kinds


def test_versions_and_dates_fall():
    released = re.findall(r"^## \[(.*)\] - (.*)", CHANGES, re.MULTILINE)
    versions = [tuple(map(int, version.split("."))) for version, _ in released]
    assert versions == sorted(versions, reverse=True)
    assert [date for _, date in released] == sorted((date for _, date in released), reverse=True)


def test_classifiers_name_every_python_that_workflows_test():
    named = {text.split(" :: ")[-1] for text in PYPROJECT["project"]["classifiers"]}
    tested = yaml.safe_load((ROOT / ".github/workflows/test.yml").read_text())
    pythons = tested["jobs"]["python"]["strategy"]["matrix"]["python"]
    assert {python for python in pythons if not python.endswith("t")} <= named
    assert min(named & set(pythons)) == PYPROJECT["project"]["requires-python"].removeprefix(">=")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_actions_are_pinned_and_rights_are_few(path):
    text = path.read_text()
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {"contents": "read"}
    assert all("timeout-minutes" in job or "uses" in job for job in workflow["jobs"].values())
    uses = re.findall(r"uses: (?!\./)(.*)", text)
    assert uses
    assert [use for use in uses if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}  # v[\d.]+", use)] == []


def test_one_version_of_an_action_is_used():
    pins = {pin for path in WORKFLOWS for pin in re.findall(r"uses: (.*@.*)", path.read_text())}
    assert len({pin.split("@")[0] for pin in pins}) == len(pins)


def test_what_goes_with_a_release_is_there():
    assert (ROOT / "src/maxmargin/py.typed").exists()
    assert all((ROOT / name).exists() for name in PYPROJECT["project"]["license-files"])
    security = (ROOT / "SECURITY.md").read_text()
    assert "Reporting" in security
    assert "cannot run code" in security


@pytest.mark.parametrize("group", ["build", "release", "wheels"])
def test_locks_have_hashes_and_all_tools(group):
    text = (ROOT / "release/locks" / f"{group}.txt").read_text()
    entries = [entry for entry in re.split(r"\n(?=\S)", text) if entry.strip()]
    form = r"[a-z0-9-]+==[\w.]+( ; [^\\]+)?( \\\n    --hash=sha256:[0-9a-f]{64})+\n?"
    assert [entry for entry in entries if not re.fullmatch(form, entry)] == []
    named = PYPROJECT["dependency-groups"][group]
    wanted = {re.match(r"[\w-]+", name)[0] for name in named if isinstance(name, str)}
    assert wanted <= {entry.split("==")[0] for entry in entries}


def test_a_release_installs_what_is_locked():
    text = (ROOT / ".github/workflows/release.yml").read_text()
    installs = re.findall(r"pip install (.*)", text)
    assert installs
    assert all(call.startswith("--require-hashes") for call in installs)
