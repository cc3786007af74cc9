"""How far and how long to solve."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isinf
from typing import Literal

from maxmargin.problems.steps import Steps


@dataclass(frozen=True)
class SolverSettings:
    """How far and how long to solve.

    Parameters
    ----------
    tol : float
        Upper bound of the violation (kernel problems) or of the relative gap (linear ones). A
        single small problem is solved to rounding anyway. Kernel problems may have an infinite
        one, and a `tol_gap`: they end as soon as that gap is proven. For stochastic steps, the
        least share of the objective that two passes must win.
    tol_gap : float or None
        Of kernel problems: upper bound of the relative gap as well.
    max_iter : int
        Most pair steps, Newton steps or passes; -1 for the method's safety limit.
    cache_size : float
        Megabytes for kernel rows.
    n_threads : int
        Threads; results do not depend on it.
    on_interrupt : {"raise", "keep"}
        Whether an exception while solving (Ctrl-C, or one of the progress function) is raised, or
        ends the solver with what it has.
    method : str or Steps
        "auto", or one of the names in `solvers.solve`; for a `LinearRisk`, how its steps are made.
    gradients : bool
        Whether solutions of kernel problems have the gradient of all their variables.

    Examples
    --------
    >>> SolverSettings(tol=1e-6).tol
    1e-06
    """

    tol: float = 1e-3
    tol_gap: float | None = None
    max_iter: int = -1
    cache_size: float = 200.0
    n_threads: int = 1
    on_interrupt: Literal["raise", "keep"] = "raise"
    method: str | Steps = "auto"
    gradients: bool = False

    @property
    def ending_gap(self) -> float:
        """The gap that ends a fit, however large the violation; infinite where `tol` is not."""
        return self.tol_gap if isinf(self.tol) and self.tol_gap is not None else inf
