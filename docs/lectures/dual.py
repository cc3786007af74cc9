# %% [markdown]
# # The dual: derived, drawn, and solved by hand
#
# The five courses state the dual problem and leave its derivation to others. Here it is, from one constraint to the program that the library runs: the
# Lagrangian, weak and strong duality, the conditions of Karush, Kuhn and Tucker, what they say about single samples, and sequential minimal
# optimisation (SMO), first by hand with fractions.
#
# **Before you read:** the [soft margin](1_margins.html#when-no-line-separates) and [the hinge](1_margins.html#the-hinge-loss). A derivative of a quadratic is all the calculus
# there is.

# %% [markdown]
# ## One weight, one constraint
#
# Take a single sample $x = 1$ with label $+1$, no $b$ and no slack. The hard margin is then
#
# $$ \min_w\;\tfrac12 w^2 \quad\text{subject to}\quad w \ge 1, $$
#
# with the obvious answer $w = 1$ and the value $\frac12$. Now do away with the constraint: instead of forbidding $w < 1$, let every unit by which $w$ falls short cost a **price**
# $\alpha \ge 0$, and let every unit beyond 1 earn it. That is the **Lagrangian**
#
# $$ L(w, \alpha) = \tfrac12 w^2 + \alpha\,(1 - w), $$
#
# and $\alpha$ is the **Lagrange multiplier** of the constraint. For a given price whoever chooses $w$ freely takes $w = \alpha$, the minimum of the parabola, and pays
#
# $$ D(\alpha) = \min_w L(w, \alpha) = \alpha - \tfrac12 \alpha^2. $$

# %%
# Figure: Left: the Lagrangian over $w$ for five prices, with its lowest point. For every price it passes through $(1, \frac12)$, so its lowest point is never above $\frac12$. Right: these
# lowest values over the price: the dual function. Its highest point is $\frac12$, at the price 1.
# Alt: Left, five parabolas over w that all pass through the point (1, 0.5); their minima are marked and lie at or below 0.5. Right, a concave parabola over alpha from 0 to 2 that rises to 0.5 at alpha equal to 1 and falls again, with a dashed horizontal line at 0.5.
import numpy as np
from matplotlib import pyplot

w = np.linspace(-0.5, 2.5, 301)
prices = np.array([0.0, 0.5, 1.0, 1.5, 2.0])


def L(w, alpha):
    """Objective plus the price of what is missing."""
    return w**2 / 2 + alpha * (1 - w)


def D(alpha):
    """The lowest value of the Lagrangian."""
    return alpha - alpha**2 / 2


figure, (left, right) = pyplot.subplots(1, 2, figsize=(8.6, 3.2), layout="constrained")
for alpha in prices:
    left.plot(w, L(w, alpha), lw=1, label=rf"$\alpha = {alpha:g}$")
    left.plot(alpha, D(alpha), "o", color="black", ms=4)
left.axhline(0.5, ls="--", color="grey", lw=0.8)
left.set(xlabel="$w$", ylabel=r"$L(w, \alpha)$", ylim=(-0.5, 2))
left.legend(ncols=2)
right.plot(np.linspace(0, 2, 101), D(np.linspace(0, 2, 101)))
right.plot(prices, D(prices), "o", color="black", ms=4)
right.axhline(0.5, ls="--", color="grey", lw=0.8)
right.set(xlabel=r"price $\alpha$", ylabel=r"$D(\alpha)$")

assert all(np.isclose(L(w, alpha).min(), D(alpha), atol=1e-4) for alpha in prices)
assert np.all(D(np.linspace(0, 5, 501)) <= 0.5)  # never above the optimum
assert D(1.0) == 0.5  # and at the right price equal to it

# %% [markdown]
# Two things are in this picture, and they hold for all that follows.
#
# **Weak duality.** If $w$ keeps the constraint, then $1 - w \le 0$, and $L(w, \alpha) \le \frac12 w^2$ for every price. So the lowest value of the Lagrangian is at most the optimum:
# $D(\alpha) \le \frac12$. Any price gives a **lower bound**.
#
# **Strong duality.** One price makes the bound exact, and at that price the free choice $w = \alpha = 1$ keeps the constraint without being told to.

# %% [markdown]
# ## What a multiplier is: a price
#
# Ask for a little more, $w \ge 1 + u$. The optimum becomes $v(u) = \frac12 (1 + u)^2$, and its slope at $u = 0$ is 1: the multiplier. It says what the constraint costs, per unit. The
# dual function is the same statement seen from the side: the line with slope $\alpha$ that supports $v$ from below meets the axis $u = 0$ at $D(\alpha)$.

