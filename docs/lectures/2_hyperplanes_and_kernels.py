# %% [markdown]
# # 2. Hyperplanes and kernels: the whole road
#
# This lecture follows *CMPSC 448, Lecture 11: Support Vector Machines* (R. Zhang, Penn State, 2021),
# slide group by slide group and in our own words: the geometry of hyperplanes, the hard and the soft
# margin, the hinge, stochastic subgradients, and kernels by way of the dual. The line under a heading
# names the slides. Claims that can be checked are checked by the code beside them. [One path](path.html) says what to read before and
# after.

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
# Figure: Left: in the plane a hyperplane is a line; its normal $w$ points into the half on which scores are positive. Right: in space it
# is a plane.
# Alt: Left, a straight line falling to the right with an arrow at right angles to it; the side of the arrow is tinted orange and marked plus, the other blue and marked minus. Right, a tilted plane in a three-dimensional box with its normal vector.
import numpy as np
from matplotlib import pyplot

from maxmargin.models import Hyperplane

plane = Hyperplane(w=[1.0, 2.0], b=-2.0)

figure = pyplot.figure(figsize=(8.4, 3.2), layout="constrained")
axes = figure.add_subplot(1, 2, 1)
across = np.linspace(-2, 5, 2)
axes.fill_between(across, (2 - across) / 2, 4, color="#D55E00", alpha=0.15)
axes.fill_between(across, (2 - across) / 2, -2, color="#0072B2", alpha=0.15)
axes.plot(across, (2 - across) / 2, color="black")
axes.annotate("", (2.0, 2.0), (1.0, 0.5), arrowprops={"arrowstyle": "-|>", "lw": 2, "shrinkA": 0})
axes.text(1.1, 1.6, "$w$", fontsize=12)
axes.text(3.4, 1.5, r"$w^\top x + b > 0$")
axes.text(-1.5, -1.2, r"$w^\top x + b < 0$")
axes.set(xlim=(-2, 5), ylim=(-2, 3), xlabel="$x_1$", ylabel="$x_2$", aspect="equal")
space = figure.add_subplot(1, 2, 2, projection="3d")
u1, u2 = np.meshgrid(np.linspace(-1, 1, 9), np.linspace(-1, 1, 9))
space.plot_surface(u1, u2, -0.5 * u1 - 0.3 * u2, color="#56B4E9", alpha=0.5)
space.quiver(0, 0, 0, 0.5, 0.3, 1.0, color="black", lw=2)
space.set(xlabel="$x_1$", ylabel="$x_2$", zlabel="$x_3$", zlim=(-1, 1))

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
# Figure: Two clouds of thirty points, and one of the lines that have each on its own side.
# Alt: Blue circles around (minus 3, minus 3) and orange squares around (3, 3), far apart, with a straight line from upper left to lower right between them.
from maxmargin.models import Margins

rng = np.random.default_rng(11)
X = np.vstack([rng.normal(size=(30, 2)) - 3, rng.normal(size=(30, 2)) + 3])
y = np.repeat([-1, 1], 30)

diagonal = Hyperplane([1.0, 1.0])


def scatter(axes, points, labels, size=22):
    """Draw the points of both classes."""
    for label, colour, marker in ((-1, "#0072B2", "o"), (1, "#D55E00", "s")):
        axes.scatter(
            *points[labels == label].T, s=size, c=colour, marker=marker, ec="white", lw=0.5
        )
    axes.set(xlabel="$x_1$", ylabel="$x_2$", aspect="equal")


def line(axes, plane, shift=0.0, **look):
    """Draw a hyperplane of the plane, moved along its normal."""
    foot = plane.project([0.0, 0.0]) + shift * plane.normal
    axes.axline(foot, foot + np.array([-plane.normal[1], plane.normal[0]]), **look)


figure, axes = pyplot.subplots(figsize=(4.6, 3.8), layout="constrained")
scatter(axes, X, y)
line(axes, diagonal, color="black")
assert Margins(diagonal, X, y).smallest > 0

# %% [markdown]
# ## The perceptron as a linear program | Slides: Perceptron as linear programming
#
# To ask for separation and for nothing else is a linear program whose objective is zero: find any
# $(w, b)$ with $y_i (w^\top x_i + b) \ge 0$. As it stands, $w = 0$ and $b = 0$ satisfy it, because
# $0 \ge 0$. With 1 on the right-hand side the zero vector is out and nothing else is lost, because any
# separating $(w, b)$ can be scaled up. [Lecture 4](4_perceptron_to_svm.html) has more on this.

# %%
# Figure: All $w$ that separate the two clouds by a line through the origin ($b = 0$). With 0 on the right-hand side they are a cone, and its tip
# $w = 0$ belongs to it; with 1 the tip is cut off.
# Alt: Plane of w1 and w2. A tinted cone opens to the upper right from the origin, which is marked by a cross. A darker region inside it begins away from the origin, behind a bent line.
from maxmargin.problems import separation
from maxmargin.solvers import LPStatus, solve_lp

assert separation(X, y, margin=0).is_feasible([0, 0, 0])
assert not separation(X, y, margin=1).is_feasible([0, 0, 0])

found = solve_lp(separation(X, y, margin=1))

figure, axes = pyplot.subplots(figsize=(4.4, 3.4), layout="constrained")
w1, w2 = np.meshgrid(np.linspace(-0.6, 1.6, 221), np.linspace(-0.6, 1.6, 221))
smallest = (np.stack([w1, w2], axis=-1) @ (X * y[:, None]).T).min(axis=-1)
axes.contourf(w1, w2, smallest, levels=[0, 1, np.inf], colors=["#56B4E944", "#0072B288"])
axes.contour(w1, w2, smallest, levels=[0, 1], colors="#0072B2")
axes.plot(0, 0, "x", color="black")
axes.set(xlabel="$w_1$", ylabel="$w_2$", aspect="equal")

assert Margins(Hyperplane(found.w, found.b), X, y).smallest > 0

swapped = y.copy()  # two points with the wrong label
swapped[[0, 30]] = swapped[[30, 0]]
assert solve_lp(separation(X, swapped, margin=1)).status is LPStatus.INFEASIBLE

# %% [markdown]
# ## Which hyperplane? | Slides: Linear classifiers: which hyperplane?
#
# The perceptron takes the samples in some order and stops at the first hyperplane without mistakes.
# Two hundred orders, and many of them lead to a hyperplane of their own; all of the answers are "right". Which has the smallest error on
# new points? Since we know how these clouds were made, the error of a line can be computed exactly, from the normal
# distribution.

# %%
# Figure: Left: the lines at which two hundred runs of the perceptron stopped. Right: their margins on the sample, and their exact error on new
# points. A wider margin mostly means a smaller error; the star is the widest of all lines.
# Alt: Left, the two clouds with dozens of grey lines of different slopes passing between them, some almost touching points. Right, dots for the lines: error on a logarithmic scale falls as the margin grows; a star at the largest margin is among the lowest.
from scipy.stats import norm

from maxmargin import HardMarginSVC
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


def error(plane, distance=3.0):
    """Share of new points on the wrong side, for clouds at -distance and +distance."""
    centre = np.full(2, distance)
    return (norm.cdf(-plane.distance(centre)) + norm.cdf(plane.distance(-centre))) / 2


