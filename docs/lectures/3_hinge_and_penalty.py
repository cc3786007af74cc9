# %% [markdown]
# # 3. Hinge and penalty: what λ does
#
# This lecture follows a set of slides, *Overview: Support Vector Machines, Maximising Margin, Gradient
# Descent for SVMs*, which comes to the machine from logistic regression: change the loss, add a penalty,
# find the margin in it, and descend. The line under a heading names the slides. [One path](path.html) says what to read before
# and after.
#
# Letters: the slides' $\theta$ is $w$ here, with the constant feature's $\theta_0$ called $b$; $m$ samples
# are $n$.

# %% [markdown]
# ## From logistic regression | Slides: Logistic regression: choice of cost function
#
# A linear classifier answers $\operatorname{sign}(w^\top x + b)$. Logistic regression chooses its
# parameters by the mean of $\log(1 + e^{-z})$ over the margins $z_i = y_i (w^\top x_i + b)$. Divided by
# $\log 2$ the loss is 1 at $z = 0$, which makes it comparable with counting errors; the minimiser is the
# same. Whoever is far on the right side pays little, but never nothing.

# %%
# Figure: The loss of logistic regression divided by $\log 2$: at $z = 0$ it is 1, far on the right side it is small and never zero.
# Alt: A smooth curve over the margin z that falls from about 5 at minus 3 through 1 at zero towards zero; the zero-one step lies below it everywhere.
import numpy as np

from maxmargin.losses import Hinge, Logistic, ZeroOne
from maxmargin.plots import LossDisplay

z = np.linspace(-6, 6, 1201)
scaled = Logistic(scaled=True).value(z)

LossDisplay.from_losses({"logistic / log 2": Logistic(scaled=True), "zero-one": ZeroOne()}).plot()

assert np.isclose(Logistic(scaled=True).value(0.0), 1)
assert np.allclose(scaled * np.log(2), Logistic().value(z))
assert np.all(scaled > 0)
assert scaled[z >= 5].max() < 0.01
assert np.all(scaled >= ZeroOne().value(z))

# %% [markdown]
# ## The hinge instead | Slides: SVM: choice of cost function
#
# The support vector machine uses $\max(0, 1 - z)$. Two things are new: the loss has a kink, and it is
# exactly zero for everyone with $z \ge 1$, that is with a score of at least $1$ or at most $-1$ on the
# right side.

# %%
# Figure: Hinge, scaled logistic loss and the zero-one loss; on the right their slopes. The hinge has one kink, and is exactly zero from 1 on.
# Alt: Left, three curves over the margin: the zero-one step, the smooth logistic loss and the hinge, which meets the axis at 1. Right, slopes: the hinge jumps from minus one to zero at 1, the logistic one rises smoothly.
LossDisplay.from_losses(
    {"zero-one": ZeroOne(), "logistic / log 2": Logistic(scaled=True), "hinge": Hinge()}
).plot()

assert np.all(Hinge().value(z[z >= 1]) == 0)
assert np.all(Hinge().value(z[z < 1]) > 0)
low, high = Hinge().subdifferential(z)
assert z[low < high].round(9).tolist() == [1.0]  # one kink, at 1

# %% [markdown]
# ## Scaling up is cheating | Slides: SVM: choice of cost function (why a penalty)
#
# Take any $(w, b)$ that has every sample on its side, and multiply it by 10 and by 100. The boundary does
# not move, but margins grow beyond 1 and the mean hinge falls to exactly zero. Without a penalty the
# minimum says nothing about which boundary is good.

# %%
# Figure: One boundary, three descriptions of it: $\theta$, $10\,\theta$ and $100\,\theta$. Bars are the mean hinge, which falls to zero although no line has moved.
# Alt: Three bars: the mean hinge is 0.86 for theta, 0.07 for 10 theta and zero for 100 theta.
from matplotlib import pyplot

from maxmargin.models import Hyperplane, Margins

rng = np.random.default_rng(3)
X = np.vstack([rng.normal(size=(25, 2)) * 0.8 - 1.6, rng.normal(size=(25, 2)) * 0.8 + 1.6])
y = np.repeat([-1, 1], 25)

theta = Hyperplane(w=[0.06, 0.03], b=0.0)
losses = {}
for factor in (1, 10, 100):
    margins = Margins(theta.scaled(factor), X, y)
    losses[factor] = margins.slack.mean()
    print(f"{factor:3} theta: mean hinge {losses[factor]:.4f}, margin {margins.smallest:.4f}")

