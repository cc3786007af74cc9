# %% [markdown]
# # 2. Hyperplanes and kernels: the whole road
#
# This lecture follows *CMPSC 448, Lecture 11: Support Vector Machines* (R. Zhang, Penn State, 2021),
# slide group by slide group and in our own words: the geometry of hyperplanes, the hard and the soft
# margin, the hinge, stochastic subgradients, and kernels by way of the dual. The line under a heading
# names the slides. Claims that can be checked are checked by the code beside them.

# %% [markdown]
# ## Hyperplanes and linear models | Slides: Geometry of linear models; Linear models and hyperplanes
#
# A hyperplane through the origin of $\mathbb{R}^d$ is all that is orthogonal to one vector, its normal
# $w$: a line in the plane, a plane in space. A number $b$ moves it parallel to itself:
#
# $$ H = \{x \in \mathbb{R}^d : w^\top x + b = 0\}. $$
#
# Only the direction of $(w, b)$ counts, so one may ask for $\|w\| = 1$. The score $w^\top x + b$ is
# positive on one side of $H$ and negative on the other: a linear classifier answers with its sign.

# %%
import numpy as np

from maxmargin.models import Hyperplane

plane = Hyperplane(w=[1.0, 2.0], b=-2.0)
on_it = np.array([[0.0, 1.0], [2.0, 0.0], [4.0, -1.0]])

assert np.allclose(plane.score(on_it), 0)
assert np.allclose((on_it - on_it[0]) @ plane.w, 0)  # what lies in it is orthogonal to w
unit = plane.scaled(1 / plane.norm)
anywhere = np.random.default_rng(0).normal(size=(1000, 2))
assert np.isclose(unit.norm, 1)
assert np.array_equal(np.sign(unit.score(anywhere)), np.sign(plane.score(anywhere)))

# %% [markdown]
# ## Linear separability | Slides: Linear separability
#
# A sample is linearly separable if some hyperplane has every point on its side,
# $y_i (w^\top x_i + b) > 0$ for all $i$. Two clouds of thirty points, six apart:

# %%
from maxmargin.models import Margins

rng = np.random.default_rng(11)
X = np.vstack([rng.normal(size=(30, 2)) - 3, rng.normal(size=(30, 2)) + 3])
y = np.repeat([-1, 1], 30)

diagonal = Hyperplane([1.0, 1.0])
assert Margins(diagonal, X, y).smallest > 0

# %% [markdown]
# ## The perceptron as a linear program | Slides: Perceptron as linear programming
#
# To ask for separation and for nothing else is a linear program whose objective is zero: find any
# $(w, b)$ with $y_i (w^\top x_i + b) \ge 0$. As it stands, $w = 0$ and $b = 0$ satisfy it, because
# $0 \ge 0$. With 1 on the right-hand side the zero vector is out and nothing else is lost, because any
# separating $(w, b)$ can be scaled up. [Lecture 4](4_perceptron_to_svm.html) has more on this.

# %%
from maxmargin.problems import separation
from maxmargin.solvers import LPStatus, solve_lp

assert separation(X, y, margin=0).is_feasible([0, 0, 0])
assert not separation(X, y, margin=1).is_feasible([0, 0, 0])

found = solve_lp(separation(X, y, margin=1))
assert Margins(Hyperplane(found.w, found.b), X, y).smallest > 0

swapped = y.copy()  # two points with the wrong label
swapped[[0, 30]] = swapped[[30, 0]]
assert solve_lp(separation(X, swapped, margin=1)).status is LPStatus.INFEASIBLE

# %% [markdown]
# ## Which hyperplane? | Slides: Linear classifiers: which hyperplane?
#
# The perceptron takes the samples in some order and stops at the first hyperplane without mistakes.
# Another order, another hyperplane: two hundred orders, and all of the answers are "right".

# %%
from maxmargin.optimizers import perceptron

runs = []
for _ in range(200):
    order = rng.permutation(60)
    run = perceptron(X[order], y[order])
    runs.append(Hyperplane(run.w, run.b))
margins = np.array([Margins(run, X, y).smallest for run in runs])
angles = np.array([np.degrees(np.arctan2(*run.normal[::-1])) for run in runs])
print(
    f"{len(np.unique(angles.round(6)))} different directions, from {angles.min():.0f} to "
    f"{angles.max():.0f} degrees"
)
print(f"margins from {margins.min():.3f} to {margins.max():.3f}")

assert np.all(margins > 0)
assert np.ptp(angles) > 10

# %% [markdown]
# ## Confidence and margin | Slides: The measure of confidence; Classifier margin
#
# The farther a point is on its side, the surer the classifier: $y\,(w^\top x + b)$ measures it, in units
# of $\|w\|$. The **margin** of a hyperplane on a sample is its distance to the nearest point. Here are the
# perceptron with the smallest margin, the one with the largest, and the hyperplane whose margin no other
# exceeds.

# %%
from maxmargin import HardMarginSVC
from maxmargin.plots import BoundaryDisplay, ComparisonDisplay

widest = HardMarginSVC(kernel="linear").fit(X, y)
best = Hyperplane.of(widest)
chosen = {
    "perceptron, narrow": runs[np.argmin(margins)],
    "perceptron, wide": runs[np.argmax(margins)],
    "largest margin": best,
}
# Scaled so that the nearest point has the score 1: the dashed lines then show the margin.
canonical = {
    name: plane.scaled(1 / Margins(plane, X, y).functional.min()) for name, plane in chosen.items()
}
ComparisonDisplay.from_estimators(X, y, canonical).plot()

assert np.isclose(Margins(best, X, y).smallest, widest.margin_[0])
assert np.all(margins < widest.margin_[0])

