# %% [markdown]
# # One path: from the margin to practice
#
# The five lectures follow five courses, and so they tell some things five times. This page is one way through them, in seven stops: **margin, hinge, descent, dual, kernels, regression, practice**. Each stop has its idea, a picture, what you need to know
# before, where to read on, and exercises. Whoever follows one of the courses starts at its lecture instead and comes here for what the others add.

# %% [markdown]
# ## What you need
#
# | for | you need | a reminder |
# | --- | --- | --- |
# | all stops | vectors and inner products | $w^\top x = \sum_j w_j x_j$; $\|w\|^2 = w^\top w$; $w^\top x = 0$ means a right angle |
# | stops 1 to 3 | derivatives of linear and quadratic functions | the gradient of $w^\top x$ is $x$, that of $\frac12 \|w\|^2$ is $w$ |
# | stop 3 on | convex functions | every chord lies above the graph; a local minimum is a global one |
# | stop 4 | nothing more | the [dual](dual.html) begins with one number |
# | stop 5 | eigenvalues, a little | "positive semidefinite": no eigenvalue below zero |
# | stop 7 | Python with numpy and scikit-learn | `fit`, `predict`, cross-validation |
#
# One sample goes with us: sixty points, two classes.

# %%
# Figure: The sample of this page. The classes overlap a little, and the border between them is not straight.
# Alt: Sixty points in two interleaved crescents, blue circles above and orange squares below, with a little overlap.
import numpy as np
from matplotlib import pyplot
from sklearn.datasets import make_moons

X, kind = make_moons(60, noise=0.18, random_state=4)
y = np.where(kind == 1, 1, -1)


def scatter(axes, points=X, labels=y):
    """Draw the points of both classes."""
    for label, colour, marker in ((-1, "#0072B2", "o"), (1, "#D55E00", "s")):
        axes.scatter(*points[labels == label].T, s=24, c=colour, marker=marker, ec="white", lw=0.5)
    axes.set(xlabel="$x_1$", ylabel="$x_2$", aspect="equal")


figure, axes = pyplot.subplots(figsize=(5.0, 3.0), layout="constrained")
scatter(axes)
assert len(X) == 60

# %% [markdown]
# ## Stop 1: the margin
#
# A line with weights $w$ and intercept $b$ classifies by the sign of $w^\top x + b$. Its **margin** is the distance to the nearest sample; of all lines that separate, take the one with the largest:
#
# $$ \min_{w, b}\;\tfrac12 \|w\|^2 \quad\text{subject to}\quad y_i (w^\top x_i + b) \ge 1. $$
#
# - **Read:** functional and geometric margin, and why it is a distance ([lecture 1](1_margins.html#the-functional-margin)); why a large margin ([lecture 2](2_hyperplanes_and_kernels.html#why-a-large-margin)); four problems, one
#   solution ([lecture 4](4_perceptron_to_svm.html#from-the-margin-to-a-quadratic-program)).
# - **From another side:** the perceptron, which asks for separation only ([lecture 4](4_perceptron_to_svm.html#the-perceptron-s-rule)).
# - **Exercises:** [lecture 1, 1, 2 and 5](1_margins.html#exercises), [lecture 2, 5](2_hyperplanes_and_kernels.html#exercise-5-a-distance).

# %%
# Figure: Ten samples of each class that a line can separate, and the widest street between them.
# Alt: Twenty points, ten of each class, with a solid line between them, dashed lines at equal distance on both sides, and three ringed points on the dashed lines.
from maxmargin import HardMarginSVC
from maxmargin.plots import BoundaryDisplay

f = X @ [0.4, -1.0]
apart = np.concatenate([np.argsort(f)[:10], np.argsort(f)[-10:]])
apart = apart[np.isin(apart, np.flatnonzero(np.where(f > np.median(f), 1, -1) == y))]
widest = HardMarginSVC(kernel="linear").fit(X[apart], y[apart])
BoundaryDisplay.from_estimator(
    widest, X[apart], y[apart], feature_names=["$x_1$", "$x_2$"], title="stop 1: the largest margin"
).plot()
assert widest.score(X[apart], y[apart]) == 1