widest = HardMarginSVC(kernel="linear").fit(X, y)
best = Hyperplane.of(widest)
errors = np.array([error(run) for run in runs])
better = np.mean(errors > error(best))
print(
    f"errors from {errors.min():.1e} to {errors.max():.1e}; the widest line has {error(best):.1e}"
)
print(f"and beats {better:.0%} of the perceptrons")

figure, (left, right) = pyplot.subplots(1, 2, figsize=(8.6, 3.4), layout="constrained")
for run in runs:
    line(left, run, color="grey", lw=0.4)
scatter(left, X, y)
right.semilogy(margins, errors, "o", ms=4, color="#56B4E9", mec="#0072B2")
right.semilogy(widest.margin_[0], error(best), "*", ms=13, color="#D55E00")
right.set(xlabel="margin on the sample", ylabel="error on new points")
assert better > 0.7
assert np.corrcoef(margins, np.log(errors))[0, 1] < -0.5

assert np.all(margins > 0)
assert np.ptp(angles) > 10

# %% [markdown]
# ```{lab} lesson=2-which
# :title: The lab: two clouds, the widest margin and the points that hold it
#
# How many of the 60 points hold the widest margin? Count the rings, then erase one of the ringed points, and one of the
# others.
# ```

# %% [markdown]
# ## Confidence and margin | Slides: The measure of confidence; Classifier margin
#
# The farther a point is on its side, the surer the classifier: $y\,(w^\top x + b)$ measures it, in units
# of $\|w\|$. The **margin** of a hyperplane on a sample is its distance to the nearest point. Here are the
# perceptron with the smallest margin, the one with the largest, and the hyperplane whose margin no other
# exceeds.

# %%
# Figure: The perceptron with the narrowest margin, the one with the widest, and the line whose margin no other exceeds. The band is the margin.
# Alt: Three panels with the two clouds. Left, a thin band that leans against one cloud; middle, a wider band; right, the widest, straight across the gap and touched by three ringed points.
from maxmargin.plots import BoundaryDisplay, ComparisonDisplay

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
# ## Why a large margin? | Slides: Why maximum margin classifiers?; Maximum margin classifier
#
# **Theory.** The *VC dimension* of a family is the largest number of points that it can label in every possible way. Lines in the
# plane can do so with three points, but not with four; hyperplanes in $\mathbb{R}^d$ with $d + 1$. The more a family can
# do, the more samples one needs to trust it. Now ask for a margin: hyperplanes that keep a distance $\gamma$ from all points of
# a ball of radius $R$ can label at most about $R^2 / \gamma^2 + 1$ of them freely, *whatever $d$ is*. That is related to
# the wish for a large margin, and not a proof of it: the family here must be fixed before the data are seen, and the margin is known
# only afterwards.

# %%
from itertools import product

triangle, square = np.array([[0, 0], [1, 0], [0, 1]]), np.array([[0, 0], [1, 1], [0, 1], [1, 0]])
done = {
    len(points): sum(
        solve_lp(separation(points, signs, margin=1)).status is LPStatus.SOLVED
        for signs in product([-1, 1], repeat=len(points))
        if len(set(signs)) == 2
    )
    for points in (triangle, square)
}
print(f"labellings with both signs that a line can make: {done[3]} of 6, and {done[4]} of 14")
assert done == {3: 6, 4: 12}  # the two of the exclusive or are missing

# %% [markdown]
# **Experience.** Two hundred times, draw ten points from each cloud, now moved closer together, and compare the largest margin with
# the perceptron by their exact errors.

# %%
# Figure: Exact errors of both on two hundred small samples. Below the diagonal the largest margin is better.
# Alt: A scatter plot of the error of the largest margin over the error of the perceptron, both on logarithmic scales. Most dots lie below the diagonal line.
pairs = []
while len(pairs) < 200:
    few = rng.normal(size=(20, 2)) + 1.8 * np.repeat([-1, 1], 10)[:, None]
    signs = np.repeat([-1, 1], 10)
    if solve_lp(separation(few, signs, margin=1)).status is not LPStatus.SOLVED:
        continue
    run = perceptron(few, signs, max_passes=10_000)
    wide = Hyperplane.of(HardMarginSVC(kernel="linear").fit(few, signs))
    pairs.append([error(Hyperplane(run.w, run.b), 1.8), error(wide, 1.8)])
of_perceptron, of_widest = np.transpose(pairs)
print(
    f"better in {np.mean(of_widest < of_perceptron):.0%} of the samples; mean error "
    f"{of_widest.mean():.4f} against {of_perceptron.mean():.4f}"
)

figure, axes = pyplot.subplots(figsize=(4.4, 3.4), layout="constrained")
axes.loglog(of_perceptron, of_widest, "o", ms=4, color="#56B4E9", mec="#0072B2")
axes.axline((0.01, 0.01), (0.1, 0.1), color="grey", lw=0.8)
axes.set(xlabel="error of the perceptron", ylabel="error of the largest margin")
assert np.mean(of_widest < of_perceptron) > 0.6
assert of_widest.mean() < of_perceptron.mean()

# %% [markdown]
# ## Noise that it tolerates | Slides: Why maximum margin classifiers? (the balls)
#
# Let every point be displaced by noise of length $r$ in the worst direction, straight towards the
# boundary. The sample survives if $r$ is less than the margin: the margin is the radius of a ball around
# each point in which it may be anywhere. The hyperplane with the largest margin tolerates most.

# %%
# Figure: Balls of one radius around every point: the largest with which all points stay on their side. Left for the perceptron with the
# narrowest margin, right for the largest margin.
# Alt: Two panels with the clouds as overlapping discs. Left, discs of radius 1.89 and a steep line that touches the lower cloud's and leaves room beside the other. Right, discs of radius 2.79 and a line that touches both.
r = 0.999 * widest.margin_[0]


def mistakes_under_noise(plane):
    """Count the points that noise of length r can bring to the other side."""
    worst = X - r * y[:, None] * plane.normal
    return int((Margins(plane, worst, y).functional <= 0).sum())


print({name: mistakes_under_noise(plane) for name, plane in chosen.items()})
assert mistakes_under_noise(best) == 0
assert all(mistakes_under_noise(run) > 0 for run in runs)

figure, panels = pyplot.subplots(1, 2, figsize=(8.4, 4.0), layout="constrained", sharey=True)
for axes, name in zip(panels, ("perceptron, narrow", "largest margin"), strict=True):
    radius = Margins(chosen[name], X, y).smallest
    for point, label in zip(X, y, strict=True):
        colour = "#0072B2" if label < 0 else "#D55E00"
        axes.add_patch(pyplot.Circle(point, radius, fc=colour, ec=colour, alpha=0.05))
    scatter(axes, X, y, size=10)
    line(axes, chosen[name], color="black")
    axes.set(xlim=(-7, 7), ylim=(-7, 7), title=f"{name}: radius {radius:.2f}")

# %% [markdown]
# ## The distance of a point from a hyperplane | Slides: Point-plane distance
#
# Let $z_0$ be the foot of the perpendicular from $z$. Then $z = z_0 + r\,w / \|w\|$ for some number $r$, and
#
# $$ w^\top z + b = \underbrace{w^\top z_0 + b}_{0} + r\,\frac{w^\top w}{\|w\|} = r\,\|w\|,
#    \qquad |r| = \frac{|w^\top z + b|}{\|w\|}. $$

