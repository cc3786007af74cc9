"""
Which training rows a prediction rests on
=========================================

Leave a training row out, fit again, and see how the decision changes: that is its influence. :func:`~maxmargin.explain.influences` finds the changes for all
training rows from one fit, exactly.
"""

import numpy as np
from matplotlib import pyplot
from sklearn.datasets import make_moons

from maxmargin import SVC
from maxmargin.explain import influences
from maxmargin.plots.style import color_of

X, y = make_moons(160, noise=0.25, random_state=0)
machine = SVC(C=10.0, gamma=1.0).fit(X, y)
query = np.array([[1.35, 0.35]])
[decision] = machine.decision_function(query)
found = influences(machine, X, y, at=query)
change = found.change[:, 0]
print(f"decision {decision:.2f}; {len(found.rows)} of {len(y)} rows have an influence on it")

# %%
# Each support vector is ringed, the larger the more the decision at the star changes without it: upwards in one colour,
# downwards in the other. Rows that are no support vectors have no ring, since nothing changes without them.

# Alt: Two interleaved crescents of dots with a curved boundary, and a star near it. Rings around support vectors, in two colours and of different size:
# the largest are around a few rows on both sides near the star, but some that are farther away have large ones, too.
figure, axes = pyplot.subplots(figsize=(7.4, 4.8), layout="constrained")
machine.plot(X, y, ax=axes, support=False, slack=False)
for place, value in zip(X[found.rows], change, strict=True):
    size = 5 + 18 * np.sqrt(abs(value) / np.abs(change).max())
    axes.plot(*place, "o", ms=size, mfc="none", mec=color_of(2 + int(value > 0)), mew=1.4)
axes.plot(*query[0], "*", ms=16, color="k", mec="white")
axes.set_title(
    f"decision at the star: {decision:.2f}; green rings: less without the row, purple: more"
)

# %%
# A fit without the row says the same. Influence is not what a row adds to the decision, its weight times its kernel value:
# when a row goes, the others make up for most of it.

order = np.argsort(-np.abs(change))
pull = machine.explain(query).pulls[0, :, 0]
for k in order[:5]:
    row = found.rows[k]
    rest = np.arange(len(y)) != row
    without = SVC(C=10.0, gamma=1.0, tol=1e-9).fit(X[rest], y[rest])
    [refitted] = without.decision_function(query) - decision
    part = pull[list(machine.support_).index(row)]
    print(f"row {row:3}: adds {part:+.2f}; without it {change[k]:+.4f}, by a fit {refitted:+.4f}")
    assert abs(refitted - change[k]) < 1e-6
assert np.abs(change).max() < np.abs(pull).max()
