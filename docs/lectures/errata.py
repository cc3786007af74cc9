# %% [markdown]
# # Errata: slips in the five texts, each shown by a computation
#
# Lectures are written in a hurry, and these five are good ones. (Of pictures this page has none: each entry is one line against another, and the lectures it belongs to have
# them.) Where a printed statement does not agree with
# the mathematics around it, this page says what is printed (in our words), what is meant, and lets a few lines
# of code decide. The five lectures use the corrected statements.

# %%
import numpy as np

from maxmargin import SVC, HardMarginSVC
from maxmargin.losses import Hinge, Logistic, ZeroOne
from maxmargin.models import Hyperplane, Margins
from maxmargin.problems import (
    HALF_SUM,
    LAMBDA_MEAN,
    SUM,
    Objective,
    hard_margin_primal,
    intercept_range,
    least_slack,
    soft_margin_dual,
    soft_margin_primal,
    weights_from_dual,
)
from maxmargin.solvers import solve_lp, solve_qp

rng = np.random.default_rng(0)
y = np.tile([-1.0, 1.0], 20)
X = 0.7 * rng.normal(size=(40, 2)) + 1.3 * y[:, None]  # separable
noisy = y.copy()
noisy[[0, 1, 6]] *= -1  # not separable

# %% [markdown]
# ## Text 1: Applied Machine Learning, Lecture 9
#
# ### The sign of two conditions | Sections 33 and 35
#
# **Printed:** the hinge is flat, with gradient zero, when $y f < 1$ (section 33); the subgradient is $-y\,x$ when
# $y f > 1$ and zero otherwise (section 35). **Meant:** the other way round, as section 32 has it and as the code
# below section 36 does it. Descent along the printed direction would never start:

# %%
x_one, y_one, h = np.array([1.0, 2.0]), 1.0, 1e-6


def loss(w):
    """The hinge loss of one sample."""
    return max(0.0, 1 - y_one * (w @ x_one))


def printed(w):
    """The subgradient of section 35 as it stands."""
    return -y_one * x_one if y_one * (w @ x_one) > 1 else np.zeros(2)


def meant(w):
    """With the condition the other way round."""
    return -y_one * x_one if y_one * (w @ x_one) < 1 else np.zeros(2)


for w in (np.array([0.1, 0.1]), np.array([2.0, 1.0])):
    numeric = [(loss(w + h * e) - loss(w - h * e)) / (2 * h) for e in np.eye(2)]
    print(
        f"y f = {y_one * (w @ x_one):.1f}: by differences {np.round(numeric, 6)}, "
        f"printed {printed(w)}, meant {meant(w)}"
    )
    assert np.allclose(numeric, meant(w))
    assert not np.allclose(numeric, printed(w))
assert np.array_equal(printed(np.zeros(2)), np.zeros(2))  # at the start w = 0 it does not move

# %% [markdown]
# ### Sepals, not petals | Section 7, the figure's labels
#
# **Printed:** axes called petal length and petal width. **Meant:** the first two columns are the sepal's; later
# figures of the same data say so.

# %%
from sklearn.datasets import load_iris

iris = load_iris(as_frame=True)
print(iris.feature_names)
assert [name.split()[0] for name in iris.feature_names[:2]] == ["sepal", "sepal"]

# %% [markdown]
# ### Nineteen samples with 38 labels | Section 7, code of cells 1 and 2
#
# **Printed:** rows are thinned once by four, "to a third", then `X` once more by two while the labels are not.
# **Meant:** a quarter, and for `X` two *columns*: `[:, :2]` in the place of `[::2]`. As printed the fit refuses.

# %%
thinned, labels = iris.data.loc[::4], np.where(iris.target.loc[::4] == 0, -1, 1)
as_printed, as_meant = thinned.to_numpy()[::2], thinned.to_numpy()[:, :2]
print(
    f"{len(thinned)} of 150 rows; X as printed {as_printed.shape}, as meant {as_meant.shape}, "
    f"labels {labels.shape}"
)
assert abs(len(thinned) / 150 - 1 / 4) < 0.01
assert len(as_printed) == 19
assert len(labels) == 38
try:
    SVC(kernel="linear").fit(as_printed, labels)
    fitted = True
