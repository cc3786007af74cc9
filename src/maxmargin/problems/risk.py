"""The regularised mean loss of linear models, and how far from its minimum a model can be.

    J(w, b) = alpha/2 |w|^2 + 1/n sum_i s_i h(u_i),  u_i = y_i f_i or f_i - y_i,  f_i = w'x_i + b

with n the number of rows of positive weight s_i. It is what stochastic steps minimise; the C of the
other machines is 1 / (alpha n). Several outputs, one class against the rest each, have a J each.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.kernels import Linear

#: Losses by the names that estimators use.
LOSSES = {
    "hinge": _core.StreamLoss.hinge,
    "squared_hinge": _core.StreamLoss.squared_hinge,
    "logistic": _core.StreamLoss.logistic,
    "perceptron": _core.StreamLoss.perceptron,
    "epsilon_insensitive": _core.StreamLoss.epsilon_insensitive,
    "squared_epsilon_insensitive": _core.StreamLoss.squared_epsilon_insensitive,
    "huber": _core.StreamLoss.huber,
}


@dataclass(frozen=True)
class RiskBound:
    """How good one output is.

    Parameters
    ----------
    primal : float
        Its objective J.
    dual : float
        No model has a lower J than this.
    standard_error : float
        Of `primal`, as an estimate of J on all data that rows like these come from.

    Examples
    --------
    >>> RiskBound(primal=0.5, dual=0.4, standard_error=0.01).gap
    0.19999999999999996
    """

    primal: float
    dual: float
    standard_error: float

    @property
    def gap(self) -> float:
        """Relative gap (P - D) / P: no model is better by a larger share."""
        return (self.primal - self.dual) / self.primal if self.primal > 0 else 0.0


@dataclass(frozen=True)
class RiskCertificate:
    """How good a linear model is on some rows.

    Parameters
    ----------
    parts : tuple of RiskBound
        One for each output.
    held : bool
        False: the rows are all rows of the fit, and the gap is proven for them. True: they are a
        block that the model had not seen yet. Then `primal` estimates the objective on the stream,
        within its `standard_error`, and the gap is too large rather than too small on average,
        because the best model of a block is better on it than the best model of the stream is.
    n_rows : int
        How many rows.

    Examples
    --------
    >>> part = RiskBound(0.5, 0.4, 0.01)
    >>> RiskCertificate((part,), held=False, n_rows=100).primal
    0.5
    """

    parts: tuple[RiskBound, ...]
    held: bool
    n_rows: int

    @property
    def primal(self) -> float:
        """Sum of the objectives."""
        return sum(part.primal for part in self.parts)

    @property
    def dual(self) -> float:
        """Sum of the lower bounds."""
        return sum(part.dual for part in self.parts)

    @property
    def gap(self) -> float:
        """Relative gap of the sums."""
        return (self.primal - self.dual) / self.primal if self.primal > 0 else 0.0

    @property
    def standard_error(self) -> float:
        """Upper bound of the standard error of `primal`."""
        return sum(part.standard_error for part in self.parts)


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
    loss : str
        A name in `LOSSES`.
    width : float
        epsilon of the insensitive losses, delta of Huber's, the threshold of the perceptron's.
    alpha : float
        Factor of the penalty.
    n_outputs : int
        Outputs: 1, or the number of classes.
    intercept : {"free", "penalized", "none"}
        Whether b exists, and whether it is inside |w|^2.

    Examples
    --------
    >>> X, y = np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0])
    >>> risk = LinearRisk(X, y, np.ones(2), "hinge", 0.0, alpha=1.0)
    >>> certificate = risk.certify(np.array([[0.5]]), np.zeros(1))
    >>> certificate.primal, certificate.n_rows
    (0.625, 2)
    """

    X: Any
    y: NDArray[np.float64]
    weight: NDArray[np.float64]
    loss: str
    width: float
    alpha: float
    n_outputs: int = 1
    intercept: Literal["free", "penalized", "none"] = "free"

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

        J at the optimum is at most J(0), the mean of s_i h(o_i), so that alpha/2 |w|^2 is too. Of
        the hinge one knows more: alpha |w|^2 = mean(s_i v_i) - mean(s_i h_i) <= mean(s_i), v_i in
        [0, 1].
        """
        if self.loss == "hinge":
            return float(np.sqrt(self.weight.max() / self.alpha))
        zero = self.certify(np.zeros((1, self.X.shape[1])), np.zeros(1))
        return float(np.sqrt(2 * zero.primal / self.alpha))

    def plan(
        self,
        *,
        eta0: float = 1.0,
        decay: float = 0.0,
        gentle: bool = False,
        radius: float = 0.0,
        average: bool = False,
        start: float = 0.0,
        forget: float = 0.0,
        intercept_rate: float = 1.0,
        batch: int = 1,
    ) -> _core.Plan:
        """Return the core's form of the problem, with how steps are made."""
        return _core.Plan(
            loss=LOSSES[self.loss],
            width=self.width,
            alpha=self.alpha,
            eta0=eta0,
            decay=decay,
            gentle=gentle,
            radius=radius,
            average=average,
            start=start,
            forget=forget,
            intercept=self.intercept != "none",
            penalise_intercept=self.intercept == "penalized",
            intercept_rate=intercept_rate,
            batch=batch,
        )

    def certify(
        self,
        weights: NDArray[np.float64],
        intercepts: NDArray[np.float64],
        *,
        held: bool = False,
        n_threads: int = 1,
    ) -> RiskCertificate:
        """Compute the objective of a model and a lower bound of all models'.

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
        n = len(self.rows)
        found = _core.bounds(
            self.data,
            self.y,
            self.weight,
            self.plan(),
            np.ascontiguousarray(weights),
            intercepts,
            self._unit,
            n_threads,
        )
        parts = tuple(
            RiskBound(float(primal), min(float(dual), float(primal)), float(deviation) / n**0.5)
            for primal, dual, deviation in found
        )
        return RiskCertificate(parts, held, n)

    @property
    def _unit(self) -> float:
        """The scale of margins is 1, that of residuals the tube's width or the targets' spread."""
        if self.loss == "epsilon_insensitive":
            return self.width or 0.1 * float(np.std(self.y)) or 1.0
        return 1.0
