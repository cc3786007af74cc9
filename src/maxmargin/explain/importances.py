"""Permutation importance: what a model's score loses when one feature is shuffled."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.inspection import permutation_importance
from sklearn.metrics import check_scoring
from sklearn.utils import check_random_state

from maxmargin.estimators.machine import Machine
from maxmargin.explain.shuffles import Shuffles, split
from maxmargin.models import KernelModel, LinearModel
from maxmargin.prompt import Brief
from maxmargin.selection.direct_scores import Predictions, direct_scores

Array = NDArray[np.float64]
#: Numbers of decision values that are held at once.
_ROOM = 1 << 25


@dataclass(frozen=True, eq=False, repr=False)
class Importances(Brief):
    """What the score loses when each feature is shuffled.

    Made by `importances`. The names of scikit-learn's `permutation_importance` are here too.

    Parameters
    ----------
    names : tuple of str
        The features.
    values : ndarray of shape (n_features, n_repeats)
        Score of the rows as they are, less that with the feature shuffled.
    score : float
        Score of the rows as they are.
    scoring : str
        What the score is.
    method : {"changes", "predictions"}
        Whether only what changes in kernel values was computed, or all predictions again.

    Examples
    --------
    >>> found = Importances(("a", "b"), np.array([[0.1, 0.1], [0.3, 0.5]]), 0.9, "accuracy")
    >>> found.mean, found.order
    (array([0.1, 0.4]), array([1, 0]))
    """

    names: tuple[str, ...]
    values: Array
    score: float
    scoring: str
    method: str = "changes"

    @property
    def mean(self) -> Array:
        """Mean loss of each feature, shape (n_features,)."""
        return np.asarray(self.values.mean(axis=1))

    @property
    def std(self) -> Array:
        """Standard deviation over the repeats, shape (n_features,)."""
        return np.asarray(self.values.std(axis=1))

    @property
    def order(self) -> NDArray[np.int64]:
        """Numbers of the features, the most important first."""
        return np.argsort(-self.mean, kind="stable")

    @property
    def importances(self) -> Array:
        """The same as `values`."""
        return self.values

    @property
    def importances_mean(self) -> Array:
        """The same as `mean`."""
        return self.mean

    @property
    def importances_std(self) -> Array:
        """The same as `std`."""
        return self.std

    def frame(self) -> dict[str, Any]:
        """Return the features, the most important first.

        Returns
        -------
        dict
            `feature`, `mean`, `std`.
        """
        order = self.order
        names = np.array(self.names, dtype=object)
        return {"feature": names[order], "mean": self.mean[order], "std": self.std[order]}

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw them; needs matplotlib.

        Parameters
        ----------
        ax : Axes, optional
            Where to; by default a new figure.
        **options
            As `maxmargin.plots.ImportanceDisplay` takes them.

        Returns
        -------
        Axes
        """
        from maxmargin.plots import ImportanceDisplay

        return ImportanceDisplay(self, **options).plot(ax)


