"""``python -m release.wheel PYTHON...``: sdist and wheels in dist/, checked and tried.

CPython 3.11 and free-threaded ones have wheels of their own; 3.12 and newer share that of the
stable ABI, which the first of them builds. Then each installs its wheel into an empty environment
without a compiler and runs release/smoke.py there.
"""

import platform
import re
import shutil
import sys
import tarfile
from pathlib import Path

from release.command import ROOT, run
from release.environment import Environment, Interpreter
from release.source import source_distribution

DIST, WORK = ROOT / "dist", ROOT / "build" / "release"
TOOLS = Path(sys.executable).parent
#: The oldest glibc that wheels must run with: 2.28.
GLIBC = 28
TARGET = f"{platform.machine()}-linux-gnu.2.{GLIBC}"
PLATFORM = f"manylinux_2_{GLIBC}_{platform.machine()}"


def build_wheel(interpreter: Interpreter, tree: Path, epoch: str) -> Path:
    """A wheel by zig's compiler, told its platform by auditwheel."""
    builder = Environment.make(interpreter.path, WORK / f"builder-{interpreter.version}")
    builder.install_locked("build")
    made = WORK / f"made-{interpreter.version}"
    shutil.rmtree(made, ignore_errors=True)
    run(
        builder.python, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation",
        "--wheel-dir", made, "-C", f"build-dir={WORK / f'objects-{interpreter.version}'}", tree,
        PATH=f"{builder.folder / 'bin'}:{TOOLS}:/usr/bin:/bin",
        CMAKE_TOOLCHAIN_FILE=str(ROOT / "release" / "zig.cmake"),
        TARGET=TARGET, SOURCE_DATE_EPOCH=epoch,
    )  # fmt: skip
    (wheel,) = made.glob("*.whl")
    repaired = made / "repaired"
    run(
        TOOLS / "auditwheel", "repair", "--plat", PLATFORM, "--wheel-dir", repaired, wheel,
        PATH=f"{TOOLS}:/usr/bin:/bin",
    )  # fmt: skip
    (wheel,) = repaired.glob("*.whl")
    return Path(shutil.copy(wheel, DIST))


def check(sdist: Path, wheels: list[Path]) -> None:
    """What the package index and installers would object to, before they do."""
    run(TOOLS / "twine", "check", "--strict", sdist, *wheels)
    run(TOOLS / "check-wheel-contents", "--toplevel", "maxmargin", *wheels)
    for wheel in wheels:
        shown = run(TOOLS / "auditwheel", "show", wheel)
        print(shown.strip())
        # Its verdict is in quotes: the file's name, which is shown too, has what it was told to be.
        verdict = re.search(r'"manylinux_2_(\d+)_', shown)
        if verdict is None or int(verdict[1]) > GLIBC:
            raise SystemExit(f"{wheel.name} is not consistent with {PLATFORM}")
        if "abi3" in wheel.name:
            run(TOOLS / "abi3audit", "--strict", wheel)


def smoke(interpreter: Interpreter, wheel: Path) -> Environment:
    """Installs a wheel where there is no compiler, and uses it."""
    empty = Environment.make(interpreter.path, WORK / f"empty-{interpreter.version}")
    nowhere = WORK / "nowhere"
    nowhere.mkdir(exist_ok=True)
    path = f"{empty.folder / 'bin'}:{nowhere}"
    assert not any(shutil.which(name, path=path) for name in ("cc", "c++", "gcc", "g++", "clang"))
    empty.install("--only-binary", ":all:", f"{wheel}[cli,plot]", PATH=path)
    trial = WORK / f"trial-{interpreter.version}"
    shutil.rmtree(trial, ignore_errors=True)
    trial.mkdir()
    print(run(empty.python, ROOT / "release" / "smoke.py", cwd=trial, PATH=path).strip())
    return empty


def main(paths: list[str]) -> None:
    """Builds, checks and tries all of it."""
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    epoch = run("git", "log", "-1", "--format=%ct").strip()
    builder = Environment.make(sys.executable, WORK / "builder")
    builder.install_locked("build")
    sdist = source_distribution(builder.python, WORK / "source", epoch, DIST)
    tree = WORK / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    with tarfile.open(sdist) as members:
        members.extractall(tree, filter="data")
    (tree,) = tree.iterdir()

    wheels: dict[str, Path] = {}
    interpreters = [Interpreter.at(path) for path in paths]
    for interpreter in interpreters:
        if interpreter.wheel not in wheels:
            wheels[interpreter.wheel] = build_wheel(interpreter, tree, epoch)
    check(sdist, list(wheels.values()))
    for interpreter in interpreters:
        empty = smoke(interpreter, wheels[interpreter.wheel])
    parts = DIST / f"{sdist.name.removesuffix('.tar.gz')}.cdx.json"
    run(
        TOOLS / "cyclonedx-py", "environment", "--output-reproducible", "--output-file", parts,
        "--pyproject", ROOT / "pyproject.toml", empty.python,
    )  # fmt: skip
    for file in sorted(DIST.iterdir()):
        print(f"{file.stat().st_size / 1e6:8.2f} MB  {file.relative_to(ROOT)}")


if __name__ == "__main__":
    main(sys.argv[1:])
