"""Vowpal Wabbit on one problem: python -m benchmarks.vowpal FOLDER ALPHA PASSES OPTIONS.

Runs in the peers' environment. The data are converted to its own binary cache first, which is not
timed; the model is read back from its readable form.
"""

import contextlib
import io
import json
import sys
from pathlib import Path
from time import perf_counter

import numpy as np
from scipy import sparse
from vowpalwabbit import Workspace

#: The index of its constant feature before it is cut to the number of bits.
CONSTANT = 11650396


def main(folder: Path, alpha: float, passes: int, options: str) -> None:
    X = sparse.load_npz(folder / "X.npz").tocsr()
    with np.load(folder / "y.npz") as file:
        signs = np.where(file["y"] == 1, 1, -1)
    text, cache, readable = (folder / name for name in ("data.vw", "data.cache", "model.txt"))
    if not text.exists():
        write(text, X, signs, np.random.default_rng(0).permutation(len(signs)))
    bits = 18 if X.shape[1] < 2**17 else 22
    common = f"--quiet -b {bits} --cache_file {cache}"
    if not cache.exists():
        Workspace(f"{common} -d {text} --noop").finish()
    arguments = (
        f"{common} -d {text} --loss_function hinge --l2 {alpha} --passes {passes} "
        f"--holdout_off --readable_model {readable} {options}"
    )
    start = perf_counter()
    with contextlib.redirect_stderr(io.StringIO()):
        Workspace(arguments).finish()
    seconds = perf_counter() - start
    coef, intercept = read(readable, X.shape[1], bits)
    np.savez(folder / "model.npz", coef=coef, intercept=intercept)
    print(json.dumps({"seconds": seconds}))


def write(path: Path, X, signs, order) -> None:
    with path.open("w") as file:
        for i in order:
            row = slice(X.indptr[i], X.indptr[i + 1])
            pairs = zip(X.indices[row].tolist(), X.data[row].tolist(), strict=True)
            file.write(f"{signs[i]} | " + " ".join(f"{k}:{v:.7g}" for k, v in pairs) + "\n")


def read(path: Path, n_features: int, bits: int):
    coef, intercept = np.zeros(n_features), 0.0
    for line in path.read_text().splitlines():
        parts = line.split(":")
        if len(parts) < 2 or not parts[0].isdigit():
            continue
        place, value = int(parts[0]), float(parts[1])
        if place == CONSTANT % 2**bits:
            intercept = value
        elif place < n_features:
            coef[place] = value
    return coef, intercept


if __name__ == "__main__":
    main(Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
