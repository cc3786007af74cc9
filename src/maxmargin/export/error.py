"""The one exception for models that have no form elsewhere."""

from __future__ import annotations


class ExportError(ValueError):
    """A part of a model cannot be exported; the text names it and says what can be done.

    Parameters
    ----------
    message : str
        That text.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import SVC
    >>> from maxmargin.export import to_c
    >>> model = SVC(kernel=lambda X, Z: X @ Z.T).fit(np.eye(2), [0, 1])
    >>> to_c(model, "model.c")
    Traceback (most recent call last):
    maxmargin.export.error.ExportError: kernel <lambda> is a function written in Python...
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)
