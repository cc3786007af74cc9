"""Running the tools of a release."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def run(
    *command: str | Path, cwd: Path = ROOT, minutes: float | None = None, **variables: str
) -> str:
    """Standard output of a command that must succeed; all of it is shown where it does not."""
    words = [str(word) for word in command]
    print("+", *words, flush=True)
    try:
        done = subprocess.run(
            words, cwd=cwd, env=os.environ | variables, text=True, capture_output=True,
            check=False, timeout=minutes and 60 * minutes,
        )  # fmt: skip
    except subprocess.TimeoutExpired as late:
        sys.exit(f"{late.stdout or b''!r}\n{words[0]} was ended after {minutes} minutes")
    if done.returncode != 0:
        sys.exit(f"{done.stdout}{done.stderr}{words[0]} ended with status {done.returncode}")
    return done.stdout
