"""All models of a search without a kernel matrix: rows of it are shared instead."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels import Precomputed
from maxmargin.models import Classes
from maxmargin.problems import DualProblem, PathGrid, Solution, SolverSettings
from maxmargin.solvers import PathOutputs, Watch, solve

Array = NDArray[np.float64]


def solve_by_rows(
    grid: PathGrid,
    *,
    tol: float = 1e-3,
    memory: int = 2**31,
    n_threads: int = 1,
    progress: Callable[[int, int], bool | None] | None = None,
) -> PathOutputs:
    """Solve all problems of a search; splits share the kernel rows that they look at.

    The rows that a split does not learn from stay as variables with an empty box: problems of all
    splits have the same rows, and the gradient of a solution has the outputs of those held out.

    Parameters
    ----------
    grid : PathGrid
        The problems.
    tol : float
        Upper bound of the KKT violation.
    memory : int
        Bytes for kernel rows.
    n_threads : int
        Threads to use; results do not depend on it.
    progress : callable, optional
        Called about every 50 ms with the number of models that are done and of all; True stops it.

    Examples
    --------
    >>> from maxmargin.kernels import RBF
    >>> from maxmargin.problems import PathPart
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([-1.0, -1.0, 1.0, 1.0])
    >>> part, test = PathPart.hinge(np.arange(4), y), [np.arange(4)]
    >>> found = solve_by_rows(PathGrid(X, [RBF()], [part], np.ones((1, 4)), test, np.array([1.0])))
    >>> found.outputs[0].round(2)[0, :, :, 0]
    array([[-1.  , -0.86,  0.86,  1.  ]])
    """
    shape = (len(grid.kernels), grid.n_splits, len(grid.Cs))
    n_models, done = int(np.prod(shape)), 0
    watch = Watch(lambda _: progress is not None and progress(done, n_models))
    settings = SolverSettings(
        tol=tol, cache_size=memory / 2**20, n_threads=n_threads, gradients=True
    )
    width = grid.n_classes or len(grid.parts)
    outputs = [np.full((shape[0], shape[2], len(test), width), np.nan) for test in grid.test]
    codes = [np.full(values.shape[:3], -1, np.int32) for values in outputs]
    violation, support = np.full(shape, np.nan), np.zeros(shape, np.int64)
    seconds = np.zeros(shape)
    error: BaseException | None = None
    try:
        for k in range(shape[0]):
            found: Sequence[Solution] | None = None
            for c in range(shape[2]):
                began = time.perf_counter()
                problems = _problems(grid, k, c)
                ratio = grid.Cs[c] / grid.Cs[max(c - 1, 0)]
                starts = None if found is None else _scaled(problems, found, ratio)
                found = solve(problems, settings, watch, starts)
                if watch.expired:
                    raise _Stopped
                for s in range(shape[1]):
                    own = slice(s * len(grid.parts), (s + 1) * len(grid.parts))
                    values = _outputs(grid, k, s, problems[own], found[own])
                    if grid.n_classes:
                        classes = Classes(np.arange(grid.n_classes))
                        codes[s][k, c] = classes.codes(values)
                        values = classes.scores(values)
                    outputs[s][k, c] = values
                    worst = [solution.certificate.worst for solution in found[own]]
                    violation[k, s, c] = max(one.violation + one.bound for one in worst)
                    support[k, s, c] = _n_support(problems[own], found[own])
                done += shape[1]
                seconds[k, :, c] = (time.perf_counter() - began) / shape[1]
    except _Stopped:
        pass
    except BaseException as raised:  # as the compiled engine: given back with what is there
        error = raised
    return PathOutputs(
        outputs, codes if grid.n_classes else None, violation, support, seconds, error
    )


class _Stopped(Exception):  # noqa: N818 - not an error
    """The search is to end."""


def _problems(grid: PathGrid, k: int, c: int) -> list[DualProblem]:
    """State the problems of a kernel and a C, split by split, in them part by part."""
    epsilons = np.zeros(grid.n_splits) if grid.epsilons is None else grid.epsilons
    return [
        DualProblem(
            grid.X,
            grid.kernels[k],
            part.rows,
            part.target,
            grid.Cs[c] * penalty[part.rows] * part.lower,
            grid.Cs[c] * penalty[part.rows] * part.upper,
            float(epsilons[s]),
        )
        for s, penalty in enumerate(grid.penalty)
        for part in grid.parts
    ]


def _scaled(
    problems: Sequence[DualProblem], before: Sequence[Solution], ratio: float
) -> list[Array]:
    """Return the last solutions for a larger C: bounded variables are at the new bound."""
    return [
        np.clip(ratio * one.beta, problem.lower, problem.upper)
        for problem, one in zip(problems, before, strict=True)
        if one.beta is not None
    ]


def _outputs(
    grid: PathGrid,
    k: int,
    s: int,
    problems: Sequence[DualProblem],
    found: Sequence[Solution],
) -> Array:
    """Return the outputs of the parts at the test rows of a split."""
    test = grid.test[s]
    columns = []
    for problem, solution in zip(problems, found, strict=True):
        place = np.full(len(grid.penalty[s]), -1)
        place[problem.rows] = np.arange(len(problem.rows))
        if (place[test] >= 0).all():
            columns.append(problem.outputs(solution)[place[test]])
            continue
        assert solution.beta is not None
        weights, b = problem.decision(solution.beta, solution.multipliers)
        if isinstance(problem.kernel, Precomputed):
            columns.append(grid.X[np.ix_(test, problem.rows)] @ weights + b)
            continue
        used = np.flatnonzero(weights)
        centres: Any = grid.X[problem.rows[used]]
        sums = grid.kernels[k].expansion(centres, weights[used, None])
        columns.append(sums(grid.X[test], 1)[:, 0] + b)
    return np.stack(columns, axis=-1)


def _n_support(problems: Sequence[DualProblem], found: Sequence[Solution]) -> int:
    used = [p.rows[f.beta != 0] for p, f in zip(problems, found, strict=True)]
    return len(np.unique(np.concatenate(used)))
