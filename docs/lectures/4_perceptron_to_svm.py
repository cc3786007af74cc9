# %% [markdown]
# # 4. From the perceptron to the machine: programs
#
# This lecture follows *Week 6: Support Vector Machines* (S. Levine), whose three sections go from the
# perceptron's rule over its linear program to the support vector machine. The line under a heading says
# where we are. The course announces the kernel trick and stops before it: see [stop 5 of the path](path.html#stop-5-kernels).
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
# Figure: Logistic regression from five different starts: five ways, one end.
# Alt: Five curves of the objective over the steps on a logarithmic scale. They begin at different heights and run together onto one horizontal line.
import numpy as np
from matplotlib import pyplot

from maxmargin.losses import Logistic
from maxmargin.optimizers import Constant, minimize
from maxmargin.problems import LAMBDA_MEAN, LAMBDA_SUM, Objective

rng = np.random.default_rng(6)
y = np.tile([-1, 1], 20)
cloud = 0.7 * rng.normal(size=(40, 2)) + 1.4 * y[:, None]
X = np.column_stack([cloud, np.ones(40)])

logistic = Objective(X, y, Logistic(), 0.01, convention=LAMBDA_MEAN, intercept=False)
runs = [
    minimize(logistic, start, Constant(1.0), max_iter=2000, record_every=10)
    for start in rng.normal(size=(5, 3)) * 3
]
ends = [run.last for run in runs]

figure, axes = pyplot.subplots(figsize=(6.0, 2.5), layout="constrained")
for run in runs:
    axes.loglog(run.trace["t"] + 1, run.trace["value"])
axes.set(xlabel="step", ylabel="objective")

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
print(f"{len(run.mistakes)} mistakes: {run.mistakes_per_pass.tolist()}, pass by pass")

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
# These samples are easy. With two clouds that nearly touch, one can watch $w$ turn.

# %%
# Figure: The rule at work on two clouds that nearly touch: the boundary after the first, third, fifth and last of eight mistakes. Ringed, the sample that was wrong; the
# arrow is $w$, which it has just turned.
# Alt: Four panels with the same two clouds. The line and its arrow turn from panel to panel; in the last one all points are on their side.
close_y = y
close = np.random.default_rng(7).normal(size=(40, 2)) + 1.5 * close_y[:, None]
path, wrong, w_ = [], [], np.zeros(3)
while True:
    n_before = len(wrong)
    for i, (x_i, y_i) in enumerate(
        zip(np.column_stack([close, np.ones(40)]), close_y, strict=True)
    ):
        if y_i * (w_ @ x_i) <= 0:
            w_ = w_ + y_i * x_i
            path.append(w_)
            wrong.append(i)
    if len(wrong) == n_before:
        break
turning = perceptron(close, close_y)
print(f"{len(wrong)} mistakes: {turning.mistakes_per_pass.tolist()}, pass by pass")

figure, panels = pyplot.subplots(1, 4, figsize=(9.6, 2.7), layout="constrained", sharey=True)
for axes, k in zip(panels, (0, 2, 4, 7), strict=True):
    plane = Hyperplane(path[k][:2], path[k][2])
    axes.scatter(*close.T, c=np.where(close_y < 0, "#0072B2", "#D55E00"), s=10)
    axes.scatter(*close[wrong[k]], s=90, fc="none", ec="black")
    foot = plane.project([0.0, 0.0])
    axes.axline(foot, foot + np.array([-plane.normal[1], plane.normal[0]]), color="black")
    axes.annotate(
        "", foot + 1.5 * plane.normal, foot, arrowprops={"arrowstyle": "-|>", "shrinkA": 0}
    )
    axes.set(title=f"after mistake {k + 1}", xlim=(-4.5, 4.5), ylim=(-4.5, 4.5), aspect="equal")

