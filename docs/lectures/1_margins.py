# %% [markdown]
# # 1. Margins: from distances to subgradient descent
#
# This lecture follows *Applied Machine Learning, Lecture 9: Support Vector Machines* (V. Kuleshov,
# Cornell Tech, 2020), section by section and in our own words. The line under a heading says which
# sections it covers. Everything is computed on the page, and a claim that can be checked is checked
# by an `assert` in the code beside it.
#
# Letters: the course's $\theta$ and $\theta_0$ are $w$ and $b$ here; its $\gamma$ stays a margin. What this lecture leaves
# out, the dual, is derived on [its own page](dual.html); [one path](path.html) says what to read before and after.

# %% [markdown]
# ## What is learned, and from what | Course: sections 1 to 6
#
# A supervised problem has two ingredients, and one product:
#
# $$ \underbrace{\text{data}}_{\text{features and targets}} + \underbrace{\text{learning algorithm}}_{\text{family, objective, optimizer}}
#    \;\longrightarrow\; \text{a predictor.} $$
#
# The **data** are pairs $(x_i, y_i)$, $i = 1, \dots, n$. The **learning algorithm** is itself three choices:
#
# | choice | asks | here |
# | --- | --- | --- |
# | model family | which functions are allowed? | linear scores $f(x) = w^\top x + b$ |
# | objective | which of them is good? | the margin, and later the hinge loss |
# | optimizer | how is a good one found? | a quadratic program, or subgradient steps |
#
# The predictor is a function
#
# $$ f : \mathcal{X} \to \mathcal{Y} $$
#
# from all possible inputs to the targets. If $\mathcal{Y}$ is (part of) the real line the task is regression; if it has two
# elements it is binary classification, and we take $\mathcal{Y} = \{-1, +1\}$, because then "the score has the sign of the
# target" is one formula: $y\,f(x) > 0$.

# %% [markdown]
# ## The data: a quarter of Iris | Course: section 7
#
# Every fourth flower of the 150, the two sepal measurements, and one question: is it *setosa* or not?

# %%
import numpy as np
from sklearn.datasets import load_iris

flowers = load_iris(as_frame=True)
X = flowers.data.iloc[::4, :2]
y = np.where(flowers.target[::4] == 0, -1, 1)
print(flowers.data.iloc[::4].assign(target=y).head().to_string())

assert X.shape == (38, 2)
assert [(y == -1).sum(), (y == 1).sum()] == [13, 25]
assert X.index[:5].tolist() == [0, 4, 8, 12, 16]
assert X.head().to_numpy().ravel().tolist() == [5.1, 3.5, 5.0, 3.6, 4.4, 2.9, 4.8, 3.0, 5.4, 3.9]
assert set(y[:5]) == {-1}

# %% [markdown]
# The course keeps all four measurements in its table and uses the first two, those of the sepal. Here they are alone, before
# any algorithm has seen them.

# %%
# Figure: The 38 flowers. The 13 Setosa have short, wide sepals; a straight line can part them from the 25 others.
# Alt: Scatter plot of sepal width over sepal length. Blue circles, Setosa, lie at the upper left; orange squares, not Setosa, at the lower right; a narrow empty strip runs between them from lower left to upper right.
from matplotlib import pyplot

kind = np.where(y == -1, "Setosa", "not Setosa")


flowers_at = X.to_numpy()


def scatter(axes, points=flowers_at, size=34):
    """Draw the flowers of both kinds."""
    for name, colour, marker in (("Setosa", "#0072B2", "o"), ("not Setosa", "#D55E00", "s")):
        axes.scatter(
            *points[kind == name].T, s=size, c=colour, marker=marker, ec="white", lw=0.6, label=name
        )
    axes.set(xlabel="sepal length (cm)", ylabel="sepal width (cm)", aspect="equal")


figure, axes = pyplot.subplots(figsize=(6.2, 3.6), layout="constrained")
scatter(axes)
axes.legend(loc="lower right")

# %% [markdown]
# ## Three algorithms, three boundaries | Course: section 8
#
# Logistic regression, the perceptron and ridge regression on the labels are all linear classifiers.
# Each draws a different line through the same points.

# %%
# Figure: Logistic regression, the perceptron and ridge regression: three lines, no training error, three opinions about the
# flowers in between.
# Alt: Three panels with the same flowers and the region of each class tinted. The boundary is steepest for logistic regression, flattest for the perceptron, where it almost touches a Setosa, and in between for ridge regression.
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier

from maxmargin.models import Hyperplane, Margins
from maxmargin.plots import BoundaryDisplay, ComparisonDisplay

three = {
    "logistic regression": LogisticRegression(),
    "perceptron": Perceptron(random_state=0),
    "ridge regression": RidgeClassifier(),
}
ComparisonDisplay.from_estimators(X, kind, three).plot()

three = {name: model.fit(X, y) for name, model in three.items()}

planes = {name: Hyperplane.of(model) for name, model in three.items()}
angles = [np.degrees(np.arctan2(*plane.normal[::-1])) for plane in planes.values()]
for name, angle in zip(three, angles, strict=True):
    print(f"{name:20} normal at {angle:.0f} degrees")
assert np.ptp(angles) > 10
assert all(model.score(X, y) == 1 for model in three.values())

# %% [markdown]
# None of them makes a mistake on these flowers, yet they disagree about the plane in between.
# Training error cannot choose; we need another criterion.

# %% [markdown]
# ## Scores say more than labels | Course: section 9
#
# Before it says "yes" or "no", a linear classifier computes a number. Logistic regression reads it
# as a probability, $p(y = 1 \mid x) = \sigma(f(x)) = 1 / (1 + e^{-f(x)})$, and answers "yes" when
# this exceeds one half, which is when $f(x) > 0$. Divided by $|w|$ the same number is the distance
# to the boundary, so "sure" and "far away" are two words for one thing.

# %%
# Figure: Distance from the boundary of logistic regression, and the probability that it reads off. One is a curved ruler of the
# other: the order of the flowers is the same.
# Alt: Probability over signed distance, one dot for each flower, along a smooth rising curve: blue ones from 0.1 to 0.4 at negative distances, orange ones from 0.6 to almost 1 at positive distances. Grey lines mark distance zero and one half.
logistic = three["logistic regression"]
f = logistic.decision_function(X)
p = logistic.predict_proba(X)[:, 1]
distance = planes["logistic regression"].distance(X)

