"""The canonical signed dual, of which every kernel formulation is an instance.

With beta = y alpha and gradient (K + R) beta - target, R a diagonal ridge:

    minimise    1/2 beta'(K + R) beta - target'beta + epsilon |beta|_1
    subject to  lower <= beta <= upper,   sum of beta over group g = totals[g],   one group or two.

                   target   epsilon  totals                box                 ridge
    any tube       those of the loss, `losses.tube`:
      C-SVC        y        0        0                     between 0 and y C_i
      squared      y        0        0                     between 0 and y inf  1 / (2 C_i)
      epsilon-SVR  y        epsilon  0                     [-C_i, C_i]
    nu-SVC         0        0        +-nu sum(s) / 2       between 0 and y s_i
    nu-SVR         y        0        +-nu sum(C_i) / 2     [0, C_i] and [-C_i, 0]
    one-class      0        0        nu sum(s)             [0, s_i]

s_i is the weight of a row. nu-SVC has a group per class. nu-SVR has two variables per row, i and
i + n, one in each group. What the multipliers of the sums mean: `DualProblem.decision`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from math import isfinite
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.kernels import Kernel, Precomputed
from maxmargin.problems.boxed import Boxed
from maxmargin.problems.certificate import Certificate, CertificatePart
from maxmargin.problems.solution import Solution
from maxmargin.problems.status import Status


@dataclass(frozen=True, eq=False)
class DualProblem(Boxed):
    """One instance of the canonical dual.

    Parameters
    ----------
    X : ndarray or CSR of shape (N, d)
        Rows, shared between problems; with a precomputed kernel, its matrix.
    kernel : Kernel
        Kernel function on those rows.
    rows : ndarray of int64, shape (n,)
        The rows of `X` that take part.
    target, lower, upper : ndarray of shape (n,) or (2n,)
        The target and the box of each variable: one per row, or two.
    epsilon : float
        Weight of the absolute values.
    totals : tuple of float
        Sum of the variables of each group.
    group : ndarray of uint8, optional
        Group of each variable, 0 or 1; without it there is one group.
    ridge : ndarray, optional
        Diagonal that is added to the kernel matrix while solving, not when predicting.
    unit_margin : bool
        The two groups lie at margin rho from the boundary: weights and intercept are divided by
        rho, so that it becomes 1.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import c_svc
    >>> c_svc(check_data([[0.0], [1.0]], [-1, 1]), Linear(), C=2.0).upper
    array([0., 2.])
    """

    X: Any
    kernel: Kernel
    rows: NDArray[np.int64]
    target: NDArray[np.float64]
    lower: NDArray[np.float64]
    upper: NDArray[np.float64]
    epsilon: float = 0.0
    totals: tuple[float, ...] = (0.0,)
    group: NDArray[np.uint8] | None = None
    ridge: NDArray[np.float64] | None = None
    unit_margin: bool = False

    @property
    def hard(self) -> bool:
        """Whether it is a hard margin: nothing bounds the dual variables, and no slack is paid."""
        if self.ridge is not None or isfinite(self.upper[0] - self.lower[0]):
            return False
        return not np.isfinite(self.upper - self.lower).any()

    def gram(self) -> NDArray[np.float64]:
        """Return the kernel values of its rows, without the ridge.

        Examples
        --------
        >>> from maxmargin.data import check_data
        >>> from maxmargin.kernels import Linear
        >>> from maxmargin.problems import c_svc
        >>> c_svc(check_data([[1.0], [2.0]], [-1, 1]), Linear()).gram()
        array([[1., 2.],
               [2., 4.]])
        """
        if isinstance(self.kernel, Precomputed):
            return np.asarray(self.X[np.ix_(self.rows, self.rows)], np.float64)
        part = self.X[self.rows]
        return self.kernel(part, part)

    def certify(self, solution: Solution, n_threads: int = 1) -> Certificate:
        """Judge the dual variables of a solution in float64, apart from any solver.

        Parameters
        ----------
        solution : Solution
            With feasible variables.
        n_threads : int
            Threads to compute kernel values with.

        Examples
        --------
        >>> from maxmargin.data import check_data
        >>> from maxmargin.kernels import Linear
        >>> from maxmargin.solvers import solve
        >>> from maxmargin.problems import c_svc
        >>> problem = c_svc(check_data([[-1.0], [1.0]], [-1, 1]), Linear())
        >>> problem.certify(solve([problem])[0]).gap
        0.0
        """
        assert solution.beta is not None
        return self.certify_point(solution.beta, n_threads=n_threads)

    def certify_point(self, beta: NDArray[np.float64], *, n_threads: int = 1) -> Certificate:
        """Certify dual variables that are not a solution.

        Parameters
        ----------
        beta : ndarray of shape (n_variables,)
            Feasible dual variables.
        n_threads : int
            Threads to use.
        """
        [(certificate, _)] = certify_points([self], [beta], n_threads)
        return certificate

    def without(self, held: NDArray[np.bool_]) -> DualProblem:
        """Return the problem of the other rows.

        The rows that are held out stay as variables whose box is empty: the gradient of the
        solution has their decision values, too, and problems that hold out different rows share
        their kernel values. For formulations with one variable per row; where the sums of groups
        are a share of the weights, they become that share of what is left.

        Parameters
        ----------
        held : ndarray of bool, shape (n,)
            Which rows are held out.

        Examples
        --------
        >>> from maxmargin.data import check_data
        >>> from maxmargin.kernels import Linear
        >>> from maxmargin.problems import c_svc
        >>> problem = c_svc(check_data([[0.0], [1.0], [2.0]], [-1, 1, 1]), Linear())
        >>> problem.without(np.array([False, True, False])).upper
        array([0., 0., 1.])
        """
        left = replace(
            self, lower=np.where(held, 0.0, self.lower), upper=np.where(held, 0.0, self.upper)
        )
        if self.group is None:
            return left
        width, room = self.upper - self.lower, left.upper - left.lower
        share = float(room.sum() / width.sum())
        most = min(float(room[self.group == g].sum()) for g in range(len(self.totals)))
        totals = tuple(float(np.clip(share * total, -most, most)) for total in self.totals)
        return replace(left, totals=totals)

    def outputs(self, solution: Solution) -> NDArray[np.float64]:
        """Return the decision values of its rows, from the gradient of a solution.

        For formulations with one variable per row.

        Parameters
        ----------
        solution : Solution
            With its gradient.

        Examples
        --------
        >>> from maxmargin.data import check_data
        >>> from maxmargin.kernels import Linear
        >>> from maxmargin.problems import SolverSettings, c_svc
        >>> from maxmargin.solvers import solve
        >>> problem = c_svc(check_data([[-1.0], [1.0], [5.0]], [-1, 1, 1]), Linear())
        >>> problem.outputs(solve([problem], SolverSettings(gradients=True))[0])
        array([-1.,  1.,  5.])
        """
        assert solution.gradient is not None
        values = solution.gradient + self.target
        if self.ridge is not None and solution.beta is not None:
            values -= self.ridge * solution.beta
        multipliers = solution.multipliers
        return np.asarray((values + sum(multipliers) / len(multipliers)) / self.unit(multipliers))

    def summing_to(self, beta: NDArray[np.float64]) -> DualProblem:
        """Return the same problem with the sums of these variables: that of another nu.

        Parameters
        ----------
        beta : ndarray of shape (n_variables,)
            Dual variables in the box.

        Examples
        --------
        >>> from maxmargin.data import check_data
        >>> from maxmargin.kernels import Linear
        >>> from maxmargin.problems import nu_svc
        >>> problem = nu_svc(check_data([[-1.0], [1.0]], [-1, 1]), Linear(), nu=0.5)
        >>> problem.summing_to(np.array([-0.2, 0.2])).totals
        (0.2, -0.2)
        """
        group = np.zeros(len(beta), np.uint8) if self.group is None else self.group
        sums = np.bincount(group, beta, len(self.totals))
        return replace(self, totals=tuple(sums.tolist()))

    def degenerate(self, solution: Solution) -> bool:
        """Whether a solution of nu-SVC has no margin: rho is zero as far as float64 can tell.

        Parameters
        ----------
        solution : Solution
            Of this problem.

        Examples
        --------
        >>> from maxmargin.data import check_data
        >>> from maxmargin.kernels import Linear
        >>> from maxmargin.problems import nu_svc
        >>> from maxmargin.solvers import solve
        >>> problem = nu_svc(check_data([[-1.0], [1.0]], [-1, 1]), Linear(), nu=0.5)
        >>> problem.degenerate(solve([problem])[0])
        False
        """
        if not self.unit_margin or solution.status > Status.PRECISION:
            return False
        # Divided by a rho that is only rounding, the decisions would be noise.
        return not self.margin(solution.multipliers) > solution.certificate.bound

    def decision(
        self, beta: NDArray[np.float64], multipliers: tuple[float, ...]
    ) -> tuple[NDArray[np.float64], float]:
        """Return the weight of each row and the intercept of sum_i weight_i k(x, x_i) + intercept.

        Parameters
        ----------
        beta : ndarray of shape (n,) or (2n,)
            Dual variables.
        multipliers : tuple of float
            Of the groups' sums: a free variable has the gradient minus that of its group. One
            group: the intercept. nu-SVC: intercept -+ rho, and where that is no margin yet, as in
            a fit that was stopped, nothing is divided. nu-SVR: intercept +- epsilon.

        Examples
        --------
        >>> from maxmargin.data import check_data
        >>> from maxmargin.kernels import Linear
        >>> from maxmargin.problems import nu_svc
        >>> problem = nu_svc(check_data([[-1.0], [1.0]], [-1, 1]), Linear(), nu=1.0)
        >>> problem.decision(np.array([-1.0, 1.0]), (-2.0, 2.0))
        (array([-0.5,  0.5]), 0.0)
        """
        weights = beta.reshape(-1, len(self.rows)).sum(axis=0)
        return weights / self.unit(multipliers), self.intercept(multipliers)

    def intercept(self, multipliers: tuple[float, ...]) -> float:
        """Return the intercept of `decision`.

        Parameters
        ----------
        multipliers : tuple of float
            Of the groups' sums.

        Examples
        --------
        >>> from maxmargin.data import check_data
        >>> from maxmargin.kernels import Linear
        >>> from maxmargin.problems import nu_svc
        >>> problem = nu_svc(check_data([[-1.0], [1.0]], [-1, 1]), Linear(), nu=1.0)
        >>> problem.intercept((-2.0, 4.0))
        0.3333333333333333
        """
        return sum(multipliers) / len(multipliers) / self.unit(multipliers)

    def unit(self, multipliers: tuple[float, ...]) -> float:
        """Return what weights and intercept are divided by: rho of nu-SVC once it is a margin.

        Parameters
        ----------
        multipliers : tuple of float
            Of the groups' sums.

        Examples
        --------
        >>> from maxmargin.data import check_data
        >>> from maxmargin.kernels import Linear
        >>> from maxmargin.problems import c_svc
        >>> c_svc(check_data([[0.0], [1.0]], [-1, 1]), Linear()).unit((0.5,))
        1.0
        """
        rho = self.margin(multipliers) if self.unit_margin else 1.0
        return rho if rho > 0 else 1.0

    def margin(self, multipliers: tuple[float, ...]) -> float:
        """Return rho of nu-SVC, half the distance between the groups' levels.

        Parameters
        ----------
        multipliers : tuple of float
            Of the sums of the two groups.

        Examples
        --------
        >>> from maxmargin.data import check_data
        >>> from maxmargin.kernels import Linear
        >>> from maxmargin.problems import nu_svc
        >>> problem = nu_svc(check_data([[-1.0], [1.0]], [-1, 1]), Linear(), nu=1.0)
        >>> problem.margin((-2.0, 2.0))
        2.0
        """
        return (multipliers[1] - multipliers[0]) / 2


class DualProblems(Sequence[DualProblem]):
    """Problems of one formulation with the same data and kernel, in the same arrays.

    As a sequence it has each of them, as views that are made when they are asked for: of many pairs
    of classes these objects would take longer than the solver.

    Parameters
    ----------
    whole : DualProblem
        The arrays of all, one problem after the other. Of two variables for each row, those of a
        problem follow each other, too.
    sizes : sequence of int
        Rows of each problem.
    totals : ndarray of shape (n_problems, n_groups), optional
        Those of each problem; all as in `whole` by default.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import c_svc
    >>> problem = c_svc(check_data([[0.0], [1.0], [2.0], [3.0]], [-1, 1, -1, 1]), Linear())
    >>> [part.rows for part in DualProblems(problem, [2, 2])]
    [array([0, 1]), array([2, 3])]
    """

    def __init__(
        self,
        whole: DualProblem,
        sizes: Sequence[int],
        totals: NDArray[np.float64] | None = None,
    ) -> None:
        self.whole = whole
        self._places = [0, *accumulate(sizes)]
        self.starts = np.array(self._places, np.int64)
        self.totals = np.array([whole.totals] * len(sizes)) if totals is None else totals
        self._each = whole.n_variables // max(1, len(whole.rows))

    @classmethod
    def of(cls, problems: Sequence[DualProblem]) -> DualProblems:
        """Return problems as such, in arrays of their own if they are not.

        Parameters
        ----------
        problems : sequence of DualProblem
            Of one formulation, with the same data and the same kernel.
        """
        if isinstance(problems, DualProblems):
            return problems
        first = problems[0]
        sizes, totals = [len(problem.rows) for problem in problems], None
        if len(problems) > 1:
            totals = np.array([problem.totals for problem in problems])
            joined: dict[str, Any] = {
                name: np.concatenate([getattr(problem, name) for problem in problems])
                for name in ("rows", "target", "lower", "upper", "group", "ridge")
                if getattr(first, name) is not None
            }
            first = replace(first, **joined)
        return cls(first, sizes, totals)

    def __len__(self) -> int:
        return len(self._places) - 1

    @overload
    def __getitem__(self, k: int) -> DualProblem: ...
    @overload
    def __getitem__(self, k: slice) -> list[DualProblem]: ...
    def __getitem__(self, k: int | slice) -> DualProblem | list[DualProblem]:
        if isinstance(k, slice):
            return [self[place] for place in range(len(self))[k]]
        if len(self) == 1:
            return [self.whole][k]
        k = range(len(self))[k]
        begin, end = self._places[k : k + 2]
        whole, variables = self.whole, slice(self._each * begin, self._each * end)
        return DualProblem(
            whole.X,
            whole.kernel,
            whole.rows[begin:end],
            whole.target[variables],
            whole.lower[variables],
            whole.upper[variables],
            whole.epsilon,
            tuple(self.totals[k].tolist()),
            None if whole.group is None else whole.group[variables],
            None if whole.ridge is None else whole.ridge[variables],
            whole.unit_margin,
        )

    @property
    def variable_starts(self) -> NDArray[np.int64]:
        """Where the variables of each problem begin among those of all, and where the last end."""
        return self._each * self.starts

    def core(self) -> _core.Problems:
        """Return them in the form that the compiled core takes."""
        whole = self.whole
        return _core.Problems(
            whole.kernel.data(whole.X),
            whole.kernel.core(),
            whole.rows,
            self.starts,
            whole.target,
            whole.lower,
            whole.upper,
            whole.epsilon,
            self.totals,
            whole.group,
            whole.ridge,
        )

    def support_of(
        self, beta: NDArray[np.float64], codes: NDArray[np.int64] | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int8]]:
        """Return the rows that any solution uses.

        Parameters
        ----------
        beta : ndarray
            The dual variables of all.
        codes : ndarray of int64, optional
            A number for each row of the data, by which rows are sorted.

        Returns
        -------
        rows : ndarray of int64, shape (m,)
            Places in the data.
        weights : ndarray of shape (m, n_problems)
            Signed dual variables; where a row has two, their sum.
        status : ndarray of int8, shape (m, n_problems)
            0 where that is zero, 2 where it is at another bound, else 1.

        Examples
        --------
        >>> from maxmargin.data import check_data
        >>> from maxmargin.kernels import Linear
        >>> from maxmargin.problems import c_svc
        >>> problem = c_svc(check_data([[-1.0], [1.0], [5.0]], [-1, 1, 1]), Linear(), C=0.5)
        >>> DualProblems.of([problem]).support_of(np.array([-0.5, 0.5, 0.0]))[2].tolist()
        [[2], [2]]
        """
        whole = self.whole
        rows, weights, status = _core.support_of(
            whole.rows, self.starts, beta, whole.lower, whole.upper, codes
        )
        return rows.view(np.int64), weights, status

    def units(self, multipliers: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return `DualProblem.unit` of each.

        Parameters
        ----------
        multipliers : ndarray of shape (n_problems, n_groups)
            Of the sums of their groups.
        """
        if not self.whole.unit_margin:
            return np.ones(len(multipliers))
        return np.array([self.whole.unit(tuple(each)) for each in multipliers.tolist()])


