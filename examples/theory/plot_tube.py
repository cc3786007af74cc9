"""
Regression with a tube: epsilon decides who counts
==================================================

Support vector regression forgives errors up to ``epsilon``. Rows inside the tube have no say: the wider it is, the fewer rows
carry the curve, until it is too wide to follow the data.
"""

import numpy as np
from matplotlib import pyplot

from maxmargin import SVR
from maxmargin.plots import RegressionDisplay

rng = np.random.default_rng(0)
X = np.sort(rng.uniform(0, 6, (80, 1)), axis=0)
y = np.sin(X[:, 0]) + 0.15 * rng.normal(size=80)
machines = {
    epsilon: SVR(C=10.0, gamma=0.5, epsilon=epsilon, tol=1e-8).fit(X, y)
    for epsilon in (0.05, 0.25, 0.7)
}

# %%
# Three tubes around the same rows. Rows outside are joined to the edge of the tube by their slack.

# Alt: Three panels with the same noisy sine. In a narrow tube most dots lie outside and are marked; in a middle one a single dot does;
# in a wide one none, and the curve is too flat to reach the top and the bottom of the sine.
figure, panels = pyplot.subplots(1, 3, figsize=(10, 3.4), sharey=True, layout="constrained")
for axes, (epsilon, machine) in zip(panels, machines.items(), strict=True):
    RegressionDisplay.from_estimators(X, y, {"SVR": machine}).plot(ax=axes)
    axes.get_legend().remove()
    axes.set(title=f"epsilon = {epsilon}: {len(machine.support_)} support vectors", xlabel="x")
    axes.label_outer()
handles, _ = axes.get_legend_handles_labels()
words = ["tube", "outside the tube", "SVR"]
figure.legend(handles, words, loc="outside lower center", ncols=3)

# %%
# A row strictly inside the tube has a dual variable of zero, one outside has the whole of C. So leaving out every row inside changes nothing.

for epsilon, machine in machines.items():
    distance = np.abs(machine.predict(X) - y)
    inside = distance < epsilon - 1e-6
    again = SVR(C=10.0, gamma=0.5, epsilon=epsilon, tol=1e-8).fit(X[~inside], y[~inside])
    change = np.abs(again.predict(X) - machine.predict(X)).max()
    print(
        f"epsilon {epsilon}: {inside.sum()} rows inside; without them the curve moves by {change:.0e}"
    )
    assert change < 1e-5
counts = [len(machine.support_) for machine in machines.values()]
assert counts[0] > counts[1] > counts[2]