assert wrong == turning.mistakes.tolist()
assert len(wrong) == 8
assert np.array_equal(w_, np.append(turning.w, turning.b))
assert Margins(Hyperplane(w_[:2], w_[2]), close, close_y).smallest > 0

# %% [markdown]
# ## Compared with the logistic gradient | Section 1: the update
#
# A stochastic step of logistic regression at the same sample adds $\sigma(-z)\,y_i x_i$, with
# $z = y_i w^\top x_i$. The perceptron adds $y_i x_i$ times 1 or times 0. Same direction, other weight: the
# logistic weight is a soft version of the perceptron's step, and becomes it when scores are large.

# %%
# Figure: How much of $y\,x$ a step adds to $w$: the perceptron all or nothing, logistic regression $\sigma(-z)$, which becomes the same when scores are large.
# Alt: Three curves of the weight over the margin from minus 5 to 5: a step from one to zero at 0, a smooth S falling from one to zero, and a steep S close to the step.
from maxmargin.losses import Perceptron

z = np.linspace(-5, 5, 1001)
weight_perceptron = np.where(z <= 0, 1.0, 0.0)
weight_logistic = -Logistic().subdifferential(z)[0]
sharp = -Logistic().subdifferential(10 * z)[0]

figure, axes = pyplot.subplots(figsize=(6.2, 2.8), layout="constrained")
axes.plot(z, weight_perceptron, label="perceptron: 1 if wrong")
axes.plot(z, weight_logistic, "--", label=r"logistic: $\sigma(-z)$")
axes.plot(z, sharp, ":", label="logistic, scores ten times as large")
axes.set(xlabel="margin $z$", ylabel="weight of the update")
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
# Figure: The perceptron's loss is the hinge moved from 1 to 0: it asks for the right side, and for no margin.
# Alt: Left, two parallel ramps over the margin, one ending at 0, one at 1. Right, their slopes, steps from minus one to zero at 0 and at 1.
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
# Figure: The sum of slacks along all multiples of one $w$, for the samples that cannot be separated. As printed, $w = 0$ costs nothing and is the optimum; with
# 1 asked for, it costs $n = 40$ and is far from it.
# Alt: Two curves over the factor before w from 0 to 2. The solid one begins at zero and rises in a straight line. The dashed one begins at 40, falls to a lowest point and rises again.
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

factors = np.linspace(0, 2, 101)
along = mixed * (X @ w) / np.linalg.norm(w)
figure, axes = pyplot.subplots(figsize=(6.0, 2.6), layout="constrained")
axes.plot(factors, [np.maximum(0, -k * along).sum() for k in factors], label="as printed")
axes.plot(
    factors, [np.maximum(0, 1 - k * along).sum() for k in factors], "--", label="with 1 asked for"
)
axes.set(xlabel="factor before $w$", ylabel="sum of slacks")
axes.legend()

assert solve_lp(separation(cloud, y, margin=1)).status is LPStatus.SOLVED
assert solve_lp(separation(cloud, mixed, margin=1)).status is LPStatus.INFEASIBLE

# %% [markdown]
# ## The perceptron has no preference | Section 2: the first problem
#
# If the samples can be separated, infinitely many boundaries do it, and the perceptron takes the first.
# Another order of the same samples leads to another boundary, perhaps one that almost touches a sample.

# %%
# Figure: A hundred orders of the same samples, and where the perceptron stopped. Dashed: the line with the largest margin.
# Alt: Two clouds with a bundle of grey lines of different slopes between them, some passing very close to points, and one dashed line in the middle of the gap.
from maxmargin import HardMarginSVC

planes = []
for _ in range(100):
    order = rng.permutation(40)
    again = perceptron(cloud[order], y[order])
    planes.append(Hyperplane(again.w, again.b))
margins = np.array([Margins(plane, cloud, y).smallest for plane in planes])
print(f"100 orders: margins from {margins.min():.4f} to {margins.max():.4f}")


