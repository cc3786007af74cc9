"""Support vector machines: exact, certified, fast and visible."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from maxmargin._core import version as __version__

if TYPE_CHECKING:
    from maxmargin.estimators import (
        SGDSVC,
        SGDSVR,
        SVC,
        SVR,
        AdviceWarning,
        HardMarginSVC,
        LinearSVC,
        LinearSVR,
        NuSVC,
        NuSVR,
        Nystroem,
        OneClassSVM,
        Perceptron,
        RandomFourier,
    )
    from maxmargin.estimators.l1_min_c import l1_min_c
    from maxmargin.models import SupportStatus
    from maxmargin.patch import patch_sklearn, unpatch_sklearn
    from maxmargin.problems import (
        Certificate,
        CertificatePart,
        InfeasibleError,
        Status,
        UndecidableError,
    )
    from maxmargin.report import report_of
    from maxmargin.storage import FileError, load, save
    from maxmargin.versions import show_versions

__all__ = [
    "SGDSVC",
    "SGDSVR",
    "SVC",
    "SVR",
    "AdviceWarning",
    "Certificate",
    "CertificatePart",
    "FileError",
    "HardMarginSVC",
    "InfeasibleError",
    "LinearSVC",
    "LinearSVR",
    "NuSVC",
    "NuSVR",
    "Nystroem",
    "OneClassSVM",
    "Perceptron",
    "RandomFourier",
    "Status",
    "SupportStatus",
    "UndecidableError",
    "__version__",
    "l1_min_c",
    "load",
    "patch_sklearn",
    "report_of",
    "save",
    "show_versions",
    "unpatch_sklearn",
]

#: Where the names above come from. The packages are loaded when they are first asked for: the
#: command `maxmargin --help` needs none of them, nor does who takes one estimator need all.
_HOMES = ("estimators", "models", "problems", "storage", "versions", "patch", "report")
_TOOLBOX = ("losses", "kernels", "problems", "optimizers", "solvers", "models")
_PACKAGES = (
    "data",
    "distributed",
    "explain",
    "export",
    "kernels",
    "lab",
    "losses",
    "optimizers",
    "plots",
    "selection",
    "solvers",
    *_HOMES,
)


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"maxmargin.{name}")
    if name in __all__:
        for home in _HOMES:
            module = import_module(f"maxmargin.{home}")
            if hasattr(module, name):
                globals()[name] = getattr(module, name)
                return globals()[name]
    if name.startswith("_"):
        raise AttributeError(f"module 'maxmargin' has no attribute {name!r}")
    from maxmargin.prompt import MissingNameError

    homes = [home for home in _TOOLBOX if name in import_module(f"maxmargin.{home}").__all__]
    meant = {name: f"maxmargin.{homes[0]}.{name}"} if homes else {}
    raise MissingNameError("module 'maxmargin'", name, [*__all__, *_PACKAGES], meant)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_PACKAGES})