# %% [markdown]
# ## Why a large margin? Noise | Slides: Why maximum margin classifiers?; Maximum margin classifier
#
# Let every point be displaced by noise of length $r$ in the worst direction, straight towards the
# boundary. The sample survives if $r$ is less than the margin: the margin is the radius of a ball around
# each point in which it may be anywhere. The hyperplane with the largest margin tolerates most.

# %%
r = 0.999 * widest.margin_[0]


def mistakes_under_noise(plane):
    """Count the points that noise of length r can bring to the other side."""
    worst = X - r * y[:, None] * plane.normal
    return int((Margins(plane, worst, y).functional <= 0).sum())


print({name: mistakes_under_noise(plane) for name, plane in chosen.items()})
assert mistakes_under_noise(best) == 0
assert all(mistakes_under_noise(run) > 0 for run in runs)

BoundaryDisplay.from_estimator(widest, X, y, title="noise tolerated by the nearest points").plot(
    noise=True, projections=True
)

# %% [markdown]
# ## The distance of a point from a hyperplane | Slides: Point-plane distance
#
# Let $z_0$ be the foot of the perpendicular from $z$. Then $z = z_0 + r\,w / \|w\|$ for some number $r$, and
#
# $$ w^\top z + b = \underbrace{w^\top z_0 + b}_{0} + r\,\frac{w^\top w}{\|w\|} = r\,\|w\|,
#    \qquad |r| = \frac{|w^\top z + b|}{\|w\|}. $$

# %%
z = np.array([3.0, 1.0])
r_of_z = plane.distance(z)
foot = plane.project(z)
along = np.array([-plane.w[1], plane.w[0]])  # a vector in the line
line = foot + np.linspace(-5, 5, 10_001)[:, None] * along

assert np.isclose(abs(r_of_z), abs(plane.w @ z + plane.b) / np.linalg.norm(plane.w))
assert np.isclose(np.linalg.norm(line - z, axis=1).min(), abs(r_of_z))  # no point is nearer

# %% [markdown]
# ## The margin of any hyperplane, and the best | Slides: Margin of an arbitrary hyperplane; Maximum margin classifier
#
# So the margin of $(w, b)$ on the sample is $\min_i |w^\top x_i + b| / \|w\|$, and we want it as large as
# possible among the hyperplanes that make no mistake:
#
# $$ \max_{w, b}\;\min_i \frac{|w^\top x_i + b|}{\|w\|}
#    \quad\text{subject to}\quad y_i (w^\top x_i + b) \ge 0. $$

# %%
distances = np.abs(X @ best.w + best.b) / np.linalg.norm(best.w)
assert np.isclose(distances.min(), widest.margin_[0])

around = rng.normal(size=(2000, 3)) * 0.3 + np.append(best.w, best.b)
candidates = [Margins(Hyperplane(t[:2], t[2]), X, y).smallest for t in around]
print(f"best of 2000 hyperplanes nearby: {max(candidates):.4f}, the optimum: {distances.min():.4f}")
assert max(candidates) <= distances.min()

# %% [markdown]
# ## Making it solvable | Slides: Let's try to simplify this optimization
#
# Scaling $(w, b)$ by $\alpha > 0$ changes no distance. Use that freedom to give the nearest point the
# score 1. Then the margin is $1 / \|w\|$, all points satisfy $y_i (w^\top x_i + b) \ge 1$, and to make
# $1 / \|w\|$ large is to make $\|w\|^2$ small:
#
# $$ \min_{w, b}\;\|w\|^2 \quad\text{subject to}\quad y_i (w^\top x_i + b) \ge 1. $$

# %%
for alpha in (0.01, 7.0):
    assert np.allclose(best.scaled(alpha).distance(X), best.distance(X))
assert np.isclose(Margins(best, X, y).functional.min(), 1)
assert np.isclose(1 / best.norm, distances.min())

# %% [markdown]
# ## Hard margin: a convex program with one solution | Slides: Hard-margin SVM for separable training data; Hard-margin SVM versus Perceptron
#
# The perceptron solves a feasibility problem, the support vector machine the same constraints with an
# objective. That objective makes the answer unique. If two different $w$ with the same smallest length
# were feasible, their mean would be feasible too, because constraints are linear, and shorter, because
# a chord of a sphere runs inside it.

# %%
from maxmargin.problems import hard_margin_primal
from maxmargin.solvers import solve_qp

program = hard_margin_primal(X, y)
solution = solve_qp(program)
assert np.allclose(solution.theta, np.append(best.w, best.b), atol=1e-7)
for _ in range(5):
    order = rng.permutation(60)
    again = HardMarginSVC(kernel="linear").fit(X[order], y[order])
    assert np.allclose(again.coef_, widest.coef_)  # any order, one answer

one, other = (
    np.append(plane.w, plane.b)
    for plane in (canonical["perceptron, narrow"], canonical["perceptron, wide"])
)
mean = (one + other) / 2
assert max(program.violation(theta) for theta in (one, other, mean)) < 1e-9  # feasible
assert program.value(mean) < (program.value(one) + program.value(other)) / 2  # and shorter

# %% [markdown]
# ## Inseparable data | Slides: Linearly inseparable data
#
# Swap the labels of two points and the constraints contradict each other. A handful of such points
# should not forbid a linear classifier that is good for all others.

# %%
from maxmargin import InfeasibleError

try:
    HardMarginSVC(kernel="linear").fit(X, swapped)
    separated = True
except InfeasibleError as reason:
    separated = False
    print(reason)
assert not separated

