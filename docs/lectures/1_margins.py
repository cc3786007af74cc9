# %% [markdown]
# # 1. Margins: from distances to subgradient descent
#
# This lecture follows *Applied Machine Learning, Lecture 9: Support Vector Machines* (V. Kuleshov,
# Cornell Tech, 2020), section by section and in our own words. The line under a heading says which
# sections it covers. Everything is computed on the page, and a claim that can be checked is checked
# by an `assert` in the code beside it.
#
# Letters: the course's $\theta$ and $\theta_0$ are $w$ and $b$ here; its $\gamma$ stays a margin.

# %% [markdown]
# ## What is learned, and from what | Course: sections 1 to 6
#
# A supervised problem has two ingredients: **data**, pairs of features and targets
# $(x_i, y_i)$, $i = 1, \dots, n$, and a **learning algorithm**, which is itself three choices:
#
# | choice | asks | here |
# | --- | --- | --- |
# | model family | which functions are allowed? | linear scores $f(x) = w^\top x + b$ |
# | objective | which of them is good? | the margin, and later the hinge loss |
# | optimizer | how is a good one found? | a quadratic program, or subgradient steps |
#
# Out comes a predictor. If targets are real numbers the task is regression; if they take two values
# it is binary classification, and we call these values $-1$ and $+1$, because then "the score has
# the sign of the target" is one formula: $y\,f(x) > 0$.

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
print(X.assign(label=y).groupby("label").agg(["size", "mean"]).round(2).to_string())

assert X.shape == (38, 2)
assert [(y == -1).sum(), (y == 1).sum()] == [13, 25]

# %% [markdown]
# ## Three algorithms, three boundaries | Course: section 8
#
# Logistic regression, the perceptron and ridge regression on the labels are all linear classifiers.
# Each draws a different line through the same points.

# %%
from sklearn.linear_model import LogisticRegression, Perceptron, RidgeClassifier

from maxmargin.models import Hyperplane, Margins
from maxmargin.plots import ComparisonDisplay

three = {
    "logistic regression": LogisticRegression(),
    "perceptron": Perceptron(random_state=0),
    "ridge regression": RidgeClassifier(),
}
three = {name: model.fit(X, y) for name, model in three.items()}
ComparisonDisplay.from_estimators(X, y, three).plot()

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
logistic = three["logistic regression"]
f = logistic.decision_function(X)
p = logistic.predict_proba(X)[:, 1]
distance = planes["logistic regression"].distance(X)

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
from maxmargin import SVC

models = {"support vector machine": SVC(kernel="linear", C=10_000).fit(X, y), **three}
margin = {name: Margins(Hyperplane.of(model), X, y).smallest for name, model in models.items()}
for name, smallest in margin.items():
    print(f"{name:24}{smallest:8.4f} cm from the nearest flower")

assert max(margin, key=margin.get) == "support vector machine"
assert margin["perceptron"] < 0.1 * margin["support vector machine"]
assert min(margin.values()) > 0  # all four separate the flowers

# %% [markdown]
# The solid line is the boundary, the dashed lines pass through the nearest flowers of both kinds.
# Those flowers, ringed, are all that the solution depends on.

# %%
svm = models["support vector machine"]
svm.plot(X, y)

assert len(svm.support_) == 3
assert np.allclose(np.abs(svm.decision_function(X.iloc[svm.support_])), 1)

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
# But it has a flaw. Multiply $w$ and $b$ by ten: no flower changes sides, the line is the same line,
# and yet every margin is ten times as large. A quantity that grows without anything moving does not
# measure a boundary.

# %%
ten_times = Margins(plane.scaled(10), X, y)

assert np.array_equal(np.sign(ten_times.functional), np.sign(margins.functional))
assert np.allclose(ten_times.functional, 10 * margins.functional)

# %% [markdown]
# ## The geometric margin | Course: section 12
#
# Dividing by the length of $w$ removes the scale:
#
# $$ \gamma_i = y_i\,\frac{w^\top x_i + b}{\|w\|}. $$

