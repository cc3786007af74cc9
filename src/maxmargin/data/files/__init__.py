"""Data and models as files: read with line and column in every complaint, written all or not."""

from maxmargin.data.files.block import Block
from maxmargin.data.files.error import FileError
from maxmargin.data.files.libsvm import libsvm_blocks, read_libsvm, write_libsvm
from maxmargin.data.files.replace import replacing

__all__ = ["Block", "FileError", "libsvm_blocks", "read_libsvm", "replacing", "write_libsvm"]
