"""Kernel expansions over support vectors: f_p(x) = sum_k weights[k, p] k(x, x_k) + intercept_p."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.kernels import Kernel, Linear, Precomputed
from maxmargin.models.calibration import Calibration, probabilities_of
from maxmargin.models.classes import Classes
from maxmargin.problems import DualProblem, DualProblems, Solution, Solutions

#: What a model keeps for the next prediction.
_KEPT = ("_exact", "_rough")
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
    """Support vectors with a column of weights and an intercept for each output.

    Parameters
    ----------
    kernel : Kernel
        Kernel function.
    vectors : rows of shape (m, d)
        Support vectors, sorted by class where there are classes.
    support : ndarray of int64, shape (m,)
        Their places in the training data.
    weights : ndarray of shape (m, p)
        Signed dual variables, zero where a row takes no part in a problem.
    status : ndarray of int8, shape (m, p)
        `SupportStatus` of each.
    intercepts : ndarray of shape (p,)
        One per output.
    n_support : ndarray of int32, shape (k,)
        Support vectors of each class, or of all.
    classes : Classes, optional
        What the outputs speak for; None for a regression.
    calibration : Sigmoids, Softmax or VennAbers, optional
        How outputs become probabilities.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import c_svc
    >>> from maxmargin.solvers import solve
    >>> problem = c_svc(check_data([[-1.0], [1.0], [5.0]], [-1, 1, 1]), Linear())
    >>> model = KernelModel.of([problem], solve([problem]), classes=Classes(np.array([-1, 1])))
    >>> model.support, model.decide(problem.X)[:, 0], model.predict(problem.X)
    (array([0, 1]), array([-1.,  1.,  5.]), array([-1,  1,  1]))
    """

    kernel: Kernel
    vectors: Any
    support: NDArray[np.int64]
    weights: NDArray[np.float64]
    status: NDArray[np.int8]
    intercepts: NDArray[np.float64]
    n_support: NDArray[np.int32]
    classes: Classes | None = None
    calibration: Calibration | None = None

    @classmethod
    def of(
        cls,
        problems: Sequence[DualProblem],
        solutions: Sequence[Solution],
        *,
        kernel: Kernel | None = None,
        X: Any = None,
        classes: Classes | None = None,
        codes: NDArray[np.int64] | None = None,
    ) -> KernelModel:
        """Gather the rows that any of the solutions uses.

        Parameters
        ----------
        problems, solutions : sequences of equal length
            Problems on the same rows, one per output, and their solutions.
        kernel : Kernel, optional
            To predict with, where it is not the problems' own.
        X : rows, optional
            Training rows to predict with, where they are not the problems' own.
        classes : Classes, optional
            What the outputs speak for.
        codes : ndarray of int64, optional
            Number of the class of each training row, by which support vectors are sorted.
        """
        together, found = DualProblems.of(problems), Solutions.of(solutions)
        support, weights, status = together.support_of(found.beta, codes)
        n_support = np.array([len(support)], np.int32)
        if codes is not None and classes is not None:
            n_support = np.bincount(codes[support], minlength=len(classes.names)).astype(np.int32)
        multipliers = found.multipliers
        units = together.units(multipliers)
        return cls(
            kernel=kernel or together.whole.kernel,
            vectors=_rows(together.whole.X if X is None else X, support),
            support=support,
            weights=weights if (units == 1.0).all() else weights / units,
            status=status,
            intercepts=multipliers.sum(axis=1) / multipliers.shape[1] / units,
            n_support=n_support,
            classes=classes,
        )

    # ---- Predicting -------------------------------------------------------------------------

    def decide(self, Z: Any, n_threads: int = 1) -> NDArray[np.float64]:
        """Evaluate all outputs at the rows of Z.

        Parameters
        ----------
        Z : rows of shape (n, d)
            Where to evaluate. With a precomputed kernel, its values against all training rows or
            against the support vectors alone.
        n_threads : int
            Threads to use.

        Returns
        -------
        ndarray of shape (n, p)
        """
        sums = self._kept("_exact", self.kernel.expansion, n_threads)
        return np.asarray(sums(self._values(Z), n_threads) + self.intercepts)

    def predict(self, Z: Any, n_threads: int = 1, *, break_ties: bool = False) -> NDArray[Any]:
        """Return the class of each row of Z, or the value of a regression.

        Parameters
        ----------
        Z, n_threads
            As in `decide`.
        break_ties : bool
            As in `Classes.predict`.

        Returns
        -------
        ndarray of shape (n,)
        """
        if self.classes is None:
            return np.asarray(self.decide(Z, n_threads)[:, 0])
        exact = break_ties and len(self.intercepts) > 1
        outputs = self.decide(Z, n_threads) if exact else self._settle(Z, self.classes, n_threads)
        return self.classes.predict(outputs, break_ties=break_ties)

    def probabilities(
        self, Z: Any, n_threads: int = 1, *, break_ties: bool = False
    ) -> NDArray[np.float64]:
        """Return the probability of each class for each row of Z, of a calibrated model.

        Parameters
        ----------
        Z, n_threads, break_ties
            As in `predict`, whose class has the largest.

        Returns
        -------
        ndarray of shape (n, n_classes)
        """
        assert self.classes is not None
        outputs = self.decide(Z, n_threads)
        codes = self.classes.codes(outputs, break_ties=break_ties)
        return probabilities_of(self, outputs, codes, n_threads)

    def _settle(self, Z: Any, classes: Classes, n_threads: int) -> NDArray[np.float64]:
        """Evaluate all outputs as exactly as a class needs them.

        Float32 decides where it can and float64 does the rest. Where a sixteenth of the rows shows
        that it often cannot, all others are left to float64.
        """
        # Rows of a kernel written in Python may be of any kind.
        few = getattr(Z, "shape", (0,))[0] < _FEW_ROWS
        pack = self.kernel.rough_expansion
        rough = None if few else self._kept("_rough", pack, n_threads)
        if rough is None:
            return self.decide(Z, n_threads)
        # An infinite bound times no weights at all is infinite.
        size = np.maximum(np.abs(self.weights).sum(axis=0), np.finfo(np.float64).tiny)

        def attempt(rows: Any) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
            outputs, errors = rough(rows, n_threads)
            outputs += self.intercepts
            return outputs, classes.settled(outputs, errors[:, None] * size)

        tried = Z.shape[0] // 16
        first, done = attempt(Z[:tried])
        if np.mean(done) <= _WORTHWHILE:
            return self.decide(Z, n_threads)
        rest, more = attempt(Z[tried:])
        outputs, done = np.concatenate([first, rest]), np.concatenate([done, more])
        again = np.flatnonzero(~done)
        if len(again) > 0:
            outputs[again] = self.decide(Z[again], n_threads)
        return outputs

    def _values(self, Z: Any) -> Any:
        """With a kernel matrix, the columns of the support vectors."""
        if not isinstance(self.kernel, Precomputed):
            return Z
        alone = Z.shape[1] == len(self.support) != self.vectors.shape[1]
        return Z if alone else Z[:, self.support]

    def _kept(self, name: str, pack: Any, n_threads: int) -> Any:
        """Support vectors and weights as the kernel uses them, kept for the next call.

        Made when first needed, and no part of the model. Threads that come at the same time may
        each make their own: the last one stays.
        """
        if name not in vars(self):
            vars(self)[name] = pack(self.vectors, self.weights, n_threads)
        return vars(self)[name]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in _KEPT}

    def widened(self, n_features: int) -> KernelModel:
        """Return the same model of rows with more features, which are zero in support vectors.

        Parameters
        ----------
        n_features : int
            Number of features, at least as many as there are.
        """
        vectors = self.vectors.copy()
        vectors.resize((self.vectors.shape[0], n_features))
        return replace(self, vectors=vectors)

    # ---- As scikit-learn has it -------------------------------------------------------------

    @property
    def coef(self) -> Any:
        """Weights of the features, shape (p, d), of a linear kernel; CSR if the vectors are."""
        if not isinstance(self.kernel, Linear):
            raise AttributeError(
                'coef_ is only available when using a linear kernel, kernel="linear"'
            )
        if sparse.issparse(self.vectors):
            # Sorted, since who adds or measures the weights would otherwise sort them in place.
            return (type(self.vectors)(self.weights.T) @ self.vectors).tocsr().sorted_indices()
        return np.asarray(self.weights.T @ self.vectors)

    @property
    def dual_coef(self) -> NDArray[np.float64]:
        """Weights in LIBSVM's layout: row r belongs to the pair with the r-th other class."""
        if self.classes is None or len(self.classes.names) == 2 or self.classes.scheme == "ovr":
            return np.ascontiguousarray(self.weights.T)
        k = len(self.classes.names)
        own = np.repeat(np.arange(k), self.n_support)
        pair_of = np.zeros((k, k), np.int64)
        first, second = np.triu_indices(k, 1)
        pair_of[first, second] = pair_of[second, first] = np.arange(len(first))
        coef = np.empty((k - 1, len(own)))
        for r in range(k - 1):
            other = np.where(own <= r, r + 1, r)
            coef[r] = self.weights[np.arange(len(own)), pair_of[own, other]]
        return coef


def _rows(X: Any, places: NDArray[np.int64]) -> Any:
    """Take rows of anything that has rows."""
    if isinstance(X, np.ndarray) or sparse.issparse(X):
        return X[places]
    if hasattr(X, "iloc"):
        return X.iloc[places]
    return [X[place] for place in places.tolist()]
