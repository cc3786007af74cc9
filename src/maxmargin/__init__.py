"""Support vector machines: exact, certified, fast and visible."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from maxmargin._core import version as __version__
from maxmargin.data.files import FileError
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
from maxmargin.versions import show_versions

if TYPE_CHECKING:
    from maxmargin.storage import load, save

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

#: What no estimator needs is imported when it is first asked for: packages, and functions of one.
_PACKAGES = ("optimizers", "plots", "storage")
_FUNCTIONS = {"load": "storage", "save": "storage"}


def __getattr__(name: str) -> Any:
    if name in _PACKAGES:
        return import_module(f"maxmargin.{name}")
    if name in _FUNCTIONS:
        return getattr(import_module(f"maxmargin.{_FUNCTIONS[name]}"), name)
    raise AttributeError(f"module 'maxmargin' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_PACKAGES, *_FUNCTIONS})
