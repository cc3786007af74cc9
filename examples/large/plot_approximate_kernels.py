"""
Approximate kernels: how far off, and at what price
===================================================

A kernel machine costs kernel values between support vectors and rows. Landmarks (:class:`~maxmargin.Nystroem`) or random waves
(:class:`~maxmargin.RandomFourier`) turn rows into features for a linear machine instead. Both are approximations, and both say by how
much they are off.
"""

import numpy as np
from matplotlib import pyplot
from sklearn.datasets import make_moons
from sklearn.pipeline import make_pipeline

from maxmargin import SVC, LinearSVC, Nystroem, RandomFourier
from maxmargin.kernels import RBF
from maxmargin.plots.style import color_of

gamma = 4.0
X, y = make_moons(6_000, noise=0.25, random_state=0)
X, y, X_new, y_new = X[:4_000], y[:4_000], X[4_000:], y[4_000:]
exact = SVC(C=1.0, gamma=gamma).fit(X, y)
print(f"exact: {len(exact.support_)} support vectors, accuracy {exact.score(X_new, y_new):.3f}")

# %%
# For each number of features: the largest error of a kernel value between 1,000 rows, and the share of new rows on which
# the machine says something else than the exact one.

sizes = [8, 16, 32, 64, 128]
sample = X[:1_000]
true = RBF(gamma=gamma)(sample, sample)
off, other, stated = {}, {}, []
for name, make in {"Nystroem": Nystroem, "RandomFourier": RandomFourier}.items():
    off[name], other[name] = [], []
    for size in sizes:
        features = make(gamma=gamma, n_components=size, random_state=0)
        model = make_pipeline(features, LinearSVC(loss="hinge", C=1.0)).fit(X, y)
        phi = features.transform(sample)
        off[name].append(np.abs(phi @ phi.T - true).max())
        other[name].append(np.mean(model.predict(X_new) != exact.predict(X_new)))
        if name == "Nystroem":
            stated.append(features.error_)
    print(f"{name}: {sizes[-1]} components, off by {off[name][-1]:.0e}")

# %%
# Landmarks are chosen where the approximation is worst, so that ``error_`` is a bound, not an estimate: no kernel value of
# the training rows is off by more. Smooth kernels of few columns need few landmarks. The error of random waves falls
# as one over the root of their number, for any number of columns.

# Alt: Two panels over the number of components, both axes logarithmic. Left, the largest error: that of Nystroem falls steeply along
# a dashed line, its stated bound, that of random waves slowly. Right, the share of other predictions falls with it.
figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
for code, (name, mark) in enumerate({"Nystroem": "o-", "RandomFourier": "s-"}.items()):
    left.plot(sizes, off[name], mark, color=color_of(code), label=name)
    right.plot(sizes, 100 * np.array(other[name]), mark, color=color_of(code), label=name)
left.plot(sizes, stated, "--", color=color_of(0), lw=1, label="Nystroem, stated bound")
left.set(xscale="log", yscale="log", xlabel="components", ylabel="largest error of a kernel value")
right.set(xscale="log", xlabel="components", ylabel="% of new rows predicted otherwise")
for axes in (left, right):
    axes.set_xticks(sizes, sizes)
    axes.minorticks_off()
    axes.legend()

assert all(np.array(off["Nystroem"]) <= np.array(stated) + 1e-12)
assert other["Nystroem"][-1] < 0.01