figure, axes = pyplot.subplots(figsize=(6.2, 2.8), layout="constrained")
axes.axhline(0.5, color="grey", lw=0.8)
axes.axvline(0, color="grey", lw=0.8)
scatter(axes, np.column_stack([distance, p]))
axes.set(xlabel="signed distance from the boundary (cm)", ylabel="$p(y = 1 | x)$", aspect="auto")
axes.legend(loc="lower right")

assert np.allclose(p, 1 / (1 + np.exp(-f)))
assert np.array_equal(p > 0.5, f > 0)
assert np.array_equal(np.argsort(p), np.argsort(distance))

# %% [markdown]
# ## The max-margin principle | Course: section 10
#
# So let us be as sure as we can about **every** flower: choose the line whose distance to the nearest
# one is largest. A support vector machine with a large $C$ does that; why, is the rest of the
# lecture.

# %%
# Figure: A good margin and two bad ones. The band is as wide as the nearest flower allows; only the first line has room on both
# sides.
# Alt: Three panels. Left, support vector machine: a wide tinted band between the kinds, touched by three ringed flowers. Middle, perceptron: the band is so thin that it looks like a line, next to one Setosa. Right, ridge regression: a thin band again.
from maxmargin import SVC

models = {"support vector machine": SVC(kernel="linear", C=10_000).fit(X, y), **three}
margin = {name: Margins(Hyperplane.of(model), X, y).smallest for name, model in models.items()}
for name, smallest in margin.items():
    print(f"{name:24}{smallest:8.4f} cm from the nearest flower")


def line(axes, plane, shift=0.0, **look):
    """Draw a hyperplane of the plane, moved along its normal."""
    foot = plane.project([5.4, 3.1]) + shift * plane.normal
    axes.axline(foot, foot + np.array([-plane.normal[1], plane.normal[0]]), **look)


figure, panels = pyplot.subplots(1, 3, figsize=(9.2, 2.9), layout="constrained", sharey=True)
for axes, (title, name) in zip(
    panels,
    {
        "good: support vector machine": "support vector machine",
        "bad: perceptron": "perceptron",
        "bad: ridge regression": "ridge regression",
    }.items(),
    strict=True,
):
    plane = Hyperplane.of(models[name])
    nearest = np.abs(plane.distance(X)) < margin[name] * 1.001
    scatter(axes, size=20)
    axes.scatter(*X.to_numpy()[nearest].T, s=90, fc="none", ec="black")
    line(axes, plane, color="black")
    for side in (-1, 1):
        line(axes, plane, side * margin[name], color="black", ls="--", lw=0.8)
    axes.set(xlim=(4.2, 7.0), ylim=(2.1, 4.4), title=title)

assert max(margin, key=margin.get) == "support vector machine"
assert margin["perceptron"] < 0.1 * margin["support vector machine"]
assert min(margin.values()) > 0  # all four separate the flowers

# %% [markdown]
# The solid line is the boundary, the dashed lines pass through the nearest flowers of both kinds.
# Those flowers, ringed, are all that the solution depends on.

# %%
# Figure: The line with the largest margin. Three flowers, ringed, touch the dashed lines; the other 35 could be anywhere
# outside.
# Alt: The flowers with the region of each class tinted and a paler band along the boundary. Solid boundary line, dashed lines on both sides at equal distance; two Setosa lie on the upper one and one other flower on the lower one.
svm = models["support vector machine"]
BoundaryDisplay.from_estimator(
    SVC(kernel="linear", C=10_000).fit(X, kind), X, kind, title="the largest margin"
).plot()

assert len(svm.support_) == 3
assert np.allclose(np.abs(svm.decision_function(X.iloc[svm.support_])), 1)

# %% [markdown]
# ```{lab} lesson=1-widest
# :title: The lab: flowers to drag, with the widest margin between the two kinds
#
# The same flowers, to drag. First predict: if a flower far outside of the margin moves a little, what does the line do?
# Then move one that lies on a dashed line.
# ```

# %% [markdown]
# ## The functional margin | Course: section 11
#
# As a first try at a definition, take the score with the sign of the label:
#
# $$ z_i = y_i\,(w^\top x_i + b). $$
#
# It is positive exactly if the point is on its side, and large if the classifier is sure, for both
# labels alike.

# %%
plane = Hyperplane.of(svm)
margins = Margins(plane, X, y)
right = svm.predict(X) == y

assert np.allclose(margins.functional[y == 1], svm.decision_function(X)[y == 1])
assert np.allclose(margins.functional[y == -1], -svm.decision_function(X)[y == -1])
assert np.array_equal(margins.functional > 0, right)

# %% [markdown]
# > **Predict.** All of $w$ and $b$ are multiplied by 10. What happens to the line, and what to the margins?

# %% [markdown]
# But it has a flaw. Multiply $w$ and $b$ by ten: no flower changes sides, the line is the same line,
# and yet every margin is ten times as large. A quantity that grows without anything moving does not
# measure a boundary.

# %%
# Figure: Functional margins of the 38 flowers, for $(w, b)$ and for $10\,(w, b)$. One line in the plane, two sets of numbers.
# Alt: Dots for 38 flowers in the order of their margins. The lower row rises from 1 to about 8; the upper row, ten times as high, from 10 to about 80.
ten_times = Margins(plane.scaled(10), X, y)
order = np.argsort(margins.functional)

figure, axes = pyplot.subplots(figsize=(6.2, 2.8), layout="constrained")
axes.plot(ten_times.functional[order], "s", ms=4, color="#D55E00", label="$10 w, 10 b$")
axes.plot(margins.functional[order], "o", ms=4, color="#0072B2", label="$w, b$")
axes.set(xlabel="flower", ylabel="functional margin $z_i$", ylim=(0, None))
axes.legend()

assert np.array_equal(np.sign(ten_times.functional), np.sign(margins.functional))
assert np.allclose(ten_times.functional, 10 * margins.functional)

# %% [markdown]
# ## The geometric margin | Course: section 12
#
# Dividing by the length of $w$ removes the scale:
#
# $$ \gamma_i = y_i\,\frac{w^\top x_i + b}{\|w\|}. $$

