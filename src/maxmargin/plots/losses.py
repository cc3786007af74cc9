"""Losses as curves, their subdifferentials as intervals, and the lines that support them.

A loss of margins is a function of z = y f, one of residuals of r = f - y. For labels y of -1 and +1
an even loss of residuals is also one of margins, because |f - y| = |1 - z|: so the hinge can be
compared with the absolute (L1) and the squared (L2) loss.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from maxmargin.losses import (
    Absolute,
    Convex,
    Hinge,
    Logistic,
    Perceptron,
    Squared,
    SquaredHinge,
    ZeroOne,
    is_margin_loss,
    loss_of,
    supporting_fan,
)
from maxmargin.plots.display import PlainDisplay
from maxmargin.plots.style import GREY, INK, color_of, dash_of, tint


@dataclass(frozen=True, eq=False, repr=False)
class LossDisplay(PlainDisplay):
    """Losses, with their values and below them their slopes.

    Make it with `from_losses` or `against_hinge`.

    Parameters
    ----------
    names : tuple of str
        What the losses are called.
    argument : str
        What they are functions of, "margin" or "residual".
    z : ndarray of shape (n,)
        Arguments.
    values, low, high : ndarray of shape (k, n)
        Values, and the ends of the subdifferentials; NaN where there is none.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> frame = LossDisplay.from_losses([Hinge()]).frame()
    >>> kink = frame["z"] == 1
    >>> frame["low"][0, kink], frame["high"][0, kink]
    (array([-1.]), array([0.]))
    >>> len(LossDisplay.from_losses().plot())
    2
    """

    #: Values beside slopes.
    _panels = (1, 2)
    _size = (8.2, 3.4)

    names: tuple[str, ...]
    argument: str
    z: NDArray[np.float64]
    values: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]

    @classmethod
    def from_losses(
        cls,
        losses: Mapping[str, Convex] | Sequence[Convex | str] | Convex | str | None = None,
        *,
        limits: tuple[float, float] = (-2.5, 2.5),
    ) -> LossDisplay:
        """Evaluate losses.

        Parameters
        ----------
        losses : dict of str to loss, sequence of losses, or loss, optional
            What to draw; a name stands for the loss. If any is a loss of margins, even losses of
            residuals are drawn over the margin as well. By default zero-one and the losses of
            margins that stand in for it.
        limits : pair of float
            First and last argument.
        """
        if losses is None:
            losses = {
                "zero-one": ZeroOne(),
                "hinge": Hinge(),
                "squared hinge": SquaredHinge(),
                "logistic / log 2": Logistic(scaled=True),
                "perceptron": Perceptron(),
            }
        if isinstance(losses, str) or hasattr(losses, "subdifferential"):
            losses = [losses]  # type: ignore[list-item]
        if not isinstance(losses, Mapping):
            losses = {repr(loss).removesuffix("()"): loss for loss in map(loss_of, losses)}
        if not losses:
            raise ValueError("losses is empty; give at least one, such as Hinge().")
        margin = any(is_margin_loss(loss) for loss in losses.values())
        # Rounded, so that kinks at round numbers are met.
        z = np.linspace(*limits, 1001).round(9)
        rows = [_evaluated(loss, z, margin) for loss in losses.values()]
        values, low, high = (np.array(column) for column in zip(*rows, strict=True))
        return cls(tuple(losses), "margin" if margin else "residual", z, values, low, high)

    @classmethod
    def against_hinge(cls) -> LossDisplay:
        """Compare the hinge with cross-entropy, L1 and L2 over the margin."""
        return cls.from_losses(
            {
                "hinge": Hinge(),
                "cross-entropy": Logistic(),
                "L1, |1 - z|": Absolute(),
                "L2, (1 - z)²": Squared(),
            }
        )

    def frame(self) -> dict[str, Any]:
        """Return the curves.

        Returns
        -------
        dict
            `names`, `z`, and `values`, `low` and `high`, one row per loss.
        """
        return {
            "names": np.array(self.names),
            "z": self.z,
            "values": self.values,
            "low": self.low,
            "high": self.high,
        }

    def _draw(self, left: Axes, right: Axes) -> None:
        letter, words = ("z", "margin z = y f") if self.argument == "margin" else (
            "r", "residual r = f − y"
        )  # fmt: skip
        for k, name in enumerate(self.names):
            look: dict[str, Any] = {"color": color_of(k), "ls": dash_of(k)}
            left.plot(self.z, self.values[k], label=name, **look)
            # From the left to the right derivative at each place: upright where it is a set.
            steps = np.column_stack([self.low[k], self.high[k]]).ravel()
            right.plot(np.repeat(self.z, 2), steps, **look)
        for panel in (left, right):
            panel.axhline(0, color=tint(GREY, 0.5), lw=0.8, zorder=0)
            panel.axvline(0, color=tint(GREY, 0.5), lw=0.8, zorder=0)
            panel.set(xlim=(self.z[0], self.z[-1]), xlabel=words)
        left.set(ylim=(-0.1, 3.6), title=f"loss h({letter})")
        right.set(ylim=(-3.2, max(0.6, min(3.2, np.nanmax(self.high) + 0.2))))
        right.set_title(f"subdifferential ∂h({letter})")
        lines = left.get_lines()[: len(self.names)]
        self._legend_below(np.array([left, right]), lines, len(lines))


@dataclass(frozen=True, eq=False, repr=False)
class SubgradientDisplay(PlainDisplay):
    """A convex function with lines that touch it at one point and lie nowhere above it.

    Make it with `from_loss`.

    Parameters
    ----------
    name : str
        What the function is called.
    z, values : ndarray of shape (n,)
        Its curve.
    at, value : float
        Where the lines touch it.
    slopes : ndarray of shape (k,)
        Subgradients there.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> display = SubgradientDisplay.from_loss(Hinge(), at=1.0)
    >>> display.frame()["slopes"]
    array([-1.  , -0.75, -0.5 , -0.25,  0.  ])
    >>> display.plot().get_title(loc="left")
    'Hinge: subgradients at 1 are [-1, 0]'
    """

    _size = (4.6, 3.4)

    name: str
    z: NDArray[np.float64]
    values: NDArray[np.float64]
    at: float
    value: float
    slopes: NDArray[np.float64]

    @classmethod
    def from_loss(
        cls,
        loss: Convex | str | None = None,
        *,
        at: float = 1.0,
        n_lines: int = 5,
        width: float = 2.0,
    ) -> SubgradientDisplay:
        """Find supporting lines.

        Parameters
        ----------
        loss : loss or str, optional
            A convex function of one number, or the name of a loss; by default the hinge.
        at : float
            Where the lines touch it.
        n_lines : int
            How many to draw at a kink.
        width : float
            How far to each side to draw.
        """
        function = Hinge() if loss is None else loss_of(loss)
        low, high = (float(end) for end in function.subdifferential(at))
        fan = supporting_fan(function, at, n_lines if high > low else 1)
        z = np.linspace(at - width, at + width, 801)
        return cls(
            repr(function).removesuffix("()"),
            z,
            np.asarray(function.value(z)),
            at,
            float(function.value(at)),
            np.array([line.slope for line in fan]),
        )

    def frame(self) -> dict[str, Any]:
        """Return the curve and the lines.

        Returns
        -------
        dict
            `z` and `values`, the point (`at`, `value`) and the `slopes` there.
        """
        return {
            "z": self.z,
            "values": self.values,
            "at": self.at,
            "value": self.value,
            "slopes": self.slopes,
        }

    def _draw(self, axes: Axes) -> None:
        low, high = self.slopes.min(), self.slopes.max()
        spread = float(np.ptp(self.values)) or 1.0
        text = f"{low:g}" if low == high else f"[{low:g}, {high:g}]"
        for slope in self.slopes:
            line = self.value + slope * (self.z - self.at)
            axes.plot(self.z, line, color=color_of(1), lw=1)
        axes.plot([], [], color=color_of(1), lw=1, label="supporting lines")
        axes.plot(self.z, self.values, color=color_of(0), lw=2.2, label=self.name)
        axes.plot(self.at, self.value, "o", color=INK, ms=5, zorder=4)
        axes.set(
            xlabel="z",
            xlim=(self.z[0], self.z[-1]),
            ylim=(self.values.min() - 0.5 * spread, self.values.max() + 0.1 * spread),
            title=f"{self.name}: subgradients at {self.at:g} are {text}",
        )
        axes.legend(loc="upper right")


def _evaluated(
    loss: Convex, z: NDArray[np.float64], margin: bool
) -> tuple[NDArray[np.float64], ...]:
    """Value and ends of the subdifferential; a residual is seen over the margin as z - 1."""
    shifted = z - 1 if margin and not is_margin_loss(loss) else z
    low, high = (np.asarray(end, np.float64) for end in loss.subdifferential(shifted))
    empty = low > high
    return (
        np.asarray(loss.value(shifted)),
        np.where(empty, np.nan, low),
        np.where(empty, np.nan, high),
    )
