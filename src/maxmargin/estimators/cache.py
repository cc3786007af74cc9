"""How much memory a fit may keep kernel values in."""

from maxmargin import _core

#: More than this has not been seen to help on data that a kernel machine can be fitted to.
_MOST = 4000.0


def cache_megabytes(cache_size: float | str) -> float:
    """Translate cache_size to megabytes.

    Parameters
    ----------
    cache_size : float or "auto"
        Megabytes; "auto" is a quarter of the machine's memory, at most 4,000.

    Examples
    --------
    >>> cache_megabytes(200)
    200.0
    >>> 0 < cache_megabytes("auto") <= 4000
    True
    """
    if not isinstance(cache_size, str):
        return float(cache_size)
    return min(_MOST, _core.physical_memory() / 2**20 / 4)
