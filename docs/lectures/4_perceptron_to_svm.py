# %% [markdown]
# # 4. From the perceptron to the machine: programs
#
# This lecture follows *Week 6: Support Vector Machines* (S. Levine), whose three sections go from the
# perceptron's rule over its linear program to the support vector machine. The line under a heading says
# where we are.
#
# Letters: the course's $w_0$ is $b$, its slacks $s_i$ are $\xi_i$, its features $h(x)$ are just $x$ here: a
# column of ones is one of them.

# %% [markdown]
# ## A boundary without probabilities | Section 1: Linear classifiers without probabilities
#
# Trees and neural networks are trained greedily or to the nearest local optimum. Linear classifiers can be
# trained to the global one: their objectives are convex, and from wherever one starts, one arrives at the
# same place.

# %%
import numpy as np

from maxmargin.losses import Logistic
from maxmargin.optimizers import Constant, minimize
from maxmargin.problems import LAMBDA_MEAN, LAMBDA_SUM, Objective

rng = np.random.default_rng(6)
y = np.tile([-1, 1], 20)
cloud = 0.7 * rng.normal(size=(40, 2)) + 1.4 * y[:, None]
X = np.column_stack([cloud, np.ones(40)])

logistic = Objective(X, y, Logistic(), 0.01, convention=LAMBDA_MEAN, intercept=False)
ends = [
    minimize(logistic, start, Constant(1.0), max_iter=2000, record_every=500).last
    for start in rng.normal(size=(5, 3)) * 3
]
assert np.allclose(ends, ends[0], atol=1e-6)

# %% [markdown]
# Here we give up probabilities and ask only for a boundary: $+1$ where $w^\top x \ge 0$, $-1$ where
# $w^\top x < 0$.

# %% [markdown]
# ## The perceptron's rule | Section 1: Algorithm 1
#
# Go through the samples. Where the sign is wrong, add $y_i x_i$ to $w$: turn towards a positive sample,
# away from a negative one. Stop when a whole pass went without a mistake. (We count a score of exactly 0 as
# a mistake, whatever the label; otherwise $w = 0$ would be right about every positive sample.)

# %%
from maxmargin.models import Hyperplane, Margins
from maxmargin.optimizers import mistake_bound, perceptron

run = perceptron(cloud, y)
print(f"{len(run.mistakes)} mistakes, {run.mistakes_per_pass.tolist()} in each pass")

w = np.zeros(3)
for _ in range(len(run.mistakes_per_pass)):
    for x_i, y_i in zip(X, y, strict=True):
        if y_i * (w @ x_i) <= 0:
            w = w + y_i * x_i

assert np.array_equal(w, np.append(run.w, run.b))  # the rule, written out
assert run.converged
assert np.all(y * (X @ w) > 0)
assert len(run.mistakes) <= mistake_bound(cloud, y, run.w, run.b)

# %% [markdown]
# ## Compared with the logistic gradient | Section 1: the update
#
# A stochastic step of logistic regression at the same sample adds $\sigma(-z)\,y_i x_i$, with
# $z = y_i w^\top x_i$. The perceptron adds $y_i x_i$ times 1 or times 0. Same direction, other weight: the
# logistic weight is a soft version of the perceptron's step, and becomes it when scores are large.

# %%
from matplotlib import pyplot

from maxmargin.losses import Perceptron

z = np.linspace(-5, 5, 1001)
weight_perceptron = np.where(z <= 0, 1.0, 0.0)
weight_logistic = -Logistic().subdifferential(z)[0]
sharp = -Logistic().subdifferential(10 * z)[0]

figure, axes = pyplot.subplots(figsize=(6.2, 2.8), layout="constrained")
axes.plot(z, weight_perceptron, label="perceptron: 1 if wrong")
axes.plot(z, weight_logistic, "--", label="logistic: sigma(-z)")
axes.plot(z, sharp, ":", label="logistic, scores ten times as large")
axes.set(xlabel="margin z", ylabel="weight of the update")
axes.set_title("How much of y x is added to w")
axes.legend()

