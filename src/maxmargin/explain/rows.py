"""Explanations of rows by a pipeline: of its last step, with the names of what it is given."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from maxmargin.estimators.machine import Machine
from maxmargin.explain.shuffles import split
from maxmargin.models import Explanation


def explain(model: Any, X: Any, *, background: Any = None, **options: Any) -> Explanation:
    """Take decision values apart, of a machine or of a pipeline that ends with one.

    Parameters
    ----------
    model : estimator
        Fitted.
    X : array-like of shape (n_samples, n_features)
        Rows as the model takes them. The features of the explanation are those that the machine
        sees: after scaling, and one for each category.
    background : array-like of shape (n_rows, n_features), optional
        Rows as the model takes them; as in `explain` of a machine.
    **options
        As in `explain` of a machine.

    Returns
    -------
    Explanation

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from maxmargin import SVC
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> explain(make_pipeline(StandardScaler(), SVC()).fit(X, y), X[:2]).names[2]
    'petal length (cm)'
    """
    transformers, machine = split(model)
    if not isinstance(machine, Machine):
        raise ValueError(
            f"model is {type(machine).__name__}; only machines of maxmargin, and pipelines that "
            "end with one, explain themselves."
        )
    if transformers is None:
        return machine.explain(X, background=background, **options)
    others = None if background is None else transformers.transform(background)
    found = machine.explain(transformers.transform(X), background=others, **options)
    try:
        names = tuple(map(str, transformers.get_feature_names_out()))
    except (AttributeError, ValueError):  # one of them has none
        return found
    short = tuple(name.partition("__")[2] or name for name in names)  # of a ColumnTransformer
    names = short if len(set(short)) == len(short) else names
    return replace(found, names=names) if len(names) == len(found.names) else found
