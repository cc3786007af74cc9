# %% [markdown]
# # 5. Losses and subgradients: optimisation with kinks
#
# This lecture follows *COMPSCI 689, Lecture 8: Support Vector Machines* (slides by B. Marlin, taught by
# B. O'Connor, UMass Amherst): robust losses, four ways to write the classifier, the calculus of
# subgradients, and descent with plain, momentum and Nesterov steps. The line under a heading names the
# slides. [One path](path.html) says what to read before and after.
#
# Letters: the course's $\theta$ is $(w, b)$, its slacks $\epsilon_n$ are $\xi_i$, its momentum factor $\gamma$ is
# called `decay`.

# %% [markdown]
# ## Machines = loss + linear model | Part 1: Overview; Support vector machines
#
# A support vector machine is a linear model, on given or on expanded features, trained by minimising a
# **non-differentiable** loss plus a squared penalty. There is one for regression (SVR) and one for
# classification (SVC).
#
# The course's overview: **a model is a loss and a representation**, chosen apart.

# %%
# Figure: Model = loss + representation. Rows are losses, columns representations; every field is a model with a name of its own.
# Alt: A table of boxes. Columns: linear features; basis expansion; kernel. Rows: squared loss, logistic loss, epsilon-insensitive loss, hinge. The fields name the models, such as ridge regression, logistic regression, linear SVR, kernel SVC; the two rows of support vector machines are tinted.
from matplotlib import pyplot

columns = ["linear features", "basis expansion", "kernel"]
rows = {
    "squared": ["ridge regression", "polynomial regression", "kernel ridge"],
    "logistic": ["logistic regression", "with expanded features", "kernel logistic"],
    r"$\epsilon$-insensitive": ["linear SVR", "SVR on features", "kernel SVR"],
    "hinge": ["linear SVC", "SVC on features", "kernel SVC"],
}
figure, axes = pyplot.subplots(figsize=(7.0, 2.3), layout="constrained")
axes.axis("off")
table = axes.table(
    list(rows.values()), rowLabels=list(rows), colLabels=columns, loc="center", cellLoc="center"
)
table.scale(1, 1.6)
for (row, _), field in table.get_celld().items():
    field.set_edgecolor("lightgrey")
    field.set_facecolor("#56B4E933" if row in (3, 4) else "none")

# %% [markdown]
# ## What outliers do to least squares | Part 1: Problems with OLS linear regression
#
# An **outlier** is a sample whose target is much larger or smaller than those of samples nearby. It may come from an error in collecting the data; or from noise with
# **heavy tails**, which is no error at all: some processes simply make large deviations now and then.
#
# The squared loss prefers many small errors to one large one. One wrong reading can therefore deflect
# the whole line. Here are thirty points on a line, three of which were misread.

# %%
# Figure: Three misread points, and least squares with and without them.
# Alt: Thirty points on a rising line, three of them far below it at the right end. A dashed line follows the others; a solid one is pulled down and much flatter.
import numpy as np
from sklearn.linear_model import LinearRegression

rng = np.random.default_rng(689)
x = np.linspace(0, 10, 30)[:, None]
clean = 1 + 0.5 * x[:, 0] + 0.15 * rng.normal(size=30)
y = clean.copy()
y[[24, 26, 28]] -= 6

before, after = (LinearRegression().fit(x, target).coef_[0] for target in (clean, y))
print(f"slope of least squares: {before:.3f} without, {after:.3f} with the outliers (true: 0.5)")

figure, axes = pyplot.subplots(figsize=(6.0, 2.8), layout="constrained")
axes.plot(x, y, "o", ms=4, color="grey")
axes.plot(x, LinearRegression().fit(x, clean).predict(x), "--", label="without the three")
axes.plot(x, LinearRegression().fit(x, y).predict(x), label="with them")
axes.set(xlabel="$x$", ylabel="$y$")
axes.legend()

assert abs(before - 0.5) < 0.02
assert after < 0.3

# %% [markdown]
# And the second cause. Draw the noise from Student's distribution with 1.5 degrees of freedom: nobody has misread anything, and yet least squares is all over the
# place, two hundred samples in a row, while a loss that grows linearly is not.

# %%
# Figure: Slopes of two hundred fits with heavy-tailed noise. Least squares scatters widely; the linear loss of support vector regression does not.
# Alt: Two histograms of slopes around the true 0.5. The one of least squares is wide and low, with values beyond 0 and 1 at its ends; the one of support vector regression is a narrow peak.
from maxmargin import SVR

heavy = np.random.default_rng(1)
slopes = {"least squares": [], "support vector regression": []}
for _ in range(200):
    drawn = 1 + 0.5 * x[:, 0] + 0.5 * heavy.standard_t(1.5, size=30)
    slopes["least squares"].append(LinearRegression().fit(x, drawn).coef_[0])
    fit = SVR(kernel="linear", C=10, epsilon=0.2).fit(x, drawn)
    slopes["support vector regression"].append(fit.coef_[0, 0])
spread = {name: np.std(values) for name, values in slopes.items()}
print({name: f"standard deviation {value:.3f}" for name, value in spread.items()})

figure, axes = pyplot.subplots(figsize=(6.0, 2.5), layout="constrained")
for name, values in slopes.items():
    axes.hist(values, bins=np.linspace(-0.2, 1.2, 57), alpha=0.6, label=name)
axes.set(xlabel="slope", ylabel="fits")
axes.legend()
assert spread["least squares"] > 2 * spread["support vector regression"]

# %% [markdown]
# ## Losses that limit their influence | Part 1: Regression with other losses
#
# As functions of the residual $r = f - y$: the **epsilon-insensitive** loss $\max(0, |r| - \epsilon)$ is zero in a
# tube and linear outside; **Huber's** is a parabola in the middle and linear outside. The pull of a sample on
# the fit is the slope of its loss: unlimited for the square, at most 1 and at most $\delta$ for the others.

# %%
# Figure: Three losses over the residual, and their slopes: the pull of a sample is unlimited for the square, and limited for the other two.
# Alt: Left, a parabola, a curve that is flat between minus 0.5 and 0.5 and linear outside, and Huber's, a parabola that goes over into lines. Right, slopes: a straight line, a three-level step, and a ramp between two levels.
from maxmargin.losses import EpsilonInsensitive, Huber, Squared
from maxmargin.plots import LossDisplay

LossDisplay.from_losses(
    {
        "squared": Squared(),
        "epsilon-insensitive, 0.5": EpsilonInsensitive(0.5),
        "Huber, 1": Huber(1.0),
    }
).plot()

r = np.linspace(-100, 100, 2001)
assert np.abs(Squared().subdifferential(r)).max() == 200
assert np.abs(EpsilonInsensitive(0.5).subdifferential(r)).max() == 1
assert np.abs(Huber(1.0).subdifferential(r)).max() == 1
inside = np.abs(r) < 0.5
assert np.all(EpsilonInsensitive(0.5).value(r)[inside] == 0)
assert np.allclose(EpsilonInsensitive(0.5).value(r)[~inside], np.abs(r[~inside]) - 0.5)

