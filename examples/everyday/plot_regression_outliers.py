"""
Regression that outliers do not bend
====================================

The squared loss of ridge regression lets a few absurd targets move the whole function. The epsilon-insensitive loss pulls at a row with at most C, however
far away it is. Diabetes data with some targets spoilt show the difference.
"""

import numpy as np
from matplotlib import pyplot
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_absolute_error
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from maxmargin import LinearSVR
from maxmargin.plots.style import color_of, dash_of, marker_of

X, y = load_diabetes(return_X_y=True)
X = StandardScaler().fit_transform(X)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.4, random_state=0)
rng = np.random.default_rng(0)

# %%
# A growing share of the training targets is replaced by a value ten times too large, as by a slipped decimal point. The test rows stay clean.

shares = np.array([0, 0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2])
order = rng.permutation(len(y_train))
errors = {"LinearSVR": [], "ridge regression": []}
for share in shares:
    spoilt = y_train.copy()
    chosen = order[: int(share * len(order))]
    spoilt[chosen] *= 10
    machines = {"LinearSVR": LinearSVR(C=1.0, epsilon=10.0), "ridge regression": Ridge()}
    for name, machine in machines.items():
        predicted = machine.fit(X_train, spoilt).predict(X_test)
        errors[name].append(mean_absolute_error(y_test, predicted))

# Alt: Mean absolute error on clean rows over the share of spoilt training targets. The curve of LinearSVR is almost flat near 45; that of ridge
# regression begins at the same height and climbs steeply, to several times as much.
figure, axes = pyplot.subplots(figsize=(6, 3.6), layout="constrained")
for number, (name, values) in enumerate(errors.items()):
    axes.plot(
        100 * shares,
        values,
        color=color_of(number),
        ls=dash_of(number),
        marker=marker_of(number),
        label=name,
    )
axes.set(
    xlabel="spoilt training targets (%)", ylabel="mean absolute error, clean rows", ylim=(0, None)
)
axes.legend(loc="upper left")

# %%
for name, values in errors.items():
    print(
        f"{name:>16}: {values[0]:.1f} with clean targets, {values[5]:.1f} with a tenth of them spoilt"
    )
assert errors["LinearSVR"][5] < 1.2 * errors["LinearSVR"][0]
assert errors["ridge regression"][5] > 2 * errors["ridge regression"][0]
