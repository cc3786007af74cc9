"""Support vector machines: exact, certified, fast and visible."""

from maxmargin._core import version as __version__
from maxmargin.estimators import SVC, SVR, HardMarginSVC, NuSVC, NuSVR, OneClassSVM
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
    "SVC",
    "SVR",
    "Certificate",
    "CertificatePart",
    "FileError",
    "HardMarginSVC",
    "InfeasibleError",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "Status",
    "SupportStatus",
    "UndecidableError",
    "__version__",
    "load",
    "save",
    "show_versions",
]
