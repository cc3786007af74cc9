"""
Three classes of iris, and where the machine is sure
====================================================

The first thing to look at after a fit: which region belongs to which class, which rows carry the boundary, and which are on the wrong side.
Two of the four features are enough for a map that hides nothing.
"""

from matplotlib import pyplot
from sklearn.datasets import load_iris
from sklearn.model_selection import cross_val_score

from maxmargin import SVC
from maxmargin.plots import BoundaryDisplay

iris = load_iris(as_frame=True)
X = iris.data[["petal length (cm)", "petal width (cm)"]]
y = iris.target_names[iris.target]
machine = SVC(C=10.0, gamma=0.5).fit(X, y)

# %%
# Three classes are three machines, one for each pair, which vote. The colours are the votes; ringed rows are support vectors of some pair.

# Alt: A map of petal length and width with three coloured regions. Setosa lies apart at the lower left with few ringed rows; the boundary between
# versicolor and virginica runs through a zone where both mix, and most ringed rows are there.
figure, axes = pyplot.subplots(figsize=(9, 3.6), layout="constrained")
BoundaryDisplay.from_estimator(machine, X, y, title="Iris by its petals").plot(ax=axes)

# %%
# Names of columns and classes were taken from the data: new rows with other columns would be refused. How good the map is, is for other rows to say.

wrong = (machine.predict(X) != y).sum()
scores = cross_val_score(machine, X, y, cv=10)
print(f"{len(machine.support_)} support vectors, {wrong} of {len(y)} rows on the wrong side")
print(f"accuracy in ten folds {scores.mean():.3f}, certified gap {machine.certificate_.gap:.0e}")
assert scores.mean() > 0.93
assert machine.score(X[y == "setosa"], y[y == "setosa"]) == 1.0
