"""
C and gamma without writing a grid
==================================

:class:`maxmargin.selection.SVCCV` takes its grid from the data, searches it with shared work and then looks more closely around the best cell. With
``refit=simplest`` it would take the simplest machine that is as good within one standard error; both are compared here.
"""

import time

from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from maxmargin import SVC
from maxmargin.selection import SVCCV, simplest

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(
    X / 16, y, stratify=y, train_size=500, random_state=0
)

start = time.perf_counter()
model = SVCCV(cv=5).fit(X_train, y_train)
seconds = time.perf_counter() - start
print(f"a search of {len(model.cv_results_['params'])} candidates in five folds: {seconds:.1f} s")

# %%
# The first map has coarse cells everywhere and fine ones near the best, which has a star. Above some C nothing changes any more: no row has slack.

# Alt: Four maps over gamma and C, both logarithmic: accuracy, its standard error, time and support vectors. Accuracy has a bright upright band at one gamma,
# reaching from C about one upwards, with a star at the best cell and a diamond at the simplest that is as good; around the star the cells are smaller.
model.search_.plot()

# %%
careful = SVC(**model.cv_results_["params"][simplest(model.cv_results_)]).fit(X_train, y_train)
for name, machine in {"best": model.best_estimator_, "simplest": careful}.items():
    print(
        f"{name:>8}: C = {machine.C:.3g}, gamma = {machine.gamma:.3g}, {len(machine.support_)} support vectors, "
        f"{machine.score(X_test, y_test):.3f} on {len(y_test)} other rows"
    )
assert model.score(X_test, y_test) > 0.95
assert careful.C <= model.C_
assert abs(careful.score(X_test, y_test) - model.score(X_test, y_test)) < 0.03
