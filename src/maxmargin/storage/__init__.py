"""Models on disk: a safe file format, and the text formats of LIBSVM and LIBLINEAR."""

from maxmargin.data.files import FileError
from maxmargin.storage.model import inspect, load, save

__all__ = ["FileError", "inspect", "load", "save"]
