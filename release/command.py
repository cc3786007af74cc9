"""Running the tools of a release."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]


def run(*command: str | Path, cwd: Path = ROOT, **variables: str) -> str:
    """Standard output of a command that must succeed; all of it is shown where it does not."""
    words = [str(word) for word in command]
    print("+", *words, flush=True)
    done = subprocess.run(
        words, cwd=cwd, env=os.environ | variables, text=True, capture_output=True, check=False
    )
    if done.returncode != 0:
        sys.exit(f"{done.stdout}{done.stderr}{words[0]} ended with status {done.returncode}")
    return done.stdout
