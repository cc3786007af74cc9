"""What a solver is asked and what it answers: settings, status, certificate, trace."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from operator import add
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core

#: One row of the course of a fit.
TRACE = np.dtype(
    [
        ("part", np.int64),
        ("time", np.float64),
        ("iterations", np.int64),
        ("primal", np.float64),
        ("dual", np.float64),
        ("gap", np.float64),
        ("violation", np.float64),
        ("n_support", np.int64),
    ]
)


class Status(enum.IntEnum):
    """How a fit ended, best first.

    Examples
    --------
    >>> max(Status.OPTIMAL, Status.TIME_LIMIT).name
    'TIME_LIMIT'
    """

    #: The certified violation, its own error included, is at most tol.
    OPTIMAL = 0
    #: Steps in float64 no longer improve it, and tol is not certified.
    PRECISION = 1
    #: max_iter was reached first.
    MAX_ITERATIONS = 2
    #: time_limit was reached first.
    TIME_LIMIT = 3
    #: Ctrl-C, or the callback asked to stop.
    INTERRUPTED = 4


@dataclass(frozen=True)
class SolverSettings:
    """How far and how long to solve.

    Parameters
    ----------
    tol : float
        Upper bound of the violation; a single small problem is solved to rounding anyway.
    max_iter : int
        Most pair steps; -1 for the safety limit of 1e8, or a thousand a variable.
    cache_size : float
        Megabytes for kernel rows.
    n_threads : int
        Threads; results do not depend on it.
    on_interrupt : {"raise", "keep"}
        Whether an exception while solving (Ctrl-C, or one of the progress function) is raised, or
        ends the solver with what it has.
    alone : bool
        Whether the problem is all there is to solve; not one of many, which end at `tol` and share
        the cache.

    Examples
    --------
    >>> SolverSettings(tol=1e-6).tol
    1e-06
    """

    tol: float = 1e-3
    max_iter: int = -1
    cache_size: float = 200.0
    n_threads: int = 1
    on_interrupt: Literal["raise", "keep"] = "raise"
    alone: bool = True


@dataclass(frozen=True)
class CertificatePart:
    """How good the solution of one binary (or the only) problem is, in float64.

    Parameters
    ----------
    primal, dual : float
        Objectives P and D of the point; the optimum lies between them.
    gap : float
        Relative duality gap (P - D) / max(|P|, |D|).
    violation : float
        Largest violating pair, m - M, in units of the margin or the regression target.
    bound : float
        The error of `violation` itself is at most this.
    convex : bool
        Whether no direction of negative curvature was met. With a kernel that is not positive
        semidefinite the point is a local optimum, and `dual` and `gap` say nothing about others.

    Examples
    --------
    >>> CertificatePart(2.0, 1.9, 0.05, 1e-4, 1e-12).within(1e-3)
    True
    """

    primal: float
    dual: float
    gap: float
    violation: float
    bound: float
    convex: bool = True

    @classmethod
    def from_core(cls, core: _core.Certificate) -> CertificatePart:
        """Take over what the compiled core computed."""
        return cls(core.primal, core.dual, core.gap, core.violation, core.bound, core.convex)

    def within(self, tol: float) -> bool:
        """Whether the violation is proven to be at most tol."""
        return self.violation + self.bound <= tol


@dataclass(frozen=True)
class Certificate:
    """The certificates of all binary problems of a fit.

    Parameters
    ----------
    parts : tuple of CertificatePart
        One for each problem, in the order of the classes' pairs; a single one for two classes.

    Examples
    --------
    >>> part = CertificatePart(2.0, 1.9, 0.05, 1e-4, 1e-12)
    >>> Certificate((part,)).worst is part
    True
    """

    parts: tuple[CertificatePart, ...]

    @property
    def worst(self) -> CertificatePart:
        """The part with the largest violation, its bound included."""
        return max(self.parts, key=lambda part: part.violation + part.bound)

    @property
    def primal(self) -> float:
        """Sum of the primal objectives."""
        return sum(part.primal for part in self.parts)

    @property
    def dual(self) -> float:
        """Sum of the dual objectives."""
        return sum(part.dual for part in self.parts)

    @property
    def gap(self) -> float:
        """Largest relative duality gap."""
        return max(part.gap for part in self.parts)

    @property
    def violation(self) -> float:
        """Largest KKT violation."""
        return max(part.violation for part in self.parts)

    @property
    def convex(self) -> bool:
        """Whether all problems are convex as far as was seen, so that the optimum is global."""
        return all(part.convex for part in self.parts)

    @property
    def bound(self) -> float:
        """Largest bound on a violation's own error."""
        return max(part.bound for part in self.parts)


@dataclass(frozen=True)
class Work:
    """What a solver has computed, and where its time went; counts do not depend on threads.

    Parameters
    ----------
    kernel_entries, exact_entries : int
        Kernel values computed, or looked up in a given matrix; those of them in float64.
    cache_hits : int
        Kernel rows that were found in the cache when they were needed.
    bytes : int
        Of kernel rows and of the gradient, read and written while rows were added to it.
    flops : float
        Operations of the kernel values; one of float64 counts as two.
    kernel_seconds, gradient_seconds, pair_seconds, newton_seconds : float
        Time spent on kernel values, on adding rows to the gradient, on the two kinds of steps.

    Examples
    --------
    >>> (Work(bytes=3) + Work(bytes=4, cache_hits=1)).bytes
    7
    """

    kernel_entries: int = 0
    exact_entries: int = 0
    cache_hits: int = 0
    bytes: int = 0
    flops: float = 0.0
    kernel_seconds: float = 0.0
    gradient_seconds: float = 0.0
    pair_seconds: float = 0.0
    newton_seconds: float = 0.0

    def __add__(self, other: Work) -> Work:
        return Work(*map(add, vars(self).values(), vars(other).values()))


@dataclass(frozen=True, eq=False)
class Solution:
    """A point, how good it is, and how it was found.

    Parameters
    ----------
    b : ndarray of shape (n,)
        Signed dual variables.
    multipliers : tuple of float
        Of the sums of the variables' groups; what they mean: `DualProblem.decision`.
    status : Status
        How the solver ended.
    certificate : CertificatePart
        Its quality.
    trace : structured ndarray
        Rows of `TRACE`.
    iterations, newton_steps, rows_computed : int
        Pair steps, Newton steps, full kernel rows.
    seconds, certificate_seconds : float
        Time of the solve, and of the exact passes over the data in it.
    work : Work
        What it took.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import c_svc
    >>> from maxmargin.solvers import smo
    >>> smo(c_svc(check_data([[-1.0], [1.0]], [-1, 1]), Linear())).b
    array([-0.5,  0.5])
    """

    b: NDArray[np.float64]
    multipliers: tuple[float, ...]
    status: Status
    certificate: CertificatePart
    trace: NDArray[np.void]
    iterations: int
    newton_steps: int
    rows_computed: int
    seconds: float
    certificate_seconds: float
    work: Work = Work()
