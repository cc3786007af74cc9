"""
Why this tumour was called malignant
====================================

A decision value is a sum over features, by Shapley values that are exact for the RBF kernel, and a sum over training rows. Both answer "why" for one row: which
measurements, and which earlier cases.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC
from maxmargin.explain import explain

data = load_breast_cancer(as_frame=True)
X = data.data[[name for name in data.data.columns if name.startswith("mean")]]
y = np.where(data.target == 0, "malignant", "benign")
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=1)
model = make_pipeline(StandardScaler(), SVC(C=3.0)).fit(X_train, y_train)

# %%
# Of the held-out rows that were called malignant, the one that the machine was least sure of.

decision = model.decision_function(X_test)
row = X_test.iloc[[int(np.argmin(np.where(decision > 0, decision, np.inf)))]]
found = explain(model, row)
print(
    f"decision value {found.decision[0, 0]:.3f} for {found.outputs[0]}, Shapley values {found.method}"
)

# %%
# Bars to the right speak for malignant, bars to the left against it. Beginning where the decision would be if nothing were known, they
# lead to the decision value. Beside the names are the values that the machine was given, in standard deviations from the mean.

# Alt: A staircase of horizontal bars, one for each of ten measurements, the longest at the top. Smoothness and fractal dimension lead to the right, towards
# malignant; area, compactness, concave points and radius lead back to the left. The last bar ends just above zero.
found.plot()

# %%
# The same number as a sum over training rows, from the strongest pull.

pulls = found.pulls[0, :, 0]
for number in np.argsort(-np.abs(pulls))[:4]:
    print(
        f"training row {found.support[number]:>3}, {y_train[found.support[number]]:>9}: {pulls[number]:+.3f}"
    )

shapley = found.base[0, 0] + found.features[0, :, 0].sum()
assert found.method == "exact"
assert np.isclose(shapley, decision[decision > 0].min())
assert np.isclose(pulls.sum() + model[-1].intercept_[0], shapley)
