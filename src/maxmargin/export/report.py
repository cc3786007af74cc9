"""What an export has written, and what it needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from maxmargin.export.compression import Compression


@dataclass(frozen=True)
class ExportReport:
    """Sizes of what was written.

    Parameters
    ----------
    paths : tuple of Path
        The files.
    file_bytes : int
        Their length.
    table_bytes : int
        Bytes of the numbers in them, when they are used: of a C file, what goes to read-only
        memory beside the code.
    n_vectors : int
        Vectors of the kernel expansion; 0 of a linear machine, which has weights alone.
    n_merged : int
        Support vectors that were left out because they are copies of others or weigh nothing.
    stack_bytes : int or None
        Bytes of the arrays that a C function has on the stack, at most.
    compression : Compression or None
        What a smaller set of vectors has cost.

    Examples
    --------
    >>> print(ExportReport((Path("a.onnx"),), 2100, 1600, 40, 2))
    a.onnx: 2.1 kB, of these 1.6 kB of numbers
    40 vectors (2 copies merged)
    """

    paths: tuple[Path, ...]
    file_bytes: int
    table_bytes: int
    n_vectors: int
    n_merged: int = 0
    stack_bytes: int | None = None
    compression: Compression | None = None

    def written(self, paths: Sequence[Path], file_bytes: int) -> ExportReport:
        """Return the report with the files that were written."""
        return replace(self, paths=tuple(paths), file_bytes=file_bytes)

    def __str__(self) -> str:
        names = ", ".join(path.name for path in self.paths)
        if self.stack_bytes is None:
            sizes = f"{_size(self.file_bytes)}, of these {_size(self.table_bytes)} of numbers"
        else:
            sizes = (
                f"{_size(self.file_bytes)} of text; compiled {_size(self.table_bytes)} of tables "
                f"beside the code, and up to {_size(self.stack_bytes)} on the stack"
            )
        copies = f" ({self.n_merged} copies merged)" if self.n_merged else ""
        vectors = f"{self.n_vectors} vectors{copies}" if self.n_vectors else "weights of features"
        return f"{names}: {sizes}\n{self.compression or vectors}"


def _size(n: int) -> str:
    if n < 1000:
        return f"{n} bytes"
    return f"{n / 1e3:.1f} kB" if n < 1e6 else f"{n / 1e6:.1f} MB"