# %%
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
from maxmargin.plots import BoundaryDisplay

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
from matplotlib import pyplot

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
axes.set_title("The margin as a function of the direction has one peak where it is positive")

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
from maxmargin import HardMarginSVC
from maxmargin.problems import hard_margin_primal
from maxmargin.solvers import solve_qp

program = hard_margin_primal(X, y)
solution = solve_qp(program)
solved = Hyperplane(solution.theta[:2], solution.theta[2])
print(f"w = {solved.w.round(6)}, b = {solved.b:.6f}, margin 1 / |w| = {1 / solved.norm:.6f}")

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
# | | linear support vector machine, hard margin |
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

assert np.allclose(of_one, of_other, atol=1e-6)
assert set(y2[evidence.positive_rows]) == {1}
assert set(y2[evidence.negative_rows]) == {-1}

# %% [markdown]
# The remedy: let each constraint be missed by an amount $\xi_i$, its **slack**, and let slack cost.
#
# $$ \min_{w, b, \xi}\;\tfrac12 \|w\|^2 + C \sum_{i=1}^n \xi_i
#    \quad\text{subject to}\quad y_i (w^\top x_i + b) \ge 1 - \xi_i, \quad \xi_i \ge 0. $$

# %%
from maxmargin.problems import soft_margin_primal

C = 5.0
soft = solve_qp(soft_margin_primal(X2, y2, C))
w, b, slack = soft.theta[:2], soft.theta[2], soft.theta[3:]
soft_svm = SVC(kernel="linear", C=C).fit(X2, y2)
soft_svm.plot(X2, y2)

assert np.allclose(soft_svm.coef_[0], w)
assert np.isclose(soft_svm.intercept_[0], b)
assert np.argmax(slack) == 38  # the flower that we added
assert slack[38] > 1  # is on the wrong side

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
shortfall = 1 - y2 * (X2 @ w + b)

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
from maxmargin.losses import Hinge
from maxmargin.problems import HALF_SUM, LAMBDA_SUM, Objective, convert, objective_factor

lam = convert(C, len(y2), source=HALF_SUM, target=LAMBDA_SUM)
with_C = Objective(X2, y2, Hinge(), C)
with_lambda = Objective(X2, y2, Hinge(), lam, convention=LAMBDA_SUM)
minimum = np.append(w, b)

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
from maxmargin.problems import C_MEAN

J = Objective(X, y, Hinge(), 0.1, convention=C_MEAN)
ones = np.ones(3)
hinges = np.maximum(0, 1 - y * (X.to_numpy() @ ones[:2] + ones[2]))
by_hand = 0.1 / 2 * ones[:2] @ ones[:2] + hinges.mean()

print(f"{C_MEAN.formula}  at (1, 1, 1): {J.value(ones):.6f}")
assert np.isclose(J.value(ones), by_hand)

# %% [markdown]
# ## Gradient descent | Course: section 31
#
# To minimise a differentiable $J$, repeat $w \leftarrow w - \text{step} \cdot \nabla J(w)$ until $w$ hardly
# moves. On the logistic loss, which has no kink, a constant step size is enough.

# %%
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

assert np.all(np.diff(descent.trace["value"]) < 0)  # downhill at every record
assert np.linalg.norm(smooth.subgradient(descent.last)) < 2e-3

# %% [markdown]
# ## A gradient for the hinge? | Course: sections 32 to 35
#
# One loss $\max(0, 1 - z)$ with $z = y\,(w^\top x + b)$ has three regimes:
#
# $$ \frac{\partial}{\partial w} \max(0, 1 - z) = \begin{cases}
#      -y\,x & z < 1 \quad\text{(on the slope)} \\
#      0 & z > 1 \quad\text{(on the flat)} \\
#      s\,y\,x,\; s \in [-1, 0] & z = 1 \quad\text{(at the kink: choose)}
#    \end{cases} $$
#
# Numerical derivatives confirm the first two. (The course's sections 33 and 35 print the conditions
# the other way round; see the [errata](errata.html).)

# %%
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
# $J$ on the way. Here they are again.

# %%
printed = """
    3.728947 0.376952 0.359075 0.351587 0.344411 0.337912 0.331617 0.326604 0.322224 0.319250 0.316727
    0.314800 0.313181 0.311843 0.310667 0.309561 0.308496 0.307523 0.306614 0.305768 0.305068 0.304293
""".split()

