# %% [markdown]
# # Practice: what goes wrong, and what helps
#
# Ten situations, each on data that come with scikit-learn, and each in the same order: first what goes wrong when one does the obvious, then why, then what helps. All numbers are computed on the page.
#
# **Before you read:** what [$C$](2_hyperplanes_and_kernels.html#the-trade-off-parameter) and a [kernel](2_hyperplanes_and_kernels.html#the-kernel-trick) are.

# %% [markdown]
# ## Scale the features
#
# The wine data have 13 measurements of 178 wines. Fitted as they come:

# %%
# Figure: Left: the spread of each of the 13 features. One of them, proline, is a thousand times as wide as the narrowest; in a distance it is all that counts. Right: cross-validated accuracy without and with
# scaling.
# Alt: Left, thirteen horizontal bars on a logarithmic axis: proline reaches 300, magnesium 14, all others are below 4 and hue at 0.2. Right, two bars: 66 per cent without scaling and 98 per cent with.
import numpy as np
from matplotlib import pyplot
from sklearn.datasets import load_wine
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC

wine = load_wine(as_frame=True)
raw = cross_val_score(SVC(), wine.data, wine.target).mean()
scaled = cross_val_score(make_pipeline(StandardScaler(), SVC()), wine.data, wine.target).mean()
print(f"accuracy as they come {raw:.3f}, scaled {scaled:.3f}")

spread = wine.data.std()
figure, (left, right) = pyplot.subplots(
    1, 2, figsize=(8.8, 3.2), layout="constrained", width_ratios=(2, 1)
)
left.barh(spread.index, spread, color="#56B4E9")
left.set(xscale="log", xlabel="standard deviation")
right.bar(["as they come", "scaled"], [raw, scaled], color=["#D55E00", "#009E73"])
right.set(ylabel="accuracy", ylim=(0, 1))

share = spread["proline"] ** 2 / (spread**2).sum()
print(f"proline makes {share:.1%} of the mean squared distance")
assert raw < 0.7
assert scaled > 0.97
assert share > 0.99

# %% [markdown]
# **Why:** kernels and penalties see numbers, not units. $\|u - v\|^2$ adds squares, and a feature in large numbers drowns the others. **What helps:** bring every feature to the same spread, with a scaler *inside* the pipeline, so
# that it learns its numbers from the training part alone.
#
# **Targets have a scale, too.** In the diabetes data they go from 25 to 346, and the default tube of support vector regression is 0.1 wide with $C = 1$: no sample may pull harder than 1.

# %%
# Figure: Support vector regression on the diabetes data, predictions over targets. Left with the defaults: the predictions stay within a narrow band. Right with features and targets scaled.
# Alt: Two scatter plots of predicted over true targets with a diagonal. Left, the dots form an almost horizontal band between 120 and 180. Right, they spread along the diagonal.
from sklearn.compose import TransformedTargetRegressor
from sklearn.datasets import load_diabetes
from sklearn.metrics import r2_score
from sklearn.model_selection import cross_val_predict

from maxmargin import SVR

diabetes = load_diabetes(return_X_y=True)
both_scaled = TransformedTargetRegressor(
    make_pipeline(StandardScaler(), SVR()), transformer=StandardScaler()
)
guesses = {
    "defaults": cross_val_predict(SVR(), *diabetes),
    "features and targets scaled": cross_val_predict(both_scaled, *diabetes),
}
figure, panels = pyplot.subplots(1, 2, figsize=(8.4, 3.2), layout="constrained", sharey=True)
r2 = {}
for axes, (name, guess) in zip(panels, guesses.items(), strict=True):
    r2[name] = r2_score(diabetes[1], guess)
    axes.plot(diabetes[1], guess, ".", ms=4)
    axes.axline((50, 50), (300, 300), color="grey", lw=0.8)
    axes.set(xlabel="target", title=f"{name}: $R^2$ = {r2[name]:.2f}")
panels[0].set(ylabel="prediction")
print({name: round(value, 3) for name, value in r2.items()})
assert r2["defaults"] < 0.2
assert r2["features and targets scaled"] > 0.4

