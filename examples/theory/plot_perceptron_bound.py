"""
The perceptron's mistakes are bounded by the margin
===================================================

The perceptron turns its hyperplane a little whenever a row is on the wrong side. If some hyperplane separates the rows with margin
:math:`\\gamma`, it is wrong at most :math:`(R/\\gamma)^2` times, however many rows there are and in whatever order they come.
"""

import numpy as np
from matplotlib import pyplot

from maxmargin import HardMarginSVC
from maxmargin.optimizers import mistake_bound, perceptron
from maxmargin.plots.style import color_of, marker_of

rng = np.random.default_rng(0)

# %%
# Rows are drawn around a line, with a street of the given width kept free. The bound is smallest for the hyperplane with the largest
# margin, which :class:`maxmargin.HardMarginSVC` finds.

mistakes, bounds = [], []
for width in np.repeat(np.logspace(-2, 0, 12), 5):
    X = rng.uniform(-2, 2, (200, 2))
    y = np.where(X @ [0.6, 0.8] > 0, 1.0, -1.0)
    X += np.outer(y, [0.6, 0.8]) * width / 2
    best = HardMarginSVC(kernel="linear").fit(X, y)
    bounds.append(mistake_bound(X, y, best.coef_[0], best.intercept_[0]))
    mistakes.append(len(perceptron(X, y, max_passes=100_000).mistakes))
mistakes, bounds = np.array(mistakes), np.array(bounds)

# %%
# Each mark is one set of rows. All lie below the diagonal: the theorem holds, and it is generous.

# Alt: Sixty marks in a logarithmic plane, the number of mistakes over the bound. All lie below the dashed diagonal where the
# two are equal, most of them ten to a thousand times below, and mistakes rise with the bound.
figure, axes = pyplot.subplots(figsize=(5.6, 4.2), layout="constrained")
axes.loglog(
    bounds,
    mistakes,
    marker_of(0),
    color=color_of(0),
    ms=5,
    mec="white",
    label="a run of the perceptron",
)
ends = np.array([0.8 * bounds.min(), 1.2 * bounds.max()])
axes.loglog(ends, ends, ls="--", color="0.3", label="as many as the bound allows")
axes.set(xlabel=r"bound $(R/\gamma)^2$", ylabel="mistakes until all rows are right")
axes.legend(loc="upper left")

# %%
print(
    f"bounds from {bounds.min():.0f} to {bounds.max():.0f}, mistakes from {mistakes.min()} to {mistakes.max()}"
)
print(f"at most {np.max(mistakes / bounds):.0%} of the bound was used")
assert np.all(mistakes <= bounds)
assert np.corrcoef(np.log(bounds), np.log(mistakes))[0, 1] > 0.5