def line(axes, plane, **look):
    """Draw a hyperplane of the plane."""
    foot = plane.project([0.0, 0.0])
    axes.axline(foot, foot + np.array([-plane.normal[1], plane.normal[0]]), **look)


figure, axes = pyplot.subplots(figsize=(4.8, 3.4), layout="constrained")
for plane in planes:
    line(axes, plane, color="grey", lw=0.4)
line(axes, Hyperplane.of(HardMarginSVC(kernel="linear").fit(cloud, y)), color="black", ls="--")
axes.scatter(*cloud.T, c=np.where(y < 0, "#0072B2", "#D55E00"), s=16, zorder=3)
axes.set(xlabel="$x_1$", ylabel="$x_2$", aspect="equal")
assert np.all(margins > 0)
assert margins.max() > 3 * margins.min()

# %% [markdown]
# ```{lab} lesson=4-perceptron
# :title: The lab: the perceptron and other solvers on the same samples, pass by pass
#
# The perceptron stops at the first line without mistakes. The others go on, to the widest margin.
# ```

# %% [markdown]
# ## Dropping $\xi \ge 0$ | Section 2: a remedy that does not work
#
# What if negative slack were allowed, as a reward for being far on the right side? Then $\xi_i = -y_i w^\top x_i$
# and the objective is $-w^\top \sum_i y_i x_i$, which falls without end when $w$ is scaled up. Even with
# $\|w\| \le 1$ the answer is not what we want: $w$ points along $\sum_i y_i x_i$, and so samples that are far
# away already, and of no interest, pull hardest.

# %%
# Figure: A reward for distance turns the boundary after the ten samples far out, which need no help, until near ones are wrong; the largest margin looks only at what is
# close.
# Alt: Two panels with two clouds near the origin and a third of positive points far to the lower right. Left, a steep boundary, turned by the far points, that leaves a near point on the wrong side. Right, a boundary between the near clouds.
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
# Figure: Multiply $w$ by a factor: the functional margin $\hat\gamma$ takes any value, the geometric one $\gamma$ none but its own.
# Alt: Two lines over the factor on logarithmic axes: the functional margin rises in a straight line from 0.0001 to 100, the geometric margin is a horizontal line.
gamma_hat = (y * (X @ w)).min()
for factor in (10, 0.0001):
    assert np.isclose((y * (X @ (factor * w))).min(), factor * gamma_hat)
    assert np.array_equal(np.sign(X @ (factor * w)), np.sign(X @ w))
for t in (1.0, 42.0):
    assert np.isclose((y * (X @ (t / gamma_hat * w))).min(), t)

factors = np.geomspace(1e-4, 1e2, 13)
figure, axes = pyplot.subplots(figsize=(5.6, 2.5), layout="constrained")
axes.loglog(factors, factors * gamma_hat, "o-", ms=3, label=r"$\hat\gamma$")
axes.loglog(
    factors, 0 * factors + gamma_hat / np.linalg.norm(w[:2]), "s--", ms=3, label=r"$\gamma$"
)
axes.set(xlabel="factor before $w$", ylabel="margin")
axes.legend()

# %% [markdown]
# ## From the margin to a quadratic program | Section 2: four problems, one solution
#
# One could forbid inflation by a constraint: $\|w\| = 1$. That is the honest statement, but **it is not linear, and its set is not even convex**: the mean of two unit
# vectors is shorter than 1. No quadratic program may have such a constraint. (Since the objective wants $w$ long, $\|w\| \le 1$ would
# do, which is convex but still not linear.)
#
# Divide by the length instead: $\gamma = \hat\gamma / \|w\|$ cannot be inflated. So
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
# Figure: Why $\|w\| = 1$ is a bad constraint: two weights on the circle and their mean, which is not on it. The constraints $y_i w^\top x_i \ge 1$, tinted, make a
# convex set, and its point nearest to the origin is the answer; scaled to length 1 it is the star.
# Alt: Plane of w1 and w2 for lines through the origin. A unit circle with two dots on it and a third, their mean, inside. A tinted convex region to the upper right, its nearest point marked, and a star where the way to it crosses the circle.
from maxmargin.problems import hard_margin_primal
from maxmargin.solvers import solve_qp

