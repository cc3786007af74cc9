"""
Learn what is normal, and notice what is not
============================================

:class:`maxmargin.OneClassSVM` sees only normal rows and draws a border around them. ``nu`` is the share of them that may be left outside. Here it learns one
digit and is then shown the others.
"""

import numpy as np
from matplotlib import pyplot
from sklearn.datasets import load_digits
from sklearn.metrics import roc_auc_score

from maxmargin import OneClassSVM
from maxmargin.plots.style import color_of

digits = load_digits()
X, y = digits.data / 16, digits.target
zeros = np.flatnonzero(y == 0)
train, other_zeros = zeros[:90], zeros[90:]
machine = OneClassSVM(nu=0.05, gamma=0.01).fit(X[train])

# %%
# Decision values of zeros that it has not seen, and of the nine other digits. Below zero means: never seen anything like it.

# Alt: Two histograms of decision values. Those of unseen zeros lie mostly to the right of a dashed line at zero; those of the other digits lie
# to the left of it, with hardly any overlap.
normal, novel = machine.decision_function(X[other_zeros]), machine.decision_function(X[y > 0])
figure, axes = pyplot.subplots(figsize=(6.4, 3.6), layout="constrained")
bins = np.linspace(min(normal.min(), novel.min()), max(normal.max(), novel.max()), 50)
axes.hist(novel, bins, density=True, color=color_of(1), alpha=0.75, label="digits 1 to 9")
axes.hist(
    normal,
    bins,
    density=True,
    color=color_of(0),
    histtype="step",
    lw=1.8,
    hatch="///",
    label="unseen zeros",
)
axes.axvline(0, color="0.2", ls="--", lw=1.2)
axes.set(xlabel="decision value", ylabel="density of rows")
axes.legend(loc="upper left")

# %%
outside = np.mean(machine.predict(X[train]) == -1)
carry = len(machine.support_) / len(train)
area = roc_auc_score(np.repeat([1, 0], [len(normal), len(novel)]), np.concatenate([normal, novel]))
print(
    f"{outside:.1%} of the training rows are outside, {carry:.1%} are support vectors: nu = 5% lies between"
)
print(
    f"{np.mean(normal > 0):.0%} of unseen zeros and {np.mean(novel > 0):.1%} of other digits are taken for normal"
)
print(f"area under the ROC curve: {area:.4f}")
assert outside <= 0.05 <= carry
assert area > 0.99
