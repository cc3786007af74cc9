"""The API reference: a page for each package, its public names by subject; docstrings as RST.

Names are those of `__all__`. One that no subject below has named stands at the end of its page, so
that every public name is there.
"""

import re
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from sphinx.application import Sphinx
from sphinx.config import Config

import maxmargin

Subjects = dict[str, str]
#: What each package is for, and its names by subject.
PACKAGES: dict[str, tuple[str, Subjects]] = {
    "maxmargin": (
        "Estimators, what they say about a fit, and model files.",
        {
            "Classification": "SVC NuSVC LinearSVC HardMarginSVC",
            "Regression": "SVR NuSVR LinearSVR",
            "Novelty": "OneClassSVM",
            "Streams": "SGDSVC SGDSVR Perceptron",
            "Approximate kernels": "Nystroem RandomFourier",
            "How good a fit is": "Certificate CertificatePart Status SupportStatus AdviceWarning"
            " InfeasibleError UndecidableError",
            "Model files": "save load FileError",
            "In the place of scikit-learn": "patch_sklearn unpatch_sklearn",
            "Others": "l1_min_c show_versions",
        },
    ),
    "selection": (
        "Choosing parameters on shared work.",
        {
            "Searches": "GridSearchCV SVCCV SVRCV LinearSVCCV LinearSVRCV simplest SearchProgress",
            "Paths": "c_path CPath l1_path L1Path",
            "Errors without folds": "leave_one_out LeaveOneOut span_bound radius_margin_bound",
            "Learning curves": "learning_curve LearningCurve",
        },
    ),
    "distributed": (
        "The machines on data that the workers of a Dask cluster hold.",
        {
            "Exact machines": "SVC SVR OneClassSVM LinearSVC LinearSVR",
            "Streams": "SGDSVC SGDSVR",
            "Searches": "GridSearchCV SVCCV SVRCV",
            "Files and predictions": "read Files blockwise",
            "The cluster": "Cluster Partitions Share WorkerLost",
        },
    ),
    "explain": (
        "What a model's values are made of, and which features and rows they rest on.",
        {},
    ),
    "export": ("Models as ONNX graphs and C files.", {}),
    "kernels": (
        "k(u, v), sums and products of kernels, and feature maps.",
        {
            "Kernels": "Kernel Linear Polynomial RBF Laplacian Matern Chi2 Cosine Sigmoid"
            " Gaussian Precomputed Function",
            "Algebra": "Sum Product Scaled Columns Constant kernel_parameters with_parameters",
            "Feature maps": "MonomialMap PolynomialMap PowerMap ProductMap GaussianMap exponents",
            "Mercer's condition": "check_mercer Mercer",
        },
    ),
    "losses": (
        "Functions of one number: value, subdifferential, conjugate.",
        {
            "Of the margin": "Hinge SquaredHinge Logistic Perceptron ModifiedHuber ZeroOne"
            " MarginLoss MARGIN_LOSSES is_margin_loss",
            "Of the residual": "EpsilonInsensitive SquaredEpsilonInsensitive Absolute Squared"
            " Huber ResidualLoss RESIDUAL_LOSSES",
            "Penalties": "L1 L2 Penalty",
            "Convex functions": "Convex ConvexFunction Line Scale Sum Maximum Chain Piecewise"
            " Polyhedral",
            "Subgradients": "supporting_line supporting_fan contains_zero",
            "Names and dual form": "Loss loss_of named_loss Tube",
        },
    ),
    "problems": (
        "What is to be solved, as data, and what a solution is.",
        {
            "Kernel machines": "DualProblem c_svc epsilon_svr nu_svc nu_svr one_class loss_dual"
            " hard_margin_dual",
            "Linear machines": "LinearProblem linear_problem CrammerSingerProblem"
            " crammer_singer_problem LinearRisk",
            "Text-book programs": "Objective QuadraticProgram LinearProgram hard_margin_primal"
            " soft_margin_primal soft_margin_dual tube_primal tube_dual separation least_slack"
            " weights_from_dual Reading lowest smallest",
            "Conventions": "Convention CONVENTIONS HALF_SUM SUM HALF_MEAN MEAN LAMBDA_MEAN"
            " LAMBDA_SUM C_MEAN convention_of convert objective_factor",
            "Solutions": "Solution Status Certificate CertificatePart certify_points Work",
            "Several classes": "one_vs_one one_vs_rest Pair",
        },
    ),
    "solvers": (
        "From problems to solutions.",
        {
            "Solving": "solve choose LINEAR_METHODS Watch Progress",
            "Text-book programs": "solve_qp QPSolution QPStatus solve_lp LPSolution LPStatus",
        },
    ),
    "optimizers": (
        "The lectures' subgradient methods, readable.",
        {
            "Methods": "minimize pegasos perceptron Run PerceptronRun mistake_bound Ending"
            " Minimizable",
            "Step sizes": "Constant Harmonic InverseSquareRoot StronglyConvex Schedule",
            "Rules": "Rule Plain Momentum Nesterov Average Project Ball",
            "Stopping": "Stop Gap ObjectiveChange StepLength Progress",
        },
    ),
    "models": (
        "What predicts: functions without the training data.",
        {
            "Models": "KernelModel LinearModel Classes KernelRidge kernel_ridge",
            "Geometry": "Hyperplane Margins SlackClass SupportKind SupportStatus",
            "Probabilities": "Calibration calibrate Sigmoids Softmax VennAbers",
        },
    ),
    "plots": (
        "Pictures: data first (`frame`), drawing second (`plot`).",
        {
            "Models": "BoundaryDisplay LeadDisplay RegressionDisplay PredictionDisplay"
            " ReliabilityDisplay ComparisonDisplay picture_of",
            "Kernels": "GramDisplay LiftDisplay",
            "Fits and searches": "ConvergenceDisplay SearchDisplay ValidationDisplay"
            " LearningDisplay CPathDisplay",
            "Losses and methods": "LossDisplay SubgradientDisplay PathDisplay TraceDisplay",
        },
    ),
    "data": ("Checked rows and targets; data larger than memory.", {}),
    "data.files": ("Reading and writing data files.", {}),
    "storage": ("Model files, and the model texts of LIBSVM and LIBLINEAR.", {}),
    "estimators.callbacks": ("scikit-learn's callbacks during a fit.", {}),
}