program = hard_margin_primal(cloud, y)
solution = solve_qp(program).theta
plane = Hyperplane(solution[:2], solution[2])


def ratio(theta):
    """The first problem's objective, with gamma-hat as large as the constraints allow."""
    return (y * (X @ theta)).min() / np.linalg.norm(theta[:2])


figure, axes = pyplot.subplots(figsize=(4.4, 3.6), layout="constrained")
w1, w2 = np.meshgrid(np.linspace(-0.3, 2, 201), np.linspace(-0.6, 2, 201))
worst = (np.stack([w1, w2], axis=-1) @ (cloud * y[:, None]).T).min(axis=-1)
axes.contourf(w1, w2, worst, levels=[1, np.inf], colors=["#56B4E955"])
axes.contour(w1, w2, worst, levels=[1], colors="#0072B2")
axes.add_patch(pyplot.Circle((0, 0), 1, fill=False, ec="black"))
on_circle = (
    np.array([[0.2, 1.0], [1.0, -0.1]]) / np.linalg.norm([[0.2, 1.0], [1.0, -0.1]], axis=1)[:, None]
)
axes.plot(*on_circle.T, "o-", color="#D55E00")
axes.plot(*on_circle.mean(axis=0), "o", color="#D55E00", mfc="white")
feasible = np.stack([w1, w2], axis=-1)[worst >= 1]
nearest = feasible[np.argmin(np.linalg.norm(feasible, axis=1))]
axes.plot(*nearest, "o", color="#0072B2")
axes.plot(*nearest / np.linalg.norm(nearest), "*", ms=12, color="black")
axes.set(xlim=(-0.3, 2), ylim=(-0.6, 2), xlabel="$w_1$", ylabel="$w_2$", aspect="equal")

assert np.allclose(np.linalg.norm(on_circle, axis=1), 1)
assert (
    np.linalg.norm(on_circle.mean(axis=0)) < 0.8
)  # the mean of two feasible points is not feasible
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
# Figure: The machine with bias and slack, on the samples with two labels swapped.
# Alt: Two clouds, one point of the wrong colour in each, with boundary, dashed margin lines, slack segments and ringed support vectors.
from maxmargin import SVC
from maxmargin.plots import BoundaryDisplay
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
BoundaryDisplay.from_estimator(
    machine, cloud, mixed, feature_names=["$x_1$", "$x_2$"], title="bias and slack"
).plot()
assert np.allclose(machine.coef_[0], free[:2], atol=1e-6)

# %% [markdown]
# ```{lab} lesson=4-slack
# :title: The lab: two clouds with two swapped labels, their slacks drawn as stems
#
# The two swapped labels. Lower $C$ to 0.01: slack becomes cheap, and the margin widens over both clouds.
# ```

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
plane = Hyperplane.of(hard)
assert np.allclose(np.abs(plane.distance(cloud[support])), hard.margin_[0])


def after_moving(i, by):
    """Fit again with sample i displaced."""
    displaced = cloud.copy()
    displaced[i] += by
    return HardMarginSVC(kernel="linear").fit(displaced, y), displaced


# Every sample that is no support vector, moved far along the boundary and away from it.
along = np.array([-plane.normal[1], plane.normal[0]])
for i in others:
    again, _ = after_moving(i, 2.0 * along + 1.5 * y[i] * plane.normal)
    assert np.allclose(again.coef_, hard.coef_)
    assert np.allclose(again.intercept_, hard.intercept_)

# A support vector, moved towards the boundary by a tenth of the margin.
for i in support:
    again, _ = after_moving(i, -0.1 * hard.margin_[0] * y[i] * plane.normal)
    assert np.linalg.norm(again.coef_ - hard.coef_) > 1e-3

