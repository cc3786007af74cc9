"""
How the cost of a fit grows with the rows
=========================================

Twice the rows: twice the work, or four times? Seconds depend on the machine and on what else it does; ``fit_report_`` counts
the operations as well, and these are the same everywhere.
"""

import numpy as np
from matplotlib import pyplot
from sklearn.datasets import make_classification

from maxmargin import SVC, LinearSVC
from maxmargin.plots.style import color_of

X, y = make_classification(
    16_000, 20, n_informative=10, n_clusters_per_class=4, flip_y=0.05, random_state=0
)
sizes = np.array([2_000, 4_000, 8_000, 16_000])

# %%
# A kernel machine needs kernel values: those between support vectors and all rows, at least, and never more than a
# few times all pairs. With noisy labels the support vectors are a fixed share of the rows, so that the work grows
# with the square of the rows. A linear machine goes through the rows in each of its iterations, whose number hardly grows.

values, least, passes = [], [], []
for n in sizes:
    kernel, linear = SVC(C=1.0).fit(X[:n], y[:n]), LinearSVC(tol=1e-8).fit(X[:n], y[:n])
    values.append(kernel.fit_report_["kernel_entries"])
    least.append(len(kernel.support_) * n)
    passes.append(linear.fit_report_["iterations"])
    print(
        f"{n:6,} rows: {values[-1]:12,} kernel values, {len(kernel.support_):5,} support vectors; "
        f"{passes[-1]} iterations of the linear machine"
    )

# %%
# On logarithmic axes a power is a line, and its slope the exponent.

powers = {
    "SVC, kernel values": np.polyfit(np.log(sizes), np.log(values), 1)[0],
    "LinearSVC, iterations x rows": np.polyfit(np.log(sizes), np.log(sizes * passes), 1)[0],
}

# Alt: Operations over rows, both axes logarithmic. The line of kernel values rises about as the square of the rows, close to
# a thin line of all pairs and above a dotted one of support vectors times rows; the linear machine's line lies far below and is flatter.
figure, axes = pyplot.subplots(figsize=(6.4, 4.2), layout="constrained")
axes.plot(sizes, sizes**2, color="0.7", lw=1, label="all pairs of rows")
for code, (name, counts) in enumerate(zip(powers, (values, sizes * np.array(passes)), strict=True)):
    axes.plot(
        sizes,
        counts,
        "os"[code] + "-",
        color=color_of(code),
        label=f"{name}: slope {powers[name]:.2f}",
    )
axes.plot(sizes, least, ":", color=color_of(0), label="support vectors x rows")
axes.set(xscale="log", yscale="log", xlabel="rows", ylabel="operations")
axes.set_xticks(sizes, [f"{n:,}" for n in sizes])
axes.minorticks_off()
axes.legend()

for name, power in powers.items():
    print(f"{name}: rows to the power {power:.2f}")
assert 1.5 < powers["SVC, kernel values"] < 2.4
assert passes[-1] <= passes[0] + 2