# %% [markdown]
# ## Stop 2: the hinge
#
# All sixty cannot be separated by a line. Let samples miss the margin, and let what they miss, their **slack**, cost $C$ per unit. The cheapest slack is the **hinge loss** of the margin $z$, and the constraints are gone:
#
# $$ \min_{w, b}\;\tfrac12 \|w\|^2 + C \sum_i \max(0, 1 - z_i), \qquad z_i = y_i (w^\top x_i + b). $$
#
# - **Read:** slack on pictures ([lecture 2](2_hyperplanes_and_kernels.html#slack-the-amount-of-violation)); slacks solve themselves ([lecture 1](1_margins.html#slacks-solve-themselves)); hinge, logistic and zero-one loss
#   ([lecture 5](5_losses_and_subgradients.html#losses-for-classification)); what the penalty is for ([lecture 3](3_hinge_and_penalty.html#scaling-up-is-cheating)).
# - **Beware:** $C$, $\lambda$, with or without $\frac12$ and $\frac1n$: [the courses differ](index.html#one-notation).
# - **Exercises:** [lecture 2, 1](2_hyperplanes_and_kernels.html#exercise-1-slack-by-hand), [lecture 3, 1, 5 and 6](3_hinge_and_penalty.html#exercises).

# %%
# Figure: The soft margin on all sixty. Segments are slacks; their sum and the width of the street are weighed against each other by $C$.
# Alt: All sixty points with a straight boundary and margin lines; segments join the points that miss their margin to its line.
from maxmargin import SVC

soft = SVC(kernel="linear", C=1.0).fit(X, y)
BoundaryDisplay.from_estimator(
    soft, X, y, feature_names=["$x_1$", "$x_2$"], title="stop 2: slack"
).plot(support=False)
z = y * soft.decision_function(X)
assert np.any(z < 1)

# %% [markdown]
# ## Stop 3: descent
#
# The hinge has a kink, and there it has no gradient but a whole interval of **subgradients**. Walking against any of them, with steps that become shorter, leads to the minimum.
#
# - **Read:** what a subgradient is ([lecture 5](5_losses_and_subgradients.html#subgradients)); the algorithm to the digit ([lecture 1](1_margins.html#subgradient-descent)); step sizes, and when to stop
#   ([lecture 5](5_losses_and_subgradients.html#subgradient-descent-and-its-step-sizes)); one sample at a time ([lecture 2](2_hyperplanes_and_kernels.html#stochastic-subgradient-steps)).
# - **Beware:** single steps may climb ([lecture 5](5_losses_and_subgradients.html#not-every-subgradient-points-uphill)).
# - **Exercises:** [lecture 1, 3](1_margins.html#exercise-3-a-better-schedule), [lecture 5, 1, 3 and 6](5_losses_and_subgradients.html#exercises).

# %%
# Figure: Subgradient descent on the sixty samples: the objective above its minimum, and how far it is proven to be away at most. The truth is below the proof.
# Alt: Two falling curves over 3,000 steps on logarithmic axes: the proven gap above, the true distance from the minimum below it.
from maxmargin.losses import Hinge
from maxmargin.optimizers import Average, StronglyConvex, minimize
from maxmargin.problems import HALF_SUM, Objective, soft_margin_primal
from maxmargin.solvers import solve_qp

held = HALF_SUM.penalising_intercept()
objective = Objective(X, y, Hinge(), 1.0, convention=held)
walk = minimize(
    objective, np.zeros(3), StronglyConvex(1.0), rule=Average(power=2), certify=True, max_iter=3000
)
minimum = solve_qp(soft_margin_primal(X, y, 1.0, held)).value
trace = walk.trace[1:]
figure, axes = pyplot.subplots(figsize=(6.0, 2.7), layout="constrained")
axes.loglog(trace["t"], trace["best"] - trace["bound"], "--", label="proven gap")
axes.loglog(trace["t"], trace["best"] - minimum, label="above the minimum")
axes.set(xlabel="step", ylabel="$J$")
axes.legend()
assert minimum <= walk.value <= minimum + walk.gap
assert walk.value - minimum < 1e-2 * minimum