# %% [markdown]
# ## Choose C and gamma
#
# **What goes wrong:** to choose what fits best. With a narrow kernel and a large $C$ every training sample is right.

# %%
# Figure: Accuracy over $\gamma$ (across) and $C$ (upwards): on the training data, and by cross-validation. The corner that training likes best is the worst choice. Crosses mark the best of each.
# Alt: Two heat maps of seven by seven fields. Left, training accuracy: bright in the whole upper right half. Right, cross-validated accuracy: a bright diagonal ridge from small gamma with large C to medium gamma with medium C, dark at large gamma.
import warnings

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, train_test_split

from maxmargin import AdviceWarning

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0, stratify=y)
scaler = StandardScaler().fit(X_train)
A, B = scaler.transform(X_train), scaler.transform(X_test)

C_grid, gamma_grid = np.logspace(-2, 4, 7), np.logspace(-5, 1, 7)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", AdviceWarning)  # the grid goes where it should not, on purpose
    search = GridSearchCV(
        SVC(), {"C": C_grid, "gamma": gamma_grid}, cv=5, return_train_score=True
    ).fit(A, y_train)
maps = {
    "training": search.cv_results_["mean_train_score"].reshape(7, 7),
    "cross-validation": search.cv_results_["mean_test_score"].reshape(7, 7),
}
with warnings.catch_warnings(record=True) as advice:
    warnings.simplefilter("always")
    greedy = SVC(C=1000, gamma=1).fit(A, y_train)
print(f"{advice[0].category.__name__}: {advice[0].message}")
print(
    f"greedy: {greedy.score(A, y_train):.3f} in training, {greedy.score(B, y_test):.3f} on new data"
)
print(
    f"chosen: C = {search.best_params_['C']:g}, gamma = {search.best_params_['gamma']:g}, "
    f"{search.best_score_:.3f} by cross-validation, {search.score(B, y_test):.3f} on new data"
)

figure, panels = pyplot.subplots(1, 2, figsize=(8.8, 3.4), layout="constrained", sharey=True)
for axes, (name, scores) in zip(panels, maps.items(), strict=True):
    picture = axes.imshow(scores, origin="lower", vmin=0.6, vmax=1, cmap="cividis")
    at = np.unravel_index(np.argmax(scores), scores.shape)
    axes.plot(at[1], at[0], "x", color="#D55E00", ms=9, mew=3)
    axes.set(xticks=range(7), yticks=range(7), title=name, xlabel=r"$\log_{10} \gamma$")
    axes.set(xticklabels=range(-5, 2), yticklabels=range(-2, 5))
panels[0].set(ylabel=r"$\log_{10} C$")
figure.colorbar(picture, ax=panels, label="accuracy")

assert greedy.score(A, y_train) == 1
assert greedy.score(B, y_test) < 0.7
assert search.score(B, y_test) > 0.94

# %% [markdown]
# **Why:** training accuracy cannot tell memory from insight. (A fit in which nearly every sample is a support vector says so by itself, in the first line printed.) **What helps:** cross-validation on a coarse logarithmic grid, first over many powers of ten, then finer around the best; and a test set that was never used for choosing. The number of
# the search itself is a little too good, because it is the best of 49.

# %% [markdown]
# ## More than two classes
#
# **What goes wrong:** classes are not numbers. The ten digits look as if they were; fit a regression to them and round.

# %%
# Figure: Left: rounding a regression, right: 45 machines that vote. Rows are true digits, columns predictions; off the diagonal are errors.
# Alt: Two ten-by-ten confusion matrices. Left, a broad smear along the diagonal. Right, a clean diagonal with a few faint fields beside it.
from sklearn.datasets import load_digits
from sklearn.metrics import confusion_matrix

pixels, digit = load_digits(return_X_y=True)
pixels = pixels / 16
shuffled = np.random.default_rng(0).permutation(len(digit))
train, test = shuffled[:1200], shuffled[1200:]
rounded = np.clip(np.rint(SVR(C=10).fit(pixels[train], digit[train]).predict(pixels[test])), 0, 9)
voted = SVC(C=10).fit(pixels[train], digit[train])
from_rest = SVC(C=10, decision_function_shape="ovr").fit(pixels[train], digit[train])
right = {
    "regression, rounded": np.mean(rounded == digit[test]),
    "45 machines vote": voted.score(pixels[test], digit[test]),
}
print({name: f"{value:.3f}" for name, value in right.items()})