# %% [markdown]
# ## Slack: the amount of violation | Slides: The amount of violations: slack variables; Examples 1 to 3
#
# For a fixed hyperplane the slack $\xi_i \ge 0$ of a point is how much its score falls short of 1 on its
# side. Zero: outside the margin. Between 0 and 1: inside the margin, still right. Above 1: wrong.
# Three samples, one hyperplane:

# %%
from matplotlib import pyplot

from maxmargin.models import SlackClass

fixed = Hyperplane([1.0, 0.0])
base = np.array([[-2, 1.5], [-1, 0], [-1.8, -1.2], [1, 1], [2, -1], [1.5, 0.2]], float)
labels = np.array([-1, -1, -1, 1, 1, 1])
examples = {
    "example 1: no penalty": (base, labels),
    "example 2: one inside": (np.vstack([base, [0.4, -0.6]]), np.append(labels, 1)),
    "example 3: and one wrong": (
        np.vstack([base, [0.4, -0.6], [0.8, 0.7]]),
        np.append(labels, [1, -1]),
    ),
}
figure, axes = pyplot.subplots(1, 3, figsize=(9.2, 2.6), layout="constrained")
for ax, (title, sample) in zip(axes, examples.items(), strict=True):
    BoundaryDisplay.from_estimator(fixed, *sample, title=title).plot(ax, legend=False)
    slack = Margins(fixed, *sample)
    print(f"{title:26} slacks {slack.slack.round(2)} sum {slack.total_slack:.1f}")

inside, wrong = SlackClass.INSIDE, SlackClass.WRONG
classes = [Margins(fixed, *sample).slack_class() for sample in examples.values()]
assert not classes[0].any()
assert classes[1].tolist() == [0] * 6 + [inside]
assert classes[2].tolist() == [0] * 6 + [inside, wrong]

# %% [markdown]
# ## Two hyperplanes compared | Slides: One hyperplane; Another hyperplane; Which hyperplane?
#
# A second hyperplane that turns towards the wrong point pays less for it, and more for others. The sum
# of the slacks decides between the two.

# %%
X3, y3 = examples["example 3: and one wrong"]
turned = Hyperplane([0.5, -1.0], -0.3)
ComparisonDisplay.from_estimators(X3, y3, {"(1) turned": turned, "(2) upright": fixed}).plot()

first, second = Margins(turned, X3, y3), Margins(fixed, X3, y3)
print(
    f"(1) pays {first.total_slack:.2f} for {np.sum(first.slack > 0)} points, "
    f"(2) pays {second.total_slack:.2f} for {np.sum(second.slack > 0)}"
)
assert first.slack[7] < second.slack[7]  # better for the wrong point
assert first.total_slack > second.total_slack  # worse in all

# %% [markdown]
# ## The soft margin | Slides: From hard-margin to soft-margin; Soft-margin SVM for linearly inseparable data
#
# Maximise the margin **and** keep the sum of slacks small; $C$ is the rate of exchange between the two.
#
# $$ \min_{w, b, \xi}\;\|w\|^2 + C \sum_{i=1}^n \xi_i \quad\text{subject to}\quad
#    y_i (w^\top x_i + b) \ge 1 - \xi_i, \quad \xi_i \ge 0. $$
#
# This course writes $\|w\|^2$ where the library's estimators have $\frac12 \|w\|^2$, so that its $C$ is
# twice theirs. The converter knows.

# %%
from maxmargin import SVC
from maxmargin.problems import HALF_SUM, SUM, convert, soft_margin_primal

C = 2.0
halved = convert(C, len(X), source=SUM, target=HALF_SUM)
by_program = solve_qp(soft_margin_primal(X, swapped, C, SUM))
by_estimator = SVC(kernel="linear", C=halved).fit(X, swapped)

assert halved == C / 2
assert np.allclose(by_program.theta[:2], by_estimator.coef_[0], atol=1e-6)

# %% [markdown]
# Are all slacks zero when the data are separable? The slides say so, but only a large enough $C$ makes
# it true: a small one prefers a wide margin with points in it. (Also in the [errata](errata.html).)

# %%
for C, expected in ((0.001, False), (100.0, True)):
    soft = solve_qp(soft_margin_primal(X, y, C, SUM))
    slack = soft.theta[3:]
    print(f"separable data, C = {C:g}: sum of slacks {abs(slack.sum()):.4f}")
    assert np.allclose(slack, 0, atol=1e-6) == expected

# %% [markdown]
# ## The trade-off parameter | Slides: Tradeoff parameter C
#
# Small $C$: wide margin, many violations. Large $C$: narrow margin, few violations.

# %%
overlap = np.vstack([rng.normal(size=(40, 2)) - 1.1, rng.normal(size=(40, 2)) + 1.1])
kinds = np.repeat([-1, 1], 40)
ComparisonDisplay.from_estimators(
    overlap,
    kinds,
    {f"C = {C:g}": SVC(kernel="linear", C=C / 2) for C in (0.02, 1, 500)},
).plot(support=False)

widths, violations = [], []
for C in (0.02, 1, 500):
    line = Hyperplane.of(SVC(kernel="linear", C=C / 2).fit(overlap, kinds))
    widths.append(1 / line.norm)
    violations.append(Margins(line, overlap, kinds).total_slack)
    print(f"C = {C:6g}: margin {widths[-1]:.3f}, sum of slacks {violations[-1]:.2f}")
assert np.all(np.diff(widths) < 0)
assert np.all(np.diff(violations) < 0)

