"""
Gamma trades bias for variance
==============================

A small ``gamma`` makes stiff functions that miss the truth in the same way every time; a large one makes functions that follow the noise
of their own sample. Many samples of one truth show both parts of the error apart.
"""

import numpy as np
from matplotlib import pyplot

from maxmargin import SVR
from maxmargin.plots.style import color_of, dash_of


def truth(x):
    return np.sin(2 * x) + 0.5 * x


rng = np.random.default_rng(0)
grid = np.linspace(-2, 2, 101)
gammas = np.logspace(-2.5, 1.5, 15)
curves = np.empty((40, len(gammas), len(grid)))
for sample in range(40):
    x = rng.uniform(-2.2, 2.2, 50)
    y = truth(x) + 0.4 * rng.normal(size=50)
    for number, gamma in enumerate(gammas):
        machine = SVR(C=5.0, gamma=gamma, epsilon=0.1).fit(x[:, None], y)
        curves[sample, number] = machine.predict(grid[:, None])

# %%
# At every place the squared error is the square of the mean's error, the bias, plus the variance about the mean.

bias = ((curves.mean(axis=0) - truth(grid)) ** 2).mean(axis=1)
variance = curves.var(axis=0).mean(axis=1)
error = ((curves - truth(grid)) ** 2).mean(axis=(0, 2))
best = int(np.argmin(error))
print(
    f"best gamma {gammas[best]:.2f}: bias² {bias[best]:.3f} + variance {variance[best]:.3f} = {error[best]:.3f}"
)

# Alt: Left three, fifteen fitted curves each with the true wave: for a small gamma they agree and are too flat, for the best they lie about
# the wave, for a large one each wriggles its own way. Right, over gamma, squared bias falls, variance rises, and their sum is lowest between.
figure, panels = pyplot.subplots(
    1, 4, figsize=(11.5, 3.2), width_ratios=[1, 1, 1, 1.6], layout="constrained"
)
for axes, number in zip(panels, (1, best, len(gammas) - 1), strict=False):
    axes.plot(grid, curves[:15, number].T, color=color_of(5), lw=0.7, alpha=0.8)
    axes.plot(grid, truth(grid), color="0.1", lw=1.8)
    axes.set(title=f"gamma = {gammas[number]:.2g}", xlabel="x", ylim=(-2.8, 2.8))
parts = {"squared bias": bias, "variance": variance, "squared error": error}
for number, (name, values) in enumerate(parts.items()):
    panels[3].loglog(gammas, values, color=color_of(number), ls=dash_of(number), label=name)
panels[3].set(xlabel="gamma", title="mean over x and 40 samples", ylim=(None, 8 * error.max()))
panels[3].legend(loc="upper center", ncols=3, fontsize=7.5, handlelength=2.2, columnspacing=1.0)

# %%
assert np.allclose(error, bias + variance)
assert bias[0] > 5 * variance[0]
assert variance[-1] > 2 * bias[-1]
assert 0 < best < len(gammas) - 1
