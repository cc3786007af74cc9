"""
All classes as one problem, or one after the other
==================================================

One-vs-rest asks of each class to be told from all others by a line, which the class in the middle cannot. Crammer and Singer
ask only that the right class has the highest score, in one problem of all classes.
"""

import numpy as np
from matplotlib import pyplot
from sklearn.datasets import make_blobs

from maxmargin import LinearSVC
from maxmargin.plots.style import color_of, marker_of, tint

centers = [[-4, 0], [-2, 0], [0, 0], [2, 0], [4, 0]]
X, y = make_blobs(400, centers=centers, cluster_std=0.35, random_state=0)
machines = {
    "one-vs-rest": LinearSVC(loss="hinge", C=1.0).fit(X, y),
    "Crammer and Singer": LinearSVC(multi_class="crammer_singer", C=1.0).fit(X, y),
}
for name, machine in machines.items():
    print(f"{name}: accuracy {machine.score(X, y):.3f}, gap {machine.certificate_.gap:.0e}")

# %%
# Both have the same form, a weight vector and an intercept for each class, and the same rule, the highest score. What
# differs is what they were asked for. No line has the middle class on one side and all others on the
# other; but its score need not be positive in the middle only. It is enough that it is the *highest* there, while others rise
# and fall from left to right.

# Alt: Two panels with five clusters of points in a row, and regions coloured by the predicted class. Left, one-vs-rest gives the middle to
# two of the inner classes and nothing to the third; crosses mark nearly all points of two clusters as wrong. Right, every cluster lies in a stripe of its own colour.
figure, panels = pyplot.subplots(1, 2, figsize=(9.6, 3.8), sharey=True, layout="constrained")
across, up = np.meshgrid(np.linspace(-6, 6, 500), np.linspace(-3, 3, 300))
plane = np.column_stack([across.ravel(), up.ravel()])
for axes, (name, machine) in zip(panels, machines.items(), strict=True):
    regions = machine.predict(plane).reshape(across.shape)
    axes.contourf(
        across,
        up,
        regions,
        levels=np.arange(-0.5, 5),
        colors=[tint(color_of(k), 0.25) for k in range(5)],
    )
    for k in range(5):
        axes.plot(*X[y == k].T, marker_of(k), ms=4, color=color_of(k), mec="white", mew=0.4)
    missed = X[machine.predict(X) != y]
    axes.plot(*missed.T, "kx", ms=4, label=f"{len(missed)} wrong")
    axes.set(title=name, xlabel="first feature")
    axes.legend(loc="lower center")
panels[0].set(ylabel="second feature")

first, second = (machine.score(X, y) for machine in machines.values())
assert second > 0.98
assert second > first + 0.05
