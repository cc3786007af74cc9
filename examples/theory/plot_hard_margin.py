"""
The hard margin is where C stops to matter
==========================================

If the classes can be separated, raising C drives the last slack to zero, and from then on nothing changes: the soft margin has become
the hard one. The C where this happens is the largest dual variable of the hard margin.
"""

import numpy as np
from matplotlib import pyplot
from sklearn.datasets import load_iris

from maxmargin import SVC, HardMarginSVC, InfeasibleError
from maxmargin.plots.style import color_of

rows, classes = load_iris(return_X_y=True)
X, y = rows[classes < 2][:, [1, 2]], classes[classes < 2]
hard = HardMarginSVC(kernel="linear", tol=1e-8).fit(X, y)
C_hard = hard.alpha_.max()
print(f"margin {hard.margin_[0]:.4f}, largest dual variable {C_hard:.4f}")

# %%
# Half the width of the street, :math:`1/|w|`, and the sum of slacks, over C.

Cs = np.logspace(-3, 2, 61)
soft = [SVC(kernel="linear", C=C, tol=1e-8).fit(X, y) for C in Cs]
margin = np.array([1 / np.linalg.norm(machine.coef_) for machine in soft])
slack = np.array([machine.slack(X, y).sum() for machine in soft])

# Alt: Two panels over C, logarithmic. Above, the margin falls from a large value and becomes a constant, the hard margin, at a
# dotted vertical line. Below, the sum of slacks falls and reaches zero at the same line.
figure, (above, below) = pyplot.subplots(2, 1, figsize=(6, 4.6), sharex=True, layout="constrained")
above.semilogx(Cs, margin, color=color_of(0), label="soft margin")
above.axhline(hard.margin_[0], color=color_of(1), ls="--", label="hard margin")
above.set(ylabel="margin 1 / |w|", ylim=(0, None))
above.legend(loc="upper right")
below.plot(Cs, slack, color=color_of(2))
below.set(xlabel="C", ylabel="sum of slacks")
for axes in (above, below):
    axes.axvline(C_hard, color="0.4", ls=":", lw=1.2)
below.annotate(
    "largest dual variable\nof the hard margin",
    (C_hard, 0.6 * slack.max()),
    (8, 0),
    textcoords="offset points",
)

# %%
# Beyond that C the two machines are the same. Where classes overlap there is no hard margin, and the machine says so with a proof: a point that is a
# mixture of rows of either class.

beyond = Cs > C_hard
assert np.allclose(margin[beyond], hard.margin_[0], rtol=1e-5)
assert np.all(slack[beyond] < 1e-5)
assert np.all(slack[Cs < 0.99 * C_hard] > 1e-5)
try:
    HardMarginSVC(kernel="linear").fit(rows[classes > 0], classes[classes > 0])
except InfeasibleError as error:
    print(error)
else:
    raise AssertionError("versicolor and virginica were separated")
