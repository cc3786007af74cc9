"""Put the substitutes under scikit-learn's names, and take them away again."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from threading import Lock
from typing import Any

from sklearn import svm

from maxmargin import _core
from maxmargin.patch import substitutes

#: What scikit-learn has under each name, and what takes its place.
ORIGINALS: dict[str, Any] = {name: getattr(svm, name) for name in svm.__all__}
SUBSTITUTES: dict[str, Any] = {name: getattr(substitutes, name) for name in svm.__all__}
#: Where pickles of scikit-learn's own models look their classes up: left as they are.
HOMES = {original.__module__ for original in ORIGINALS.values()}

_lock = Lock()


def patch_sklearn(names: str | Iterable[str] | None = None, *, verbose: bool = True) -> None:
    """Make the names of `sklearn.svm` maxmargin's, also where scikit-learn itself uses them.

    Call it before a program imports them: a name that was imported earlier stays what it was. What
    was made before goes on working, `isinstance` and pickles included: models of either library
    can be read with and without the patch. `LinearSVC`, `LinearSVR` and `l1_min_c` penalise the
    intercept, as scikit-learn's do. Parallel workers get the models that they are sent; what a
    module imports inside a worker is patched if the module calls `patch_sklearn` itself.

    Parameters
    ----------
    names : str or iterable of str, optional
        Some of "SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM", "LinearSVC", "LinearSVR" and
        "l1_min_c"; by default all.
    verbose : bool, default=True
        Say on standard error what has been patched; when it was already, nothing is said.

    See Also
    --------
    unpatch_sklearn : Undo it.

    Notes
    -----
    `python -m maxmargin.patch script.py` runs a program with the patch, unchanged.

    Examples
    --------
    >>> import maxmargin
    >>> maxmargin.patch_sklearn("SVC", verbose=False)
    >>> from sklearn.svm import SVC
    >>> SVC().fit([[0.0], [1.0]], [0, 1]).certificate_.gap < 1e-10
    True
    >>> maxmargin.unpatch_sklearn()
    """
    with _lock:
        changed = [
            name for name in _chosen(names) if _replace(name, ORIGINALS[name], SUBSTITUTES[name])
        ]
    if verbose and changed:
        print(
            f"maxmargin {_core.version} in sklearn.svm: {', '.join(changed)} "
            "(maxmargin.unpatch_sklearn() undoes it)",
            file=sys.stderr,
        )


def unpatch_sklearn(names: str | Iterable[str] | None = None) -> None:
    """Give the names of `sklearn.svm` back to scikit-learn.

    Parameters
    ----------
    names : str or iterable of str, optional
        Some of the names, as in `patch_sklearn`; by default all.

    Examples
    --------
    >>> import maxmargin
    >>> maxmargin.patch_sklearn(verbose=False)
    >>> maxmargin.unpatch_sklearn()
    >>> from sklearn.svm import SVC
    >>> SVC.__module__
    'sklearn.svm._classes'
    """
    with _lock:
        for name in _chosen(names):
            _replace(name, SUBSTITUTES[name], ORIGINALS[name])


def _chosen(names: str | Iterable[str] | None) -> list[str]:
    chosen = list(ORIGINALS) if names is None else [names] if isinstance(names, str) else [*names]
    unknown = [name for name in chosen if name not in ORIGINALS]
    if unknown:
        raise ValueError(
            f"names has {unknown[0]!r}; sklearn.svm has {', '.join(map(repr, ORIGINALS))}."
        )
    return chosen


def _replace(name: str, old: Any, new: Any) -> bool:
    """Put one thing in the place of another wherever scikit-learn has it; tell if it was there."""
    holders = [
        module
        for place, module in list(sys.modules.items())
        if place.startswith("sklearn.")
        and place not in HOMES
        and getattr(module, "__dict__", {}).get(name) is old
    ]
    for module in holders:
        setattr(module, name, new)
    return bool(holders)