# %% [markdown]
# ## Stop 4: the dual
#
# Give every constraint a price $\alpha_i$. The prices have a problem of their own, with the same optimum and a simple box; at its solution each sample knows its place: outside the margin and $\alpha_i = 0$, on it and free, or inside and $\alpha_i = C$.
#
# - **Read:** [the dual, derived](dual.html), from one number to SMO. What the courses say of it: [lecture 2](2_hyperplanes_and_kernels.html#primal-and-dual), [lecture 5](5_losses_and_subgradients.html#formulation-3-the-dual).
# - **Exercises:** [the dual, 1 to 7](dual.html#exercises), [lecture 1, 4](1_margins.html#exercise-4-how-small-may-c-be), [lecture 5, 4](5_losses_and_subgradients.html#exercise-4-from-one-formulation-to-another).

# %%
# Figure: The prices of the sixty samples over their margins.
# Alt: Dots in the shape of a step: alpha is 1 left of margin 1, 0 right of it, and between only at margin 1.
alpha = np.zeros(60)
alpha[soft.support_] = soft.alphas_[0]
figure, axes = pyplot.subplots(figsize=(6.0, 2.4), layout="constrained")
axes.plot(z, alpha, "o", ms=5)
axes.set(xlabel="margin $z_i$", ylabel=r"$\alpha_i$")
assert np.allclose(z[(alpha > 1e-6) & (alpha < 1 - 1e-6)], 1, atol=1e-4)
assert np.allclose((alpha * y) @ X, soft.coef_[0])

# %% [markdown]
# ## Stop 5: kernels
#
# In the dual, samples meet in inner products only. Replace these by a **kernel** $k(u, v)$, an inner product in another space, and the straight machine draws curves.
#
# - **Read:** lifting to a parabola ([lecture 2](2_hyperplanes_and_kernels.html#not-separable-by-a-line)); extra features ([lecture 3](3_hinge_and_penalty.html#curved-boundaries-from-extra-features)); the kernel trick, and when a function is a kernel
#   ([lecture 2](2_hyperplanes_and_kernels.html#the-kernel-trick)); kernels on words ([lecture 5](5_losses_and_subgradients.html#formulation-4-basis-expansion-as-a-kernel)).
# - **Exercises:** [lecture 2, 2, 4 and 7](2_hyperplanes_and_kernels.html#exercises), [lecture 3, 4](3_hinge_and_penalty.html#exercise-4-the-other-feature-that-is-missing).

# %%
# Figure: The sixty samples with a Gaussian kernel: the border follows the crescents.
# Alt: All sixty points with an S-shaped boundary between the two crescents, dashed margin lines and ringed support vectors.
curved = SVC(kernel="rbf", gamma=2.0, C=1.0).fit(X, y)
BoundaryDisplay.from_estimator(
    curved, X, y, feature_names=["$x_1$", "$x_2$"], title="stop 5: a Gaussian kernel"
).plot(slack=False)
assert curved.score(X, y) > soft.score(X, y)

# %% [markdown]
# ## Stop 6: regression
#
# The same machine for numbers: a tube of half width $\epsilon$ in the place of the street, and a loss only for what is outside of it. Outliers pull with limited force.
#
# - **Read:** outliers and robust losses ([lecture 5](5_losses_and_subgradients.html#losses-that-limit-their-influence)); scaling the targets ([practice](practice.html#scale-the-features)).
# - **Exercises:** [lecture 5, 2 and 5](5_losses_and_subgradients.html#exercises).

# %%
# Figure: Support vector regression on a noisy sine with three outliers. Only samples on the tube or outside of it, ringed, determine it.
# Alt: Dots along a sine wave, three far away from it, a smooth curve with a tinted band of constant width around it, and rings around the dots on or outside the band.
from maxmargin import SVR
from maxmargin.plots import RegressionDisplay

t = np.linspace(0, 6, 60)[:, None]
wave = np.sin(t[:, 0]) + 0.1 * np.random.default_rng(0).normal(size=60)
wave[[10, 30, 45]] += [2.0, -2.0, 2.0]
tube = SVR(C=1.0, epsilon=0.2).fit(t, wave)
RegressionDisplay.from_estimators(t, wave, {"support vector regression": tube}).plot()
assert np.abs(tube.predict(t) - np.sin(t[:, 0])).max() < 0.45

# %% [markdown]
# ## Stop 7: practice
#
# Scaling, choosing $C$ and $\gamma$, several classes, rare classes, probabilities, one class, $\nu$, text, streams, and when to use something else: [practice](practice.html), on real data.
#
# - **Before:** tools and issues as a course sees them ([lecture 2](2_hyperplanes_and_kernels.html#issues-and-what-helps)).
# - **Exercises:** [practice, 1 to 7](practice.html#exercises).