# One sample, next to no penalty.
one = Objective(X[:1], y[:1], Logistic(), 1e-12, convention=LAMBDA_SUM, intercept=False)
u = np.array([0.2, -0.4, 0.1])
margin = y[0] * (X[0] @ u)
update = -one.subgradient(u)
assert np.allclose(update, y[0] * X[0] / (1 + np.exp(margin)))
away = np.abs(z) > 1
assert np.allclose(sharp[away], weight_perceptron[away], atol=1e-4)

# %% [markdown]
# ## What the rule minimises | Section 1: the objective
#
# The rule is stochastic gradient descent, with step size 1 and one sample at a time, on
#
# $$ \mathcal{L}(w) = \sum_{i=1}^n \max\bigl(-y_i\,w^\top x_i,\;0\bigr). $$
#
# A mistake costs $|w^\top x_i|$, anything else nothing. The course calls this a hinge loss; it is the hinge
# moved from 1 to 0, and that makes all the difference: no margin is asked for, and $w = 0$ costs nothing.

# %%
from maxmargin.losses import Hinge
from maxmargin.plots import LossDisplay

LossDisplay.from_losses({"perceptron": Perceptron(), "hinge": Hinge()}).plot()

scores = y * (X @ u)
assert np.allclose(Perceptron().value(scores), np.where(scores < 0, np.abs(X @ u), 0))
steps = np.array(
    [y_i * x_i if s < 0 else 0 * x_i for x_i, y_i, s in zip(X, y, scores, strict=True)]
)
tiny = 1e-6
numeric = [
    (
        Perceptron().value(y * (X @ (u + tiny * e))) - Perceptron().value(y * (X @ (u - tiny * e)))
    ).sum()
    / (2 * tiny)
    for e in np.eye(3)
]
assert np.allclose(numeric, -steps.sum(axis=0))  # the rule's steps are minus the gradient
assert np.allclose(Hinge().value(z + 1), Perceptron().value(z), atol=1e-15)
assert Perceptron().value(y * (X @ np.zeros(3))).sum() == 0

# %% [markdown]
# ## The linear program, and its trap | Section 1: the constrained form
#
# With a slack for each sample the same objective is a linear program:
#
# $$ \min_{w, \xi}\;\sum_{i=1}^n \xi_i \quad\text{subject to}\quad
#    y_i\,w^\top x_i + \xi_i \ge 0, \quad \xi_i \ge 0. $$
#
# Standard solvers solve it exactly, and the exact solution may be useless. Since no slack is negative the
# optimum is at least 0, and $w = 0$, $\xi = 0$ attains it: **the zero vector solves the program whatever the
# data are**, separable or not. The remedy is to ask for 1 in place of 0. Then $w = 0$ pays $n$, and the
# optimum is 0 exactly if the data are separable.

# %%
from maxmargin.problems import least_slack, separation
from maxmargin.solvers import LPStatus, solve_lp

mixed = y.copy()
mixed[[0, 39]] *= -1  # not separable any more
for name, labels in (("separable", y), ("mixed", mixed)):
    printed = solve_lp(least_slack(cloud, labels, margin=0))
    asked = solve_lp(least_slack(cloud, labels, margin=1))
    print(f"{name:10} optimum as printed {printed.value:.3f}, with margin 1 {asked.value:.3f}")
    nothing = np.zeros(3 + 40)
    assert least_slack(cloud, labels, margin=0).is_feasible(nothing)  # and its cost is 0
    assert printed.value == 0
    assert not least_slack(cloud, labels, margin=1).is_feasible(nothing)
    assert (asked.value < 1e-9) == (name == "separable")
assert solve_lp(separation(cloud, y, margin=1)).status is LPStatus.SOLVED
assert solve_lp(separation(cloud, mixed, margin=1)).status is LPStatus.INFEASIBLE

# %% [markdown]
# ## The perceptron has no preference | Section 2: the first problem
#
# If the samples can be separated, infinitely many boundaries do it, and the perceptron takes the first.
# Another order of the same samples leads to another boundary, perhaps one that almost touches a sample.

# %%
planes = []
for _ in range(100):
    order = rng.permutation(40)
    again = perceptron(cloud[order], y[order])
    planes.append(Hyperplane(again.w, again.b))
margins = np.array([Margins(plane, cloud, y).smallest for plane in planes])
print(f"100 orders: margins from {margins.min():.4f} to {margins.max():.4f}")
assert np.all(margins > 0)
assert margins.max() > 3 * margins.min()

