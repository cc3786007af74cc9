"""Virtual environments in which wheels are built and tried."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from release.command import ROOT, run

#: Its version, and the wheel that serves it.
ASK = """
import sys, sysconfig
version = "{}.{}".format(*sys.version_info)
free = "t" if sysconfig.get_config_var("Py_GIL_DISABLED") else ""
stable = sys.version_info >= (3, 12) and not free
print(version + free, "abi3" if stable else "cp" + version.replace(".", "") + free)
"""


@dataclass(frozen=True)
class Interpreter:
    """A CPython of this machine."""

    path: str
    version: str
    wheel: str

    @classmethod
    def at(cls, path: str) -> Interpreter:
        """Asks it what it is."""
        return cls(path, *run(path, "-c", ASK).split())


@dataclass(frozen=True)
class Environment:
    """A new environment of an interpreter, with nothing in it but pip."""

    folder: Path

    @classmethod
    def make(cls, interpreter: str, folder: Path) -> Environment:
        """Made anew."""
        shutil.rmtree(folder, ignore_errors=True)
        run(interpreter, "-m", "venv", folder)
        made = cls(folder)
        made.install("--upgrade", "pip>=25.1")
        return made

    def install_locked(self, group: str) -> None:
        """A group of dependencies in the versions, and with the hashes, of its lock."""
        self.install("--require-hashes", "--requirement", ROOT / "release/locks" / f"{group}.txt")

    @property
    def python(self) -> Path:
        """Its interpreter."""
        return self.folder / "bin" / "python"

    def install(self, *what: str | Path, **variables: str) -> None:
        """By pip."""
        run(self.python, "-m", "pip", "install", "--quiet", *what, **variables)