# %% [markdown]
# ## Slack is the hinge loss | Slides: Let's get rid of slack variables; Support vectors; The loss minimization viewpoint
#
# Case 1: a point keeps its constraint, and its cheapest slack is 0. Case 2: it does not, and the
# cheapest slack is what is missing. Both cases in one formula are the hinge loss of its margin,
# $\xi_i = \max(0, 1 - y_i (w^\top x_i + b))$, and the program is the minimisation of
#
# $$ \|w\|^2 + C \sum_{i=1}^n \max\bigl(0, 1 - y_i (w^\top x_i + b)\bigr). $$
#
# A loss with a penalty, like logistic regression, only that here the penalty came out of the geometry.
# Points with a margin above 1 have no share in it; the others are the **support vectors**.

# %%
from maxmargin.losses import Hinge
from maxmargin.problems import Objective

C = 1.0
soft = solve_qp(soft_margin_primal(overlap, kinds, C, SUM))
J = Objective(overlap, kinds, Hinge(), C, convention=SUM)
z = J.arguments(soft.theta[:3])

assert np.allclose(soft.theta[3:], np.maximum(0, 1 - z), atol=1e-6)
assert np.isclose(J.value(soft.theta[:3]), soft.value)

fitted = SVC(kernel="linear", C=C / 2).fit(overlap, kinds)
assert np.array_equal(np.flatnonzero(z <= 1 + 1e-6), np.sort(fitted.support_))
alone = SVC(kernel="linear", C=C / 2).fit(overlap[fitted.support_], kinds[fitted.support_])
assert np.allclose(alone.coef_, fitted.coef_)  # the others may go

# %% [markdown]
# ## Hinge against cross-entropy | Slides: SVM vs regularized logistic regression
#
# Put $\ln(1 + e^{-z})$ in the place of $\max(0, 1 - z)$ and the same objective is regularised logistic
# regression. The two losses run side by side: both fall with slope $-1$ far on the left. On the right the
# hinge stops at 1 and the cross-entropy never stops, so every sample has a say in logistic regression.

# %%
from sklearn.linear_model import LogisticRegression

from maxmargin.losses import Logistic
from maxmargin.optimizers import Constant, StepLength, minimize
from maxmargin.plots import LossDisplay

LossDisplay.from_losses({"hinge": Hinge(), "cross-entropy": Logistic()}, limits=(-4, 4)).plot()

grid = np.linspace(-30, 30, 601)
difference = Hinge().value(grid) - Logistic().value(grid)
assert np.all(difference <= 1)
assert np.all(difference >= -np.log1p(np.exp(-1)) - 1e-12)
assert np.all(Logistic().value(grid) > 0)
assert np.all(Hinge().value(grid[grid >= 1]) == 0)

entropy = Objective(overlap, kinds, Logistic(), C, convention=SUM)
ours = minimize(
    entropy,
    np.zeros(3),
    Constant(0.02),
    stop=[StepLength(1e-9)],
    max_iter=20_000,
    record_every=1000,
)
theirs = LogisticRegression(C=C / 2, tol=1e-8).fit(overlap, kinds)
assert np.allclose(ours.last[:2], theirs.coef_[0], atol=1e-3)  # one objective, two programs

# %% [markdown]
# ## How to optimise it | Slides: Optimization methods; Derivative of hinge loss
#
# With slacks: a quadratic program, solved exactly above. Without: gradient descent, or stochastic
# gradient descent, if one knows what to do at the kink. There every line between the two tangents touches
# the loss from below; any of their slopes will do, and the usual choice is 0.
#
# $$ \frac{\partial}{\partial w} \max\bigl(0, 1 - y (w^\top x + b)\bigr) = \begin{cases}
#    -y\,x & \quad y (w^\top x + b) < 1 \\ 0 & \quad y (w^\top x + b) \ge 1 \end{cases} $$

# %%
for margin, slope in ((0.5, -1.0), (2.0, 0.0)):
    step = 1e-6
    numeric = (Hinge().value(margin + step) - Hinge().value(margin - step)) / (2 * step)
    assert np.isclose(numeric, slope)
    assert Hinge().subdifferential(margin) == (slope, slope)
assert Hinge().subdifferential(1.0) == (-1, 0)

# %% [markdown]
# ## Stochastic subgradient steps | Slides: Stochastic subgradient descent for SVM learning
#
# With a column of ones in $X$, $b$ is the last weight. From $w = 0$, at step $t = 1, 2, \dots$ draw one
# sample at random and set
#
# $$ w \leftarrow w - \frac1t \bigl(2 w + C\,\Delta\bigr), \qquad
#    \Delta = \begin{cases} -y_i x_i & \quad y_i w^\top x_i < 1 \\ 0 & \quad \text{otherwise.} \end{cases} $$

# %%
from maxmargin.optimizers import Average, Harmonic
from maxmargin.problems import MEAN

ones = np.column_stack([overlap, np.ones(80)])
C, draws = 5.0, np.random.default_rng(3)
w = np.zeros(3)
for t in range(1, 51):
    i = draws.choice(80, size=1, replace=False)[0]
    delta = -kinds[i] * ones[i] if kinds[i] * (ones[i] @ w) < 1 else np.zeros(3)
    w = w - (2 * w + C * delta) / t

mean_objective = Objective(overlap, kinds, Hinge(), C, convention=MEAN.penalising_intercept())
library = minimize(mean_objective, np.zeros(3), Harmonic(1.0), batch=1, seed=3, max_iter=50)
assert np.allclose(library.last, w)

# %% [markdown]
# **Which objective do these steps minimise?** The direction contains one loss, not a sum of $n$. Its
# expectation over the draw is $2 w + \frac{C}{n} \sum_i \Delta_i$: the gradient of
#
# $$ \|w\|^2 + \frac{C}{n} \sum_{i=1}^n \max(0, 1 - y_i w^\top x_i), $$
#
# with the **mean** of the losses, and with $b$ inside the penalty. The objective with the sum, printed
# before, would need $n C$ in the step. Run it long, and see which optimum it finds.