# %%
# Figure: Three lines through the misread data. Support vector regression, with its tube, and Huber follow the many; least squares follows the three.
# Alt: Thirty points, three far below the rest. Two lines follow the rising majority, one with a band around it; the least-squares line is much flatter.
from sklearn.linear_model import HuberRegressor

from maxmargin.plots import RegressionDisplay

lines = {
    "support vector regression": SVR(kernel="linear", C=10, epsilon=0.2),
    "least squares": LinearRegression(),
    "Huber": HuberRegressor(epsilon=1.35),
}
lines = {name: model.fit(x, y) for name, model in lines.items()}
RegressionDisplay.from_estimators(x, y, lines).plot()

slopes = {name: float(np.ravel(model.coef_)[0]) for name, model in lines.items()}
print({name: round(slope, 3) for name, slope in slopes.items()})
assert abs(slopes["support vector regression"] - 0.5) < 0.05
assert abs(slopes["Huber"] - 0.5) < 0.05
assert abs(slopes["least squares"] - 0.5) > 0.2

# %% [markdown]
# Epsilon-insensitive loss plus squared norm is **support vector regression**,
#
# $$ \min_{w, b}\; C \sum_{i=1}^n L_\epsilon(y_i, f(x_i)) + \|w\|^2. $$
#
# Samples strictly inside the tube cost nothing and have no influence. And an outlier's distance does not
# matter: misread by 6 or by 6000, it pulls with the same force.

# %%
# Figure: The slope over how far the three points were misread, up to a million. Least squares follows; support vector regression stands still.
# Alt: Two curves over the size of the misreading on a logarithmic axis. Support vector regression stays at 0.5; least squares leaves it at about 1 and falls out of the picture.
from maxmargin.problems import HALF_SUM, SUM, convert, tube_primal
from maxmargin.solvers import solve_qp

C = convert(20.0, 30, source=SUM, target=HALF_SUM)  # this course's C is twice the estimators'
program = solve_qp(tube_primal(x, y, 20.0, 0.2, SUM))
model = SVR(kernel="linear", C=C, epsilon=0.2).fit(x, y)
assert C == 10
assert np.isclose(model.coef_[0, 0], program.theta[0])

worse = y.copy()
worse[[24, 26, 28]] -= 6000
assert np.isclose(
    SVR(kernel="linear", C=C, epsilon=0.2).fit(x, worse).coef_[0, 0], model.coef_[0, 0]
)
assert abs(LinearRegression().fit(x, worse).coef_[0] - 0.5) > 100

misread = np.geomspace(0.5, 1e6, 20)
lines_of = {"support vector regression": [], "least squares": []}
for amount in misread:
    spoiled = clean.copy()
    spoiled[[24, 26, 28]] -= amount
    fit = SVR(kernel="linear", C=C, epsilon=0.2).fit(x, spoiled)
    lines_of["support vector regression"].append(fit.coef_[0, 0])
    lines_of["least squares"].append(LinearRegression().fit(x, spoiled).coef_[0])
figure, axes = pyplot.subplots(figsize=(6.0, 2.5), layout="constrained")
for (name, values), dash in zip(lines_of.items(), ("-", "--"), strict=True):
    axes.semilogx(misread, values, dash, label=name)
axes.set(xlabel="misread by", ylabel="slope", ylim=(-1, 0.7))
axes.legend(loc="lower left")

in_tube = np.abs(model.predict(x) - y) < 0.2 - 1e-6
assert not np.isin(np.flatnonzero(in_tube), model.support_).any()
without = SVR(kernel="linear", C=C, epsilon=0.2).fit(x[~in_tube], y[~in_tube])
assert np.isclose(without.coef_[0, 0], model.coef_[0, 0])

# %% [markdown]
# ## Losses for classification | Part 1: Classification losses; Hinge loss
#
# As functions of the margin $z = y\,g(x)$: zero-one counts errors, hinge and logistic loss stand in for it.
# The hinge lies above the zero-one loss everywhere, so the mean hinge bounds the error rate. The logistic
# loss does so only if it is divided by $\log 2$. The hinge is convex and continuous, but not differentiable.

# %%
# Figure: Losses over the margin. The hinge lies above the zero-one loss everywhere; the logistic loss only after division by $\log 2$.
# Alt: Left, zero-one step, hinge, logistic loss and logistic loss divided by log 2 over the margin from minus 3 to 3; near zero the undivided logistic curve dips below the step. Right, their slopes.
from maxmargin.losses import Hinge, Logistic, ZeroOne

LossDisplay.from_losses(
    {
        "zero-one": ZeroOne(),
        "hinge": Hinge(),
        "logistic": Logistic(),
        "logistic / log 2": Logistic(True),
    },
    limits=(-3, 3),
).plot()

z = np.linspace(-3, 3, 1201)
assert np.all(Hinge().value(z) >= ZeroOne().value(z))
assert not np.all(Logistic().value(z) >= ZeroOne().value(z))
assert np.all(Logistic(scaled=True).value(z) >= ZeroOne().value(z))
p, q = rng.uniform(-3, 3, size=(2, 1000))
assert np.all(
    Hinge().value((p + q) / 2) <= (Hinge().value(p) + Hinge().value(q)) / 2 + 1e-15
)  # convex

# %% [markdown]
# ## The support vector classifier | Part 1: Support vector classification
#
# $$ \hat\theta = \arg\min_{w, b}\; C \sum_{i=1}^n \max\bigl(0, 1 - y_i\,g(x_i)\bigr) + \|w\|^2,
#    \qquad g(x) = w^\top x + b. $$
#
# If the classes are separable (and $C$ is large enough) its boundary is the one with the largest margin.
# Some samples lie exactly on the margin: the support vectors. They determine the solution; fit to them
# alone, and it is the same.

# %%
# Figure: The support vector classifier on separable classes, with a large $C$: the largest margin, held by the ringed samples.
# Alt: Two separated clouds with boundary, dashed margin lines and tinted regions; two or three ringed points touch the dashed lines.
from maxmargin import SVC, HardMarginSVC
from maxmargin.models import Hyperplane, Margins
from maxmargin.plots import BoundaryDisplay
from maxmargin.problems import Objective

labels = np.tile([-1, 1], 25)
X = 0.75 * rng.normal(size=(50, 2)) + 1.6 * labels[:, None]
hard = HardMarginSVC(kernel="linear").fit(X, labels)
large_C = SVC(kernel="linear", C=1000).fit(X, labels)
BoundaryDisplay.from_estimator(
    large_C, X, labels, feature_names=["$x_1$", "$x_2$"], title="large C: the widest margin"
).plot()

on_the_margin = Margins(Hyperplane.of(hard), X, labels).support_vectors()
alone = HardMarginSVC(kernel="linear").fit(X[on_the_margin], labels[on_the_margin])
print(f"{len(on_the_margin)} of 50 samples are on the margin of {hard.margin_[0]:.4f}")
assert np.allclose(large_C.coef_, hard.coef_)
assert 2 <= len(on_the_margin) <= 3
assert np.allclose(alone.coef_, hard.coef_)
assert np.allclose(alone.intercept_, hard.intercept_)

