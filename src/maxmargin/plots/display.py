"""What every picture is: computed data first (`frame`), drawing second (`plot`, `save`)."""

from __future__ import annotations

import io
import re
import warnings
from abc import ABCMeta, abstractmethod
from collections.abc import Sequence
from inspect import Signature, getattr_static, signature
from os import PathLike
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, Any, ClassVar

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from maxmargin.data.files import replacing
from maxmargin.plots.style import GREY, one_warning_of_glyphs, style
from maxmargin.prompt import Brief, Hinted, MissingNameError, brief

#: Letters in a line of a note above axes.
_NOTE_WIDTH = 75


def settle(figure: Any) -> None:
    """Let a figure's layout come to rest before someone else saves it.

    With equal aspects, room made for a legend changes the axes, which changes the room: constrained
    layout needs a few rounds.

    Parameters
    ----------
    figure : matplotlib Figure
        The figure.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> settle(Figure(layout="constrained"))
    """
    with one_warning_of_glyphs():
        for _ in range(3):
            figure.draw_without_rendering()


def head(axes: Axes, title: str, note: str) -> None:
    """Put a title above axes and, smaller, what a reader must know.

    Parameters
    ----------
    axes : Axes
        Where to.
    title, note : str
        Either may be empty.

    Examples
    --------
    >>> axes = Figure().add_subplot()
    >>> head(axes, "SVC", "slice: age = 40")
    >>> axes.get_title(loc="left"), [text.get_text() for text in axes.texts]
    ('SVC', ['slice: age = 40'])
    """
    lines = wrap(note, _NOTE_WIDTH)
    axes.set_title(title, loc="left", pad=6.0 + 10.0 * len(lines))
    if lines:
        look: dict[str, Any] = {"size": 7.5, "color": GREY, "va": "bottom"}
        place: dict[str, Any] = {"xycoords": "axes fraction", "textcoords": "offset points"}
        axes.annotate("\n".join(lines), (0.0, 1.0), (0.0, 4.0), **place, **look)


class DisplayType(ABCMeta):
    """The type of displays: wrong guesses are answered by how they are made.

    Examples
    --------
    >>> from maxmargin.losses import Hinge
    >>> from maxmargin.plots import LossDisplay
    >>> LossDisplay(Hinge())
    Traceback (most recent call last):
    TypeError: a LossDisplay is made with LossDisplay.against_hinge(...) or \
LossDisplay.from_losses(...)
    """

    @property
    def _makers(cls) -> list[str]:
        return [name for name in dir(cls) if isinstance(getattr_static(cls, name), classmethod)]

    @property
    def __signature__(cls) -> Signature:
        """What `help` and the tests see: the arguments of the dataclass."""
        if "__init__" not in vars(cls):
            return Signature()
        _, *entries = signature(cls.__init__).parameters.values()  # type: ignore[misc]
        return Signature(entries)

    def __call__(cls, *args: Any, **entries: Any) -> Any:
        """Make a display of what was computed, or say how it is computed."""
        try:
            cls.__signature__.bind(*args, **entries)
        except TypeError:
            makers = " or ".join(f"{cls.__name__}.{maker}(...)" for maker in cls._makers)
            if not makers:
                raise
            raise TypeError(f"a {cls.__name__} is made with {makers}") from None
        return super().__call__(*args, **entries)

    if not TYPE_CHECKING:

        def __getattr__(cls, name: str) -> Any:
            if name.startswith("_"):
                raise AttributeError(f"type object {cls.__name__!r} has no attribute {name!r}")
            known = cls._makers if name.startswith("from") else dir(cls)
            meant = {name: f"{cls.__name__}.{known[0]}(...)"} if len(cls._makers) == 1 else {}
            raise MissingNameError(cls.__name__, name, known, meant if known != dir(cls) else {})


