"""Models on disk: a safe file format, and the text formats of LIBSVM and LIBLINEAR."""

from maxmargin.data.files import FileError
from maxmargin.storage.liblinear import read_liblinear_model, write_liblinear_model
from maxmargin.storage.libsvm import read_libsvm_model, write_libsvm_model
from maxmargin.storage.model import inspect, load, save

__all__ = [
    "FileError",
    "inspect",
    "load",
    "read_liblinear_model",
    "read_libsvm_model",
    "save",
    "write_liblinear_model",
    "write_libsvm_model",
]
