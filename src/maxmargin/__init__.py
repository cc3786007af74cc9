"""Support vector machines: exact, certified, fast and visible."""

from importlib import import_module
from types import ModuleType

from maxmargin._core import version as __version__
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
    l1_min_c,
)
from maxmargin.models import SupportStatus
from maxmargin.problems import (
    Certificate,
    CertificatePart,
    InfeasibleError,
    Status,
    UndecidableError,
)
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
    "save",
    "show_versions",
]

#: Packages that no estimator needs: imported when they are first asked for.
_LATER = ("optimizers", "plots")


def __getattr__(name: str) -> ModuleType:
    if name in _LATER:
        return import_module(f"maxmargin.{name}")
    raise AttributeError(f"module 'maxmargin' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
