# %% [markdown]
# # 5. Losses and subgradients: optimisation with kinks
#
# This lecture follows *COMPSCI 689, Lecture 8: Support Vector Machines* (slides by B. Marlin, taught by
# B. O'Connor, UMass Amherst): robust losses, four ways to write the classifier, the calculus of
# subgradients, and descent with plain, momentum and Nesterov steps. The line under a heading names the
# slides.
#
# Letters: the course's $\theta$ is $(w, b)$, its slacks $\epsilon_n$ are $\xi_i$, its momentum factor $\gamma$ is
# called `decay`.

# %% [markdown]
# ## Machines = loss + linear model | Part 1: Overview; Support vector machines
#
# A support vector machine is a linear model, on given or on expanded features, trained by minimising a
# **non-differentiable** loss plus a squared penalty. There is one for regression (SVR) and one for
# classification (SVC).

# %% [markdown]
# ## What outliers do to least squares | Part 1: Problems with OLS linear regression
#
# The squared loss prefers many small errors to one large one. One wrong reading can therefore deflect
# the whole line. Here are thirty points on a line, three of which were misread.

# %%
import numpy as np
from sklearn.linear_model import LinearRegression

rng = np.random.default_rng(689)
x = np.linspace(0, 10, 30)[:, None]
clean = 1 + 0.5 * x[:, 0] + 0.15 * rng.normal(size=30)
y = clean.copy()
y[[24, 26, 28]] -= 6

before, after = (LinearRegression().fit(x, target).coef_[0] for target in (clean, y))
print(f"slope of least squares: {before:.3f} without, {after:.3f} with the outliers (true: 0.5)")
assert abs(before - 0.5) < 0.02
assert after < 0.3

# %% [markdown]
# ## Losses that limit their influence | Part 1: Regression with other losses
#
# As functions of the residual $r = f - y$: the **epsilon-insensitive** loss $\max(0, |r| - \epsilon)$ is zero in a
# tube and linear outside; **Huber's** is a parabola in the middle and linear outside. The pull of a sample on
# the fit is the slope of its loss: unlimited for the square, at most 1 and at most $\delta$ for the others.

# %%
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
from sklearn.linear_model import HuberRegressor

from maxmargin import SVR
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
from maxmargin import SVC, HardMarginSVC
from maxmargin.models import Hyperplane, Margins
from maxmargin.problems import Objective

labels = np.tile([-1, 1], 25)
X = 0.75 * rng.normal(size=(50, 2)) + 1.6 * labels[:, None]
hard = HardMarginSVC(kernel="linear").fit(X, labels)
large_C = SVC(kernel="linear", C=1000).fit(X, labels)
large_C.plot(X, labels)

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
# awkward to optimise.

# %%
plane = Hyperplane.of(hard)
D = labels * (X @ plane.w + plane.b) / np.linalg.norm(plane.w)
assert np.allclose(D, Margins(plane, X, labels).geometric)
assert np.isclose(D.min(), hard.margin_[0])
for w1, w2, b in np.append(plane.w, plane.b) + 0.3 * rng.normal(size=(500, 3)):
    assert Margins(Hyperplane([w1, w2], b), X, labels).smallest <= D.min()

# %% [markdown]
# ## Formulation 2: a quadratic program | Part 2: Quadratic program formulation
#
# $$ \min_{w, b, \xi}\;\|w\|^2 + C \sum_i \xi_i \quad\text{subject to}\quad
#    y_i\,g(x_i) \ge 1 - \xi_i, \quad \xi_i \ge 0. $$
#
# For a fixed $(w, b)$ the best slack is the hinge: the constrained and the unconstrained problem have the same
# minimiser and the same value.

# %%
from maxmargin.problems import soft_margin_primal

