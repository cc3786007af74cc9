"""
Leave-one-out from one fit, and what a bound says of it
=======================================================

Leaving out each row in turn takes as many fits as there are rows; or none. When a row goes, the free variables make up for it
along a line, so that its value without it follows from the fit of all rows: the span rule. A bound from the same spans is looser.
"""

import numpy as np
from matplotlib import pyplot
from sklearn.base import clone
from sklearn.datasets import make_moons

from maxmargin import SVC
from maxmargin.plots.style import color_of
from maxmargin.selection import leave_one_out, span_bound

X, y = make_moons(150, noise=0.3, random_state=0)
machine = SVC(C=1.0, gamma=1.0).fit(X, y)
found = leave_one_out(machine, X, y)
print(
    f"{found.errors} errors; {found.n_changed} rows make others change their sets and are approximate"
)

# %%
# By brute force, to see whether it is true: 150 fits.

brute = np.empty(len(y))
for k in range(len(y)):
    rest = np.arange(len(y)) != k
    [brute[k]] = clone(machine).set_params(tol=1e-9).fit(X[rest], y[rest]).decision_function(X[[k]])
sign = 2 * y - 1
print(
    f"largest difference where the rule says it is exact: {np.abs(found.decision - brute)[found.exact].max():.0e}"
)

# %%
# Where the rule is only approximate, ``refit="changed"`` fits those rows alone. Along C, the span
# bound is far above the truth; but where it is lowest, the truth is low as well.

refitted = leave_one_out(machine, X, y, refit="changed")
Cs = np.geomspace(0.01, 100, 13)
curves = {"leave-one-out": [], "span bound": []}
for C in Cs:
    one = SVC(C=C, gamma=1.0).fit(X, y)
    curves["leave-one-out"].append(leave_one_out(one, X, y, refit="changed").error_rate)
    curves["span bound"].append(span_bound(one, X, y))

# Alt: Left, values of 150 left-out rows by the rule over those by brute force: filled dots lie on the diagonal, open ones near it. Right, over C,
# the leave-one-out error falls from one to below a fifth and stays there; the span bound lies far above it, with its lowest point in between.
figure, (left, right) = pyplot.subplots(1, 2, figsize=(9, 4), layout="constrained")
left.axline((0, 0), slope=1, color="0.8", lw=1, zorder=0)
exact = found.exact
left.plot(
    (sign * brute)[exact],
    (sign * found.decision)[exact],
    "o",
    ms=4,
    color=color_of(0),
    label="exact",
)
left.plot(
    (sign * brute)[~exact],
    (sign * found.decision)[~exact],
    "s",
    ms=5,
    mfc="none",
    color=color_of(1),
    label="approximate",
)
left.set(xlabel="y f, by a fit without the row", ylabel="y f, by the span rule")
left.legend()
for code, (name, values) in enumerate(curves.items()):
    right.plot(Cs, values, ("o-", "s--")[code], color=color_of(code), label=name)
right.set(xscale="log", xlabel="C", ylabel="share of the rows", ylim=(0, 1.05))
right.legend()

assert np.abs(found.decision - brute)[exact].max() < 1e-5
assert np.abs(refitted.decision - brute).max() < 1e-3
assert refitted.errors == np.count_nonzero(sign * brute <= 0)
assert all(np.array(curves["span bound"]) >= curves["leave-one-out"])
chosen = int(np.argmin(curves["span bound"]))
assert curves["leave-one-out"][chosen] < min(curves["leave-one-out"]) + 0.06