figure, panels = pyplot.subplots(1, 2, figsize=(8.0, 3.4), layout="constrained")
for axes, name, guess in zip(panels, right, (rounded, voted.predict(pixels[test])), strict=True):
    axes.imshow(np.sqrt(confusion_matrix(digit[test], guess)), cmap="Blues")
    axes.set(title=f"{name}: {right[name]:.1%}", xticks=range(10), yticks=range(10))
    axes.set(xlabel="prediction", ylabel="digit")
assert right["regression, rounded"] < 0.8
assert right["45 machines vote"] > 0.97
assert len(voted.certificate_.parts) == 45
assert np.array_equal(voted.predict(pixels[test]), from_rest.predict(pixels[test]))

# %% [markdown]
# **Why:** a 7 is not nearer to an 8 than to a 1. **What helps:** one machine for each pair of classes and a vote (`SVC`), or one for each class against the rest (`LinearSVC`). Pairs are many but small; each sees two classes only. The
# parameter `decision_function_shape` changes what `decision_function` returns, not how the votes are counted.

# %% [markdown]
# ## Rare classes
#
# Is it an eight? Train on 900 other digits and 20 eights, and test where every sixth is one.

# %%
# Figure: Recall (how many of the eights are found) and precision (how many that are called eights are eights) of a plain machine and of one with balanced weights.
# Alt: Grouped bars. Plain: recall zero, accuracy 0.82. Balanced: recall 0.9, precision 0.8, accuracy 0.94.
from sklearn.metrics import precision_score, recall_score

rng = np.random.default_rng(0)
eight = (digit == 8).astype(int)
sample = np.concatenate(
    [rng.permutation(np.flatnonzero(eight == 0))[:900], rng.permutation(np.flatnonzero(eight))[:20]]
)
rest = np.setdiff1d(np.arange(len(eight)), sample)
report = {}
for name, weight in (("plain", None), ("balanced", "balanced")):
    model = SVC(C=0.1, class_weight=weight).fit(pixels[sample], eight[sample])
    guess = model.predict(pixels[rest])
    report[name] = [
        np.mean(guess == eight[rest]),
        recall_score(eight[rest], guess),
        precision_score(eight[rest], guess, zero_division=0),
    ]
    print(
        f"{name:9} accuracy {report[name][0]:.2f}, recall {report[name][1]:.2f}, precision {report[name][2]:.2f}"
    )

figure, axes = pyplot.subplots(figsize=(5.6, 2.6), layout="constrained")
for shift, (name, values) in zip((-0.2, 0.2), report.items(), strict=True):
    axes.bar(np.arange(3) + shift, values, 0.38, label=name)
axes.set(xticks=range(3), xticklabels=["accuracy", "recall", "precision"], ylim=(0, 1))
axes.legend()
assert report["plain"][1] == 0  # not one of them is found
assert report["plain"][0] > 0.8  # and the accuracy looks fine
assert report["balanced"][1] > 0.85

# %% [markdown]
# **Why:** the sum of slacks counts heads; giving 20 away is cheaper than a narrow margin for 900. And accuracy hides it. **What helps:** `class_weight="balanced"`, which makes both classes cost the same, and judging by recall and precision, or by
# balanced accuracy.

# %% [markdown]
# ## Probabilities
#
# **What goes wrong:** a decision value is taken for a log-odds. $f = 1$ means "on the margin" and not "73 %"; but the logistic function $1 / (1 + e^{-f})$ would say that.

# %%
# Figure: Reliability: what was predicted, and how often it came true, in five groups of equal size. The bare logistic function is too cautious: what it calls 70 or 80 per cent comes true always. Calibrated, the dots come to the
# diagonal.
# Alt: Two curves of observed share over predicted probability with a diagonal. The one of the bare logistic function lies far above the diagonal on the right and below it on the left; the calibrated one is close to it.
from sklearn.metrics import brier_score_loss, log_loss

