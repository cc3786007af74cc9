"""
Rare classes need weights
=========================

When one row in twenty is positive, a machine that never says so is right 95 times in 100. Accuracy hides that; recall does not. ``class_weight`` makes an
error on a rare row as dear as it should be.
"""

import numpy as np
from matplotlib import pyplot
from sklearn.datasets import make_blobs
from sklearn.metrics import balanced_accuracy_score, precision_score, recall_score
from sklearn.model_selection import train_test_split

from maxmargin import SVC
from maxmargin.plots import BoundaryDisplay

X, y = make_blobs([1900, 100], centers=[[0, 0], [1.8, 1.2]], cluster_std=[1.0, 0.7], random_state=0)
y = np.array(["common", "rare"])[y]
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)
machines = {
    "all errors cost the same": SVC().fit(X_train, y_train),
    "class_weight='balanced'": SVC(class_weight="balanced").fit(X_train, y_train),
}

# %%
# "balanced" multiplies C by n / (2 n_k) for the rows of class k: both classes have the same say.

# Alt: Two panels with the same many dots of one class and few squares of the other. Left, the region of the rare class is small and many squares lie
# outside it. Right, with weights, it has grown and holds most squares, and more dots as well.
figure, panels = pyplot.subplots(
    1, 2, figsize=(9, 3.8), sharex=True, sharey=True, layout="constrained"
)
for axes, (title, machine) in zip(panels, machines.items(), strict=True):
    display = BoundaryDisplay.from_estimator(machine, X_test, y_test, title=title)
    display.plot(ax=axes, support=False, margins=False, slack=False, legend=axes is panels[1])

# %%
# More of the rare rows are found, at the price of false alarms. Which is right depends on what an alarm costs: weights are a way to say it.

recall = []
for title, machine in machines.items():
    found = machine.predict(X_test)
    recall.append(recall_score(y_test, found, pos_label="rare"))
    print(
        f"{title:>24}: accuracy {np.mean(found == y_test):.3f}, recall {recall[-1]:.2f}, "
        f"precision {precision_score(y_test, found, pos_label='rare'):.2f}, balanced accuracy {balanced_accuracy_score(y_test, found):.3f}"
    )
assert recall[1] > recall[0] + 0.2