def core_certificate(core: Any) -> Certificate:
    """Take over a certificate that the compiled core computed.

    Parameters
    ----------
    core : _core.Certificate or _core.LinearCertificate
        Of one problem.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> core = SimpleNamespace(primal=2.0, dual=1.0, gap=0.5, violation=0.1, bound=0.0)
    >>> core_certificate(core).gap
    0.5
    """
    convex = getattr(core, "convex", True)
    part = CertificatePart(core.primal, core.dual, core.gap, core.violation, core.bound, convex)
    return Certificate((part,))


def first_point(problem: DualProblem) -> NDArray[np.float64]:
    """Return where a solver begins: zero, or the first variables filled until the sums are met.

    Parameters
    ----------
    problem : DualProblem
        A problem.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import RBF
    >>> from maxmargin.problems import one_class
    >>> first_point(one_class(check_data([[0.0], [1.0], [2.0]], [0, 0, 0]), RBF(), nu=0.5))
    array([1. , 0.5, 0. ])
    """
    beta = np.zeros(problem.n_variables)
    for g, total in enumerate(problem.totals):
        members = slice(None) if problem.group is None else problem.group == g
        ends = problem.upper[members] if total > 0 else -problem.lower[members]
        if total != 0:
            used_up = np.cumsum(ends) - ends
            beta[members] = np.copysign(np.clip(abs(total) - used_up, 0.0, ends), total)
    return beta


