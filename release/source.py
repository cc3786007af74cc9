"""The source distribution: made of the last commit alone, and the same bytes each time."""

import shutil
import tarfile
from pathlib import Path

from release.command import ROOT, run

#: The page of `make lab`, which is no part of a commit; a release has it.
LAB = Path("src/maxmargin/lab/lab.html")


def clean_tree(folder: Path) -> Path:
    """The last commit, with the lab's page where it is built."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    archive = folder.with_suffix(".tar")
    run("git", "archive", "--output", archive, "HEAD")
    with tarfile.open(archive) as members:
        members.extractall(folder, filter="data")
    if (ROOT / LAB).exists():
        shutil.copy(ROOT / LAB, folder / LAB)
    else:
        print(f"The lab's page is left out: there is no {LAB} (make lab).")
    return folder


def source_distribution(python: Path, work: Path, epoch: str, to: Path) -> Path:
    """The sdist, built twice from two copies of the tree; the bytes must agree."""
    archives = []
    for copy in ("first", "second"):
        tree = clean_tree(work / copy)
        build = "from scikit_build_core.build import build_sdist; build_sdist('made')"
        run(python, "-c", build, cwd=tree, SOURCE_DATE_EPOCH=epoch)
        archives.extend((tree / "made").glob("*.tar.gz"))
    first, second = archives
    if first.read_bytes() != second.read_bytes():
        raise SystemExit(f"{first} and {second} differ: the sdist is not reproducible")
    return Path(shutil.copy(first, to))
