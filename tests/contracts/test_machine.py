"""What the core finds out about the machine, against what the system says."""

import os
import platform
from pathlib import Path

import pytest

from maxmargin import _core

CPUINFO = Path("/proc/cpuinfo")
WIDE = {"avx512f", "avx512dq", "avx512bw", "avx512vl"}


@pytest.mark.skipif(
    platform.machine() != "x86_64" or not CPUINFO.exists(), reason="Linux on x86-64 tells its flags"
)
def test_the_widest_instructions_are_chosen():
    [flags] = {line for line in CPUINFO.read_text().splitlines() if line.startswith("flags")}
    found = set(flags.split())
    narrow = {"avx2", "fma"} <= found
    expected = "avx512" if narrow and found >= WIDE else "avx2" if narrow else "baseline"
    assert _core.instruction_set() == expected


@pytest.mark.skipif(platform.machine() not in {"aarch64", "arm64"}, reason="for ARM")
def test_arm_has_neon():
    assert _core.instruction_set() == "neon"


def test_cores_are_those_of_the_machine():
    assert 1 <= _core.usable_cores() <= os.cpu_count()


@pytest.mark.skipif(not hasattr(os, "sysconf"), reason="Windows has no sysconf")
def test_memory_is_that_of_the_machine():
    assert _core.physical_memory() == os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