# %%
# Figure: Geometric margins of the same two descriptions of one line: each square lies on its dot.
# Alt: Dots for 38 flowers in the order of their margins, rising from 0.17 to 1.3 centimetres; an open square surrounds every dot.
figure, axes = pyplot.subplots(figsize=(6.2, 2.6), layout="constrained")
axes.plot(ten_times.geometric[order], "s", ms=8, mfc="none", color="#D55E00", label="$10 w, 10 b$")
axes.plot(margins.geometric[order], "o", ms=4, color="#0072B2", label="$w, b$")
axes.set(xlabel="flower", ylabel="geometric margin (cm)", ylim=(0, None))
axes.legend()

assert np.allclose(ten_times.geometric, margins.geometric)
assert np.array_equal(np.sign(margins.geometric), np.sign(margins.functional))
assert np.array_equal(np.argsort(margins.geometric), np.argsort(margins.functional))

# %% [markdown]
# ## Why it is a distance | Course: section 13
#
# Let $x_0$ be the point of the line nearest to $x_i$, for a flower with $y_i = 1$. The line's normal is
# $w / \|w\|$, so going from $x_0$ along it for the length $\gamma_i$ arrives at $x_i$:
#
# $$ x_0 = x_i - \gamma_i \frac{w}{\|w\|}, \qquad
#    0 = w^\top x_0 + b = w^\top x_i + b - \gamma_i \|w\|. $$
#
# Solve for $\gamma_i$ and the definition is back. With $y_i = -1$ the way leads in the other
# direction and the sign of the label mends it.

# %%
# Figure: From the nearest flowers of either kind straight to the boundary: these lengths are the geometric margins.
# Alt: The boundary with segments at right angles to it from the six nearest flowers of each kind; the shortest three, of equal length, belong to the ringed support vectors.
feet = margins.nearest
way = X.to_numpy() - feet

assert np.allclose(plane.score(feet), 0)  # on the line
assert np.allclose(way, np.outer(y * margins.geometric, plane.normal))  # along the normal
assert np.allclose(np.linalg.norm(way, axis=1), np.abs(margins.geometric))  # of that length

BoundaryDisplay.from_estimator(svm, X, y, title="from the nearest flowers to the boundary").plot(
    projections=True, slack=False
)

# %% [markdown]
# ## Maximising the margin, first attempt | Course: sections 14 to 16
#
# Now the objective: the smallest geometric margin of all samples, as large as possible.
#
# $$ \max_{w, b}\;\min_i\; y_i\,\frac{w^\top x_i + b}{\|w\|} $$
#
# In the plane this can be solved by brute force. A unit normal $u$ is an angle; for each, the best $b$
# puts the line half way between the classes, and the margin is half the gap between them.

# %%
# Figure: The margin of the best line for each direction of its normal. Below 0 the classes overlap; there is one peak.
# Alt: A curve of the margin over the direction of the normal from minus 120 to 30 degrees. It is negative at both ends, and rises to a single peak of 0.17 centimetres at minus 56 degrees, marked by a dot.
angle = np.radians(np.linspace(-120, 30, 15_001))
u = np.column_stack([np.cos(angle), np.sin(angle)])
projected = X.to_numpy() @ u.T
gap = projected[y == 1].min(axis=0) - projected[y == -1].max(axis=0)
best = np.argmax(gap)

figure, axes = pyplot.subplots(figsize=(6.2, 3.0), layout="constrained")
axes.plot(np.degrees(angle), gap / 2)
axes.axhline(0, color="grey", lw=0.8)
axes.plot(np.degrees(angle[best]), gap[best] / 2, "o", color="#D55E00")
axes.set(xlabel="direction of the normal (degrees)", ylabel="margin (cm)", ylim=(-1.2, 0.3))
print(f"brute force: margin {gap[best] / 2:.6f} at {np.degrees(angle[best]):.2f} degrees")
assert np.allclose(u[best], plane.normal, atol=1e-3)
assert np.isclose(gap[best] / 2, margins.smallest, rtol=1e-3)

# %% [markdown]
# ## From the margin to a quadratic program | Course: sections 17 to 19
#
# Brute force ends with two features. Three steps lead to a problem that does not.
#
# **Step 1.** Write the smallest margin as a variable and multiply by $\|w\|$:
# maximise $\gamma$ subject to $y_i (w^\top x_i + b) \ge \gamma \|w\|$. If $(w, b)$ satisfies this, so does
# every positive multiple of it: one degree of freedom is idle.
#
# **Step 2.** Use it up by asking for $\|w\| = 1 / \gamma$. The constraints become
# $y_i (w^\top x_i + b) \ge 1$ and the objective $1 / \|w\|$.
#
# **Step 3.** The largest $1 / \|w\|$ has the smallest $\|w\|$, and so the smallest $\frac12 \|w\|^2$:
#
# $$ \min_{w, b}\;\tfrac12 \|w\|^2 \quad\text{subject to}\quad y_i (w^\top x_i + b) \ge 1
#    \;\text{ for all } i. $$
#
# A quadratic objective with linear constraints: any solver of quadratic programs will do.

# %%
# Figure: The program in the plane of $w$ (for each $w$ the best $b$ is chosen). Every $w$ in the tinted set separates with
# functional margin 1; the smallest circle that reaches the set touches it at $(10/3, -5)$.
# Alt: A wedge-shaped tinted region opening to the lower right, with its corner at (3.33, minus 5). Circles around the origin of growing radius; the one of radius 6 touches the corner, marked by a dot.
from maxmargin import HardMarginSVC
from maxmargin.problems import hard_margin_primal
from maxmargin.solvers import solve_qp

program = hard_margin_primal(X, y)
solution = solve_qp(program)
solved = Hyperplane(solution.theta[:2], solution.theta[2])
print(f"w = {solved.w.round(6)}, b = {solved.b:.6f}, margin 1 / |w| = {1 / solved.norm:.6f}")