figure, axes = pyplot.subplots(figsize=(4.6, 2.2), layout="constrained")
axes.bar([r"$\theta$", r"$10\,\theta$", r"$100\,\theta$"], losses.values(), color="#56B4E9")
axes.set(ylabel="mean hinge")

assert Margins(theta, X, y).smallest > 0
assert losses[1] > losses[10] > losses[100] == 0
for factor in (10, 100):
    assert np.array_equal(np.sign(theta.scaled(factor).score(X)), np.sign(theta.score(X)))
    assert np.isclose(Margins(theta.scaled(factor), X, y).smallest, Margins(theta, X, y).smallest)

# %% [markdown]
# So large parameters must cost something. The slides' cost function is
#
# $$ J(w, b) = \frac1n \sum_{i=1}^n \max\bigl(0,\;1 - y_i (w^\top x_i + b)\bigr) + \lambda\,w^\top w,
#    \qquad \lambda > 0. $$
#
# Along the ray of all multiples of $\theta$ it now has a lowest point.

# %%
# Figure: $J$ along the ray of all multiples of $\theta$. The mean hinge alone falls to zero and stays there; with the penalty there is a best factor, marked.
# Alt: Two curves over the factor before theta from 1 to 200 on a logarithmic axis. The dashed one falls from 0.87 to zero at about 30. The solid one falls with it, has a lowest point at about 17, and climbs steeply afterwards.
from maxmargin.problems import LAMBDA_MEAN, Objective

lam = 0.02
J = Objective(X, y, Hinge(), lam, convention=LAMBDA_MEAN)
parameters = np.append(theta.w, theta.b)
assert np.isclose(J.value(parameters), losses[1] + lam * theta.w @ theta.w)

factors = np.geomspace(1, 200, 400)
with_penalty = np.array([J.value(k * parameters) for k in factors])
without = np.array([Margins(theta.scaled(k), X, y).slack.mean() for k in factors])
figure, axes = pyplot.subplots(figsize=(6.2, 3.0), layout="constrained")
axes.semilogx(factors, without, "--", label="mean hinge alone")
axes.semilogx(factors, with_penalty, label=rf"with the penalty, $\lambda = {lam}$")
axes.plot(factors[np.argmin(with_penalty)], with_penalty.min(), "o")
axes.set(xlabel=r"factor before $\theta$", ylabel="$J$", ylim=(0, 1))
axes.legend()

assert without.min() == 0
assert np.all(np.diff(without) <= 0)
assert 0 < np.argmin(with_penalty) < 399

# %% [markdown]
# ## The margin, and who determines it | Slides: Maximising margin
#
# Many lines separate, and the idea is to take the one with the widest margin.
# The margin is determined by the samples that touch its edges, and by no others; and the hinge part of $J$
# depends only on samples with $z < 1$.

# %%
# Figure: The widest margin. The samples that touch it, ringed, determine it; all others could be taken away.
# Alt: Two separated clouds with boundary, dashed margin lines and tinted regions; two or three ringed points lie on the dashed lines.
from maxmargin import HardMarginSVC
from maxmargin.plots import BoundaryDisplay

widest = HardMarginSVC(kernel="linear").fit(X, y)
BoundaryDisplay.from_estimator(
    widest, X, y, feature_names=["$x_1$", "$x_2$"], title="the widest margin"
).plot()

touching = widest.support_
alone = HardMarginSVC(kernel="linear").fit(X[touching], y[touching])
print(f"{len(touching)} of {len(X)} samples touch the margin")
assert np.allclose(alone.coef_, widest.coef_)
assert np.allclose(alone.intercept_, widest.intercept_)

some = np.array([0.5, 0.4, 0.1])
counted = J.arguments(some) < 1
of_these = Hinge().value(J.arguments(some))[counted].sum() / len(y)
assert np.isclose(J.value(some) - lam * some[:2] @ some[:2], of_these)

# %% [markdown]
# ```{lab} lesson=3-margin
# :title: The lab: two clouds with an outlier that turns the boundary when C is large
#
# Who determines the margin, when one sample is an outlier? With a small $C$ its force is bounded and the boundary
# stays; raise $C$ step by step until it turns.
# ```