# %% [markdown]
# ## Dropping $\xi \ge 0$ | Section 2: a remedy that does not work
#
# What if negative slack were allowed, as a reward for being far on the right side? Then $\xi_i = -y_i w^\top x_i$
# and the objective is $-w^\top \sum_i y_i x_i$, which falls without end when $w$ is scaled up. Even with
# $\|w\| \le 1$ the answer is not what we want: $w$ points along $\sum_i y_i x_i$, and so samples that are far
# away already, and of no interest, pull hardest.

# %%
from maxmargin import HardMarginSVC
from maxmargin.plots import ComparisonDisplay

unbounded = solve_lp(least_slack(cloud, y, margin=0, signed_slack=True))
assert unbounded.status is LPStatus.UNBOUNDED
rewards = [-(k * u) @ (y @ X) for k in (1, 10, 100)]
assert np.allclose(rewards, [rewards[0], 10 * rewards[0], 100 * rewards[0]])

# Ten positive samples far out to the right: the reward turns the boundary after them.
far = np.vstack([cloud, rng.normal(size=(10, 2)) + np.array([14, -11])])
far_y = np.append(y, np.repeat(1, 10))
pull = (far_y - far_y.mean()) @ far
rewarded = Hyperplane(pull / np.linalg.norm(pull))
offsets = -np.sort(far @ rewarded.w)
best_b = max(offsets, key=lambda b: np.sum(np.sign(far @ rewarded.w + b) == far_y))
rewarded = Hyperplane(rewarded.w, best_b)
widest = HardMarginSVC(kernel="linear").fit(far, far_y)
ComparisonDisplay.from_estimators(
    far,
    far_y,
    {"rewarded for distance": rewarded, "largest margin": Hyperplane.of(widest)},
).plot(margins=False, slack=False)
assert Margins(Hyperplane.of(widest), far, far_y).smallest > 0
assert Margins(rewarded, far, far_y).smallest < 0  # wrong even with the best b

# %% [markdown]
# We want to push away only what is **too close**. So let every sample be right by at least a margin, and
# maximise that.

# %% [markdown]
# ## The functional margin can be anything | Section 2: the margin
#
# Without slacks, and for separable data: find $w$ with $y_i w^\top x_i \ge 0$ for all $i$. The smallest of these
# numbers, $\hat\gamma = \min_i y_i w^\top x_i$, looks like a margin, but $w$, $10 w$ and $0.0001 w$ are one
# boundary with three values of it. To give it a chosen value $t > 0$, multiply $w$ by $t / \hat\gamma$.

# %%
gamma_hat = (y * (X @ w)).min()
for factor in (10, 0.0001):
    assert np.isclose((y * (X @ (factor * w))).min(), factor * gamma_hat)
    assert np.array_equal(np.sign(X @ (factor * w)), np.sign(X @ w))
for t in (1.0, 42.0):
    assert np.isclose((y * (X @ (t / gamma_hat * w))).min(), t)

# %% [markdown]
# ## From the margin to a quadratic program | Section 2: four problems, one solution
#
# Divide by the length: $\gamma = \hat\gamma / \|w\|$ cannot be inflated. So
#
# $$ \max_{w, \hat\gamma}\;\frac{\hat\gamma}{\|w\|} \quad\text{subject to}\quad y_i\,w^\top x_i \ge \hat\gamma. $$
#
# The constraints bound $\hat\gamma$ from above by the smallest margin, and the objective wants it **large**, so
# it takes that value. (The course says small here; see the [errata](errata.html).) Since $w$ and $\hat\gamma$
# can be scaled together, fix $\hat\gamma = 1$:
#
# $$ \max_{w}\;\frac{1}{\|w\|} \quad\longrightarrow\quad \min_w\;\|w\|^2
#    \quad\text{subject to}\quad y_i\,w^\top x_i \ge 1. $$

# %%
from maxmargin.problems import hard_margin_primal
from maxmargin.solvers import solve_qp

program = hard_margin_primal(cloud, y)
solution = solve_qp(program).theta
plane = Hyperplane(solution[:2], solution[2])


def ratio(theta):
    """The first problem's objective, with gamma-hat as large as the constraints allow."""
    return (y * (X @ theta)).min() / np.linalg.norm(theta[:2])