# %%
# Figure: The optimum $v(u)$ if $1 + u$ is asked for, and supporting lines with slopes 0.5, 1 and 1.5. They meet the axis $u = 0$ at $D(\alpha)$; the one with the slope $\alpha = 1$ touches $v$ there.
# Alt: A curve that is zero left of u equal to minus one and then rises like half a parabola. Three straight lines below it touch it at different places; on the vertical axis at u equal to zero they have the heights 0.375, 0.5 and 0.375.
u = np.linspace(-1.5, 1, 251)
v = np.maximum(0, 1 + u) ** 2 / 2
figure, axes = pyplot.subplots(figsize=(6.2, 3.0), layout="constrained")
axes.plot(u, v, color="black", lw=2)
for alpha, dash in ((0.5, ":"), (1.0, "-"), (1.5, "--")):
    axes.plot(
        u, D(alpha) + alpha * u, dash, color="#D55E00", lw=1.2, label=rf"slope $\alpha = {alpha:g}$"
    )
    axes.plot(0, D(alpha), "o", color="#D55E00", ms=4)
axes.axvline(0, color="grey", lw=0.8)
axes.set(xlabel="$u$", ylabel="optimum $v(u)$", ylim=(-0.6, 2))
axes.legend()

for alpha in (0.0, 0.5, 1.0, 1.5):
    assert np.all(D(alpha) + alpha * u <= v + 1e-12)  # below v everywhere
assert np.isclose(
    (v[151] - v[149]) / (u[151] - u[149]), 1.0
)  # the slope of v at 0 is the multiplier

# %% [markdown]
# ## The Lagrangian of the soft margin
#
# Now the whole problem, in the convention of the estimators:
#
# $$ P = \min_{w, b, \xi}\;\tfrac12 \|w\|^2 + C \sum_i \xi_i \quad\text{subject to}\quad
#    1 - \xi_i - y_i (w^\top x_i + b) \le 0, \quad -\xi_i \le 0. $$
#
# Each sample has two constraints, and so two prices: $\alpha_i \ge 0$ for its margin, $\mu_i \ge 0$ for the sign of its slack.
#
# $$ L = \tfrac12 \|w\|^2 + C \sum_i \xi_i + \sum_i \alpha_i \bigl(1 - \xi_i - y_i (w^\top x_i + b)\bigr) - \sum_i \mu_i\,\xi_i. $$
#
# For given prices, minimise over $w$, $b$ and $\xi$ without any constraint. Three derivatives:
#
# | derivative by | set to zero | what it says |
# | --- | --- | --- |
# | $w$ | $w = \sum_i \alpha_i y_i x_i$ | the weights are a combination of samples |
# | $b$ | $\sum_i \alpha_i y_i = 0$ | otherwise $L$ falls without end when $b$ moves |
# | $\xi_i$ | $C - \alpha_i - \mu_i = 0$ | otherwise $L$ falls without end when $\xi_i$ moves |
#
# $\mu_i = C - \alpha_i$ must not be negative: so $0 \le \alpha_i \le C$, and $\mu$ has gone. Put $w$ into $L$; the terms with $b$ and $\xi$ cancel, and what is left is the **dual**
#
# $$ \max_\alpha\; D(\alpha) = \sum_i \alpha_i - \tfrac12 \sum_{i, j} \alpha_i \alpha_j y_i y_j\,x_i^\top x_j
#    \quad\text{subject to}\quad 0 \le \alpha_i \le C, \quad \sum_i \alpha_i y_i = 0. $$
#
# Samples occur in inner products only. That is the door to [kernels](2_hyperplanes_and_kernels.html#the-kernel-machine).

# %%
# Figure: The sample that this page works with: 40 points in two clouds that overlap, and the soft margin with $C = 1$.
# Alt: Two overlapping clouds with boundary, dashed margin lines, tinted regions, slack segments and rings around the support vectors.
from maxmargin import SVC
from maxmargin.plots import BoundaryDisplay
from maxmargin.problems import soft_margin_dual, soft_margin_primal
from maxmargin.solvers import solve_qp

rng = np.random.default_rng(1)
y = np.tile([-1.0, 1.0], 20)
X = rng.normal(size=(40, 2)) + 0.8 * y[:, None]
C, K = 1.0, X @ X.T
machine = SVC(kernel="linear", C=C).fit(X, y)
BoundaryDisplay.from_estimator(
    machine, X, y, feature_names=["$x_1$", "$x_2$"], title="the soft margin, C = 1"
).plot()


def primal(w, b):
    """P at (w, b), with the best slacks."""
    return w @ w / 2 + C * np.maximum(0, 1 - y * (X @ w + b)).sum()


def dual(alpha):
    """D at alpha."""
    return alpha.sum() - (alpha * y) @ K @ (alpha * y) / 2


def lagrangian(w, b, xi, alpha, mu):
    """L as printed above."""
    return w @ w / 2 + C * xi.sum() + alpha @ (1 - xi - y * (X @ w + b)) - mu @ xi