except ValueError as reason:
    print(reason)
    fitted = False
assert not fitted
assert SVC(kernel="linear", C=1000).fit(as_meant, labels).score(as_meant, labels) == 1

# %% [markdown]
# ### Two stopping rules | Section 36
#
# **Printed:** the pseudo-code stops when $J$ changes little, the program when $w$ moves little. They are not the same
# rule: with the program's threshold on the change of $J$ the run would have ended after 84 steps, at $J = 0.744$ in the place of 0.304.

# %%
from maxmargin.optimizers import Constant, ObjectiveChange, StepLength, minimize
from maxmargin.problems import C_MEAN

J = Objective(as_meant, labels, Hinge(), 0.1, convention=C_MEAN)
by_change, by_length = (
    minimize(J, np.ones(3), Constant(0.01), stop=[rule], max_iter=3000)
    for rule in (ObjectiveChange(5e-4), StepLength(5e-4))
)
print(
    f"by the change of J: {by_change.n_iter} steps, J = {by_change.trace['value'][-1]:.3f}; "
    f"by the length of a step: still running after {by_length.n_iter}"
)
assert by_change.n_iter == 84
assert round(by_change.trace["value"][-1], 3) == 0.744
assert by_length.n_iter == 3000

# %% [markdown]
# ### Norm bars | Sections 18 and 19
#
# **Printed:** $\gamma = 1 / \theta$, and "minimise $\theta$". **Meant:** $1 / \|\theta\|$: a vector has no reciprocal.

# %%
hard = HardMarginSVC(kernel="linear").fit(as_meant, labels)
assert np.isclose(hard.margin_[0], 1 / np.linalg.norm(hard.coef_))

# %% [markdown]
# ### Circles around no flower | Section 10, code of cell 5
#
# **Printed:** the call that should ring the support vectors gives `support_vectors_[0]` and `support_vectors_[1]` as the two coordinates. **Meant:** the columns, `[:, 0]` and
# `[:, 1]`, as cell 6 has it. As printed the rings are at points whose coordinates are those of two different flowers.

# %%
svm = SVC(kernel="linear", C=1000).fit(as_meant, labels)
ringed = np.column_stack([svm.support_vectors_[0], svm.support_vectors_[1]])
print(f"rings as printed at {ringed.tolist()}, support vectors {svm.support_vectors_.tolist()}")
for ring in ringed:
    assert not np.any(np.all(np.isclose(as_meant, ring), axis=1))  # no flower is there
assert len(svm.support_vectors_) == 3

# %% [markdown]
# ### One argument too many | Section 36, code of cell 15
#
# **Printed:** `f` is called with the points, a vector of ones and the parameters. **Meant:** the ones are a column of the points; cell 10 defines `f(X, theta)` with two
# arguments. As printed, Python refuses.


# %%
def f(X, theta):
    """The course's model, cell 10."""
    return X.dot(theta)


grid, theta = np.zeros((5, 2)), np.ones(3)
try:
    f(grid, np.ones(5), theta)
    accepted = True
except TypeError as reason:
    print(reason)
    accepted = False
assert not accepted
assert f(np.column_stack([grid, np.ones(5)]), theta).tolist() == [1] * 5

# %% [markdown]
# ### Not the steepest descent | Section 35, its title
#
# **Printed:** the function that replaces the gradient is called a steepest descent direction. **Meant:** a subgradient, and no more. At a kink minus a subgradient can even climb:
# take the hinge losses of two samples, $(1, 2)$ and $(1, -2)$, both on their kink at $w = (1, 0)$.

# %%
samples = np.array([[1.0, 2.0], [1.0, -2.0]])


def total(w):
    """Hinge losses of two positive samples, and a pull to the left."""
    return np.maximum(0, 1 - samples @ w).sum() + 1.5 * w[0]


