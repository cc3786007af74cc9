"""Where a fit begins that goes on from the last one: its dual variables, known by their rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.models import KernelModel, SupportStatus
from maxmargin.problems import DualProblem, Solution, nearest_feasible


def warm_starts(
    fitted: tuple[KernelModel, Sequence[Solution], Sequence[Hashable]],
    problems: Sequence[DualProblem],
    keys: Sequence[Hashable],
    X: Any,
    *,
    by_place: bool,
) -> Iterator[NDArray[np.float64] | None]:
    """Yield for each new problem a feasible point near the old one's solution, or None.

    Parameters
    ----------
    fitted : tuple of KernelModel, solutions and keys
        The last fit, and what each of its problems was about: classes, or None.
    problems, keys : sequences
        The new problems, and what they are about.
    X : rows
        The new rows.
    by_place : bool
        Whether rows are recognised by their place; else by their values, wherever they stand.
    """
    model, solutions, old_keys = fitted
    places = model.support if by_place else _places(model.vectors, X)
    known = {key: p for p, key in enumerate(old_keys)}
    for key, problem in zip(keys, problems, strict=True):
        if key not in known:
            yield None
            continue
        p = known[key]
        beta = model.weights[:, p] * problem.unit(solutions[p].multipliers)
        # At a bound, and the bound may be another now.
        beta[model.status[:, p] == SupportStatus.AT_BOUND] *= np.inf
        size = int(problem.rows.max()) + 1
        used = (model.status[:, p] != SupportStatus.ZERO) & (places >= 0) & (places < size)
        value = np.zeros(size)
        value[places[used]] = beta[used]
        chosen = value[problem.rows]
        if problem.n_variables != len(chosen):
            chosen = np.concatenate([np.maximum(chosen, 0.0), np.minimum(chosen, 0.0)])
        yield nearest_feasible(problem, chosen)


def _places(vectors: Any, X: Any) -> NDArray[np.int64]:
    """Where each support vector stands in the new data; -1 where it does not."""
    waiting: dict[bytes, list[int]] = defaultdict(list)
    for k, content in enumerate(_contents(vectors)):
        waiting[content].append(k)
    places = np.full(vectors.shape[0], -1)
    for place, content in enumerate(_contents(X)):
        if waiting.get(content):
            places[waiting[content].pop(0)] = place
    return places


def _contents(X: Any) -> Iterator[bytes]:
    if not sparse.issparse(X):
        for row in np.ascontiguousarray(X):
            yield row.tobytes()
        return
    for i in range(X.shape[0]):
        part = slice(X.indptr[i], X.indptr[i + 1])
        yield X.indices[part].astype(np.int64).tobytes() + X.data[part].tobytes()
