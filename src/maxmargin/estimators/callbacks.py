"""An adapter to scikit-learn's callback protocol (1.9 and later); without it, nothing happens.

The fit of several pairs of classes is as many tasks; the fit of one is a task about every 100 ms.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin
    from sklearn.callback import with_callbacks as managed
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callbacks.

        Examples
        --------
        >>> CallbackSupportMixin()  # doctest: +SKIP
        """

    def managed(method: Callable[..., Any]) -> Callable[..., Any]:
        """Return the method as it is.

        Parameters
        ----------
        method : callable
            A method that fits.

        Examples
        --------
        >>> managed(print)  # doctest: +SKIP
        """
        return method


__all__ = ["CallbackSupportMixin", "FitTasks", "with_callbacks"]


def with_callbacks(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method that tears callbacks down at its end, where there are any.

    Parameters
    ----------
    method : callable
        A method that fits.

    Examples
    --------
    >>> class Machine:
    ...     @with_callbacks
    ...     def _fit(self, X):
    ...         return len(X)
    >>> Machine()._fit([1.0, 2.0])
    2
    """
    with_teardown = managed(method)

    @wraps(method)
    def fit(estimator: Any, *args: Any, **kwargs: Any) -> Any:
        return (with_teardown if _callbacks_of(estimator) else method)(estimator, *args, **kwargs)

    return fit


def _callbacks_of(estimator: Any) -> Any:
    """Return the callbacks of an estimator; to ask for an attribute that is not there is slow."""
    return vars(estimator).get("_skl_callbacks")


class FitTasks:
    """Tells scikit-learn's callbacks where a fit is.

    Parameters
    ----------
    estimator : estimator
        The estimator being fitted.
    data : dict
        Training data as the protocol passes it on: X, y, metadata.
    n_parts : int
        Number of problems the fit consists of.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> FitTasks(SVC(), {}, 1).advance()
    False
    """

    def __init__(self, estimator: Any, data: dict[str, Any], n_parts: int) -> None:
        self._estimator = estimator
        self._data = data
        self._n_parts = n_parts
        self._root = None
        if _callbacks_of(estimator):
            self._root = estimator._init_callback_context(
                max_subtasks=n_parts if n_parts > 1 else None
            )
            self._root.call_on_fit_task_begin(estimator=estimator, **data)

    @property
    def watched(self) -> bool:
        """Whether there are callbacks."""
        return self._root is not None

    def tick(self) -> bool:
        """Time has passed; returns whether to stop."""
        return self.advance() if self._n_parts == 1 else False

    def part_done(self) -> bool:
        """Report that one of several problems is solved; returns whether to stop."""
        return self.advance() if self._n_parts > 1 else False

    def advance(self) -> bool:
        """Begin and end one task; returns whether to stop."""
        if self._root is None:
            return False
        task = self._root.subcontext(task_name="part")
        task.call_on_fit_task_begin(estimator=self._estimator, **self._data)
        return bool(task.call_on_fit_task_end(estimator=self._estimator, **self._data))

    def finish(self) -> None:
        """Report the end of the fit: the estimator is ready to predict."""
        if self._root is not None:
            self._root.call_on_fit_task_end(
                estimator=self._estimator, reconstruction_attributes={}, **self._data
            )
