"""Why a model says what it says: decision values taken apart, by features and by training rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.kernels import Precomputed
from maxmargin.models.classes import Classes
from maxmargin.models.gradients import decision_gradients
from maxmargin.models.kernel import KernelModel
from maxmargin.models.linear import LinearModel
from maxmargin.prompt import Brief

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Brief):
    """Decision values of rows as sums over features, and as sums over support vectors.

        decision[i, p] = base[i, p] + sum_j features[i, j, p]
        decision[i, p] = intercept_p + sum_k pulls[i, k, p]

    Made by `explain` of a machine.

    Parameters
    ----------
    model : KernelModel or LinearModel
        What was asked.
    rows : rows of length n
        What it was asked about.
    names : tuple of str
        The features.
    outputs : tuple of str
        What each output speaks for, if it is positive: a class, "a or b" for a pair of them (for
        the first), the inliers, or the prediction of a regression.
    decision : ndarray of shape (n, p)
        Decision values.
    base : ndarray of shape (n, p)
        What is left when nothing is known of any feature.
    features : ndarray of shape (n, d, p) or None
        Shapley value of each feature; None where rows are no numbers.
    errors : ndarray of shape (n, d, p) or None
        Standard error of each; 0 where they are exact.
    method : {"linear", "exact", "sampled", "none"}
        How `features` were computed.
    mix : ndarray of shape (n, q, p), optional
        How these outputs are made of the q outputs of the model; None: they are those.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> X, y = np.array([[0.0, 1.0], [1.0, 1.0], [3.0, 0.0], [4.0, 1.0]]), ["a", "a", "b", "b"]
    >>> found = SVC(kernel="rbf", gamma=0.1).fit(X, y).explain([2.5, 0.5])
    >>> found.method, found.outputs, found.features.shape
    ('exact', ('b',), (1, 2, 1))
    >>> bool(np.isclose(found.base + found.features.sum(axis=1), found.decision).all())
    True
    """

    model: KernelModel | LinearModel
    rows: Any
    names: tuple[str, ...]
    outputs: tuple[str, ...]
    decision: Array
    base: Array
    features: Array | None
    errors: Array | None
    method: str
    mix: Array | None = None

    def __len__(self) -> int:
        return len(self.decision)

    # ---- By features ------------------------------------------------------------------------

    @property
    def gradients(self) -> Array:
        """Derivative of each output by each feature at each row, shape (n, d, p).

        By its formula; of a kernel that is a Python function by central differences.
        """
        return self._mixed(decision_gradients(self.model, self.rows))

    @property
    def values(self) -> Array:
        """The rows as an array of shape (n, d)."""
        return np.asarray(self.rows.toarray() if sparse.issparse(self.rows) else self.rows)

    def feature_frame(self, row: int = 0, output: int = 0) -> dict[str, Any]:
        """Return the features of one row, the largest part first.

        Parameters
        ----------
        row, output : int
            Which row, and which output.

        Returns
        -------
        dict
            `feature`, its `value` in the row, its `part` of the decision value, and `error`.
        """
        features, errors = self._known()
        part = features[row, :, output]
        order = np.argsort(-np.abs(part), kind="stable")
        return {
            "feature": np.array(self.names, dtype=object)[order],
            "value": self.values[row, order],
            "part": part[order],
            "error": errors[row, order, output],
        }

    def _known(self) -> tuple[Array, Array]:
        if self.features is None or self.errors is None:
            raise ValueError(
                "features are not known: the rows are kernel values or no numbers; the parts of "
                "the support vectors are in `pulls`."
            )
        return self.features, self.errors

    # ---- By support vectors -----------------------------------------------------------------

    @property
    def support(self) -> NDArray[np.int64]:
        """Places of the support vectors in the training data, shape (m,)."""
        return self._kernel_model().support

    @property
    def labels(self) -> NDArray[Any] | None:
        """Class of each support vector; None of a regression and of one class."""
        model = self._kernel_model()
        if model.classes is None or len(model.n_support) != len(model.classes.names):
            return None
        return np.repeat(model.classes.names, model.n_support)

    @property
    def pulls(self) -> Array:
        """What each support vector adds to each output, weight times kernel, shape (n, m, p)."""
        model = self._kernel_model()
        return self._mixed(_kernel_values(model, self.rows)[:, :, None] * model.weights)

    @property
    def distances(self) -> Array:
        """Euclidean distance of each row to each support vector, shape (n, m)."""
        model = self._kernel_model()
        if self.features is None:
            raise ValueError("distances are not known: the rows are kernel values or no numbers.")
        vectors = model.vectors
        dense: Any = vectors if sparse.issparse(vectors) else np.asarray(vectors, np.float64)
        found = np.empty((len(self), len(model.support)))
        for i, x in enumerate(np.asarray(self.values, np.float64)):
            if sparse.issparse(dense):
                squares = np.asarray(dense.multiply(dense).sum(axis=1)).ravel()
                found[i] = np.sqrt(np.maximum(squares - 2 * (dense @ x) + x @ x, 0.0))
            else:
                found[i] = np.sqrt(np.square(dense - x).sum(axis=1))
        return found

    def support_frame(self, row: int = 0, output: int = 0) -> dict[str, Any]:
        """Return the support vectors of one row, the strongest pull first.

        Parameters
        ----------
        row, output : int
            Which row, and which output.

        Returns
        -------
        dict
            `index` in the training data, `label` (where there are classes), `pull` and `distance`
            (where rows are numbers).
        """
        one = replace(
            self,
            rows=self.rows[row : row + 1],
            decision=self.decision[row : row + 1],
            mix=None if self.mix is None else self.mix[row : row + 1],
        )
        pull = one.pulls[0, :, output]
        order = np.argsort(-np.abs(pull), kind="stable")
        frame: dict[str, Any] = {"index": self.support[order]}
        if self.labels is not None:
            frame["label"] = self.labels[order]
        frame["pull"] = pull[order]
        if self.features is not None:
            frame["distance"] = one.distances[0, order]
        return frame

    def _kernel_model(self) -> KernelModel:
        if not isinstance(self.model, KernelModel):
            raise ValueError(
                "a linear machine keeps weights of the features and no training rows: "
                'SVC(kernel="linear") keeps its support vectors.'
            )
        return self.model

    # ---- Other views ------------------------------------------------------------------------

    def of(self, label: Any = None) -> Explanation:
        """Return the explanation of one class's score.

        The score of a class is its output; of pairs, the sum of the outputs of its pairs, each
        taken as positive for the class. Standard errors of sums are bounded by their sums.

        Parameters
        ----------
        label : label, optional
            A class; by default the one that is predicted, of each row its own.

        Returns
        -------
        Explanation
            Of one output.

        Examples
        --------
        >>> from maxmargin import SVC
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "a", "b", "c"]
        >>> found = SVC().fit(X, y).explain([[0.0], [3.0]])
        >>> found.outputs, found.of("a").outputs, found.of().decision.round(2).ravel()
        (('a or b', 'a or c', 'b or c'), ('a',), array([2.  , 1.23]))
        """
        classes = self.model.classes
        if classes is None or self.mix is not None:
            raise ValueError("label is for the outputs of a model of classes.")
        codes = classes.codes(self.decision)
        if label is not None:
            if label not in classes.names.tolist():
                raise ValueError(f"label is {label!r}; it must be one of {classes.names.tolist()}.")
            codes = np.full(len(self), classes.names.tolist().index(label))
        mix = np.stack([_score_of(classes, int(code)) for code in codes])[:, :, None]
        single = len(np.unique(codes)) == 1
        name = str(classes.names[codes[0]]) if single else "predicted class"
        one = replace(self, mix=mix)
        return replace(
            one,
            outputs=(name,),
            decision=one._mixed(self.decision[:, None, :])[:, 0, :],
            base=one._mixed(self.base[:, None, :])[:, 0, :],
            features=None if self.features is None else one._mixed(self.features),
            errors=None if self.errors is None else self.errors @ np.abs(mix),
        )

    def _mixed(self, parts: Array) -> Array:
        """Return these outputs of parts of the model's, shape (n, ., p)."""
        return parts if self.mix is None else np.asarray(parts @ self.mix)

    def frame(self) -> dict[str, Any]:
        """Return all of it as arrays.

        Returns
        -------
        dict
            `names`, `outputs`, `decision`, `base`, `features`, `errors`, and of kernel machines
            `support`, `pulls`.
        """
        found = {
            name: getattr(self, name)
            for name in ("names", "outputs", "decision", "base", "features", "errors")
        }
        if isinstance(self.model, KernelModel):
            found |= {"support": self.support, "pulls": self.pulls}
        return found

    def plot(self, row: int = 0, output: int = 0, *, ax: Any = None, **options: Any) -> Any:
        """Draw what each feature of one row adds; needs matplotlib.

        Parameters
        ----------
        row, output : int
            Which row, and which output.
        ax : Axes, optional
            Where to; by default a new figure.
        **options
            As `maxmargin.plots.ExplanationDisplay` takes them; `maxmargin.plots.SupportDisplay` has
            the support vectors.

        Returns
        -------
        Axes
        """
        # An import upwards, and only when asked for.
        from maxmargin.plots import ExplanationDisplay

        return ExplanationDisplay(self, row, output, **options).plot(ax)

    def to_shap(self) -> Any:
        """Return a `shap.Explanation`, for shap's own plots; needs shap.

        Returns
        -------
        shap.Explanation
            With values of shape (n, d), or (n, d, p) of several outputs.
        """
        features, _ = self._known()
        shap = import_module("shap")  # not one of our extras: who wants its plots has it
        one = len(self.outputs) == 1
        return shap.Explanation(
            values=features[:, :, 0] if one else features,
            base_values=self.base[:, 0] if one else self.base,
            data=self.values,
            feature_names=list(self.names),
            output_names=None if one else list(self.outputs),
        )