assert np.isclose((y * (X @ solution)).min(), 1)  # gamma-hat is 1
assert np.isclose(ratio(solution), 1 / plane.norm)
for theta in solution + 0.2 * rng.normal(size=(500, 3)):
    assert ratio(theta) <= ratio(solution) + 1e-12  # best in the first problem too
assert np.isclose(ratio(7 * solution), ratio(solution))
assert np.all(margins <= ratio(solution))  # none of the hundred perceptrons beats it

# %% [markdown]
# ## The support vector machine | Section 3: bias and slack
#
# Two changes complete it. The bias is written apart and **not** penalised, and slacks come back, with a price
# that the course calls $\lambda$:
#
# $$ \min_{w, b, \xi}\;\|w\|^2 + \lambda \sum_{i=1}^n \xi_i \quad\text{subject to}\quad
#    y_i (w^\top x_i + b) + \xi_i \ge 1, \quad \xi_i \ge 0. $$
#
# A free bias is harmless: moving all samples by the same vector moves the boundary along and changes
# neither $w$ nor the margin. With a penalised bias it would.

# %%
from maxmargin import SVC
from maxmargin.problems import HALF_SUM, SUM, convert, soft_margin_primal

price = 1.0
shift = np.array([5.0, 5.0])
free = solve_qp(soft_margin_primal(cloud, mixed, price, SUM)).theta
moved = solve_qp(soft_margin_primal(cloud + shift, mixed, price, SUM)).theta
assert np.allclose(moved[:2], free[:2], atol=1e-6)
assert np.isclose(moved[2], free[2] - free[:2] @ shift, atol=1e-5)

inside = SUM.penalising_intercept()
held = solve_qp(soft_margin_primal(cloud, mixed, price, inside)).theta
held_moved = solve_qp(soft_margin_primal(cloud + shift, mixed, price, inside)).theta
assert not np.allclose(held_moved[:2], held[:2], atol=1e-2)

C = convert(price, 40, source=SUM, target=HALF_SUM)
machine = SVC(kernel="linear", C=C).fit(cloud, mixed)
machine.plot(cloud, mixed)
assert np.allclose(machine.coef_[0], free[:2], atol=1e-6)

# %% [markdown]
# ## Why it has its name | Section 3: support vectors
#
# The boundary depends on a few samples: those on the wrong side, those inside the margin and those exactly on
# its edge, at the distance $1 / \|w\|$. Move any other one, as long as it stays outside the margin, and nothing
# changes. Move one of the few, and the boundary moves.

# %%
hard = HardMarginSVC(kernel="linear").fit(cloud, y)
support = hard.support_
others = np.setdiff1d(np.arange(40), support)
line = Hyperplane.of(hard)
assert np.allclose(np.abs(line.distance(cloud[support])), hard.margin_[0])


def after_moving(i, by):
    """Fit again with sample i displaced."""
    displaced = cloud.copy()
    displaced[i] += by
    return HardMarginSVC(kernel="linear").fit(displaced, y), displaced


# Every sample that is no support vector, moved far along the boundary and away from it.
along = np.array([-line.normal[1], line.normal[0]])
for i in others:
    again, _ = after_moving(i, 2.0 * along + 1.5 * y[i] * line.normal)
    assert np.allclose(again.coef_, hard.coef_)
    assert np.allclose(again.intercept_, hard.intercept_)

# A support vector, moved towards the boundary by a tenth of the margin.
for i in support:
    again, _ = after_moving(i, -0.1 * hard.margin_[0] * y[i] * line.normal)
    assert np.linalg.norm(again.coef_ - hard.coef_) > 1e-3

# And one that was none, moved into the margin: now it is one.
i = others[np.argmin(np.abs(line.distance(cloud[others])))]
inside_now, displaced = after_moving(
    i, y[i] * line.normal * (0.5 / line.norm - y[i] * line.distance(cloud[i]))
)
assert i in inside_now.support_
assert np.linalg.norm(inside_now.coef_ - hard.coef_) > 1e-3

# %%
from maxmargin.plots import BoundaryDisplay

