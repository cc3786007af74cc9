"""
A linear machine on sparse rows
===============================

Text becomes rows with many columns and few entries. A linear machine takes them as they are, in CSR form, and says
how far from the optimum it is. Here the rows are made up like text: 20,000 documents over 5,000 words whose
frequencies fall as those of a language do.
"""

import numpy as np
from matplotlib import pyplot
from scipy import sparse

from maxmargin import LinearSVC

n, d, length = 20_000, 5_000, 40
rng = np.random.default_rng(0)
frequency = 1 / np.arange(1, d + 1)
words = rng.choice(d, size=(n, length), p=frequency / frequency.sum())
X = sparse.csr_matrix(
    (np.ones(n * length), (np.repeat(np.arange(n), length), words.ravel())), shape=(n, d)
)
X.sum_duplicates()

# %%
# A hundred of the words say what a document is about; one document in twenty has the wrong label.

telling = rng.choice(np.arange(20, d), 100, replace=False)
weight = np.zeros(d)
weight[telling] = rng.normal(size=100)
y = np.where(X @ weight > 0, 1, -1) * rng.choice([1, -1], n, p=[0.95, 0.05])

machine = LinearSVC(C=0.1).fit(X[:15_000], y[:15_000])
print(
    f"{X.nnz:,} entries, {machine.fit_report_['seconds']:.2f} s, relative gap {machine.certificate_.gap:.0e}"
)
print(f"accuracy on 5,000 other rows: {machine.score(X[15_000:], y[15_000:]):.3f}")

# %%
# The machine finds the words that matter, the frequent ones best.

# Alt: Scatter plot of found over true weights. Grey dots of words that say nothing lie around zero on the vertical
# axis; orange dots of telling words rise from lower left to upper right, darker for frequent words, which lie closest to a line.
figure, axes = pyplot.subplots(figsize=(5.6, 3.8), layout="constrained")
others = np.setdiff1d(np.arange(d), telling)
axes.scatter(weight[others], machine.coef_[0, others], s=4, color="0.7", label="other words")
count = np.asarray(X[:, telling].sum(axis=0)).ravel()
dots = axes.scatter(
    weight[telling],
    machine.coef_[0, telling],
    s=18,
    c=np.log10(count),
    cmap="Oranges",
    ec="0.3",
    lw=0.4,
)
figure.colorbar(dots, label="occurrences (power of ten)")
axes.set(xlabel="true weight", ylabel="weight found")

frequent = telling[count > 100]
correlation = np.corrcoef(weight[frequent], machine.coef_[0, frequent])[0, 1]
print(
    f"correlation of true and found weights over {len(frequent)} frequent words: {correlation:.2f}"
)
assert machine.certificate_.gap < 1e-3
assert correlation > 0.8
