"""Shapley values of the features: what each of them adds to a decision value.

The value of a set S of features is the output when only these are known. Of the others

    removal       the kernel does not see them: their differences, or products, count as 0
    background    they are as in each row of a background, and the outputs are averaged

A feature's value is its gain averaged over all orders in which features become known. It is exact
for linear machines, and for kernels that are sums of products over features (`product_terms`), by
quadrature in the compiled core; otherwise orders are drawn at random and a standard error is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin import _core
from maxmargin.kernels import Linear, Precomputed
from maxmargin.kernels.terms import product_terms
from maxmargin.models.explanation import Explanation, output_names
from maxmargin.models.kernel import KernelModel
from maxmargin.models.linear import LinearModel

Array = NDArray[np.float64]


def explain(
    model: KernelModel | LinearModel,
    rows: Any,
    names: Sequence[str],
    *,
    background: Any = None,
    n_orders: int = 64,
    seed: int = 0,
    n_threads: int = 1,
) -> Explanation:
    """Take the outputs of a model at some rows apart.

    Parameters
    ----------
    model : KernelModel or LinearModel
        The model.
    rows : rows of shape (n, d)
        What to explain.
    names : sequence of str
        The features.
    background : rows of shape (r, d), optional
        What features are when they are not known; None removes them from the kernel.
    n_orders : int
        Orders to draw where values are not exact.
    seed : int
        Of these.
    n_threads : int
        Threads to use.

    Returns
    -------
    Explanation

    Examples
    --------
    >>> model = LinearModel.plain(np.array([[1.0, 2.0]]), np.array([0.5]))
    >>> explain(model, np.array([[3.0, 4.0]]), ["a", "b"]).features[0, :, 0]
    array([3., 8.])
    """
    decision = model.decide(rows, n_threads)
    kernel = model.kernel if isinstance(model, KernelModel) else None
    features: Array | None
    if isinstance(model, LinearModel) or isinstance(kernel, Linear):
        method = "linear"
        features = _linear(model, rows, background)
    elif isinstance(kernel, Precomputed) or not _numbers(rows):
        method, features = "none", None
    else:
        assert kernel is not None
        terms = product_terms(kernel, rows.shape[1])
        method = "sampled" if terms is None else "exact"
        if terms is not None:
            features = _core.product_shapley(
                [term.core() for term in terms],
                kernel.data(rows),
                kernel.data(model.vectors),
                model.weights,
                None if background is None else kernel.data(background),
                n_threads,
            )
    errors: Array | None = None
    if method == "sampled":
        assert isinstance(model, KernelModel)
        features, errors = _sampled(model, rows, background, n_orders, seed, n_threads)
    elif features is not None:
        errors = np.zeros(features.shape)
    base = np.broadcast_to(_base(model, rows, background, n_threads), decision.shape)
    return Explanation(
        model, rows, tuple(names), output_names(model), decision, base, features, errors, method
    )


def _numbers(rows: Any) -> bool:
    return (
        sparse.issparse(rows) or getattr(np.asarray(rows), "dtype", np.dtype(object)).kind in "fiub"
    )


def _dense(rows: Any) -> Array:
    return np.asarray(rows.toarray() if sparse.issparse(rows) else rows, np.float64)


def _linear(model: KernelModel | LinearModel, rows: Any, background: Any) -> Array:
    """Return w_j (x_j - mean of the background, or 0)."""
    coef = model.dense_coef if isinstance(model, LinearModel) else _dense(model.coef)
    mean = 0.0 if background is None else _dense(background).mean(axis=0)
    return np.asarray((_dense(rows) - mean)[:, :, None] * coef.T)


def _base(model: Any, rows: Any, background: Any, n_threads: int) -> Array:
    """Return the outputs when no feature is known."""
    if background is not None:
        return np.asarray(model.decide(background, n_threads).mean(axis=0))
    linear = isinstance(model, LinearModel) or isinstance(model.kernel, Precomputed | Linear)
    if linear or not _numbers(rows):
        return np.asarray(model.intercepts)
    nothing = np.zeros((1, rows.shape[1]), np.bool_)
    return np.asarray(_removed(model, np.zeros(rows.shape[1]), nothing, n_threads)[0])


def _removed(model: KernelModel, x: Array, known: NDArray[np.bool_], n_threads: int) -> Array:
    """Return the outputs at x when the kernel sees some features only, a row of `known` each.

    Kernels are functions of sums over features, in which two zeros count as nothing.
    """
    vectors = model.vectors
    sparse_rows = sparse.issparse(vectors)
    out = np.empty((len(known), model.weights.shape[1]))
    for i, seen in enumerate(known):
        row: Any = (x * seen)[None]
        centres = vectors.multiply(seen).tocsr() if sparse_rows else np.asarray(vectors) * seen
        row = sparse.csr_matrix(row) if sparse_rows else row
        if model.kernel.compiled:
            out[i] = model.kernel.expand(row, centres, model.weights, n_threads)[0]
        else:
            out[i] = np.asarray(model.kernel(row, centres))[0] @ model.weights
    return out + model.intercepts


# ---- Sampling -------------------------------------------------------------------------------


def _sampled(
    model: KernelModel, rows: Any, background: Any, n_orders: int, seed: int, n_threads: int
) -> tuple[Array, Array]:
    """Return mean gains over random orders, and their standard errors.

    An order and its reverse make a pair, whose gains are averaged before their spread is taken.
    Rows of the background are dealt to the pairs in turn. Where not all have had the same number of
    turns, what the values lack of the whole is given to them in proportion to their variances.
    """
    X = _dense(rows)
    pairs = max(2, (n_orders + 1) // 2)
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(X.shape[1]) for _ in range(pairs)]
    others = None if background is None else _dense(background)
    turns = None if others is None else np.resize(rng.permutation(len(others)), pairs)
    values = np.empty((*X.shape, model.weights.shape[1]))
    errors = np.empty(values.shape)
    for i, x in enumerate(X):
        gains = np.stack(
            [
                _gains(model, x, None if others is None else others[turns[k]], order, n_threads)  # type: ignore[index]
                for k, order in enumerate(orders)
            ]
        )
        values[i] = gains.mean(axis=0)
        errors[i] = gains.std(axis=0, ddof=1) / np.sqrt(pairs)
    whole = model.decide(rows, n_threads) - _base(model, rows, background, n_threads)
    variances = errors**2
    total = variances.sum(axis=1, keepdims=True)
    lack = (whole - values.sum(axis=1))[:, None, :]
    share = np.divide(variances, total, out=np.zeros_like(variances), where=total > 0)
    return values + lack * share, errors


def _gains(
    model: KernelModel, x: Array, other: Array | None, order: NDArray[np.int64], n_threads: int
) -> Array:
    """Return what each feature gains when it becomes known, averaged over an order and its reverse.

    Features become known in the order of their ranks; the reverse makes them unknown in it.
    """
    d = len(x)
    ranks = np.empty(d, np.int64)
    ranks[order] = np.arange(d)
    known = ranks < np.arange(d + 1)[:, None]
    both = np.concatenate([known, ~known])
    if other is None:
        outputs = _removed(model, x, both, n_threads)
    else:
        mixed: Any = np.where(both, x, other)
        if sparse.issparse(model.vectors):
            mixed = sparse.csr_matrix(mixed)
        outputs = model.decide(mixed, n_threads)
    steps = np.diff(outputs.reshape(2, d + 1, -1), axis=1)
    gains = np.empty(steps.shape[1:])
    gains[order] = (steps[0] - steps[1]) / 2
    return gains