# And one that was none, moved into the margin: now it is one.
i = others[np.argmin(np.abs(plane.distance(cloud[others])))]
inside_now, displaced = after_moving(
    i, y[i] * plane.normal * (0.5 / plane.norm - y[i] * plane.distance(cloud[i]))
)
assert i in inside_now.support_
assert np.linalg.norm(inside_now.coef_ - hard.coef_) > 1e-3

# %%
# Figure: Left: the support vectors, ringed. Middle: another sample moves a long way outside the margin, and nothing changes. Right: a support vector moves towards
# the boundary, and the boundary gives way.
# Alt: Three panels with the same two clouds and the boundary with its margin. In the middle one a long arrow shows a point far from the margin moving along it; boundary and rings are as on the left. On the right an arrow moves a ringed point inwards; the margin is narrower and the boundary has turned.
other = max(others, key=lambda i: np.abs(cloud[i] - cloud[support][:, None]).sum())
first, then = (
    after_moving(other, 3.0 * along - 0.5 * y[other] * plane.normal),
    after_moving(support[0], -0.9 * hard.margin_[0] * y[support[0]] * plane.normal),
)
figure, axes = pyplot.subplots(1, 3, figsize=(9.2, 3.0), layout="constrained")
for ax, title, (model, sample) in (
    (axes[0], "as it was", (hard, cloud)),
    (axes[1], "another sample moved: the same", first),
    (axes[2], "a support vector moved", then),
):
    display = BoundaryDisplay.from_estimator(model, sample, y, title=title)
    display.plot(ax, legend=False, moved_from=cloud)
assert np.allclose(first[0].coef_, hard.coef_)
assert not np.allclose(then[0].coef_, hard.coef_, atol=1e-2)

# %% [markdown]
# ```{lab} lesson=4-name
# :title: The lab: two separable clouds with the support vectors ringed
#
# Why it has its name, by hand: erase all points without a ring. What changes?
# ```

# %% [markdown]
# ## Algorithm card: perceptron and support vector machine
#
# | part | perceptron | support vector machine |
# | --- | --- | --- |
# | type | supervised, binary classification | supervised, binary classification |
# | model family | linear boundaries | linear boundaries, in the given features |
# | objective | sum of $\max(0, -z)$ | $w^\top w$ plus $\lambda$ times the sum of slacks |
# | optimizer | its rule, step size 1 | quadratic programming |
# | probabilistic reading | none | none |

# %% [markdown]
# ## Exercises
#
# Predict first, then type: numbers are judged on the page, whole ones exactly and others to one per cent.
#
# ### Exercise 1: exclusive or
#
# Four points at the corners of a square, labels by the product of the coordinates. What does the perceptron
# do? What do the two linear programs say? Type the least sum of slacks with margin 1.

# %% [markdown] tags=["solution"]
# The perceptron makes mistakes in every pass, for ever. Separation is infeasible, and the least sum of slacks is 4: $w = 0$, at the price of 1 for each sample, is as
# good as it gets.

# %% tags=["solution"]
corners = np.array([[-1, -1], [-1, 1], [1, -1], [1, 1]], float)
product = corners.prod(axis=1)
endless = perceptron(corners, product, max_passes=500)
answer = 4
assert not endless.converged
assert np.all(endless.mistakes_per_pass > 0)
assert solve_lp(separation(corners, product, margin=1)).status is LPStatus.INFEASIBLE
assert np.isclose(solve_lp(least_slack(corners, product, margin=1)).value, answer)

# %% [markdown]
# ### Exercise 2: the step size of the perceptron
#
# The rule uses step size 1. From $w = 0$ with a step size of 0.1: how many of its mistakes are on other samples than before?

# %% [markdown] tags=["solution"]
# None. Every $w$ on the way is the same sum of $y_i x_i$ times the step size, and signs do not depend on a
# positive factor.