calibrated = SVC(gamma=0.01, calibration="sigmoid").fit(A, y_train)
bare = 1 / (1 + np.exp(-calibrated.decision_function(B)))
probability = calibrated.predict_proba(B)[:, 1]
losses = {"bare": log_loss(y_test, bare), "calibrated": log_loss(y_test, probability)}
print({name: f"log-loss {value:.3f}" for name, value in losses.items()})

figure, axes = pyplot.subplots(figsize=(4.4, 3.4), layout="constrained")
for name, p, look in (("bare logistic function", bare, "o--"), ("calibrated", probability, "s-")):
    groups = np.array_split(np.argsort(p), 5)
    axes.plot([p[g].mean() for g in groups], [y_test[g].mean() for g in groups], look, label=name)
axes.axline((0, 0), (1, 1), color="grey", lw=0.8)
axes.set(xlabel="predicted probability", ylabel="share that came true")
axes.legend()
assert losses["calibrated"] < 0.6 * losses["bare"]
assert brier_score_loss(y_test, probability) < brier_score_loss(y_test, bare)

# %% [markdown]
# **Why:** the hinge pays no attention to how far beyond the margin a sample is, so $f$ has no scale of probabilities. **What helps:** `SVC(calibration="sigmoid")` fits two numbers, slope and shift of the logistic function, on decision values of samples that the
# machine had not seen. It costs a cross-validation. If probabilities are what you need, logistic regression gives them at once.

# %% [markdown]
# ## One class only
#
# Learn what a zero looks like, from 100 zeros and nothing else. **What goes wrong:** the default $\nu = 0.5$. It is an upper bound on the share of training samples that may be called outliers, and it is used up.

# %%
# Figure: Decision values of new zeros and of other digits, for $\nu = 0.5$ and $\nu = 0.05$. Left of the line is "outlier". All other digits are found by both; the first also rejects most of the zeros.
# Alt: Two panels with histograms over the decision value. In both, the other digits lie left of zero. On the left, for nu 0.5, most zeros lie left of zero too; on the right, for 0.05, most lie right of it.
from maxmargin import OneClassSVM

zeros, others = pixels[digit == 0], pixels[digit != 0]
figure, panels = pyplot.subplots(1, 2, figsize=(8.6, 2.7), layout="constrained")
rejected = {}
for axes, nu in zip(panels, (0.5, 0.05), strict=True):
    novelty = OneClassSVM(nu=nu).fit(zeros[:100])
    of_zeros, of_others = (novelty.decision_function(part) for part in (zeros[100:], others))
    rejected[nu] = np.mean(of_zeros < 0), np.mean(of_others < 0)
    axes.hist(of_others, bins=40, density=True, alpha=0.6, label="other digits")
    axes.hist(of_zeros, bins=15, density=True, alpha=0.6, label="zeros")
    axes.axvline(0, color="black", lw=0.8)
    axes.set(title=rf"$\nu$ = {nu}", xlabel="decision value", yticks=[])
    print(
        f"nu = {nu}: rejects {rejected[nu][0]:.0%} of the new zeros, {rejected[nu][1]:.1%} of the others"
    )
panels[0].legend()
in_training = np.mean(OneClassSVM(nu=0.5).fit(zeros[:100]).predict(zeros[:100]) < 0)
assert rejected[0.5][0] > 0.5
assert rejected[0.05][0] < 0.25
assert min(rejected[0.5][1], rejected[0.05][1]) > 0.99
assert in_training <= 0.5

# %% [markdown]
# **What helps:** set $\nu$ to the share of the training data that you suspect, and expect new samples to be rejected somewhat more often: 100 zeros are few for 64 pixels.

# %% [markdown]
# ## nu in the place of C
#
# $C$ has no natural unit. `NuSVC` replaces it by $\nu \in (0, 1]$: at most that share of the samples misses its margin, at least that share are support vectors. **What goes wrong:** not every $\nu$ is possible.

# %%
# Figure: Shares over $\nu$ on the tumours: support vectors are above the diagonal, margin errors below it, as promised. The dashed line is the largest $\nu$ possible.
# Alt: Two rising curves over nu from 0.02 to 0.74. The share of support vectors lies above the diagonal and approaches it; the share of margin errors lies just below it. A dashed vertical line stands at 0.75.
from maxmargin import NuSVC