# %% [markdown]
# ## The margin of one sample | Slides: Maximising margin (the parallel line)
#
# The line through $x_i$ parallel to the boundary is $w^\top x + b = c$ with $c = w^\top x_i + b$; if the sample
# is on its side, $|c| = y_i (w^\top x_i + b)$, because $y_i$ is its sign. The distance of the two lines is
# $|c| / \sqrt{w^\top w}$. To make it large is to make its negative small.

# %%
# Figure: The boundary $w^\top x + b = 0$ and its parallel $w^\top x + b = c$ through one sample. They are $|c| / \sqrt{w^\top w}$ apart.
# Alt: Points of two clouds with a solid boundary line and a dashed line parallel to it through one ringed orange point; a double arrow at right angles between the lines is labelled with their distance.
plane = Hyperplane.of(widest)
c = plane.score(X)
shifted_by = 30  # the number of the sample
parallel = Hyperplane(plane.w, plane.b - c[shifted_by])
figure, axes = pyplot.subplots(figsize=(5.0, 3.6), layout="constrained")
axes.scatter(*X.T, c=np.where(y < 0, "#0072B2", "#D55E00"), s=14)
axes.scatter(*X[shifted_by], s=110, fc="none", ec="black")
along = np.array([-plane.normal[1], plane.normal[0]])
for one, dash, name in (
    (plane, "-", "$w^\\top x + b = 0$"),
    (parallel, "--", "$w^\\top x + b = c$"),
):
    axes.axline(
        one.project([0.0, 0.0]), one.project([0.0, 0.0]) + along, ls=dash, color="black", label=name
    )
ends = {"xytext": plane.project(X[shifted_by]), "xy": X[shifted_by]}
axes.annotate("", **ends, arrowprops={"arrowstyle": "<->", "shrinkA": 0, "shrinkB": 0})
gap = abs(c[shifted_by]) / plane.norm
axes.text(*(plane.project(X[shifted_by]) + 0.3 * gap * plane.normal + 0.1), f"  {gap:.2f}")
axes.set(xlabel="$x_1$", ylabel="$x_2$", aspect="equal", xlim=(-3.5, 3.5), ylim=(-3.5, 3.5))
axes.legend(loc="lower left")

assert np.isclose(parallel.score(X[shifted_by]), 0)
assert np.allclose(np.abs(c), y * c)
assert np.allclose(np.abs(c) / np.sqrt(plane.w @ plane.w), Margins(plane, X, y).geometric)
shifted = Hyperplane(plane.w, plane.b - c[0])  # the parallel through the first sample
assert np.isclose(shifted.score(X[0]), 0)
assert np.isclose(abs(plane.distance(shifted.project([0.0, 0.0]))), abs(c[0]) / plane.norm)

# %% [markdown]
# ## What λ does | Slides: Maximising margin (trade-off)
#
# A small $\lambda$ reduces the errors and leads to a narrow margin; a large $\lambda$ tolerates errors and leads
# to a wide one. On two clouds that overlap:

# %%
# Figure: Two overlapping clouds for three values of $\lambda$: the larger, the wider the margin, and the more of the loss is tolerated.
# Alt: Three panels with two overlapping clouds, boundary and dashed margin lines. For lambda of 0.001 the band is narrow, for 0.1 wide, for 1 it covers nearly all points.
from maxmargin import SVC
from maxmargin.plots import ComparisonDisplay
from maxmargin.problems import HALF_SUM, convert

overlap = np.vstack([rng.normal(size=(60, 2)) - 0.9, rng.normal(size=(30, 2)) + 0.9])
kinds = np.repeat([-1, 1], [60, 30])
path = np.array([0.001, 0.1, 1.0])
widths, errors, hinges = [], [], []
models = {}
for lam in path:
    C = convert(lam, len(kinds), source=LAMBDA_MEAN, target=HALF_SUM)
    model = models[rf"$\lambda$ = {lam:g}"] = SVC(kernel="linear", C=C).fit(overlap, kinds)
    line = Margins(Hyperplane.of(model), overlap, kinds)
    widths.append(1 / line.plane.norm)
    errors.append(int((line.functional <= 0).sum()))
    hinges.append(line.slack.mean())
    print(
        f"lambda = {lam:6g}: margin {widths[-1]:6.3f}, mean hinge {hinges[-1]:.3f}, "
        f"{errors[-1]} errors"
    )
ComparisonDisplay.from_estimators(overlap, kinds, models).plot(support=False, slack=False)

