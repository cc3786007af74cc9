"""
Only support vectors matter
===========================

A machine is fitted to all rows, and again to its support vectors alone. Both are the same function:
rows with a dual variable of zero could be left out, moved, or never have been collected.
"""

import numpy as np
from matplotlib import pyplot
from sklearn.datasets import make_moons

from maxmargin import SVC

X, y = make_moons(200, noise=0.2, random_state=0)
whole = SVC(C=10.0, gamma=1.0, tol=1e-8).fit(X, y)
kept = whole.support_
few = SVC(C=10.0, gamma=1.0, tol=1e-8).fit(X[kept], y[kept])
print(f"{len(kept)} of {len(X)} rows are support vectors")

# %%
# The boundary is drawn twice, from both machines; ringed rows are those that the second was given.

# Alt: Two panels with the same curved boundary between two interleaved crescents. Left, all 200 rows,
# with those on and inside the margin ringed. Right, only the ringed rows are left, and the boundary is unchanged.
figure, panels = pyplot.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
whole.plot(X, y, ax=panels[0])
few.plot(X[kept], y[kept], ax=panels[1])
panels[0].set_title("fitted to all rows")
panels[1].set_title("fitted to the support vectors")

# %%
# The two decision functions differ by rounding only, also where there was never a row.

plane = np.random.default_rng(0).uniform(-2, 3, (1000, 2))
difference = np.abs(whole.decision_function(plane) - few.decision_function(plane)).max()
print(f"largest difference at 1,000 random points: {difference:.1e}")
assert difference < 1e-6
