"""
What a fit that ran out of time is worth
========================================

``time_limit`` ends a fit after so many seconds and keeps what is there. The certificate then says what that is worth:
the optimum lies between ``dual`` and ``primal``, however early the fit was stopped.
"""

import warnings

import numpy as np
from matplotlib import pyplot
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning

from maxmargin import SVC
from maxmargin.plots.style import color_of

X, y = make_classification(12_000, 20, n_informative=10, n_clusters_per_class=8, random_state=0)
X, y, X_new, y_new = X[:8_000], y[:8_000], X[8_000:], y[8_000:]

# %%
# The same machine is fitted with more and more time, and once without a limit. A fit that is stopped warns, which is
# what one wants in a program that should not go on unnoticed; here it is expected.

limits = [0.1, 0.4, 0.7, 1.0, None]
machines = []
for limit in limits:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        machines.append(SVC(C=10.0, time_limit=limit).fit(X, y))
    found, certificate = machines[-1], machines[-1].certificate_
    print(
        f"{limit or 'none':>5}  {found.status_.name:<10}  optimum in [{certificate.dual:8.1f}, "
        f"{certificate.primal:9.1f}]  gap {certificate.gap:.0e}  accuracy {found.score(X_new, y_new):.3f}"
    )

# %%
# Above, the interval in which each fit has proven the optimum to be; below, how often each is right on new rows. The
# intervals are wide at first: a gap of a half is no proof of a bad model, it is a proof that little is known. Accuracy
# settles long before the last digit of the objective does, and the gap tells from where on waiting is for digits only.

# Alt: Two panels over the time limit. Above, vertical bars from dual to primal become shorter with more time and close
# in on a horizontal line, the optimum, which every bar crosses. Below, the accuracy on new rows rises and levels off early.
figure, (above, below) = pyplot.subplots(
    2, 1, figsize=(6.4, 5.2), sharex=True, layout="constrained", height_ratios=(2, 1)
)
places = np.arange(len(limits))
optimum = machines[-1].certificate_.primal
duals = np.array([machine.certificate_.dual for machine in machines]) / optimum
primals = np.array([machine.certificate_.primal for machine in machines]) / optimum
above.axhline(1.0, color="0.5", lw=1, label="optimum")
above.vlines(places, duals, primals, color=color_of(0), lw=7, alpha=0.35, label="proven interval")
above.plot(places, primals, "v", color=color_of(1), label="primal, of the model")
above.plot(places, duals, "^", color=color_of(0), label="dual, below all models")
above.set(yscale="log", ylabel="objective / optimum")
above.set_yticks([0.1, 1], ["0.1", "1"])
above.legend(loc="lower right")
below.plot(places, [machine.score(X_new, y_new) for machine in machines], "o-", color=color_of(2))
below.set_xticks(places, [f"{limit} s" if limit else "none" for limit in limits])
below.set(xlabel="time limit", ylabel="accuracy, new rows")

# %%
# What no machine's speed changes: every interval holds the optimum.

rounding = 1e-9 * optimum
best = machines[-1].certificate_
for machine in machines:
    assert machine.certificate_.dual <= best.primal + rounding
    assert machine.certificate_.primal >= best.dual - rounding
assert best.gap < 1e-3
