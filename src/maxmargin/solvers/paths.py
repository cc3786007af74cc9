"""All models of a search on shared kernel matrices: the compiled path engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin import _core
from maxmargin.problems import PathGrid
from maxmargin.prompt import Brief

#: Paths of all matrices in memory that keep each thread busy to the end.
_PATHS_EACH = 4


@dataclass(frozen=True, eq=False, repr=False)
class PathOutputs(Brief):
    """What the models of a search say of the rows that they are judged by.

    Parameters
    ----------
    outputs : list of ndarray, shapes (n_kernels, n_Cs, n_test, n_outputs)
        Of each split; where classes vote, the scores of the classes as `Classes.scores` has them.
    codes : list of ndarray of int32 or None
        Of each split, where classes vote: the class that wins, (n_kernels, n_Cs, n_test).
    violation : ndarray, shape (n_kernels, n_splits, n_Cs)
        Largest KKT violation of a part, in float64, with the bound of its own error added; not a
        number where the search was stopped before.
    n_support : ndarray of the same shape
        Support vectors.
    seconds : ndarray of the same shape
        Time of one thread.
    error : BaseException or None
        What ended it early, such as Ctrl-C.
    more : dict of str to ndarray of the same shape
        What else is known of the models.

    Examples
    --------
    >>> from maxmargin.kernels import Linear
    >>> from maxmargin.problems import PathPart
    >>> X, y = np.array([[0.0], [2.0]]), np.array([-1.0, 1.0])
    >>> part, test = PathPart.hinge(np.arange(2), y), [np.arange(2)]
    >>> found = solve_paths(PathGrid(X, [Linear()], [part], np.ones((1, 2)), test, np.array([1.0])))
    >>> found.n_support, bool(found.violation.max() <= 1e-3)
    (array([[[2]]]), True)
    """

    outputs: list[NDArray[np.float64]]
    codes: list[NDArray[np.int32]] | None
    violation: NDArray[np.float64]
    n_support: NDArray[np.int64]
    seconds: NDArray[np.float64]
    error: BaseException | None
    more: dict[str, NDArray[Any]] = field(default_factory=dict)


def solve_paths(
    grid: PathGrid,
    *,
    tol: float = 1e-3,
    memory: int = 2**31,
    n_threads: int = 1,
    progress: Callable[[int, int], bool | None] | None = None,
) -> PathOutputs:
    """Solve all problems of a search; what they share is computed once.

    Parameters
    ----------
    grid : PathGrid
        The problems.
    tol : float
        Upper bound of the KKT violation.
    memory : int
        Bytes for kernel matrices, of which one is there in any case.
    n_threads : int
        Threads to use; results do not depend on it.
    progress : callable, optional
        Called about every 50 ms with the number of paths that are done and of all; True stops it.

    Examples
    --------
    >>> from maxmargin.kernels import RBF
    >>> from maxmargin.problems import PathGrid, PathPart
    >>> X, y = np.array([[0.0], [1.0], [2.0], [3.0]]), np.array([-1.0, -1.0, 1.0, 1.0])
    >>> part = PathPart.hinge(np.arange(4), y)
    >>> grid = PathGrid(X, [RBF()], [part], np.ones((1, 4)), [np.arange(4)], np.array([1.0, 10.0]))
    >>> solve_paths(grid).outputs[0].round(2)[0, :, :, 0]
    array([[-1.  , -0.86,  0.86,  1.  ],
           [-1.  , -1.  ,  1.  ,  1.  ]])
    """
    first = grid.kernels[0]
    sizes = [len(part.rows) for part in grid.parts]
    tests = [len(rows) for rows in grid.test]
    n_paths = len(grid.kernels) * len(grid.parts) * grid.n_splits
    enough = -(-_PATHS_EACH * n_threads // (len(grid.parts) * grid.n_splits))
    room = memory // grid.matrix_bytes
    sums = len(grid.kernels) > 1 and room > 1
    matrices = max(1, min(room - sums, enough, len(grid.kernels)))

    def hook(_part: int, _seconds: float, steps: int, *_rest: Any) -> bool:
        return progress is not None and bool(progress(steps, n_paths))

    outputs, codes, cells, error = _core.solve_grid(
        first.data(grid.X),
        [kernel.core() for kernel in grid.kernels],
        np.concatenate([part.rows for part in grid.parts]),
        np.concatenate([[0], np.cumsum(sizes)]),
        np.concatenate([part.target for part in grid.parts]),
        np.concatenate([part.lower for part in grid.parts]),
        np.concatenate([part.upper for part in grid.parts]),
        np.ascontiguousarray(grid.penalty),
        np.concatenate(grid.test),
        np.concatenate([[0], np.cumsum(tests)]),
        np.ascontiguousarray(grid.Cs, np.float64),
        np.zeros(grid.n_splits) if grid.epsilons is None else grid.epsilons,
        grid.n_classes,
        tol,
        matrices,
        sums,
        n_threads,
        hook,
    )
    ends = np.cumsum(tests)[:-1]
    return PathOutputs(
        outputs=np.split(outputs, ends, axis=2),
        codes=np.split(codes, ends, axis=2) if grid.n_classes > 0 else None,
        violation=cells[..., 0],
        n_support=cells[..., 2].astype(np.int64),
        seconds=cells[..., 1],
        error=error,
    )
