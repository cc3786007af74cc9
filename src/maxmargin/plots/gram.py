"""The Gram matrix K_ij = k(x_i, x_j), its rows sorted by class: blocks are what a kernel sees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import ArrayLike, NDArray

from maxmargin.kernels import RBF
from maxmargin.plots.display import PlainDisplay
from maxmargin.plots.style import DIVERGING


@dataclass(frozen=True, eq=False, repr=False)
class GramDisplay(PlainDisplay):
    """A kernel's values between all rows, class by class.

    Make it with `from_kernel` or `from_matrix`.

    Parameters
    ----------
    K : ndarray of shape (n, n)
        The matrix, sorted.
    order : ndarray of shape (n,)
        Places of its rows in the data.
    classes : ndarray of shape (k,)
        Labels, in the order of the blocks.
    sizes : ndarray of shape (k,)
        Rows of each block.
    title : str
        What is shown.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> display = GramDisplay.from_kernel([[0.0], [5.0], [0.1]], ["b", "a", "b"], RBF(1.0))
    >>> frame = display.frame()
    >>> frame["order"], frame["K"].round(2)
    (array([1, 0, 2]), array([[1.  , 0.  , 0.  ],
                              [0.  , 1.  , 0.99],
                              [0.  , 0.99, 1.  ]]))
    >>> display.plot().get_title(loc="left")
    'RBF(gamma=1.0)'
    """

    _size = (4.8, 4.0)

    K: NDArray[np.float64]
    order: NDArray[np.int64]
    classes: NDArray[Any]
    sizes: NDArray[np.int64]
    title: str

    @classmethod
    def from_kernel(
        cls,
        X: Any,
        y: ArrayLike,
        kernel: Callable[[Any, Any], NDArray[np.float64]] | None = None,
        *,
        title: str | None = None,
    ) -> GramDisplay:
        """Compute the matrix of a kernel.

        Parameters
        ----------
        X, y : array-likes
            Rows and their labels.
        kernel : callable, optional
            From two blocks of rows to their kernel values, such as those of `maxmargin.kernels`.
            By default a Gaussian of gamma = 1 / (n_features * X.var()).
        title : str, optional
            By default the kernel.
        """
        if callable(X):
            raise TypeError("X is a kernel; the order is GramDisplay.from_kernel(X, y, kernel)")
        rows = np.asarray(X, np.float64)
        if kernel is None:
            spread = float(rows.shape[1] * rows.var())
            kernel = RBF(float(f"{1 / spread:.3g}") if spread > 0 else 1.0)
        name = repr(kernel).removesuffix("()") if title is None else title
        return cls.from_matrix(kernel(rows, rows), y, title=name)

    @classmethod
    def from_matrix(cls, K: ArrayLike, y: ArrayLike, *, title: str = "Gram matrix") -> GramDisplay:
        """Sort a matrix that is there already.

        Parameters
        ----------
        K : array-like of shape (n, n)
            Kernel values.
        y : array-like of shape (n,)
            Labels.
        title : str
            What is shown.
        """
        values, labels = np.asarray(K, np.float64), np.asarray(y)
        if values.shape != (len(labels), len(labels)):
            raise ValueError(
                f"K has shape {values.shape}; it must be square with one row per label, "
                f"({len(labels)}, {len(labels)})."
            )
        classes, codes, sizes = np.unique(labels, return_inverse=True, return_counts=True)
        order = np.argsort(codes, kind="stable")
        return cls(values[np.ix_(order, order)], order, classes, sizes, title)

    def frame(self) -> dict[str, Any]:
        """Return the sorted matrix.

        Returns
        -------
        dict
            `K`, the `order` of its rows, `classes` and `sizes` of the blocks, and `means`, the
            mean of each block.
        """
        starts = np.concatenate([[0], np.cumsum(self.sizes)[:-1]])
        sums = np.add.reduceat(np.add.reduceat(self.K, starts, axis=0), starts, axis=1)
        return {
            "K": self.K,
            "order": self.order,
            "classes": self.classes,
            "sizes": self.sizes,
            "means": sums / np.outer(self.sizes, self.sizes),
        }

    def _draw(self, axes: Axes) -> None:
        extreme = float(np.abs(self.K).max()) or 1.0
        signed = float(self.K.min()) < -1e-12 * extreme
        image = axes.imshow(
            self.K,
            cmap=DIVERGING if signed else "cividis",
            vmin=-extreme if signed else 0.0,
            vmax=extreme,
            interpolation="nearest",
        )
        ends = np.cumsum(self.sizes)
        for end in ends[:-1] - 0.5:
            axes.axhline(end, color="white" if not signed else "black", lw=0.8)
            axes.axvline(end, color="white" if not signed else "black", lw=0.8)
        middles = ends - (self.sizes + 1) / 2
        names = [str(name) for name in self.classes.tolist()]
        axes.set_yticks(middles, names)
        axes.set_xticks(middles, names, rotation=45 if sum(map(len, names)) > 40 else 0)
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set_title(self.title)
        bar = axes.figure.colorbar(image, ax=axes, shrink=0.8, label="k(x, x′)")
        bar.outline.set_visible(False)