# %% [markdown]
# ## Formulation 1: the margin itself | Part 2: Margin; Margin example; Margin maximization
#
# The signed distance of a sample is $D_i(\theta) = y_i\,g(x_i) / \|w\|$, the margin of the data
# $M(\theta) = \min_i D_i(\theta)$, and the original problem $\max_\theta M(\theta)$: piecewise, scale-free, and
# awkward to optimise. An example: four samples and the line $x_1 + x_2 = 3$.

# %%
# Figure: Four samples, one line: the signed distances $D_i$, drawn as segments. The margin of the line is the smallest, $M = 0.71$.
# Alt: Two blue circles below and two orange squares above a line falling from (0, 3) to (3, 0). Dotted segments at right angles join each point to the line, labelled 2.12, 0.71, 1.41 and 0.71.
four = np.array([[0.0, 0.0], [0.5, 1.5], [2.0, 3.0], [3.0, 1.0]])
signs = np.array([-1, -1, 1, 1])
slanted = Hyperplane([1.0, 1.0], -3.0)
example = Margins(slanted, four, signs)
print("D =", example.geometric.round(3), "  M =", round(float(example.smallest), 3))

figure, axes = pyplot.subplots(figsize=(4.2, 3.4), layout="constrained")
axes.axline((0, 3), (3, 0), color="black")
for point, foot, sign, D in zip(four, example.nearest, signs, example.geometric, strict=True):
    axes.plot(*np.array([point, foot]).T, ":", color="grey")
    axes.plot(*point, *(("o",) if sign < 0 else ("s",)), color="#0072B2" if sign < 0 else "#D55E00")
    axes.annotate(f"{D:.2f}", (point + foot) / 2, (5, -3), textcoords="offset points")
axes.set(xlim=(-0.5, 3.6), ylim=(-0.5, 3.4), xlabel="$x_1$", ylabel="$x_2$", aspect="equal")
assert np.allclose(example.geometric, np.array([3, 1, 2, 1]) / np.sqrt(2))

# %% [markdown]
# On the fifty samples: no line in a neighbourhood of the machine's has a larger $M$.

# %%
plane = Hyperplane.of(hard)
D = labels * (X @ plane.w + plane.b) / np.linalg.norm(plane.w)
assert np.allclose(D, Margins(plane, X, labels).geometric)
assert np.isclose(D.min(), hard.margin_[0])
for w1, w2, b in np.append(plane.w, plane.b) + 0.3 * rng.normal(size=(500, 3)):
    assert Margins(Hyperplane([w1, w2], b), X, labels).smallest <= D.min()

# %% [markdown]
# ```{lab} lesson=5-four
# :title: The lab: four points, whose machine can be found by hand in fractions
#
# Four points again, and now their best line: find $w$ and $b$ by hand, then compare with the fractions.
# ```

# %% [markdown]
# ## Formulation 2: a quadratic program | Part 2: Quadratic program formulation
#
# $$ \min_{w, b, \xi}\;\|w\|^2 + C \sum_i \xi_i \quad\text{subject to}\quad
#    y_i\,g(x_i) \ge 1 - \xi_i, \quad \xi_i \ge 0. $$
#
# For a fixed $(w, b)$ the best slack is the hinge: the constrained and the unconstrained problem have the same
# minimiser and the same value.

# %%
# Figure: The program's solution on samples with four labels turned over; the segments are the slacks of the program, and the hinge losses of the classifier.
# Alt: Two clouds with a few points of the wrong colour, a boundary, wide margin lines, and segments from the points that miss their margin.
from maxmargin.problems import soft_margin_primal

noisy = labels.copy()
noisy[[0, 1, 2, 7]] *= -1
C = 0.2
qp = solve_qp(soft_margin_primal(X, noisy, C, SUM))
risk = Objective(X, noisy, Hinge(), C, convention=SUM)
BoundaryDisplay.from_estimator(
    Hyperplane(qp.theta[:2], qp.theta[2]),
    X,
    noisy,
    feature_names=["$x_1$", "$x_2$"],
    title="the program's solution",
).plot()

assert np.isclose(risk.value(qp.theta[:3]), qp.value)
assert np.allclose(qp.theta[3:], Hinge().value(risk.arguments(qp.theta[:3])), atol=1e-6)

# %% [markdown]
# ## Formulation 3: the dual | Part 2: Dual quadratic program formulation; Dual prediction
#
# The unknowns may instead be weights of the samples:
#
# $$ \max_\alpha\;\sum_i \alpha_i - \tfrac12 \sum_{i, j} y_i y_j \alpha_i \alpha_j K_{ij}
#    \quad\text{subject to}\quad 0 \le \alpha_i \le C, \quad \sum_i \alpha_i y_i = 0, $$
#
# with $K_{ij} = x_i^\top x_j$. Written so, it is the dual of $\frac12 \|w\|^2 + C \sum \xi$. The primal of the
# slides has $\|w\|^2$; its dual in this form has the box $C / 2$. (See the [errata](errata.html).) $K$ is
# positive semidefinite, so the problem is concave.

# %%
# Figure: The dual variables in both boxes, sample by sample. Samples at the bound pull with full force; most have none.
# Alt: Two rows of bars for fifty samples. In the upper, with the box C of 0.2, about ten bars reach the bound; in the lower, with the box C over 2, more do. The other bars are zero, and a few lie between.
from maxmargin.kernels import check_mercer
from maxmargin.problems import soft_margin_dual, weights_from_dual

K = X @ X.T
assert check_mercer(K).holds
w_of_box = {}
for box in (C, C / 2):
    dual = solve_qp(soft_margin_dual(K, noisy, box, HALF_SUM))
    w_of_box[box] = weights_from_dual(dual.theta, X, noisy)
    print(f"box {box}: w = {w_of_box[box].round(5)}")
print(f"primal:  w = {qp.theta[:2].round(5)}")

figure, panels = pyplot.subplots(2, 1, figsize=(6.4, 2.8), layout="constrained", sharex=True)
for axes, box in zip(panels, (C, C / 2), strict=True):
    axes.bar(range(50), solve_qp(soft_margin_dual(K, noisy, box, HALF_SUM)).theta, color="#0072B2")
    axes.axhline(box, color="grey", lw=0.8)
    axes.set(ylabel=rf"$\alpha_i$, box {box:g}")
axes.set(xlabel="sample")

assert np.allclose(w_of_box[C / 2], qp.theta[:2], atol=1e-5)
assert not np.allclose(w_of_box[C], qp.theta[:2], atol=1e-3)
half = solve_qp(soft_margin_primal(X, noisy, C, HALF_SUM))
assert np.allclose(w_of_box[C], half.theta[:2], atol=1e-5)

# %% [markdown]
# To predict from $\alpha$ one keeps the samples: $f(x) = \operatorname{sign}(\sum_i y_i \alpha_i\,x_i^\top x + b)$.
# Learning and predicting both use samples in inner products only. How the dual comes about is on [its own page](dual.html).