noisy = labels.copy()
noisy[[0, 1, 2, 7]] *= -1
C = 0.2
qp = solve_qp(soft_margin_primal(X, noisy, C, SUM))
risk = Objective(X, noisy, Hinge(), C, convention=SUM)
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
assert np.allclose(w_of_box[C / 2], qp.theta[:2], atol=1e-5)
assert not np.allclose(w_of_box[C], qp.theta[:2], atol=1e-3)
half = solve_qp(soft_margin_primal(X, noisy, C, HALF_SUM))
assert np.allclose(w_of_box[C], half.theta[:2], atol=1e-5)

# %% [markdown]
# To predict from $\alpha$ one keeps the samples: $f(x) = \operatorname{sign}(\sum_i y_i \alpha_i\,x_i^\top x + b)$.
# Learning and predicting both use samples in inner products only.

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
# ## Optimality without derivatives | Part 3: Global optimality of convex non-differentiable functions
#
# Back to the hinge form. Convexity is enough for a theory: a strongly convex function has exactly one
# minimiser, kinks or not.

# %%
from maxmargin.optimizers import Average, StronglyConvex, minimize

no_bias = Objective(X, noisy, Hinge(), C, convention=SUM, intercept=False)
arrivals = [
    minimize(no_bias, start, StronglyConvex(2.0), rule=Average(power=3), max_iter=3000).w
    for start in 5 * rng.normal(size=(3, 2))
]
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
from maxmargin.losses import Absolute, supporting_line
from maxmargin.plots import SubgradientDisplay

grid = np.linspace(-4, 4, 801)
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
from matplotlib import pyplot

figure, axes = pyplot.subplots(1, 2, figsize=(9.0, 3.2), layout="constrained")
SubgradientDisplay.from_loss(Absolute(), at=0.0).plot(axes[0])
SubgradientDisplay.from_loss(Hinge(), at=1.0).plot(axes[1])

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
from maxmargin.losses import contains_zero

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
from maxmargin.losses import Chain, Line, Maximum, Piecewise, Scale, Sum


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
from maxmargin.losses import Polyhedral

f = Polyhedral([[1, 2], [1, -2], [-1, 2], [-1, -2]], [0, 0, 0, 0])
at = np.array([1.0, 0.0])
climbing, shortest = np.array([1.0, 2.0]), -f.steepest_descent(at)
figure, axes = pyplot.subplots(figsize=(6.2, 3.0), layout="constrained")
u, v = np.meshgrid(np.linspace(-0.6, 1.8, 161), np.linspace(-0.9, 0.9, 121))
axes.contour(u, v, np.abs(u) + 2 * np.abs(v), levels=10, colors="lightgrey")
for g, colour, name in ((climbing, "#D55E00", "climbs"), (shortest, "#0072B2", "falls")):
    axes.annotate("", at - 0.35 * g, at, arrowprops={"arrowstyle": "-|>", "color": colour, "lw": 2})
    axes.annotate(name, at - 0.35 * g, (4, 4), textcoords="offset points", color=colour)
axes.plot(*at, "o", color="black")
axes.plot(0, 0, "*", color="black", ms=10)
axes.set(xlabel="$w_1$", ylabel="$w_2$", aspect="equal")
axes.set_title("Two subgradients at (1, 0); the star is the minimum")

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
# Their ways over the contours of an objective of two parameters, and how fast they fall. The data are stretched, so
# that the valley is narrow; small steps along it add up to speed if there is momentum, and Nesterov's look
# ahead damps the swing across it.

# %%
from maxmargin.plots import PathDisplay

narrow = Objective(X * [3.0, 0.4], labels, Hinge(), 0.02, convention=SUM, intercept=False)
begin = np.array([-0.5, 1.5])
rules = {"plain": Plain(), "momentum": Momentum(0.9), "Nesterov": Nesterov(0.9)}
ways = {
    name: minimize(narrow, begin, Constant(0.015), rule=rule, max_iter=120)
    for name, rule in rules.items()
}
PathDisplay.from_runs(narrow, ways).plot()
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
for elsewhere in rng.normal(size=(2000, 3)) * 3:
    assert risk.value(elsewhere) >= risk.value(kink) + g @ (elsewhere - kink) - 1e-9