# %%
# Figure: The point $z$, its foot $z_0$ on the line, and the way between them: $r$ times the unit normal.
# Alt: A line falling to the right, a point z above it, and a segment at right angles from z down to its foot z0, labelled r; a short arrow along the segment is the unit normal.
z = np.array([3.0, 1.0])
r_of_z = plane.distance(z)
foot = plane.project(z)
along = np.array([-plane.w[1], plane.w[0]])  # a vector in the line
on_the_line = foot + np.linspace(-5, 5, 10_001)[:, None] * along
figure, axes = pyplot.subplots(figsize=(4.8, 3.0), layout="constrained")
line(axes, plane, color="black")
axes.plot(*np.array([z, foot]).T, "--", color="#D55E00")
axes.plot(*z, "o", color="#D55E00")
axes.plot(*foot, "o", color="black")
axes.annotate(
    "", foot + plane.normal, foot, arrowprops={"arrowstyle": "-|>", "lw": 2, "shrinkA": 0}
)
for where, text in ((z, "$z$"), (foot, "$z_0$"), ((z + foot) / 2, f"  $r$ = {r_of_z:.2f}")):
    axes.annotate(text, where, (8, 4), textcoords="offset points", fontsize=11)
axes.set(xlim=(-0.5, 5), ylim=(-1.2, 2), xlabel="$x_1$", ylabel="$x_2$", aspect="equal")

assert np.isclose(abs(r_of_z), abs(plane.w @ z + plane.b) / np.linalg.norm(plane.w))
assert np.isclose(np.linalg.norm(on_the_line - z, axis=1).min(), abs(r_of_z))  # no point is nearer

# %% [markdown]
# ## The margin of any hyperplane, and the best | Slides: Margin of an arbitrary hyperplane; Maximum margin classifier
#
# So the margin of $(w, b)$ on the sample is $\min_i |w^\top x_i + b| / \|w\|$, and we want it as large as
# possible among the hyperplanes that make no mistake:
#
# $$ \max_{w, b}\;\min_i \frac{|w^\top x_i + b|}{\|w\|}
#    \quad\text{subject to}\quad y_i (w^\top x_i + b) \ge 0. $$

# %%
# Figure: Margins of two thousand lines near the best one (negative if a point is on the wrong side), from $-3$ to 3, and the optimum, dashed: none gets there.
# Alt: A histogram of margins from minus 3 to 3 that grows towards the right and ends just before a dashed vertical line at the optimum, 2.79.
distances = np.abs(X @ best.w + best.b) / np.linalg.norm(best.w)
assert np.isclose(distances.min(), widest.margin_[0])

around = rng.normal(size=(2000, 3)) * 0.3 + np.append(best.w, best.b)
candidates = [Margins(Hyperplane(t[:2], t[2]), X, y).smallest for t in around]
print(f"best of 2000 hyperplanes nearby: {max(candidates):.4f}, the optimum: {distances.min():.4f}")

figure, axes = pyplot.subplots(figsize=(6.0, 2.5), layout="constrained")
axes.hist(candidates, bins=np.linspace(-3, 3, 61), color="#56B4E9")
axes.axvline(distances.min(), color="#D55E00", ls="--")
axes.set(xlabel="margin", ylabel="lines")
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
# Figure: The score along the normal, for $(w, b)$ and two multiples of it. All vanish at the same place; only one has the score 1 at the nearest
# points.
# Alt: Three straight lines through one zero with different slopes over the signed distance from the boundary. Points of both classes on the axis; at the nearest ones the middle line has the heights minus one and one, marked by dots.
for alpha in (0.01, 7.0):
    assert np.allclose(best.scaled(alpha).distance(X), best.distance(X))
assert np.isclose(Margins(best, X, y).functional.min(), 1)
assert np.isclose(1 / best.norm, distances.min())

figure, axes = pyplot.subplots(figsize=(6.2, 2.8), layout="constrained")
reach = np.linspace(-4, 4, 2)
for alpha, dash in ((0.5, ":"), (1.0, "-"), (2.0, "--")):
    axes.plot(reach, alpha * best.norm * reach, dash, color="black", label=f"${alpha:g} (w, b)$")
edge = distances.min()
axes.plot([-edge, edge], [-1, 1], "o", color="#009E73")
axes.scatter(best.distance(X), 0 * y, c=np.where(y < 0, "#0072B2", "#D55E00"), s=14, zorder=3)
axes.axhline(0, color="grey", lw=0.8)
axes.set(xlabel="signed distance from the boundary", ylabel="score", xlim=(-4, 4), ylim=(-4, 4))
axes.legend()

# %% [markdown]
# ## Hard margin: a convex program with one solution | Slides: Hard-margin SVM for separable training data; Hard-margin SVM versus Perceptron
#
# The perceptron solves a feasibility problem, the support vector machine the same constraints with an
# objective: a **convex quadratic program**, with a quadratic objective and linear constraints. Such programs are solved in
# polynomial time, by interior-point methods for example, where the number of steps hardly depends on the data. And the objective
# makes the answer unique, which a linear program's need not be. If two different $w$ with the same smallest length
# were feasible, their mean would be feasible too, because constraints are linear, and shorter, because
# a chord of a sphere runs inside it.

# %%
# Figure: Why the answer is unique, in the plane of $w$: two feasible weights and the mean of them, which is feasible too, and shorter than they are
# on average. The star is the optimum.
# Alt: Plane of w1 and w2 with circles around the origin. Two dots joined by a segment, with a third dot in its middle on a smaller circle; a star, the optimum, lies on the smallest circle.
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

figure, axes = pyplot.subplots(figsize=(4.4, 3.4), layout="constrained")
axes.plot(*np.array([one, other])[:, :2].T, "o-", color="#0072B2")
axes.plot(*mean[:2], "o", color="#D55E00")
axes.plot(*best.w, "*", ms=12, color="black")
for theta in (one, other, mean, best.w):
    axes.add_patch(pyplot.Circle((0, 0), np.linalg.norm(theta[:2]), fill=False, ec="grey", lw=0.6))
reach = 1.1 * max(np.linalg.norm(one[:2]), np.linalg.norm(other[:2]))
axes.set(xlim=(-0.2 * reach, reach), ylim=(-0.2 * reach, reach), aspect="equal")
axes.set(xlabel="$w_1$", ylabel="$w_2$")

# %% [markdown]
# ## Inseparable data | Slides: Linearly inseparable data
#
# Swap the labels of two points and the constraints contradict each other. A handful of such points
# should not forbid a linear classifier that is good for all others.

# %%
# Figure: The same clouds with two labels swapped (ringed). No line is right about all, and one is still good for 58 of 60.
# Alt: The two clouds with one orange square inside the blue cloud and one blue circle inside the orange cloud, both ringed, and a line between the clouds.
from maxmargin import InfeasibleError

try:
    HardMarginSVC(kernel="linear").fit(X, swapped)
    separated = True
except InfeasibleError as reason:
    separated = False
    print(reason)