def output_names(model: KernelModel | LinearModel) -> tuple[str, ...]:
    """Return what each output of a model speaks for, if it is positive.

    Parameters
    ----------
    model : KernelModel or LinearModel
        The model.

    Examples
    --------
    >>> output_names(LinearModel.plain(np.ones((1, 2)), np.zeros(1)))
    ('prediction',)
    """
    if model.classes is None:
        return ("prediction",)
    keys: Sequence[tuple[Any, Any]] = model.classes.keys
    if len(keys) == 1:
        return (str(keys[0][1]),)
    return tuple(str(one) if two is None else f"{one} or {two}" for one, two in keys)


def _score_of(classes: Classes, code: int) -> Array:
    """Return what each output counts in the score of a class."""
    k = len(classes.names)
    mix = np.zeros(classes.n_outputs)
    if k == 2:
        mix[0] = 1.0 if code == 1 else -1.0
    elif classes.scheme == "ovr":
        mix[code] = 1.0
    else:
        for other in range(k):
            if other != code:
                output, sign = classes.output_of(code, other)
                mix[output] = sign
    return mix


def _kernel_values(model: KernelModel, rows: Any) -> Array:
    """Return k(x_i, c_k) of rows and support vectors."""
    kernel = model.kernel
    if isinstance(kernel, Precomputed):
        return np.asarray(model._values(rows), np.float64)
    if not kernel.compiled:
        written: Any = kernel  # in Python: it keeps the rows of the fit
        return np.asarray(written(rows, written.rows)[:, written.places])
    n = rows.shape[0]
    return np.ascontiguousarray(kernel.expand(model.vectors, rows, np.eye(n)).T)