class Display(Brief, Hinted, metaclass=DisplayType):
    """A picture as data.

    A picture with several panels takes as many axes in the place of one, and returns their array.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> class Diagonal(Display):
    ...     def frame(self):
    ...         return {"x": np.arange(3)}
    ...
    ...     def plot(self, ax=None):
    ...         (axes,) = self._axes(ax)
    ...         axes.plot(self.frame()["x"], self.frame()["x"])
    ...         return axes
    >>> Diagonal().plot().get_lines()[0].get_xdata()
    array([0, 1, 2])
    """

    _meant: ClassVar[dict[str, str]] = {
        **dict.fromkeys(["show", "draw", "display"], "plot()"),
        **dict.fromkeys(["savefig", "write", "export"], "save(path)"),
        **dict.fromkeys(["data", "arrays", "values_", "to_dict"], "frame()"),
    }
    _panels: ClassVar[tuple[int, int]] = (1, 1)
    _size: ClassVar[tuple[float, float]] = (6.0, 4.2)

    @property
    def panels(self) -> tuple[int, int]:
        """Rows and columns of panels."""
        return self._panels

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of a figure of its own, in inches."""
        return self._size

    @abstractmethod
    def frame(self) -> dict[str, Any]:
        """Return what was computed, as arrays."""

    @abstractmethod
    def plot(self, ax: Any = None) -> Any:
        """Draw into axes, or into a new figure, and return the axes."""

    def save(self, path: str | PathLike[str], *, dpi: float = 200, **options: Any) -> Path:
        """Draw into a file.

        Parameters
        ----------
        path : path-like
            Where to; its ending chooses the format (png, svg, pdf, ...), png without one.
        dpi : float
            Pixels an inch.
        **options
            As for `plot`.

        Returns
        -------
        Path
            The file.
        """
        place = Path(path)
        if not place.suffix:
            place = place.with_name(f"{place.name}.{mpl.rcParams['savefig.format']}")
        with one_warning_of_glyphs():
            figure = self._figure(self.size, options)
            with replacing(place) as stream:
                figure.savefig(stream, format=place.suffix[1:], dpi=dpi, bbox_inches="tight")
        return place

    def svg(self, *, size: tuple[float, float] | None = None, title: bool = True) -> str:
        """Return the picture as SVG whose texts are texts, for a page that has fonts of its own.

        Parameters
        ----------
        size : pair of float, optional
            Width and height in inches.
        title : bool
            Whether titles are drawn.

        Returns
        -------
        str
            The element and nothing around it; the same bytes for the same picture.
        """
        settings: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "maxmargin"}
        stream = io.StringIO()
        with warnings.catch_warnings(), mpl.rc_context(settings):
            # The page may have the letters that no font of matplotlib has.
            warnings.filterwarnings("ignore", r"(?s).*Glyph .*missing from")
            figure = self._figure(size or self.size, {})
            for axes in figure.axes if not title else ():
                for place in ("left", "center", "right"):
                    axes.set_title("", loc=place)
            figure.savefig(stream, format="svg", transparent=True, metadata={"Date": None})
        text = stream.getvalue()
        element = text[text.index("<svg") :]
        return re.sub(r"\s*<metadata>.*?</metadata>", "", element, flags=re.DOTALL)

    def _figure(self, size: tuple[float, float], options: dict[str, Any]) -> Figure:
        """Draw into a figure that pyplot does not know of: it needs no screen and no closing."""
        with style():
            figure = Figure(figsize=size, layout="constrained")
            axes = figure.subplots(*self.panels, squeeze=False).ravel()
        self.plot(axes if len(axes) > 1 else axes[0], **options)
        return figure

    def _axes(self, ax: Any) -> NDArray[Any]:
        """As many axes as there are panels: the given ones, or those of a new figure."""
        rows, columns = self.panels
        if ax is None:
            with style():
                figure = pyplot.figure(figsize=self.size, layout="constrained")
                return figure.subplots(rows, columns, squeeze=False).ravel()
        axes = np.array([ax] if isinstance(ax, Axes) else ax, dtype=object).ravel()
        if not all(isinstance(panel, Axes) for panel in axes):
            raise TypeError(
                f"ax must be axes of matplotlib, such as of pyplot.subplots(), got {brief(ax)}; "
                "leave it out for a new figure"
            )
        if len(axes) != rows * columns:
            raise ValueError(
                f"ax has {len(axes)} axes; this picture has {rows} x {columns} panels: give as "
                f"many, e.g. of pyplot.subplots({rows}, {columns}), or None for a new figure."
            )
        return axes

    def _legend_below(self, axes: NDArray[Any], entries: Sequence[Artist], columns: int) -> None:
        """One legend for all panels: below them, where the figure makes room for it."""
        figure = axes[0].figure
        with style():
            if figure.get_layout_engine() is None:
                axes[-1].legend(handles=entries)
            else:
                figure.legend(handles=entries, loc="outside lower center", ncols=columns)


class PlainDisplay(Display):
    """A picture that is drawn in one way only.

    Examples
    --------
    >>> class Diagonal(PlainDisplay):
    ...     def frame(self):
    ...         return {"x": np.arange(3)}
    ...
    ...     def _draw(self, axes):
    ...         axes.plot(self.frame()["x"], self.frame()["x"])
    >>> Diagonal().plot().get_lines()[0].get_xdata()
    array([0, 1, 2])
    """

    @abstractmethod
    def _draw(self, *axes: Any) -> None:
        """Draw into as many axes as there are panels."""

    def plot(self, ax: Any = None) -> Any:
        """Draw.

        Parameters
        ----------
        ax : Axes, or an array of them, optional
            Where to, one for each panel; by default a new figure.

        Returns
        -------
        Axes, or an array of them where there are several panels
        """
        axes = self._axes(ax)
        with style():
            self._draw(*axes)
        return axes if len(axes) > 1 else axes[0]
