"""How the text of a table is written: what separates cells, what stands for nothing."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from itertools import islice, pairwise

from maxmargin.data.files.error import FileError

#: What may separate cells, the usual ones first.
MARKS = (",", ";", "\t", "|")


@dataclass(frozen=True)
class Dialect:
    r"""How to read the text of a table.

    Parameters
    ----------
    header : bool, optional
        Whether the first line has the names; by default it has unless all its cells are numbers.
    delimiter : str, optional
        What separates cells, a blank for any run of blanks; by default a comma, or in TSV a tab.
    decimal : str
        What a number has before its fraction.
    thousands : str, optional
        What a number has between groups of digits.
    encoding : str
        As Python names it.
    missing : tuple of str
        What stands for a missing value, besides an empty cell, ?, NA and the like.

    Examples
    --------
    >>> Dialect(decimal=",", thousands=".").is_number("1.234,5")
    True
    """

    header: bool | None = None
    delimiter: str | None = None
    decimal: str = "."
    thousands: str | None = None
    encoding: str = "utf-8"
    missing: tuple[str, ...] = ()

    def number(self, cell: str) -> float:
        """Return what a cell says, or raise ValueError if it is no number.

        Parameters
        ----------
        cell : str
            Its text.
        """
        if "_" in cell:  # Python's own way to group digits, nobody else's
            raise ValueError(cell)
        if self.thousands:
            cell = cell.replace(self.thousands, "")
        if self.decimal != ".":
            cell = cell.replace(".", "_").replace(self.decimal, ".")
        return float(cell)

    def is_number(self, cell: str) -> bool:
        """Tell whether a cell reads as a number.

        Parameters
        ----------
        cell : str
            Its text.
        """
        try:
            self.number(cell)
        except ValueError:
            return False
        return True

    def has_header(self, start: str, mark: str, name: str) -> bool:
        """Tell whether the first line has names, or refuse to guess.

        Parameters
        ----------
        start : str
            The first lines, or more.
        mark : str
            What separates cells.
        name : str
            The file's name, for the errors.
        """
        if self.header is not None:
            return self.header
        cells = cells_of(start, mark)
        numbers = [cell for cell in cells if self.is_number(cell)]
        if cells and len(numbers) == len(cells):
            return False
        # Years, or columns that are counted, may be names; measurements are not.
        whole = all(cell.strip().isdigit() for cell in numbers)
        if whole and all(float(a) < float(b) for a, b in pairwise(numbers)):
            return True
        shown = mark.join(cells[:6]) + (", ..." if len(cells) > 6 else "")
        raise FileError(
            f"the first line, {shown!r}, has numbers among its names; say whether it is a header "
            "or the first row",
            name,
            1,
            parameter="header",
        )

    def check_delimiter(self, start: str, mark: str, name: str) -> None:
        """Refuse a table whose first two lines fall apart better by another mark.

        Parameters
        ----------
        start, mark, name
            As in `has_header`.
        """
        if self.delimiter is not None:
            return
        lines = [line for line in start.splitlines()[:2] if line.strip()]
        own = len(cells_of(start, mark))
        for other in MARKS:
            counts = {len(cells_of(line, other)) for line in lines}
            if len(counts) == 1 and max(counts) > max(own, 1):
                raise FileError(
                    f"the first line has {max(counts)} cells if {_called(other)} separates them, "
                    f"but {own} by {_called(mark)}; say which it is",
                    name,
                    1,
                    parameter="delimiter",
                )


#: As most tables are written.
PLAIN = Dialect()


def cells_of(text: str, mark: str) -> list[str]:
    r"""Return the cells of the first line.

    Parameters
    ----------
    text : str
        Lines.
    mark : str
        What separates cells; a blank stands for any run of blanks.

    Examples
    --------
    >>> cells_of('a,"b,c"\n1,2', ",")
    ['a', 'b,c']
    """
    if mark == " ":
        return (text.splitlines() or [""])[0].split()
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, skipinitialspace=True)
    return next(islice(reader, 1), [])


def _called(mark: str) -> str:
    return "a tab" if mark == "\t" else repr(mark)
