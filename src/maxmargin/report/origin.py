"""Whether rows are those that a model was fitted to, as far as the model itself can tell.

kernel machine   keeps its support vectors with their places: all rows of the fit in their order
                 are known for certain, single ones by being equal to a support vector
linear machine   keeps its dual variables: on the rows of the fit, and hardly on others, they
                 give the certificate again
others           keep nothing of their rows
"""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

#: Up to this share of rows that are equal to support vectors are taken for copies among new rows.
COPIES = 0.02
#: How near a certificate comes to itself when it is computed again.
SAME = 1e-6


class Origin(enum.Enum):
    """Where rows come from, as seen from a model.

    Examples
    --------
    >>> Origin("new").name
    'NEW'
    """

    TRAINING = "training"
    SOME_TRAINING = "some training"
    NEW = "new"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Provenance:
    """Where rows come from, and how that is known.

    Parameters
    ----------
    origin : Origin
        What they are.
    reason : str
        How that is known, as the end of a sentence.
    copies : int
        As many rows are equal to support vectors.

    Examples
    --------
    >>> Provenance(Origin.NEW, "so it was said").optimistic
    False
    """

    origin: Origin
    reason: str
    copies: int = 0

    @property
    def optimistic(self) -> bool:
        """Whether the model has seen some of the rows, so that scores are too good."""
        return self.origin in (Origin.TRAINING, Origin.SOME_TRAINING)


def provenance(
    machine: Any, features: Any, y: NDArray[Any] | None, told: bool | None
) -> Provenance:
    """Find out whether rows are those of the fit.

    Parameters
    ----------
    machine : estimator
        Fitted: the last step of a pipeline.
    features : array-like of shape (n, d)
        Rows as this step sees them.
    y : ndarray of shape (n,) or None
        Labels or targets.
    told : bool or None
        What the user says: True for the rows of the fit, False for new ones.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> X, y = np.array([[0.0], [1.0], [3.0]]), np.array([0, 1, 1])
    >>> model = SVC().fit(X, y)
    >>> provenance(model, X, y, None).origin, provenance(model, X + 9, y, None).origin
    (<Origin.TRAINING: 'training'>, <Origin.NEW: 'new'>)
    """
    found = _recognised(machine, features, y)
    if told is None or found.origin is Origin.TRAINING:
        return found  # rows that were recognised are not new, whatever is said of them
    origin = Origin.TRAINING if told else Origin.NEW
    return (
        found if found.origin is origin else replace(found, origin=origin, reason="it was stated")
    )


def _recognised(machine: Any, features: Any, y: NDArray[Any] | None) -> Provenance:
    if hasattr(machine, "support_vectors_") and hasattr(machine, "support_"):
        return _by_vectors(machine, features)
    if hasattr(machine, "certify") and len(getattr(machine, "solutions_", [])) > 0:
        return _by_certificate(machine, features, y)
    return Provenance(Origin.UNKNOWN, "because such a model keeps nothing of its rows")


def _by_vectors(machine: Any, features: Any) -> Provenance:
    vectors, support = _rows(machine.support_vectors_), np.asarray(machine.support_)
    rows, n_fit = _rows(features), getattr(machine, "shape_fit_", (0,))[0]
    if len(vectors) == 0 or len(support) != len(vectors):
        return Provenance(Origin.UNKNOWN, "because the model has no support vectors")
    exact = len(rows) > support.max(initial=-1) and all(
        rows[place] == vector for place, vector in zip(support.tolist(), vectors, strict=True)
    )
    if exact and n_fit == len(rows):
        return Provenance(
            Origin.TRAINING, f"all {len(vectors):,} support vectors are found at their places"
        )
    known = set(vectors)
    seen = sum(row in known for row in rows)
    if seen <= max(1, COPIES * len(rows)):
        few = "hardly any" if seen > 0 else "none"
        return Provenance(Origin.NEW, f"{few} of them is a support vector of the model", seen)
    return Provenance(
        Origin.SOME_TRAINING, f"{seen:,} of {len(rows):,} are equal to support vectors", seen
    )


def _by_certificate(machine: Any, features: Any, y: NDArray[Any] | None) -> Provenance:
    try:
        again = machine.certify(features, y)
    except (ValueError, AttributeError, TypeError):
        # Another number of rows, other classes or weights; or steps that leave no dual variables.
        if features.shape[0] == getattr(machine, "_n_rows", None):
            return Provenance(Origin.UNKNOWN, "because the model keeps nothing that would tell")
        return Provenance(Origin.UNKNOWN, "though they are not exactly the rows of the fit")
    stated = machine.certificate_
    scale = max(abs(stated.primal), abs(stated.dual), np.finfo(float).tiny)
    near = max(abs(again.primal - stated.primal), abs(again.dual - stated.dual))
    if near <= SAME * scale:
        return Provenance(Origin.TRAINING, "on them the certificate of the fit comes out again")
    return Provenance(Origin.UNKNOWN, "though they are not exactly the rows of the fit")


def _rows(values: Any) -> list[bytes]:
    """Rows as bytes that are equal where the numbers are."""
    dense = values.toarray() if sparse.issparse(values) else np.asarray(values)
    # Adding zero makes a negative zero positive.
    return [row.tobytes() for row in np.ascontiguousarray(dense, np.float64) + 0.0]
