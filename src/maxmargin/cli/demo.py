"""The verb `demo`: train on bundled data beside scikit-learn, certify both, draw two pictures."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

import click
import numpy as np
import sklearn
from numpy.typing import NDArray
from sklearn import svm
from sklearn.datasets import load_digits, load_iris, make_moons
from sklearn.model_selection import train_test_split

from maxmargin import __version__
from maxmargin.cli.terminal import GREEN, Terminal
from maxmargin.data import Dataset
from maxmargin.estimators import SVC
from maxmargin.estimators.threads import count_threads
from maxmargin.kernels import RBF, Kernel, Linear
from maxmargin.problems import Certificate, CertificatePart, c_svc, one_vs_one

NEXT = """\
Next, in Python:
  from sklearn.datasets import load_iris
  from maxmargin import SVC
  X, y = load_iris(return_X_y=True)
  model = SVC(C=10).fit(X, y)
  model.certificate_           # how far from optimal, proven
  model.plot(X, y)             # the same picture for your data"""


@dataclass(frozen=True, eq=False)
class Example:
    """A data set and the model to fit to it.

    Parameters
    ----------
    name, note : str
        What it is.
    X, y : ndarray
        Training rows and labels.
    X_test, y_test : ndarray
        What accuracy is measured on.
    parameters : dict
        Of both libraries' SVC.
    repeats : int
        How often to fit each; the best time counts.

    Examples
    --------
    >>> iris().parameters["kernel"]
    'linear'
    """

    name: str
    note: str
    X: NDArray[np.float64]
    y: NDArray[Any]
    X_test: NDArray[np.float64]
    y_test: NDArray[Any]
    parameters: dict[str, Any]
    repeats: int

    @property
    def kernel(self) -> Kernel:
        """The kernel that the parameters name."""
        return Linear() if self.parameters["kernel"] == "linear" else RBF(self.parameters["gamma"])


def iris() -> Example:
    """Setosa or not, by sepal length and width.

    Examples
    --------
    >>> iris().X.shape
    (150, 2)
    """
    data = load_iris()
    X, y = data.data[:, :2], np.where(data.target == 0, "setosa", "not setosa")
    note = "150 flowers, sepal length and width, linear kernel; accuracy on the same rows"
    parameters = {"C": 1.0, "kernel": "linear"}
    return Example("Iris: setosa or not", note, X, y, X, y, parameters, repeats=20)


def digits() -> Example:
    """Ten handwritten digits of 8 x 8 pixels.

    Examples
    --------
    >>> digits().X.shape
    (1197, 64)
    """
    X, y = load_digits(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X, y, test_size=600, random_state=0)
    note = "1,197 images of 64 pixels, 45 pairs of classes, RBF kernel; accuracy on 600 others"
    parameters = {"C": 10.0, "kernel": "rbf", "gamma": 1 / (64 * X.var())}
    return Example("Digits: 0 to 9", note, X, y, X_test, y_test, parameters, repeats=3)


def moons() -> Example:
    """Two overlapping half-moons, hard enough that the solver's course can be seen.

    Examples
    --------
    >>> moons().X.shape
    (4000, 2)
    """
    X, y = make_moons(6000, noise=0.3, random_state=0)
    note = "4,000 generated rows, RBF kernel, C = 100; accuracy on 2,000 others"
    parameters = {"C": 100.0, "kernel": "rbf", "gamma": 2.0}
    return Example(
        "Moons: two overlapping classes",
        note,
        X[:4000],
        y[:4000],
        X[4000:],
        y[4000:],
        parameters,
        repeats=2,
    )


@click.command()
@click.option(
    "--output",
    metavar="DIR",
    type=click.Path(path_type=Path),
    default=Path("demo"),
    show_default=True,
    help="Folder for the pictures; created if it does not exist.",
)
def demo(output: Path) -> None:
    """Train on bundled data beside scikit-learn, certify both, draw two pictures.

    The data come with scikit-learn, and so does the other SVC. Both solutions are certified in
    float64 by the same code; the pictures are the boundary and the closing duality gap.
    """
    output.mkdir(parents=True, exist_ok=True)
    terminal = Terminal.of(sys.stdout)
    terminal.line(
        f"maxmargin {__version__} beside scikit-learn {sklearn.__version__}: the same problems, "
        "fitted in turns,\nthe best time of several; both solutions certified by the same code"
    )
    examples = [iris(), digits(), moons()]
    models = [compare(example, terminal) for example in examples]
    terminal.line()
    _draw(examples, models, output, terminal)
    terminal.line(NEXT)


