"""
Pegasos against the exact solution
==================================

Pegasos looks at one row at a time, steps by :math:`1/(\\lambda t)` and averages what it has passed through. It is close after
a few passes over the rows and never quite there. The exact solver says how close.
"""

import numpy as np
from matplotlib import pyplot
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from maxmargin import LinearSVC
from maxmargin.optimizers import pegasos
from maxmargin.plots.style import color_of, dash_of
from maxmargin.problems import LAMBDA_MEAN, Objective, convert

rows, labels = load_breast_cancer(return_X_y=True)
X, y = StandardScaler().fit_transform(rows), np.where(labels == 1, 1.0, -1.0)
n, lam = len(y), 0.005

# %%
# Both minimise the same function; :func:`maxmargin.problems.convert` knows which C belongs to which :math:`\lambda`.

objective = Objective(X, y, "hinge", lam=lam, intercept=False)
C = convert(lam, n, LAMBDA_MEAN, "HALF_SUM")
exact = LinearSVC(loss="hinge", C=C, fit_intercept=False, tol=1e-8).fit(X, y)
optimum = objective.value(exact.coef_[0])
runs = [pegasos(objective, max_iter=20 * n, seed=seed, record_every=100) for seed in range(3)]

# %%
# Three runs with other orders of the rows. The distance to the optimum falls as :math:`1/t`, up to a logarithm: ten times the work
# for one more digit. The labels are those of the exact machine on almost every row all the same.

# Alt: Distance of the objective to the optimum over passes through the rows, both logarithmic. Three curves fall along
# a thin straight line of slope minus one, from a few tenths after the first steps to a few thousandths after twenty passes.
figure, axes = pyplot.subplots(figsize=(6.2, 3.8), layout="constrained")
for number, run in enumerate(runs):
    trace = run.trace[run.trace["t"] > 0]
    axes.loglog(trace["t"] / n, trace["value"] - optimum, color=color_of(number), ls=dash_of(number), lw=1.1, label=f"order {number + 1}")  # fmt: skip
passes = np.array([0.2, 20])
axes.loglog(passes, 0.06 / passes, color="0.6", lw=0.9, label="slope of 1 / t")
axes.set(xlabel="passes over the rows", ylabel="objective above the optimum")
axes.legend(loc="lower left", ncols=2)

# %%
last = np.array([run.value - optimum for run in runs])
agree = np.mean([np.sign(X @ run.w) == np.sign(X @ exact.coef_[0]) for run in runs])
print(f"optimum {optimum:.6f}, certified to {exact.certificate_.gap:.0e}")
print(f"Pegasos after 20 passes: {last.min():.1e} to {last.max():.1e} above it")
print(f"and the same label on {agree:.2%} of the rows")
assert np.all(last > 0)
assert np.all(last < 0.05 * optimum)
assert agree > 0.99
