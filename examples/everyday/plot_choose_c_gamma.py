"""
Choose C and gamma
==================

Two numbers decide whether an RBF machine is good: ``C``, what an error costs, and ``gamma``, how far a
row is felt. :class:`maxmargin.selection.GridSearchCV` tries a whole grid of them and shares the kernel values
between all candidates and folds. The map shows why a coarse grid is enough: good values lie on a broad ridge.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC
from maxmargin.selection import GridSearchCV

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, stratify=y, random_state=0)

# %%
# Rows are scaled inside the pipeline, so that held-out rows have no say in the scale.

machine = make_pipeline(StandardScaler(), SVC())
grid = {"svc__C": np.logspace(-2, 4, 13), "svc__gamma": np.logspace(-5, 1, 13)}
search = GridSearchCV(machine, grid, cv=5).fit(X_train, y_train)
print(search.best_params_, f"{search.best_score_:.3f} in five folds")

# %%
# Accuracy in the folds over the whole grid.

# Alt: A map of accuracy over gamma and C, both logarithmic. A bright ridge runs from small gamma and large C to
# moderate gamma and C near one; large gamma and small C are dark. A mark shows the best cell on the ridge.
search.plot()

# %%
# Many candidates are about as good as the best: the exact choice matters little. Rows that the search has never seen
# are classified almost as well as the folds promised.

scores = search.cv_results_["mean_test_score"]
near = np.sum(scores >= scores.max() - 0.02)
print(f"{near} of {scores.size} candidates are within two points of the best")
print(f"accuracy on {len(y_test)} other rows: {search.score(X_test, y_test):.3f}")
assert near > 20
assert search.score(X_test, y_test) > 0.95