def feasible_alpha():
    """A random point of the box with sum alpha_i y_i = 0."""
    alpha = rng.uniform(0, C, 40)
    plus, minus = alpha[y > 0].sum(), alpha[y < 0].sum()
    alpha[y > 0] *= min(1, minus / plus)
    alpha[y < 0] *= min(1, plus / minus)
    return alpha


for _ in range(50):
    alpha = feasible_alpha()
    v = (alpha * y) @ X
    lowest = lagrangian(v, 0.3, np.ones(40), alpha, C - alpha)  # any b and any xi: they cancel
    assert np.isclose(lowest, dual(alpha))
    for other in v + rng.normal(size=(20, 2)):
        assert lagrangian(other, -1.0, np.zeros(40), alpha, C - alpha) >= lowest
unbalanced = np.append(0.5, np.zeros(39))  # sum alpha_i y_i is not 0: L has no lower bound
values = [
    lagrangian(np.zeros(2), b, np.zeros(40), unbalanced, C - unbalanced) for b in (0, -10, -1e6)
]
assert values[0] > values[1] > values[2]

# %% [markdown]
# ## The gap is a sum of three things
#
# For any $(w, b)$ with its slacks $\xi_i = \max(0, 1 - z_i)$, and any $\alpha$ that is feasible in the dual, with $v = \sum_i \alpha_i y_i x_i$:
#
# $$ P(w, b) - D(\alpha) = \tfrac12 \|w - v\|^2 + \sum_i \alpha_i\,(z_i - 1 + \xi_i) + \sum_i (C - \alpha_i)\,\xi_i. $$
#
# (Multiply out: $w^\top v = \sum_i \alpha_i z_i$, because $\sum_i \alpha_i y_i b = 0$.) Not one term on the right is ever negative. That is **weak duality**, $D \le P$, with nothing left to prove, and
# more: the gap is zero **if and only if each term is**.

# %%
# Figure: Two hundred random feasible points of either problem. Every primal value is above every dual value; the optimum, dashed, is where the two meet.
# Alt: Two histograms on one axis that do not overlap: dual values on the left, primal values on the right, and between them a dashed vertical line.
exact = solve_qp(soft_margin_primal(X, y, C)).value
primals, duals = [], []
for _ in range(200):
    w_, b_, alpha = rng.normal(size=2), rng.normal(), 0.3 * feasible_alpha()
    v = (alpha * y) @ X
    z = y * (X @ w_ + b_)
    xi = np.maximum(0, 1 - z)
    parts = ((w_ - v) @ (w_ - v) / 2, alpha @ (z - 1 + xi), (C - alpha) @ xi)
    assert min(parts) >= -1e-12
    assert np.isclose(primal(w_, b_) - dual(alpha), sum(parts))
    primals.append(primal(w_, b_))
    duals.append(dual(alpha))

figure, axes = pyplot.subplots(figsize=(6.4, 2.6), layout="constrained")
axes.hist(duals, bins=20, color="#0072B2", label=r"$D(\alpha)$")
axes.hist(primals, bins=np.linspace(min(primals), 200, 40), color="#D55E00", label="$P(w, b)$")
axes.axvline(exact, ls="--", color="black", label="optimum")
axes.set(xlabel="value", ylabel="points")
axes.legend()
assert max(duals) < exact < min(primals)

# %% [markdown]
# ## Strong duality
#
# The problem is convex and its constraints are linear, and for such problems the two optima are equal. (A hard margin without a solution is the exception that proves the rule: its dual grows
# without end. [Lecture 1](1_margins.html#when-no-line-separates) shows the evidence.) On our sample:

# %%
# Figure: The parts of the gap on the straight way from a random $\alpha$ to the optimum (with $w = v$, so that the first part is zero). At the end all are zero, and nothing else could make the
# gap zero.
# Alt: Stacked bars of two parts for five points on the way from a random alpha to the optimal one. The bars shrink from left to right, and the last one has no height.
program = solve_qp(soft_margin_dual(K, y, C))
alpha_star, b_star = program.theta, program.equality[0]
w_star = (alpha_star * y) @ X
print(f"primal optimum {exact:.9f}, dual optimum {dual(alpha_star):.9f}")

shares = np.array([0.0, 0.3, 0.6, 0.9, 1.0])
random_alpha = 0.3 * feasible_alpha()
bars = []
for share in shares:
    alpha = (1 - share) * random_alpha + share * alpha_star
    v = (alpha * y) @ X
    z = y * (X @ v + b_star)
    xi = np.maximum(0, 1 - z)
    bars.append(
        [0.0, alpha @ (z - 1 + xi), (C - alpha) @ xi]
    )  # the machine is that of alpha: w = v
    assert np.isclose(primal(v, b_star) - dual(alpha), sum(bars[-1]))
