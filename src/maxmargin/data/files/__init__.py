"""Data and models as files: read with line and column in every complaint, written all or not."""

from maxmargin.data.files.error import FileError
from maxmargin.data.files.replace import replacing

__all__ = ["FileError", "replacing"]
