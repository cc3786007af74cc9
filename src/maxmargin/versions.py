"""What a bug report needs to know about an installation."""

import platform
from importlib.metadata import PackageNotFoundError, version

from maxmargin import _core


def show_versions() -> None:
    """Print versions of maxmargin and what it stands on, and what it found on this machine.

    Examples
    --------
    >>> show_versions()
    maxmargin ...
    """
    for name in ("maxmargin", "numpy", "scipy", "scikit-learn", "matplotlib", "clarabel"):
        try:
            found = version(name)
        except PackageNotFoundError:
            found = "not installed"
        print(f"{name:<16}{found}")
    print(f"{'python':<16}{platform.python_version()} on {platform.platform()}")
    print(f"{'instructions':<16}{_core.instruction_set()}, {_core.usable_cores()} cores")