# %%
alpha, b = dual.theta, dual.equality[0]
new = rng.normal(size=(200, 2)) * 2
assert np.isclose(b, qp.theta[2], atol=1e-5)  # b is the multiplier of the equality
by_alpha = (new @ X.T) @ (alpha * noisy) + b
assert np.allclose(by_alpha, new @ qp.theta[:2] + qp.theta[2], atol=1e-5)

# %% [markdown]
# ## Formulation 4: basis expansion as a kernel | Part 2: Basis expansion; Example: kernels
#
# Expand the features by $\phi$, and every inner product becomes $\phi(x_i)^\top \phi(x) = \mathcal{K}(x_i, x)$:
# linear $x^\top x'$, polynomial $(1 + x^\top x')^p$, RBF $\exp(-\gamma \|x - x'\|^2)$. What $\mathcal{K}$ must satisfy is
# Mercer's condition: every Gram matrix positive semidefinite.

# %%
# Figure: Two crescents and three kernels.
# Alt: Three panels with two interleaved crescents. Linear: a straight line through both. Polynomial of degree 3: an S-shaped curve between them. RBF: a curve that follows the gap.
from sklearn.datasets import make_moons

from maxmargin.kernels import RBF, Linear, Polynomial, PolynomialMap
from maxmargin.plots import ComparisonDisplay, GramDisplay

moons, crescent = make_moons(100, noise=0.15, random_state=0)
for kernel in (Linear(), Polynomial(degree=3, coef0=1.0), RBF(gamma=2.0)):
    assert check_mercer(kernel(moons, moons)).holds
ComparisonDisplay.from_estimators(
    moons,
    crescent,
    {
        "linear": SVC(kernel="linear"),
        "polynomial, p = 3": SVC(kernel="poly", degree=3, coef0=1, gamma=1),
        "RBF, gamma = 2": SVC(kernel="rbf", gamma=2),
    },
).plot(slack=False)

phi = PolynomialMap(degree=3, coef0=1.0)
assert np.allclose(phi(moons) @ phi(moons).T, Polynomial(degree=3, coef0=1.0)(moons, moons))
expanded = SVC(kernel="linear", tol=1e-8).fit(phi(moons), crescent)
implicit = SVC(kernel="poly", degree=3, coef0=1, gamma=1, tol=1e-8).fit(moons, crescent)
assert np.allclose(
    expanded.decision_function(phi(moons)), implicit.decision_function(moons), atol=1e-6
)

# %% [markdown]
# The inputs need not even be vectors. Count the pairs of neighbouring letters that two words share:

# %%
# Figure: Letter pairs that two words have in common. Words of one language have more in common with each other than with the rest.
# Alt: A square matrix of 20 by 20 fields for ten Danish and ten Italian words, bright along the diagonal, with more bright fields inside the two blocks of one language than between them.
danish = "smørrebrød hygge gade købmand fløde brød gæst spisning løgkage rejer".split()
italian = "pomodoro panino strada mercante panna cucina ospite gelato cipolla gamberi".split()
words, tongue = danish + italian, np.repeat([-1, 1], 10)
pairs = sorted({word[i : i + 2] for word in words for i in range(len(word) - 1)})
counts = np.array([[word.count(pair) for pair in pairs] for word in words], float)
gram = counts @ counts.T
assert check_mercer(gram).holds
speaker = SVC(kernel="precomputed", C=10).fit(gram, tongue)
assert speaker.score(gram, tongue) == 1
GramDisplay.from_matrix(
    gram, np.repeat(["Danish", "Italian"], 10), title="letter pairs in common"
).plot()

# %% [markdown]
# ```{lab} lesson=5-kernel
# :title: The lab: the four corners of exclusive or, with a polynomial kernel, in fractions
#
# No line separates exclusive or. With the kernel $(1 + u^\top v)^2$ the four dual variables are equal: which number is
# it?
# ```

# %% [markdown]
# ## Optimality without derivatives | Part 3: Global optimality of convex non-differentiable functions
#
# Back to the hinge form. Convexity is enough for a theory: a strongly convex function has exactly one
# minimiser, kinks or not.

# %%
# Figure: Descent on a strongly convex function with kinks, from three starts: one minimiser.
# Alt: Contour lines with corners, and three paths from different sides that end at the same point.
from maxmargin.optimizers import Average, StronglyConvex, minimize
from maxmargin.plots import PathDisplay

no_bias = Objective(X, noisy, Hinge(), C, convention=SUM, intercept=False)
walks = {
    f"start {k + 1}": minimize(
        no_bias, start, StronglyConvex(2.0), rule=Average(power=3), max_iter=3000
    )
    for k, start in enumerate(5 * rng.normal(size=(3, 2)))
}
arrivals = [walk.w for walk in walks.values()]
PathDisplay.from_runs(no_bias, walks).plot()
assert np.allclose(arrivals, arrivals[0], atol=2e-2)
one, other = rng.normal(size=(2, 200, 2))
for u, v in zip(one, other, strict=True):  # strong convexity: the chord is above by |u - v|^2 / 4
    chord = (no_bias.value(u) + no_bias.value(v)) / 2 - np.sum((u - v) ** 2) / 4
    assert no_bias.value((u + v) / 2) <= chord + 1e-9

# %% [markdown]
# ## Subgradients | Part 3: Subgradient
#
# A vector $g$ is a **subgradient** of $f$ at $x_0$ if the plane with slope $g$ through the graph at $x_0$ lies nowhere
# above the graph:
#
# $$ f(x) \ge f(x_0) + g^\top (x - x_0) \quad\text{for all } x. $$
#
# Where $f$ is differentiable there is one, the gradient. At a kink there are many.

# %%
# Figure: A convex function with one smooth and one kinked place. At $x_1$ there is one supporting line, with slope $g_1$; at $x_2$ there are many, $g_2$ and $g_3$ among
# them.
# Alt: A curve that falls smoothly, flattens, and has a sharp kink at x2 where it turns upwards. A tangent touches it at x1. Through the kink run two lines of different slope, both below the curve.
from maxmargin.losses import Absolute, supporting_line
from maxmargin.plots import SubgradientDisplay

grid = np.linspace(-4, 4, 801)


def kinked(x):
    """Smooth left of 1.5, with a kink there."""
    return 0.25 * (x - 0.5) ** 2 + np.maximum(0, 1.2 * (x - 1.5))


g1, (g2, g3) = 0.5 * (-1.5 - 0.5), (0.7, 1.4)  # the slopes at -1.5, and two between 0.5 and 1.7
figure, axes = pyplot.subplots(figsize=(6.0, 3.0), layout="constrained")
axes.plot(grid, kinked(grid), color="black")
for at, slopes_there in ((-1.5, {"$g_1$": g1}), (1.5, {"$g_2$": g2, "$g_3$": g3})):
    axes.plot(at, kinked(at), "o", color="black")
    for name, g in slopes_there.items():
        reach = np.array([at - 1.4, at + 1.4])
        axes.plot(reach, kinked(at) + g * (reach - at), color="#D55E00")
        axes.annotate(
            name,
            (reach[0], kinked(at) + g * (reach[0] - at)),
            (-16, -4),
            textcoords="offset points",
        )