# %%
at = np.array([0.3, 0.1, -0.2])
every = [mean_objective.subgradient(at, rows=np.array([i])) for i in range(80)]
assert np.allclose(np.mean(every, axis=0), mean_objective.subgradient(at))  # unbiased

run = minimize(
    mean_objective,
    np.zeros(3),
    Harmonic(1.0),
    rule=Average(power=1.0),
    batch=1,
    seed=0,
    max_iter=6000,
    record_every=1000,
)
with_mean, with_sum = (
    solve_qp(soft_margin_primal(overlap, kinds, C, convention.penalising_intercept()))
    for convention in (MEAN, SUM)
)
print(f"stochastic steps       {run.value:.4f}")
print(f"optimum with the mean  {with_mean.value:.4f}")
print(f"there, the optimum with the sum has {mean_objective.value(with_sum.theta[:3]):.4f}")
assert run.value < 1.01 * with_mean.value
assert mean_objective.value(with_sum.theta[:3]) > 1.5 * with_mean.value

# %% [markdown]
# ## Issues, and what helps | Slides: Potential issues with SVM
#
# **Over-fitting.** A narrow Gaussian kernel with a large $C$ gets every training sample right and others
# wrong. What helps: choose $C$ and $\gamma$ on data that were held out.

# %%
from sklearn.datasets import make_moons
from sklearn.model_selection import GridSearchCV

train, test = (
    make_moons(120, noise=0.3, random_state=1),
    make_moons(2000, noise=0.3, random_state=2),
)
greedy = SVC(C=1000, gamma=50).fit(*train)
search = GridSearchCV(SVC(), {"C": [0.1, 1, 10, 100], "gamma": [0.1, 1, 10]}, cv=5).fit(*train)
chosen = search.best_estimator_
for name, model in (("greedy", greedy), ("chosen", chosen)):
    print(
        f"{name}: {model.score(*train):.3f} right in training, {model.score(*test):.3f} on new data"
    )
ComparisonDisplay.from_estimators(
    *train, {"greedy": greedy, "chosen by cross-validation": chosen}
).plot(slack=False, support=False)
assert greedy.score(*train) == 1
assert chosen.score(*test) > greedy.score(*test) + 0.03

# %% [markdown]
# **More than two classes.** Train a machine for each pair of classes and let them vote; `SVC` does so by
# itself.

# %%
from sklearn.datasets import load_iris

iris = load_iris(return_X_y=True)
three = SVC().fit(*iris)
assert len(three.certificate_.parts) == 3  # three pairs, three machines, each with a certificate
assert three.score(*iris) > 0.95

# %% [markdown]
# **Imbalanced data.** Fifteen of 315 samples are positive and the two kinds overlap. The cheapest way to
# a small sum of slacks is to give most of the few away. What helps: make each class count the same.

# %%
from sklearn.metrics import balanced_accuracy_score, recall_score

few = np.vstack([rng.normal(size=(300, 2)), rng.normal(size=(15, 2)) + 1.5])
is_rare = np.repeat([0, 1], [300, 15])
fresh = np.vstack([rng.normal(size=(3000, 2)), rng.normal(size=(150, 2)) + 1.5])
fresh_rare = np.repeat([0, 1], [3000, 150])
recall, balance = {}, {}
for name, weight in (("plain", None), ("balanced", "balanced")):
    guess = SVC(kernel="linear", class_weight=weight).fit(few, is_rare).predict(fresh)
    recall[name] = recall_score(fresh_rare, guess)
    balance[name] = balanced_accuracy_score(fresh_rare, guess)
    print(f"{name:9} finds {recall[name]:.0%} of the rare, balanced accuracy {balance[name]:.2f}")
assert recall["plain"] < 0.1
assert recall["balanced"] > 0.8
assert balance["balanced"] > balance["plain"]

# %% [markdown]
# ## The tools, on one data set | Slides: Tools
#
# The slides name LIBSVM, scikit-learn (whose `SVC` *is* LIBSVM), the stochastic gradient programs in the
# style of Pegasos, and Vowpal Wabbit. Here they all get the same 200 points and the same objective,
# $\lambda \|w\|^2 + \frac1n \sum_i \text{hinge}_i$ with $\lambda = 0.01$, and are judged by its value. If a
# tool is not installed the page says so and goes on.

# %%
from importlib.util import find_spec

from sklearn.linear_model import SGDClassifier
from sklearn.svm import SVC as LIBSVM

from maxmargin.optimizers import pegasos
from maxmargin.problems import LAMBDA_MEAN

lam, n = 0.01, 200
points = np.vstack([rng.normal(size=(100, 2)) - 1, rng.normal(size=(100, 2)) + 1])
signs = np.repeat([-1, 1], 100)
judge = Objective(points, signs, Hinge(), lam, convention=LAMBDA_MEAN)
C = convert(lam, n, source=LAMBDA_MEAN, target=HALF_SUM)


def of_estimator(model):
    """Fit an estimator and return (w, b)."""
    line = Hyperplane.of(model.fit(points, signs))
    return np.append(line.w, line.b)