at = np.array([1.0, 0.0])
subgradient = np.array([1.5, 0.0]) - samples[0]  # one sample on its slope, one on its flat
for w in rng.normal(size=(1000, 2)) * 3:
    assert total(w) >= total(at) + subgradient @ (w - at) - 1e-9  # it is a subgradient
assert total(at - 0.01 * subgradient) > total(at)  # and minus it climbs

# %% [markdown]
# ### A variable that has gone | Sections 24, 25 and 30
#
# **Printed:** the minimum over $\theta$, $\theta_0$ and $\xi$ of an expression without any $\xi$. **Meant:** over $\theta$ and $\theta_0$: the slacks have just been replaced by their optimal values. (Nothing
# to compute: a variable that does not occur changes no minimum. The [lecture](1_margins.html#the-objective-without-constraints) checks the replacement.)

# %% [markdown]
# ## Text 2: CMPSC 448, Lecture 11
#
# ### Separable data and zero slack | Slide: Soft-margin SVM for linearly inseparable data
#
# **Printed:** separable data need no slack at all. **Meant:** if $C$ is large enough. With
# a small $C$ a wider margin is worth some slack. In the convention $\|w\|^2 + C \sum \xi$ the border is
# twice the largest $\alpha$ of the hard margin.

# %%
hard = HardMarginSVC(kernel="linear").fit(X, y)
border = 2 * hard.alphas_.max()
for C in (0.01 * border, 0.9 * border, 1.1 * border, 10 * border):
    slack = solve_qp(soft_margin_primal(X, y, C, SUM)).theta[3:]
    print(f"C = {C:8.3f}: sum of slacks {max(0, slack.sum()):.6f}")
    assert (slack.sum() < 1e-6) == (border < C)

# %% [markdown]
# ### The perceptron's linear program | Slides: Perceptron as linear programming; also text 4, section 1
#
# **Printed:** find $(w, b)$ with $y_i (w^\top x_i + b) \ge 0$, or minimise the sum of slacks under such constraints.
# **Meant:** $> 0$, that is $\ge 1$ after scaling. As printed, zero solves both programs for any data.

# %%
for sample in (y, noisy):
    program = least_slack(X, sample, margin=0)
    assert program.is_feasible(np.zeros(3 + 40))
    assert solve_lp(program).value == 0
assert solve_lp(least_slack(X, noisy, margin=1)).value > 1

# %% [markdown]
# ### Subspace or not | Slide: Geometry of linear models
#
# **Printed:** a hyperplane is a linear subspace. **Meant:** one through the origin is; with $b \ne 0$, as used from then on, it
# is a shifted one, and the sum of two of its points is not in it.

# %%
through, shifted = Hyperplane([1.0, 2.0]), Hyperplane([1.0, 2.0], -2.0)
for plane, closed in ((through, True), (shifted, False)):
    p, q = plane.project(rng.normal(size=(2, 2)))
    assert np.isclose(plane.score(p + q), 0) == closed

# %% [markdown]
# ### One point or two | Slide: Example 3
#
# **Printed:** a penalty for a single data point, above two slacks that are not zero. **Meant:** for two: one inside the margin, $0 < \xi_1 < 1$, and one on the wrong side,
# $\xi_2 > 1$.

# %%
three = Margins(Hyperplane([1.0, 0.0]), [[1.5, 0.0], [0.4, -0.6], [0.8, 0.7]], [1, 1, -1])
print(f"slacks {three.slack.round(2)}")
assert np.sum(three.slack > 0) == 2

# %% [markdown]
# ### An index and a strict sign | Slides: Let's get rid of slack variables; The primal of soft-margin SVM
#
# **Printed:** $y_i (w^\top x + b) \ge 1 - \xi_i$ without an index at $x$, and on the slides before $>$ in the place of $\ge$. **Meant:** $x_i$, and $\ge$: with the strict sign the set is open,
# and the minimum, which lies on its border, would not be attained.

# %%
best = HardMarginSVC(kernel="linear").fit(X, y)
touching = np.isclose(Margins(Hyperplane.of(best), X, y).functional, 1)
assert touching.sum() >= 2  # the solution has equality, and "> 1" would forbid it
shorter = 0.999 * np.append(best.coef_[0], best.intercept_[0])
assert hard_margin_primal(X, y).violation(shorter) > 0  # anything shorter is not feasible

