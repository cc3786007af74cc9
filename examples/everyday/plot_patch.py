"""
Keep the program, change the machine: patch scikit-learn
========================================================

A program that imports ``sklearn.svm`` can stay as it is: after :func:`maxmargin.patch_sklearn` the names there are maxmargin's machines. This one is run both
ways, in turns. It says the same, and its machine can then be asked how far from the optimum it is.
"""

import time

import numpy as np
from matplotlib import pyplot
from sklearn.datasets import load_digits

import maxmargin
from maxmargin.plots.style import color_of


def program():
    """Any program: it knows scikit-learn alone."""
    from sklearn.svm import SVC

    X, y = load_digits(return_X_y=True)
    machine = SVC(C=10.0, gamma=0.001, decision_function_shape="ovo").fit(X[:1200], y[:1200])
    return machine, machine.predict(X[1200:]), machine.decision_function(X[1200:])


# %%
# Both take their turn three times; the least time of each counts. ``python -m maxmargin.patch program.py`` does the same without a change in the file.

seconds, found = {"scikit-learn": [], "maxmargin": []}, {}
for _ in range(3):
    for name, times in seconds.items():
        if name == "maxmargin":
            maxmargin.patch_sklearn(verbose=False)
        start = time.perf_counter()
        found[name] = program()
        times.append(time.perf_counter() - start)
        maxmargin.unpatch_sklearn()
best = {name: min(times) for name, times in seconds.items()}
for name, least in best.items():
    print(f"{name:>12}: {1000 * least:.0f} ms, {type(found[name][0]).__module__}")

# %%
# Both solve to a tolerance of 1e-3, so decision values may differ in the third digit.

# Alt: Left, decision values of one library over those of the other: all dots lie on the thin diagonal line. Right, two bars of the time that fit and
# predictions take, with the milliseconds written beside them.
theirs, ours = found["scikit-learn"], found["maxmargin"]
figure, (left, right) = pyplot.subplots(
    1, 2, figsize=(8.6, 3.4), width_ratios=[1, 1.2], layout="constrained"
)
left.plot(theirs[2].ravel(), ours[2].ravel(), ".", color=color_of(0), ms=3)
left.axline((0, 0), slope=1, color="0.4", lw=0.8)
left.set(xlabel="decision values of scikit-learn", ylabel="of maxmargin", aspect="equal")
bars = right.barh(
    list(best),
    [1000 * least for least in best.values()],
    color=[color_of(1), color_of(0)],
    height=0.5,
)
right.bar_label(bars, fmt="%.0f ms", padding=4)
right.set(xlabel="fit and predictions (ms)", xlim=(0, 1200 * max(best.values())))

# %%
certificate = ours[0].certificate_
difference = np.abs(theirs[2] - ours[2]).max()
print(
    f"largest difference of decision values: {difference:.1e}; relative gap of the patched fit: {certificate.gap:.0e}"
)
assert np.array_equal(theirs[1], ours[1])
assert difference < 0.02
assert certificate.violation <= 1e-3
assert type(theirs[0]).__module__.startswith("sklearn")
