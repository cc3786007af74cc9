"""Vowpal Wabbit on one problem: python -m benchmarks.vowpal FOLDER ALPHA PASSES OPTIONS.

Runs in the peers' environment, on FOLDER/data.vw, whose features are numbered from 1. The text is
converted to Vowpal Wabbit's own binary cache first, and the model is read back from its readable
form: neither is timed. Told are the seconds of the clock or of the processor, whichever are fewer:
it reads its cache in a second thread.
"""

import contextlib
import io
import json
import sys
from pathlib import Path
from time import perf_counter, process_time

import numpy as np
from vowpalwabbit import Workspace

#: The index of its constant feature before it is cut to the number of bits.
CONSTANT = 11650396


def main(folder: Path, alpha: float, passes: int, options: str) -> None:
    text, cache, readable = (folder / name for name in ("data.vw", "data.cache", "model.txt"))
    n_features = int((folder / "features").read_text())
    bits = 18 if n_features < 2**17 else 22
    common = f"--quiet -b {bits} --cache_file {cache} -d {text}"
    if not cache.exists():
        Workspace(f"{common} --noop").finish()
    arguments = (
        f"{common} --loss_function hinge --l2 {alpha} --no_bias_regularization "
        f"--passes {passes} --holdout_off --readable_model {readable} {options}"
    )
    with contextlib.redirect_stderr(io.StringIO()):
        clock, processor = perf_counter(), process_time()
        machine = Workspace(arguments)  # makes the passes
        seconds = min(perf_counter() - clock, process_time() - processor)
        machine.finish()
    coef, intercept = read(readable, n_features, bits)
    np.savez(folder / "model.npz", coef=coef, intercept=intercept)
    print(json.dumps({"seconds": seconds}))


def read(path: Path, n_features: int, bits: int):
    coef, intercept = np.zeros(n_features), 0.0
    for line in path.read_text().splitlines():
        parts = line.split(":")
        if len(parts) < 2 or not parts[0].isdigit():
            continue
        place, value = int(parts[0]), float(parts[1].split()[0])  # other numbers may follow
        if place == CONSTANT % 2**bits:
            intercept = value
        elif 1 <= place <= n_features:
            coef[place - 1] = value
    return coef, intercept


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
