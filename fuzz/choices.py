"""What a fuzzer's bytes mean; where they end, zeros follow."""

from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
EDGES = [0.0, -0.0, 1.0, -1.0, 1e300, -1e300, 1e-300, 1e150, 1e-150, 1e10, 1e38, np.inf, np.nan]


class Choices:
    """Choices made by bytes, one after the other."""

    def __init__(self, content: bytes) -> None:
        self._content, self._at = content, 0

    def left(self) -> int:
        """Return how many bytes have not been used."""
        return max(0, len(self._content) - self._at)

    def byte(self) -> int:
        """Return the next byte."""
        self._at += 1
        return self._content[self._at - 1] if self._at <= len(self._content) else 0

    def flag(self) -> bool:
        """Return one bit."""
        return bool(self.byte() & 1)

    def between(self, least: int, most: int) -> int:
        """Return an integer of this range."""
        return least + self.byte() % (most - least + 1)

    def one_of(self, values: Sequence[T]) -> T:
        """Return one of these."""
        return values[self.byte() % len(values)]

    def text(self) -> str:
        """Return a short name, mostly of letters."""
        return bytes(self.byte() for _ in range(self.between(1, 6))).decode("latin-1")

    def array(self, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Return numbers: eighths mostly, and in some arrays those at the edge of what there is."""
        wild = self.byte() % 4 == 0
        size = int(np.prod(shape))
        values: list[Any] = []
        for _ in range(size):
            byte = self.byte()
            values.append(EDGES[byte % len(EDGES)] if wild and byte > 200 else (byte - 100) / 8)
        return np.array(values, dtype=np.float64).reshape(shape)