figure, axes = pyplot.subplots(figsize=(4.6, 4.0), layout="constrained")
w1, w2 = np.meshgrid(np.linspace(-2, 12, 281), np.linspace(-13, 1, 281))
scores = np.stack([w1, w2], axis=-1) @ X.to_numpy().T
room = scores[..., y == 1].min(axis=-1) - scores[..., y == -1].max(axis=-1)
axes.contourf(w1, w2, room, levels=[2, np.inf], colors=["#56B4E955"])
axes.contour(w1, w2, room, levels=[2], colors="#0072B2")
circles = axes.contour(w1, w2, np.hypot(w1, w2), levels=[2, 4, solved.norm, 8, 10], colors="grey")
axes.clabel(circles, fmt="%.1f")
axes.plot(*solved.w, "o", color="#D55E00")
axes.plot(0, 0, "+", color="black")
axes.set(xlabel="$w_1$", ylabel="$w_2$", aspect="equal")

# Step 1: any multiple is as good. Step 2: one of them has functional margin 1 and |w| = 1 / margin.
for scale in (0.01, 1, 100):
    assert np.isclose(Margins(solved.scaled(scale), X, y).smallest, 1 / solved.norm)
assert np.isclose(Margins(solved, X, y).functional.min(), 1)

# Step 3: the program finds what brute force found, and what the estimators find.
assert np.isclose(1 / solved.norm, gap[best] / 2, rtol=1e-3)
hard = HardMarginSVC(kernel="linear").fit(X, y)
assert np.allclose(hard.coef_[0], [10 / 3, -5])
assert np.isclose(hard.intercept_[0], -2)
assert np.allclose(solved.w, hard.coef_[0])
assert np.allclose(svm.coef_, hard.coef_)

# %% [markdown]
# The solution has round numbers: $w = (10/3, -5)$ and $b = -2$. Sepals are measured in tenths of a
# centimetre and only three flowers decide, so fractions of small integers were to be expected.

# %% [markdown]
# ## Algorithm card: the hard margin | Course: section 20
#
# | part | linear support vector machine, hard margin |
# | --- | --- |
# | type | supervised, binary classification |
# | model family | linear decision boundaries |
# | objective | largest smallest margin |
# | optimizer | quadratic programming |
# | probabilistic reading | none that is simple |

# %% [markdown]
# ## When no line separates | Course: sections 21 and 22
#
# Add one setosa where the others grow. Now the constraints contradict each other, and the solver can
# prove it: it returns a point that lies in the hulls of both classes, written as an average of flowers
# of either kind.

# %%
# Figure: With one Setosa among the others the two hulls overlap. The star is in both: no line can have it on both sides.
# Alt: Blue and orange flowers, each kind enclosed by the outline of its convex hull. The blue hull reaches with a spike to a flower at (6.2, 3.0) inside the orange hull; a black star marks a common point.
from scipy.spatial import ConvexHull

from maxmargin import InfeasibleError

X2 = np.vstack([X.to_numpy(), [6.2, 3.0]])
y2 = np.append(y, -1)

try:
    HardMarginSVC(kernel="linear").fit(X2, y2)
except InfeasibleError as refused:
    evidence = refused.evidence
of_one = evidence.positive_weights @ X2[evidence.positive_rows]
of_other = evidence.negative_weights @ X2[evidence.negative_rows]
print(f"{of_one.round(4)} is an average of flowers of either kind")

figure, axes = pyplot.subplots(figsize=(6.2, 3.4), layout="constrained")
for label, colour, marker in ((-1, "#0072B2", "o"), (1, "#D55E00", "s")):
    points = X2[y2 == label]
    axes.fill(*points[ConvexHull(points).vertices].T, color=colour, alpha=0.15)
    axes.plot(*points.T, marker, ms=5, color=colour)
axes.plot(*of_one, "*", ms=13, color="black")
axes.set(xlabel="sepal length (cm)", ylabel="sepal width (cm)", aspect="equal")

assert np.allclose(of_one, of_other, atol=1e-6)
assert set(y2[evidence.positive_rows]) == {1}
assert set(y2[evidence.negative_rows]) == {-1}

# %% [markdown]
# The remedy: let each constraint be missed by an amount $\xi_i$, its **slack**, and let slack cost.
#
# $$ \min_{w, b, \xi}\;\tfrac12 \|w\|^2 + C \sum_{i=1}^n \xi_i
#    \quad\text{subject to}\quad y_i (w^\top x_i + b) \ge 1 - \xi_i, \quad \xi_i \ge 0. $$

# %%
# Figure: The soft margin with $C = 5$. Segments are slacks: from each flower that misses its dashed line to that line. The
# added Setosa pays most.
# Alt: The 39 flowers with boundary, dashed margin lines and tinted regions. A few flowers lie inside the margin, joined to their dashed line by segments; by far the longest starts at the blue flower at (6.2, 3.0) deep in the orange region.
from maxmargin.problems import soft_margin_primal

C = 5.0
soft = solve_qp(soft_margin_primal(X2, y2, C))
w, b, slack = soft.theta[:2], soft.theta[2], soft.theta[3:]
soft_svm = SVC(kernel="linear", C=C).fit(X2, y2)
BoundaryDisplay.from_estimator(
    soft_svm,
    X2,
    y2,
    feature_names=["sepal length (cm)", "sepal width (cm)"],
    title="soft margin, C = 5",
).plot()

assert np.allclose(soft_svm.coef_[0], w)
assert np.isclose(soft_svm.intercept_[0], b)
assert np.argmax(slack) == 38  # the flower that we added
assert slack[38] > 1  # is on the wrong side

# %% [markdown]
# ```{lab} lesson=1-stray
# :title: The lab: the flowers with one setosa among the others, its slack drawn as a stem
#
# One setosa among the others. Raise $C$ from 1: its slack costs more, and the margin narrows. Then drag it home, until
# no slack is left.
# ```

# %% [markdown]
# ## Slacks solve themselves | Course: section 23
#
# For a fixed line each $\xi_i$ wants to be small and has two lower bounds: zero, and what the
# constraint is short of. At the optimum it sits on the higher of them:
#
# $$ \xi_i = \max\bigl(0,\;1 - y_i (w^\top x_i + b)\bigr), $$
#
# zero for a point with a score of at least 1 on its side, the shortfall for all others.

# %%
# Figure: The slack of each of the 39 flowers over what its constraint is short of: zero up to 0, and then the shortfall itself.
# Alt: A curve that is flat at zero for negative shortfalls and rises with slope one for positive ones. All flowers sit on it; one is far to the right at 2.8.
shortfall = 1 - y2 * (X2 @ w + b)