def pages() -> dict[str, str]:
    """Return the pages of the reference, by their file names."""
    packages = {name: _module(name) for name in [*PACKAGES, *_unlisted()]}
    made = {f"{_file(name)}.rst": _page(name, module) for name, module in packages.items()}
    about = {name: PACKAGES.get(name, (_first(module), {}))[0] for name, module in packages.items()}
    rows = [
        f"   * - :doc:`{_full(name)} <{_file(name)}>`\n     - {about[name]}" for name in packages
    ]
    toctree = ["", ".. toctree::", "   :hidden:", "", *(f"   {_file(name)}" for name in packages)]
    made["index.rst"] = "\n".join([INDEX, *rows, *toctree, ""])
    return made


INDEX = """\
API reference
=============

Every public name, with its parameters, attributes and an example that the tests run. Names in the
text of all pages, and in their code, lead here.

.. list-table::
   :widths: 30 70

"""


def _unlisted() -> list[str]:
    """Packages that nothing above names."""
    homes = {"estimators", "patch", "versions"}  # their names are those of maxmargin
    return sorted(set(maxmargin._PACKAGES) - set(PACKAGES) - homes)


def _module(name: str) -> ModuleType:
    return import_module(_full(name))


def _full(name: str) -> str:
    return name if name == "maxmargin" else f"maxmargin.{name}"


def _file(name: str) -> str:
    return "machines" if name == "maxmargin" else name.replace(".", "_")


def _first(value: object) -> str:
    return (value.__doc__ or "").strip().partition("\n")[0]


