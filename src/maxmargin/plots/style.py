"""The look of all pictures: colours that colour-blind readers tell apart, and quiet axes.

Colours: the set of Okabe and Ito, then that of Tol; see M. Okabe and K. Ito, Color Universal Design
(2008), and P. Tol, Colour Schemes (2021). A class has a marker of its own as well, so that nothing
depends on colour alone.
"""

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import matplotlib as mpl
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.font_manager import fontManager

COLORS = (
    "#0072B2",  # blue
    "#D55E00",  # vermillion
    "#009E73",  # green
    "#CC79A7",  # purple
    "#E69F00",  # orange
    "#56B4E9",  # sky
    "#882255",  # wine
    "#999933",  # olive
    "#332288",  # indigo
    "#44AA99",  # teal
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<", ">", "p")
DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)))
INK = "#222222"
GREY = "#777777"
#: From the first colour over white to the second.
DIVERGING = LinearSegmentedColormap.from_list("maxmargin", [COLORS[0], "white", COLORS[1]])

#: Fonts for what the user's own has no glyphs of: Chinese, Japanese and Korean, then anything.
FALLBACKS = (
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "Noto Sans JP",
    "Noto Sans SC",
    "Source Han Sans",
    "IPAexGothic",
    "WenQuanYi Zen Hei",
    "WenQuanYi Micro Hei",
    "Hiragino Sans",
    "PingFang SC",
    "Apple SD Gothic Neo",
    "Yu Gothic",
    "Microsoft YaHei",
    "Malgun Gothic",
    "Droid Sans Fallback",
    "Arial Unicode MS",
    "Unifont",
)

RC: dict[Any, Any] = {
    "font.size": 9.0,
    "axes.titlesize": 10.0,
    "axes.labelsize": 9.0,
    "axes.edgecolor": GREY,
    "axes.labelcolor": INK,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlelocation": "left",
    "text.color": INK,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
    "legend.fontsize": 8.5,
    "lines.linewidth": 1.6,
    "lines.solid_capstyle": "round",
}


def color_of(code: int) -> str:
    """Colour of a class or a curve; they repeat after ten.

    Parameters
    ----------
    code : int
        Its number.

    Examples
    --------
    >>> color_of(0), color_of(10) == color_of(0)
    ('#0072B2', True)
    """
    return COLORS[code % len(COLORS)]


def marker_of(code: int) -> str:
    """Marker of a class; shifted on the second round, so that no two of a hundred look the same.

    Parameters
    ----------
    code : int
        Its number.

    Examples
    --------
    >>> marker_of(0), marker_of(10)
    ('o', 's')
    """
    return MARKERS[(code + code // len(COLORS)) % len(MARKERS)]


def dash_of(code: int) -> Any:
    """Dashes of a curve among others that it may run along with.

    Parameters
    ----------
    code : int
        Its number.

    Examples
    --------
    >>> dash_of(0), dash_of(1)
    ('-', '--')
    """
    return DASHES[code % len(DASHES)]


def tint(color: str, strength: float) -> tuple[float, float, float]:
    """Mix a colour with white.

    Parameters
    ----------
    color : str
        Any colour of matplotlib.
    strength : float
        From 0, white, to 1, the colour itself.

    Examples
    --------
    >>> tint("black", 0.25)
    (0.75, 0.75, 0.75)
    """
    red, green, blue = (1 - strength * (1 - part) for part in to_rgb(color))
    return red, green, blue


@contextmanager
def style() -> Iterator[None]:
    """Draw in the library's look, and leave the user's settings as they were.

    Examples
    --------
    >>> import matplotlib as mpl
    >>> before = mpl.rcParams["font.size"]
    >>> with style():
    ...     inside = mpl.rcParams["font.size"]
    >>> inside, mpl.rcParams["font.size"] == before
    (9.0, True)
    """
    with mpl.rc_context({**RC, "font.family": [*mpl.rcParams["font.family"], *_installed()]}):
        yield


@cache
def _installed() -> tuple[str, ...]:
    """Those of the other fonts that are here: matplotlib warns of every one that is not."""
    names = {font.name for font in fontManager.ttflist}
    return tuple(name for name in FALLBACKS if name in names)


@contextmanager
def one_warning_of_glyphs() -> Iterator[None]:
    """Say once which letters no font has, where matplotlib says it of each and at every drawing.

    Examples
    --------
    >>> with warnings.catch_warnings(record=True) as said:
    ...     warnings.simplefilter("always")
    ...     with one_warning_of_glyphs():
    ...         warnings.warn("Glyph 26481 (...) missing from font(s) DejaVu Sans.")
    ...         warnings.warn("Glyph 20140 (...) missing from font(s) DejaVu Sans.")
    >>> [str(warning.message)[:36] for warning in said]
    ['no font here has the letters 東京: box']
    """
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        yield
    letters: dict[str, None] = {}
    for warning in said:
        glyph = re.match(r"Glyph (\d+) .*missing from", str(warning.message))
        if glyph:
            letters[chr(int(glyph[1]))] = None
        else:
            warnings.warn_explicit(
                warning.message, warning.category, warning.filename, warning.lineno
            )
    if letters:
        warnings.warn(
            f"no font here has the letters {''.join(letters)}: boxes stand for them. Install one "
            f"that has, such as {FALLBACKS[0]}",
            stacklevel=3,
        )
