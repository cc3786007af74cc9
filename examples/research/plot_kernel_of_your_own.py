"""
A kernel of your own, and a check that it is one
================================================

A kernel machine needs no columns: a function that says how alike two things are will do, if it is a kernel. Strings are
classified here by the pieces of three letters that they share, and :func:`~maxmargin.kernels.check_mercer` tells this kernel from a function
that only looks like one.
"""

import numpy as np
from matplotlib import pyplot

from maxmargin import SVC
from maxmargin.kernels import check_mercer
from maxmargin.plots.style import color_of

# %%
# Strings over four letters; those of the second class have ``GATTACA`` somewhere, with one letter changed at random.

rng = np.random.default_rng(0)


def string(with_motif):
    """Return 25 letters."""
    letters = rng.choice(list("ACGT"), 25)
    if with_motif:
        motif = np.array(list("GATTACA"))
        motif[rng.integers(7)] = rng.choice(list("ACGT"))
        place = rng.integers(19)
        letters[place : place + 7] = motif
    return "".join(letters)


y = np.arange(500) % 2
strings = np.array([string(label == 1) for label in y])
train, new = slice(0, 300), slice(300, 500)

# %%
# The spectrum kernel: the inner product of the counts of all pieces of three letters, divided by their lengths. It is an
# inner product of features, hence a kernel. The other function seems as good: exp(-d), with d the least number of
# letters to change, insert or delete. It is not one, and a sample of strings can prove that.


def spectrum(A, B):
    """Cosine of the counts of pieces of three letters."""
    counts = []
    for texts in (A, B):
        codes = np.array([["ACGT".index(letter) for letter in text] for text in texts])
        pieces = codes[:, :-2] * 16 + codes[:, 1:-1] * 4 + codes[:, 2:]
        counted = np.stack([np.bincount(row, minlength=64) for row in pieces])
        counts.append(counted / np.linalg.norm(counted, axis=1, keepdims=True))
    return counts[0] @ counts[1].T


def edits(a, b):
    """Least number of letters to change, insert or delete."""
    row = np.arange(len(b) + 1)
    for i, letter in enumerate(a, 1):
        kept, row = row, np.empty_like(row)
        row[0] = i
        for j, other in enumerate(b, 1):
            row[j] = min(kept[j] + 1, row[j - 1] + 1, kept[j - 1] + (letter != other))
    return row[-1]


short = [text[:6] for text in strings[:60]]
alike = np.exp(-0.3 * np.array([[edits(a, b) for b in short] for a in short]))
reports = {
    "pieces shared: a kernel": check_mercer(spectrum(strings[:60], strings[:60])),
    "exp(-0.3 edits): not one": check_mercer(alike),
}
for name, report in reports.items():
    print(f"{name}, least eigenvalue {report.eigenvalues[0]:.1e}")

# %%
# The machine takes the function as it is, and the strings as they are.

machine = SVC(kernel=spectrum, C=1.0).fit(strings[train], y[train])
accuracy = machine.score(strings[new], y[new])
print(f"accuracy on new strings: {accuracy:.2f}, gap {machine.certificate_.gap:.0e}")

# Alt: Two panels with the smallest thirty eigenvalues as bars. Left, of the shared pieces, all bars are above zero. Right, of the
# edit distance, the first two, in another colour, are below zero and the others above.
figure, panels = pyplot.subplots(1, 2, figsize=(9, 3.4), sharey=True, layout="constrained")
for axes, (name, report) in zip(panels, reports.items(), strict=True):
    values = report.eigenvalues[:30]
    colors = [color_of(int(value < -report.tolerance)) for value in values]
    axes.bar(np.arange(len(values)), values, color=colors)
    axes.axhline(0, color="0.5", lw=0.8)
    axes.set(title=name, xlabel="thirty smallest eigenvalues of 60 strings")

first, second = reports.values()
assert first.holds
assert not second.holds
assert machine.certificate_.convex
assert accuracy > 0.75
