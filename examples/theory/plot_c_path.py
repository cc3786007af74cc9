"""
One computation for every C
===========================

Between certain values of C, the break points, every dual variable is a straight line in C. :func:`maxmargin.selection.c_path`
follows these lines from one break point to the next, and then knows the exact solution for any C without a fit.
"""

import numpy as np
from sklearn.datasets import make_moons

from maxmargin import SVC
from maxmargin.plots import CPathDisplay
from maxmargin.selection import c_path

X, y = make_moons(60, noise=0.3, random_state=0)
path = c_path(X, y, gamma=1.0, C_max=300.0)
print(f"{len(path.break_points) - 1} break points up to C = 300")

# %%
# Each curve is one row. It rises along the bound :math:`\alpha = C` as long as the row has slack, leaves it when the margin reaches the row,
# and falls to zero when the row is passed. Below, how many rows are where.

# Alt: Above, dual variables over C, both logarithmic: many rise together along the dashed bound and leave it one after another, some
# falling to zero. Below, the number of rows at the bound falls with C while that of free rows rises and settles.
CPathDisplay(path).plot()

# %%
# A few fits at random C say the same as the path.

worst = 0.0
for C in np.random.default_rng(0).uniform(0.1, 300, 10):
    machine = SVC(C=C, gamma=1.0, tol=1e-10).fit(X, y)
    worst = max(worst, np.abs(machine.alpha_ - path.alphas(C)).max() / C)
print(f"largest difference of dual variables, relative to C: {worst:.0e}")
a, b = path.break_points[10:12]
middle = (path.alphas(a) + path.alphas(b)) / 2
assert worst < 1e-6
assert np.allclose(path.alphas((a + b) / 2), middle)
