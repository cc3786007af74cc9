"""What holds for every public name of the toolbox."""

import inspect
import pickle
import pydoc
from dataclasses import FrozenInstanceError, is_dataclass

import numpy as np
import pytest

import maxmargin
from maxmargin import kernels, losses, models, optimizers, problems, solvers

PACKAGES = (losses, kernels, problems, solvers, optimizers, models)
NAMES = [
    (package, name)
    for package in PACKAGES
    for name in package.__all__
    if inspect.isclass(getattr(package, name)) or inspect.isfunction(getattr(package, name))
]


@pytest.mark.parametrize(
    ("package", "name"), NAMES, ids=lambda part: getattr(part, "__name__", part)
)
def test_documented_with_a_running_example(package, name):
    text = inspect.getdoc(getattr(package, name))
    assert ">>>" in text


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_public_names_are_sorted_and_exist(package):
    assert all(hasattr(package, name) for name in package.__all__)
    assert len(set(package.__all__)) == len(package.__all__)


OBJECTS = [
    losses.Hinge(),
    losses.Logistic(scaled=True),
    losses.Huber(0.5),
    losses.Polyhedral([[1.0]], [0.0]),
    losses.Maximum((losses.Line(0.0, 0.0), losses.Line(-1.0, 1.0))),
    kernels.Gaussian(2.0),
    kernels.PolynomialMap(3, 1.0),
    kernels.check_mercer(np.eye(2)),
    problems.HALF_SUM,
    problems.Objective([[1.0], [2.0]], [1.0, -1.0], losses.Hinge(), 1.0),
    problems.soft_margin_primal([[1.0], [2.0]], [1.0, -1.0], 1.0),
    problems.least_slack([[1.0], [2.0]], [1.0, -1.0]),
    solvers.solve_qp(problems.hard_margin_primal([[1.0], [2.0]], [1.0, -1.0])),
    solvers.solve_lp(problems.separation([[1.0], [2.0]], [1.0, -1.0])),
    optimizers.Average(optimizers.Project(optimizers.Nesterov(), optimizers.Ball(1.0))),
    optimizers.minimize(losses.Polyhedral([[1.0]], [0.0]), [1.0], optimizers.Constant(0.1)),
    optimizers.perceptron([[1.0], [2.0]], [1.0, -1.0]),
    models.Hyperplane([1.0], 0.0),
    models.Margins(models.Hyperplane([1.0], 0.0), [[1.0]], [1.0]),
    models.kernel_ridge([[1.0], [2.0]], [1.0, 2.0], kernels.Gaussian(), lam=1.0),
]


@pytest.mark.parametrize("thing", OBJECTS, ids=lambda thing: type(thing).__name__)
def test_frozen_printable_and_picklable(thing):
    assert is_dataclass(thing)
    copy = pickle.loads(pickle.dumps(thing))
    assert repr(copy) == repr(thing)
    assert type(thing).__name__ in repr(thing)
    with pytest.raises(FrozenInstanceError):
        thing.anything = None


@pytest.mark.parametrize("thing", OBJECTS, ids=lambda thing: type(thing).__name__)
def test_texts_fit_on_a_screen(thing):
    assert len(repr(thing)) < 1000
    assert repr(thing).count("\n") < 20


@pytest.mark.parametrize(
    ("package", "name"), NAMES, ids=lambda part: getattr(part, "__name__", part)
)
def test_help_names_types_and_does_not_unfold_them(package, name):
    text = pydoc.plain(pydoc.render_doc(getattr(package, name)))
    assert "_typing" not in text
    assert "Union[" not in text


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.__name__)
def test_a_wrong_name_is_answered(package):
    name = package.__all__[0]
    with pytest.raises(AttributeError, match=f"did you mean '{name}'"):
        getattr(package, f"{name}s")
    with pytest.raises(AttributeError, match="has no attribute '__wrapped__'"):
        package.__wrapped__  # noqa: B018
    assert not hasattr(package, "no_such_thing_at_all")


@pytest.mark.parametrize("name", ["Hinge", "RBF", "Objective", "minimize", "solve_qp", "Margins"])
def test_a_name_that_is_elsewhere(name):
    with pytest.raises(AttributeError, match=rf"use maxmargin\.\w+\.{name}"):
        getattr(maxmargin, name)


def test_a_wrong_name_survives_another_process():
    with pytest.raises(AttributeError) as caught:
        losses.Hinge().grad  # noqa: B018
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)