assert np.allclose(g, risk.subgradient(kink))

# %% [markdown]
# ## Algorithm card: by subgradient descent
#
# | | support vector classification | support vector regression |
# | --- | --- | --- |
# | type | supervised, binary classification | supervised, regression |
# | model family | linear, or with basis expansion or kernel | the same |
# | objective | $C$ times the sum of hinge losses, plus $w^\top w$ | epsilon-insensitive losses instead |
# | optimizer | subgradient descent; the dual quadratic program | the same |
# | probabilistic reading | none | none; squared loss has one, with Gaussian noise |

# %% [markdown]
# ## Exercises
#
# ### Exercise 1: a subdifferential by the rules
#
# Find $\partial f(1)$ for $f(z) = 2 \max(0, 1 - z) + |z - 1| + z^2$ by hand. Is 1 the minimiser?

# %% [markdown] tags=["solution"]
# $2 [-1, 0] + [-1, 1] + \{2\} = [-1, 3]$. It contains 0: yes.

# %% tags=["solution"]
f = Sum((Scale(2.0, Hinge()), Chain(Absolute(), Line(1.0, -1.0)), Squared()))
assert f.subdifferential(1.0) == (-1, 3)
assert contains_zero(f, 1.0)
assert np.isclose(grid[np.argmin(f.value(grid))], 1)

# %% [markdown]
# ### Exercise 2: how much can one sample pull?
#
# In least squares an outlier moved to infinity takes the line along. Use $0 \in \partial R$ to bound $\|w\|$ of linear
# support vector regression by a number that does not contain any $y_i$.

# %% [markdown] tags=["solution"]
# From $0 \in \partial R$: $2 w = -C \sum_i s_i x_i$ with $s_i \in [-1, 1]$ and $\sum_i s_i = 0$. So
# $\|w\| \le \frac{C}{2} \sum_i \|x_i - \bar x\|$, however large any $y_i$ is.

# %% tags=["solution"]
for shift in (0, 1e3, 1e6):
    spoiled = y.copy()
    spoiled[5] += shift
    # The estimator's C = 0.01 is 0.02 of this course.
    w = SVR(kernel="linear", C=0.01, epsilon=0.1).fit(x, spoiled).coef_[0, 0]
    assert abs(w) <= 0.02 / 2 * np.abs(x - x.mean()).sum() + 1e-9

# %% [markdown]
# ### Exercise 3: the level of a constant step
#
# For $f(x) = |x|$ from $x_0 = 1.05$ with constant step 0.1: between which two points does the method end, and what is
# the best value?

# %% tags=["solution"]
absolute = Polyhedral([[1.0], [-1.0]], [0.0, 0.0])
run = minimize(absolute, [1.05], Constant(0.1), max_iter=100)
assert np.allclose(np.abs(run.trace["w"][-2:, 0]), 0.05)
assert run.trace["w"][-1, 0] * run.trace["w"][-2, 0] < 0
assert np.isclose(run.value, 0.05)

# %% [markdown]
# ### Exercise 4: from one formulation to another
#
# Given $w$ and $b$ of the primal with $C$ on $\|w\|^2 + C \sum \xi$, which of the $\alpha_i$ of its dual (box $C / 2$) are 0, which are at
# the bound, which can be between? Check on the noisy samples.

# %% tags=["solution"]
margin = risk.arguments(qp.theta[:3])
alpha = solve_qp(soft_margin_dual(K, noisy, C / 2, HALF_SUM)).theta
assert np.allclose(alpha[margin > 1 + 1e-5], 0, atol=1e-6)
assert np.allclose(alpha[margin < 1 - 1e-5], C / 2, atol=1e-6)
between = (alpha > 1e-5) & (alpha < C / 2 - 1e-5)
assert np.allclose(margin[between], 1, atol=1e-5)