# %%
# Figure: Accuracy on the training data and on 2,000 new samples over $\gamma$: the first keeps rising, the second has a best place.
# Alt: Two curves over gamma on a logarithmic axis. Training accuracy rises to one; the accuracy on new samples rises, has a maximum in the middle, and falls again.
new, new_kind = make_moons(2000, noise=0.18, random_state=5)
gammas = np.logspace(-2, 3, 16)
machines = [SVC(gamma=gamma, C=10).fit(X, kind) for gamma in gammas]
figure, axes = pyplot.subplots(figsize=(6.0, 2.6), layout="constrained")
seen = [machine.score(X, kind) for machine in machines]
unseen = [machine.score(new, new_kind) for machine in machines]
axes.semilogx(gammas, seen, "o--", ms=3, label="training")
axes.semilogx(gammas, unseen, "s-", ms=3, label="new samples")
axes.set(xlabel=r"$\gamma$", ylabel="accuracy")
axes.legend()
assert seen[-1] == 1
assert 0 < np.argmax(unseen) < 15
assert unseen[-1] < max(unseen) - 0.05

# %% [markdown]
# ## Glossary
#
# | word | meaning | where |
# | --- | --- | --- |
# | alpha, dual variable, Lagrange multiplier | the price of a sample's constraint; its weight in $w = \sum_i \alpha_i y_i x_i$ | [dual](dual.html#the-lagrangian-of-the-soft-margin) |
# | bias, intercept, $b$ | moves the hyperplane along its normal; mostly not penalised | [lecture 4](4_perceptron_to_svm.html#the-support-vector-machine) |
# | bounded, free | a dual variable at $C$; one strictly between 0 and $C$ | [dual](dual.html#the-conditions-of-karush-kuhn-and-tucker) |
# | $C$ | the price of slack; $1 / \lambda$ up to factors | [lecture 2](2_hyperplanes_and_kernels.html#the-trade-off-parameter) |
# | certificate, gap | primal minus dual value: a proven bound of the distance from the optimum | [dual](dual.html#the-gap-is-a-sum-of-three-things) |
# | complementary slackness | a price is zero or its constraint is tight | [dual](dual.html#the-conditions-of-karush-kuhn-and-tucker) |
# | convex | every chord lies above the graph | [lecture 5](5_losses_and_subgradients.html#optimality-without-derivatives) |
# | decision value, score | $f(x) = w^\top x + b$, before the sign is taken | [lecture 1](1_margins.html#scores-say-more-than-labels) |
# | epsilon-insensitive loss | $\max(0, \lvert r \rvert - \epsilon)$: nothing inside a tube, linear outside | [lecture 5](5_losses_and_subgradients.html#losses-that-limit-their-influence) |
# | feature map, basis expansion | $\Phi(x)$: new features computed from the given ones | [lecture 2](2_hyperplanes_and_kernels.html#maps-to-many-dimensions) |
# | functional margin | $z = y\,(w^\top x + b)$; grows with $w$ | [lecture 1](1_margins.html#the-functional-margin) |
# | gamma | inverse width of the Gaussian kernel, $1 / (2 \sigma^2)$ | [lecture 2](2_hyperplanes_and_kernels.html#the-identity-for-u-top-v-2) |
# | geometric margin | functional margin divided by the length of $w$: a signed distance | [lecture 1](1_margins.html#the-geometric-margin) |
# | Gram matrix | all values $k(x_i, x_j)$ | [lecture 5](5_losses_and_subgradients.html#formulation-4-basis-expansion-as-a-kernel) |
# | hard margin, soft margin | no sample may miss the margin; samples may, at a price | [lecture 1](1_margins.html#when-no-line-separates) |
# | hinge loss | $\max(0, 1 - z)$ | [lecture 1](1_margins.html#the-hinge-loss) |
# | Huber loss | quadratic for small residuals, linear for large ones | [lecture 5](5_losses_and_subgradients.html#losses-that-limit-their-influence) |
# | hyperplane | all $x$ with $w^\top x + b = 0$ | [lecture 2](2_hyperplanes_and_kernels.html#hyperplanes-and-linear-models) |
# | kernel | an inner product of feature maps, computed without them | [lecture 2](2_hyperplanes_and_kernels.html#the-kernel-trick) |
# | KKT conditions | what an optimum of primal and dual satisfies | [dual](dual.html#the-conditions-of-karush-kuhn-and-tucker) |
# | lambda | the weight of the penalty | [lecture 3](3_hinge_and_penalty.html#what-does) |
# | Mercer's condition | every Gram matrix is positive semidefinite | [lecture 5](5_losses_and_subgradients.html#formulation-4-basis-expansion-as-a-kernel) |
# | momentum | steps that remember the last ones | [lecture 5](5_losses_and_subgradients.html#momentum-and-nesterov-s-look-ahead) |
# | nu | a share of the samples, in the place of $C$ | [practice](practice.html#nu-in-the-place-of-c) |
# | one-against-one, one-against-rest | a machine for each pair of classes; one for each class | [practice](practice.html#more-than-two-classes) |
# | outlier | a sample whose target is far from those nearby | [lecture 5](5_losses_and_subgradients.html#what-outliers-do-to-least-squares) |
# | Pegasos | stochastic subgradient steps with size $1 / (\lambda t)$ | [lecture 2](2_hyperplanes_and_kernels.html#the-tools-on-one-data-set) |
# | penalty, regulariser | the part of the objective that keeps $w$ short | [lecture 3](3_hinge_and_penalty.html#scaling-up-is-cheating) |
# | perceptron | adds $y_i x_i$ to $w$ at each mistake | [lecture 4](4_perceptron_to_svm.html#the-perceptron-s-rule) |
# | primal, dual | the problem in $w$ and $b$; the problem in the prices | [dual](dual.html#the-lagrangian-of-the-soft-margin) |
# | quadratic program | quadratic objective, linear constraints | [lecture 1](1_margins.html#from-the-margin-to-a-quadratic-program) |
# | slack, $\xi$ | how much a sample misses its margin | [lecture 2](2_hyperplanes_and_kernels.html#slack-the-amount-of-violation) |
# | SMO | solves the dual by moving two alphas at a time | [dual](dual.html#smo-by-hand-six-points) |
# | subgradient, subdifferential | slope of a line that supports a convex function; all of them | [lecture 5](5_losses_and_subgradients.html#subgradients) |
# | support vector | a sample with $\alpha_i > 0$: on the margin, inside, or wrong | [lecture 4](4_perceptron_to_svm.html#why-it-has-its-name) |
# | VC dimension | how many points a family can label in every way | [lecture 2](2_hyperplanes_and_kernels.html#why-a-large-margin) |
# | weak, strong duality | dual values are below primal ones; the optima agree | [dual](dual.html#strong-duality) |