# %% [markdown]
# ### Sum or mean | Slide: Stochastic subgradient descent for SVM learning
#
# **Printed:** the step $2 w + C \Delta_i$ beside the objective $\|w\|^2 + C \sum_i \text{hinge}_i$. **Meant:** it minimises
# $\|w\|^2 + \frac{C}{n} \sum_i \text{hinge}_i$; for the sum it would need $n C \Delta_i$. And with the column of ones in the data, $2 w$ shrinks $b$ as well: the objective of the
# step penalises $b$, the printed one does not.

# %%
from maxmargin.problems import MEAN

ones = np.column_stack([X, np.ones(40)])
w = np.array([0.2, -0.1, 0.3])
steps = [
    2 * w + 5.0 * (-s * row if s * (row @ w) < 1 else 0 * row)
    for s, row in zip(noisy, ones, strict=True)
]
for convention, agrees in ((MEAN, True), (SUM, False)):
    objective = Objective(X, noisy, Hinge(), 5.0, convention=convention.penalising_intercept())
    assert np.allclose(np.mean(steps, axis=0), objective.subgradient(w)) == agrees
free_b = Objective(X, noisy, Hinge(), 5.0, convention=MEAN)
assert not np.allclose(np.mean(steps, axis=0), free_b.subgradient(w))  # b is penalised

# %% [markdown]
# ## Text 3: hinge and gradient descent
#
# ### The derivative of $1 - y\,\theta^\top x$ | Slide: Gradient descent for SVMs
#
# **Printed:** it is $y\,x_j$. **Meant:** $-y\,x_j$. The result two lines below is right again: there a second minus
# would have been needed.

# %%
theta = np.array([0.3, -0.2])
for y_one in (-1.0, 1.0):
    inner = [
        ((1 - y_one * (theta + h * e) @ x_one) - (1 - y_one * (theta - h * e) @ x_one)) / (2 * h)
        for e in np.eye(2)
    ]
    assert np.allclose(inner, -y_one * x_one)
    assert not np.allclose(inner, y_one * x_one)

# %% [markdown]
# ### A penalty from 1, an update from 0 | Slides: SVM: choice of cost function; Gradient descent for SVMs
#
# **Printed:** the penalty is $\sum_{j=1}^n \theta_j^2$, without $\theta_0$; the update subtracts $2 \lambda \theta_j$ for $j = 0$ to $n$. **Meant:** one or the other. They are two objectives with two minima. And the
# margin $y\,\theta^\top x / \sqrt{\theta^\top \theta}$ of another slide is a distance only if $\theta_0$ is left out of the root.

# %%
free_b, held_b = (
    solve_qp(soft_margin_primal(X + 3, noisy, 0.05, convention)).theta[:3]
    for convention in (LAMBDA_MEAN, LAMBDA_MEAN.penalising_intercept())
)
print(f"minimum with the penalty as printed {free_b.round(3)}, with the update's {held_b.round(3)}")
assert not np.allclose(free_b, held_b, atol=0.05)
score = np.append(X[0] + 3, 1) @ free_b
distance = abs(Hyperplane(free_b[:2], free_b[2]).distance(X[0] + 3))
assert np.isclose(abs(score) / np.linalg.norm(free_b[:2]), distance)
assert not np.isclose(abs(score) / np.linalg.norm(free_b), distance, rtol=0.05)

# %% [markdown]
# ### Downhill all the way? | Slide: Gradient descent for SVMs (last)
#
# **Printed:** every step goes down until the bottom is there. **Meant:** every short step comes closer to it; single
# steps may climb, and with a constant step size it never quite arrives.

# %%
J = Objective(X, noisy, Hinge(), 0.01, convention=LAMBDA_MEAN)
run = minimize(J, np.zeros(3), Constant(0.5), max_iter=1000)
optimum = solve_qp(soft_margin_primal(X, noisy, 0.01, LAMBDA_MEAN)).value
climbs = int((np.diff(run.trace["value"]) > 0).sum())
print(
    f"{climbs} of 1000 steps climbed; the last 100 stay {run.trace['value'][-100:].min() - optimum:.1e} "
    "or more above the optimum"
)
assert climbs > 100
assert run.trace["value"][-100:].min() > optimum + 1e-6