assert np.all(np.diff(widths) > 0)  # more lambda, more margin
assert np.all(np.diff(hinges) > 0)  # and more loss
assert errors[-1] > errors[0]  # in the end, more errors

# %% [markdown]
# "Tends to" is the right word for the errors: what must rise with $\lambda$ is the loss. The number of
# errors follows only by and large.

# %% [markdown]
# ```{lab} lesson=3-c
# :title: The lab: the dual variables as piecewise linear functions of C
#
# What $\lambda$ does, without gaps between its values: $C = 1 / \lambda$, and every dual variable is piecewise linear
# in it. Follow them from where all are at their bound to where nothing changes any more.
# ```

# %% [markdown]
# ## The machine in four lines | Slides: SVM summary
#
# Hypothesis: $\operatorname{sign}(w^\top x + b)$. Parameters: $w$ and $b$. Cost: $J$ above. Goal: its minimum.
# The estimators' $C$ and the slides' $\lambda$ are one parameter: $C = 1 / (2 \lambda n)$. (Four lines need no picture; the two of the section before
# show what they do.)

# %%
lam, n = 0.02, len(kinds)
assert np.isclose(convert(lam, n, source=LAMBDA_MEAN, target=HALF_SUM), 1 / (2 * lam * n))

# %% [markdown]
# ## A subgradient | Slides: Gradient descent for SVMs
#
# $J$ is not differentiable, but it has subgradients. That of $\max(0, 1 - z)$ is $-1$ for $z \le 1$ and $0$
# for $z > 1$: this course takes the steep side at the kink. By the chain rule, with
# $\partial (1 - y\,w^\top x) / \partial w_j = -y\,x_j$,
#
# $$ \frac{\partial J}{\partial w_j} = 2 \lambda w_j
#    - \frac1n \sum_{i=1}^n y_i\,x_{ij}\;\mathbb{1}\bigl[\,y_i (w^\top x_i + b) \le 1\,\bigr], $$
#
# where $\mathbb{1}[\cdot]$ is 1 if what it holds is true and 0 otherwise. (One slide has lost the minus sign in the middle; see the
# [errata](errata.html).)
#
# **And $\theta_0$?** The slides add the penalty $\sum_{j=1}^n \theta_j^2$, without the bias, but their update runs over $j = 0, \dots, n$ with
# $2 \lambda \theta_j$ in each, the bias included. Both are legitimate, and they are two objectives. We keep the penalty as printed, so that the derivative by $b$
# has no $2 \lambda b$; the update as printed is the subgradient of the objective whose penalty has $b^2$ in it. The check below shows
# both.

# %%
# Figure: The hinge and all of its subgradients: $-1$ on the slope, 0 on the flat, and anything between at 1, where these slides take $-1$.
# Alt: Left, the hinge over the margin z. Right, its subdifferential: minus one up to 1, a vertical segment at 1, zero beyond.
from maxmargin.problems import lowest

J = Objective(overlap, kinds, Hinge(), lam, convention=LAMBDA_MEAN, choose=lowest)
with_ones = np.column_stack([overlap, np.ones(n)])
penalised = np.array([1, 1, 0])


def subgradient(w, penalised=penalised):
    """The formula above; the last weight is b."""
    counts = kinds * (with_ones @ w) <= 1
    return 2 * lam * penalised * w - (kinds * counts) @ with_ones / n


LossDisplay.from_losses({"hinge": Hinge()}).plot()
as_the_update = Objective(
    overlap, kinds, Hinge(), lam, convention=LAMBDA_MEAN.penalising_intercept(), choose=lowest
)


w = np.array([0.4, -0.3, 0.2])
step = 1e-7
numeric = [(J.value(w + step * e) - J.value(w - step * e)) / (2 * step) for e in np.eye(3)]
assert np.allclose(J.subgradient(w), subgradient(w))  # penalty from j = 1 on
assert np.allclose(as_the_update.subgradient(w), subgradient(w, np.ones(3)))  # update from j = 0
assert not np.allclose(subgradient(w), subgradient(w, np.ones(3)))
assert np.allclose(numeric, subgradient(w), atol=1e-6)

on_the_kink = np.array([0.0, 0.0, 1.0])  # there every positive sample has margin exactly 1
assert np.all(J.arguments(on_the_kink)[kinds > 0] == 1)
assert np.allclose(J.subgradient(on_the_kink), subgradient(on_the_kink))