run = minimize(
    J, ones, Constant(0.01), stop=[StepLength(5e-4)], max_iter=100_000, record_every=1000
)
trace = run.trace[run.trace["t"] % 1000 == 0]
for left, right in zip(trace[:11], trace[11:], strict=True):
    print(f"after {left['t']:5} steps: J = {left['value']:.6f}", end=" " * 6)
    print(f"after {right['t']:5} steps: J = {right['value']:.6f}")

assert trace["t"].tolist() == list(range(0, 22_000, 1000))
assert [f"{value:.6f}" for value in trace["value"]] == printed  # all 22, every digit

# %% [markdown]
# Did it arrive? The steps became short, and that is all the stopping rule knows. The same objective is
# a quadratic program, whose solution is exact.

# %%
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
# ## Algorithm card: the soft margin | Course: section 37
#
# | | linear support vector machine, by subgradient descent |
# | --- | --- |
# | type | supervised, binary classification |
# | model family | linear decision boundaries |
# | objective | hinge loss with a squared penalty |
# | optimizer | subgradient descent |
# | probabilistic reading | none that is simple |

# %% [markdown]
# ## Exercises
#
# ### Exercise 1: margins by hand
#
# For $w = (3, 4)$, $b = -5$ and the point $x = (3, 4)$ with label $y = 1$: functional margin, geometric
# margin, nearest point of the line?

# %% [markdown] tags=["solution"]
# $z = 1 \cdot (9 + 16 - 5) = 20$, $\gamma = 20 / 5 = 4$, and
# $x_0 = (3, 4) - 4 \cdot (0.6, 0.8) = (0.6, 0.8)$.

# %% tags=["solution"]
line = Hyperplane([3, 4], -5)
one = Margins(line, [[3, 4]], [1])
assert one.functional[0] == 20
assert one.geometric[0] == 4
assert np.allclose(one.nearest, [[0.6, 0.8]])

# %% [markdown]
# ### Exercise 2: which flowers matter?
#
# Remove all flowers but the three support vectors and fit the hard margin again. What changes? And if one
# of the three is removed?

# %% tags=["solution"]
keep = hard.support_
alone = HardMarginSVC(kernel="linear").fit(X.iloc[keep], y[keep])
assert np.allclose(alone.coef_, hard.coef_)  # nothing

for gone in keep:
    rest = np.delete(np.arange(38), gone)
    without = HardMarginSVC(kernel="linear").fit(X.iloc[rest], y[rest])
    assert without.margin_[0] > hard.margin_[0]  # the margin grows: a constraint has gone

# %% [markdown]
# ### Exercise 3: a better schedule
#
# Keep $J$ and the start of the lecture's run, but let the step size fall like $1 / \sqrt t$. Which first
# step size gets closer to 0.300039 in 21,000 steps than the constant one did?

# %% tags=["solution"]
from maxmargin.optimizers import InverseSquareRoot

falling = minimize(J, ones, InverseSquareRoot(1.0), max_iter=21_000, record_every=1000)
print(f"1 / sqrt(t): J = {falling.value:.6f}")
assert exact.value <= falling.value < exact.value + 1e-3 < run.value

# %% [markdown]
# ### Exercise 4: how small may $C$ be?
#
# On the flowers, the soft margin with $C = 10{,}000$ has the solution of the hard one. From which $C$ on is
# that so? (Hint: look at `alphas_`.)

# %% [markdown] tags=["solution"]
# The soft margin's dual has the box $0 \le \alpha_i \le C$. As long as no $\alpha_i$ of the hard margin
# reaches the bound, it solves the soft problem too: $C \ge \max_i \alpha_i$ suffices.

# %% tags=["solution"]
largest = hard.alphas_.max()
print(f"the largest alpha is {largest:.4f}")
above = SVC(kernel="linear", C=1.001 * largest).fit(X, y)
below = SVC(kernel="linear", C=0.9 * largest).fit(X, y)
assert np.allclose(above.coef_, hard.coef_)
assert not np.allclose(below.coef_, hard.coef_, atol=1e-3)