figure, axes = pyplot.subplots(figsize=(6.2, 2.6), layout="constrained")
ramp = np.linspace(shortfall.min(), shortfall.max(), 200)
axes.plot(ramp, np.maximum(0, ramp), color="grey")
axes.plot(shortfall, slack, "o", ms=5, color="#D55E00")
axes.set(xlabel=r"shortfall $1 - y_i (w^\top x_i + b)$", ylabel=r"slack $\xi_i$")

assert np.allclose(slack, np.maximum(0, shortfall), atol=1e-7)
assert np.allclose(slack[shortfall < -1e-6], 0, atol=1e-7)

# %% [markdown]
# ## The objective without constraints | Course: sections 24 and 25
#
# Put this $\xi_i$ into the objective and the constraints are gone:
#
# $$ J(w, b) = \underbrace{\sum_{i=1}^n \max\bigl(0,\;1 - y_i (w^\top x_i + b)\bigr)}_{\text{hinge loss}}
#    + \underbrace{\frac{\lambda}{2} \|w\|^2}_{\text{penalty}}. $$
#
# Whether the factor stands before the losses as $C$ or before the penalty as $\lambda = 1 / C$ changes
# the value of the objective but not where its minimum is.

# %%
# Figure: The two objectives along a straight way through the solution, in one random direction: heights differ by the factor
# $C = 5$, the lowest point is the same.
# Alt: Two bowl-shaped curves with kinks over the distance from the solution, from minus 0.3 to 0.3. The one with C is five times as high; both have their minimum at distance zero, marked by a vertical line.
from maxmargin.losses import Hinge
from maxmargin.problems import HALF_SUM, LAMBDA_SUM, Objective, convert, objective_factor

lam = convert(C, len(y2), source=HALF_SUM, target=LAMBDA_SUM)
with_C = Objective(X2, y2, Hinge(), C)
with_lambda = Objective(X2, y2, Hinge(), lam, convention=LAMBDA_SUM)
minimum = np.append(w, b)

way, direction = np.linspace(-0.3, 0.3, 201), np.array([0.6, -0.6, 0.5])
figure, axes = pyplot.subplots(figsize=(6.2, 2.8), layout="constrained")
for objective, look, name in (
    (with_C, "-", "$\\frac{1}{2} |w|^2 + C \\sum$ hinge"),
    (with_lambda, "--", "$\\frac{\\lambda}{2} |w|^2 + \\sum$ hinge"),
):
    axes.plot(way, [objective.value(minimum + t * direction) for t in way], look, label=name)
axes.axvline(0, color="grey", lw=0.8)
axes.set(xlabel="distance from the solution", ylabel="objective", ylim=(0, None))
axes.legend()

assert np.isclose(lam, 1 / C)
assert np.isclose(with_C.value(minimum), soft.value)
assert np.isclose(with_lambda.value(minimum), soft.value / C)
assert np.isclose(objective_factor(C, len(y2), HALF_SUM, LAMBDA_SUM), 1 / C)
for step in np.random.default_rng(0).normal(size=(200, 3)):
    assert with_lambda.value(minimum + 0.1 * step) > with_lambda.value(minimum)

# %% [markdown]
# ## The hinge loss | Course: section 26
#
# As a function of label and score the new loss is $L(y, f) = \max(0, 1 - y f)$. Seen from $y = 1$:
# like the $L_1$ loss $|y - f|$ it is a straight line, but only on the side where the score is too
# low. Nobody is punished for being too sure of the truth.

# %%
# Figure: Losses for a positive sample over its score, with the slope of each on the right. The hinge is half of $L_1$: scores above 1 are
# free.
# Alt: Left, three curves over the margin from minus 3 to 3: the hinge falls with slope minus one to zero at 1 and stays there; L1 rises again beyond 1; L2 is a parabola. Right, their slopes: a step for the hinge, a step from minus one to one for L1, a straight line for L2.
from maxmargin.losses import Absolute, Squared
from maxmargin.plots import LossDisplay

score = np.linspace(-3, 3, 601)
hinge = Hinge().value(score)  # for y = 1 the margin is the score

short = score <= 1
assert np.allclose(hinge[short], np.abs(1 - score[short]))
assert np.all(hinge[~short] == 0)
assert np.all(hinge <= Absolute().value(score - 1))
LossDisplay.from_losses(
    {"hinge": Hinge(), "L1, |1 - z|": Absolute(), "L2, (1 - z)²": Squared()}
).plot()

# %% [markdown]
# ## What the hinge is good for | Course: section 27
#
# Three properties, each shown on the flowers.
#
# **It looks at errors that matter.** Move a flower that is far on its right side ten times as far
# away: the support vector machine does not notice, ridge regression, whose loss is squared, does.
#
# **It goes for a large margin.** With growing $C$ its solution becomes that of the hard margin.
#
# **It has a kink.** At $z = 1$ there is no derivative, but a whole interval of slopes.

# %%
# Figure: One flower far on its right side is moved ten times as far away (arrow). The line of ridge regression, dashed before
# and solid after, turns; that of the support vector machine stays.
# Alt: Two panels with the flowers. Left, support vector machine: dashed and solid line coincide. Right, ridge regression: the solid line is turned against the dashed one by a visible angle and no longer separates the kinds. An arrow at the lower right shows where the flower goes.
far = np.argmax(margins.functional)
moved = X.to_numpy().copy()
moved[far] = feet[far] + 10 * (moved[far] - feet[far])
svm_after, ridge_after = (
    model.fit(moved, y) for model in (SVC(kernel="linear", C=10_000), RidgeClassifier())
)
turned = np.degrees(
    np.arccos(Hyperplane.of(ridge_after).normal @ planes["ridge regression"].normal)
)
print(f"ridge regression turned by {turned:.0f} degrees, the support vector machine by none")

figure, panels = pyplot.subplots(1, 2, figsize=(8.4, 3.0), layout="constrained", sharey=True)
for axes, name, old, new in (
    (panels[0], "support vector machine", svm, svm_after),
    (panels[1], "ridge regression", three["ridge regression"], ridge_after),
):
    scatter(axes, size=20)
    line(axes, Hyperplane.of(old), color="black", ls="--")
    line(axes, Hyperplane.of(new), color="black")
    axes.annotate(
        "",
        X.to_numpy()[far] + 0.6 * plane.normal,
        X.to_numpy()[far],
        arrowprops={"arrowstyle": "->"},
    )
    axes.set(xlim=(4.2, 8.0), ylim=(2.0, 4.4), title=name)