# %% [markdown]
# ### A single minimum? | Slide: Gradient descent for SVMs (last)
#
# **Printed:** $J$ is convex and has a single minimum. **Meant:** a single *value*, and a single $w$. An intercept that is
# not penalised can be loose: for samples at $-1$ and $+1$ and a large $\lambda$, a whole interval of $b$ is optimal.

# %%
pair, signs = np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0])
alpha = np.full(2, 0.1)  # both at the bound C = 0.1
loose = intercept_range(alpha, scores=[-0.2, 0.2], y=signs, c=0.1)
J = Objective(pair, signs, Hinge(), 0.1, convention=HALF_SUM)
flat = [J.value([0.2, b]) for b in np.linspace(loose.low, loose.high, 9)]
print(f"b may be anything from {loose.low:.1f} to {loose.high:.1f}")
assert np.allclose(flat, solve_qp(soft_margin_primal(pair, signs, 0.1)).value)
assert J.value([0.2, loose.high + 0.1]) > flat[0]

# %% [markdown]
# ## Text 4: Week 6
#
# ### Large, not small | Section 2, below the first max-margin problem
#
# **Printed:** the objective wants $\hat\gamma$ small, and so it equals the smallest margin. **Meant:** it wants it
# **large**. The constraints bound it from above; wanting it small, one could make it anything below.

# %%
plane = Hyperplane.of(hard)
smallest = Margins(plane, X, y).functional.min()


def feasible(gamma_hat):
    """Whether all margins are at least gamma-hat."""
    return bool(np.all(Margins(plane, X, y).functional >= gamma_hat - 1e-12))


candidates = np.linspace(-3, 3, 601)
allowed = [g for g in candidates if feasible(g)]
assert np.isclose(max(allowed), smallest, atol=0.01)  # the largest that is allowed
assert min(allowed) == -3  # the smallest has no bound

# %% [markdown]
# ### The factor that sets $\hat\gamma$ | Section 2
#
# **Printed:** to give $\hat\gamma$ any positive value rescale $w$ by $\hat\gamma / \|w\|$. **Meant:** for the value $t$ multiply by
# $t / \hat\gamma$.

# %%
u = 3.7 * np.append(plane.w, plane.b)
gamma_hat = (y * (ones @ u)).min()
for t in (1.0, 5.0):
    assert np.isclose((y * (ones @ (t / gamma_hat * u))).min(), t)
    assert not np.isclose((y * (ones @ (gamma_hat / np.linalg.norm(u[:2]) * u))).min(), t)

# %% [markdown]
# ### Which points may move | Section 3, last sentence
#
# **Printed:** points other than support vectors may go anywhere. **Meant:** as long as it stays outside the
# margin.

# %%
others = np.setdiff1d(np.arange(40), hard.support_)
i = others[0]
for depth, unchanged in ((1.5, True), (0.5, False)):  # in units of the margin
    moved = X.copy()
    moved[i] = plane.project(X[i]) + y[i] * depth * hard.margin_[0] * plane.normal
    again = HardMarginSVC(kernel="linear").fit(moved, y)
    assert np.allclose(again.coef_, hard.coef_, atol=1e-6) == unchanged

# %% [markdown]
# ### Which points are support vectors | Section 3, the sentence before
#
# **Printed:** points classified incorrectly, or correctly with a margin of exactly $1 / \|w\|$. **Meant:** also those in between: on the right side, but inside the margin. They pay slack
# and pull at the boundary like any other.

# %%
soft = SVC(kernel="linear", C=0.05).fit(X, noisy)
z = Margins(Hyperplane.of(soft), X, noisy).functional
between = np.flatnonzero((z > 1e-6) & (z < 1 - 1e-6))
print(f"{len(between)} of the {len(soft.support_)} support vectors are right and inside the margin")
assert len(between) > 0
assert np.isin(between, soft.support_).all()

