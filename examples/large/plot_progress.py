"""
Watch a fit, stop it by a rule of your own, and go on later
===========================================================

A callback sees the fit about ten times a second, may draw, log or ask a user, and ends it by returning True. What
is there by then is a model with a certificate, and with ``warm_start=True`` the next fit goes on from it.
"""

import warnings

from matplotlib import pyplot
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning

from maxmargin import SVC
from maxmargin.plots.style import color_of

X, y = make_classification(12_000, 20, n_informative=10, n_clusters_per_class=8, random_state=1)


# %%
# The rule: stop at a relative gap of 2 %. A callback gets the latest row of the history: seconds, iterations, primal,
# dual, gap, violation and support vectors so far. The gap on the way is an estimate in float32. A fit that is told to
# stop does so at once, and its ``certificate_`` allows for all the rounding there may have been; :meth:`~maxmargin.SVC.certify` takes
# the time to compute the same in float64.

seen = []


def good_enough(row):
    """Keep what was seen; end the fit once the objective is proven to be within 2 %."""
    seen.append(row)
    return row["gap"] < 0.02


machine = SVC(C=10.0, warm_start=True, callback=good_enough)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", ConvergenceWarning)  # it says that the callback ended the fit
    machine.fit(X, y)
early = machine.certify(X, y)
print(f"{machine.status_.name} after {len(seen)} calls, gap {early.gap:.1%}")

# %%
# Without the rule the second fit runs to the end. It begins with the dual variables of the first.

machine.set_params(callback=None).fit(X, y)
second, final = machine.history_, machine.certificate_
print(f"{machine.status_.name}, gap {final.gap:.0e}")

# %%
# The gap over time, of both fits in a row. Nothing of the first is lost: the second begins about where it ended.

# Alt: The relative gap over seconds on a logarithmic axis. A first curve falls from one to below a dashed line at two
# per cent, where the callback ends the fit; a second curve begins near there and falls on to a thousandth and less.
figure, axes = pyplot.subplots(figsize=(6.4, 3.8), layout="constrained")
pause = seen[-1]["time"]
told = [(row["time"], row["gap"]) for row in seen if row["gap"] <= 1]
axes.plot(
    *zip(*told, strict=True), "o-", ms=4, color=color_of(0), label="what the callback was told"
)
axes.plot(
    pause + second["time"], second["gap"], "s-", ms=4, color=color_of(1), label="the second fit"
)
axes.axhline(0.02, color="0.5", ls="--", lw=1)
axes.text(0.02, 0.023, "the rule: 2 %", transform=axes.get_yaxis_transform())
axes.axvline(pause, color="0.8", lw=1, zorder=0)
axes.set(yscale="log", xlabel="seconds", ylabel="relative gap")
axes.legend(loc="upper right")

assert early.gap < 0.03  # what was told on the way was an estimate
assert early.dual <= final.primal <= early.primal * (1 + 1e-9)
assert final.gap < 1e-3