def certify_points(
    problems: Sequence[DualProblem],
    points: Sequence[NDArray[np.float64] | None],
    n_threads: int = 1,
    stop: Callable[[], bool] | None = None,
) -> list[tuple[Certificate, tuple[float, ...]]]:
    """Judge feasible dual variables: their certificates, and the multipliers these are of.

    Parameters
    ----------
    problems : sequence of DualProblem
        Of one formulation, with the same data and the same kernel.
    points : sequence of ndarray
        Dual variables of each.
    n_threads : int
        Threads to compute kernel values with.
    stop : callable, optional
        Asked about every 50 ms; when it says so, the problems that are left are left out.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import c_svc
    >>> problem = c_svc(check_data([[-1.0], [1.0]], [-1, 1]), Linear())
    >>> [(certificate, multipliers)] = certify_points([problem], [np.array([-0.5, 0.5])])
    >>> certificate.gap, abs(multipliers[0])
    (0.0, 0.0)
    """
    hook = None if stop is None else lambda *_: stop()
    together = DualProblems.of(problems)
    beta = np.concatenate([np.asarray(point) for point in points])
    found, error = _core.certify_all(together.core(), beta, n_threads, hook)
    if error is not None:
        raise error
    return [
        (core_certificate(core), core.intercepts[: len(problem.totals)])
        for problem, core in zip(problems, found, strict=False)
    ]


def untouched(problems: Sequence[DualProblem]) -> list[Solution]:
    """State the solutions that no step was taken for, certified like any other.

    Parameters
    ----------
    problems : sequence of DualProblem
        Of one formulation, with the same data and the same kernel.

    Examples
    --------
    >>> from maxmargin.data import check_data
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import c_svc
    >>> problem = c_svc(check_data([[0.0], [1.0]], [-1, 1]), Linear())
    >>> untouched([problem])[0].certificate.primal
    2.0
    """
    points = [first_point(problem) for problem in problems]
    return [
        Solution(Status.INTERRUPTED, certificate, multipliers, beta=beta)
        for beta, (certificate, multipliers) in zip(
            points, certify_points(problems, points), strict=True
        )
    ]