# %% [markdown]
# ## Descending | Slides: Gradient descent for SVMs (the algorithm)
#
# Repeat $w \leftarrow w - \text{step} \cdot g$, with **all** coordinates computed before any is replaced. That
# is what the slides' temporary variables are for: updating in place would mix old and new coordinates.


# %%
# Figure: One step of size 3 from the same point, with temporary variables and without. The second coordinate of the step in place already sees the first
# one's new value, and the two ends differ.
# Alt: Plane of w1 and w2 with a start, a straight arrow to one end and a way of two axis-parallel pieces to another, clearly different end.
def together(w, size):
    """The slides' two loops: all coordinates into temporary variables, then all of them back."""
    temporary = np.zeros(3)
    for j in range(3):
        temporary[j] = w[j] - size * subgradient(w)[j]
    for j in range(3):
        w[j] = temporary[j]
    return w


def in_place(w, size):
    """One step that forgets the temporary variables."""
    w = w.copy()
    for j in range(3):
        w[j] -= size * subgradient(w)[j]
    return w


right, wrong = together(w.copy(), 3.0), in_place(w, 3.0)
figure, axes = pyplot.subplots(figsize=(4.8, 3.0), layout="constrained")
axes.plot(*np.array([w, right])[:, :2].T, "o-", label="together")
corner = [wrong[0], w[1]]
axes.plot(*np.array([w[:2], corner, wrong[:2]]).T, "s--", ms=4, label="in place")
axes.plot(*w[:2], "k*", ms=11)
axes.set(xlabel="$w_1$", ylabel="$w_2$")
axes.legend()

assert np.allclose(right, w - 3.0 * subgradient(w))
assert not np.allclose(wrong, right, atol=1e-2)

# %% [markdown]
# $J$ is convex, so it has no minimum besides the lowest. But does the iteration go downhill all the way? Not
# with a constant step: near kinks it hops from side to side, and every other step may climb. With steps
# that become smaller, and the best point kept, it converges, and a lower bound from the dual says how far
# away the optimum can be at most.
#
# A constant step is not slow, on the contrary: in the picture the size 0.1 leads from about step 300 to 1850. But then it has
# arrived at its level and stays there, while the falling steps go on. Averaging, which begins behind, gives up nothing in the end but a factor, and
# its points do not hop: they are the ones for which a gap can be computed.

# %%
# Figure: Distance from the minimum over 6,000 steps. Constant sizes stop at a level; falling ones pass them and go on.
# Alt: Four falling curves on a logarithmic scale. Constant 1 stays at 2e-5 and constant 0.1 at 1.5e-6 from early on; the falling steps cross that level near step 1850 and go on below 1e-6, the averaged ones a factor of four behind.
from maxmargin.optimizers import Average, Constant, Harmonic, minimize
from maxmargin.plots import TraceDisplay
from maxmargin.problems import soft_margin_primal
from maxmargin.solvers import solve_qp

exact = solve_qp(soft_margin_primal(overlap, kinds, lam, LAMBDA_MEAN))
start = np.zeros(3)
runs = {
    "constant 1": minimize(J, start, Constant(1.0), max_iter=6000),
    "constant 0.1": minimize(J, start, Constant(0.1), max_iter=6000),
    "falling, 1/t": minimize(J, start, Harmonic(1 / (2 * lam)), max_iter=6000),
    "falling, averaged": minimize(
        J, start, Harmonic(1 / (2 * lam)), rule=Average(power=2), max_iter=6000, certify=True
    ),
}
TraceDisplay.from_runs(runs, optimum=exact.value).plot()

climbs = {name: int((np.diff(run.trace["value"]) > 0).sum()) for name, run in runs.items()}
print(f"steps that climbed, of 6000: {climbs}")
averaged = runs["falling, averaged"]
print(f"best {averaged.value:.6f}, proven within {averaged.gap:.1e}; exact {exact.value:.6f}")

assert climbs["constant 1"] > 500
assert averaged.value - exact.value < 1e-3 * exact.value
assert averaged.lower_bound <= exact.value <= averaged.value
last = {name: run.trace["value"][-1] - exact.value for name, run in runs.items()}
assert last["falling, averaged"] < last["constant 1"]
best = {name: run.trace["best"] - exact.value for name, run in runs.items()}
leader = [min(best, key=lambda name: best[name][t]) for t in (400, 1500, 3000, 6000)]
assert leader == ["constant 0.1", "constant 0.1", "falling, 1/t", "falling, 1/t"]
assert best["constant 0.1"][1500] == best["constant 0.1"][6000]  # its level
assert best["falling, averaged"][6000] < best["constant 0.1"][6000]

