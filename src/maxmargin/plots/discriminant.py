"""The plane of the discriminant: the decision value f across, and how rows differ else upwards.

Every row is at its own f, whatever the kernel and the number of features, so that boundary and
margin are the lines f = 0 and f = -1, +1. Upwards is the first principal component of what f does
not tell: of the rows, as the machine sees them, less their regression on f.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.plots.classifier import Classifier
from maxmargin.plots.table import dense


@dataclass(frozen=True, eq=False)
class Discriminant:
    """Where each row is, and what the two axes are called.

    Parameters
    ----------
    places : ndarray of shape (n, 2)
        Decision value and component of each row.
    names : tuple of two str
        Labels of the axes.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> X = [[-1.0, 2.0, 0.0], [1.0, 0.0, 0.0], [-1.0, -2.0, 0.0]]
    >>> model = SVC(kernel="linear").fit(X, ["no", "yes", "no"])
    >>> plane = Discriminant.of(Classifier(model, X))
    >>> plane.places.round(6) + 0.0
    array([[-1.,  2.],
           [ 1.,  0.],
           [-1., -2.]])
    >>> plane.names
    ('f, positive for yes', 'component beside f (75% of variance)')
    """

    places: NDArray[np.float64]
    names: tuple[str, str]

    #: No row lies beside it, and nothing is fixed.
    hides: ClassVar[bool] = False
    note: ClassVar[str] = ""

    @classmethod
    def of(cls, classifier: Classifier) -> Discriminant:
        """Compute the plane of a classifier and its rows.

        Parameters
        ----------
        classifier : Classifier
            With one decision value per row.
        """
        if not classifier.has_scores:
            raise ValueError(
                "features is 'output', but there is no single decision value: it needs two classes "
                "and a decision_function."
            )
        f = classifier.scores(classifier.table.values)
        component, share = beside(dense(classifier.features).astype(np.float64), f)
        names = f"f, positive for {classifier.names[1]}", f"component beside f ({share:.0%}"
        return cls(np.column_stack([f, component]), (names[0], f"{names[1]} of variance)"))

    def coordinates(self, X: Any) -> NDArray[np.float64]:
        """Return the places of the rows it was made of.

        Parameters
        ----------
        X : rows
            These.
        """
        return self.places

    def marks(self, levels: Sequence[float]) -> NDArray[np.float64]:
        """Return points that a picture must hold: one on the line of each level.

        Parameters
        ----------
        levels : sequence of float
            Decision values.
        """
        return np.array([[level, self.places[:, 1].mean()] for level in levels])

    def scores(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the decision values of points of the plane.

        Parameters
        ----------
        points : ndarray of shape (m, 2)
            Points.
        """
        return points[:, 0]


def beside(rows: NDArray[np.float64], f: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Return the first principal component of rows less their regression on f, and its share.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        Rows.
    f : ndarray of shape (n,)
        What is known of them already.

    Returns
    -------
    ndarray of shape (n,)
        Their coordinates along the component; zero if f tells all.
    float
        Its share of the variance of the rows.

    Examples
    --------
    >>> component, share = beside(np.array([[0.0, 3.0], [1.0, 0.0], [0.0, -3.0]]), np.eye(3)[1])
    >>> component.round(6) + 0.0, round(share, 2)
    (array([ 3.,  0., -3.]), 0.96)
    """
    centred, known = rows - rows.mean(axis=0), f - f.mean()
    total = float((centred**2).sum())
    rest = centred - np.outer(known, known @ centred) / max(float(known @ known), 1e-300)
    # The smaller of the two matrices of products has the same largest eigenvalue.
    wide = rest.shape[0] < rest.shape[1]
    values, vectors = np.linalg.eigh(rest @ rest.T if wide else rest.T @ rest)
    if total == 0 or values[-1] <= 1e-20 * total:
        return np.zeros(len(rows)), 0.0
    direction = rest.T @ vectors[:, -1] if wide else vectors[:, -1]
    # The sign of a direction is free: let its largest entry be positive.
    direction /= np.linalg.norm(direction) * np.sign(direction[np.abs(direction).argmax()])
    return rest @ direction, float(values[-1]) / total
