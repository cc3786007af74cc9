"""One program on both packages sees the same, but for what docs/differences.md lists."""

import inspect
import re

import numpy as np
import pytest
from sklearn.linear_model import SGDClassifier

import maxmargin
from compatibility.exceptions import EXCEPTIONS
from compatibility.mistakes import MISTAKES, observe_mistake
from compatibility.observation import differences
from compatibility.programs import CASES, FORMS, NEW, THREE, TWO, WORDS, X, names, observe
from maxmargin.patch.switch import ORIGINALS, SUBSTITUTES


def judge(found: dict[str, str], kind: str) -> None:
    """Fail for a difference that is not listed, and for one that is listed but not there."""
    listed = {pattern: entry for pattern, (kinds, entry) in EXCEPTIONS.items() if kind in kinds}
    unlisted = [
        f"{name}: {told}"
        for name, told in found.items()
        if not any(re.fullmatch(pattern, name) for pattern in listed)
    ]
    unused = [
        f"{entry}: {pattern}"
        for pattern, entry in listed.items()
        if not any(re.fullmatch(pattern, name) for name in found)
    ]
    assert not unlisted, "not in docs/differences.md:\n" + "\n".join(unlisted)
    assert not unused, "listed, but there is no such difference:\n" + "\n".join(unused)


@pytest.mark.parametrize("kind", CASES)
def test_programs(kind):
    theirs, ours, found = ORIGINALS[kind], SUBSTITUTES[kind], {}
    for name, case in CASES[kind].items():
        public = names(theirs, case)
        seen = differences(observe(theirs, case, public), observe(ours, case, public))
        found |= {f"{name}: {what}": told for what, told in seen.items()}
    for name, mistake in MISTAKES[kind].items():
        seen = differences(observe_mistake(theirs, mistake), observe_mistake(ours, mistake))
        found |= {f"{name}: {what}": told for what, told in seen.items()}
    judge(found, kind)


@pytest.mark.parametrize("kind", ORIGINALS)
def test_signatures(kind):
    theirs = inspect.signature(ORIGINALS[kind]).parameters
    for ours in (getattr(maxmargin, kind), SUBSTITUTES[kind]):
        own = inspect.signature(ours).parameters
        positional = [p.name for p in theirs.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
        assert list(own)[: len(positional)] == positional
        for name in [name for name in theirs if name != "probability"]:
            assert (own[name].kind, own[name].default) == (theirs[name].kind, theirs[name].default)


@pytest.mark.parametrize("form", FORMS)
def test_l1_min_c(form):
    for y in (TWO, THREE, WORDS):
        for options in ({}, {"fit_intercept": False}, {"loss": "log"}, {"intercept_scaling": 9.0}):
            theirs, ours = (
                kind["l1_min_c"](FORMS[form](X), y, **options) for kind in (ORIGINALS, SUBSTITUTES)
            )
            assert isinstance(ours, float)
            assert ours == pytest.approx(theirs)


def test_mistakes_of_l1_min_c():
    zeros = np.zeros_like(X)
    for arguments in ((zeros, TWO, {"fit_intercept": False}), (X, TWO, {"loss": "l1"})):
        *data, options = arguments
        seen = []
        for kind in (ORIGINALS, SUBSTITUTES):
            with pytest.raises(ValueError) as caught:
                kind["l1_min_c"](*data, **options)
            seen.append(str(caught.value).split()[:2])
        assert seen[0] == seen[1] or options.keys() == {"loss"}  # entry: parameter-errors


@pytest.mark.parametrize("y", [TWO, THREE, WORDS], ids=["two", "three", "strings"])
def test_stochastic_machines_have_the_shapes_of_sgd_classifier(y):
    ours = maxmargin.SGDSVC(random_state=0).fit(X, y)
    theirs = SGDClassifier(loss="hinge", random_state=0).fit(X, y)
    for name in ("coef_", "intercept_", "classes_"):
        found, expected = getattr(ours, name), getattr(theirs, name)
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    for method in ("decision_function", "predict"):
        found, expected = getattr(ours, method)(NEW), getattr(theirs, method)(NEW)
        assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
    for method in ("partial_fit", "sparsify", "densify", "set_fit_request"):
        assert hasattr(ours, method)