figure, axes = pyplot.subplots(figsize=(4.6, 3.6), layout="constrained")
scatter(axes, X, swapped)
axes.scatter(*X[swapped != y].T, s=130, fc="none", ec="black")
line(axes, diagonal, color="black")
assert not separated
assert np.sum(Margins(diagonal, X, swapped).functional > 0) == 58

# %% [markdown]
# ## Slack: the amount of violation | Slides: The amount of violations: slack variables; Examples 1 to 3
#
# For a fixed hyperplane the slack $\xi_i \ge 0$ of a point is how much its score falls short of 1 on its
# side. Zero: outside the margin. Between 0 and 1: inside the margin, still right. Above 1: wrong.
# Three samples, one hyperplane:

# %%
# Figure: One hyperplane, three samples: no slack; one point inside the margin, $\xi = 0.6$; and one more on the wrong side, $\xi = 1.8$.
# Alt: Three panels with the same upright boundary and dashed margin lines. Left, all six points on or outside the margin. Middle, a seventh inside it, joined to its margin line by a segment. Right, an eighth on the wrong side with a longer segment.
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
# ```{lab} lesson=2-slack
# :title: The lab: points with their slacks drawn as stems to the margin
#
# A stem is $\xi / \|w\|$ long. Drag the point on the wrong side back towards its own and read $\xi$: it passes 1 where
# the point crosses the boundary.
# ```

# %% [markdown]
# ## Two hyperplanes compared | Slides: One hyperplane; Another hyperplane; Which hyperplane?
#
# A second hyperplane that turns towards the wrong point pays less for it, and more for others. The sum
# of the slacks decides between the two.

# %%
# Figure: (1) turns towards the wrong point and pays less for it; its neighbours pay more. (2) pays for two points and less in all.
# Alt: Two panels with the eight points. Left, a slanted boundary with slack segments from six points. Right, the upright boundary with segments from two.
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
# Figure: The soft margin on the sample with two swapped labels: wide, and paying for two points.
# Alt: The two clouds with boundary, wide margin band and tinted regions; two points of the wrong colour are joined to their far margin lines by long segments.
from maxmargin import SVC
from maxmargin.problems import HALF_SUM, SUM, convert, soft_margin_primal

C = 2.0
halved = convert(C, len(X), source=SUM, target=HALF_SUM)
by_program = solve_qp(soft_margin_primal(X, swapped, C, SUM))
by_estimator = SVC(kernel="linear", C=halved).fit(X, swapped)

BoundaryDisplay.from_estimator(
    by_estimator,
    X,
    swapped,
    feature_names=["$x_1$", "$x_2$"],
    title="soft margin, two labels swapped",
).plot()

assert halved == C / 2
assert np.allclose(by_program.theta[:2], by_estimator.coef_[0], atol=1e-6)

# %% [markdown]
# Are all slacks zero when the data are separable? The slides say so, but only a large enough $C$ makes
# it true: a small one prefers a wide margin with points in it. (Also in the [errata](errata.html).)

# %%
# Figure: Separable data: the sum of slacks over $C$. It is zero only from a certain $C$ on.
# Alt: A falling curve of the sum of slacks over C on a logarithmic axis, from 57 at C of 0.0001 to nearly zero at 0.01, and zero at the right end.
for C, expected in ((0.001, False), (100.0, True)):
    soft = solve_qp(soft_margin_primal(X, y, C, SUM))
    slack = soft.theta[3:]
    print(f"separable data, C = {C:g}: sum of slacks {abs(slack.sum()):.4f}")
    assert np.allclose(slack, 0, atol=1e-6) == expected

prices = np.geomspace(1e-4, 10, 30)
paid = [solve_qp(soft_margin_primal(X, y, C, SUM)).theta[3:].sum() for C in prices]
figure, axes = pyplot.subplots(figsize=(6.0, 2.5), layout="constrained")
axes.semilogx(prices, np.maximum(paid, 0), "o-", ms=3)
axes.set(xlabel="$C$", ylabel="sum of slacks")

# %% [markdown]
# ## The trade-off parameter | Slides: Tradeoff parameter C
#
# Small $C$: wide margin, many violations. Large $C$: narrow margin, few violations.

# %%
# Figure: Small $C$, wide margin and many violations; large $C$, narrow margin and few.
# Alt: Three panels with two overlapping clouds and a boundary with margin lines: for C of 0.02 the band covers almost all points, for 1 about a third, for 500 it is narrowest.
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
# Figure: Slack over margin: every point is on the hinge. Ringed, the support vectors: margin at most 1.
# Alt: Dots along the hinge curve, from a point at margin minus 0.6 with slack 1.6 down to zero at margin 1; dots with margin at most 1 are ringed, those on the flat part are not.
from maxmargin.losses import Hinge
from maxmargin.problems import Objective

C = 1.0
soft = solve_qp(soft_margin_primal(overlap, kinds, C, SUM))
J = Objective(overlap, kinds, Hinge(), C, convention=SUM)
z = J.arguments(soft.theta[:3])

figure, axes = pyplot.subplots(figsize=(6.0, 2.8), layout="constrained")
grid = np.linspace(z.min(), z.max(), 200)
axes.plot(grid, np.maximum(0, 1 - grid), color="grey")
axes.plot(z, soft.theta[3:], "o", ms=4, color="#0072B2")
axes.scatter(z[z <= 1 + 1e-6], soft.theta[3:][z <= 1 + 1e-6], s=60, fc="none", ec="#D55E00")
axes.set(xlabel="margin $z_i$", ylabel=r"slack $\xi_i$")

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
# Figure: Hinge and cross-entropy run side by side; the hinge stops at 1, the cross-entropy never does.
# Alt: Left, hinge and cross-entropy over the margin from minus 4 to 4: both fall with slope minus one on the left; the hinge is zero from 1 on, the cross-entropy approaches zero. Right, their slopes: a step and a smooth S.
from sklearn.linear_model import LogisticRegression

from maxmargin.losses import Logistic
from maxmargin.optimizers import Constant, StepLength, minimize
from maxmargin.plots import LossDisplay, SubgradientDisplay

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
# Figure: At the kink $(1, 0)$ infinitely many lines touch the hinge from below.
# Alt: The hinge with a fan of straight lines through its kink at margin 1, all below the hinge.
for margin, slope in ((0.5, -1.0), (2.0, 0.0)):
    step = 1e-6
    numeric = (Hinge().value(margin + step) - Hinge().value(margin - step)) / (2 * step)
    assert np.isclose(numeric, slope)
    assert Hinge().subdifferential(margin) == (slope, slope)
assert Hinge().subdifferential(1.0) == (-1, 0)
SubgradientDisplay.from_loss(Hinge(), at=1.0).plot()

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
# Figure: The averaged steps approach the optimum of the objective with the mean (solid). At the optimum of the one with the sum, that objective is
# much higher (dashed).
# Alt: A curve over 6,000 steps that falls quickly to a solid horizontal line at 1.8; a dashed horizontal line lies far above, at 9.3.
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
    record_every=50,
)
with_mean, with_sum = (
    solve_qp(soft_margin_primal(overlap, kinds, C, convention.penalising_intercept()))
    for convention in (MEAN, SUM)
)
print(f"stochastic steps       {run.value:.4f}")
print(f"optimum with the mean  {with_mean.value:.4f}")
print(f"there, the optimum with the sum has {mean_objective.value(with_sum.theta[:3]):.4f}")