bars = np.array(bars)
figure, axes = pyplot.subplots(figsize=(6.2, 2.7), layout="constrained")
names = (r"$\alpha_i (z_i - 1 + \xi_i)$", r"$(C - \alpha_i)\,\xi_i$")
axes.bar(range(5), bars[:, 1], color="#56B4E9", label=names[0])
axes.bar(range(5), bars[:, 2], bottom=bars[:, 1], color="#E69F00", label=names[1])
axes.set(
    xticks=range(5),
    xticklabels=[f"{share:.0%}" for share in shares],
    xlabel="of the way",
    ylabel="gap",
)
axes.legend()

assert np.isclose(dual(alpha_star), exact)
assert np.allclose(bars[-1], 0, atol=1e-5)

# %% [markdown]
# ## The conditions of Karush, Kuhn and Tucker
#
# "The gap is zero" means that each of the three parts is zero; together with feasibility these are the **KKT conditions**:
#
# 1. **Stationarity**: $w = \sum_i \alpha_i y_i x_i$.
# 2. **Feasibility**: $0 \le \alpha_i \le C$ and $\sum_i \alpha_i y_i = 0$; $\xi_i \ge 0$ and $z_i \ge 1 - \xi_i$.
# 3. **Complementary slackness**: $\alpha_i\,(z_i - 1 + \xi_i) = 0$ and $(C - \alpha_i)\,\xi_i = 0$. Of each product at least one factor is zero: nobody pays a price for a constraint that has room to
#    spare.
#
# What the third says about a sample, case by case:
#
# | dual variable $\alpha_i$ | first product | second product | so the sample is |
# | --- | --- | --- | --- |
# | $\alpha_i = 0$ | nothing | $\xi_i = 0$ | on the margin or outside: $z_i \ge 1$ |
# | $0 < \alpha_i < C$ | $z_i = 1 - \xi_i$ | $\xi_i = 0$ | **exactly on the margin: $z_i = 1$** |
# | $\alpha_i = C$ | $z_i = 1 - \xi_i$ | nothing | on the margin, inside, or wrong: $z_i \le 1$ |
#
# The middle line is the one that everybody quotes. A multiplier strictly between its bounds makes *both* other factors vanish: the slack is zero and the constraint is met with equality.

# %%
# Figure: Left: multiplier over margin. Complementary slackness allows only the grey angle, and all 40 samples lie on it: no multiplier right of 1, the full one left of 1, and anything between at 1.
# Right: the same samples in the plane, coloured by their state.
# Alt: Left, a grey line in the shape of a step: height C for margins below 1, a vertical piece at 1, zero beyond; all dots lie on it. Right, the points in the plane with boundary and dashed margin lines: free ones, green, lie on the dashed lines; bounded ones, orange, inside or wrong; grey ones with zero multiplier outside.
z = y * (X @ w_star + b_star)
states = {
    r"$\alpha = 0$": (alpha_star < 1e-6, "grey", "o"),
    r"$0 < \alpha < C$": ((alpha_star > 1e-6) & (alpha_star < C - 1e-6), "#009E73", "D"),
    r"$\alpha = C$": (alpha_star > C - 1e-6, "#D55E00", "s"),
}
figure, (left, right) = pyplot.subplots(1, 2, figsize=(9.0, 3.4), layout="constrained")
left.plot([z.min(), 1, 1, z.max()], [C, C, 0, 0], color="lightgrey", lw=6, zorder=0)
for name, (which, colour, marker) in states.items():
    left.plot(z[which], alpha_star[which], marker, color=colour, ms=5, ls="none", label=name)
    right.plot(*X[which].T, marker, color=colour, ms=5)
    print(f"{which.sum():2} samples, z from {z[which].min():6.3f} to {z[which].max():6.3f}")
left.set(xlabel="margin $z_i$", ylabel=r"$\alpha_i$")
left.legend()
for level, dash in ((-1, "--"), (0, "-"), (1, "--")):
    right.axline(
        (0, (level - b_star) / w_star[1]),
        slope=-w_star[0] / w_star[1],
        ls=dash,
        color="black",
        lw=1,
    )
right.set(xlabel="$x_1$", ylabel="$x_2$", aspect="equal", xlim=(-3.5, 3.5), ylim=(-3.5, 3.5))

zero, free, bound = (which for which, _, _ in states.values())
assert np.all(z[zero] >= 1 - 1e-6)
assert np.allclose(z[free], 1, atol=1e-5)
assert np.all(z[bound] <= 1 + 1e-6)
assert free.any()

# %% [markdown]
# ```{lab} lesson=dual-kkt
# :title: The lab: two clouds, and the bars of their multipliers in the box
#
# Drag a point through its margin and watch its bar: empty outside, growing while the point is exactly on the margin,
# full inside.
# ```

