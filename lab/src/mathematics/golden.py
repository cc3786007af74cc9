"""Write golden.json: what the package says about the numbers that the lab's mathematics computes.

Run `python lab/src/mathematics/golden.py` from the root of the repository.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import make_moons
from sklearn.decomposition import KernelPCA
from sklearn.isotonic import IsotonicRegression

from maxmargin import SVC
from maxmargin.kernels import RBF
from maxmargin.models import Classes, calibrate
from maxmargin.plots import ReliabilityDisplay
from maxmargin.selection import c_path

FILE = Path(__file__).with_name("golden.json")


def data() -> tuple[np.ndarray, np.ndarray]:
    """Return forty rows of two moons, rounded so that the file shows all of them."""
    X, codes = make_moons(40, noise=0.25, random_state=3)
    return X.round(3), np.where(codes == 1, 1, -1)


def path(X: np.ndarray, y: np.ndarray, weight: np.ndarray, kernel: str) -> dict[str, Any]:
    """Return the break points below 100, and solutions at some C."""
    found = c_path(X, y, kernel=kernel, gamma=1.0, sample_weight=weight)
    nodes = found.break_points
    # A row may take its turn on the margin with alpha zero: what is compared are bends of alpha.
    values = np.array([np.zeros(len(y)), *(found.alphas(C) for C in nodes[1:])])
    slopes = np.vstack([np.diff(values, axis=0) / np.diff(nodes)[:, None], found.slope])
    bends = nodes[1:][np.abs(np.diff(slopes, axis=0)).max(axis=1) > 1e-7]
    at = [0.05, 0.3, 1.0, 7.0, 60.0]
    return {
        "kernel": kernel,
        "weight": weight.tolist(),
        "break_points": bends[bends < 100].tolist(),
        "C": at,
        "alphas": [found.alphas(C).tolist() for C in at],
        "intercept": [found.intercept(C) for C in at],
    }


def spectra(X: np.ndarray, y: np.ndarray) -> dict[str, Any]:
    """Return the spectrum of a Gram matrix, its principal components, and |w| of a machine."""
    K = RBF(gamma=1.0)(X, X)
    components = KernelPCA(3, kernel="precomputed").fit_transform(K)
    model = SVC(kernel="rbf", gamma=1.0, C=1.0).fit(X, y)
    beta = np.zeros(len(y))
    beta[model.support_] = model.dual_coef_[0]
    return {
        "values": np.linalg.eigvalsh(K)[::-1].tolist(),
        "components": np.abs(components).tolist(),
        "decision": model.decision_function(X).tolist(),
        "intercept": float(model.intercept_[0]),
        "beta": beta.tolist(),
    }


def probabilities() -> dict[str, Any]:
    """Return calibrations of scores that overlap."""
    random = np.random.default_rng(0)
    codes = np.repeat([0, 1], [45, 55])
    scores = (random.normal(size=100) + 1.2 * codes - 0.6).round(3)
    classes, ones = Classes(np.array([-1, 1])), np.ones(100)
    sigmoid = calibrate("sigmoid", classes, scores[:, None], codes, ones)
    interval = calibrate("venn-abers", classes, scores[:, None], codes, ones)
    isotonic = IsotonicRegression(out_of_bounds="clip").fit(scores, codes)
    at = np.linspace(-2.5, 2.5, 11)
    P = sigmoid.probabilities(scores[:, None], 2)[:, 1]
    return {
        "scores": scores.tolist(),
        "labels": np.where(codes == 1, 1, -1).tolist(),
        "slope": float(sigmoid.slopes[0]),
        "offset": float(sigmoid.offsets[0]),
        "at": at.tolist(),
        "interval": interval.interval(at[:, None]).tolist(),
        "isotonic": isotonic.predict(at).tolist(),
        "bins": {
            name: np.asarray(values).tolist()
            for name, values in ReliabilityDisplay(P, codes == 1, 10).frame().items()
        },
    }


def votes() -> dict[str, Any]:
    """Return what four classes make of the outputs of their six pairs."""
    outputs = np.random.default_rng(1).normal(size=(30, 6)).round(3)
    outputs[0, 0] = 0.0
    classes = Classes(np.arange(4))
    return {
        "outputs": outputs.tolist(),
        "codes": classes.codes(outputs).tolist(),
        "scores": classes.scores(outputs).tolist(),
        "broken": classes.codes(outputs, break_ties=True).tolist(),
    }


def golden() -> dict[str, Any]:
    """Return everything."""
    X, y = data()
    ones, uneven = np.ones(len(y)), np.where(np.arange(len(y)) % 3 == 0, 2.0, 0.5)
    return {
        "X": X.ravel().tolist(),
        "y": y.tolist(),
        "paths": [path(X, y, ones, "rbf"), path(X, y, ones, "linear"), path(X, y, uneven, "rbf")],
        "spectra": spectra(X, y),
        "probabilities": probabilities(),
        "votes": votes(),
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps(golden(), separators=(",", ":")) + "\n")
