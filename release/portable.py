"""``python -m release.portable``: the core on machines other than this one, as far as it goes here.

The core's own tests are built by other compilers and for other machines and run where they can be:
natively, on 64-bit ARM by qemu-user, on Windows by Wine; for macOS they are built and linked only.
Then a module for ARM makes fits under qemu-user, and their solutions are held to this machine's.
"""

import json
import os
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

from release.command import ROOT, run

WORK = ROOT / "build" / "portable"
#: Both runs are optimal within their certificates, and these are far smaller.
TOLERANCE = 1e-9
#: Of one program, in minutes: far more than any takes, so that none hangs.
LIMIT = 30


@dataclass(frozen=True)
class Machine:
    """What a build is for, by which compiler, and what runs it."""

    name: str
    target: str = ""  # of zig; empty: clang, the machine's own, for this machine
    runner: list[str] = field(default_factory=list)
    variables: dict[str, str] = field(default_factory=dict)  # of the runner
    suffix: str = ""
    runs: bool = True
    left_out: tuple[str, ...] = ()  # tests

    def build(self, *options: str) -> Path:
        """The folder of a build."""
        folder = WORK / self.name
        toolchain = ["--toolchain", "release/zig.cmake"] if self.target else []
        compiler = {} if self.target else {"CXX": os.environ.get("CLANG", "clang++")}
        run(
            "cmake", "-S", ".", "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
            *toolchain, *options, TARGET=self.target, **compiler,
        )  # fmt: skip
        run("cmake", "--build", folder)
        return folder

    def test(self) -> None:
        """Builds the core's tests and runs them."""
        program = (
            self.build("-DMAXMARGIN_MODULE=OFF", "-DMAXMARGIN_TESTS=ON") / f"cpp_tests{self.suffix}"
        )
        if not self.runs:
            print(f"{self.name}: built; nothing here runs it")
        elif self.runner and shutil.which(self.runner[0]) is None:
            print(f"{self.name}: built; not run: there is no {self.runner[0]}")
        else:
            if self is ARM:
                arm_root()
            leave = [f"-{name}" for name in self.left_out]
            told = run(*self.runner, program, *leave, minutes=LIMIT, **self.variables)
            print(f"{self.name}:", told.strip().splitlines()[-1], *leave)


ARM_ROOT = WORK / "arm-root"
# Debian has it under two names, and one of them is enough.
EMULATOR = shutil.which("qemu-aarch64") or "qemu-aarch64-static"
QEMU = [EMULATOR, "-L", str(ARM_ROOT)]
WINE = {"WINEPREFIX": str(WORK / "wine"), "WINEDEBUG": "-all"}
# It compares with long double, whose 113 bits on ARM are software, which qemu emulates in turn.
SLOW = ("errors_of_entries_stay_within_their_bound",)
ARM = Machine("aarch64-linux", "aarch64-linux-gnu.2.28", QEMU, left_out=SLOW)
MACHINES = [
    Machine("clang"),
    ARM,
    Machine("x86_64-windows", "x86_64-windows-gnu", ["/usr/lib/wine/wine64"], WINE, ".exe"),
    Machine("aarch64-macos", "aarch64-macos", runs=False),
]


def arm_root() -> None:
    """A folder with the system's libraries, Python and what the package imports, for ARM."""
    if not ARM_ROOT.exists():
        run(sys.executable, "-m", "release.arm_root", ARM_ROOT)


def arm_python() -> None:
    """The package in that folder, its module by the headers of this machine's Python."""
    if sys.version_info[:2] != (3, 11):
        raise SystemExit("the Python for ARM is Debian's 3.11: make with PYTHON=python3.11")
    arm_root()
    nanobind = run(sys.executable, "-m", "nanobind", "--cmake_dir").strip()
    folder = Machine("aarch64-module", ARM.target).build(
        "-DSKBUILD_PROJECT_VERSION=portable", f"-Dnanobind_DIR={nanobind}"
    )
    package = ARM_ROOT / "site" / "maxmargin"
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(ROOT / "src" / "maxmargin", package)
    (module,) = folder.glob("_core.*.so")
    shutil.copy(module, package / "_core.so")


def compare_fits() -> None:
    """The same fits here and on ARM: equal within TOLERANCE."""
    script = ROOT / "release" / "fits.py"
    here = json.loads(run(sys.executable, script))
    python = ARM_ROOT / "usr/bin/python3.11"
    site = str(ARM_ROOT / "site")
    there = json.loads(run(*QEMU, python, script, minutes=LIMIT, PYTHONPATH=site))
    for name, numbers in here.items():
        difference = max(abs(a - b) for a, b in zip(numbers, there[name], strict=True))
        print(f"{name}: {len(numbers)} numbers, on ARM different by at most {difference:.1e}")
        if not difference <= TOLERANCE:
            raise SystemExit(f"{name} differs by {difference}, more than {TOLERANCE}")


def main(names: list[str]) -> None:
    """All machines, or those that are named; `fits` are the fits on ARM."""
    chosen = names or [*(machine.name for machine in MACHINES), "fits"]
    for machine in MACHINES:
        if machine.name in chosen:
            machine.test()
    if "fits" in chosen:
        arm_python()
        compare_fits()


if __name__ == "__main__":
    main(sys.argv[1:])