# %% [markdown]
# ## Where $b$ comes from, and what if no multiplier is free
#
# Any free multiplier gives $b$: its sample has $y_i (w^\top x_i + b) = 1$, so $b = y_i - w^\top x_i$. All free ones give the same number.
#
# And if **none** is free? Then the samples at 0 and at $C$ only bound $b$ from both sides, and a whole interval may be optimal. Take two samples at $-1$ and $+1$ with $C = 0.1$. Both multipliers are at the bound, $w = 0.2$,
# and each $b$ with both samples inside the margin costs the same: what one sample gains the other pays.

# %%
# Figure: The objective over $b$ for the two samples. With $C = 0.1$ it is flat from $-0.8$ to 0.8: every $b$ there is optimal. With $C = 1$ a multiplier is free, and one $b$ is.
# Alt: Two curves over b from minus 1.5 to 1.5, each above its own minimum. One has a flat bottom between minus 0.8 and 0.8, the other is a V with its tip at zero.
from maxmargin.problems import intercept_range

b_of_free = y[free] - X[free] @ w_star
assert np.allclose(b_of_free, b_star, atol=1e-5)

ends, signs = np.array([-1.0, 1.0]), np.array([-1.0, 1.0])
loose = intercept_range(np.full(2, 0.1), scores=0.2 * ends, y=signs, c=0.1)
print(f"C = 0.1: b may be anything from {loose.low:.1f} to {loose.high:.1f}")


def cost(b, w, C):
    """P for the two samples."""
    return w**2 / 2 + C * np.maximum(0, 1 - signs * (w * ends + b)).sum()


grid = np.linspace(-1.5, 1.5, 301)
figure, axes = pyplot.subplots(figsize=(6.0, 2.6), layout="constrained")
for C_, w_, dash in ((0.1, 0.2, "-"), (1.0, 1.0, "--")):
    heights = np.array([cost(b, w_, C_) for b in grid])
    axes.plot(grid, heights - heights.min(), dash, label=f"$C = {C_:g}$")
axes.set(xlabel="$b$", ylabel="above the minimum")
axes.legend()

pair = SVC(kernel="linear", C=0.1).fit(ends[:, None], signs)
assert np.allclose(pair.alphas_, 0.1)  # both at the bound
assert np.isclose(pair.coef_[0, 0], 0.2)
assert (round(loose.low, 9), round(loose.high, 9)) == (-0.8, 0.8)
assert loose.low <= pair.intercept_[0] <= loose.high
assert np.isclose(cost(-0.8, 0.2, 0.1), cost(0.8, 0.2, 0.1))
assert cost(0.9, 0.2, 0.1) > cost(0.8, 0.2, 0.1)

# %% [markdown]
# The interval is not a flaw of a solver: the primal has no unique $b$ there (although its $w$ is unique). A program has to take one; taking the middle is a choice.

# %% [markdown]
# ## SMO by hand: six points
#
# How is the dual solved? It has a box, which is easy, and one equation, $\sum_i \alpha_i y_i = 0$, which means that no $\alpha$ can move alone. So move **two**: that is sequential minimal optimisation. Let
#
# $$ F_i = y_i - \sum_j \alpha_j y_j\,x_j^\top x_i $$
#
# be the $b$ that sample $i$ would like. A sample of the set "up" can still increase its $y_i \alpha_i$, one of "down" can decrease it. One step:
#
# 1. Let $i$ be the sample of "up" with the largest $F$ and $j$ that of "down" with the smallest. If $F_i \le F_j$ stop: every $b$ from $F_i$ to $F_j$ satisfies all, and the KKT conditions hold.
# 2. Move $y_i \alpha_i$ up and $y_j \alpha_j$ down by the same $t$. Along this way the dual is a parabola whose top is at
#
# $$ t = \frac{F_i - F_j}{x_i^\top x_i + x_j^\top x_j - 2\,x_i^\top x_j}, $$
#
# unless the box ends it earlier. Six points with whole numbers and $C = 1$ make it a matter of fractions:

# %%
from fractions import Fraction
from itertools import pairwise

points = [(1, 1), (1, -2), (3, 1), (-2, 1), (0, 0), (-2, -2)]
sign = [1, 1, 1, -1, -1, -1]
inner = [[p[0] * q[0] + p[1] * q[1] for q in points] for p in points]
bound_C = Fraction(1)


def state(alpha):
    """Return F, w, and the values of the primal (with b half way) and of the dual."""
    F = [sign[k] - sum(alpha[j] * sign[j] * inner[j][k] for j in range(6)) for k in range(6)]
    w = [sum(alpha[k] * sign[k] * points[k][d] for k in range(6)) for d in (0, 1)]
    up = [k for k in range(6) if (alpha[k] < bound_C if sign[k] > 0 else alpha[k] > 0)]
    down = [k for k in range(6) if (alpha[k] > 0 if sign[k] > 0 else alpha[k] < bound_C)]
    i, j = max(up, key=lambda k: F[k]), min(down, key=lambda k: F[k])
    b = (F[i] + F[j]) / 2
    slack = [max(Fraction(0), 1 - sign[k] * (sign[k] - F[k] + b)) for k in range(6)]
    norm = w[0] ** 2 + w[1] ** 2
    return F, w, b, i, j, norm / 2 + bound_C * sum(slack), sum(alpha) - norm / 2