axes.set(
    xlim=(-4, 4), ylim=(-2, 5), xticks=[-1.5, 1.5], xticklabels=["$x_1$", "$x_2$"], ylabel="$f$"
)

for at, g in ((-1.5, g1), (1.5, g2), (1.5, g3)):
    assert np.all(kinked(at) + g * (grid - at) <= kinked(grid) + 1e-12)
for other in (g1 - 0.05, g1 + 0.05):  # at the smooth place no other slope will do
    assert np.any(kinked(-1.5) + other * (grid + 1.5) > kinked(grid))
for at, g in ((2.0, 0.0), (-1.0, -1.0), (1.0, -1.0), (1.0, -0.3), (1.0, 0.0)):
    assert np.all(supporting_line(Hinge(), at, g).value(grid) <= Hinge().value(grid) + 1e-12)
try:
    supporting_line(Hinge(), 1.0, 0.1)
    refused = False
except ValueError as reason:
    refused = True
    print(reason)
assert refused

# %% [markdown]
# ## Subdifferentials | Part 3: Subdifferentials; Example
#
# The set of all subgradients at $x_0$ is the **subdifferential** $\partial f(x_0)$: closed, convex, and for convex $f$
# never empty. For $f(x) = |x|$ it is $\{\operatorname{sign}(x)\}$ away from 0, and $[-1, 1]$ at 0, because only lines with
# such slopes stay below.

# %%
# Figure: Left: lines with slopes from $-1$ to 1 support $|x|$ at its kink. Right: the subdifferential of $|x|$, a step whose riser belongs to it: at 0 it is the whole
# interval.
# Alt: Left, the V of the absolute value with a fan of lines below it through the origin. Right, the graph of its subdifferential: minus one for negative x, one for positive x, and a vertical segment from minus one to one at zero.
figure, (left, right) = pyplot.subplots(1, 2, figsize=(9.0, 3.2), layout="constrained")
SubgradientDisplay.from_loss(Absolute(), at=0.0).plot(left)
right.plot([-2, 0, 0, 2], [-1, -1, 1, 1], lw=2.5)
right.set(xlabel="$x$", ylabel=r"$\partial |x|$", ylim=(-1.6, 1.6))

for at, expected in ((-3.0, (-1, -1)), (0.0, (-1, 1)), (0.5, (1, 1))):
    assert Absolute().subdifferential(at) == expected
for g in np.linspace(-1.5, 1.5, 31):
    stays_below = np.all(g * grid <= np.abs(grid) + 1e-12)
    assert stays_below == (abs(g) <= 1 + 1e-9)

# %% [markdown]
# ## When is it a minimum? | Part 3: Characterizing the global minimum
#
# $x_*$ minimises a convex $f$ if and only if $0 \in \partial f(x_*)$: the horizontal plane supports the graph there.

# %%
# Figure: $f(x) = |x - 1| + \frac12 \max(0, x)$ has its minimum where a horizontal line supports it: at the kink, because 0 lies between the slopes $-\frac12$ and $\frac32$.
# Alt: A convex broken line with a lowest corner at x equal to 1 and a dashed horizontal line touching it from below there.
from maxmargin.losses import Chain, Line, Scale, Sum, contains_zero

example_f = Sum((Chain(Absolute(), Line(1.0, -1.0)), Scale(0.5, Chain(Hinge(), Line(-1.0, 1.0)))))
figure, axes = pyplot.subplots(figsize=(5.6, 2.6), layout="constrained")
axes.plot(grid, example_f.value(grid), color="black")
axes.axhline(example_f.value(1.0), ls="--", color="#D55E00")
axes.plot(1, example_f.value(1.0), "o", color="#D55E00")
axes.set(xlabel="$x$", ylabel="$f$", xlim=(-2, 4), ylim=(-0.5, 5))
assert np.allclose(example_f.subdifferential(1.0), (-0.5, 1.5))
assert np.array_equal(np.flatnonzero(contains_zero(example_f, grid)), [500])

values = Hinge().value(grid)
assert np.array_equal(contains_zero(Hinge(), grid), values == values.min())
assert np.array_equal(np.flatnonzero(contains_zero(Absolute(), grid)), [400])

# %% [markdown]
# ## Finding subdifferentials | Part 3: Finding subdifferentials; Partial linearity and chain rule
#
# In one dimension, where a function is glued from two differentiable pieces, the subdifferential runs from
# the slope on the left to the slope on the right. And it obeys rules:
#
# | rule | statement |
# | --- | --- |
# | scaling | $\partial (\alpha f) = \alpha\,\partial f$ for $\alpha > 0$ |
# | sum | $g_1 \in \partial f_1,\; g_2 \in \partial f_2$ give $g_1 + g_2 \in \partial (f_1 + f_2)$ |
# | chain | $\partial\bigl(f(a^\top x + b)\bigr) = \{g\,a : g \in \partial f(a^\top x + b)\}$ |
# | maximum | the hull of the subdifferentials of those that attain it |
#
# In the library each rule is an object, and objects nest. The hinge from two lines, an epsilon-tube from two
# hinges, and numerical one-sided derivatives as the judge:

# %%
# Figure: The tube of width 0.5 as a sum of two hinges, and its subdifferential by the rules: from $-1$ over 0 to 1, with a riser at each kink.
# Alt: Left, two dashed hinges, one falling to minus 0.5 and one rising from 0.5, and on top of them their sum: flat between minus 0.5 and 0.5 and rising on both sides. Right, its subdifferential, a staircase of three levels with vertical risers.
from maxmargin.losses import Maximum, Piecewise


def one_sided(f, z, h=1e-7):
    """Left and right derivative by differences."""
    return (f.value(z) - f.value(z - h)) / h, (f.value(z + h) - f.value(z)) / h


hinge = Maximum((Line(0, 0), Line(-1, 1)))
glued = Piecewise(
    pieces=((lambda z: 1 - z, lambda z: -1.0), (lambda z: 0 * z, lambda z: 0.0)), kinks=(1.0,)
)
tube = Sum((Chain(hinge, Line(-1, 1.5)), Chain(hinge, Line(1, 1.5))))  # kinks at -0.5 and 0.5
functions = {
    "hinge": hinge,
    "glued": glued,
    "3 |z|": Scale(3.0, Absolute()),
    "|z| + z^2": Sum((Absolute(), Squared())),
    "|1 - 2z|": Chain(Absolute(), Line(-2.0, 1.0)),
    "tube": tube,
}
for name, f in functions.items():
    for at in (-0.5, 0.0, 0.5, 1.0, 1.7):
        low, high = f.subdifferential(at)
        left, right = one_sided(f, at)
        assert np.allclose([low, high], [left, right], atol=1e-5), (name, at)
    ends = [
        (f"{at:g}: [{f.subdifferential(at)[0]:g}, {f.subdifferential(at)[1]:g}]")
        for at in (0, 0.5, 1)
    ]
    print(f"{name:10} at {', '.join(ends)}")