figure, axes = pyplot.subplots(figsize=(6.2, 2.7), layout="constrained")
axes.plot(run.trace["t"], run.trace["value"], label="averaged steps")
axes.axhline(with_mean.value, color="black", lw=0.8, label="optimum, mean")
axes.axhline(
    mean_objective.value(with_sum.theta[:3]),
    color="#D55E00",
    ls="--",
    label="at the optimum of the sum",
)
axes.set(xlabel="step", ylabel="objective with the mean", ylim=(0, 11))
axes.legend()
assert run.value < 1.01 * with_mean.value
assert mean_objective.value(with_sum.theta[:3]) > 1.5 * with_mean.value

# %% [markdown]
# ## Issues, and what helps | Slides: Potential issues with SVM
#
# **Over-fitting.** A narrow Gaussian kernel with a large $C$ gets every training sample right and others
# wrong. What helps: choose $C$ and $\gamma$ on data that were held out.

# %%
# Figure: Over-fitting: islands around single points, all training samples right; and what cross-validation chooses.
# Alt: Two panels with two interleaved crescents of points. Left, the boundary wraps small islands around single points. Right, one smooth curve between the crescents.
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
# Figure: Three classes, three pairs, three machines that vote; here on petal length and width.
# Alt: Iris flowers by petal length and width in three tinted regions: Setosa at the lower left, versicolor in the middle, virginica at the upper right, with a few flowers across the last border.
from sklearn.datasets import load_iris

iris = load_iris(return_X_y=True)
three = SVC().fit(*iris)
petals = load_iris(as_frame=True)
names = petals.target_names[petals.target]
BoundaryDisplay.from_estimator(
    SVC().fit(petals.data.iloc[:, 2:], names),
    petals.data.iloc[:, 2:],
    names,
    title="three machines vote",
).plot(support=False)

assert len(three.certificate_.parts) == 3  # three pairs, three machines, each with a certificate
assert three.score(*iris) > 0.95

# %% [markdown]
# **Imbalanced data.** Fifteen of 315 samples are positive and the two kinds overlap. The cheapest way to
# a small sum of slacks is to give most of the few away. What helps: make each class count the same.

# %%
# Figure: Fifteen rare samples among 300. Plain: the whole plane is given to the many. Balanced: the rare are found, at the price of false alarms.
# Alt: Two panels with a large blue cloud and a few orange squares at its upper right. Left, no boundary in the picture: all is blue. Right, a line separates the upper right, with the orange squares and some blue circles.
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
ComparisonDisplay.from_estimators(
    few,
    np.where(is_rare, "rare", "many"),
    {"plain": SVC(kernel="linear"), "balanced": SVC(kernel="linear", class_weight="balanced")},
).plot(slack=False, support=False, margins=False)
assert recall["plain"] < 0.1
assert recall["balanced"] > 0.8
assert balance["balanced"] > balance["plain"]

# %% [markdown]
# ## The tools, on one data set | Slides: Tools
#
# Here the tools all get the same 200 points and the same objective, $\lambda \|w\|^2 + \frac1n \sum_i \text{hinge}_i$ with
# $\lambda = 0.01$, and are judged by its value. If a tool is not installed the page says so and goes on.
#
# | tool | what it is | where |
# | --- | --- | --- |
# | LIBSVM | the classical exact solver, by pairs of alphas | `csie.ntu.edu.tw/~cjlin/libsvm`; `pip install libsvm-official` |
# | scikit-learn | its `SVC` wraps a copy of LIBSVM | `scikit-learn.org/stable/modules/svm.html` |
# | svmsgd | L. Bottou's program of stochastic steps, related to Pegasos | `leon.bottou.org/projects/sgd` |
# | Vowpal Wabbit | learns online from streams | `hunch.net/~vw`, `vowpalwabbit.org`; `pip install vowpalwabbit` |
#
# Bottou's program is in C++ and reads files of its own format. What it does fits in a few lines, and here they are in Python: a step
# size $\eta_t = 1 / (\mu (t_0 + t))$ with $\mu$ the curvature of the penalty, one sample at a time in the order of the data,
# first shrinking $w$, then adding $\eta_t y_i x_i$ if the margin is below 1, and a bias that is not penalised and moves a
# hundred times more slowly. Pegasos differs in three points: $t_0 = 0$, samples drawn at random, and the bias treated as one
# more weight (or left out).

# %%
# Figure: How far each tool ends above the optimum, relatively. The three exact solvers stop where their tolerance lets them; the stochastic
# ones are good for a few per cent or less.
# Alt: Horizontal bars on a logarithmic scale, one for each tool: maxmargin at about 1e-13, LIBSVM and scikit-learn between 1e-6 and 1e-5, the stochastic programs between a thousandth and five hundredths.
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
shuffled = np.random.default_rng(0).permutation(n)


def of_estimator(model):
    """Fit an estimator and return (w, b)."""
    line = Hyperplane.of(model.fit(points, signs))
    return np.append(line.w, line.b)


def of_libsvm():
    """Train with LIBSVM's own library; its model has the support vectors and their weights."""
    from libsvm.svmutil import svm_train

    model = svm_train(signs.tolist(), points.tolist(), f"-s 0 -t 0 -c {C} -q")
    # LIBSVM counts the class of the first sample as positive, which here is -1.
    weights = np.ravel(model.get_sv_coef()) * model.get_labels()[0]
    vectors = np.array([[row.get(1, 0.0), row.get(2, 0.0)] for row in model.get_SV()])
    return np.append(weights @ vectors, -model.rho[0] * model.get_labels()[0])


def svmsgd(n_passes=50, t0=100.0):
    """Stochastic steps in the manner of L. Bottou's svmsgd; returns (w, b)."""
    mu = 2 * lam  # the curvature of lam |w|^2
    w, b, t = np.zeros(2), 0.0, 0
    for _ in range(n_passes):
        for x_i, y_i in zip(points[shuffled], signs[shuffled], strict=True):
            eta = 1 / (mu * (t0 + t))
            right = y_i * (w @ x_i + b) >= 1
            w = (1 - eta * mu) * w
            if not right:
                w, b = w + eta * y_i * x_i, b + 0.01 * eta * y_i
            t += 1
    return np.append(w, b)


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
    "svmsgd, in our words": svmsgd(),
}
if find_spec("libsvm") is None:
    print("LIBSVM is not installed here, so its row is missing: pip install libsvm-official")
else:
    found["LIBSVM"] = of_libsvm()
if find_spec("vowpalwabbit") is None:
    print("Vowpal Wabbit is not installed here, so its row is missing: pip install vowpalwabbit")
else:
    found["Vowpal Wabbit"] = of_vowpal_wabbit()

values = {name: judge.value(w) for name, w in found.items()}
optimum = solve_qp(soft_margin_primal(points, signs, lam, LAMBDA_MEAN)).value
print(f"{'tool':28}{'objective':>10}   above the optimum")
for name, value in values.items():
    print(f"{name:28}{value:10.6f}   {max(0, value / optimum - 1):.1e}")

