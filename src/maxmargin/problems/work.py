"""What solving a problem has cost."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Work:
    """What a solver has computed, and where its time went; counts do not depend on threads.

    Parameters
    ----------
    iterations, pair_steps, newton_steps : int
        Steps or passes of the method; the pair steps and Newton steps among them.
    kernel_rows : int
        Full kernel rows computed because the cache did not have them.
    kernel_entries, exact_entries : int
        Kernel values computed, or looked up in a given matrix; those of them in float64.
    cache_hits : int
        Kernel rows that were found in the cache when they were needed.
    bytes : int
        Of kernel rows and of the gradient, read and written while rows were added to it.
    flops : float
        Operations of the kernel values; one of float64 counts as two.
    seconds, certificate_seconds : float
        Time of the solve, and of the exact passes over the data in it.
    kernel_seconds, gradient_seconds, pair_seconds, newton_seconds : float
        Time spent on kernel values, on adding rows to the gradient, on the two kinds of steps.

    Examples
    --------
    >>> (Work(bytes=3) + Work(bytes=4, cache_hits=1)).bytes
    7
    """

    iterations: int = 0
    pair_steps: int = 0
    newton_steps: int = 0
    kernel_rows: int = 0
    kernel_entries: int = 0
    exact_entries: int = 0
    cache_hits: int = 0
    bytes: int = 0
    flops: float = 0.0
    seconds: float = 0.0
    certificate_seconds: float = 0.0
    kernel_seconds: float = 0.0
    gradient_seconds: float = 0.0
    pair_seconds: float = 0.0
    newton_seconds: float = 0.0

    def __add__(self, other: Work) -> Work:
        return Work.total((self, other))

    @classmethod
    def total(cls, parts: Iterable[Work]) -> Work:
        """Return the work of all parts.

        Parameters
        ----------
        parts : iterable of Work
            At least one.

        Examples
        --------
        >>> Work.total([Work(bytes=3), Work(bytes=4), Work(bytes=5)]).bytes
        12
        """
        columns = zip(*(vars(part).values() for part in parts), strict=True)
        return cls(*map(sum, columns))
