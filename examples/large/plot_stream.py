"""
Learn from a stream, and know how far it has come
=================================================

Rows arrive in blocks, each is seen once and thrown away. ``SGDSVC.partial_fit`` first judges the model so far on the
new block, then learns from it: an estimate of the objective that no row has been used for twice.
"""

import numpy as np
from matplotlib import pyplot

from maxmargin import SGDSVC, LinearSVC
from maxmargin.plots.style import color_of

rng = np.random.default_rng(0)
n_blocks, block_rows, d = 80, 1_000, 200
direction = rng.normal(size=d) / np.sqrt(d)


def blocks():
    """Yield the same stream each time: two classes, one label in ten wrong."""
    source = np.random.default_rng(1)
    for _ in range(n_blocks):
        X = source.normal(size=(block_rows, d))
        y = np.where(X @ direction > 0, 1, -1) * source.choice([1, -1], block_rows, p=[0.9, 0.1])
        yield X, y


# %%
# One pass. After each block the certificate speaks of the model *before* it, on rows which that had not seen
# (``held``), with a standard error. Before the first block there is no model worth judging, so its judgement is left out.

alpha = 1e-2
stream = SGDSVC(alpha=alpha, random_state=0)
objectives, errors = [], []
for X, y in blocks():
    stream.partial_fit(X, y, classes=[-1, 1])
    assert stream.certificate_.held
    objectives.append(stream.certificate_.primal)
    errors.append(stream.certificate_.standard_error)

# %%
# For comparison all rows at once: :class:`~maxmargin.LinearSVC` finds the optimum of the same objective, with C = 1 / (alpha n) and
# its value divided by C n to be a mean.

X, y = (np.concatenate(parts) for parts in zip(*blocks(), strict=True))
exact = LinearSVC(loss="hinge", C=1 / (alpha * len(y)), tol=1e-6).fit(X, y)
optimum = exact.certificate_.primal * alpha
final = stream.certify(X, y).primal
print(f"optimum {optimum:.4f}, after one pass {final:.4f}: {final / optimum - 1:.2%} above")

# %%
# The judgements scatter by chance, as they say they do, around a level that is soon that of the best model.

# Alt: Dots with error bars, one for each of 79 blocks, of the objective on rows not yet learnt. The first few lie higher;
# from about the tenth block on they scatter evenly around a horizontal line, the optimum of all rows.
figure, axes = pyplot.subplots(figsize=(6.4, 3.8), layout="constrained")
rows = block_rows * np.arange(1, n_blocks)
axes.errorbar(
    rows,
    objectives[1:],
    2 * np.array(errors[1:]),
    fmt="o",
    ms=3.5,
    lw=0.9,
    color=color_of(0),
    label="on the next block, 2 standard errors",
)
axes.axhline(optimum, color=color_of(1), ls="--", label="optimum of all rows")
axes.set(xlabel="rows learnt from", ylabel="objective")
axes.legend(loc="upper right")

late = np.array(objectives[n_blocks // 4 :])
covered = np.mean(np.abs(late - optimum) < 2 * np.array(errors[n_blocks // 4 :]))
print(f"{covered:.0%} of the later intervals hold the optimum")
assert optimum <= final < 1.01 * optimum
assert covered > 0.8
