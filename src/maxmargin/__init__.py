"""Support vector machines: exact, certified, fast and visible."""

from maxmargin._core import version as __version__
from maxmargin.estimators import (
    SGDSVC,
    SGDSVR,
    SVC,
    SVR,
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
from maxmargin.patch import patch_sklearn, unpatch_sklearn
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
    "save",
    "show_versions",
    "unpatch_sklearn",
]
