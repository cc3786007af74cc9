"""Kernel expansions over support vectors: f_p(x) = sum_k weights[k, p] k(x, x_k) + intercept_p."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels import Kernel
from maxmargin.problems import DualProblem, RowVariables, Solution

T = TypeVar("T")
#: Which rows' labels outputs decide that are within bounds of the exact ones.
Settled: TypeAlias = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.bool_]]

#: What a model keeps for the next prediction.
_KEPT = ("_packed", "_rough")
#: Fewer rows are not worth a second precision.
_FEW_ROWS = 128
#: Share of rows that float32 must decide to be quicker than float64 alone.
_WORTHWHILE = 0.6


class SupportStatus(enum.IntEnum):
    """What a support vector is to one binary problem.

    Examples
    --------
    >>> SupportStatus(2).name
    'AT_BOUND'
    """

    #: Not one of this problem's rows, or zero in it.
    ZERO = 0
    #: On the margin, 0 < alpha < C.
    FREE = 1
    #: Inside the margin or on its wrong side, alpha = C.
    AT_BOUND = 2


@dataclass(frozen=True, eq=False)
class KernelModel:
    """Support vectors with a column of weights and an intercept for each binary problem.

    Parameters
    ----------
    kernel : Kernel
        Kernel function.
    support : ndarray of int64, shape (m,)
        Rows of the training data that are support vectors.
    weights : ndarray of shape (m, p)
        Signed dual variables, zero where a row takes no part in a problem.
    status : ndarray of int8, shape (m, p)
        `SupportStatus` of each.
    intercepts : ndarray of shape (p,)
        One an output.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import c_svc
    >>> from maxmargin.solvers import smo
    >>> problem = c_svc(check_data([[-1.0], [1.0], [5.0]], [-1, 1, 1]), Linear())
    >>> model = KernelModel.from_solutions([problem], [smo(problem)])
    >>> model.support
    array([0, 1])
    >>> model.decisions(problem.X, problem.X[model.support])[:, 0]
    array([-1.,  1.,  5.])
    """

    kernel: Kernel
    support: NDArray[np.int64]
    weights: NDArray[np.float64]
    status: NDArray[np.int8]
    intercepts: NDArray[np.float64]

    def _kept(self, name: str, support_vectors: Any, pack: Callable[..., T], n_threads: int) -> T:
        """Support vectors and weights as the kernel uses them, kept for the next call.

        Made when first needed, and no part of the model. Threads that come at the same time may
        each make their own: the last one stays.
        """
        kept = vars(self).get(name)
        if kept is None or kept[0] is not support_vectors:
            kept = support_vectors, pack(support_vectors, self.weights, n_threads)
            vars(self)[name] = kept
        found: T = kept[1]
        return found

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in _KEPT}

    @classmethod
    def from_solutions(
        cls,
        problems: Sequence[DualProblem],
        solutions: Sequence[Solution],
        kernel: Kernel | None = None,
        found: RowVariables | None = None,
    ) -> KernelModel:
        """Gather the rows that any of the solutions uses.

        Parameters
        ----------
        problems, solutions : sequences of equal length
            Binary problems on the same rows, and their solutions.
        kernel : Kernel, optional
            The kernel to predict with where it is not the problems' own.
        found : RowVariables, optional
            The solutions' variables by rows, where the caller has them already.
        """
        pairs = list(zip(problems, solutions, strict=True))
        found = found or RowVariables.of(problems, [solution.b for solution in solutions])
        used = np.zeros(found.rows.max(initial=-1) + 1, np.bool_)
        used[found.rows] = True
        support = np.flatnonzero(used)
        place, column = (np.cumsum(used) - 1)[found.rows], found.problem
        units = np.array([problem.unit(solution.multipliers) for problem, solution in pairs])
        weights = np.zeros((len(support), len(problems)))
        weights[place, column] = found.value / units[column]
        status = np.zeros(weights.shape, np.int8)
        status[place, column] = np.where(found.at_bound, SupportStatus.AT_BOUND, SupportStatus.FREE)
        multipliers = np.array([solution.multipliers for solution in solutions])
        return cls(
            kernel=kernel or problems[0].kernel,
            support=support,
            weights=weights,
            status=status,
            intercepts=multipliers.mean(axis=1) / units,
        )

    def reordered(self, order: NDArray[np.int64]) -> KernelModel:
        """List the support vectors in another order.

        Parameters
        ----------
        order : ndarray of int64, shape (m,)
            Places in the present order.
        """
        return replace(
            self,
            support=self.support[order],
            weights=np.ascontiguousarray(self.weights[order]),
            status=self.status[order],
        )

    def decisions(self, Z: Any, support_vectors: Any, n_threads: int = 1) -> NDArray[np.float64]:
        """Evaluate all outputs at the rows of Z.

        Parameters
        ----------
        Z : rows of shape (n, d)
            Where to evaluate.
        support_vectors : rows of shape (m, d)
            The training rows in `support`. They are packed at the first call: later ones with the
            same object do not look at its values again.
        n_threads : int
            Threads to use.

        Returns
        -------
        ndarray of shape (n, p)
        """
        sums = self._kept("_packed", support_vectors, self.kernel.expansion, n_threads)
        return sums(Z, n_threads) + self.intercepts

    def settle(
        self, Z: Any, support_vectors: Any, settled: Settled, n_threads: int = 1
    ) -> NDArray[np.float64]:
        """Evaluate all outputs at the rows of Z, as exactly as a label needs them.

        Float32 decides where it can and float64 does the rest. Where a sixteenth of the rows shows
        that it often cannot, all others are left to float64.

        Parameters
        ----------
        Z, support_vectors, n_threads
            As of `decisions`.
        settled : callable
            Given outputs and bounds on how far they are from those of `decisions`, both of shape
            (n, p), says of which rows the label is the same, shape (n,).

        Returns
        -------
        ndarray of shape (n, p)
            Outputs that have the labels of `decisions`.
        """
        # Rows of a kernel written in Python may be of any kind.
        few = getattr(Z, "shape", (0,))[0] < _FEW_ROWS
        pack = self.kernel.rough_expansion
        rough = None if few else self._kept("_rough", support_vectors, pack, n_threads)
        if rough is None:
            return self.decisions(Z, support_vectors, n_threads)
        # An infinite bound times no weights at all is infinite.
        size = np.maximum(np.abs(self.weights).sum(axis=0), np.finfo(np.float64).tiny)

        def attempt(rows: Any) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
            decisions, errors = rough(rows, n_threads)
            decisions += self.intercepts
            return decisions, settled(decisions, errors[:, None] * size)

        tried = Z.shape[0] // 16
        first, done = attempt(Z[:tried])
        if np.mean(done) > _WORTHWHILE:
            rest, more = attempt(Z[tried:])
            decisions, done = np.concatenate([first, rest]), np.concatenate([done, more])
            again = np.flatnonzero(~done)
        else:
            return self.decisions(Z, support_vectors, n_threads)
        if len(again) > 0:
            decisions[again] = self.decisions(Z[again], support_vectors, n_threads)
        return decisions