# %% tags=["solution"]
small = np.zeros(3)
mistaken = []
run = perceptron(cloud, y)
for _ in range(len(run.mistakes_per_pass)):
    for i in range(40):
        if y[i] * (small @ X[i]) <= 0:
            small = small + 0.1 * y[i] * X[i]
            mistaken.append(i)
answer = int(np.sum(np.array(mistaken) != run.mistakes))
assert answer == 0
assert mistaken == run.mistakes.tolist()
assert np.allclose(small, 0.1 * w)

# %% [markdown]
# ### Exercise 3: a margin bounds the mistakes
#
# The rule makes at most $(R / \gamma)^2$ mistakes, where $R$ is the length of the longest $(x_i, 1)$ and $\gamma$ the
# margin of any separating hyperplane through the origin of that space. Which hyperplane gives the best
# bound, and how good is it here? And with $R = 5$ and $\gamma = 0.5$, how many mistakes at most?

# %% [markdown] tags=["solution"]
# $(5 / 0.5)^2 = 100$. The largest margin gives the best bound; that the perceptron often needs far fewer mistakes is what a bound for the worst order does not tell.

# %% tags=["solution"]
best = solve_qp(soft_margin_primal(X[:, :2], y, 1e6, SUM.penalising_intercept())).theta
bound = mistake_bound(cloud, y, best[:2], best[2])
print(f"{len(run.mistakes)} mistakes, at most {bound:.1f} by the largest margin")
answer = 100
assert answer == (5 / 0.5) ** 2
assert len(run.mistakes) <= bound <= mistake_bound(cloud, y, run.w, run.b)

# %% [markdown]
# ### Exercise 4: the price of slack
#
# For which $\lambda$ does the soft margin of this course have the solution of the hard one on the separable
# samples? Express it by the alphas, and type its value here.

# %% [markdown] tags=["solution"]
# In the library's convention $C = \lambda / 2$, and the hard solution remains as long as
# $C \ge \max_i \alpha_i$: so from $\lambda = 2 \max_i \alpha_i$ on.

# %% tags=["solution"]
edge = 2 * hard.alphas_.max()
answer = float(edge)
for factor, same in ((1.01, True), (0.8, False)):
    soft = solve_qp(soft_margin_primal(cloud, y, factor * edge, SUM)).theta
    assert np.allclose(soft[:2], hard.coef_[0], atol=1e-5) == same

# %% [markdown]
# ### Exercise 5: the rule by hand
#
# Two samples without a bias: $(2, 1)$ with label $+1$ and $(1, 3)$ with label $-1$, taken in turn from $w = 0$. How many mistakes until the first pass without one?
# (A score of 0 is a mistake.)

# %% [markdown] tags=["solution"]
# Five: $w$ goes $(2, 1)$, $(1, -2)$, $(3, -1)$, $(2, -4)$, $(4, -3)$; the third and the fourth mistake are scores of exactly 0. Then $8 - 3 = 5 > 0$ and $-(4 - 9) = 5 > 0$.

# %% tags=["solution"]
w_, ways = np.zeros(2), []
for _ in range(5):
    for x_i, y_i in (((2, 1), 1), ((1, 3), -1)):
        if y_i * (w_ @ x_i) <= 0:
            w_ = w_ + y_i * np.array(x_i)
            ways.append(w_.tolist())
answer = len(ways)
assert ways == [[2, 1], [1, -2], [3, -1], [2, -4], [4, -3]]

# %% [markdown]
# ### Exercise 6: set the functional margin
#
# $\hat\gamma$ is 0.6. Which factor before $w$ makes it 42?

# %% [markdown] tags=["solution"]
# $t / \hat\gamma = 42 / 0.6 = 70$. The boundary does not notice.

# %% tags=["solution"]
answer = 70
scaled = 0.6 / gamma_hat * w
assert np.isclose((y * (X @ (answer * scaled))).min(), 42)