def of_vowpal_wabbit():
    """Learn online for 50 passes; read (w, b) off the scores of three points."""
    from vowpalwabbit import Workspace

    rabbit = Workspace(f"--quiet --loss_function hinge --sgd -l 0.5 --l2 {2 * lam}")
    rows = [f"{sign} | u:{u} v:{v}" for sign, (u, v) in zip(signs, points, strict=True)]
    for _ in range(50):
        for i in np.random.default_rng(0).permutation(n):
            rabbit.learn(rows[i])
    at_zero, at_u, at_v = (rabbit.predict(row) for row in ("| ", "| u:0.1", "| v:0.1"))
    rabbit.finish()
    return np.array([(at_u - at_zero) / 0.1, (at_v - at_zero) / 0.1, at_zero])


penalised = Objective(points, signs, Hinge(), lam, convention=LAMBDA_MEAN.penalising_intercept())
found = {
    "maxmargin SVC": of_estimator(SVC(kernel="linear", C=C)),
    "scikit-learn SVC (LIBSVM)": of_estimator(LIBSVM(kernel="linear", C=C)),
    "scikit-learn SGDClassifier": of_estimator(
        SGDClassifier(alpha=2 * lam, average=True, max_iter=100, tol=None, random_state=0)
    ),
    "Pegasos (b penalised)": pegasos(penalised, max_iter=10_000, seed=0, record_every=1000).w,
}
if find_spec("vowpalwabbit") is None:
    print("Vowpal Wabbit is not installed here, so its row is missing: pip install vowpalwabbit")
else:
    found["Vowpal Wabbit"] = of_vowpal_wabbit()

values = {name: judge.value(w) for name, w in found.items()}
optimum = solve_qp(soft_margin_primal(points, signs, lam, LAMBDA_MEAN)).value
print(f"{'tool':28}{'objective':>10}   above the optimum")
for name, value in values.items():
    print(f"{name:28}{value:10.6f}   {max(0, value / optimum - 1):.1e}")

assert values["maxmargin SVC"] / optimum - 1 < 1e-9
assert all(value >= optimum - 1e-9 for value in values.values())
assert all(value < 1.05 * optimum for value in values.values())

# %% [markdown]
# The exact solvers agree to the digits they were asked for. The stochastic ones come close, and Vowpal Wabbit, which
# learns online and weighs its penalty in its own way, stays a few per cent above.
#
# The slides' program draws a linear machine on two clouds with its normal vector; here in one line.

# %%
SVC(kernel="linear").fit(X, y).plot(X, y, normal=True)

# %% [markdown]
# ## Not separable by a line | Slides: Non-linear separation; Suppose we are in 1-dimension; Harder 1-dimensional dataset
#
# On a line a linear classifier is a threshold. If one class sits in the middle no threshold will do. Map
# $x \mapsto (x, x^2)$: the points move onto a parabola, where a straight line cuts the middle off.

# %%
from maxmargin.plots import LiftDisplay

x = np.array([-4, -3, -2.4, -0.9, -0.3, 0.4, 1, 2.2, 3.1, 3.8])[:, None]
middle = np.where(np.abs(x[:, 0]) < 1.5, 1, -1)
display = LiftDisplay.from_data(x, middle)
display.plot()

on_the_line = SVC(kernel="linear", C=1000).fit(x, middle)
lifted = HardMarginSVC(kernel="linear").fit(np.hstack([x, x**2]), middle)
assert on_the_line.score(x, middle) < 1
assert lifted.score(np.hstack([x, x**2]), middle) == 1
assert len(display.frame()["thresholds"]) == 2

# %% [markdown]
# ## Maps to many dimensions | Slides: Examples of high-dimensional mappings; Mappings and non-linear boundaries
#
# All products of up to two features, $(1, x_i, x_i x_j)$, make $1 + d + d^2$ new ones. In the plane the
# linear machine on monomials of order 2 has conic sections as boundaries, and cubics with order 3.

# %%
from sklearn.datasets import make_circles

from maxmargin.kernels import MonomialMap, ProductMap

for d in (2, 5, 10):
    assert ProductMap(2)(np.ones((1, d))).shape[1] == 1 + d + d**2
assert MonomialMap(2)([[2.0, 3.0]]).tolist() == [[2, 3, 4, 6, 9]]  # x1, x2, x1^2, x1 x2, x2^2
assert MonomialMap(3)([[2.0, 3.0]]).shape[1] == 9

rings = make_circles(120, noise=0.12, factor=0.45, random_state=0)
ComparisonDisplay.from_maps(
    *rings, {"linear": MonomialMap(1), "order 2": MonomialMap(2), "order 3": MonomialMap(3)}, C=10
).plot(slack=False)

# %% [markdown]
# The Gaussian map has infinitely many features. For one number $x$ they are
# $e^{-x^2} \sqrt{2^q / q!}\; x^q$ for $q = 0, 1, 2, \dots$, and their inner products add up to
# $e^{-(u - v)^2}$. Cut off after degree 15 they are enough for nine digits while $|x| \le 1$:

# %%
from math import factorial

from maxmargin.kernels import RBF, GaussianMap

places = np.linspace(-1, 1, 41)[:, None]
for degree in (2, 5, 10, 15):
    phi = GaussianMap(degree, gamma=1.0)
    error = np.abs(phi(places) @ phi(places).T - RBF(1.0)(places, places)).max()
    print(f"up to degree {degree:2}: error {error:.1e}, at most {phi.error_bound(radius=1.0):.1e}")
    assert error <= phi.error_bound(radius=1.0) + 1e-15
assert error < 1e-9

by_hand = [np.exp(-0.25) * np.sqrt(2**q / factorial(q)) * 0.5**q for q in range(6)]
assert np.allclose(GaussianMap(5, gamma=1.0)([[0.5]])[0], by_hand)

