"""The one-standard-error rule."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray


def simplest(results: dict[str, Any]) -> int:
    """Choose the simplest candidate whose score is within one standard error of the best.

    To be given as `refit`. The standard error is that of the best mean over the splits. The
    simplest has the smallest product of C and gamma, which is what the flexibility of a machine
    with a smooth kernel grows with; among equals the smaller C, the larger epsilon, then the higher
    score.

    Parameters
    ----------
    results : dict of str to ndarray
        `cv_results_` of a search with one scorer.

    Returns
    -------
    int
        Its place in the table.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC
    >>> from maxmargin.selection import GridSearchCV, simplest
    >>> X, y = load_iris(return_X_y=True)
    >>> GridSearchCV(SVC(), {"C": [0.1, 1, 10, 100]}, refit=simplest).fit(X, y).best_params_
    {'C': 10}
    """
    if "mean_test_score" not in results:
        raise ValueError(
            "refit=simplest needs one scorer, and there are several: give a function that picks "
            "the score."
        )
    within = within_one_error(results)
    places = np.flatnonzero(within)
    C, gamma = (_values(results, name)[places] for name in ("C", "gamma"))
    epsilon = _values(results, "epsilon")[places]
    order = np.lexsort((-results["mean_test_score"][places], -epsilon, C, C * gamma))
    return int(places[order[0]])


def within_one_error(results: dict[str, Any]) -> NDArray[np.bool_]:
    """Tell which candidates are within one standard error of the best.

    Parameters
    ----------
    results : dict of str to ndarray
        `cv_results_` of a search with one scorer.

    Examples
    --------
    >>> within_one_error({"mean_test_score": np.array([0.5, 0.8, 0.79]), "rank_test_score":
    ...     np.array([3, 1, 2]), "std_test_score": np.full(3, 0.02), "split0_test_score": 0,
    ...     "split1_test_score": 0})
    array([False,  True,  True])
    """
    means, best = results["mean_test_score"], int(np.argmin(results["rank_test_score"]))
    found = means >= means[best] - standard_errors(results)[best]
    if "n_rows" in results:  # of those that were judged on as many rows as the best
        found &= results["n_rows"] == results["n_rows"][best]
    found[best] = True
    return np.asarray(found)


def standard_errors(results: dict[str, Any]) -> NDArray[np.float64]:
    """Return the standard error of each mean score.

    Parameters
    ----------
    results : dict of str to ndarray
        `cv_results_` of a search with one scorer.

    Examples
    --------
    >>> standard_errors({"std_test_score": np.array([0.2]), "split0_test_score": 0,
    ...     "split1_test_score": 0})
    array([0.2])
    """
    keys = (key for key in results if key.startswith("split") and key.endswith("_test_score"))
    n_splits = sum(1 for _ in keys)
    return np.asarray(results["std_test_score"] / np.sqrt(max(n_splits - 1, 1)))


def _values(results: dict[str, Any], name: str) -> NDArray[np.float64]:
    """Return a parameter of all candidates as numbers; 1 where it is none."""
    for key, column in results.items():
        if key == f"param_{name}" or (key.startswith("param_") and key.endswith(f"__{name}")):
            return np.array([v if isinstance(v, Real) else 1.0 for v in column], np.float64)
    return np.ones(len(results["params"]))