figure, axes = pyplot.subplots(figsize=(6.4, 2.6), layout="constrained")
above = [max(value / optimum - 1, 1e-15) for value in values.values()]
axes.barh(list(values), above, color="#56B4E9")
axes.set(xscale="log", xlabel="relative excess over the optimum")
axes.invert_yaxis()

assert values["maxmargin SVC"] / optimum - 1 < 1e-9
assert values.get("LIBSVM", optimum) / optimum - 1 < 1e-4
assert values["svmsgd, in our words"] / optimum - 1 < 0.05
assert all(value >= optimum - 1e-9 for value in values.values())
assert all(value < 1.05 * optimum for value in values.values())

# %% [markdown]
# The exact solvers agree to the digits they were asked for. Of the stochastic ones, those that average their steps come within a thousandth; svmsgd
# returns its last point, and Vowpal Wabbit learns online and weighs its penalty in its own way: both stay a few per cent above.
#
# The slides' program draws a linear machine on two clouds with its normal vector; here in one line.

# %%
# Figure: The slides' program in one line: boundary, margin, support vectors and the normal vector.
# Alt: The two clouds with boundary, dashed margin lines, ringed support vectors and an arrow from the boundary to the margin line.
SVC(kernel="linear").fit(X, y).plot(X, y, normal=True)

# %% [markdown]
# ## Not separable by a line | Slides: Non-linear separation; Suppose we are in 1-dimension; Harder 1-dimensional dataset
#
# On a line a linear classifier is a threshold. If the classes lie apart, the largest margin puts it half way between the two nearest
# points: not a big surprise.

# %%
# Figure: One dimension, easy: the threshold is half way between the nearest points of the two classes.
# Alt: Points on a line, blue circles on the left and orange squares on the right, with a vertical line half way between the rightmost circle at minus 1 and the leftmost square at 2, and dashed lines through these two.
easy = np.array([-4.0, -3.2, -1.9, -1.0, 2.0, 2.7, 3.9])
side = np.where(easy < 0.5, -1, 1)
threshold = HardMarginSVC(kernel="linear").fit(easy[:, None], side)
at = -threshold.intercept_[0] / threshold.coef_[0, 0]
figure, axes = pyplot.subplots(figsize=(6.2, 1.2), layout="constrained")
axes.scatter(easy, 0 * easy, c=np.where(side < 0, "#0072B2", "#D55E00"), s=40)
for place, dash in ((at, "-"), (-1, "--"), (2, "--")):
    axes.axvline(place, ls=dash, color="black", lw=1)
axes.set(yticks=[], xlabel="$x$")
assert np.isclose(at, (-1 + 2) / 2)
assert np.isclose(threshold.margin_[0], 1.5)

# %% [markdown]
# If one class sits in the middle no threshold will do. Map
# $x \mapsto (x, x^2)$: the points move onto a parabola, where a straight line cuts the middle off.

# %%
# Figure: Left: the orange class sits in the middle and no threshold will do. Right: the same points on a parabola, cut by a straight line.
# Alt: Left, points on a line, orange between two groups of blue. Right, the points on the parabola of x squared; a nearly horizontal line separates the orange ones near the vertex from the blue ones above.
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
# Figure: Rings, and linear machines on the monomials up to order 1, 2 and 3: a line, an ellipse, a cubic.
# Alt: Three panels with an inner cloud and a ring around it. Left, a useless straight line. Middle, an ellipse around the inner cloud with a margin band. Right, a slightly bent oval.
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
# Figure: The first six features of the Gaussian map for one number $x$. There are infinitely many; these already determine the kernel to within 0.02
# for $|x| \\le 1$.
# Alt: Six curves over x from minus 2 to 2: a bell, an odd wave, and higher and higher double humps that move outwards.
from math import factorial

from maxmargin.kernels import RBF, GaussianMap

places = np.linspace(-1, 1, 41)[:, None]
for degree in (2, 5, 10, 15):
    phi = GaussianMap(degree, gamma=1.0)
    error = np.abs(phi(places) @ phi(places).T - RBF(1.0)(places, places)).max()
    print(f"up to degree {degree:2}: error {error:.1e}, at most {phi.error_bound(radius=1.0):.1e}")
    assert error <= phi.error_bound(radius=1.0) + 1e-15
assert error < 1e-9

figure, axes = pyplot.subplots(figsize=(6.2, 2.7), layout="constrained")
wide_places = np.linspace(-2, 2, 201)[:, None]
for q, feature in enumerate(GaussianMap(5, gamma=1.0)(wide_places).T):
    axes.plot(wide_places, feature, ls=("-", "--", ":")[q % 3], label=f"$q = {q}$")
axes.set(xlabel="$x$", ylabel="feature")
axes.legend(ncols=2)

by_hand = [np.exp(-0.25) * np.sqrt(2**q / factorial(q)) * 0.5**q for q in range(6)]
assert np.allclose(GaussianMap(5, gamma=1.0)([[0.5]])[0], by_hand)

# %%
# Figure: The rings with the Gaussian kernel: linear in infinitely many features, and a closed curve in the plane.
# Alt: Inner cloud and ring with a round boundary between them, dashed margin lines and ringed support vectors.
gaussian = SVC(kernel="rbf", gamma=2, C=10).fit(*rings)
BoundaryDisplay.from_estimator(
    gaussian, *rings, feature_names=["$x_1$", "$x_2$"], title="Gaussian kernel"
).plot(slack=False)
assert gaussian.score(*rings) > SVC(kernel="linear").fit(*rings).score(*rings) + 0.3

# %% [markdown]
# ## The kernel trick | Slides: Non-linear SVM; Non-linearity and kernel trick
#
# The machine in the space of the map is the one we know, with $\Phi(x_i)$ in the place of $x_i$:
#
# $$ \min_{w, b}\;\|w\|^2 + C \sum_{i=1}^n \max\bigl(0,\;1 - y_i (w^\top \Phi(x_i) + b)\bigr). $$
#
# Do we have to go there? All monomials of degree up to 5 in 100 features are about $10^8$ numbers for one sample. Two facts help. Many algorithms use
# $\Phi$ only in inner products, and for some maps these are a cheap function of the original points,
# $k(u, v) = \Phi(u)^\top \Phi(v)$: a **kernel**.

# %%
# Figure: Numbers per sample in the space of all monomials up to a degree, for 2, 10 and 100 features; squares were really computed. The kernel
# needs one inner product of the original features, whatever the degree.
# Alt: Three rising curves over the degree from 1 to 5 on a logarithmic scale. For 100 features they reach almost 100 million at degree 5, for 10 features 3,000, for 2 features 21. Squares on the curves mark what was computed, up to degree 3.
from math import comb

from maxmargin.kernels import Polynomial, PolynomialMap

hundred = rng.normal(size=(4, 100)) / 10
for degree in (1, 2, 3):
    phi = PolynomialMap(degree=degree, coef0=1.0)
    mapped = phi(hundred)
    cheap = Polynomial(degree=degree, coef0=1.0)(hundred, hundred)
    print(
        f"degree {degree}: {mapped.shape[1]:7,} numbers per sample, {mapped.nbytes / 4e6:.3f} MB; the kernel reads 100"
    )
    assert mapped.shape[1] == comb(100 + degree, degree)
    assert np.allclose(mapped @ mapped.T, cheap)
