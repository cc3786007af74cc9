"""What `solvers.solve_paths` is to say, by single fits in float64 that share nothing."""

import time

import numpy as np

from maxmargin.kernels import Precomputed
from maxmargin.models import Classes
from maxmargin.problems import DualProblem, SolverSettings
from maxmargin.solvers import PathOutputs, solve


def solve_paths(grid, *, tol, memory, n_threads, progress=None):
    """The same arguments and results; `progress` is told of every fit."""
    shape = (len(grid.kernels), len(grid.penalty), len(grid.Cs))
    n_fits, width = int(np.prod(shape)), grid.n_classes or len(grid.parts)
    outputs = [np.full((shape[0], shape[2], len(rows), width), np.nan) for rows in grid.test]
    codes = [np.zeros(each.shape[:3], np.int32) for each in outputs] if grid.n_classes else None
    cells, error = np.full((3, *shape), np.nan), None
    try:
        for done, (k, s, c) in enumerate(np.ndindex(*shape)):
            if progress is not None and progress(done, n_fits):
                break
            began = time.perf_counter()
            problems = [_problem(grid, part, k, s, c) for part in grid.parts]
            found = solve(problems, SolverSettings(tol=tol, n_threads=n_threads))
            values = np.stack(
                [
                    _outputs(grid, problem, solution, grid.test[s])
                    for problem, solution in zip(problems, found, strict=True)
                ],
                axis=-1,
            )
            if codes is not None:
                classes = Classes(np.arange(grid.n_classes))
                codes[s][k, c], values = classes.codes(values), classes.scores(values)
            outputs[s][k, c] = values
            worst = [solution.certificate.worst for solution in found]
            used = [p.rows[f.beta != 0] for p, f in zip(problems, found, strict=True)]
            cells[:, k, s, c] = (
                max(part.violation + part.bound for part in worst),
                len(np.unique(np.concatenate(used))),
                time.perf_counter() - began,
            )
    except BaseException as raised:
        error = raised
    return PathOutputs(outputs, codes, *cells, error)


def _problem(grid, part, k, s, c):
    counts = grid.penalty[s, part.rows] > 0
    rows = part.rows[counts]
    size = grid.Cs[c] * grid.penalty[s, rows]
    return DualProblem(
        X=grid.X,
        kernel=grid.kernels[k],
        rows=rows,
        target=part.target[counts],
        lower=size * part.lower[counts],
        upper=size * part.upper[counts],
        epsilon=0.0 if grid.epsilons is None else float(grid.epsilons[s]),
    )


def _outputs(grid, problem, solution, test):
    weights, b = problem.decision(solution.beta, solution.multipliers)
    if isinstance(problem.kernel, Precomputed):
        return grid.X[np.ix_(test, problem.rows)] @ weights + b
    expansion = problem.kernel.expansion(grid.X[problem.rows], weights[:, None])
    return expansion(grid.X[test], 1)[:, 0] + b
