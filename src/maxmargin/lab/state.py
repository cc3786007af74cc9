"""What a page of the lab is opened with: data, a view and the parameters of a machine."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.prompt import Brief


@dataclass(frozen=True, eq=False, repr=False)
class LabState(Brief):
    """Data, a view of them and the parameters of a machine, checked as the page needs them.

    Parameters
    ----------
    name : str
        What the data are called on the page.
    points : ndarray of shape (n, d)
        Rows: two features, or one in a regression.
    y : ndarray of shape (n,)
        -1 and +1 of two classes; the numbers of more classes, from 0; targets; 1 of one class.
    features : tuple of str
        Names of the columns.
    classes : tuple of str
        Names of the classes; of a regression the target's name.
    view : str
        The page's view: "margins", "multi-class", "regression" or "one-class".
    weight : ndarray of shape (n,), optional
        Weights of the rows.
    parameters : dict
        `formulation` ("C", "nu" or "squared"), `kernel`, `C`, `nu`, `epsilon`, `gamma`, `degree`,
        `coef0`; those left out are as the page begins.

    Examples
    --------
    >>> state = LabState("two points", np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([-1.0, 1.0]),
    ...                  ("a", "b"), ("no", "yes"))
    >>> state.json()[:46]
    '{"view": "margins", "name": "two points", "fea'
    """

    name: str
    points: NDArray[np.float64]
    y: NDArray[np.float64]
    features: tuple[str, ...]
    classes: tuple[str, ...]
    view: str = "margins"
    weight: NDArray[np.float64] | None = None
    parameters: dict[str, Any] = field(default_factory=dict)

    #: What the page takes: rows, classes, and the ranges of its sliders.
    MOST_ROWS: ClassVar[int] = 20_000
    MOST_CLASSES: ClassVar[int] = 8
    RANGES: ClassVar[dict[str, tuple[float, float]]] = {
        "C": (1e-3, 1e6),
        "nu": (0.01, 1.0),
        "epsilon": (0.0, 2.0),
        "gamma": (1e-3, 1e3),
        "degree": (1, 8),
        "coef0": (-2.0, 5.0),
    }

    def __post_init__(self) -> None:
        if not np.isfinite(self.points).all() or not np.isfinite(self.y).all():
            raise ValueError("the data have values that are not finite; leave those rows out.")
        if len(self.points) > self.MOST_ROWS:
            raise ValueError(
                f"there are {len(self.points)} rows; the lab takes up to {self.MOST_ROWS}: give it "
                "a sample."
            )
        if self.view == "multi-class" and len(self.classes) > self.MOST_CLASSES:
            raise ValueError(
                f"there are {len(self.classes)} classes; the lab takes up to {self.MOST_CLASSES}."
            )
        for name, (low, high) in self.RANGES.items():
            value = self.parameters.get(name)
            if value is not None and not low <= value <= high:
                raise ValueError(
                    f"{name} is {value:g}; in the lab it goes from {low:g} to {high:g}."
                )

    def json(self) -> str:
        """Return it as the page reads it, safe inside a script element."""
        content = {
            "view": self.view,
            "name": self.name,
            "features": list(self.features),
            "classes": list(self.classes),
            "points": self.points.tolist(),
            "y": self.y.tolist(),
            "weight": None if self.weight is None else self.weight.tolist(),
            "parameters": self.parameters,
        }
        present = {key: value for key, value in content.items() if value is not None}
        # Neither the end of the element nor a comment may begin in a name.
        return json.dumps(present, allow_nan=False).replace("<", "\\u003c")
