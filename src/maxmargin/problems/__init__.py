"""Problems as pure data, and what a solver gives back for one."""

from maxmargin.problems.dual import DualProblem, c_svc, certify, untouched
from maxmargin.problems.multiclass import Pair, one_vs_one
from maxmargin.problems.separation import HullPoints, InfeasibleError, UndecidableError
from maxmargin.problems.solution import (
    TRACE,
    Certificate,
    CertificatePart,
    Solution,
    SolverSettings,
    Status,
)

__all__ = [
    "TRACE",
    "Certificate",
    "CertificatePart",
    "DualProblem",
    "HullPoints",
    "InfeasibleError",
    "Pair",
    "Solution",
    "SolverSettings",
    "Status",
    "UndecidableError",
    "c_svc",
    "certify",
    "one_vs_one",
    "untouched",
]
