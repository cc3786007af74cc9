"""
Digits: which are confused, and which rows are worst
====================================================

A single accuracy does not say what to mend. The confusion matrix shows which pairs of digits are mistaken for each other, and the rows
with the worst margins are worth a look: often they are hard for people, too.
"""

import numpy as np
from matplotlib import pyplot
from sklearn.datasets import load_digits
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import train_test_split

from maxmargin import SVC

digits = load_digits()
X, y = digits.data / 16, digits.target
train, test = train_test_split(np.arange(len(y)), stratify=y, test_size=0.5, random_state=0)
machine = SVC(C=10.0, gamma=0.05).fit(X[train], y[train])
found = machine.predict(X[test])
confusion = confusion_matrix(y[test], found)

# %%
# How far the right class leads over the best other one, in decision values: negative for mistakes. The eight rows with the least lead are drawn.

scores = machine.decision_function(X[test])
own = scores[np.arange(len(test)), y[test]]
scores[np.arange(len(test)), y[test]] = -np.inf
lead = own - scores.max(axis=1)
worst = np.argsort(lead)[:8]

# Alt: Left, a ten by ten confusion matrix, its diagonal full and a handful of small counts beside it, the largest three eights taken for ones. Right, eight small images of the digits
# with the least lead, each with what it is and what it was taken for; several are smeared or unusually drawn.
figure = pyplot.figure(figsize=(9.2, 4.2), layout="constrained")
left, right = figure.subfigures(1, 2, width_ratios=[1, 1.15])
axes = left.subplots()
axes.imshow(np.where(np.eye(10, dtype=bool), 0, confusion), cmap="Oranges", vmax=5)
for i, j in np.argwhere(confusion):
    axes.text(
        j,
        i,
        confusion[i, j],
        ha="center",
        va="center",
        color="0.45" if i == j else "0.05",
        fontsize=8,
    )
axes.set(xticks=range(10), yticks=range(10), xlabel="taken for", ylabel="digit")
axes.set_title("Counts; mistakes are shaded")
for panel, row in zip(right.subplots(2, 4).ravel(), worst, strict=True):
    panel.imshow(digits.images[test[row]], cmap="gray_r")
    panel.set(xticks=[], yticks=[])
    panel.set_title(f"{y[test][row]}, taken for {found[row]}", fontsize=8.5)

# %%
mistakes = found != y[test]
print(f"{mistakes.sum()} mistakes in {len(test)} rows, accuracy {1 - mistakes.mean():.3f}")
print(f"{mistakes[worst].sum()} of the 8 rows with the least lead are mistakes")
assert mistakes.mean() < 0.03
assert confusion.sum() - np.trace(confusion) == mistakes.sum()
assert mistakes[worst].mean() > 0.5
