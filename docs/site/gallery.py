"""Figures of the gallery, with what they show in words.

A block of an example that draws has a comment `# Alt: ...` for each figure, as lectures have; it
may go on in the next comment lines.
"""

import re
from typing import Any

import matplotlib as mpl
from matplotlib import pyplot
from sphinx.application import Sphinx
from sphinx_gallery.scrapers import figure_rst

from maxmargin.plots.style import style

ALT = re.compile(r"^# Alt: (.*(?:\n# .*)*)", re.MULTILINE)


def alts(code: str) -> list[str]:
    """Return the words for the figures that a block of code draws.

    >>> alts("# Alt: A line\\n# that rises.\\nplot()")
    ['A line that rises.']
    """
    return [re.sub(r"\s*\n# ", " ", words) for words in ALT.findall(code)]


def scraper(block: tuple[Any, ...], variables: dict[str, Any], conf: dict[str, Any]) -> str:
    """Save the open figures as SVG files; return them in reStructuredText."""
    words, paths = alts(block[1]), []
    numbers = pyplot.get_fignums()
    if len(numbers) != len(words):
        raise ValueError(
            f"{variables['src_file']}: {len(numbers)} figures and {len(words)} comments "
            "'# Alt: ...' in a block; each figure needs one that says what it shows."
        )
    for number, path in zip(numbers, variables["image_path_iterator"], strict=False):
        paths.append(path.replace(".png", ".svg"))
        with mpl.rc_context({"svg.hashsalt": "maxmargin"}):
            metadata = {"Date": None}
            pyplot.figure(number).savefig(paths[-1], bbox_inches="tight", metadata=metadata)
        pyplot.figure(number).savefig(path, dpi=150)  # for the small picture of the index
    pyplot.close("all")
    return figure_rst(paths, conf["src_dir"], "\n".join(words))


def reset(conf: dict[str, Any], name: str) -> None:
    """Before each example: no figures, and the look of all our pictures."""
    pyplot.close("all")
    mpl.rcdefaults()
    with style():
        looks = dict(mpl.rcParams)
    looks.pop("backend", None)
    mpl.rcParams.update(looks)


#: What readers of a page need not see: the words for figures, which are there as such.
HIDDEN = re.compile(r"^    # Alt: .*\n(?:    # .*\n)*", re.MULTILINE)
#: An empty element that sphinx-gallery puts once into every group, under one name.
TAGS = re.compile(r"\.\. raw:: html\s+<div id='sg-tag-list'[^\n]*")


def _tidy(app: Sphinx, docname: str, source: list[str]) -> None:
    if docname.startswith("gallery/"):
        first, *others = TAGS.split(HIDDEN.sub("", source[0]))
        tags = TAGS.search(source[0])
        source[0] = first + (tags[0] if tags else "") + "".join(others)


def setup(app: Sphinx) -> dict[str, Any]:
    """Tidy the pages that sphinx-gallery writes."""
    app.connect("source-read", _tidy)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
