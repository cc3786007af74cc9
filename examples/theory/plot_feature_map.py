"""
A kernel is an inner product somewhere else
===========================================

On a line no threshold separates the middle from the two ends. Lifted to :math:`(x, x^2)` the same rows are separated by a
straight line. A polynomial kernel does this without ever computing the lifted rows.
"""

import numpy as np

from maxmargin import SVC
from maxmargin.kernels import Polynomial, PolynomialMap
from maxmargin.plots import LiftDisplay

rng = np.random.default_rng(1)
x = np.concatenate([rng.uniform(-1, 1, 14), rng.uniform(1.5, 3, 9), rng.uniform(-3, -1.5, 9)])
y = np.repeat(["middle", "ends"], [14, 18])

# %%
# Left the line, where the classes need two thresholds. Right the parabola on which the lifted rows lie, and the one line that cuts it there.

# Alt: Left, dots of two classes on a line, one class in the middle and the other at both ends, with two thresholds. Right, the same
# dots on a parabola; a straight boundary with its margin separates the dots at the bottom from those on the two arms.
LiftDisplay.from_data(x[:, None], y).plot()

# %%
# :class:`maxmargin.kernels.PolynomialMap` writes out the features of :math:`(1 + u'v)^2`, with the weights that make the inner products equal.
# A linear machine on these features and a kernel machine on the rows are then one function.

X = x[:, None]
phi, k = PolynomialMap(degree=2, coef0=1.0), Polynomial(degree=2, coef0=1.0)
error = np.abs(phi(X) @ phi(X).T - k(X, X)).max()
lifted = SVC(kernel="linear", C=10.0, tol=1e-8).fit(phi(X), y)
curved = SVC(kernel=k, C=10.0, tol=1e-8).fit(X, y)
grid = np.linspace(-4, 4, 201)[:, None]
difference = np.abs(lifted.decision_function(phi(grid)) - curved.decision_function(grid)).max()
print(f"{phi(X).shape[1]} features; inner products agree to {error:.0e}")
print(
    f"decision functions agree to {difference:.0e}, both have {len(curved.support_)} support vectors"
)
assert error < 1e-12
assert difference < 1e-6
