"""Support vector machines: exact, certified, fast and visible."""

from maxmargin._core import version as __version__
from maxmargin.estimators import SVC
from maxmargin.models import SupportStatus
from maxmargin.problems import Certificate, CertificatePart, Status
from maxmargin.versions import show_versions

__all__ = [
    "SVC",
    "Certificate",
    "CertificatePart",
    "Status",
    "SupportStatus",
    "__version__",
    "show_versions",
]
