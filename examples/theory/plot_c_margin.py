"""
A large C buys less slack with a narrower margin
================================================

``C`` is the price of slack. When it is low the machine takes a wide margin and many rows inside it; when it is high it squeezes
between the rows. Both effects are monotone, which follows from optimality alone and is checked below.
"""

import numpy as np
from sklearn.datasets import make_blobs

from maxmargin import SVC
from maxmargin.plots import ComparisonDisplay

X, y = make_blobs(80, centers=[[-1.3, 0], [1.3, 0.6]], cluster_std=0.8, random_state=4)
display = ComparisonDisplay.from_parameters(SVC(kernel="linear"), X, y, C=[0.01, 0.3, 100.0])

# %%
# The same rows three times, with ever dearer slack.

# Alt: Three panels with the same two clouds and a straight boundary. From left to right C grows from 0.01 to 100, the
# dashed margin lines move together, and fewer rows are ringed as support vectors.
display.plot()

# %%
# If :math:`C_1 < C_2`, adding the two statements "the solution for :math:`C_i` is at least as good at :math:`C_i` as the other one" leaves
# :math:`(C_2 - C_1)(\sum \xi^{(1)} - \sum \xi^{(2)}) \ge 0`: the sum of slacks falls with C, and hence :math:`|w|` rises.

widths, slacks = [], []
for C in np.logspace(-3, 3, 13):
    machine = SVC(kernel="linear", C=C, tol=1e-8).fit(X, y)
    widths.append(2 / np.linalg.norm(machine.coef_))
    slacks.append(machine.slack(X, y).sum())
    print(
        f"C = {C:8.3f}: width {widths[-1]:7.3f}, sum of slacks {slacks[-1]:7.3f}, {len(machine.support_)} support vectors"
    )
assert np.all(np.diff(widths) <= 1e-6)
assert np.all(np.diff(slacks) <= 1e-6)