assert 9e7 < comb(100 + 5, 5) < 1e8

figure, axes = pyplot.subplots(figsize=(6.0, 2.8), layout="constrained")
degrees = np.arange(1, 6)
for d, dash in ((100, "-"), (10, "--"), (2, ":")):
    axes.semilogy(degrees, [comb(d + p, p) for p in degrees], dash, label=f"{d} features")
axes.semilogy(degrees[:3], [comb(100 + p, p) for p in degrees[:3]], "s", color="black", ms=5)
axes.set(xlabel="degree", ylabel="numbers per sample", xticks=degrees)
axes.legend()

# %% [markdown]
# ## The identity for $(u^\top v)^2$ | Slides: Examples of kernel function
#
# In the plane,
#
# $$ (u^\top v)^2 = (u_1 v_1 + u_2 v_2)^2 = u_1^2 v_1^2 + 2\,u_1 u_2\,v_1 v_2 + u_2^2 v_2^2
#    = \Phi(u)^\top \Phi(v), \qquad \Phi(u) = (u_1^2,\;\sqrt2\,u_1 u_2,\; u_2^2). $$

# %%
# Figure: The rings under $\Phi(u) = (u_1^2, \sqrt2\,u_1 u_2, u_2^2)$: in space a plane separates what only an ellipse could in the plane.
# Alt: Three-dimensional scatter plot on a cone. The inner cloud lies near the tip at the origin, the ring farther out along the cone; a plane could cut the tip off.
u, v = rng.normal(size=(2, 500, 2))


def Phi(u):
    """The map by hand."""
    return np.column_stack([u[:, 0] ** 2, np.sqrt(2) * u[:, 0] * u[:, 1], u[:, 1] ** 2])


figure = pyplot.figure(figsize=(5.0, 3.6), layout="constrained")
space = figure.add_subplot(projection="3d", elev=18, azim=-50)
for label, colour, marker in ((0, "#0072B2", "o"), (1, "#D55E00", "s")):
    space.scatter(*Phi(rings[0][rings[1] == label]).T, c=colour, marker=marker, s=14)
space.set(xlabel="$u_1^2$", ylabel=r"$\sqrt{2} u_1 u_2$", zlabel="$u_2^2$")
lifted_rings = SVC(kernel="linear", C=100).fit(Phi(rings[0]), rings[1])

assert lifted_rings.score(Phi(rings[0]), rings[1]) > 0.95
assert np.allclose((u * v).sum(axis=1) ** 2, (Phi(u) * Phi(v)).sum(axis=1))
assert np.allclose(PolynomialMap(degree=2)(u), Phi(u))

# %% [markdown]
# More kernels: homogeneous polynomial $(u^\top v)^p$; inhomogeneous $(c + u^\top v)^p$; Gaussian
# $c\,\exp(-\|u - v\|^2 / (2 \sigma^2))$. Each has a map, so each Gram matrix is positive semidefinite.
# A symmetric function without a map is not a kernel, and its Gram matrix can show it.

# %%
# Figure: Eigenvalues of Gram matrices of 60 points. Kernels have none below zero (up to rounding); the sigmoid function has, and is no kernel here.
# Alt: Two panels of sorted eigenvalues. Left, Gaussian kernel: all positive, falling to zero. Right, sigmoid: from positive to clearly negative values, with a grey line at zero.
from maxmargin.kernels import Gaussian, Sigmoid, check_mercer

sample = u[:60]
for kernel in (
    Polynomial(degree=3),
    Polynomial(degree=3, coef0=2.0),
    Gaussian(sigma=0.7, prefactor=3.0),
):
    assert check_mercer(kernel(sample, sample)).holds
assert not check_mercer(Sigmoid(gamma=1.0, coef0=-1.0)(sample, sample)).holds

figure, panels = pyplot.subplots(1, 2, figsize=(8.0, 2.4), layout="constrained")
for axes, name, kernel in (
    (panels[0], "Gaussian", Gaussian(sigma=0.7)),
    (panels[1], "sigmoid", Sigmoid(gamma=1.0, coef0=-1.0)),
):
    axes.plot(np.linalg.eigvalsh(kernel(sample, sample))[::-1], "o", ms=3)
    axes.axhline(0, color="grey", lw=0.8)
    axes.set(title=name, xlabel="number", ylabel="eigenvalue")

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
# The second step is the work. For the support vector machine the dual does it. (A list needs no picture; the next two sections draw
# what it leads to.)

# %% [markdown]
# ## Primal and dual | Slides: The primal of soft-margin SVM; The dual of soft-margin SVM; The relationship between primal and dual
#
# From here on the slides divide the losses by $n$ and halve the norm:
#
# $$ \min_{w, b, \xi}\;\tfrac12 \|w\|^2 + \frac{C}{n} \sum_i \xi_i $$
#
# with the constraints of before, and its dual
#
# $$ \max_{\alpha}\;\sum_i \alpha_i - \tfrac12 \sum_{i, j} \alpha_i \alpha_j y_i y_j\, x_i^\top x_j $$
#
# subject to $\sum_i \alpha_i y_i = 0$ and $0 \le \alpha_i \le C / n$. The $\alpha_i$ are called **Lagrange multipliers** or **dual
# variables**: each is the price of the constraint of its sample. Where they come from, why the two problems have the same optimal value,
# and what the Karush-Kuhn-Tucker conditions say about single samples is derived on the page [The dual](dual.html).
# From the dual solution, the primal one is
#
# $$ w^* = \sum_i \alpha_i^* y_i x_i, \qquad
#    b^* = y_i - \sum_j \alpha_j^* y_j\, x_j^\top x_i
#    \quad\text{for any } i \text{ with } 0 < \alpha_i^* < C / n. $$

# %%
# Figure: Each sample's $\alpha_i$ over its margin $z_i$: at the bound $C / n$ left of 1, zero right of 1, and between only at 1.
# Alt: Dots in the shape of a step: alpha is 0.5 for margins below 1 and zero for margins above 1; two dots lie between, both at margin 1.
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

figure, axes = pyplot.subplots(figsize=(6.0, 2.6), layout="constrained")
axes.plot(kinds * (overlap @ w_star + b_star[0]), alpha, "o", ms=5, color="#0072B2", alpha=0.7)
axes.set(xlabel="margin $z_i$", ylabel=r"$\alpha_i$")

assert np.isclose(primal.value, -dual.value)
assert np.allclose(w_star, primal.theta[:2], atol=1e-6)
assert np.allclose(b_star, primal.theta[2], atol=1e-5)
assert np.isclose(alpha @ kinds, 0, atol=1e-9)

# %% [markdown]
# ```{lab} lesson=2-duality
# :title: The lab: primal and dual objective of a run, closing in on the optimum
#
# The primal falls, the dual rises, and the optimum is between them: at any moment their distance is a proof of how much
# is left to gain.
# ```

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
# Figure: The kernel machine on the rings, and its support vectors: they alone enter the sum.
# Alt: Inner cloud and ring with an elliptic boundary, dashed margin lines, and rings around the few points near the margin.
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
BoundaryDisplay.from_estimator(
    by_estimator, R, labels, feature_names=["$x_1$", "$x_2$"], title="polynomial kernel, degree 2"
).plot(slack=False)

