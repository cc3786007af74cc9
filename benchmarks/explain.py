"""Explanations beside shap's and scikit-learn's: python -m benchmarks.explain

Shapley values of one row of a machine with 10,000 support vectors and 50 features, a background of
100 rows, against shap's KernelExplainer on the same game with our own predictions; on 12 features
it sees all 4,094 sets and is as exact as we are. Then permutation importances against the function
of scikit-learn with our SVC, in turns, the best of three; with its own SVC from one prediction.
Times of Shapley values are single ones.
"""

import sys
from pathlib import Path
from time import perf_counter

import numpy as np
from sklearn import svm
from sklearn.datasets import make_classification
from sklearn.inspection import permutation_importance
from sklearn.preprocessing import scale

from maxmargin import SVC, SVR
from maxmargin.explain import importances

# Behind our own packages: shap is one of the peers.
ROOT = Path(__file__).parent.parent
sys.path += map(str, ROOT.glob(".venv-bench/lib/python*/site-packages"))

#: Features, support vectors, and the samples that shap takes.
GAMES = ((12, 1000, (512, 4094)), (50, 10_000, (512, 2148, 8192)))
#: Rows, features, shuffles.
SHUFFLES = (
    (500, 30, 5),
    (2000, 10, 5),
    (2000, 30, 5),
    (2000, 30, 20),
    (4000, 20, 5),
    (2000, 100, 5),
)
ROUNDS = 3


def timed(call):
    start = perf_counter()
    return call(), perf_counter() - start


def best(*calls, rounds=ROUNDS):
    """Return the least seconds of each call, made in turns."""
    return np.min([[timed(call)[1] for call in calls] for _ in range(rounds)], axis=0)


def games():
    try:
        import shap
    except ImportError:
        print("shap is not installed: make .venv-bench/.ready")
        return
    rng = np.random.default_rng(0)
    for d, m, samples in GAMES:
        X = rng.normal(size=(m, d))
        y = np.sin(X[:, 0]) * X[:, 1] + X[:, 2:7].sum(axis=1)
        model = SVR(epsilon=0.0, C=0.1, gamma=1 / d).fit(X, y)
        x, background = X[:1] + 0.1, X[:100]
        model.explain(x)
        found, seconds = timed(lambda: model.explain(x, background=background))  # noqa: B023
        _, quick = timed(lambda: model.explain(x))  # noqa: B023
        exact = found.features[0, :, 0]
        lack = abs(found.base[0, 0] + exact.sum() - found.decision[0, 0])
        print(
            f"{d} features, {len(model.support_)} support vectors: maxmargin {seconds:.3f} s "
            f"(removal instead of a background {quick:.3f} s), additive to {lack:.0e}"
        )
        explainer = shap.KernelExplainer(model.predict, background)
        for n in samples:
            theirs, other = timed(
                lambda: explainer.shap_values(x, nsamples=n, l1_reg=0, silent=True)  # noqa: B023
            )
            error = np.abs(theirs[0] - exact).max() / np.abs(exact).max()
            print(
                f"  KernelExplainer, {n} sets: {other:.2f} s, {other / seconds:.0f} times as long, "
                f"largest error {error:.1e} of the largest value",
                flush=True,
            )


def shuffles():
    for n, d, repeats in SHUFFLES:
        X, y = make_classification(2 * n, d, n_informative=d // 3, flip_y=0.1, random_state=0)
        X = scale(X)
        held, truth = X[n:], y[n:]
        model, other = SVC().fit(X[:n], y[:n]), svm.SVC().fit(X[:n], y[:n])
        options = {"random_state": 0, "n_repeats": repeats}
        ours, theirs = best(
            lambda: importances(model, held, truth, **options),  # noqa: B023
            lambda: permutation_importance(model, held, truth, **options),  # noqa: B023
        )
        plain = permutation_importance(model, held, truth, **options)
        error = np.abs(importances(model, held, truth, **options).values - plain.importances).max()
        # One prediction of scikit-learn's own SVC: all of them take minutes.
        _, predict = timed(lambda: other.score(held, truth))  # noqa: B023
        own = predict * (d * repeats + 1)
        print(
            f"{n} rows, {d} features, {repeats} shuffles, {len(model.support_)} support vectors: "
            f"maxmargin {ours:.3f} s; scikit-learn's function with our SVC {theirs / ours:.1f} "
            f"times as long, with its own (from one prediction) {own / ours:.0f}; largest "
            f"difference {error:.0e}",
            flush=True,
        )


if __name__ == "__main__":
    shuffles()
    games()
