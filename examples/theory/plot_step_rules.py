"""
Step sizes decide how far a subgradient method gets
===================================================

A subgradient does not shrink near the optimum as a gradient does, so the steps must. A constant step stalls at a height that
its size dictates; steps of :math:`1/\\sqrt t` always converge; :math:`1/(\\lambda t)` is faster where the objective is strongly convex.
"""

import numpy as np
from sklearn.datasets import load_iris
from sklearn.preprocessing import StandardScaler

from maxmargin.data import check_data
from maxmargin.losses import Hinge
from maxmargin.optimizers import Constant, InverseSquareRoot, StronglyConvex, minimize
from maxmargin.plots import TraceDisplay
from maxmargin.problems import Intercept, Objective, linear_problem
from maxmargin.solvers import solve

rows, classes = load_iris(return_X_y=True)
X = StandardScaler().fit_transform(rows[classes > 0])
y = np.where(classes[classes > 0] == 2, 1.0, -1.0)

# %%
# The objective is :math:`\lambda |w|^2 + \frac1n \sum h(y_i w'x_i)`. An exact solver finds its least value, by the same problem in its own
# convention: :math:`C = 1 / (2 \lambda n)`, and an objective that is :math:`2 \lambda` times as large.

lam, n = 0.001, len(y)
objective = Objective(X, y, "hinge", lam=lam, intercept=False)
problem = linear_problem(
    check_data(X, y), Hinge(), 1 / (2 * lam * n), intercept=Intercept(present=False)
)
[exact] = solve([problem])
optimum = 2 * lam * exact.certificate.primal

schedules = {
    "constant, 2": Constant(2.0),
    "constant, 0.5": Constant(0.5),
    "2 / sqrt(t)": InverseSquareRoot(2.0),
    "1 / (2 lambda t)": StronglyConvex(2 * lam),
}
runs = {
    name: minimize(objective, np.zeros(4), schedule, max_iter=3000)
    for name, schedule in schedules.items()
}

# %%
# All four take the same number of steps. The large constant step is ahead at first and then goes no lower, the small one goes lower and
# stalls as well; only steps that shrink keep going.

# Alt: Distance to the optimum over 3,000 steps, both logarithmic, four curves. The large constant step falls first and then
# stays flat; the small one falls later and ends lower; the two that shrink keep falling, and 1 / (2 lambda t) ends lowest of them.
TraceDisplay.from_runs(runs, optimum=optimum).plot().set_xscale("log")

# %%
above = {name: run.trace["value"][-500:].mean() - optimum for name, run in runs.items()}
for name, distance in above.items():
    print(
        f"{name:>16}: the last 500 iterates are {distance:.1e} above the optimum of {optimum:.4f} in the mean"
    )
assert min(above.values()) > -1e-9
assert above["constant, 2"] > 2 * above["constant, 0.5"]
assert above["constant, 2"] > 10 * above["1 / (2 lambda t)"]