# %% [markdown]
# The recipe works for other methods. Ridge regression becomes **kernel ridge regression**: the same two
# routes, the same function.

# %%
# Figure: Ridge regression in the space of the map, and with the kernel alone: one curve.
# Alt: Dots of one and a quarter periods of a sine, with a solid parabola-like curve and a dashed one exactly upon it, too stiff to follow the dots.
from maxmargin.models import kernel_ridge

t = np.linspace(-2, 2, 40)[:, None]
target = np.sin(2 * t[:, 0])
ridge = kernel_ridge(t, target, k.kernel, lam=0.1)
features = k(t)
weights = np.linalg.solve(features.T @ features + 0.1 * np.eye(3), features.T @ target)
figure, axes = pyplot.subplots(figsize=(6.0, 2.5), layout="constrained")
axes.plot(t, target, "o", ms=3, color="grey")
axes.plot(t, features @ weights, lw=4, color="#56B4E9", label="features of the map")
axes.plot(t, ridge.predict(t), "--", color="black", label="kernel")
axes.set(xlabel="$t$", ylabel="target")
axes.legend()
assert np.allclose(ridge.predict(t), features @ weights)

# %% [markdown]
# ```{lab} lesson=2-kernel
# :title: The lab: a cloud inside a ring, separated by a Gaussian kernel
#
# A kernel machine on rings. Switch to the linear kernel and back; then raise $\gamma$ until every point has an island
# of its own, and watch the number of support vectors.
# ```

# %% [markdown]
# ## Summary | Slides: Summary
#
# Large margins motivate the machine; the hinge makes it a loss like others; the dual opens the door to
# kernels, and with them to boundaries of any shape.

# %% [markdown]
# ## Algorithm card: the kernel machine
#
# | part | kernel support vector machine |
# | --- | --- |
# | type | supervised, binary classification; several classes by votes |
# | model family | linear boundaries in the space of a feature map |
# | objective | hinge loss with a squared penalty; its dual |
# | optimizer | quadratic programming; without a kernel, stochastic subgradients |
# | probabilistic reading | none; logistic regression is the cousin that has one |

# %% [markdown]
# ## Exercises
#
# Predict first, then type: numbers are judged on the page, whole ones exactly and others to one per cent.
#
# ### Exercise 1: slack by hand
#
# For $w = (1, 0)$, $b = 0$: what are the slacks of $(0.4, -0.6)$ with label $+1$ and of $(0.8, 0.7)$ with
# label $-1$, and of which kind are the two points? Type the sum of the slacks.

# %% [markdown] tags=["solution"]
# The scores are 0.4 and 0.8, so the margins are 0.4 and $-0.8$ and the slacks 0.6 and 1.8: the first point is inside the margin, the
# second on the wrong side.

# %% tags=["solution"]
answer = 2.4
two = Margins(Hyperplane([1.0, 0.0]), [[0.4, -0.6], [0.8, 0.7]], [1, -1])
assert np.allclose(two.slack, [0.6, 1.8])
assert np.isclose(two.total_slack, answer)
assert two.slack_class().tolist() == [SlackClass.INSIDE, SlackClass.WRONG]

# %% [markdown]
# ### Exercise 2: the features of a cube
#
# Find $\Phi$ with $\Phi(u)^\top \Phi(v) = (u^\top v)^3$ in the plane, by hand, and check it. How many features has it?

# %% [markdown] tags=["solution"]
# $(u_1 v_1 + u_2 v_2)^3$ expands with the coefficients 1, 3, 3, 1, so
# $\Phi(u) = (u_1^3, \sqrt3\,u_1^2 u_2, \sqrt3\,u_1 u_2^2, u_2^3)$: four features.

# %% tags=["solution"]
a, b = u.T
cubes = np.column_stack([a**3, np.sqrt(3) * a**2 * b, np.sqrt(3) * a * b**2, b**3])
answer = cubes.shape[1]
assert answer == 4
assert np.allclose(cubes @ cubes.T, (u @ u.T) ** 3)

# %% [markdown]
# ### Exercise 3: the step that minimises the sum
#
# Change the stochastic step so that it minimises $\|w\|^2 + C \sum_i \text{hinge}_i$. How large is the
# factor before $\Delta$, for the 80 samples and $C = 0.05$?

# %% [markdown] tags=["solution"]
# The gradient of the sum is $n$ times the expected $\Delta$, so the step is
# $w \leftarrow w - \frac1t (2 w + n C \Delta)$, with $n C = 80 \cdot 0.05 = 4$. In the library: the convention `SUM`.

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
answer = 4
assert exact.value <= run.value < 1.02 * exact.value
row = np.array([4])
assert np.allclose(sum_objective.subgradient(np.zeros(3), rows=row), -answer * kinds[4] * ones[4])

# %% [markdown]
# ### Exercise 4: a kernel or not?
#
# Is $k(u, v) = \|u - v\|^2$ a kernel? Let the Gram matrix of the points 0, 1, 2 on a line answer. What is its lowest eigenvalue?

# %% [markdown] tags=["solution"]
# No: with the vector $(1, 0, -1)$ the form is $-8$, and its length squared is 2, which makes the eigenvalue $-4$. A zero diagonal with a nonzero
# entry beside it suffices to see that some eigenvalue is negative: the trace is 0.

# %% tags=["solution"]
three_points = np.array([0.0, 1.0, 2.0])
distances = (three_points[:, None] - three_points) ** 2
report = check_mercer(distances)
print(f"eigenvalues {report.eigenvalues.round(3)}")
answer = -4
assert np.isclose(min(report.eigenvalues), answer)
assert not report.holds

# %% [markdown]
# ### Exercise 5: a distance
#
# How far is $(3, 1)$ from the line $x_1 + 2 x_2 - 2 = 0$?

# %% [markdown] tags=["solution"]
# The score is $3 + 2 - 2 = 3$ and $\|w\| = \sqrt5$, so the distance is $3 / \sqrt5 \approx 1.342$.

# %% tags=["solution"]
answer = float(3 / np.sqrt(5))
assert np.isclose(Hyperplane([1.0, 2.0], -2.0).distance([3.0, 1.0]), answer)

# %% [markdown]
# ### Exercise 6: ten digits
#
# How many machines does one-against-one train for the ten digits?

# %% [markdown] tags=["solution"]
# One for each pair: $10 \cdot 9 / 2 = 45$. Each sees only the samples of its two classes, so the sum of the sizes is nine times the
# sample, not 45 times.

# %% tags=["solution"]
from sklearn.datasets import load_digits

digits = load_digits(return_X_y=True)
answer = len(SVC().fit(digits[0][::6], digits[1][::6]).certificate_.parts)
assert answer == 45

# %% [markdown]
# ### Exercise 7: the price of products
#
# How many numbers is a sample of 100 features after the map to all products of up to two?

# %% [markdown] tags=["solution"]
# $1 + d + d^2 = 10{,}101$. Half of the products are there twice, as $x_i x_j$ and $x_j x_i$; without these there would be 5,151.

# %% tags=["solution"]
answer = ProductMap(2)(np.ones((1, 100))).shape[1]
assert answer == 10_101
assert PolynomialMap(2, coef0=1.0)(np.ones((1, 100))).shape[1] == 5_151
