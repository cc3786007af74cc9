"""
Shapley values of a kernel machine, exactly, and checked by brute force
=======================================================================

What did each feature add to this decision? Its Shapley value is its gain averaged over all orders in which features can
become known, of which there are d! For kernels that are products over features the sum has a closed form, and
``explain`` is exact at the price of a few predictions.
"""

from itertools import combinations
from math import comb

import numpy as np
from matplotlib import pyplot
from sklearn.datasets import load_wine
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC
from maxmargin.plots.style import color_of

wine = load_wine(as_frame=True)
keep = wine.target < 2
X = StandardScaler().set_output(transform="pandas").fit_transform(wine.data[keep].iloc[:, :10])
y = wine.target[keep]
gamma = 0.1
machine = SVC(C=1.0, gamma=gamma).fit(X, y)
row = X.iloc[[70]]
found = machine.explain(row)
print(
    f"decision {found.decision[0, 0]:.3f} = base {found.base[0, 0]:.3f} + {found.features.sum():.3f}, {found.method}"
)

# %%
# Brute force: the value of a set of features is the output of the machine when its kernel sees these only. With ten
# features there are 1,024 sets; each feature's gain is averaged over those without it, with the weights of all orders.

support, weights = machine.support_vectors_, machine.dual_coef_[0]
parts = np.exp(-gamma * (row.to_numpy() - support) ** 2)  # one factor for each feature
d = X.shape[1]


def value(known):
    """Output with these features known."""
    return weights @ parts[:, list(known)].prod(axis=1)


brute = np.zeros(d)
for j in range(d):
    others = [k for k in range(d) if k != j]
    for size in range(d):
        for known in combinations(others, size):
            brute[j] += (value((*known, j)) - value(known)) / (d * comb(d - 1, size))
difference = np.abs(found.features[0, :, 0] - brute).max()
print(f"largest difference to 1,024 sets: {difference:.0e}")

# %%
# The picture reads from the base to the decision: each bar begins where the last has ended.

# Alt: Bars from top to bottom, one for each of ten features of a wine, the largest part first. They begin at the base and
# lead step by step to the decision value, up in one colour and down in the other; black dots by brute force lie at the ends of all.
figure, axes = pyplot.subplots(figsize=(7, 4.2), layout="constrained")
frame = found.feature_frame()
ends = found.base[0, 0] + np.cumsum(frame["part"])
begins = ends - frame["part"]
order = [list(X.columns).index(name) for name in frame["feature"]]
colors = [color_of(int(part > 0)) for part in frame["part"]]
axes.barh(frame["feature"], frame["part"], left=begins, color=colors)
axes.plot(begins + brute[order], frame["feature"], "k.", label="by brute force")
axes.axvline(0, color="0.6", lw=0.8)
axes.invert_yaxis()
axes.set_xlim(-0.1, ends.max() + 0.15)
axes.set(xlabel=f"decision value; above 0 for class {machine.classes_[1]}")
axes.set_title(
    f"from the base, {found.base[0, 0]:.2f}, to the decision, {found.decision[0, 0]:.2f}"
)
axes.legend()

assert found.method == "exact"
assert difference < 1e-10
