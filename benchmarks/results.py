"""What a benchmark has measured, kept with machine, versions and date for the page that shows it.

Every `make bench-*` writes benchmarks/results/NAME.json through `keep`; docs/site/benchmarks.py
turns these files into the page.
"""

import json
import os
import platform
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

FOLDER = Path(__file__).parent / "results"
PACKAGES = ("maxmargin", "numpy", "scipy", "scikit-learn", "libsvm-official", "liblinear-official")


@dataclass(frozen=True)
class Table:
    """Cells as text, below a title and a note that says what they are."""

    title: str
    note: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]

    @classmethod
    def of_lines(cls, title: str, note: str, header: str, lines: Sequence[str]) -> "Table":
        """Take over lines of Markdown, as benchmarks print them.

        >>> Table.of_lines("a", "", "| x | y |", ["| 1 | 2 |"]).rows
        [['1', '2']]
        """
        return cls(title, note, _cells(header), [_cells(line) for line in lines])


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def machine() -> dict[str, object]:
    """Say where and when something is measured, and what else the machine is doing."""
    return {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "cpu": _cpu(),
        "cores": available_cores(),
        "load": os.getloadavg()[0],
        "python": platform.python_version(),
    }


def keep(suite: str, command: str, tables: Sequence[Table], about: dict[str, object]) -> Path:
    """Keep tables under the name of their suite; `about` is `machine()` at the start."""
    content = {
        "suite": suite,
        "command": command,
        **about,
        "versions": _versions(),
        "tables": [asdict(table) for table in tables],
    }
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{suite}.json"
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return path


def available_cores() -> int:
    """Count the cores that this process may use."""
    counted = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    return len(counted) if counted else os.cpu_count() or 1


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(": ")[1] for line in lines if line.startswith("model name")), "CPU")


def _versions() -> dict[str, str]:
    found = {}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
