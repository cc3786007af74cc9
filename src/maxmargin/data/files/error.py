"""The one exception for files whose content is wrong."""

from __future__ import annotations

import os


class FileError(ValueError):
    """A file does not hold what it should.

    Parameters
    ----------
    message : str
        What is wrong, and what to do.
    path : path-like or None
        The file, where it has a name.
    line, column : int or None
        Where in the file, from 1, where that is known.
    parameter : str or None
        The parameter of the reader that would mend it, where there is one.

    Examples
    --------
    >>> print(FileError("a number is missing", "data.txt", line=3, column=7))
    data.txt:3:7: a number is missing
    """

    def __init__(
        self,
        message: str,
        path: str | os.PathLike[str] | None = None,
        line: int | None = None,
        column: int | None = None,
        parameter: str | None = None,
    ) -> None:
        places = [None if path is None else os.fspath(path), line, column]
        where = ":".join(str(place) for place in places if place is not None)
        super().__init__(f"{where}: {message}" if where else message)
        self.message, self.path, self.line, self.column = message, path, line, column
        self.parameter = parameter

    def __reduce__(self) -> tuple[type[FileError], tuple[object, ...]]:
        return type(self), (self.message, self.path, self.line, self.column, self.parameter)


class NoRowsError(FileError):
    """A file is empty, which one of many may be.

    Examples
    --------
    >>> print(NoRowsError("there are no rows", "data.txt"))
    data.txt: there are no rows
    """