assert np.allclose(svm_after.coef_, svm.coef_)
assert turned > 5

distances = [
    np.linalg.norm(SVC(kernel="linear", C=C).fit(X, y).coef_ - hard.coef_)
    for C in (0.1, 1, 10, 100)
]
assert np.all(np.diff(distances) <= 0)
assert distances[-1] < 1e-9

low, high = Hinge().subdifferential(1.0)
assert (low, high) == (-1, 0)

# %% [markdown]
# ## The objective in code | Course: sections 28 to 30
#
# For the rest of the lecture the course's program minimises the mean of the hinge losses with a
# penalty whose factor it calls $C$ (it plays the role of $\lambda$):
#
# $$ J(w, b) = \frac{C}{2} \|w\|^2 + \frac1n \sum_{i=1}^n \max\bigl(0,\;1 - y_i(w^\top x_i + b)\bigr),
#    \qquad C = 0.1. $$
#
# In the library this is the convention `C_MEAN`; in numpy it is two lines. The unknowns are one vector
# $(w_1, w_2, b)$, and $b$ is not penalised.

# %%
# Figure: $J$ over $w_1$ and $b$, with $w_2$ at its best. Sepals are about 6 cm long, so that a little more $w_1$ is
# undone by six times less $b$: a narrow, flat valley, which will make descent slow.
# Alt: Contour lines of a convex function over w1 from 0 to 2.5 and b from minus 10 to 4: long, thin ovals that slope down to the right, with a star in their middle at (1.3, minus 3.6).
from maxmargin.problems import C_MEAN

J = Objective(X, y, Hinge(), 0.1, convention=C_MEAN)
ones = np.ones(3)
hinges = np.maximum(0, 1 - y * (X.to_numpy() @ ones[:2] + ones[2]))
by_hand = 0.1 / 2 * ones[:2] @ ones[:2] + hinges.mean()

print(f"{C_MEAN.formula}  at (1, 1, 1): {J.value(ones):.6f}")

lowest = solve_qp(soft_margin_primal(X, y, 0.1, C_MEAN)).theta
first, last = np.meshgrid(np.linspace(0, 2.5, 61), np.linspace(-10, 4, 61))
heights = [J.value([w1, lowest[1], b]) for w1, b in zip(first.flat, last.flat, strict=True)]
figure, axes = pyplot.subplots(figsize=(5.4, 3.2), layout="constrained")
axes.contour(
    first, last, np.reshape(heights, first.shape), levels=np.geomspace(0.302, 3, 14), cmap="Greys_r"
)
axes.plot(lowest[0], lowest[2], "*", ms=11, color="#D55E00")
axes.set(xlabel="$w_1$", ylabel="$b$")

assert np.isclose(J.value(ones), by_hand)

# %% [markdown]
# ## Gradient descent | Course: section 31
#
# To minimise a differentiable $J$, repeat
#
# $$ w_t = w_{t-1} - \text{step} \cdot \nabla J(w_{t-1}) $$
#
# until $w$ hardly moves. On the logistic loss, which has no kink, a constant step size is enough. Here is the loop, and beside
# it the library's, which is the same.

# %%
# Figure: Gradient descent on the logistic loss: every one of the steps goes down, fast at first.
# Alt: A falling curve of J over the number of steps, both on logarithmic scales. It drops steeply within the first hundred steps and then levels off without ever rising.
from maxmargin.losses import Logistic
from maxmargin.optimizers import Constant, StepLength, minimize

smooth = Objective(X, y, Logistic(), 0.1, convention=C_MEAN)
descent = minimize(
    smooth, ones, Constant(0.1), stop=[StepLength(1e-4)], max_iter=50_000, record_every=1000
)
print(
    f"{descent.n_iter} steps, then |gradient| = "
    f"{np.linalg.norm(smooth.subgradient(descent.last)):.1e}"
)

with_one = np.column_stack([X, np.ones(38)])


def gradient(w):
    """Of the mean logistic loss with the penalty; b is not penalised."""
    weight = y / (1 + np.exp(y * (with_one @ w)))
    return 0.1 * w * [1, 1, 0] - weight @ with_one / 38


w, before, path = ones, np.zeros(3), []
while np.linalg.norm(w - before) > 1e-4:
    path.append(w)
    before = w
    w = before - 0.1 * gradient(before)

figure, axes = pyplot.subplots(figsize=(6.2, 2.6), layout="constrained")
steps = np.unique(np.geomspace(1, len(path), 120).astype(int)) - 1
axes.loglog(steps + 1, [smooth.value(path[t]) for t in steps])
axes.set(xlabel="step", ylabel="$J$")

assert np.allclose(w, descent.last)  # one loop, written twice
assert len(path) == descent.n_iter
assert np.all(np.diff(descent.trace["value"]) < 0)  # downhill at every record
assert np.linalg.norm(smooth.subgradient(descent.last)) < 2e-3

# %% [markdown]
# ## A gradient for the hinge? | Course: sections 32 to 35
#
# One loss $\max(0, 1 - z)$ with $z = y\,(w^\top x + b)$ has three regimes:
#
# $$ \frac{\partial}{\partial w} \max(0, 1 - z) = \begin{cases}
#      -y\,x & \quad z < 1 \text{, on the slope} \\
#      0 & \quad z > 1 \text{, on the flat} \\
#      s\,y\,x,\; s \in [-1, 0] & \quad z = 1 \text{, at the kink: choose}
#    \end{cases} $$
#
# Numerical derivatives confirm the first two. (The course's sections 33 and 35 print the conditions
# the other way round; see the [errata](errata.html).)

