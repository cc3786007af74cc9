"""scikit-learn's published examples with `sklearn.svm` replaced: the same pictures and numbers?

    python -m benchmarks.examples FOLDER [PATTERN]    FOLDER: `examples` of scikit-learn's source

Every example that imports `sklearn.svm` runs twice, as it is and under `patch_sklearn`, each in a
process of its own. Compared are what it prints, the pixels that it draws, the type of its error
if it ends in one (both do where data must be downloaded), and its processor time.
"""

from __future__ import annotations

import re
import resource
import runpy
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.image import imread

NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?", re.IGNORECASE)
#: Lines that tell times are no results.
CLOCK = re.compile(r"\d+\.?\d*e?-?\d*( ?m?s\b| ?secs?\b| ?seconds?\b)|time|latency|speed", re.I)
LIMIT = 900  # seconds an example may take


@dataclass(frozen=True)
class Run:
    """What one run of an example has left."""

    outcome: str
    text: list[str]
    pictures: list[Any]
    seconds: float


def uses_svm(path: Path) -> bool:
    return bool(re.search(r"sklearn\.svm|from sklearn import .*\bsvm\b", path.read_text()))


def run(path: Path, patched: bool) -> Run:
    """Run an example in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-W", "ignore", "-m", __spec__.name, "--draw", folder, str(path)]
        if patched:
            command.append("patched")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return Run("too long", [], [], float(LIMIT))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        pictures = [imread(file) for file in sorted(Path(folder).glob("*.png"))]
        last = (done.stderr.strip().splitlines() or [""])[-1]
        outcome = "runs" if done.returncode == 0 else last.partition(":")[0]
        lines = [line for line in done.stdout.splitlines() if not CLOCK.search(line)]
        return Run(outcome, lines, pictures, seconds)


def draw(folder: Path, path: Path, patched: bool) -> None:
    """Execute an example, and keep its figures instead of showing them."""
    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    if patched:
        import maxmargin

        maxmargin.patch_sklearn(verbose=False)

    def keep(*_: Any, **__: Any) -> None:
        for number in plt.get_fignums():
            place = len(list(folder.glob("*.png")))
            plt.figure(number).savefig(folder / f"{place:03}.png", dpi=80)
        plt.close("all")

    plt.show = keep
    np.random.seed(0)  # noqa: NPY002 -- for examples that draw their data without a seed
    sys.argv = [str(path)]
    sys.path[0] = str(path.parent)
    try:
        runpy.run_path(str(path), run_name="__main__")
    finally:
        keep()


def words(theirs: list[str], ours: list[str]) -> str:
    """Tell how printed results differ: by how much if only in numbers, in which words if not."""
    if theirs == ours:
        return "same" if theirs else "none"
    bare = [
        [NUMBER.sub("#", re.sub(r"\s+", " ", line)) for line in text] for text in (theirs, ours)
    ]
    if bare[0] != bare[1]:
        return f"other words in {len({*bare[0]} ^ {*bare[1]})} lines"
    a, b = (
        np.array([float(x) for x in NUMBER.findall("\n".join(text))]) for text in (theirs, ours)
    )
    different = a != b
    return f"{different.sum()} of {len(a)} numbers, by up to {np.abs(a - b).max():.2g}"


def pixels(theirs: list[Any], ours: list[Any]) -> str:
    """Tell which share of the pixels differs visibly, in the worst picture."""
    if [picture.shape for picture in theirs] != [picture.shape for picture in ours]:
        return f"{len(theirs)} pictures there, {len(ours)} here, or of other sizes"
    shares = [
        float((np.abs(a[..., :3] - b[..., :3]).max(axis=-1) > 0.1).mean())
        for a, b in zip(theirs, ours, strict=True)
    ]
    return f"{len(shares)}, {max(shares):.2%} differ" if shares else "none"


def main(folder: Path, pattern: str) -> None:
    print("| example | runs | printed | pictures | seconds there | here |", flush=True)
    print("| --- | --- | --- | --- | --- | --- |", flush=True)
    for path in sorted(folder.glob("*/*.py")):
        if re.search(pattern, str(path)) and uses_svm(path):
            theirs, ours = run(path, patched=False), run(path, patched=True)
            same = theirs.outcome == ours.outcome
            print(
                f"| {path.parent.name}/{path.stem} "
                f"| {ours.outcome if same else f'{theirs.outcome} there, {ours.outcome} here'} "
                f"| {words(theirs.text, ours.text)} | {pixels(theirs.pictures, ours.pictures)} "
                f"| {theirs.seconds:.1f} | {ours.seconds:.1f} |",
                flush=True,
            )


if __name__ == "__main__":
    if sys.argv[1] == "--draw":
        draw(Path(sys.argv[2]), Path(sys.argv[3]), patched=sys.argv[4:] == ["patched"])
    else:
        main(Path(sys.argv[1]).resolve(), sys.argv[2] if len(sys.argv) > 2 else "")