try:
    NuSVC(nu=0.8).fit(A, y_train)
    refused = False
except ValueError as reason:
    refused = True
    print(reason)
nus = np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.74])
supports, errors = [], []
for nu in nus:
    model = NuSVC(nu=nu).fit(A, y_train)
    signed = np.where(y_train == 1, 1, -1) * model.decision_function(A)
    supports.append(len(model.support_) / len(A))
    errors.append(np.mean(signed < 1 - 1e-6))  # scores are scaled so that the margin is 1
figure, axes = pyplot.subplots(figsize=(5.6, 3.0), layout="constrained")
axes.plot(nus, supports, "o-", label="support vectors")
axes.plot(nus, errors, "s--", label="margin errors")
axes.axline((0, 0), (1, 1), color="grey", lw=0.8)
smaller = min(np.mean(y_train == 0), np.mean(y_train == 1))
axes.axvline(2 * smaller, ls="--", color="black", lw=0.8)
axes.set(xlabel=r"$\nu$", ylabel="share of the samples", xlim=(0, 0.8), ylim=(0, 0.8))
axes.legend()
assert refused
assert np.all(np.array(supports) >= nus)
assert np.all(np.array(errors) <= nus)

# %% [markdown]
# **Why:** the two classes must carry equal weight, so the share cannot exceed twice that of the smaller class. **What helps:** $\nu$ is easy to guess (a little above the error rate you expect), and the message says the largest possible.

# %% [markdown]
# ## Text: many features, mostly zero
#
# scikit-learn brings no newspapers, but it describes its data sets in plain English. Take the lines of six descriptions: which data set is a line about? **What goes wrong:** word counts and an RBF kernel.

# %%
# Figure: Cross-validated accuracy of four combinations on 183 lines. Guessing the most frequent would be right for 30 per cent.
# Alt: Horizontal bars: RBF on counts 0.47, RBF on tf-idf 0.49, linear on counts 0.64, linear on tf-idf 0.68; a dashed line at 0.30.
from sklearn.datasets import load_iris, load_linnerud
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.model_selection import StratifiedKFold

from maxmargin import LinearSVC

loaders = (load_iris, load_wine, load_breast_cancer, load_diabetes, load_digits, load_linnerud)
texts, about = [], []
for number, load in enumerate(loaders):
    lines = [line.strip() for line in load().DESCR.splitlines() if len(line.split()) >= 5]
    texts += lines
    about += [number] * len(lines)
folds = StratifiedKFold(5, shuffle=True, random_state=0)
ways = {
    "RBF on counts": make_pipeline(CountVectorizer(), SVC()),
    "RBF on tf-idf": make_pipeline(TfidfVectorizer(sublinear_tf=True), SVC()),
    "linear on counts": make_pipeline(CountVectorizer(), LinearSVC()),
    "linear on tf-idf": make_pipeline(TfidfVectorizer(sublinear_tf=True), LinearSVC()),
}
accuracy = {name: cross_val_score(way, texts, about, cv=folds).mean() for name, way in ways.items()}
most = np.bincount(about).max() / len(about)
table = TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 5)).fit_transform(texts)
stored = table.data.nbytes + table.indices.nbytes + table.indptr.nbytes
print({name: f"{value:.2f}" for name, value in accuracy.items()})
print(
    f"pieces of words: {table.shape[1]:,} features, {table.nnz / table.shape[0]:.0f} of them in a line; "
    f"{stored / 1e6:.1f} MB sparse, {8 * table.shape[0] * table.shape[1] / 1e6:.1f} MB dense"
)

figure, axes = pyplot.subplots(figsize=(6.0, 2.3), layout="constrained")
axes.barh(list(accuracy), list(accuracy.values()), color="#56B4E9")
axes.axvline(most, ls="--", color="black", lw=0.8)
axes.set(xlabel="accuracy", xlim=(0, 1))
axes.invert_yaxis()
assert accuracy["linear on tf-idf"] > accuracy["RBF on counts"] + 0.1
assert accuracy["linear on tf-idf"] > most + 0.3
assert stored < 0.05 * 8 * table.shape[0] * table.shape[1]

