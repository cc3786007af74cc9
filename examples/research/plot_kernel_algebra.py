"""
Say what you know with sums and products of kernels
===================================================

A series with a trend and a season is extended by two years. A Gaussian kernel in time knows only that what is near is
alike, and soon returns to a constant. A sum says "a line in time, and something that depends on the month": each part of
what is known is a term.
"""

import numpy as np
from matplotlib import pyplot

from maxmargin import SVR
from maxmargin.kernels import RBF, Linear
from maxmargin.plots.style import color_of

rng = np.random.default_rng(0)
month = np.arange(120)
season = 1.5 * np.sin(2 * np.pi * month / 12) + 0.8 * np.cos(4 * np.pi * month / 12)
truth = 0.06 * month + (1 + month / 120) * season
y = truth + 0.3 * rng.normal(size=120)

# %%
# Three columns: time in years, and the month as a point on a circle, so that December is next to January. :meth:`~maxmargin.kernels.Kernel.on`
# makes a kernel look at some of them. The product lets the season's size grow in time.

angle = 2 * np.pi * month / 12
X = np.column_stack([month / 12, np.cos(angle), np.sin(angle)])
time, month_of_year = Linear().on([0]), RBF(gamma=1.0).on([1, 2])
kernels = {
    "RBF(time)": RBF(gamma=10.0).on([0]),
    "RBF(time) + RBF(month)": RBF(gamma=1.0).on([0]) + month_of_year,
    "time + RBF(month) + time × RBF(month)": time + month_of_year + 0.1 * (time * month_of_year),
}
known, later = slice(0, 96), slice(96, 120)
errors, curves = {}, {}
for name, kernel in kernels.items():
    machine = SVR(kernel=kernel, C=10.0, epsilon=0.2).fit(X[known], y[known])
    curves[name] = machine.predict(X)
    errors[name] = np.sqrt(np.mean((curves[name][later] - truth[later]) ** 2))
    print(f"{name}: root mean square error {errors[name]:.2f} in the last two years")

# %%
# Within the first eight years all three follow the dots. Only what a kernel says about all of time is of use beyond them.

# Alt: A series of dots over ten years with a season that grows and a rising trend; the last two years are shaded. The first curve
# falls to a constant there, the second repeats the season without trend, the third follows the dots.
figure, axes = pyplot.subplots(figsize=(9, 4), layout="constrained")
axes.axvspan(8, 10, color="0.93")
axes.plot(month[known] / 12, y[known], ".", color="0.4", label="known")
axes.plot(
    month[later] / 12, y[later], "o", mfc="white", mec="0.4", ms=4, label="not known to the fit"
)
for code, (name, look) in enumerate(zip(kernels, (":", "--", "-"), strict=True)):
    axes.plot(month / 12, curves[name], look, color=color_of((0, 2, 1)[code]), label=name)
axes.set(xlabel="years", ylabel="y", xlim=(-0.1, 10), ylim=(None, 13))
axes.legend(loc="upper left", ncols=2)

alone, added, all_said = errors.values()
assert all_said < 0.5 * added < 0.5 * alone
