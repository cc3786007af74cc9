"""What is worth saying about a fit that did as it was asked."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from maxmargin.models import KernelModel
from maxmargin.problems import CertificatePart
from maxmargin.solvers.kernel_matrix import kernel_matrix

#: A violation of tol comes with a gap of about tol, of all problems together: so many times more is
#: said, and gaps below USUAL_GAP never. A fit with a violation of this share of tol is as exact as
#: it gets: its gap is what rounding leaves, and a fifth of that is said.
LARGE_GAP, USUAL_GAP, EXACT_SHARE = 10.0, 1e-3, 1e-3
#: From this share of the rows on, and with so many of them, nearly all are support vectors.
NEARLY_ALL, ENOUGH_ROWS = 0.95, 100
#: k(x, z) beside k(x, x) below which two rows have nothing to do with each other, and how many
#: support vectors are looked at.
UNRELATED, LOOKED_AT = 1e-3, 64


class AdviceWarning(UserWarning):
    """The fit did as it was asked, but what was asked may not be what is wanted.

    To be rid of it: `warnings.simplefilter("ignore", maxmargin.AdviceWarning)`.

    Parameters
    ----------
    message : str
        What to look at.

    Examples
    --------
    >>> issubclass(AdviceWarning, UserWarning)
    True
    """

    def __init__(self, message: str) -> None:
        super().__init__(message)


def advice_on_certificate(certificate: CertificatePart, tol: float) -> Iterator[Warning]:
    """Say where an optimal status means less than it seems.

    Parameters
    ----------
    certificate : CertificatePart
        Of all problems of a fit that ended with a violation of at most `tol`.
    tol : float
        The parameter.

    Examples
    --------
    >>> from maxmargin.problems import CertificatePart
    >>> part = CertificatePart(2.0, 1.0, 0.5, 1e-4)
    >>> [type(said).__name__ for said in advice_on_certificate(part, 1e-3)]
    ['ConvergenceWarning']
    """
    if not certificate.convex:
        yield AdviceWarning(
            "The kernel is not positive semidefinite on these rows, so the problem is not convex: "
            "what was found is a local optimum, there may be better ones, and the gap says nothing "
            'about them. "rbf", "linear", "poly" with coef0 >= 0 and "laplacian" are always '
            "positive semidefinite."
        )
        return
    difference = certificate.primal - certificate.dual
    share = difference / max(abs(certificate.primal), abs(certificate.dual), sys.float_info.min)
    # Where both objectives are as good as zero, so is their difference, however large its share.
    times = LARGE_GAP / 5 if certificate.violation <= EXACT_SHARE * tol else LARGE_GAP
    if share > times * max(tol, USUAL_GAP) and difference > tol:
        yield ConvergenceWarning(
            f"The KKT violation is at most tol={tol:g}, but the relative duality gap is "
            f"{share:.1e}: decision values are accurate to about tol, while the objective may be "
            "that share away from the optimum. With a C as large as this the one does not imply "
            "the other. tol_gap=1e-3 asks for the gap; a smaller C makes it small."
        )


def advice_on_support(model: KernelModel, rows: int) -> Iterator[Warning]:
    """Say that a kernel knows every row for itself, and none by another.

    Parameters
    ----------
    model : KernelModel
        A fitted model of rows that its kernel is evaluated on.
    rows : int
        Number of training rows.

    Examples
    --------
    >>> from maxmargin.kernels import RBF
    >>> no = np.zeros(0)
    >>> empty = KernelModel(RBF(), no, no, no, no, no, no)
    >>> list(advice_on_support(empty, 200))
    []
    """
    support = len(model.support)
    # Rows of text are hardly alike to a linear kernel either, which knows them by their words.
    local = hasattr(model.kernel, "gamma")
    if not local or rows < ENOUGH_ROWS or support < NEARLY_ALL * rows:
        return
    some = model.vectors[np.linspace(0, support - 1, LOOKED_AT).astype(np.int64)]
    if _mostly_unrelated(model.kernel, some):
        yield AdviceWarning(
            f"{support} of {rows} rows are support vectors, and to the kernel hardly any two rows "
            "are alike: the model knows the rows by heart, and little else. Scale the data, e.g. "
            "with sklearn.preprocessing.StandardScaler, or lower gamma."
        )


def _mostly_unrelated(kernel: Any, X: Any) -> bool:
    """Tell whether k(x, z) / sqrt(k(x, x) k(z, z)) is small for most pairs of rows."""
    K = kernel_matrix(kernel, X)
    K += kernel.diagonal(X)[0] - K[0, 0]  # the core leaves out what all values have in common
    own = np.sqrt(np.abs(K.diagonal()))
    related = np.count_nonzero(np.abs(K) > UNRELATED * own * own[:, None])
    return bool(2 * (related - len(K)) < len(K) * (len(K) - 1))  # but for each with itself