# %% [markdown]
# ## References
#
# - F. Rosenblatt, *The perceptron*, Psychological Review 65, 1958. A. Novikoff, *On convergence proofs on perceptrons*, 1962: the bound on mistakes.
# - B. Boser, I. Guyon and V. Vapnik, *A training algorithm for optimal margin classifiers*, COLT 1992: the hard margin with kernels.
# - C. Cortes and V. Vapnik, *Support-vector networks*, Machine Learning 20, 1995: the soft margin.
# - J. Platt, *Sequential minimal optimization*, 1998; and *Probabilistic outputs for support vector machines*, 1999.
# - B. Schölkopf, A. Smola, R. Williamson and P. Bartlett, *New support vector algorithms*, Neural Computation 12, 2000: $\nu$. B. Schölkopf and others, *Estimating the support of a high-dimensional distribution*, Neural
#   Computation 13, 2001: one class.
# - S. Boyd and L. Vandenberghe, *Convex Optimization*, Cambridge 2004: duality and KKT.
# - R.-E. Fan, P.-H. Chen and C.-J. Lin, *Working set selection using second order information*, JMLR 6, 2005: which pair to move.
# - S. Shalev-Shwartz, Y. Singer and N. Srebro, *Pegasos*, ICML 2007. L. Bottou, *Large-scale machine learning with stochastic gradient descent*, COMPSTAT 2010.
# - C.-C. Chang and C.-J. Lin, *LIBSVM*, ACM TIST 2, 2011. R.-E. Fan and others, *LIBLINEAR*, JMLR 9, 2008.