# %% [markdown]
# ```{lab} lesson=3-descent
# :title: The lab: subgradient descent over the contours of the objective, with a choice of step rules
#
# Descend yourself: a constant step circles around the optimum, one that shrinks arrives. Look for steps that climb.
# ```

# %% [markdown]
# ## Curved boundaries from extra features | Slides: Nonlinear decision boundary
#
# Nothing says that the features must be the measurements. With $x_1^2$ and $x_2^2$ beside $x_1$ and $x_2$ the
# classifier predicts $+1$ where
#
# $$ b + w_1 x_1 + w_2 x_2 + w_3 x_1^2 + w_4 x_2^2 > 0, $$
#
# and the boundary is an ellipse, or another conic section with upright axes.

# %%
# Figure: Left: on $x_1$ and $x_2$ alone no line helps. Right: with $x_1^2$ and $x_2^2$ beside them the boundary is an ellipse.
# Alt: Two panels with an inner cloud of orange points and blue ones around it. Left, the whole picture is blue: the best line runs outside it. Right, an ellipse around the inner cloud.
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from maxmargin.kernels import PowerMap

disc = rng.normal(size=(150, 2)) * [1.6, 1.0]
inside = np.where((disc[:, 0] / 1.6) ** 2 + disc[:, 1] ** 2 < 1.2, 1, -1)
straight = SVC(kernel="linear", C=100)
curved = make_pipeline(FunctionTransformer(PowerMap(2)), SVC(kernel="linear", C=100))
ComparisonDisplay.from_estimators(
    disc, inside, {"$x_1$ and $x_2$": straight, "and their squares": curved}
).plot(slack=False, support=False)

curved.fit(disc, inside)
w1, w2, w3, w4 = curved[-1].coef_[0]
print(f"f = {curved[-1].intercept_[0]:.2f} {w1:+.2f} x1 {w2:+.2f} x2 {w3:+.2f} x1^2 {w4:+.2f} x2^2")
assert PowerMap(2)([[2.0, 3.0]]).tolist() == [[2, 3, 4, 9]]
assert max(w3, w4) < 0  # an ellipse, with the positives inside
assert curved.score(disc, inside) > 0.97
assert straight.fit(disc, inside).score(disc, inside) < 0.8

# %% [markdown]
# ## Algorithm card: hinge and penalty
#
# | part | linear support vector machine |
# | --- | --- |
# | type | supervised, binary classification |
# | model family | $\operatorname{sign}(w^\top x + b)$, on given or extra features |
# | objective | mean hinge loss plus $\lambda\,w^\top w$ |
# | optimizer | subgradient descent with falling steps |
# | probabilistic reading | none; the logistic loss in the same place has one |

# %% [markdown]
# ## Exercises
#
# Predict first, then type: numbers are judged on the page, whole ones exactly and others to one per cent.
#
# ### Exercise 1: the start
#
# What is $J$ at $w = 0$, $b = 0$, for any data and any $\lambda$? What follows for $\|w\|$ at the minimum?

# %% [markdown] tags=["solution"]
# Every margin is 0, every loss 1, so $J = 1$. The minimum is not higher, and its penalty alone is at most
# 1: $\|w\| \le 1 / \sqrt\lambda$.

# %% tags=["solution"]
answer = 1
assert J.value(np.zeros(3)) == answer
for lam_, model in zip(path, models.values(), strict=True):
    assert np.linalg.norm(model.coef_) <= 1 / np.sqrt(lam_)

# %% [markdown]
# ### Exercise 2: a very large λ
#
# Let both classes have the same number of samples. If $\lambda$ is so large that every margin is below 1,
# what is $w$? Find the formula from $\partial J / \partial w = 0$. Then: the classes have their means at $(2, 1)$ and $(-2, -1)$, and
# $\lambda = 5$. What is $w_1$?

# %% [markdown] tags=["solution"]
# Then every sample counts and $2 \lambda w = \frac1n \sum_i y_i x_i$: the weights point from the mean of one
# class to the mean of the other, like a classifier by nearest mean. With means $\pm(2, 1)$ the sum is $n\,(2, 1)$, and $w = (2, 1) / (2 \lambda) = (0.2, 0.1)$.

