"""
Fit a file that is larger than memory, exactly
==============================================

:class:`~maxmargin.data.Chunks` reads a file piece by piece, as often as needed. :class:`~maxmargin.LinearSVC` fits it to the same optimum as an array in
memory, and says how many times it has read the file; :class:`~maxmargin.SGDSVC` reads it once and comes close.
"""

import tempfile
from pathlib import Path

import numpy as np
from matplotlib import pyplot

from maxmargin import SGDSVC, LinearSVC
from maxmargin.data import Chunks
from maxmargin.plots.style import color_of

n, d, chunk_rows = 200_000, 30, 10_000
folder = tempfile.TemporaryDirectory()
path_X, path_y = Path(folder.name) / "X.npy", Path(folder.name) / "y.npy"

# %%
# The file is written in pieces, too: at no time are all rows in memory. Four per cent of the labels are wrong. (48 MB
# stand for a file that would not fit; nothing below depends on its size but the time.)

rng = np.random.default_rng(0)
direction = rng.normal(size=d)
X_file = np.lib.format.open_memmap(path_X, "w+", np.float64, (n, d))
y_file = np.lib.format.open_memmap(path_y, "w+", np.int64, (n,))
for begin in range(0, n, chunk_rows):
    part = slice(begin, begin + chunk_rows)
    rows = rng.normal(size=(chunk_rows, d))
    X_file[part] = rows
    y_file[part] = np.where(rows @ direction > 0, 1, -1) * rng.choice(
        [1, -1], chunk_rows, p=[0.96, 0.04]
    )
X_file.flush()
y_file.flush()
del X_file, y_file

chunks = Chunks.from_npy(path_X, path_y, chunk_rows=chunk_rows)
share = chunk_rows * d * 8 / path_X.stat().st_size
print(f"{path_X.stat().st_size / 1e6:.0f} MB, of which {share:.0%} are in memory at a time")

# %%
# The exact machine goes through the file some tens of times; its history counts the passes.

alpha = 1e-4
exact = LinearSVC(C=1 / (alpha * n), tol=1e-9).fit(chunks)
history = exact.history_
print(
    f"{exact.status_.name} after {history['passes'][-1]:.0f} passes, gap {exact.certificate_.gap:.0e}"
)

# %%
# The stochastic machine learns from each chunk as it comes, over three passes here. Its distance to the optimum is
# known because the exact one has found the optimum.

optimum = exact.certificate_.dual * alpha
stream = SGDSVC(loss="squared_hinge", alpha=alpha, random_state=0)
whole = np.load(path_X), np.load(path_y)  # to look at only; in earnest, certify on a sample
distances = []
for _ in range(3):
    for chunk in chunks:
        stream.partial_fit(chunk.X, chunk.y, classes=[-1, 1])
    distances.append(stream.certify(*whole).primal / optimum - 1)
print("above the optimum after each pass:", ", ".join(f"{distance:.1e}" for distance in distances))

# Alt: Relative distance to the optimum over passes through the file. Squares of the stochastic machine
# are about a ten-thousandth after one pass and fall slowly; the exact machine's line starts at one, needs more passes and falls to rounding.
figure, axes = pyplot.subplots(figsize=(6.4, 3.8), layout="constrained")
axes.plot(history["passes"], history["gap"], "o-", color=color_of(0), label="LinearSVC, proven gap")
axes.plot([1, 2, 3], distances, "s--", color=color_of(1), label="SGDSVC, distance to the optimum")
axes.set(yscale="log", xlabel="passes through the file", ylabel="relative distance to the optimum")
axes.set_xticks(range(0, 21, 5))
axes.legend()

# %%
# Was anything lost by never having all rows at once? No: an array in memory gives the same weights.

in_memory = LinearSVC(C=1 / (alpha * n), tol=1e-9).fit(*whole)
difference = np.abs(exact.coef_ / in_memory.coef_ - 1).max()
print(f"largest relative difference of a weight: {difference:.0e}")
folder.cleanup()
assert difference < 1e-6
assert exact.certificate_.gap < 1e-9
assert distances[0] < 0.01