alpha, course = [Fraction(0)] * 6, []
while True:
    F, weights, b, i, j, P, D_ = state(alpha)
    course.append((list(alpha), weights, b, P, D_))
    violation = F[i] - F[j]
    print(f"alpha = ({', '.join(map(str, alpha))}),  P = {P}, D = {D_}, gap = {P - D_}")
    if violation <= 0:
        break
    t = Fraction(violation, inner[i][i] + inner[j][j] - 2 * inner[i][j])
    room_i = bound_C - alpha[i] if sign[i] > 0 else alpha[i]
    room_j = alpha[j] if sign[j] > 0 else bound_C - alpha[j]
    step = min(t, room_i, room_j)
    cut = "" if step == t else ", cut by the box"
    print(
        f"  F[{i + 1}] - F[{j + 1}] = {violation}: move the pair ({i + 1}, {j + 1}) by {step}{cut}"
    )
    alpha[i] += sign[i] * step
    alpha[j] -= sign[j] * step
print(f"w = ({weights[0]}, {weights[1]}), b = {b}")

gaps = [P - D_ for *_, P, D_ in course]
assert len(course) == 6  # five steps
assert gaps[-1] == 0  # not small: zero
assert alpha == [Fraction(2, 3), Fraction(1, 3), 0, 0, 1, 0]
assert (weights, b) == ([1, 0], 0)
assert all(later[4] > earlier[4] for earlier, later in pairwise(course))  # D rises
six = SVC(kernel="linear", C=1).fit(points, sign)
assert np.allclose(six.coef_[0], [1, 0])
assert np.isclose(six.intercept_[0], 0)

# %% [markdown]
# Five steps, and primal and dual are both exactly $\frac32$. The dual rises with every step; the primal need not fall, and after the second step it has not. Read the KKT conditions off the last line: samples 1 and 2 are free and on the margin, sample 5 is at the bound (it sits on the boundary, with slack 1), the others have room to
# spare and no multiplier.

# %%
# Figure: The six states. Above, the boundary that belongs to the multipliers; below, the multipliers in their boxes. Each step moves two bars by the same amount.
# Alt: Six columns. In the upper row six points in the plane, three of each class, and a line that turns from panel to panel until it is upright through the origin. In the lower row bar charts of six multipliers; from one to the next exactly two bars change; at the end they are two thirds, one third, zero, zero, one, zero.
figure, panels = pyplot.subplots(2, 6, figsize=(10.4, 3.6), layout="constrained", sharey="row")
colours = ["#D55E00"] * 3 + ["#0072B2"] * 3
for number, (alphas, weights, b, P, D_) in enumerate(course):
    above, below = panels[:, number]
    above.scatter(*np.transpose(points), c=colours, s=24, zorder=3)
    w1, w2, b_ = float(weights[0]), float(weights[1]), float(b)
    if w1 or w2:
        near = -b_ / (w1**2 + w2**2) * np.array([w1, w2])
        above.axline(near, near + np.array([-w2, w1]), color="black")
    above.set(
        xlim=(-3, 4),
        ylim=(-3, 2),
        title="start" if number == 0 else f"step {number}",
        aspect="equal",
    )
    below.bar(range(1, 7), [float(a) for a in alphas], color=colours)
    below.axhline(1, color="grey", lw=0.8)
    below.set(xticks=range(1, 7), xlabel=f"gap {P - D_}")
panels[1, 0].set(ylabel=r"$\alpha_i$")
for before, after in pairwise(course):
    assert sum(p != q for p, q in zip(before[0], after[0], strict=True)) == 2

# %% [markdown]
# ```{lab} lesson=dual-smo
# :title: The lab: SMO on six points, one pair at a step
#
# The same six points, step by step: the pair and why it was chosen, the segment that the box leaves it, and where the
# parabola's top is.
# ```

# %% [markdown]
# ## What the engine does beyond it
#
# On six points SMO is a pastime. On real data it takes thousands of steps, and towards the end they become tiny: it is a method of coordinates, and coordinates that pull against each other make it crawl. What the
# library's engine adds:
#
# - **A better pair.** Not the steepest $j$ but the one whose step gains most, $(F_i - F_j)^2 / (K_{ii} + K_{jj} - 2 K_{ij})$; and steps along directions that are conjugate to the last ones.
# - **A Newton finish.** Once it is clear which multipliers are free, their values are one linear system. Solving it replaces the long tail of tiny steps.
# - **Working sets** where the Gram matrix does not fit into memory: a few hundred rows at a time are solved in cache, and the rest of the gradient is brought up to date afterwards.
# - **A certificate.** At the end $P$ and $D$ are computed apart from the solver, and their difference is what the fit may claim: `certificate_.gap`. It is the identity of this page, as a number.
#
# Here are the first two at work, on the 569 tumours of scikit-learn's breast cancer data (standardised, RBF kernel, $C = 10$).