figure, (left, right) = pyplot.subplots(1, 2, figsize=(8.4, 2.6), layout="constrained")
near = np.linspace(-2, 2, 401)
for half in tube.parts:
    left.plot(near, half.value(near), "--", color="grey")
left.plot(near, tube.value(near), color="#0072B2")
left.set(xlabel="$z$", ylabel="tube")
low, high = tube.subdifferential(near)
right.plot(np.ravel([near, near], "F"), np.ravel([low, high], "F"), color="#0072B2")
right.set(xlabel="$z$", ylabel=r"$\partial$ tube", ylim=(-1.4, 1.4))

assert np.allclose(hinge.value(grid), Hinge().value(grid))
assert np.allclose(tube.value(grid), EpsilonInsensitive(0.5).value(grid))
assert np.array_equal(
    np.array(glued.subdifferential(grid)), np.array(Hinge().subdifferential(grid))
)
try:
    Scale(-1.0, Absolute())
    allowed = True
except ValueError:
    allowed = False
assert not allowed  # "partial" linearity: a negative multiple is not convex

# %% [markdown]
# ## Not every subgradient points uphill | Part 4: Descent directions
#
# Where $f$ is differentiable, minus the gradient goes down. At a kink, minus **some** subgradient does, the shortest
# for example, but minus another may climb. For $f(w) = |w_1| + 2 |w_2|$ at $(1, 0)$:

# %%
# Figure: At $(1, 0)$, minus one subgradient climbs and minus another falls; both come nearer to the minimum, the star, if the step is short.
# Alt: Diamond-shaped contour lines around a star at the origin. From a dot at (1, 0) one arrow runs to the left, along the axis, labelled falls; another to the lower left across the contours, labelled climbs.
from maxmargin.losses import Polyhedral

f = Polyhedral([[1, 2], [1, -2], [-1, 2], [-1, -2]], [0, 0, 0, 0])
at = np.array([1.0, 0.0])
climbing, shortest = np.array([1.0, 2.0]), -f.steepest_descent(at)
figure, axes = pyplot.subplots(figsize=(6.2, 3.0), layout="constrained")
u, v = np.meshgrid(np.linspace(-0.6, 1.8, 161), np.linspace(-0.9, 0.9, 121))
axes.contour(u, v, np.abs(u) + 2 * np.abs(v), levels=10, colors="lightgrey")
for g, colour, name in ((climbing, "#D55E00", "climbs"), (shortest, "#0072B2", "falls")):
    axes.annotate("", at - 0.35 * g, at, arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 2})
    axes.annotate(name, at - 0.35 * g, (-38, 6), textcoords="offset points", color=colour)
axes.plot(*at, "o", color="black")
axes.plot(0, 0, "*", color="black", ms=10)
axes.set(xlabel="$w_1$", ylabel="$w_2$", aspect="equal")

for step in (0.5, 0.1, 1e-3):
    assert f.value(at - step * climbing) > f.value(at)
    assert f.value(at - min(step, 0.5) * shortest) < f.value(at)
assert not f.is_descent(at, -climbing)
assert f.is_descent(at, -shortest)
assert np.linalg.norm(at - 0.1 * climbing) < np.linalg.norm(at)  # and yet: nearer to the minimum

# %% [markdown]
# The last line is why the method works: a short step along minus **any** subgradient comes closer to every
# minimiser, even where the function climbs. So the algorithm keeps the best point it has seen.

# %% [markdown]
# ## Subgradient descent and its step sizes | Part 4: Sub-gradient descent; Convergence
#
# Choose $g_k \in \partial f(x_{k-1})$, set $x_k = x_{k-1} - \alpha_k g_k$, remember the best. Line search is of no use here;
# the steps follow a plan: $\alpha / (\beta + k)$ or $\alpha / \sqrt k$ lead to the minimum. A constant step size stops
# getting better at a distance that depends on it.

# %%
# Figure: Four plans for the step size. Constant sizes get stuck at a level that depends on them; falling ones go on.
# Alt: Four curves of the best value above the optimum over 4,000 steps on a logarithmic scale. The constant 0.02 stays highest; the others fall below it, the two falling plans without levelling off.
from maxmargin.optimizers import Constant, Harmonic, InverseSquareRoot
from maxmargin.plots import TraceDisplay

start = np.zeros(3)
plans = {
    "constant 0.02": Constant(0.02),
    "constant 0.002": Constant(0.002),
    "1 / sqrt(k)": InverseSquareRoot(0.1),
    "1 / (5 + k)": Harmonic(1.0, delay=5.0),
}
runs = {name: minimize(risk, start, plan, max_iter=4000) for name, plan in plans.items()}
TraceDisplay.from_runs(runs, optimum=qp.value).plot()

late = {name: run.trace["value"][2000:].min() - qp.value for name, run in runs.items()}
early = {name: run.trace["value"][:200].min() - qp.value for name, run in runs.items()}
for name in plans:
    print(f"{name:15} best of the first 200: {early[name]:.4f}, of the last 2000: {late[name]:.5f}")
assert late["constant 0.02"] > 5 * late["constant 0.002"]  # stuck, at a level set by the step
assert late["1 / sqrt(k)"] < early["1 / sqrt(k)"] / 3
assert late["1 / (5 + k)"] < early["1 / (5 + k)"] / 3
assert all(run.value == run.trace["value"].min() for run in runs.values())  # the best is kept

# %% [markdown]
# **How to choose $K$, the number of steps?** The slides leave it open. There is an answer: do not choose it. The dual gives a lower bound of the minimum at every step; when the best
# value is within what you need of the bound, stop. Nothing else that can be observed on the way, such as short steps or small changes of $f$, proves anything.

# %%
# Figure: The best value falls, the lower bound rises, and the minimum (dashed) is between them. The run stops by itself when they are within a hundredth.
# Alt: Two curves over the steps on a logarithmic axis: one falls from above, one rises from below, and a dashed horizontal line at the minimum stays between them; at the right end they nearly touch.
from maxmargin.optimizers import Gap

held = SUM.penalising_intercept()  # strongly convex in b as well
strong = Objective(X, noisy, Hinge(), C, convention=held)
certified = {
    tol: minimize(
        strong,
        np.zeros(3),
        StronglyConvex(2.0),
        rule=Average(power=2),
        certify=True,
        stop=[Gap(tol)],
        max_iter=20_000,
    )
    for tol in (1.0, 0.1, 0.01)
}
for tol, run in certified.items():
    print(
        f"within {tol:4}: K = {run.n_iter:5} steps, f = {run.value:.5f}, proven gap {run.gap:.5f}"
    )
minimum = solve_qp(soft_margin_primal(X, noisy, C, held)).value

