"""The page itself: one file that needs no server and no network."""

from __future__ import annotations

import errno
import html
import os
import webbrowser
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from maxmargin.data.files import replacing
from maxmargin.lab.state import LabState

_MISSING = (
    "this installation of maxmargin has no page of the lab; in a checkout `make lab` builds it"
)


@dataclass(frozen=True)
class LabPage:
    """The lab, with data of one's own in it or without.

    A notebook shows it where it is the value of a cell.

    Parameters
    ----------
    state : LabState, optional
        What it is opened with.
    height : int
        Pixels in a notebook.

    Examples
    --------
    >>> page = LabPage()
    >>> page.save("lab.html")  # doctest: +SKIP
    PosixPath('lab.html')
    >>> page.state is None
    True
    """

    state: LabState | None = None
    height: int = 760

    @staticmethod
    def built() -> Path | None:
        """Return where the page without data is, or None if it was not built."""
        place = files("maxmargin.lab") / "lab.html"
        return Path(str(place)) if place.is_file() else None

    def html(self) -> str:
        """Return the text of the page."""
        place = self.built()
        if place is None:
            raise FileNotFoundError(errno.ENOENT, _MISSING, "lab.html")
        text = place.read_text(encoding="utf-8")
        if self.state is None:
            return text
        block = f'<script type="application/json" id="maxmargin-data">{self.state.json()}</script>'
        before, end, after = text.rpartition("</body>")
        return before + block + end + after

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write it to a file, which any browser opens.

        Parameters
        ----------
        path : path-like
            The file.

        Returns
        -------
        Path
            The same.
        """
        place = Path(path)
        text = self.html().encode()
        with replacing(place) as stream:
            stream.write(text)
        return place

    @staticmethod
    def open(path: str | os.PathLike[str]) -> bool:
        """Open a page in the browser; tell whether there is one.

        Parameters
        ----------
        path : path-like
            The file.
        """
        return webbrowser.open(Path(path).resolve().as_uri())

    def _repr_html_(self) -> str:
        return (
            f'<iframe srcdoc="{html.escape(self.html())}" title="maxmargin lab" '
            f'style="width: 100%; height: {self.height}px; border: 0"></iframe>'
        )