# %%
# Figure: The gap of plain SMO (steepest pair), of SMO with the pair that gains most, and of the library's engine, over the number of pair steps. The engine stops taking pairs early; one Newton system does the rest.
# Alt: Three curves of the relative gap over pair steps on a logarithmic axis. The steepest-pair curve falls slowly over 2,500 steps; the second-order one needs little more than half as many; the engine's drops vertically to below 1e-12 after fewer than two hundred.
from sklearn.datasets import load_breast_cancer
from sklearn.preprocessing import StandardScaler

from maxmargin.kernels import RBF

tumours, label = load_breast_cancer(return_X_y=True)
tumours, s = StandardScaler().fit_transform(tumours), np.where(label == 1, 1.0, -1.0)
Gram, box = RBF(1 / 30)(tumours, tumours), 10.0


def smo(second_order, n_steps):
    """Sequential minimal optimisation as above; returns the relative gap every 20 steps."""
    a, F = np.zeros(len(s)), s.copy()
    trace = []
    for count in range(n_steps):
        up = np.where(s > 0, a < box, a > 0)
        down = np.where(s > 0, a > 0, a < box)
        i = np.flatnonzero(up)[np.argmax(F[up])]
        lower = np.flatnonzero(down & (F[i] > F))
        j = lower[np.argmin(F[lower])] if len(lower) else i
        violation = F[i] - F[np.flatnonzero(down)].min()
        if count % 20 == 0:
            b = F[i] - violation / 2
            norm = a @ (s * (s - F))
            P = norm / 2 + box * np.maximum(0, 1 - s * (s - F + b)).sum()
            trace.append((count, (P - (a.sum() - norm / 2)) / P))
        if violation < 1e-10:
            break
        if second_order:
            curvature = 2 - 2 * Gram[i, lower]
            j = lower[np.argmax((F[i] - F[lower]) ** 2 / curvature)]
        t = (F[i] - F[j]) / (2 - 2 * Gram[i, j])
        t = min(t, box - a[i] if s[i] > 0 else a[i], a[j] if s[j] > 0 else box - a[j])
        a[i] += s[i] * t
        a[j] -= s[j] * t
        F -= t * (Gram[i] - Gram[j])
    return np.array(trace), a


steepest, _ = smo(second_order=False, n_steps=6000)
gaining, a_end = smo(second_order=True, n_steps=6000)
engine = SVC(C=box, gamma=1 / 30).fit(tumours, s)
history = engine.history_

figure, axes = pyplot.subplots(figsize=(6.8, 3.2), layout="constrained")
axes.semilogy(*steepest.T, label="steepest pair")
axes.semilogy(*gaining.T, "--", label="pair that gains most")
axes.semilogy(
    history["iterations"], np.maximum(history["gap"], 1e-16), "o-", ms=4, label="the engine"
)
axes.set(xlabel="pair steps", ylabel="relative gap", ylim=(1e-16, 3))
axes.legend()


def first_below(trace, level):
    """How many steps until the relative gap is below a level."""
    return int(trace[np.argmax(trace[:, 1] < level), 0])


print(
    f"steps to a gap of 1e-4: steepest {first_below(steepest, 1e-4)}, second order {first_below(gaining, 1e-4)}"
)
print(f"engine: {history['iterations'][-1]} pair steps, gap {engine.certificate_.gap:.0e}")
assert first_below(gaining, 1e-4) < first_below(steepest, 1e-4)
assert history["iterations"][-1] < first_below(gaining, 1e-4)
assert engine.certificate_.gap < 1e-12
a_engine = np.zeros(len(s))
a_engine[engine.support_] = np.abs(engine.dual_coef_[0])
assert np.allclose(a_engine, a_end, atol=1e-2)  # one solution, three roads

# %% [markdown]
# ## What the dual is good for
#
# - **Kernels**: samples meet only in inner products ([lecture 2](2_hyperplanes_and_kernels.html#the-kernel-machine), [lecture 5](5_losses_and_subgradients.html#formulation-4-basis-expansion-as-a-kernel)).
# - **Sparse models**: by complementary slackness all samples outside the margin have $\alpha_i = 0$ and can be forgotten.
# - **Knowing when to stop**: any feasible $\alpha$ proves how far away the optimum is at most ([how to choose $K$](5_losses_and_subgradients.html#subgradient-descent-and-its-step-sizes)).
# - **Regression** has the same dual with two prices per sample, one for each side of the tube ([practice](practice.html) and [lecture 5](5_losses_and_subgradients.html#losses-that-limit-their-influence) use it).

