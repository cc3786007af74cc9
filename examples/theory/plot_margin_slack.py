"""
What margin and slack are
=========================

A soft margin pays for two things: a narrow street, by :math:`\\frac12 |w|^2`, and rows that stand in it or beyond it, by their slack
:math:`\\xi_i = \\max(0, 1 - y_i f(x_i))`. Both can be seen in the plane and added up by hand.
"""

import numpy as np
from sklearn.datasets import make_blobs

from maxmargin import SVC
from maxmargin.plots import BoundaryDisplay

X, y = make_blobs(60, centers=[[-1.2, 0], [1.2, 0.5]], cluster_std=0.9, random_state=3)
machine = SVC(kernel="linear", C=1.0, tol=1e-8).fit(X, y)

# %%
# The solid line is f = 0, the dashed ones are f = -1 and f = 1. A segment leads from each row with a slack to the dashed line
# of its own class. It is :math:`\xi / |w|` long: slack is measured in units of half the street.

# Alt: Two clouds of dots with a straight boundary between them and a dashed margin line on either side. Rows on the
# margin lines and between them are ringed, and a segment joins every row that is too far in to the margin line of its class.
BoundaryDisplay.from_estimator(machine, X, y, title="Margin, support vectors and slacks").plot(
    slack=True
)

# %%
# The objective is the sum of the two prices, and the certificate knows the same number. A row without slack costs nothing, and
# the dual variable of a row with slack is the whole of C.

w = machine.coef_[0]
slack = machine.slack(X, y)
objective = 0.5 * w @ w + machine.C * slack.sum()
print(f"street of width {2 / np.linalg.norm(w):.3f}, {np.sum(slack > 1e-6)} rows with slack")
print(
    f"{0.5 * w @ w:.4f} for the margin + {machine.C * slack.sum():.4f} for slack = {objective:.4f}"
)
print(f"certificate: {machine.certificate_.primal:.4f}")
assert np.isclose(objective, machine.certificate_.primal)
assert np.allclose(machine.alpha_[slack > 1e-6], machine.C)
