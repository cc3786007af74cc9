"""Data in a picture of a decision function: where each row is, and what the model makes of it."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.plots.classifier import Classifier
from maxmargin.plots.surface import Surface

#: One row of data in a picture of a decision function.
POINT = np.dtype(
    [
        ("x", np.float64),
        ("y", np.float64),
        ("code", np.int64),
        ("decision", np.float64),
        ("alpha", np.float64),
        ("slack", np.float64),
        ("margin", np.float64, (2,)),
        ("boundary", np.float64, (2,)),
        ("radius", np.float64),
    ]
)


def points_of(
    classifier: Classifier,
    y: ArrayLike | None,
    places: NDArray[np.float64],
    surface: Surface | None,
) -> NDArray[np.void]:
    """Judge and measure rows.

    Parameters
    ----------
    classifier : Classifier
        The model and the rows.
    y : array-like or None
        Their labels; None for those that the model gives them.
    places : ndarray of shape (n, 2)
        Where the rows are in the picture.
    surface : Surface or None
        Decision values in the plane, to measure distances on; None if rows lie beside it.

    Returns
    -------
    structured ndarray of shape (n,)
        One `POINT` per row.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> X, y = np.array([[-1.0, 0.0], [1.0, 0.0], [3.0, 0.0]]), ["no", "yes", "yes"]
    >>> model = SVC(kernel="linear").fit(X, y)
    >>> points = points_of(Classifier(model, X), y, X, None)
    >>> points["code"], points["alpha"], points["slack"]
    (array([0, 1, 1]), array([0.5, 0.5, 0. ]), array([0., 0., 0.]))
    """
    points = np.zeros(len(places), POINT)
    points["x"], points["y"] = places.T
    points["code"] = classifier.codes(y)
    alphas = classifier.alphas()
    points["alpha"] = np.nan if alphas is None else alphas
    for name in ("slack", "margin", "boundary", "radius", "decision"):
        points[name] = np.nan
    if not classifier.has_scores:
        return points
    points["decision"] = classifier.scores(classifier.table.values)
    sign = np.where(points["code"] == 1, 1.0, -1.0)
    margin = sign * points["decision"]
    if classifier.has_margin:
        # Free support vectors have margin 1 up to rounding, and no slack.
        slack = 1 - margin
        points["slack"] = np.where(slack > 1e-6, slack, 0.0)
    if surface is not None:
        _measure(points, places, surface, sign)
        points["radius"][margin < 0] = 0.0
    return points


def _measure(
    points: NDArray[np.void],
    places: NDArray[np.float64],
    surface: Surface,
    sign: NDArray[np.float64],
) -> None:
    for level in (-1.0, 1.0):
        late = (points["slack"] > 0) & (sign == level)
        points["margin"][late] = surface.nearest(places[late], level)
    points["boundary"] = surface.nearest(places, 0.0)
    points["radius"] = np.linalg.norm(places - points["boundary"], axis=1)