# %% [markdown]
# ## Exercises
#
# Predict first, then type: numbers are judged on the page, whole ones exactly and others to one per cent.
#
# ### Exercise 1: another constraint
#
# $\min \frac12 w^2$ subject to $w \ge 3$. Which $\alpha$ is optimal?

# %% [markdown] tags=["solution"]
# $L = \frac12 w^2 + \alpha (3 - w)$ is least at $w = \alpha$, where it is $3 \alpha - \frac12 \alpha^2$; the best price is $\alpha = 3$, with the value $4.5 = \frac12 \cdot 3^2$.

# %% tags=["solution"]
answer = 3
prices = np.linspace(0, 6, 601)
assert np.isclose(prices[np.argmax(3 * prices - prices**2 / 2)], answer)

# %% [markdown]
# ### Exercise 2: two samples
#
# Samples at $-1$ and $+1$ on a line, hard margin. How large is each $\alpha$?

# %% [markdown] tags=["solution"]
# Both are equal, because $\sum \alpha_i y_i = 0$, and $w = 2 \alpha$. The margin asks for $w = 1$, so $\alpha = \frac12$.

# %% tags=["solution"]
from maxmargin import HardMarginSVC

answer = 0.5
assert np.allclose(HardMarginSVC(kernel="linear").fit(ends[:, None], signs).alphas_, answer)

# %% [markdown]
# ### Exercise 3: the freedom of $b$
#
# The same two samples with $C = 0.3$: how long is the interval of optimal $b$?

# %% [markdown] tags=["solution"]
# $w = 2 C = 0.6$, and both samples may not be outside the margin: $0.6 + b \le 1$ and $0.6 - b \le 1$. So $|b| \le 0.4$, and the interval is 0.8 long. At $C = \frac12$ it shrinks to a point.

# %% tags=["solution"]
span = intercept_range(np.full(2, 0.3), scores=0.6 * ends, y=signs, c=0.3)
answer = float(span.high - span.low)
assert np.isclose(answer, 0.8)

# %% [markdown]
# ### Exercise 4: the sum of the multipliers
#
# A hard margin is 0.25 wide on each side. What is $\sum_i \alpha_i$?

# %% [markdown] tags=["solution"]
# $\|w\| = 1 / 0.25 = 4$. The optima agree, $\sum \alpha_i - \frac12 \|w\|^2 = \frac12 \|w\|^2$, so $\sum \alpha_i = \|w\|^2 = 16$.

# %% tags=["solution"]
answer = 16
quarter = HardMarginSVC(kernel="linear").fit([[-0.25], [0.25]], [-1, 1])
assert np.isclose(quarter.margin_[0], 0.25)
assert np.isclose(quarter.alphas_.sum(), answer)

# %% [markdown]
# ### Exercise 5: the first gap
#
# $w = 0$, $b = 0$ and $\alpha = 0$, for 100 samples and $C = 2$. How large is the gap?

# %% [markdown] tags=["solution"]
# Every slack is 1, so $P = 2 \cdot 100 = 200$, and $D = 0$: the gap is 200. All fits begin there.

# %% tags=["solution"]
answer = 200
start = SVC(kernel="linear", C=2).fit(np.vstack([X, X, X[:20]]), np.concatenate([y, y, y[:20]]))
assert np.isclose(start.history_["primal"][0] - start.history_["dual"][0], answer)

# %% [markdown]
# ### Exercise 6: one step
#
# $x_i^\top x_i = 5$, $x_j^\top x_j = 2$, $x_i^\top x_j = -1$, and $F_i - F_j = 2$. How far does the pair move if the box is wide?

# %% [markdown] tags=["solution"]
# $t = 2 / (5 + 2 + 2) = 2/9$. The denominator is $\|x_i - x_j\|^2$: samples that are far apart move little.

# %% tags=["solution"]
answer = 2 / 9
x_i, x_j = np.array([2.0, 1.0]), np.array([-1.0, 1.0])
assert (x_i @ x_i, x_j @ x_j, x_i @ x_j) == (5, 2, -1)
assert np.isclose(2 / np.sum((x_i - x_j) ** 2), answer)

# %% [markdown]
# ### Exercise 7: from the multiplier to the slack
#
# A sample has $\alpha_i = C$ and $z_i = 0.3$. What is its slack?

# %% [markdown] tags=["solution"]
# $\alpha_i > 0$ forces $z_i = 1 - \xi_i$: the slack is 0.7. It is inside the margin and on its side.

# %% tags=["solution"]
answer = 0.7
assert np.isclose(np.maximum(0, 1 - 0.3), answer)
