"""
Probabilities that mean what they say
=====================================

A decision value is not a probability. ``calibration="sigmoid"`` fits one on rows that were held out, inside the fit, and the reliability diagram checks it: of all
rows said to be positive with 70 per cent, about 70 in 100 should be.
"""

import numpy as np
from sklearn.datasets import make_classification
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from maxmargin import SVC
from maxmargin.plots import ReliabilityDisplay

X, y = make_classification(
    4000, n_features=10, n_informative=5, flip_y=0.15, class_sep=0.6, random_state=0
)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.6, random_state=0)
machine = SVC(C=1.0, calibration="sigmoid").fit(X_train, y_train)
P = machine.predict_proba(X_test)

# %%
# Bars are the uncertainty of the shares, which is large where few rows are.

# Alt: Above, the share of rows that are positive over the predicted probability, points with bars close to the diagonal. Below, how many rows were
# given each probability: two humps, near a tenth and near nine tenths.
ReliabilityDisplay.from_estimator(
    machine, X_test, y_test, n_bins=10, title="Calibrated SVC, 2,400 other rows"
).plot()

# %%
# Decision values squeezed into probabilities by a fixed curve are no substitute. The labels of ``predict`` and of the larger probability agree.

naive = 1 / (1 + np.exp(-machine.decision_function(X_test)))
print(
    f"log loss: calibrated {log_loss(y_test, P[:, 1]):.3f}, squeezed {log_loss(y_test, naive):.3f}"
)
assert np.array_equal(machine.classes_[P.argmax(axis=1)], machine.predict(X_test))
assert log_loss(y_test, P[:, 1]) < log_loss(y_test, naive)
tenths = np.minimum((10 * P[:, 1]).astype(int), 9)
errors = [abs(P[tenths == k, 1].mean() - y_test[tenths == k].mean()) for k in range(10)]
print(
    f"shares differ from probabilities by {np.average(errors, weights=np.bincount(tenths)):.3f} in the mean"
)
assert np.average(errors, weights=np.bincount(tenths)) < 0.05