trace = certified[0.01].trace
figure, axes = pyplot.subplots(figsize=(6.2, 2.7), layout="constrained")
axes.semilogx(trace["t"] + 1, trace["best"], label="best value")
axes.semilogx(trace["t"] + 1, trace["bound"], label="lower bound")
axes.axhline(minimum, ls="--", color="grey", lw=0.9)
axes.set(xlabel="step", ylabel="$f$", ylim=(0.5 * minimum, 1.6 * minimum))
axes.legend()
for tol, run in certified.items():
    assert run.gap <= tol
    assert run.lower_bound <= minimum + 1e-9
    assert minimum <= run.value + 1e-9
assert certified[1.0].n_iter < certified[0.1].n_iter < certified[0.01].n_iter < 20_000

# %% [markdown]
# ```{lab} lesson=5-steps
# :title: The lab: subgradient descent with a constant step, over the contours of the objective
#
# Compare the constant step with $s / \sqrt t$ and $1 / (\lambda t)$; then take the mean of the steps.
# ```

# %% [markdown]
# ## Momentum and Nesterov's look ahead | Part 4: Subgradient descent with momentum; Nesterov accelerated subgradient descent
#
# Momentum keeps a velocity: $d_k = \gamma\,d_{k-1} + \alpha_k g_k$ and $x_k = x_{k-1} - d_k$, with $\gamma = 0.9$ for example.
# Nesterov's variant takes the subgradient where the momentum is about to carry the point,
# $g_k \in \partial f(x_{k-1} - \gamma\,d_{k-1})$. With $\gamma = 0$ both are the plain method.

# %%
from maxmargin.optimizers import Momentum, Nesterov, Plain


def by_hand(ahead, decay=0.9, n_steps=25):
    """The slides' two loops in one: look ahead, or not."""
    point, velocity = start, np.zeros(3)
    for k in range(1, n_steps + 1):
        g = risk.subgradient(point - decay * velocity * ahead)
        velocity = decay * velocity + 0.01 / np.sqrt(k) * g
        point = point - velocity
    return point


for rule, ahead in ((Momentum(0.9), 0), (Nesterov(0.9), 1)):
    ours = minimize(risk, start, InverseSquareRoot(0.01), rule=rule, max_iter=25)
    assert np.allclose(ours.last, by_hand(ahead))
still = minimize(risk, start, InverseSquareRoot(0.01), rule=Momentum(0.0), max_iter=25)
plain = minimize(risk, start, InverseSquareRoot(0.01), rule=Plain(), max_iter=25)
assert np.allclose(still.last, plain.last)

# %% [markdown]
# Their ways over the contours of an objective of two parameters, and how fast they fall. One feature is twenty times as large as the other, so
# that the valley is narrow: across it a step must be short, and along it short steps take long. With momentum they add up to speed, and beyond the goal; Nesterov's look
# ahead brakes earlier.

# %%
# Figure: A narrow valley, on equal scales. In 60 steps the plain method has crept halfway along it; momentum has passed the lowest point, the star, and swings around it; Nesterov's variant
# passes it by less.
# Alt: Long, thin contour lines from left to right with a star near the right end. Three paths from the left along the floor of the valley: a plain one that stops halfway, one that runs beyond the star and turns back, and one that turns back earlier.
# Figure: Best value so far above the lowest seen. Momentum gains an order of magnitude on the plain method in the same number of steps.
# Alt: Three falling curves over 120 steps on a logarithmic scale; plain falls slowest, momentum and Nesterov much faster.
from maxmargin.optimizers import Momentum, Nesterov, Plain

ill = np.random.default_rng(5)
stretched = np.column_stack(
    [8 * ill.normal(size=50) + 0.3 * labels, 0.4 * (0.6 * ill.normal(size=50) + 1.6 * labels)]
)
narrow = Objective(stretched, labels, Hinge(), 0.05, convention=SUM, intercept=False)
begin = np.array([0.12, -1.0])
rules = {"plain": Plain(), "momentum": Momentum(0.9), "Nesterov": Nesterov(0.9)}
ways = {
    name: minimize(narrow, begin, Constant(0.006), rule=rule, max_iter=120)
    for name, rule in rules.items()
}

figure, axes = pyplot.subplots(figsize=(8.6, 2.8), layout="constrained")
along, across = np.meshgrid(np.linspace(-1.15, 1.1, 161), np.linspace(-0.2, 0.25, 81))
heights = [narrow.value(np.array(w)) for w in zip(across.flat, along.flat, strict=True)]
axes.contour(along, across, np.reshape(heights, along.shape), levels=16, colors="lightgrey")
for (name, run), dash in zip(ways.items(), ("-", "--", ":"), strict=True):
    way = run.trace["w"][:61]
    axes.plot(way[:, 1], way[:, 0], dash, marker=".", ms=3, lw=1.2, label=name)
lowest_seen = min(ways.values(), key=lambda run: run.value)
axes.plot(*lowest_seen.w[::-1], "*", ms=12, color="black")
axes.set(xlabel="$w_2$", ylabel="$w_1$", aspect="equal")
axes.legend(ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.25))
TraceDisplay.from_runs(ways).plot()

value_at_30 = {name: float(run.trace["best"][30]) for name, run in ways.items()}
lengths = {
    name: float(np.linalg.norm(np.diff(run.trace["w"], axis=0), axis=1).sum())
    for name, run in ways.items()
}
print("best after 30 steps", {name: round(value, 4) for name, value in value_at_30.items()})
print("length of the way  ", {name: round(length, 2) for name, length in lengths.items()})
assert value_at_30["momentum"] < value_at_30["plain"]
assert value_at_30["Nesterov"] < value_at_30["plain"]
assert lengths["Nesterov"] < lengths["momentum"]  # less swing

# %% [markdown]
# ## A subgradient of the classifier's risk | Part 5: Example: finding a subgradient for SVC
#
# Now all rules at once. The risk is $R(\theta) = C \sum_i L(y_i\,g(x_i)) + \|w\|^2$ with $L(z) = \max(0, 1 - z)$.
#
# 1. **Sum and scaling**: if $h_i \in \partial L(y_i\,g(x_i))$ and $h_w \in \partial \|w\|^2$, then $C \sum_i h_i + h_w \in \partial R$.
# 2. **The penalty** is differentiable: $h_w = 2\,(w, 0)$.
# 3. **Chain**: $h_i = k\,y_i\,(x_i, 1)$ with $k \in \partial L(z_i)$.
# 4. **The hinge**: $\partial L(z)$ is $\{-1\}$ below 1, $\{0\}$ above, and $[-1, 0]$ **at $z = 1$**. Choose
#    $L'(z) = -1$ for $z < 1$ and $0$ for $z \ge 1$.
#
# $$ h = C \sum_{i=1}^n L'(z_i)\,y_i\,(x_i, 1) + 2\,(w, 0) \in \partial R(\theta). $$
#
# Three checks: against differences where $R$ is smooth, against the library, and, at a kink, against the
# definition itself.

# %%
# Figure: The risk along a straight way through a point at which all positive samples are on their kink, and the supporting line with the slope from the formula: it touches there, and
# stays below.
# Alt: A convex broken curve over the distance from the kink, and a straight line that touches it at zero from below.
ones = np.column_stack([X, np.ones(50)])


