"""From the outputs on held-out rows to scores, by any scorer and without a model.

The usual scores (`direct_scores`) are computed for all candidates of a fold at once. Any other
scorer is given a stand-in that predicts the held-out rows and nothing else; where it asks for more,
the search is handed over and real models are fitted.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import _safe_indexing, get_tags

from maxmargin.models import Classes
from maxmargin.selection.direct_scores import Predictions, direct_scores
from maxmargin.selection.fold_rows import Places, SearchData
from maxmargin.selection.sharing import NotShared, Subject

Array = NDArray[np.float64]
#: Methods that a machine without calibration does not have.
_PROBABILITIES = ("predict_proba", "predict_log_proba", "predict_proba_interval")


class StandIn:
    """What a scorer is given in the place of a fitted model: its predictions of certain rows.

    Parameters
    ----------
    subject : Subject
        The estimator that was not fitted.
    rows : array-like
        The rows that it can predict: this object, not its like.

    Attributes
    ----------
    asked : str
        What a scorer wanted beside; empty if nothing.

    Examples
    --------
    >>> from maxmargin import SVR
    >>> rows = np.zeros((2, 1))
    >>> stand_in = StandIn(Subject.of(SVR()), rows)
    >>> stand_in.take(np.array([1.0, 2.0]), np.array([1.0, 2.0]), None)
    >>> stand_in.predict(rows)
    array([1., 2.])
    """

    def __init__(self, subject: Subject, rows: Any) -> None:
        self._subject = subject
        self._rows = rows
        self._predicted: Any = None
        self._decision: Any = None
        self.asked = ""

    def take(self, predicted: Any, decision: Any, classes: NDArray[Any] | None) -> None:
        """Speak for another model.

        Parameters
        ----------
        predicted, decision : ndarrays
            Its predictions and decision values.
        classes : ndarray or None
            Its classes.
        """
        self._predicted, self._decision = predicted, decision
        if classes is not None:
            self.classes_ = classes

    def predict(self, X: Any) -> Any:
        """Return the predictions of the held-out rows."""
        self._expect(X)
        return self._predicted

    @property
    def decision_function(self) -> Callable[[Any], Any]:
        """The decision values of the held-out rows; a regression has none."""
        if not self._subject.classifies:
            raise AttributeError("a regression has no decision_function")
        return self._decide

    def _decide(self, X: Any) -> Any:
        self._expect(X)
        if self._decision is None:
            self._refuse("decision_function of pairs")
        return self._decision

    def _expect(self, X: Any) -> None:
        if X is not self._rows:
            self._refuse("predictions of other rows")

    def _refuse(self, what: str) -> None:
        self.asked = self.asked or what
        raise NotShared(f"the scorer asks for {what}")

    def __sklearn_tags__(self) -> Any:
        return get_tags(self._subject.estimator)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        calibrated = self._subject.classifies and self._subject.machine._calibration() is not None
        if (name in _PROBABILITIES and not calibrated) or (
            name == "classes_" and not self._subject.classifies
        ):
            raise AttributeError(f"{type(self._subject.estimator).__name__!r} has no {name!r}")
        self.asked = self.asked or name
        raise AttributeError(name)


class Scoring:
    """Scores the candidates of a fold.

    Parameters
    ----------
    subject : Subject
        The estimator.
    data : SearchData
        The search.
    scoring : object
        As it was given to the search.
    scorer : callable
        What scikit-learn has made of it.

    Attributes
    ----------
    given, scorer : objects
        `scoring` and `scorer`.
    """

    def __init__(self, subject: Subject, data: SearchData, scoring: Any, scorer: Any) -> None:
        self._subject = subject
        self._data = data
        self.given, self.scorer = scoring, scorer
        # Weights go through scikit-learn, which knows whether a scorer takes them.
        weighted = data.score_weight is not None and scoring not in (None, "accuracy", "r2")
        self._direct = None if weighted else direct_scores(scoring, subject.classifies)
        shape = getattr(subject.machine, "decision_function_shape", "ovr")
        self._by_pair = subject.votes and shape == "ovo"

    def scores(
        self, rows: Places, outputs: Array, codes: NDArray[np.integer] | None, present: Places
    ) -> dict[str, Array]:
        """Return the scores of every model of a fold on some rows, by name.

        Parameters
        ----------
        rows : ndarray of int64
            Places in the data.
        outputs : ndarray of shape (n_kernels, n_Cs, n_rows, n_outputs)
            What the models say of them.
        codes : ndarray of shape (n_kernels, n_Cs, n_rows) or None
            With more than two classes, the number of the class among those present.
        present : ndarray of int64
            The classes of the fold.
        """
        if self._data.names is None:
            values = outputs[..., 0]
            found = self._directly(Predictions(self._data.targets[rows], values), rows)
            return found or self._asked(rows, values, values, None)
        if codes is None:
            each = Classes(present, "ovr").codes(outputs.reshape(-1, outputs.shape[-1]))
            codes = each.reshape(outputs.shape[:3])
        elif self._subject.machine.break_ties:
            codes = outputs.argmax(axis=-1)
        number = np.full(len(self._data.names), -1)
        number[present] = np.arange(len(present))
        names, truth = self._data.names[present], number[self._data.targets[rows]]
        decision: Any = outputs[..., 0] if len(present) == 2 else None
        found = self._directly(Predictions(truth, codes, decision, names), rows)
        if found:
            return found
        if len(present) > 2 and not self._by_pair:
            decision = outputs
        return self._asked(rows, names[codes], decision, names)

    def _directly(self, said: Predictions, rows: Places) -> dict[str, Array] | None:
        """Return the scores where all of them are computed at once."""
        if self._direct is None:
            return None
        if self._data.score_weight is not None:
            return self._weighted(said, np.asarray(self._data.score_weight[rows], np.float64))
        found = {name: score(said) for name, score in self._direct.items()}
        known = {name: values for name, values in found.items() if values is not None}
        return known if len(known) == len(found) else None

    def _weighted(self, said: Predictions, weight: Array) -> dict[str, Array] | None:
        """Return the default score, rows counted by their weights."""
        total = weight.sum()
        if len(weight) < 2 or not total > 0:
            return None
        if self._data.names is not None:
            return {"score": np.asarray((said.predicted == said.truth) @ weight / total)}
        residual = np.square(said.truth - said.predicted) @ weight
        mean = said.truth @ weight / total
        spread = float(np.square(said.truth - mean) @ weight)
        return {"score": np.asarray(1.0 - residual / spread)} if spread > 0 else None

    def _asked(self, rows: Places, predicted: Any, decision: Any, names: Any) -> dict[str, Array]:
        """Ask the scorer, with a stand-in for each model."""
        X, y = _safe_indexing(self._data.X, rows), _safe_indexing(self._data.y, rows)
        weight = self._data.score_weight
        params = {} if weight is None else {"sample_weight": _safe_indexing(weight, rows)}
        stand_in = StandIn(self._subject, X)
        found: dict[str, Array] = {}
        for place in np.ndindex(predicted.shape[:2]):
            stand_in.take(predicted[place], None if decision is None else decision[place], names)
            for name, value in self._ask(stand_in, X, y, params).items():
                found.setdefault(name, np.full(predicted.shape[:2], np.nan))[place] = value
        return found

    def _ask(self, stand_in: StandIn, X: Any, y: Any, params: Any) -> dict[str, float]:
        try:
            given = self.scorer(stand_in, X, y, **params)
        except Exception as error:
            wanted = f"asks for {stand_in.asked}" if stand_in.asked else f"raises {error!r}"
            raise NotShared(f"the scorer {wanted}") from error
        if stand_in.asked:
            raise NotShared(f"the scorer asks for {stand_in.asked}")
        values = given if isinstance(given, dict) else {"score": given}
        return {name: _number(value) for name, value in values.items()}


def _number(value: Any) -> float:
    if hasattr(value, "item"):
        value = value.item()
    if not isinstance(value, numbers.Number):
        raise NotShared(f"the scorer returns {value!r}")
    return float(value)  # type: ignore[arg-type]