# %%
# Figure: The hinge over $y f$. Where $y f < 1$, in orange, it behaves like $1 - y f$ and has a gradient to follow; the rest is
# flat.
# Alt: The hinge loss from y f equal to 0 to 2. A thick orange line falls from 1 to 0 at 1; from there a thick blue line runs along zero.
sloped, flat = np.linspace(0, 1, 50), np.linspace(1, 2, 50)
figure, axes = pyplot.subplots(figsize=(5.4, 2.6), layout="constrained")
axes.plot(flat, np.maximum(0, 1 - flat), lw=7, alpha=0.6, color="#0072B2", label="hinge, $y f > 1$")
axes.plot(
    sloped, np.maximum(0, 1 - sloped), lw=7, alpha=0.6, color="#E69F00", label="hinge, $y f < 1$"
)
axes.set(xlabel="$y f$", ylabel="loss")
axes.legend()

x_one, y_one = X.to_numpy()[7], -1.0


def loss(w):
    """The hinge loss of one flower, without b."""
    return max(0.0, 1 - y_one * (w @ x_one))


def slope(w, h=1e-6):
    """Its derivative by central differences."""
    return np.array([(loss(w + h * e) - loss(w - h * e)) / (2 * h) for e in np.eye(2)])


on_the_slope, on_the_flat = np.array([0.1, 0.2]), np.array([-1.0, -1.0])
assert y_one * (on_the_slope @ x_one) < 1 < y_one * (on_the_flat @ x_one)
assert np.allclose(slope(on_the_slope), -y_one * x_one)
assert np.allclose(slope(on_the_flat), 0)

# %% [markdown]
# At the kink every slope $s$ between $-1$ and $0$ gives a line that touches the loss there and lies
# nowhere above it. That is what a **subgradient** is, and it is all that descent needs.

# %%
# Figure: Lines through the kink with slopes between $-1$ and 0 stay below the hinge everywhere: each slope is a subgradient.
# Alt: The hinge with its kink at 1, and a fan of straight lines through the kink, from the steep branch on the left to the flat one on the right; none is above the hinge.
from maxmargin.losses import supporting_line
from maxmargin.plots import SubgradientDisplay

for s in (-1.0, -0.7, -0.5, 0.0):
    assert np.all(supporting_line(Hinge(), 1.0, s).value(score) <= Hinge().value(score) + 1e-15)
SubgradientDisplay.from_loss(Hinge(), at=1.0).plot()

# %% [markdown]
# ## Subgradient descent | Course: section 36
#
# The algorithm is gradient descent with a subgradient in the place of the gradient. From
# $(1, 1, 1)$, with step size 0.01, until a step is shorter than 0.0005: the course prints 22 values of
# $J$ on the way. Here they are again, first by a program written out as the course's is.


# %%
def svm_objective(theta, C=0.1):
    """Mean hinge and penalty; the last parameter, b, is not penalised."""
    hinges = np.maximum(0, 1 - y * (with_one @ theta))
    return hinges.mean() + C / 2 * theta[:2] @ theta[:2]


def svm_subgradient(theta, C=0.1):
    """Minus y x for every flower on the slope, zero for the others, and the penalty's part."""
    on_slope = y * (with_one @ theta) < 1
    return -(y * on_slope) @ with_one / 38 + C * theta * [1, 1, 0]


theta, theta_before, t, course = np.ones(3), np.zeros(3), 0, []
while np.linalg.norm(theta - theta_before) > 5e-4:
    if t % 1000 == 0:
        course.append(svm_objective(theta))
    theta_before = theta
    theta = theta_before - 0.01 * svm_subgradient(theta_before)
    t += 1
print(f"{t} steps; J after 0, 1000, ..., 21000 of them:")
print("  ".join(f"{value:.6f}" for value in course[:11]))
print("  ".join(f"{value:.6f}" for value in course[11:]))

# %% [markdown]
# The library's `minimize` takes the same steps, and all 44 numbers are those of the course.

# %%
printed = """
    3.728947 0.376952 0.359075 0.351587 0.344411 0.337912 0.331617 0.326604 0.322224 0.319250 0.316727
    0.314800 0.313181 0.311843 0.310667 0.309561 0.308496 0.307523 0.306614 0.305768 0.305068 0.304293
""".split()

run = minimize(
    J, ones, Constant(0.01), stop=[StepLength(5e-4)], max_iter=100_000, record_every=1000
)
trace = run.trace[run.trace["t"] % 1000 == 0]
assert trace["t"].tolist() == list(range(0, 22_000, 1000))
assert [f"{value:.6f}" for value in trace["value"]] == printed  # all 22, every digit
assert [f"{value:.6f}" for value in course] == printed
assert np.allclose(theta, run.last)
assert t == run.n_iter

# %% [markdown]
# Did it arrive? The steps became short, and that is all the stopping rule knows. The same objective is
# a quadratic program, whose solution is exact.

# %%
# Figure: How far $J$ is above its minimum, step after step. The curve is still falling when the stopping rule ends it.
# Alt: A falling curve of J minus the optimum on a logarithmic scale over 21,000 steps: steep during the first thousand, then an almost straight way down to 0.004, still falling at the end.
from maxmargin.plots import TraceDisplay

exact = solve_qp(soft_margin_primal(X, y, 0.1, C_MEAN))
TraceDisplay.from_runs({"step size 0.01": run}, optimum=exact.value).plot()
print(f"steps done   {run.n_iter}")
print(f"J at the end {run.value:.6f}")
print(f"exact        {exact.value:.6f}")
print(f"above it by  {run.value - exact.value:.6f}, or {run.value / exact.value - 1:.1%}")
print(f"weights at the end {run.w.round(3)}, exact {exact.theta[:3].round(3)}")

assert f"{exact.value:.6f}" == "0.300039"
assert abs(run.value - exact.value - 0.0039) < 1e-4
assert 21_000 < run.n_iter < 22_000
assert np.abs(run.w - exact.theta[:3]).max() > 0.5  # J is nearly flat: the weights are farther off

# %% [markdown]
# The boundary is good, and 1.3% is close, but the run would have gone on falling: a short step is a
# property of the optimizer, not of the answer. A lower bound of the optimum would tell; in this library
# every fit of an estimator carries one (`certificate_`).

# %%
# Figure: The boundary after 21,000 steps and the exact one. To the eye they agree; the margins do not quite.
# Alt: Two panels with the flowers, boundary and dashed margin lines. The boundaries nearly coincide; the band on the right, the exact solution, is a little narrower.
ComparisonDisplay.from_estimators(
    X,
    y,
    {
        "after 21,000 steps": Hyperplane(run.w[:2], run.w[2]),
        "exact": Hyperplane(exact.theta[:2], exact.theta[2]),
    },
).plot()
as_C = convert(0.1, len(y), source=C_MEAN, target=HALF_SUM)
certified = SVC(kernel="linear", C=as_C).fit(X, y)
print(f"SVC(C={as_C:.4f}) is within {certified.certificate_.gap:.0e} of its optimum, proven")