# %% [markdown]
# **Why:** with thousands of features and a few hundred samples a straight boundary can already do everything, and a narrow kernel finds no neighbours. **What helps:** a linear machine on weighted, normalised words, and leaving the matrix sparse: all machines here take
# it as it is.

# %% [markdown]
# ## Streams
#
# Data that come in pieces, or do not fit into memory, are learned with `partial_fit`. **What goes wrong:** the pieces come sorted.

# %%
# Figure: Accuracy on held-out digits after each piece of 100. Sorted by digit, the machine forgets what it does not see any more; shuffled, it has learned most after three pieces.
# Alt: Two curves over the number of pieces. The shuffled one starts at 0.82 and rises to 0.95; the sorted one starts at 0.1 and creeps to 0.4.
from maxmargin import SGDSVC

order = {"sorted by digit": train[np.argsort(digit[train], kind="stable")], "shuffled": train}
figure, axes = pyplot.subplots(figsize=(6.0, 2.7), layout="constrained")
last = {}
for (name, rows), look in zip(order.items(), ("s--", "o-"), strict=True):
    stream = SGDSVC(random_state=0)
    scores = []
    for piece in np.array_split(rows, 12):
        stream.partial_fit(pixels[piece], digit[piece], classes=np.arange(10))
        scores.append(stream.score(pixels[test], digit[test]))
    last[name] = scores[-1]
    axes.plot(range(1, 13), scores, look, label=name)
axes.set(xlabel="pieces seen", ylabel="accuracy", ylim=(0, 1))
axes.legend()
print({name: round(value, 3) for name, value in last.items()})
assert last["shuffled"] > 0.9
assert last["sorted by digit"] < 0.5

# %% [markdown]
# **Why:** a stochastic step believes that samples are drawn at random. **What helps:** shuffle, or read the pieces in random order; name all classes in the first call; and scale with numbers fixed beforehand.

# %% [markdown]
# ## When not to use one
#
# A support vector machine is a good first choice for a few hundred to some ten thousand samples with numeric features. It is not for everything:
#
# - **Very many samples with a kernel.** The Gram matrix has $n^2$ entries. Take a linear machine, approximate the kernel (`Nystroem`, `RandomFourier`), or another method.
# - **When a straight line is all there is.** On the diabetes data ridge regression is as good as a tuned support vector regression, and simpler.
# - **When features are of mixed kinds and scales.** Trees do not care about scaling; on the wine data as they come a random forest is right where the machine above failed.
# - **When probabilities or reasons are the product.** Logistic regression has both.

# %%
# Figure: Left: memory for the Gram matrix in float64 over the number of samples; the line is 16 GB. Right: simpler methods on two of the data sets of this page.
# Alt: Left, a straight line on logarithmic axes from 8 megabytes at 1,000 samples to 8 terabytes at a million; it crosses the dashed 16-gigabyte line at 45,000. Right, two pairs of bars: on diabetes ridge regression and support vector regression are nearly equal; on unscaled wine the forest has 0.98 and the machine 0.66.
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import RidgeCV

tuned = GridSearchCV(
    both_scaled, {"regressor__svr__C": [0.1, 1], "regressor__svr__gamma": [0.01, 0.03]}, cv=3
)
on_diabetes = {
    "ridge": cross_val_score(RidgeCV(np.logspace(-3, 3, 13)), *diabetes).mean(),
    "tuned SVR": cross_val_score(tuned, *diabetes).mean(),
}
forest = RandomForestClassifier(100, random_state=0)
on_wine = {"forest": cross_val_score(forest, wine.data, wine.target).mean(), "SVC, unscaled": raw}
print({name: f"{value:.3f}" for name, value in {**on_diabetes, **on_wine}.items()})

