"""Linear models: f_p(x) = w_p'x + b_p, one output per binary problem or per class."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin.kernels import Linear
from maxmargin.models.calibration import Calibration, probabilities_of
from maxmargin.models.classes import Classes
from maxmargin.problems import CrammerSingerProblem, LinearProblem, Solution


@dataclass(frozen=True, eq=False)
class LinearModel:
    """Weights of the features, and the dual variables of the rows they were made of.

    Parameters
    ----------
    coef : ndarray or CSR of shape (p, d)
        Weights, one row per output.
    intercepts : ndarray of shape (p,)
        One per output.
    support : ndarray of int64, shape (m,)
        Rows of the training data with a dual variable other than zero in some problem; none where
        dual variables are not known.
    weights : ndarray of shape (p, m)
        Their signed dual variables, exactly zero or at a bound where they are.
    classes : Classes, optional
        What the outputs speak for; None for a regression.
    calibration : Sigmoids, Softmax or VennAbers, optional
        How outputs become probabilities.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.losses import Hinge
    >>> from maxmargin.problems import linear_problem
    >>> from maxmargin.solvers import solve
    >>> problem = linear_problem(check_data([[-1.0], [1.0], [5.0]], [-1, 1, 1]), Hinge())
    >>> model = LinearModel.of([problem], solve([problem]))
    >>> model.support, model.decide(np.array([[3.0]])).round(6)
    (array([0, 1]), array([[3.]]))
    """

    coef: Any
    intercepts: NDArray[np.float64]
    support: NDArray[np.int64]
    weights: NDArray[np.float64]
    classes: Classes | None = None
    calibration: Calibration | None = None

    @classmethod
    def of(
        cls,
        problems: Sequence[LinearProblem | CrammerSingerProblem],
        solutions: Sequence[Solution],
        *,
        classes: Classes | None = None,
    ) -> LinearModel:
        """Collect the solutions of all problems of one data set.

        Parameters
        ----------
        problems, solutions : sequences
            Problems on the same X, and their solutions.
        classes : Classes, optional
            What the outputs speak for.
        """
        variables, n_rows = [], problems[0].X.shape[0]
        for problem, solution in zip(problems, solutions, strict=True):
            beta = np.atleast_2d(np.asarray(solution.beta))
            variables.append(np.zeros((len(beta), n_rows)))
            variables[-1][:, problem.rows] = beta
        every = _stacked(variables)
        used = every if len(every) == 1 else np.any(every, axis=0, keepdims=True)
        support = used.nonzero()[1]
        return cls(
            coef=_stacked([np.atleast_2d(np.asarray(found.w)) for found in solutions]),
            intercepts=np.array([b for found in solutions for b in found.multipliers]),
            support=support,
            weights=every[:, support],
            classes=classes,
        )

    @classmethod
    def plain(
        cls,
        coef: NDArray[np.float64],
        intercepts: NDArray[np.float64],
        classes: Classes | None = None,
    ) -> LinearModel:
        """Return a model of which no dual variables are known.

        Parameters
        ----------
        coef, intercepts, classes
            As in the class.
        """
        return cls(coef, intercepts, np.zeros(0, np.int64), np.zeros((len(coef), 0)), classes)

    def decide(self, Z: Any, n_threads: int = 1) -> NDArray[np.float64]:
        """Evaluate all outputs at the rows of Z.

        Parameters
        ----------
        Z : ndarray or CSR of shape (n, d)
            Where to evaluate, float32 or float64.
        n_threads : int
            Threads to use.

        Returns
        -------
        ndarray of shape (n, p)
        """
        if sparse.issparse(self.coef):
            products = Z @ self.coef.T
            dense = products.toarray() if sparse.issparse(products) else products
            return np.asarray(dense + self.intercepts, np.float64)
        return _core.linear_scores(Linear().data(Z), self.coef, self.intercepts, n_threads)

    @property
    def dense_coef(self) -> NDArray[np.float64]:
        """Weights as an array."""
        return np.asarray(self.coef.toarray() if sparse.issparse(self.coef) else self.coef)

    def predict(self, Z: Any, n_threads: int = 1) -> NDArray[Any]:
        """Return the class of each row of Z, or the value of a regression.

        Parameters
        ----------
        Z, n_threads
            As in `decide`.

        Returns
        -------
        ndarray of shape (n,)
        """
        outputs = self.decide(Z, n_threads)
        return np.asarray(outputs[:, 0]) if self.classes is None else self.classes.predict(outputs)

    def probabilities(self, Z: Any, n_threads: int = 1) -> NDArray[np.float64]:
        """Return the probability of each class for each row of Z, of a calibrated model.

        Parameters
        ----------
        Z, n_threads
            As in `decide`.

        Returns
        -------
        ndarray of shape (n, n_classes)
        """
        assert self.classes is not None
        outputs = self.decide(Z, n_threads)
        return probabilities_of(self, outputs, self.classes.codes(outputs), n_threads)

    def variables(self, output: int | slice, n_rows: int) -> NDArray[np.float64]:
        """Return the dual variables of all training rows in one output, or in several.

        Parameters
        ----------
        output : int or slice
            Which output, or which ones.
        n_rows : int
            Number of training rows.
        """
        known = self.weights[output]
        beta = np.zeros((*known.shape[:-1], n_rows))
        beta[..., self.support] = known
        return beta


def _stacked(parts: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return matrices one below the other; a single one as it is."""
    return parts[0] if len(parts) == 1 else np.concatenate(parts)
