"""
Three ways to probabilities, compared
=====================================

A decision value is no probability. A sigmoid fits two numbers, isotonic regression any rising function, and Venn-Abers
predictors give an interval that says how sure the probability itself is. Here the true probability is known.
"""

import numpy as np
from matplotlib import pyplot
from sklearn.calibration import CalibratedClassifierCV
from sklearn.metrics import log_loss

from maxmargin import SVC
from maxmargin.plots.style import color_of

rng = np.random.default_rng(0)


def draw(n):
    """Return rows, classes, and the true probability of class 1."""
    X = rng.normal(size=(n, 2))
    P = 0.05 + 0.9 / (1 + np.exp(-4 * np.sin(1.5 * X[:, 0]) - 2 * X[:, 1]))
    return X, (rng.uniform(size=n) < P).astype(int), P


X, y, _ = draw(400)
X_new, y_new, P_new = draw(20_000)

# %%
# The first and the last are the library's own, without a seed; isotonic regression is scikit-learn's, around the same
# machine.

models = {
    "sigmoid": SVC(C=1.0, gamma=0.5, calibration="sigmoid").fit(X, y),
    "isotonic": CalibratedClassifierCV(SVC(C=1.0, gamma=0.5), method="isotonic", cv=4).fit(X, y),
    "Venn-Abers": SVC(C=1.0, gamma=0.5, calibration="venn-abers").fit(X, y),
}
errors, losses = {}, {}
for name, model in models.items():
    P = model.predict_proba(X_new)
    errors[name] = np.sqrt(np.mean((P[:, 1] - P_new) ** 2))
    losses[name] = log_loss(y_new, P)
    print(f"{name:>10}: root mean square error {errors[name]:.3f}, log-loss {losses[name]:.3f}")
best = log_loss(y_new, np.column_stack([1 - P_new, P_new]))
low, high = models["Venn-Abers"].predict_proba_interval(X_new).T
print(f"     truth: log-loss {best:.3f}; mean width of the intervals {np.mean(high - low):.3f}")

# %%
# The share of class 1 in twenty bins, over the probability predicted. A good method is on the diagonal; isotonic
# regression is certain of some rows after having seen 400, and the log-loss has no mercy with those who are certain and wrong.

# Alt: Three panels with shares of a class over predicted probabilities. Dots lie close to the diagonal in all, for the isotonic method
# with some at a probability of one and a share below it. Grey bars in the last panel, the Venn-Abers intervals, are short and lie along the diagonal.
figure, panels = pyplot.subplots(1, 3, figsize=(9.6, 3.4), sharey=True, layout="constrained")
for code, (axes, (name, model)) in enumerate(zip(panels, models.items(), strict=True)):
    P = model.predict_proba(X_new)[:, 1]
    bins = np.array_split(np.argsort(P, kind="stable"), 20)
    axes.axline((0, 0), slope=1, color="0.7", lw=1)
    if name == "Venn-Abers":
        ends = np.array([(P[rows].mean(), low[rows].mean(), high[rows].mean()) for rows in bins])
        axes.vlines(*ends.T, color="0.8", lw=5, label="mean interval")
        axes.legend(loc="upper left")
    shares = [(P[rows].mean(), y_new[rows].mean()) for rows in bins]
    axes.plot(*np.transpose(shares), "os^"[code], ms=4, color=color_of(code))
    axes.set_title(f"{name}: log-loss {losses[name]:.3f}")
    axes.set(xlabel="predicted probability")
panels[0].set(ylabel="share of class 1")

# %%
# What is promised: probabilities never contradict the prediction, and the probability lies in its interval.

for name in ("sigmoid", "Venn-Abers"):
    model = models[name]
    likely = model.classes_[model.predict_proba(X_new).argmax(axis=1)]
    assert (likely == model.predict(X_new)).all()
assert (low <= high).all()
assert max(errors.values()) < 0.2
assert losses["Venn-Abers"] < losses["isotonic"]
