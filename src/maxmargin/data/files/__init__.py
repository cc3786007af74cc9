"""Data and models as files: read with line and column in every complaint, written all or not."""

from maxmargin.data.files.block import Block
from maxmargin.data.files.datafile import DataFile, write_data
from maxmargin.data.files.dialect import Dialect
from maxmargin.data.files.error import FileError
from maxmargin.data.files.format import Format
from maxmargin.data.files.libsvm import libsvm_blocks, read_libsvm, write_libsvm
from maxmargin.data.files.replace import replacing

__all__ = [
    "Block",
    "DataFile",
    "Dialect",
    "FileError",
    "Format",
    "libsvm_blocks",
    "read_libsvm",
    "replacing",
    "write_data",
    "write_libsvm",
]
