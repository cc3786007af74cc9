"""A smaller set of vectors in the place of the support vectors, and what it costs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.metrics import accuracy_score, r2_score

from maxmargin.export.chain import Chain, Expansion
from maxmargin.export.error import ExportError
from maxmargin.export.reduced_set import distance_bound, is_semidefinite, reduced_set


@dataclass(frozen=True)
class Compression:
    """What a smaller set of vectors costs.

    Parameters
    ----------
    n_before, n_after : int
        Vectors of the machine, and of what was exported.
    bound : float
        Largest distance of an output from the machine's in the kernel's space, rounding included:
        no decision value of a row x moves by more than bound sqrt(k(x, x)).
    share : float
        The same as a share of the length of that output.
    largest : float or None
        Bound of the change at any row where k(x, x) is the same for all, else at the rows given.
    n_rows : int
        Rows that were given.
    moved : float or None
        Largest change of an output at these rows, measured.
    agreement : float or None
        Share of these rows that keep their label.
    score_before, score_after : float or None
        Accuracy at these rows, or R^2 of a regression, if their labels or targets were given.

    Examples
    --------
    >>> print(Compression(100, 10, 0.5, 0.01, 0.5, 0, None, None, None, None))
    10 vectors in the place of 100: no output moves by more than 0.5 (1 % of its length)
    """

    n_before: int
    n_after: int
    bound: float
    share: float
    largest: float | None = None
    n_rows: int = 0
    moved: float | None = None
    agreement: float | None = None
    score_before: float | None = None
    score_after: float | None = None

    def __str__(self) -> str:
        limit = f"{self.bound:.3g} sqrt(k(x, x))" if self.largest is None else f"{self.largest:.3g}"
        text = (
            f"{self.n_after} vectors in the place of {self.n_before}: no output moves by more than "
            f"{limit} ({100 * self.share:.3g} % of its length)"
        )
        if self.moved is not None:
            text += f"; at the {self.n_rows} rows given by {self.moved:.3g} at most"
        if self.agreement is not None:
            text += f", {100 * self.agreement:.4g} % keep their label"
        if self.score_after is not None:
            name = "R^2" if self.agreement is None else "accuracy"
            text += f", {name} {self.score_after:.4f} (was {self.score_before:.4f})"
        return text


def compressed(
    chain: Chain, n_vectors: int, X: Any = None, y: Any = None
) -> tuple[Expansion, Compression]:
    """Return an expansion of fewer vectors, and what it costs.

    Parameters
    ----------
    chain : Chain
        The model.
    n_vectors : int
        How many vectors.
    X, y : array-likes, optional
        Rows as the model takes them, and their labels or targets.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> _, cost = compressed(Chain.of(SVC().fit(X, y)), 20, X, y)
    >>> cost.n_before, cost.n_after, cost.agreement > 0.97, cost.moved <= cost.bound
    (59, 20, True, True)
    """
    if not isinstance(n_vectors, Integral) or isinstance(n_vectors, bool) or n_vectors < 1:
        raise ValueError(f"compress is {n_vectors!r}; it must be a whole number of at least 1")
    given = Expansion.of(chain.machine)
    if given.is_linear:
        raise ExportError(
            "compress fits fewer vectors, and a linear machine has none: its weights are one "
            "vector already; leave compress out"
        )
    if not is_semidefinite(given.kernel):
        raise ExportError(
            f"compress measures distances in the kernel's space, and {given.kernel!r} is not "
            "positive semidefinite: there is none; leave compress out, or fit another kernel"
        )
    fewer = given
    if n_vectors < len(given.vectors):
        Z, W = reduced_set(given.kernel, given.vectors, given.weights, int(n_vectors))
        fewer = replace(given, vectors=Z, weights=W)
    bounds = distance_bound(
        given.kernel, given.vectors, given.weights, fewer.vectors, fewer.weights
    )
    gram = given.kernel.expand(given.vectors, given.vectors, given.weights)
    lengths = np.sqrt(np.maximum((given.weights * gram).sum(axis=0), 0.0))
    cost = Compression(
        n_before=len(given.vectors),
        n_after=len(fewer.vectors),
        bound=float(bounds.max()),
        share=float((bounds / np.where(lengths > 0, lengths, 1.0)).max()),
        largest=_everywhere(given, bounds),
    )
    return fewer, cost if X is None else _measured(chain, given, fewer, bounds, cost, X, y)


def _everywhere(given: Expansion, bounds: NDArray[np.float64]) -> float | None:
    """Return the bound at any row of a kernel that has k(x, x) the same for all."""
    sizes = given.kernel.diagonal(np.vstack([given.vectors, np.zeros((1, given.n_features))]))
    if not (sizes == sizes[0]).all():
        return None
    return float(bounds.max() * np.sqrt(sizes[0]))


def _measured(
    chain: Chain,
    given: Expansion,
    fewer: Expansion,
    bounds: NDArray[np.float64],
    cost: Compression,
    X: Any,
    y: Any,
) -> Compression:
    """Compare both at rows."""
    for _, step in chain.steps:
        X = step.transform(X)
    rows = chain.machine._check_new(X)
    dense = np.asarray(rows.toarray() if sparse.issparse(rows) else rows, np.float64)
    before, after = (
        part.kernel.expand(dense, part.vectors, part.weights) + part.intercepts
        for part in (given, fewer)
    )
    largest = cost.largest
    if largest is None:
        largest = float(cost.bound * np.sqrt(given.kernel.diagonal(dense).max(initial=0.0)))
    cost = replace(
        cost,
        n_rows=len(dense),
        moved=float(np.abs(before - after).max(initial=0.0)),
        largest=largest,
    )
    classes = chain.classes
    if classes is None:
        if y is None:
            return cost
        old, new = (float(r2_score(y, part[:, 0])) for part in (before, after))
        return replace(cost, score_before=old, score_after=new)
    labels = [classes.predict(part, break_ties=chain.break_ties) for part in (before, after)]
    cost = replace(cost, agreement=float(np.mean(labels[0] == labels[1])))
    if y is None:
        return cost
    old, new = (float(accuracy_score(y, part)) for part in labels)
    return replace(cost, score_before=old, score_after=new)