def chosen_subgradient(theta):
    """The formula above."""
    slope = np.where(noisy * (ones @ theta) < 1, -1.0, 0.0)
    return C * (slope * noisy) @ ones + 2 * theta * [1, 1, 0]


theta = np.array([0.31, -0.17, 0.23])
h = 1e-6
differences = [(risk.value(theta + h * e) - risk.value(theta - h * e)) / (2 * h) for e in np.eye(3)]
assert np.allclose(chosen_subgradient(theta), differences, atol=1e-4)
assert np.allclose(chosen_subgradient(theta), risk.subgradient(theta))

kink = np.array([0.0, 0.0, 1.0])  # all positive samples have z = 1 exactly
assert np.all(risk.arguments(kink)[noisy > 0] == 1)
g = chosen_subgradient(kink)
direction = np.array([0.5, 0.3, 0.8])
reach = np.linspace(-2, 2, 201)
figure, axes = pyplot.subplots(figsize=(6.0, 2.6), layout="constrained")
axes.plot(reach, [risk.value(kink + t * direction) for t in reach], label="risk")
axes.plot(reach, risk.value(kink) + reach * (g @ direction), "--", label="supporting line")
axes.plot(0, risk.value(kink), "o", color="black")
axes.set(xlabel="distance from the kink", ylabel="$R$")
axes.legend()
for elsewhere in rng.normal(size=(2000, 3)) * 3:
    assert risk.value(elsewhere) >= risk.value(kink) + g @ (elsewhere - kink) - 1e-9
assert np.allclose(g, risk.subgradient(kink))

# %% [markdown]
# ## Algorithm card: by subgradient descent
#
# | part | support vector classification | support vector regression |
# | --- | --- | --- |
# | type | supervised, binary classification | supervised, regression |
# | model family | linear, or with basis expansion or kernel | the same |
# | objective | $C$ times the sum of hinge losses, plus $w^\top w$ | epsilon-insensitive losses instead |
# | optimizer | subgradient descent; the dual quadratic program | the same |
# | probabilistic reading | none | none; squared loss has one, with Gaussian noise |

# %% [markdown]
# ## Exercises
#
# Predict first, then type: numbers are judged on the page, whole ones exactly and others to one per cent.
#
# ### Exercise 1: a subdifferential by the rules
#
# Find $\partial f(1)$ for $f(z) = 2 \max(0, 1 - z) + |z - 1| + z^2$ by hand. Is 1 the minimiser? Type the upper end of the interval.

# %% [markdown] tags=["solution"]
# $2 [-1, 0] + [-1, 1] + \{2\} = [-1, 3]$. It contains 0: yes.

# %% tags=["solution"]
f = Sum((Scale(2.0, Hinge()), Chain(Absolute(), Line(1.0, -1.0)), Squared()))
answer = 3
assert f.subdifferential(1.0) == (-1, answer)
assert contains_zero(f, 1.0)
assert np.isclose(grid[np.argmin(f.value(grid))], 1)

# %% [markdown]
# ### Exercise 2: how much can one sample pull?
#
# In least squares an outlier moved to infinity takes the line along. Use $0 \in \partial R$ to bound $\|w\|$ of linear
# support vector regression by a number that does not contain any $y_i$. For this course's $C = 0.02$ and the thirty $x_i$ of the first section, which number?

# %% [markdown] tags=["solution"]
# From $0 \in \partial R$: $2 w = -C \sum_i s_i x_i$ with $s_i \in [-1, 1]$ and $\sum_i s_i = 0$. So
# $\|w\| \le \frac{C}{2} \sum_i \|x_i - \bar x\| = 0.78$, however large any $y_i$ is.

# %% tags=["solution"]
answer = float(0.02 / 2 * np.abs(x - x.mean()).sum())
for shift in (0, 1e3, 1e6):
    spoiled = y.copy()
    spoiled[5] += shift
    # The estimator's C = 0.01 is 0.02 of this course.
    w = SVR(kernel="linear", C=0.01, epsilon=0.1).fit(x, spoiled).coef_[0, 0]
    assert abs(w) <= answer + 1e-9
assert round(answer, 2) == 0.78

# %% [markdown]
# ### Exercise 3: the level of a constant step
#
# For $f(x) = |x|$ from $x_0 = 1.05$ with constant step 0.1: between which two points does the method end, and what is
# the best value?

# %% [markdown] tags=["solution"]
# Between $-0.05$ and $0.05$, for ever: from 1.05 ten steps lead to 0.05, the next to $-0.05$, and back. The best value is 0.05, half a step.

# %% tags=["solution"]
absolute = Polyhedral([[1.0], [-1.0]], [0.0, 0.0])
run = minimize(absolute, [1.05], Constant(0.1), max_iter=100)
assert np.allclose(np.abs(run.trace["w"][-2:, 0]), 0.05)
assert run.trace["w"][-1, 0] * run.trace["w"][-2, 0] < 0
answer = 0.05
assert np.isclose(run.value, answer)

# %% [markdown]
# ### Exercise 4: from one formulation to another
#
# Given $w$ and $b$ of the primal with $C$ on $\|w\|^2 + C \sum \xi$, which of the $\alpha_i$ of its dual (box $C / 2$) are 0, which are at
# the bound, which can be between? How many of the fifty noisy samples have one strictly between?

# %% [markdown] tags=["solution"]
# Margin above 1: $\alpha_i = 0$. Margin below 1: at the bound. Between is only possible at margin exactly 1, and here three samples are there. These are the
# conditions of complementary slackness, which the page [The dual](dual.html) derives.

# %% tags=["solution"]
margin = risk.arguments(qp.theta[:3])
alpha = solve_qp(soft_margin_dual(K, noisy, C / 2, HALF_SUM)).theta
assert np.allclose(alpha[margin > 1 + 1e-5], 0, atol=1e-6)
assert np.allclose(alpha[margin < 1 - 1e-5], C / 2, atol=1e-6)
between = (alpha > 1e-5) & (alpha < C / 2 - 1e-5)
answer = int(between.sum())
assert answer == 3
assert np.allclose(margin[between], 1, atol=1e-5)

# %% [markdown]
# ### Exercise 5: the tube
#
# With $\epsilon = 0.5$, what does a residual of $-2.3$ cost?

# %% [markdown] tags=["solution"]
# $|{-2.3}| - 0.5 = 1.8$: the loss is symmetric, and what is inside the tube is free.

# %% tags=["solution"]
answer = 1.8
assert np.isclose(EpsilonInsensitive(0.5).value(-2.3), answer)

# %% [markdown]
# ### Exercise 6: how fast momentum gets
#
# On a slope with the same subgradient everywhere, with $\gamma = 0.9$ and a constant step size: how many times as long as the plain step is the step of
# momentum in the end?

# %% [markdown] tags=["solution"]
# Ten times: $d = 0.9\,d + \alpha g$ has the fixed point $d = \alpha g / (1 - 0.9)$.

# %% tags=["solution"]
d = 0.0
for _ in range(300):
    d = 0.9 * d + 1.0
answer = 10
assert np.isclose(d, answer)
