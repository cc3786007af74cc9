"""Support vector machines: exact, certified, fast and visible."""

from maxmargin._core import version as __version__
from maxmargin.estimators import (
    SVC,
    SVR,
    HardMarginSVC,
    LinearSVC,
    LinearSVR,
    NuSVC,
    NuSVR,
    OneClassSVM,
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

__all__ = [
    "SVC",
    "SVR",
    "Certificate",
    "CertificatePart",
    "HardMarginSVC",
    "InfeasibleError",
    "LinearSVC",
    "LinearSVR",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "Status",
    "SupportStatus",
    "UndecidableError",
    "__version__",
    "l1_min_c",
    "show_versions",
]
