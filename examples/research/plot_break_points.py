"""
Every C at once: the exact path and its break points
====================================================

Between break points, the dual variables of a soft margin are straight lines in C. :func:`~maxmargin.selection.c_path` follows them from C = 0
on: one run has the solution for every C, not for a grid of them.
"""

import numpy as np
from sklearn.datasets import make_moons

from maxmargin import SVC
from maxmargin.plots import CPathDisplay
from maxmargin.selection import c_path

X, y = make_moons(80, noise=0.3, random_state=0)
path = c_path(X, y, gamma=1.0, C_max=1_000.0)
print(f"{len(path.break_points) - 1} break points up to C = {path.C_end:g}")

# %%
# At first every variable of the smaller class, and as much of the other, lies on the bound C. Then rows leave it, one
# at a time: as long as a row is exactly on the margin its variable is free, and its line is its own. On logarithmic axes
# lines are curves, but for the bound.

# Alt: Above, dual variables of all rows over C on logarithmic axes, in two colours by class: they rise along a dashed line, the bound C,
# and branch off below it one after another. Below, stairs: rows at the bound become fewer as C grows, free rows more.
CPathDisplay(path, title="80 rows, RBF kernel").plot()

# %%
# A fit at any C agrees. And halfway between two break points the variables are halfway between theirs.

for C in (0.1, 1.0, 7.3, 500.0):
    machine = SVC(C=C, gamma=1.0, tol=1e-10).fit(X, y)
    difference = np.abs(machine.alpha_ - path.alphas(C)).max() / C
    print(f"C = {C:5}: {path.n_support(C)} support vectors, largest difference {difference:.0e} C")
    assert difference < 1e-6
    assert path.at(C).certificate.violation < 1e-8

for begin, end in zip(path.break_points[1:-1], path.break_points[2:], strict=True):
    near, far = begin + 0.01 * (end - begin), end - 0.01 * (end - begin)
    middle = (path.alphas(near) + path.alphas(far)) / 2
    assert np.allclose(middle, path.alphas((near + far) / 2), atol=1e-9 * end)