def _page(package: str, module: ModuleType) -> str:
    names = [name for name in getattr(module, "__all__", []) if name != "__version__"]
    listed: set[str] = set()
    title = _full(package)
    lines = [title, "=" * len(title), "", _first(module), "", f".. currentmodule:: {title}", ""]
    for subject, words in PACKAGES.get(package, ("", {}))[1].items():
        here = [name for name in words.split() if name in names]
        listed |= set(here)
        lines += _table(subject, package, module, here)
    rest = [name for name in names if name not in listed]
    lines += _table("More" if listed else "", package, module, rest)
    return "\n".join(lines) + "\n"


def _table(subject: str, package: str, module: ModuleType, names: list[str]) -> list[str]:
    """A heading with the names below it; those that maxmargin has itself have their page there."""
    if not names:
        return []
    own: list[str] = []
    lent: list[str] = []
    for name in names:
        above = package != "maxmargin" and _lent(package, module, name)
        (lent if above else own).append(above or name)
    lines = [subject, "-" * len(subject), ""] if subject else []
    if own:
        lines += [".. autosummary::", "   :toctree: generated", "   :nosignatures:", ""]
        lines += [*(f"   {name}" for name in own), ""]
    if lent:
        lines += [".. autosummary::", "   :nosignatures:", ""]
        lines += [*(f"   ~{name}" for name in lent), ""]
    return lines


def _lent(package: str, module: ModuleType, name: str) -> str | None:
    """Where else the same thing is documented, if it is."""
    value = getattr(module, name)
    order = [*PACKAGES, *_unlisted()]
    homes = order[: order.index(package)]
    for home in homes:
        other = _module(home)
        if name in getattr(other, "__all__", []) and getattr(other, name) is value:
            return f"{_full(home)}.{name}"
    return None


PROMPT = re.compile(r"\s*(>>>|\.\.\.)( |$)")
QUOTED = re.compile(r"(``.+?``|`[^`]+`)")
#: A line that goes on in the next, as numpydoc has it.
CONTINUED = re.compile(r"\\\n\s*")
#: Names that end in an underscore are no references.
UNDERSCORE = re.compile(r"(?<=\w)_(?!\w)")
#: scikit-learn's own references lead to pages of its own.
FOREIGN = re.compile(r":(?:ref|term|class|func|meth|mod|doc):`~?([^`<]+?)(?:\s*<[^`>]*>)?`")
#: Our own pages, as the sources name them.
OURS = re.compile(r"\bdocs/((?:design/)?[\w-]+)\.md\b")


def mend(
    app: Sphinx, what: str, name: str, value: object, options: object, lines: list[str]
) -> None:
    """Keep |w|, alpha_ and what scikit-learn refers to from being taken for markup."""
    text = FOREIGN.sub(r"``\1``", CONTINUED.sub(" ", "\n".join(lines)))
    text = OURS.sub(r":doc:`/\1`", text)
    lines[:] = [line if PROMPT.match(line) else _plain(line) for line in text.split("\n")]


def _plain(line: str) -> str:
    parts = QUOTED.split(line)
    parts[::2] = [UNDERSCORE.sub(r"\\_", part.replace("|", r"\|")) for part in parts[::2]]
    return "".join(parts)


def skip(
    app: Sphinx, what: str, name: str, value: object, skipped: bool, options: object
) -> bool | None:
    """Leave out what numbers, tuples and exceptions of Python have: it says nothing of ours."""
    home = getattr(value, "__module__", None) or ""
    if name.endswith(("_request", "_routing")):  # scikit-learn's, the same for all estimators
        return True
    return True if callable(value) and not home.startswith(("maxmargin", "sklearn")) else None


def _write(app: Sphinx, config: Config) -> None:
    folder = Path(app.srcdir) / "api"
    folder.mkdir(exist_ok=True)
    made = pages()
    config.autosummary_generate = [f"api/{name}" for name in made]  # also those that are new
    for name, text in made.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the pages before Sphinx looks for them, and mend docstrings."""
    app.connect("config-inited", _write)
    app.connect("autodoc-process-docstring", mend, priority=100)  # before numpydoc
    app.connect("autodoc-skip-member", skip)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
