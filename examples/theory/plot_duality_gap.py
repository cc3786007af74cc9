"""
Two bounds close in on the optimum
==================================

Any dual point gives a number below the optimum, any primal point one above it. A solver has both at every moment, so it always
knows how far it can be from the end. That distance, the duality gap, is the certificate of a fit.
"""

import numpy as np
from matplotlib import pyplot
from sklearn.datasets import make_moons

from maxmargin.data import check_data
from maxmargin.kernels import RBF
from maxmargin.plots.style import color_of
from maxmargin.problems import c_svc, certify_points

X, labels = make_moons(120, noise=0.25, random_state=0)
y = np.where(labels == 1, 1.0, -1.0)
problem = c_svc(check_data(X, y), RBF(gamma=2.0), C=10.0)
K = RBF(gamma=2.0)(X, X)

# %%
# Sequential minimal optimisation in ten lines: take the two rows that violate the optimality conditions most, and move their dual variables
# against each other as far as it helps and the box allows. After every step the library judges the point, in float64.

beta, primal, dual = np.zeros(len(y)), [], []
lower, upper = np.minimum(0, 10.0 * y), np.maximum(0, 10.0 * y)
for _ in range(600):
    [(certificate, _)] = certify_points([problem], [beta])
    primal.append(certificate.primal)
    dual.append(certificate.dual)
    e = y - K @ beta
    i = np.argmax(np.where(beta < upper, e, -np.inf))
    j = np.argmin(np.where(beta > lower, e, np.inf))
    if e[i] - e[j] < 1e-6:
        break
    step = (e[i] - e[j]) / (K[i, i] + K[j, j] - 2 * K[i, j])
    step = min(step, upper[i] - beta[i], beta[j] - lower[j])
    beta[i] += step
    beta[j] -= step

# %%
# The dual value rises at every step. The primal one may jump, but the best of it falls, and the optimum is always between the two.

# Alt: Left, over the steps, the best primal value falls and the dual value rises until both lie on one horizontal line.
# Right, their difference relative to the optimum on a logarithmic scale falls from one to below a millionth.
primal, dual = np.array(primal), np.array(dual)
best = np.minimum.accumulate(primal)
gap = (best - dual) / best
figure, (left, right) = pyplot.subplots(1, 2, figsize=(8.4, 3.4), layout="constrained")
left.plot(best, color=color_of(1), ls="--", label="best primal value so far")
left.plot(dual, color=color_of(0), label="dual value")
left.fill_between(np.arange(len(dual)), dual, best, color=color_of(5), alpha=0.25, lw=0)
left.set(xlabel="pair steps", ylabel="objective", ylim=(0, 2.2 * best[-1]))
left.legend(loc="upper right")
right.semilogy(gap, color="0.2")
right.set(xlabel="pair steps", ylabel="relative duality gap")

# %%
print(f"{len(dual)} points; the optimum lies between {dual[-1]:.6f} and {best[-1]:.6f}")
assert np.all(np.diff(dual) > -1e-9)
assert np.all(dual <= best[-1] + 1e-9)
assert gap[-1] < 1e-4
