"""
More threads, the same bits
===========================

Sums of floating-point numbers depend on their order, and threads usually decide it by chance. Here they do not: the
model is the same to the last bit with one thread and with many, so that a result can be reproduced on another machine
with another number of cores.
"""

import numpy as np
from matplotlib import pyplot
from sklearn.datasets import make_classification

from maxmargin import SVC, LinearSVC
from maxmargin.plots.style import color_of

X, y = make_classification(4_000, 30, n_informative=12, n_classes=3, random_state=0)
X_new = np.random.default_rng(0).normal(size=(2_000, 30))


def outputs(machine, X, y):
    """Fit it, and decide on new rows."""
    return machine.fit(X, y).decision_function(X_new)


# %%
# Fits with one, two and four threads, of a kernel machine and a linear one; and, for scale, of the same rows in another
# order, which is the same problem to a mathematician and another one to a computer.

order = np.random.default_rng(1).permutation(len(y))
differences = {}
for name, make in {
    "SVC": lambda jobs: SVC(C=5.0, decision_function_shape="ovo", n_jobs=jobs),
    "LinearSVC": lambda jobs: LinearSVC(n_jobs=jobs),
}.items():
    one = outputs(make(1), X, y)
    differences[name, "2 threads"] = np.abs(outputs(make(2), X, y) - one)
    differences[name, "4 threads"] = np.abs(outputs(make(4), X, y) - one)
    differences[name, "rows shuffled"] = np.abs(outputs(make(1), X[order], y[order]) - one)
for (name, change), difference in differences.items():
    print(
        f"{name:>9}, {change:<13}: {np.count_nonzero(difference):5} outputs differ, at most by {difference.max():.0e}"
    )

# %%
# How many of the 6,000 outputs differ, and by how much. Another order leads to another point within the tolerance: the
# certificate says of both that they are good enough, not that they are equal. Another number of threads leads to the same one.

# Alt: Two panels, for SVC and LinearSVC. Sorted differences of outputs: the curve for shuffled rows lies between ten to the
# minus ten and ten to the minus three; the curves for two and four threads are flat on a line marked zero at the bottom.
figure, panels = pyplot.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
least = 1e-18  # where zero is drawn
for axes, name in zip(panels, ("SVC", "LinearSVC"), strict=True):
    for code, (change, look) in enumerate(
        {"rows shuffled": "-", "2 threads": "-", "4 threads": "--"}.items()
    ):
        values = np.sort(differences[name, change].ravel())
        share = np.linspace(0, 100, len(values))
        axes.plot(
            share,
            np.maximum(values, least),
            look,
            lw=(2, 4, 2)[code],
            color=color_of((0, 4, 1)[code]),
            label=change,
        )
    axes.set(yscale="log", xlabel="% of the outputs, sorted", title=name)
panels[0].set(ylabel="difference to one thread", ylim=(least / 10, 1))
panels[0].set_yticks(
    [least, 1e-15, 1e-12, 1e-9, 1e-6, 1e-3, 1],
    ["0", *(f"$10^{{{k}}}$" for k in (-15, -12, -9, -6, -3)), "1"],
)
panels[0].legend(loc="center right")

assert all(
    (difference == 0).all()
    for (_, change), difference in differences.items()
    if "threads" in change
)
