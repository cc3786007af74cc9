# %% [markdown]
# # Lectures: five courses on support vector machines, run
#
# Each page follows one published course, section by section and in our own words, with `maxmargin` doing the
# computing. A student who knows the course finds every section again, by the line under each heading; a teacher
# can project the pages as they are. Nothing is fetched from elsewhere: figures and formulas are in the files.
#
# Every claim ends in an `assert`, and pages are made only of code that has run. Code and checks are folded: "Show code" opens one, the foot of a page all. Exercises ask for a number, which the page judges. Each page
# can be had as a notebook (at its foot); the sources are Python programs in `docs/lectures`, which many editors open as notebooks.

# %% [markdown]
# ## The lectures
#
# | lecture | follows | from | to |
# | --- | --- | --- | --- |
# | [1. Margins](1_margins.html) | Applied Machine Learning, Lecture 9 (Cornell Tech, 2020) | functional and geometric margins | subgradient descent, to the digit |
# | [2. Hyperplanes and kernels](2_hyperplanes_and_kernels.html) | CMPSC 448, Lecture 11 (Penn State, 2021) | distances and noise | kernels, primal and dual, four tools |
# | [3. Hinge and penalty](3_hinge_and_penalty.html) | slides on SVMs and gradient descent | logistic regression | curved boundaries from extra features |
# | [4. From the perceptron](4_perceptron_to_svm.html) | Week 6 (S. Levine) | the perceptron's rule and programs | what support vectors are |
# | [5. Losses and subgradients](5_losses_and_subgradients.html) | COMPSCI 689, Lecture 8 (UMass Amherst) | outliers and robust losses | momentum, Nesterov, a derivation checked |
# | [Errata](errata.html) | all five | | slips, each shown by a computation |
#
# Beyond the courses:
#
# | page | what it is |
# | --- | --- |
# | [One path](path.html) | seven stops through all pages, with what you need to know, a glossary and references |
# | [The dual](dual.html) | derived: Lagrangian, KKT conditions, SMO by hand, and what the engine does beyond it |
# | [Practice](practice.html) | ten situations on real data, what goes wrong first |

# %% [markdown]
# ## One notation
#
# The courses write one problem in six ways, and the steps of one of them minimise a seventh. All pages use $w$ for the weights, $b$ for the intercept,
# $z = y\,(w^\top x + b)$ for the margin, $\xi$ for slacks and $\alpha$ for the dual variables. Where the free parameter stands
# differs from course to course; the minimiser depends only on the ratio of the two factors:

# %%
from maxmargin.problems import CONVENTIONS, HALF_SUM, convert

print("The minimiser of the first, with C = 1 and n = 100, in the letters of the others:")
for convention in CONVENTIONS:
    value = convert(1.0, 100, source=HALF_SUM, target=convention)
    print(f"{convention.formula:38} {convention.letter} = {value:g}")
    assert abs(convert(value, 100, source=convention, target=HALF_SUM) - 1) < 1e-12
assert len({convention.formula for convention in CONVENTIONS}) == 7

# %% [markdown]
# ## Losses on one page
#
# What the five courses minimise, over the margin: the count of errors, and what stands in for it.

# %%
# Figure: The losses of the five courses over the margin, and their slopes.
# Alt: Left, curves of the zero-one, hinge, squared hinge, logistic and perceptron loss over the margin; all fall from left to right. Right, their slopes, steps, a ramp and a smooth curve, none above zero.
from maxmargin.plots import LossDisplay

LossDisplay.from_losses().plot()