# %% tags=["solution"]
answer = 0.2
pair, signs = np.array([[2.0, 1.0], [-2.0, -1.0]]), np.array([1, -1])
assert np.isclose(solve_qp(soft_margin_primal(pair, signs, 5.0, LAMBDA_MEAN)).theta[0], answer)

large = 50.0
exact_large = solve_qp(soft_margin_primal(X, y, large, LAMBDA_MEAN))
assert np.all(Objective(X, y, Hinge(), large).arguments(exact_large.theta[:3]) < 1 + 1e-6)
assert np.allclose(exact_large.theta[:2], (y @ X) / (2 * large * len(y)), atol=1e-7)

# %% [markdown]
# ### Exercise 3: which side of the kink?
#
# These slides take $-1$ at $z = 1$, other courses 0. Start both at $w = 0$, $b = 1$, where all positive
# samples sit on the kink. Do the first steps differ? Do the limits? Type how many of the 90 samples are on the kink.

# %% [markdown] tags=["solution"]
# All 30 positive ones: their score is 1. So the first steps differ, by the sum of 30 samples; the limits do not, because any choice in the
# subdifferential leads to the minimum.

# %% tags=["solution"]
flat_side = Objective(overlap, kinds, Hinge(), lam, convention=LAMBDA_MEAN)
answer = int(np.sum(J.arguments(on_the_kink) == 1))
assert answer == 30
assert not np.allclose(flat_side.subgradient(on_the_kink), J.subgradient(on_the_kink))
ends = [
    minimize(
        objective, on_the_kink, Harmonic(1 / (2 * lam)), rule=Average(power=2), max_iter=2000
    ).value
    for objective in (J, flat_side)
]
assert np.allclose(ends, exact.value, rtol=2e-3)

# %% [markdown]
# ### Exercise 4: the other feature that is missing
#
# Make data whose classes are separated by the diagonal cross $x_1 x_2 > 0$. Do the squares help? Which extra
# feature does? Then, for the four corners $(\pm2, \pm2)$ of such a cross and that feature alone: what is $w$ of the hard margin?

# %% [markdown] tags=["solution"]
# Squares are the same in all four quadrants and do not help; the product $x_1 x_2$ does. At the corners it is $\pm4$, and the hard margin has $w \cdot 4 = 1$: $w = 0.25$.

# %% tags=["solution"]
cross = rng.uniform(-1, 1, size=(200, 2))
quadrant = np.where(cross[:, 0] * cross[:, 1] > 0, 1, -1)
squares = SVC(kernel="linear", C=100).fit(PowerMap(2)(cross), quadrant)
product = SVC(kernel="linear", C=10_000).fit(cross.prod(axis=1, keepdims=True), quadrant)
answer = 0.25
corners = np.array([[4.0], [-4.0]])
assert np.isclose(HardMarginSVC(kernel="linear").fit(corners, [1, -1]).coef_[0, 0], answer)
assert squares.score(PowerMap(2)(cross), quadrant) < 0.8
assert product.score(cross.prod(axis=1, keepdims=True), quadrant) > 0.97

# %% [markdown]
# ### Exercise 5: from λ to C
#
# These slides' $\lambda = 0.02$ on 90 samples: which $C$ does `SVC` need for the same machine?

# %% [markdown] tags=["solution"]
# $C = 1 / (2 \lambda n) = 1 / 3.6 \approx 0.278$: multiply $J$ by $1 / (2 \lambda)$ and read off the factor before the sum of the losses.

# %% tags=["solution"]
answer = 1 / 3.6
assert np.isclose(convert(0.02, 90, source=LAMBDA_MEAN, target=HALF_SUM), answer)

# %% [markdown]
# ### Exercise 6: how far to cheat
#
# A separating $\theta$ has the smallest functional margin 0.04. From which factor on is its mean hinge zero?

# %% [markdown] tags=["solution"]
# From $1 / 0.04 = 25$ on: then the smallest margin is 1, and nobody pays.

# %% tags=["solution"]
answer = 25
small = theta.scaled(0.04 / Margins(theta, X, y).functional.min())
assert Margins(small.scaled(25.001), X, y).total_slack == 0
assert Margins(small.scaled(24.9), X, y).total_slack > 0
