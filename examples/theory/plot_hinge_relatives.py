"""
How losses treat a row that is far out
======================================

All losses of classification charge for a small or negative margin :math:`z = y f(x)`. They differ in how hard they pull at a row
that is far on the wrong side: the slope of the hinge stays at one, that of its square grows without end.
"""

import numpy as np
from sklearn.datasets import make_blobs

from maxmargin import SVC
from maxmargin.losses import Hinge, Logistic, SquaredHinge, ZeroOne
from maxmargin.plots import LossDisplay

losses = {
    "hinge": Hinge(),
    "squared hinge": SquaredHinge(),
    "logistic / log 2": Logistic(scaled=True),
    "zero-one": ZeroOne(),
}

# %%
# Left the losses, all of them above the count of errors. Right their slopes: what one row can pull with.

# Alt: Two panels over the margin z. Left, the hinge, its square and the logistic loss fall towards the right and lie above the
# step of the zero-one loss. Right, their slopes: the hinge's is never below minus one, that of the square falls without bound.
LossDisplay.from_losses(losses).plot()

# %%
# The pull is the row's dual variable. One row of the left class is moved ever further into the right one: with the
# hinge its dual variable stays at C, with the square it grows with the distance, and the boundary follows it.

X, y = make_blobs(80, centers=[[-2, 0], [2, 0]], cluster_std=0.7, random_state=0)
outlier = int(np.argmin(y))
pull = {"hinge": [], "squared_hinge": []}
for distance in (2.0, 4.0, 8.0, 16.0):
    X[outlier] = [distance, 0.0]
    for loss, found in pull.items():
        machine = SVC(kernel="linear", loss=loss, C=0.1, tol=1e-6).fit(X, y)
        found.append(machine.alpha_[outlier])
for loss, found in pull.items():
    print(f"{loss:>13}: dual variable of the outlier", np.round(found, 3))

z = np.linspace(-3, 3, 601)
for name in ("hinge", "squared hinge", "logistic / log 2"):
    assert np.all(losses[name].value(z) >= losses["zero-one"].value(z))
assert np.allclose(pull["hinge"], 0.1)
assert np.all(np.diff(pull["squared_hinge"]) > 0)