def compare(example: Example, terminal: Terminal) -> SVC:
    """Fit both libraries, in turns, and write what they found side by side.

    Parameters
    ----------
    example : Example
        What to fit.
    terminal : Terminal
        Where to write.

    Returns
    -------
    SVC
        Ours, fitted.
    """
    terminal.heading(example.name, example.note)
    ours, theirs = SVC(**example.parameters), svm.SVC(**example.parameters)
    times = [
        [_seconds(partial(model.fit, example.X, example.y)) for model in (ours, theirs)]
        for _ in range(example.repeats)
    ]
    best = np.min(times, axis=0)
    certificates = [ours.certificate_, judge(theirs, example)]
    accuracies = [model.score(example.X_test, example.y_test) for model in (ours, theirs)]
    terminal.table(
        ["", "maxmargin", "scikit-learn"],
        [
            ["threads", str(count_threads(None)), "1"],
            ["fit time", *(f"{1e3 * seconds:.2f} ms" for seconds in best)],
            ["accuracy", *(f"{100 * accuracy:.2f} %" for accuracy in accuracies)],
            ["support vectors", *(str(len(model.support_)) for model in (ours, theirs))],
            ["primal objective", *(f"{c.primal:.9g}" for c in certificates)],
            ["dual objective", *(f"{c.dual:.9g}" for c in certificates)],
            ["relative gap", *(f"{c.gap:.1e}" for c in certificates)],
            ["KKT violation", *(f"{c.violation:.1e}" for c in certificates)],
            ["  its own error at most", *(f"{c.bound:.1e}" for c in certificates)],
            ["ended", *(_ended(c, example) for c in certificates)],
        ],
    )
    verdict = _verdict(*best, *certificates)
    terminal.line(terminal.marked(verdict, GREEN) if best[0] <= best[1] else verdict)
    return ours


def _ended(certificate: Certificate, example: Example) -> str:
    """Say the same of both by the same rule: where the tolerance was reached, and how exactly."""
    tol = example.parameters.get("tol", 1e-3)
    if not certificate.worst.within(tol):
        return f"above tol = {tol:g}"
    return f"within tol = {tol:g}" if certificate.gap > 1e-6 else "optimal to 6 digits"


def judge(model: svm.SVC, example: Example) -> Certificate:
    """Certify scikit-learn's solution, which it does not do itself: in float64, from its duals.

    Parameters
    ----------
    model : sklearn.svm.SVC
        Fitted to the example.
    example : Example
        The data.

    Returns
    -------
    Certificate
        Computed by the same code as ours.

    Examples
    --------
    >>> example = iris()
    >>> model = svm.SVC(**example.parameters, tol=1e-6).fit(example.X, example.y)
    >>> bool(judge(model, example).gap < 1e-5)
    True
    """
    n_classes = len(model.classes_)
    codes = np.searchsorted(model.classes_, example.y)
    parts: list[CertificatePart] = []
    for p, pair in enumerate(one_vs_one(codes, n_classes)):
        data = Dataset(example.X, pair.y, np.ones(len(pair.rows)))
        problem = c_svc(data, example.kernel, example.parameters["C"], pair.rows)
        beta = np.zeros(len(example.X))
        beta[model.support_] = _duals_of_pair(model.dual_coef_, codes[model.support_], p, n_classes)
        parts += problem.certify_point(beta[problem.rows]).parts
    return Certificate(tuple(parts))


def _duals_of_pair(
    coef: NDArray[np.float64], codes: NDArray[np.int64], p: int, n_classes: int
) -> NDArray[np.float64]:
    """Signed duals of a pair: in row r of a class's columns are those against its r-th other."""
    if n_classes == 2:
        return np.asarray(coef[0])
    first, second = (index[p] for index in np.triu_indices(n_classes, 1))
    duals = np.where(codes == first, coef[second - 1], 0.0)
    return np.where(codes == second, coef[first], duals)


def _seconds(work: Callable[[], Any]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start


def _verdict(ours: float, theirs: float, mine: Certificate, other: Certificate) -> str:
    ratio = theirs / ours
    speed = f"{ratio:.1f} times as fast" if ratio >= 1 else f"{1 / ratio:.1f} times slower"
    return (
        f"{speed}, and certified within {mine.gap:.0e} of the optimum "
        f"(scikit-learn's solution: within {other.gap:.0e})"
    )


def _draw(examples: list[Example], models: list[SVC], output: Path, terminal: Terminal) -> None:
    try:
        from maxmargin.plots import BoundaryDisplay, ConvergenceDisplay
    except ImportError as error:
        terminal.line(f"No pictures: {error}")
        return
    flowers, names = examples[0], ["sepal length (cm)", "sepal width (cm)"]
    boundary = BoundaryDisplay.from_estimator(
        models[0], flowers.X, flowers.y, feature_names=names, title=flowers.name
    )
    course = ConvergenceDisplay.from_estimator(models[-1], title=examples[-1].name)
    terminal.line("Pictures:")
    terminal.line(f"  {boundary.save(output / 'boundary.png')}")
    terminal.line(f"  {course.save(output / 'gap.png')}")
    terminal.line()