n = np.logspace(3, 6, 31)
figure, (left, right) = pyplot.subplots(1, 2, figsize=(8.8, 2.9), layout="constrained")
left.loglog(n, 8 * n**2 / 1e9)
left.axhline(16, ls="--", color="grey")
left.set(xlabel="samples", ylabel="Gram matrix (GB)")
names = [*(f"{name}\ndiabetes" for name in on_diabetes), *(f"{name}\nwine" for name in on_wine)]
right.bar(
    names, [*on_diabetes.values(), *on_wine.values()], color=["#56B4E9"] * 2 + ["#E69F00"] * 2
)
right.tick_params(axis="x", labelsize=7)
right.set(ylabel="score", ylim=(0, 1))
assert abs(on_diabetes["ridge"] - on_diabetes["tuned SVR"]) < 0.03
assert on_wine["forest"] > on_wine["SVC, unscaled"] + 0.2

# %% [markdown]
# ## Exercises
#
# Predict first, then type: numbers are judged on the page, whole ones exactly and others to one per cent.
#
# ### Exercise 1: millimetres
#
# One feature is given in millimetres in the place of metres. By which factor does its share of a squared distance grow?

# %% [markdown] tags=["solution"]
# Its numbers are 1,000 times as large, and squared a million times.

# %% tags=["solution"]
answer = 1_000_000
assert answer == (1000.0 * 3 - 1000.0 * 1) ** 2 / (3.0 - 1.0) ** 2

# %% [markdown]
# ### Exercise 2: what a search costs
#
# A grid of seven values of $C$ by seven of $\gamma$, five folds, and the final fit: how many fits?

# %% [markdown] tags=["solution"]
# $7 \cdot 7 \cdot 5 + 1 = 246$. That is why coarse grids come first.

# %% tags=["solution"]
answer = len(search.cv_results_["params"]) * search.n_splits_ + 1
assert answer == 246

# %% [markdown]
# ### Exercise 3: letters
#
# How many machines does a vote by pairs need for the 26 letters?

# %% [markdown] tags=["solution"]
# $26 \cdot 25 / 2 = 325$. Each is fitted to two letters only.

# %% tags=["solution"]
from itertools import combinations

answer = len(list(combinations(range(26), 2)))
assert answer == 325

# %% [markdown]
# ### Exercise 4: balanced
#
# 900 samples of one class and 20 of the other. By how much is $C$ multiplied for a sample of the rare class with balanced weights, $n / (2 n_k)$?

# %% [markdown] tags=["solution"]
# $920 / 40 = 23$, and 0.51 for the other class: both sums of weights are 460.

# %% tags=["solution"]
from sklearn.utils.class_weight import compute_class_weight

weights = compute_class_weight("balanced", classes=np.array([0, 1]), y=eight[sample])
answer = 23
assert np.isclose(weights[1], answer)
assert np.isclose(weights[0] * 900, weights[1] * 20)

# %% [markdown]
# ### Exercise 5: from a decision value to a probability
#
# A calibration has found slope 2 and shift 0. Which probability belongs to $f = 1$, a sample on the margin?

# %% [markdown] tags=["solution"]
# $1 / (1 + e^{-2}) \approx 0.881$. The bare logistic function would have said 0.731.

# %% tags=["solution"]
answer = float(1 / (1 + np.exp(-2)))
assert round(answer, 3) == 0.881

# %% [markdown]
# ### Exercise 6: the largest $\nu$
#
# One class makes 10 % of the samples. What is the largest $\nu$ that `NuSVC` accepts?

# %% [markdown] tags=["solution"]
# Twice the share of the smaller class: 0.2. Both classes must carry the same weight, at most $1 / n$ for each sample.

# %% tags=["solution"]
tenth = np.repeat([-1, 1], [90, 10])
answer = 0.2
cloud = np.random.default_rng(0).normal(size=(100, 2))
NuSVC(nu=0.2).fit(cloud, tenth)
try:
    NuSVC(nu=0.21).fit(cloud, tenth)
    possible = True
except ValueError:
    possible = False
assert not possible

# %% [markdown]
# ### Exercise 7: memory
#
# How many gigabytes ($10^9$ bytes) has the Gram matrix of 100,000 samples in float64?

# %% [markdown] tags=["solution"]
# $10^{10}$ numbers of 8 bytes: 80 GB. Solvers therefore compute rows when they need them and keep some.

# %% tags=["solution"]
answer = 80
assert 100_000**2 * np.dtype(np.float64).itemsize / 1e9 == answer