def importances(
    model: Any,
    X: Any,
    y: ArrayLike | None = None,
    *,
    scoring: Any = None,
    n_repeats: int = 5,
    random_state: Any = None,
    sample_weight: ArrayLike | None = None,
) -> Importances:
    """Return what the score of a model loses when each feature is shuffled.

    Features that the model cannot do without are important; of two that tell the same, neither is.
    Shuffles and values are those of scikit-learn's `permutation_importance` with the same
    random_state. Of machines whose kernel is a sum of products over features (RBF, Laplacian, chi2,
    linear, polynomial, and sums and products of them) only what changes is computed: the factor of
    one feature in each kernel value. Other kernels predict all rows again.

    Parameters
    ----------
    model : estimator
        Fitted: a machine, or a pipeline that ends with one. Transformers that work on each column
        by itself (scaling, categories, missing values) are seen through.
    X, y : array-likes
        Rows and targets to score on, best such as the model has not seen.
    scoring : str, callable or None
        One scorer, as scikit-learn takes it; None for the model's own `score`.
    n_repeats : int
        Shuffles of each feature.
    random_state : int, RandomState or None
        Of the shuffles.
    sample_weight : array-like, optional
        What each row counts in the score.

    Returns
    -------
    Importances
        `mean`, `std`, `values`, `names`, `order`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> found = importances(SVC().fit(X, y), X, y, random_state=0)
    >>> found.frame()["feature"][0], found.mean.round(2)
    ('petal length (cm)', array([-0.  ,  0.01,  0.6 ,  0.15]))
    """
    if n_repeats < 1:
        raise ValueError(f"n_repeats is {n_repeats}; it must be at least 1.")
    scorer = check_scoring(model, scoring=scoring)
    names = tuple(map(str, X.columns)) if hasattr(X, "columns") else None
    names = names or tuple(f"x{j}" for j in range(np.shape(X)[1]))
    text = scoring if isinstance(scoring, str) else _own_score(model) if scoring is None else ""
    text = text or getattr(scoring, "__name__", "score")
    rng = check_random_state(random_state)
    state = rng.get_state()
    seed = int(rng.randint(np.iinfo(np.int32).max + 1))
    shuffles = Shuffles.of(model, X, seed, n_repeats)
    if shuffles is None:
        rng.set_state(state)  # it draws the same seed
        found = permutation_importance(
            model, X, y, scoring=scoring, n_repeats=n_repeats, random_state=rng,
            sample_weight=sample_weight,
        )  # fmt: skip
        weight = {} if sample_weight is None else {"sample_weight": sample_weight}
        score = float(scorer(model, X, y, **weight))
        return Importances(names, found.importances, score, text, "predictions")
    judge = _Judge(model, shuffles, scorer, scoring, y, sample_weight)
    whole = judge.score(shuffles.outputs[None, None])[0, 0]
    together = max(8, _ROOM // max(1, n_repeats * shuffles.outputs.size))
    scores = [
        judge.score(shuffles.shuffled(slice(begin, begin + together)), begin)
        for begin in range(0, len(names), together)
    ]
    return Importances(names, whole - np.concatenate(scores), float(whole), text)


def _own_score(model: Any) -> str:
    return "accuracy" if hasattr(model, "classes_") else "R2"


class _Judge:
    """Scores outputs as if a model had predicted them."""

    def __init__(
        self, model: Any, shuffles: Shuffles, scorer: Any, scoring: Any, y: Any, weight: Any
    ) -> None:
        self._machine = split(model)[1]
        self._shuffles, self._scorer, self._y, self._weight = shuffles, scorer, y, weight
        self._classes = getattr(model, "classes_", None)
        known = None if weight is not None else direct_scores(scoring, self._classes is not None)
        self._direct = known.get("score") if known else None

    def score(self, outputs: Array, first: int = 0) -> Array:
        """Return the score of each (feature, shuffle) of outputs, shape (., ., n, p)."""
        found = self._directly(outputs)
        if found is not None:
            return found
        scores = np.empty(outputs.shape[:2])
        weight = {} if self._weight is None else {"sample_weight": self._weight}
        for place in np.ndindex(*scores.shape):
            rows = self._shuffles.rows(first + place[0], place[1] if outputs.shape[0] > 1 else None)
            answering = _answering(self._machine, rows, outputs[place])
            scores[place] = self._scorer(answering, rows, self._y, **weight)
        return scores

    def _directly(self, outputs: Array) -> Array | None:
        if self._direct is None:
            return None
        if self._classes is None:
            return self._direct(Predictions(np.asarray(self._y, np.float64), outputs[..., 0]))
        classes = self._machine.model_.classes
        ties = getattr(self._machine, "break_ties", False)
        codes = classes.codes(outputs.reshape(-1, outputs.shape[-1]), break_ties=ties)
        names = self._classes.tolist()
        number = {name: code for code, name in enumerate(names)}
        truth = np.array([number.get(label, -1) for label in np.asarray(self._y).tolist()])
        decision = outputs[..., 0] if len(names) == 2 else None
        said = Predictions(truth, codes.reshape(outputs.shape[:3]), decision, self._classes)
        return self._direct(said)


class _Answers:
    """A model that has the outputs of certain rows: this object, not its like."""

    def decide(self, Z: Any, n_threads: int = 1) -> Array:
        given = vars(self)
        if Z is given["rows"]:
            return np.array(given["known"])
        return super().decide(Z, n_threads)  # type: ignore[misc,no-any-return]

    def _settle(self, Z: Any, classes: Any, n_threads: int) -> Array:
        return self.decide(Z, n_threads)


class _KernelAnswers(_Answers, KernelModel):
    pass


class _LinearAnswers(_Answers, LinearModel):
    pass


def _answering(machine: Machine, rows: Array, outputs: Array) -> Machine:
    """Return a machine that answers for rows as if it had computed these outputs."""
    model = machine.model_
    kind = _KernelAnswers if isinstance(model, KernelModel) else _LinearAnswers
    answers = kind(**{field.name: getattr(model, field.name) for field in fields(model)})
    vars(answers).update(rows=rows, known=outputs)
    other = copy(machine)
    other.__dict__.pop("feature_names_in_", None)  # the rows are an array
    other.model_ = answers
    return other