assert np.allclose(certified.coef_[0], exact.theta[:2], atol=1e-6)
assert certified.certificate_.gap < 1e-9

# %% [markdown]
# ```{lab} lesson=1-subgradient
# :title: The lab: steps of subgradient descent over the contours of the objective
#
# Subgradient descent step by step: the path bends where a flower crosses its margin, because there it enters or leaves
# the sum.
# ```

# %% [markdown]
# ## Algorithm card: the soft margin | Course: section 37
#
# | part | linear support vector machine, by subgradient descent |
# | --- | --- |
# | type | supervised, binary classification |
# | model family | linear decision boundaries |
# | objective | hinge loss with a squared penalty |
# | optimizer | subgradient descent |
# | probabilistic reading | none that is simple |

# %% [markdown]
# ## Exercises
#
# Predict first, then type: numbers are judged on the page, whole ones exactly and others to one per cent.
#
# ### Exercise 1: margins by hand
#
# For $w = (3, 4)$, $b = -5$ and the point $x = (3, 4)$ with label $y = 1$: functional margin, geometric
# margin, nearest point of the line? Type the geometric margin.

# %% [markdown] tags=["solution"]
# $z = 1 \cdot (9 + 16 - 5) = 20$, $\gamma = 20 / 5 = 4$, and
# $x_0 = (3, 4) - 4 \cdot (0.6, 0.8) = (0.6, 0.8)$.

# %% tags=["solution"]
one = Margins(Hyperplane([3, 4], -5), [[3, 4]], [1])
answer = 4
assert one.functional[0] == 20
assert one.geometric[0] == answer
assert np.allclose(one.nearest, [[0.6, 0.8]])

# %% [markdown]
# ### Exercise 2: which flowers matter?
#
# How many of the 38 flowers can be taken away all at once without any change of the hard margin? And what happens to
# the margin if one of those that remain is taken away?

# %% [markdown] tags=["solution"]
# All but the three support vectors: 35. Without them nothing changes, because no constraint that is active has gone. If one
# of the three goes the margin grows: the program has one constraint less, and it was one that mattered.

# %% tags=["solution"]
keep = hard.support_
alone = HardMarginSVC(kernel="linear").fit(X.iloc[keep], y[keep])
answer = 38 - len(keep)
assert answer == 35
assert np.allclose(alone.coef_, hard.coef_)
for gone in keep:
    rest = np.delete(np.arange(38), gone)
    without = HardMarginSVC(kernel="linear").fit(X.iloc[rest], y[rest])
    assert without.margin_[0] > hard.margin_[0]

# %% [markdown]
# ### Exercise 3: a better schedule
#
# Keep $J$ and the start of the lecture's run, but let the step size fall like $\eta / \sqrt t$. Of the first step sizes
# $\eta = 0.01, 0.1, 1, 10$, which comes closest to 0.300039 in 5,000 steps?

# %% [markdown] tags=["solution"]
# 1. Smaller ones have not travelled far enough along the flat valley after 5,000 steps; 10 overshoots so far at first that it
# spends its steps coming back.

# %% tags=["solution"]
from maxmargin.optimizers import InverseSquareRoot

ends = {
    eta: minimize(J, ones, InverseSquareRoot(eta), max_iter=5_000, record_every=50).value
    for eta in (0.01, 0.1, 1, 10)
}
for eta, value in ends.items():
    print(
        f"first step size {eta:5}: J = {value:.6f}, above the minimum by {value - exact.value:.6f}"
    )
answer = min(ends, key=ends.get)
assert answer == 1
assert exact.value < ends[1] < course[5]  # and than the constant step size had after 5,000 steps

# %% [markdown]
# ### Exercise 4: how small may $C$ be?
#
# On the flowers, the soft margin with $C = 10{,}000$ has the solution of the hard one. From which $C$ on is
# that so? (Hint: look at `hard.alphas_`.)

# %% [markdown] tags=["solution"]
# The soft margin's dual has the box $0 \le \alpha_i \le C$. As long as no $\alpha_i$ of the hard margin
# reaches the bound, it solves the soft problem too: $C \ge \max_i \alpha_i$ suffices, and below it the box cuts the
# solution off.

# %% tags=["solution"]
largest = hard.alphas_.max()
print(f"the largest alpha is {largest:.4f}")
answer = float(largest)
above = SVC(kernel="linear", C=1.001 * largest).fit(X, y)
below = SVC(kernel="linear", C=0.9 * largest).fit(X, y)
assert np.allclose(above.coef_, hard.coef_)
assert not np.allclose(below.coef_, hard.coef_, atol=1e-3)

# %% [markdown]
# ### Exercise 5: the width of the street
#
# From one dashed line to the other, in centimetres, for $w = (10/3, -5)$?

# %% [markdown] tags=["solution"]
# The lines $f = -1$ and $f = 1$ are each $1 / \|w\|$ away from the boundary, so the street is
# $2 / \|w\| = 2 / \sqrt{100/9 + 25} \approx 0.333$ wide, a third of a centimetre.

# %% tags=["solution"]
answer = float(2 / np.hypot(10 / 3, 5))
assert np.isclose(answer, 2 * hard.margin_[0])

# %% [markdown]
# ### Exercise 6: inches
#
# Measure the flowers in inches (1 inch = 2.54 cm) and fit the hard margin again. By which factor is $\|w\|$ multiplied?

# %% [markdown] tags=["solution"]
# By 2.54. All distances become 2.54 times smaller, the margin $1 / \|w\|$ among them; the line passes between the same flowers.
# With a fixed $C$ the *soft* margin would change, because $\|w\|^2$ has become more expensive: scale matters.

# %% tags=["solution"]
inches = HardMarginSVC(kernel="linear").fit(X / 2.54, y)
answer = float(np.linalg.norm(inches.coef_) / np.linalg.norm(hard.coef_))
assert np.isclose(answer, 2.54)
assert np.array_equal(inches.support_, hard.support_)
