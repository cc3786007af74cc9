"""Systems with K_EE and a border of ones, kept solved while rows enter and leave."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class Border:
    """The inverse of [[0, 1'], [1, K_EE]], which has the intercept first, for a changing set E.

    A row costs |E|^2 operations to enter or to leave. Answers are refined once; where that does not
    make them exact, the inverse is made anew.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        Gram matrix.

    Attributes
    ----------
    rows : list of int
        E.

    Examples
    --------
    >>> border = Border(np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> border.enter(0), border.enter(1)
    (None, None)
    >>> border.solve(np.array([0.0, -1.0, 1.0]))
    array([ 0., -1.,  1.])
    """

    #: Updates after which the inverse is made anew.
    _fresh = 200
    #: Residuals, as a share of the terms they are made of, that are those of rounding.
    _rounding = 4e-16

    def __init__(self, K: NDArray[np.float64]) -> None:
        self.K = K
        self.rows: list[int] = []
        self.clear()

    def clear(self) -> None:
        """Begin with no rows."""
        self.rows = []
        self.inverse: NDArray[np.float64] = np.zeros((0, 0))
        self._updates = 0

    def matrix(self) -> NDArray[np.float64]:
        """Return the matrix itself."""
        m = len(self.rows)
        A = np.ones((m + 1, m + 1))
        A[0, 0] = 0.0
        A[1:, 1:] = self.K[np.ix_(self.rows, self.rows)]
        return A

    def spare(self, row: int) -> tuple[float, NDArray[np.float64]]:
        """Return the Schur complement of a row, and the answer to its column.

        The complement is the squared distance of the row from the affine hull of those in E: zero
        where they can stand for it.

        Parameters
        ----------
        row : int
            Not in E.
        """
        if not self.rows:
            return float(self.K[row, row]), np.zeros(1)
        column = np.append(1.0, self.K[self.rows, row])
        answer = self.solve(column)
        return float(self.K[row, row] - column @ answer), answer

    def enter(self, row: int) -> None:
        """Take a row in.

        Parameters
        ----------
        row : int
            Whose Schur complement is not zero.
        """
        if not self.rows:
            self.rows = [row]
            self.inverse = np.array([[-self.K[row, row], 1.0], [1.0, 0.0]])
            return
        spare, answer = self.spare(row)
        longer = np.append(answer, -1.0)
        m = len(longer)
        inverse = np.zeros((m, m))
        inverse[: m - 1, : m - 1] = self.inverse
        inverse += np.outer(longer / spare, longer)
        self.inverse = inverse
        self.rows.append(row)
        self._updated()

    def leave(self, row: int) -> None:
        """Let a row go.

        Parameters
        ----------
        row : int
            In E.
        """
        place = 1 + self.rows.index(row)
        self.rows.remove(row)
        if not self.rows:
            self.clear()
            return
        column = np.delete(self.inverse[:, place], place)
        pivot = self.inverse[place, place]
        kept = np.delete(np.delete(self.inverse, place, 0), place, 1)
        self.inverse = kept - np.outer(column / pivot, column)
        self._updated()

    def _updated(self) -> None:
        self._updates += 1
        if self._updates >= self._fresh:
            self._renew()

    def _renew(self) -> None:
        self.inverse = np.asarray(np.linalg.inv(self.matrix()), np.float64)
        self._updates = 0

    def solve(self, right: NDArray[np.float64]) -> NDArray[np.float64]:
        """Solve for one right side, or for the columns of several.

        Parameters
        ----------
        right : ndarray of shape (m + 1,) or (m + 1, k)
            What the rows of the matrix are to give, that of the border first.
        """
        A = self.matrix()
        answer = self.inverse @ right
        last = np.inf
        for _ in range(6):
            residual = right - A @ answer
            sizes = np.abs(A) @ np.abs(answer) + np.abs(right)
            error = float((np.abs(residual).max(axis=0) / (sizes.max(axis=0) + 1e-300)).max())
            if error <= self._rounding or error > last / 2:
                if error <= 100 * self._rounding or self._updates == 0:
                    break
                self._renew()
                error = np.inf
            answer = answer + self.inverse @ residual
            last = error
        return np.asarray(answer)
