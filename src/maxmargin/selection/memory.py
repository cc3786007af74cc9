"""How much memory a search may keep kernel matrices in."""

from pathlib import Path

from maxmargin import _core


def memory_bytes(memory: float | str) -> int:
    """Translate megabytes to bytes.

    Parameters
    ----------
    memory : float or "auto"
        Megabytes; "auto" is a quarter of what is free.

    Examples
    --------
    >>> memory_bytes(1)
    1048576
    """
    if not isinstance(memory, str):
        return int(memory * 2**20)
    return _free() // 4


def _free() -> int:
    """Bytes that a process can get without others being put aside."""
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass
    return _core.physical_memory() // 2