# %% [markdown]
# ## Text 5: COMPSCI 689, Lecture 8
#
# ### Where the kink is | Slide: Example: finding a subgradient for SVC
#
# **Printed:** at $z = 0$ the subdifferential of the hinge is $[-1, 0]$. **Meant:** at $z = 1$, where the same slide has put
# the kink three lines before. At 0 the loss is smooth.

# %%
assert Hinge().subdifferential(1.0) == (-1, 0)
assert Hinge().subdifferential(0.0) == (-1, -1)

# %% [markdown]
# ### The box of the dual | Slide: Dual quadratic program formulation
#
# **Printed:** the primal $\|w\|^2 + C \sum \xi$ and, as its dual, one with $\frac12 \alpha^\top Q \alpha$ and $0 \le \alpha \le C$.
# **Meant:** that is the dual of $\frac12 \|w\|^2 + C \sum \xi$. To the printed primal belongs the box $C / 2$ (or, with
# the box $C$, the quadratic term $\frac14 \alpha^\top Q \alpha$).

# %%
C, K = 0.1, X @ X.T
primal = solve_qp(soft_margin_primal(X, noisy, C, SUM))
w = {
    box: weights_from_dual(solve_qp(soft_margin_dual(K, noisy, box)).theta, X, noisy)
    for box in (C, C / 2)
}
quarter = solve_qp(soft_margin_dual(K, noisy, C, SUM))
print(f"primal {primal.theta[:2].round(5)}, box C / 2 {w[C / 2].round(5)}, box C {w[C].round(5)}")
assert np.allclose(w[C / 2], primal.theta[:2], atol=1e-5)
assert not np.allclose(w[C], primal.theta[:2], atol=1e-3)
assert np.isclose(-quarter.value, primal.value)
assert np.allclose(weights_from_dual(quarter.theta, X, noisy, a=1.0), primal.theta[:2], atol=1e-5)

# %% [markdown]
# ### What lies above the zero-one loss | Slide: Hinge loss
#
# **Printed:** hinge and logistic loss both lie above the zero-one loss. **Meant:** the logistic
# one only when it is divided by $\log 2$: at $z = 0$ it is 0.693, below 1.

# %%
z = np.linspace(-3, 3, 601)
below = z[Logistic().value(z) < ZeroOne().value(z)]
print(
    f"log(1 + exp(-z)) is below the zero-one loss for z from {below.min():.2f} to {below.max():.2f}"
)
assert np.isclose(Logistic().value(0.0), np.log(2))
assert len(below) > 0
assert np.all(Logistic(scaled=True).value(z) >= ZeroOne().value(z))
assert np.all(Hinge().value(z) >= ZeroOne().value(z))

# %% [markdown]
# ### When the hinge maximises the margin | Slide: Support vector classification (maximum margin)
#
# **Printed:** the hinge loss leads to the maximum margin when the classes are separable. **Meant:** again, if $C$ is
# large enough.

# %%
program = hard_margin_primal(X, y)
assert np.allclose(solve_qp(program).theta[:2], hard.coef_[0])
for C, widest in ((1.1 * border, True), (0.1 * border, False)):
    soft = solve_qp(soft_margin_primal(X, y, C, SUM)).theta
    assert np.isclose(1 / np.linalg.norm(soft[:2]), hard.margin_[0], rtol=1e-5) == widest

# %% [markdown]
# ### Convex is not enough | Slide: Global optimality of convex non-differentiable functions
#
# **Printed:** strongly convex functions have a unique minimum, exactly as convex differentiable ones. **Meant:** as *strongly* convex differentiable ones. A differentiable convex function
# may have many minima, or none.

# %%
z = np.linspace(-3, 3, 601)
flat_bottom = np.maximum(0, np.abs(z) - 1) ** 2  # convex, differentiable, zero from -1 to 1
assert np.sum(flat_bottom == 0) > 1
assert np.all(np.diff(np.exp(-np.linspace(0, 50, 100))) < 0)  # convex, and falls for ever
