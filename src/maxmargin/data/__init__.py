"""Checked data: the only place where the lower layers look for bad input."""

from maxmargin.data.check import canonical, check_data
from maxmargin.data.chunks import Chunk, ChunkedMatrix, Chunks
from maxmargin.data.contents import distinct, hashes, scatter
from maxmargin.data.dataset import Dataset

__all__ = [
    "Chunk",
    "ChunkedMatrix",
    "Chunks",
    "Dataset",
    "canonical",
    "check_data",
    "distinct",
    "hashes",
    "scatter",
]