# %%
gaussian = SVC(kernel="rbf", gamma=2, C=10).fit(*rings)
gaussian.plot(*rings, slack=False)
assert gaussian.score(*rings) > SVC(kernel="linear").fit(*rings).score(*rings) + 0.3

# %% [markdown]
# ## The kernel trick | Slides: Non-linear SVM; Non-linearity and kernel trick
#
# Computing $\Phi(x)$ may be out of the question: degree 5 in 100 features makes about $10^8$ of them. Two
# facts help. Many algorithms use $\Phi$ only in inner products, and for some maps these are a cheap
# function of the original points, $k(u, v) = \Phi(u)^\top \Phi(v)$: a **kernel**.

# %%
from math import comb

assert 9e7 < comb(100 + 5, 5) < 1e8

# %% [markdown]
# ## The identity for $(u^\top v)^2$ | Slides: Examples of kernel function
#
# In the plane,
#
# $$ (u^\top v)^2 = (u_1 v_1 + u_2 v_2)^2 = u_1^2 v_1^2 + 2\,u_1 u_2\,v_1 v_2 + u_2^2 v_2^2
#    = \Phi(u)^\top \Phi(v), \qquad \Phi(u) = (u_1^2,\;\sqrt2\,u_1 u_2,\; u_2^2). $$

# %%
from maxmargin.kernels import PolynomialMap

u, v = rng.normal(size=(2, 500, 2))


def Phi(u):
    """The map by hand."""
    return np.column_stack([u[:, 0] ** 2, np.sqrt(2) * u[:, 0] * u[:, 1], u[:, 1] ** 2])


assert np.allclose((u * v).sum(axis=1) ** 2, (Phi(u) * Phi(v)).sum(axis=1))
assert np.allclose(PolynomialMap(degree=2)(u), Phi(u))

# %% [markdown]
# More kernels: homogeneous polynomial $(u^\top v)^p$; inhomogeneous $(c + u^\top v)^p$; Gaussian
# $c\,\exp(-\|u - v\|^2 / (2 \sigma^2))$. Each has a map, so each Gram matrix is positive semidefinite.
# A symmetric function without a map is not a kernel, and its Gram matrix can show it.

# %%
from maxmargin.kernels import Gaussian, Polynomial, Sigmoid, check_mercer

sample = u[:60]
for kernel in (
    Polynomial(degree=3),
    Polynomial(degree=3, coef0=2.0),
    Gaussian(sigma=0.7, prefactor=3.0),
):
    assert check_mercer(kernel(sample, sample)).holds
assert not check_mercer(Sigmoid(gamma=1.0, coef0=-1.0)(sample, sample)).holds

inhomogeneous = PolynomialMap(degree=3, coef0=2.0)
assert np.allclose(inhomogeneous(u) @ inhomogeneous(v).T, (2 + u @ v.T) ** 3)
assert np.isclose(Gaussian(sigma=0.5).gamma, 1 / (2 * 0.5**2))

# %% [markdown]
# ## The recipe | Slides: Big picture: the kernel trick
#
# 1. Choose a kernel.
# 2. Write the linear method so that samples occur in inner products only.
# 3. Put the kernel in the place of the inner product, everywhere.
#
# The second step is the work. For the support vector machine the dual does it.

# %% [markdown]
# ## Primal and dual | Slides: The primal of soft-margin SVM; The dual of soft-margin SVM; The relationship between primal and dual
#
# From here on the slides divide the losses by $n$ and halve the norm:
#
# $$ \min_{w, b, \xi}\;\tfrac12 \|w\|^2 + \frac{C}{n} \sum_i \xi_i
#    \qquad\text{and its dual}\qquad
#    \max_{\alpha}\;\sum_i \alpha_i - \tfrac12 \sum_{i, j} \alpha_i \alpha_j y_i y_j\, x_i^\top x_j $$
#
# subject to $\sum_i \alpha_i y_i = 0$ and $0 \le \alpha_i \le C / n$. The two have the same optimal value.
# From the dual solution, the primal one is
#
# $$ w^* = \sum_i \alpha_i^* y_i x_i, \qquad
#    b^* = y_i - \sum_j \alpha_j^* y_j\, x_j^\top x_i
#    \quad\text{for any } i \text{ with } 0 < \alpha_i^* < C / n. $$

# %%
from maxmargin.problems import HALF_MEAN, soft_margin_dual, weights_from_dual

C, n = 40.0, len(kinds)
primal = solve_qp(soft_margin_primal(overlap, kinds, C, HALF_MEAN))
dual = solve_qp(soft_margin_dual(overlap @ overlap.T, kinds, C, HALF_MEAN))
alpha = dual.theta
w_star = weights_from_dual(alpha, overlap, kinds)
free = np.flatnonzero((alpha > 1e-6) & (alpha < C / n - 1e-6))
b_star = [kinds[i] - (alpha * kinds) @ (overlap @ overlap[i]) for i in free]
print(f"primal {primal.value:.9f}, dual {-dual.value:.9f}")
print(f"w* = {w_star.round(6)}, b* = {b_star[0]:.6f}, from any of {len(free)} free alphas")

assert np.isclose(primal.value, -dual.value)
assert np.allclose(w_star, primal.theta[:2], atol=1e-6)
assert np.allclose(b_star, primal.theta[2], atol=1e-5)
assert np.isclose(alpha @ kinds, 0, atol=1e-9)

# %% [markdown]
# ## The kernel machine | Slides: Kernelized SVM using the dual
#
# In the dual, in $b^*$ and in the prediction
#
# $$ f(x) = \operatorname{sign}\Bigl(\sum_i \alpha_i^* y_i\, k(x_i, x) + b^*\Bigr) $$
#
# samples meet in inner products only. Replace them by $k$: the machine is now linear in the space of
# $\Phi$ without ever going there. Samples with $\alpha_i^* \ne 0$ are the support vectors, and the sum
# needs no others.

