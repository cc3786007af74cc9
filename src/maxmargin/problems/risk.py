"""The regularised mean loss of linear models, and how far from its minimum a model can be.

    J(w, b) = lambda/2 |w|^2 + l1 |w|_1 + 1/n sum_i s_i h(u_i)

with u_i = y_i f_i or f_i - y_i, f_i = w'x_i + b, and n the number of rows of positive weight s_i.
It is what stochastic steps minimise; the C of the other machines is 1 / (lambda n). Several
outputs, one class against the rest each, have a J each: they are one problem, because a pass over
the rows serves all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.data import Dataset
from maxmargin.kernels import Linear
from maxmargin.losses import EpsilonInsensitive, Hinge, Loss
from maxmargin.problems.certificate import Certificate, CertificatePart
from maxmargin.problems.held_rows import HeldRows
from maxmargin.problems.linear import Intercept, LinearProblem, linear_problem
from maxmargin.problems.solution import Solution
from maxmargin.problems.status import Status


@dataclass(frozen=True, eq=False)
class LinearRisk:
    """Rows, targets and weights with the loss and the penalty of a linear model.

    Parameters
    ----------
    X : ndarray or CSR of shape (n, d)
        Rows.
    y : ndarray of shape (n,)
        Labels -1 and +1 or real targets; with several outputs, the number of each row's.
    weight : ndarray of shape (n,)
        s_i; rows of weight 0 do not count.
    loss : Loss
        One that the core has.
    lam : float
        Factor of the penalty; 0 for none.
    n_outputs : int
        Outputs: 1, or the number of classes.
    intercept : Intercept
        Free, none, or penalised with a scaling of 1.
    own : ndarray of shape (n_outputs,)
        Of several outputs: factor of the weight of each output's own rows, in that output only;
        none for 1.
    l1 : float
        Factor of |w|_1, which is added; with an intercept that is not penalised.
    held : HeldRows, optional
        Other rows, which tell when to stop.

    Examples
    --------
    >>> from maxmargin.losses import Hinge
    >>> X, y = np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0])
    >>> risk = LinearRisk(X, y, np.ones(2), Hinge(), lam=1.0)
    >>> risk.certify_point(np.array([[0.5]]), np.zeros(1)).primal
    0.625
    """

    X: Any
    y: NDArray[np.float64]
    weight: NDArray[np.float64]
    loss: Loss
    lam: float
    n_outputs: int = 1
    intercept: Intercept = field(default_factory=Intercept)
    own: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    l1: float = 0.0
    held: HeldRows | None = None

    def __post_init__(self) -> None:
        if self.loss.core() is None:
            raise ValueError(
                f"loss is {self.loss}; stochastic steps are compiled for the losses of "
                "maxmargin.losses.named_loss. Use maxmargin.optimizers.minimize for others."
            )
        if self.l1 > 0 and self.intercept.penalty > 0:
            raise ValueError(
                f"l1 is {self.l1} but the intercept is penalised; use a free intercept or none."
            )
        if len(self.own) not in (0, self.n_outputs) or len(self.own) == 1:
            raise ValueError(
                f"own has {len(self.own)} factors for {self.n_outputs} outputs; it must have one "
                "for each of several outputs, or none."
            )

    @cached_property
    def data(self) -> _core.Data:
        """The core's view of the rows."""
        return Linear().data(self.X)

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """The rows that count."""
        return np.flatnonzero(self.weight > 0)

    def squared_norms(self) -> NDArray[np.float64]:
        """Return |x|^2 of each row."""
        return Linear().diagonal(self.X)

    def radius(self) -> float:
        """Return the radius of a ball that holds the optimal weights, for Pegasos' projection.

        J at the optimum is at most J(0), the mean of s_i h(o_i), so that lambda/2 |w|^2 is too. Of
        the hinge one knows more: lambda |w|^2 = mean(s_i v_i) - mean(s_i h_i) <= mean(s_i), v_i in
        [0, 1].
        """
        if isinstance(self.loss, Hinge):
            return float(np.sqrt(self.weight.max() * self.own.max(initial=1.0) / self.lam))
        zero = self.untouched().certificate
        return float(np.sqrt(2 * max(part.primal for part in zero.parts) / self.lam))

    def plan(
        self,
        *,
        eta0: float = 1.0,
        convexity: float = 0.0,
        decay: float = 0.0,
        power: float = 1.0,
        origin: int = 0,
        radius: float = 0.0,
        average: bool = False,
        start: float = 0.0,
        forget: float = 0.0,
        intercept_rate: float = 1.0,
        batch: int = 1,
    ) -> _core.Plan:
        """Return the core's form of the problem, with how steps are made."""
        kind, width = self._core_loss
        return _core.Plan(
            loss=kind,
            width=width,
            alpha=self.lam,
            l1=self.l1,
            eta0=eta0,
            convexity=convexity,
            decay=decay,
            power=power,
            origin=origin,
            radius=radius,
            average=average,
            start=start,
            forget=forget,
            intercept=self.intercept.present,
            penalise_intercept=self.intercept.penalty > 0,
            intercept_rate=intercept_rate,
            batch=batch,
            own=self.own,
        )

    @property
    def _core_loss(self) -> tuple[_core.StreamLoss, float]:
        found = self.loss.core()
        assert found is not None  # checked when the problem was made
        return found

    def certify(self, solution: Solution, n_threads: int = 1) -> Certificate:
        """Compute the objective of a solution and a lower bound of all models'.

        Parameters
        ----------
        solution : Solution
            With weights, and one intercept per output as its multipliers.
        n_threads : int
            Threads to use.
        """
        return self.certify_point(solution.w, np.array(solution.multipliers), n_threads=n_threads)

    def certify_point(
        self,
        weights: Any,
        intercepts: NDArray[np.float64],
        *,
        held: bool = False,
        n_threads: int = 1,
    ) -> Certificate:
        """Certify weights that are not a solution yet.

        Parameters
        ----------
        weights : ndarray of shape (n_outputs, d)
            Weights.
        intercepts : ndarray of shape (n_outputs,)
            Intercepts.
        held : bool
            Whether the model has not seen these rows.
        n_threads : int
            Threads to use.
        """
        found = _core.bounds(*self._judged(weights, intercepts), self._unit, n_threads)
        return risk_certificate(found, len(self.rows), held=held)

    def sums(
        self, weights: Any, intercepts: NDArray[np.float64], unit: float, *, n_threads: int = 1
    ) -> NDArray[np.float64]:
        """Return the sums over rows that certificates are made of, a row for each output.

        Those of parts of the rows add up to what `_core.risk_bounds` takes.

        Parameters
        ----------
        weights, intercepts : ndarrays
            As in `certify_point`.
        unit : float
            The scale of margins or residuals, the same for all parts.
        n_threads : int
            Threads to use.
        """
        return _core.risk_sums(*self._judged(weights, intercepts), unit, n_threads)

    def _judged(
        self, weights: Any, intercepts: NDArray[np.float64]
    ) -> tuple[Any, Any, Any, Any, Any, NDArray[np.float64]]:
        return (
            self.data, self.y, self.weight, self.plan(), np.ascontiguousarray(weights), intercepts,
        )  # fmt: skip

    def untouched(self) -> Solution:
        """Return the solution that no step was taken for, certified like any other."""
        w, b = np.zeros((self.n_outputs, self.X.shape[1])), np.zeros(self.n_outputs)
        return Solution(Status.INTERRUPTED, self.certify_point(w, b), tuple(b.tolist()), w=w)

    def exact(self) -> list[LinearProblem]:
        """Return the same problem as the exact machines state it, one per output.

        Their objective is J / lambda, with C = 1 / (lambda n), where there is no l1.

        Examples
        --------
        >>> from maxmargin.losses import Hinge
        >>> X, y = np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0])
        >>> LinearRisk(X, y, np.ones(2), Hinge(), lam=0.1).exact()[0].upper
        array([0., 5.])
        """
        C, problems = 1 / (self.lam * len(self.rows)), []
        for k in range(self.n_outputs):
            y = self.y if self.n_outputs == 1 else np.where(self.y == k, 1.0, -1.0)
            own = np.where(y > 0, self.own[k], 1.0) if len(self.own) else 1.0
            data = Dataset(self.X, y, own * self.weight)
            problems.append(linear_problem(data, self.loss, C, intercept=self.intercept))
        return problems

    @property
    def _unit(self) -> float:
        """The scale of margins is 1, that of residuals the tube's width or the targets' spread."""
        if isinstance(self.loss, EpsilonInsensitive):
            return self.loss.epsilon or 0.1 * float(np.std(self.y)) or 1.0
        return 1.0


def risk_certificate(
    bounds: NDArray[np.float64], n_rows: int, *, held: bool = False
) -> Certificate:
    """Return the certificate of objectives and their bounds.

    Parameters
    ----------
    bounds : ndarray of shape (n_outputs, 3)
        Of each output: objective, lower bound, deviation of the losses of rows.
    n_rows : int
        How many rows count.
    held : bool
        Whether the model has not seen these rows.

    Examples
    --------
    >>> risk_certificate(np.array([[2.0, 1.5, 1.0]]), 100).gap
    0.25
    """
    parts = []
    for primal, bound, deviation in bounds.tolist():
        dual = min(bound, primal)
        gap = (primal - dual) / primal if primal > 0 else 0.0
        parts.append(
            CertificatePart(primal, dual, gap, np.inf, standard_error=deviation / n_rows**0.5)
        )
    return Certificate(tuple(parts), held, n_rows)
