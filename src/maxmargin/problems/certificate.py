"""How good a solution is."""

from __future__ import annotations

from dataclasses import dataclass


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
        Largest violating pair, m - M, in units of the margin or the regression target; infinite
        where it is not known, after stochastic steps.
    bound : float
        The error of `violation` itself is at most this.
    convex : bool
        Whether no direction of negative curvature was met. With a kernel that is not positive
        semidefinite the point is a local optimum, and `dual` and `gap` say nothing about others.
    standard_error : float
        Of `primal`, as an estimate of the objective on all data that rows like these come from;
        known after stochastic steps, else 0.

    Examples
    --------
    >>> CertificatePart(2.0, 1.9, 0.05, 1e-4, 1e-12).within(1e-3)
    True
    """

    primal: float
    dual: float
    gap: float
    violation: float
    bound: float = 0.0
    convex: bool = True
    standard_error: float = 0.0

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
    held : bool
        False: the rows are all rows of the fit, and the gap is proven for them. True: they are a
        block of a stream that the model had not seen yet. Then `primal` estimates the objective on
        the stream, within its `standard_error`, and the gap is too large rather than too small on
        average, because the best model of a block is better on it than the best model of the
        stream is.
    n_rows : int
        After stochastic steps, the rows that it speaks of; else 0.

    Examples
    --------
    >>> part = CertificatePart(2.0, 1.9, 0.05, 1e-4, 1e-12)
    >>> Certificate((part,)).worst is part
    True
    """

    parts: tuple[CertificatePart, ...]
    held: bool = False
    n_rows: int = 0

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

    @property
    def standard_error(self) -> float:
        """Upper bound of the standard error of `primal`."""
        return sum(part.standard_error for part in self.parts)