# %%
R, labels = rings[0], 2.0 * rings[1] - 1
k = PolynomialMap(degree=2, coef0=1.0)
C = 5.0
alpha = solve_qp(soft_margin_dual(k.kernel(R, R), labels, C)).theta
free = np.flatnonzero((alpha > 1e-6) & (alpha < C - 1e-6))[0]
b_star = labels[free] - (alpha * labels) @ k.kernel(R, R[[free]])[:, 0]
by_kernel = k.kernel(R, R) @ (alpha * labels) + b_star

by_map = SVC(kernel="linear", C=C).fit(k(R), labels)  # go to the space of the map
by_estimator = SVC(kernel="poly", degree=2, coef0=1.0, gamma=1.0, C=C).fit(R, labels)
support = np.flatnonzero(alpha > 1e-6)

assert np.allclose(by_kernel, by_map.decision_function(k(R)), atol=1e-5)
assert np.allclose(by_kernel, by_estimator.decision_function(R), atol=1e-5)
assert np.array_equal(support, np.sort(by_estimator.support_))
assert np.array_equal(np.sign(by_kernel) > 0, by_estimator.predict(R) > 0)
print(f"{len(support)} of {len(R)} samples are support vectors")

# %% [markdown]
# The recipe works for other methods. Ridge regression becomes **kernel ridge regression**: the same two
# routes, the same function.

# %%
from maxmargin.models import kernel_ridge

t = np.linspace(-2, 2, 40)[:, None]
target = np.sin(2 * t[:, 0])
ridge = kernel_ridge(t, target, k.kernel, lam=0.1)
features = k(t)
weights = np.linalg.solve(features.T @ features + 0.1 * np.eye(3), features.T @ target)
assert np.allclose(ridge.predict(t), features @ weights)

# %% [markdown]
# ## Summary | Slides: Summary
#
# Large margins motivate the machine; the hinge makes it a loss like others; the dual opens the door to
# kernels, and with them to boundaries of any shape.

# %% [markdown]
# ## Algorithm card: the kernel machine
#
# | | kernel support vector machine |
# | --- | --- |
# | type | supervised, binary classification; several classes by votes |
# | model family | linear boundaries in the space of a feature map |
# | objective | hinge loss with a squared penalty; its dual |
# | optimizer | quadratic programming; without a kernel, stochastic subgradients |
# | probabilistic reading | none; logistic regression is the cousin that has one |

# %% [markdown]
# ## Exercises
#
# ### Exercise 1: slack by hand
#
# For $w = (1, 0)$, $b = 0$: what are the slacks of $(0.4, -0.6)$ with label $+1$ and of $(0.8, 0.7)$ with
# label $-1$, and of which kind are the two points?

# %% tags=["solution"]
two = Margins(Hyperplane([1.0, 0.0]), [[0.4, -0.6], [0.8, 0.7]], [1, -1])
assert np.allclose(two.slack, [0.6, 1.8])
assert two.slack_class().tolist() == [SlackClass.INSIDE, SlackClass.WRONG]

# %% [markdown]
# ### Exercise 2: three features of a cube
#
# Find $\Phi$ with $\Phi(u)^\top \Phi(v) = (u^\top v)^3$ in the plane, by hand, and check it.

# %% [markdown] tags=["solution"]
# $(u_1 v_1 + u_2 v_2)^3$ expands with the coefficients 1, 3, 3, 1, so
# $\Phi(u) = (u_1^3, \sqrt3\,u_1^2 u_2, \sqrt3\,u_1 u_2^2, u_2^3)$.

# %% tags=["solution"]
a, b = u.T
cubes = np.column_stack([a**3, np.sqrt(3) * a**2 * b, np.sqrt(3) * a * b**2, b**3])
assert np.allclose(cubes @ cubes.T, (u @ u.T) ** 3)

# %% [markdown]
# ### Exercise 3: the step that minimises the sum
#
# Change the stochastic step so that it minimises $\|w\|^2 + C \sum_i \text{hinge}_i$. How large is the
# factor before $\Delta$?

# %% [markdown] tags=["solution"]
# The gradient of the sum is $n$ times the expected $\Delta$, so the step is
# $w \leftarrow w - \frac1t (2 w + n C \Delta)$. In the library: the convention `SUM`.

# %% tags=["solution"]
sum_objective = Objective(overlap, kinds, Hinge(), 0.05, convention=SUM.penalising_intercept())
run = minimize(
    sum_objective,
    np.zeros(3),
    Harmonic(1.0),
    rule=Average(power=1.0),
    batch=1,
    seed=0,
    max_iter=10_000,
    record_every=1000,
)
exact = solve_qp(soft_margin_primal(overlap, kinds, 0.05, SUM.penalising_intercept()))
assert exact.value <= run.value < 1.02 * exact.value
row = np.array([4])
assert np.allclose(
    sum_objective.subgradient(np.zeros(3), rows=row), -80 * 0.05 * kinds[4] * ones[4]
)

# %% [markdown]
# ### Exercise 4: a kernel or not?
#
# Is $k(u, v) = \|u - v\|^2$ a kernel? Let the Gram matrix of three points on a line answer.

# %% tags=["solution"]
three_points = np.array([0.0, 1.0, 2.0])
distances = (three_points[:, None] - three_points) ** 2
report = check_mercer(distances)
print(f"eigenvalues {report.eigenvalues.round(3)}: a zero diagonal and a nonzero entry suffice")
assert not report.holds