first, then = (
    after_moving(others[0], 1.2 * along - 0.8 * line.normal),
    after_moving(support[0], -0.6 * hard.margin_[0] * y[support[0]] * line.normal),
)
figure, axes = pyplot.subplots(1, 3, figsize=(9.2, 3.0), layout="constrained")
for ax, title, (model, sample), i in (
    (axes[0], "as it was", (hard, cloud), None),
    (axes[1], "another sample moved: the same", first, others[0]),
    (axes[2], "a support vector moved", then, support[0]),
):
    BoundaryDisplay.from_estimator(model, sample, y, title=title).plot(ax, legend=False)
    if i is not None:
        arrow = {"arrowstyle": "-|>", "lw": 1.4, "shrinkA": 3, "shrinkB": 3}
        ax.annotate("", sample[i], cloud[i], arrowprops=arrow, annotation_clip=True)
assert np.allclose(first[0].coef_, hard.coef_)
assert not np.allclose(then[0].coef_, hard.coef_, atol=1e-2)

# %% [markdown]
# ## Algorithm card: perceptron and support vector machine
#
# | | perceptron | support vector machine |
# | --- | --- | --- |
# | type | supervised, binary classification | supervised, binary classification |
# | model family | linear boundaries | linear boundaries, in the given features |
# | objective | sum of $\max(0, -z)$ | $w^\top w$ plus $\lambda$ times the sum of slacks |
# | optimizer | its rule, step size 1 | quadratic programming |
# | probabilistic reading | none | none |

# %% [markdown]
# ## Exercises
#
# ### Exercise 1: exclusive or
#
# Four points at the corners of a square, labels by the product of the coordinates. What does the perceptron
# do? What do the two linear programs say?

# %% tags=["solution"]
corners = np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]], float)
product = corners.prod(axis=1)
endless = perceptron(corners, product, max_passes=500)
assert not endless.converged
assert np.all(endless.mistakes_per_pass > 0)
assert solve_lp(separation(corners, product, margin=1)).status is LPStatus.INFEASIBLE
assert np.isclose(solve_lp(least_slack(corners, product, margin=1)).value, 4)  # w = 0 is best

# %% [markdown]
# ### Exercise 2: the step size of the perceptron
#
# The rule uses step size 1. From $w = 0$, does a step size of 0.1 make other mistakes?

# %% [markdown] tags=["solution"]
# No. Every $w$ on the way is the same sum of $y_i x_i$ times the step size, and signs do not depend on a
# positive factor.

# %% tags=["solution"]
small = np.zeros(3)
mistaken = []
for _ in range(len(run.mistakes_per_pass)):
    for i in range(40):
        if y[i] * (small @ X[i]) <= 0:
            small = small + 0.1 * y[i] * X[i]
            mistaken.append(i)
assert mistaken == run.mistakes.tolist()
assert np.allclose(small, 0.1 * w)

# %% [markdown]
# ### Exercise 3: a margin bounds the mistakes
#
# The rule makes at most $(R / \gamma)^2$ mistakes, where $R$ is the length of the longest $(x_i, 1)$ and $\gamma$ the
# margin of any separating hyperplane through the origin of that space. Which hyperplane gives the best
# bound, and how good is it here?

# %% tags=["solution"]
best = solve_qp(soft_margin_primal(X[:, :2], y, 1e6, SUM.penalising_intercept())).theta
bound = mistake_bound(cloud, y, best[:2], best[2])
print(f"{len(run.mistakes)} mistakes, at most {bound:.1f} by the largest margin")
assert len(run.mistakes) <= bound <= mistake_bound(cloud, y, run.w, run.b)

# %% [markdown]
# ### Exercise 4: the price of slack
#
# For which $\lambda$ does the soft margin of this course have the solution of the hard one on the separable
# samples? Express it by the alphas.

# %% [markdown] tags=["solution"]
# In the library's convention $C = \lambda / 2$, and the hard solution remains as long as
# $C \ge \max_i \alpha_i$: so from $\lambda = 2 \max_i \alpha_i$ on.

# %% tags=["solution"]
edge = 2 * hard.alphas_.max()
for factor, same in ((1.01, True), (0.8, False)):
    soft = solve_qp(soft_margin_primal(cloud, y, factor * edge, SUM)).theta
    assert np.allclose(soft[:2], hard.coef_[0], atol=1e-5) == same
