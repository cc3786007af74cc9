"""The perceptron."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from maxmargin import losses
from maxmargin.estimators.calibrated_classifier import CALIBRATION_RULES
from maxmargin.estimators.parameters import (
    BOOLEAN,
    MAPPING,
    NONE,
    NOT_NEGATIVE,
    POSITIVE,
    Rule,
    keep,
    one_of,
)
from maxmargin.estimators.stochastic_machine import STOCHASTIC_RULES, StochasticClassifier
from maxmargin.estimators.training import Training
from maxmargin.problems import LinearRisk, Solution, Steps
from maxmargin.solvers import Watch, mistake_bounds, solve


class Perceptron(StochasticClassifier):
    """The perceptron: at each mistake, add the row to the weights.

    At each row with y_i (<w, x_i> + b) <= margin, (w, b) moves by eta0 y_i (x_i, 1). On rows that
    can be separated it ends, after a number of mistakes that `mistake_bound_` limits; on others it
    goes on until `max_iter`, or until `tol` or `early_stopping` ends it, and the average of all
    (w, b) is the better classifier. With more than two classes, each is learnt against the rest.

    Parameters
    ----------
    margin : float, default=0.0
        A row that is right by no more than this is a mistake too: a hyperplane further from the
        rows, for more mistakes.
    average : bool, default=False
        Whether the model is the average over all steps instead of the last (w, b).
    eta0 : float, default=1.0
        Factor of all steps. Without a margin it is one of (w, b), and predictions do not change.
    fit_intercept : bool, default=True
        Whether there is a b.
    max_iter : int, default=1000
        Most passes over the rows.
    tol : float or None, default=None
        Passes must lower the least number of mistakes per row so far by this much; None, or 0, to
        go on until there are none.
    early_stopping : bool, default=False
        Whether some rows are held out, chosen by `random_state` with the classes' shares, and a
        fit ends when passes no longer raise `score` on them by `tol`, without it at all.
    validation_fraction : float, default=0.1
        The share of rows that are held out.
    n_iter_no_change : "auto" or int, default="auto"
        Passes in a row without progress that end a fit; "auto" for two of 1,000 rows in all.
    shuffle : bool, default=False
        Whether each pass of `fit` has a new random order.
    class_weight : dict or "balanced", default=None
        Factor of the steps of each class's rows, as in `SGDSVC`.
    random_state : int, RandomState or None, default=None
        Seed of these orders.
    warm_start : bool, default=False
        Whether `fit` goes on from the last model.
    verbose : bool or int, default=False
        Show a line of progress on standard error.
    time_limit : float or None, default=None
        Seconds for the whole fit; what is there by then is kept.
    callback : callable or None, default=None
        Called about every 100 ms; returning True ends the fit.
    on_interrupt : {"raise", "keep"}, default="raise"
        Whether Ctrl-C raises and leaves the estimator as it was, or keeps the model so far.
    n_jobs : int or None, default=None
        Threads for the classes. Results do not depend on it.
    calibration : {"sigmoid", "venn-abers"} or None, default=None
        Whether there are probabilities, `predict_proba`: a sigmoid of the output of two classes, a
        softmax of more; or, of two classes, intervals too (`predict_proba_interval`). They are
        learnt from further fits, each without some of the rows, and agree with `predict`.
        After `partial_fit` there are none.

    Attributes
    ----------
    mistakes_ : ndarray of shape (n_passes, n_outputs)
        Mistakes in each pass.
    n_mistakes_ : ndarray of shape (n_outputs,)
        Their number.
    mistake_bound_ : ndarray of shape (n_outputs,)
        (R^2 + 2 margin / eta0) / gamma^2 with gamma the distance by which the last (w, b) separates
        the rows: no order of the rows makes more mistakes, from w = 0 and with unit weights.
        Infinite where it does not separate them.
    status_ : Status
        OPTIMAL if a whole pass went without a mistake, PRECISION if passes no longer brought what
        `tol` or `early_stopping` asks for. There is no warning otherwise: on rows that cannot be
        separated that is the rule's nature.
    certificate_ : Certificate
        Of the mean of the rule's own loss, max(0, margin - y f): its lower bound is 0, so that the
        gap is 0 if no row is a mistake, and otherwise 1.
    coef_, intercept_, classes_, n_iter_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from maxmargin import Perceptron
    >>> X, y = [[-1.0, 0.0], [1.0, 1.0], [2.0, -1.0]], [0, 1, 1]
    >>> model = Perceptron().fit(X, y)
    >>> model.coef_, model.intercept_, model.n_mistakes_.tolist()
    (array([[2., 1.]]), array([0.]), [2])
    >>> bool(model.n_mistakes_[0] <= model.mistake_bound_[0])
    True
    """

    margin: float
    average: bool
    eta0: float
    intercept = "free"
    _rules: ClassVar[dict[str, Rule]] = {
        **STOCHASTIC_RULES,
        **CALIBRATION_RULES,
        "margin": NOT_NEGATIVE,
        "average": BOOLEAN,
        "eta0": POSITIVE,
        "tol": NOT_NEGATIVE | NONE,
        "class_weight": one_of("balanced") | MAPPING | NONE,
    }

    def __init__(
        self,
        *,
        margin: float = 0.0,
        average: bool = False,
        eta0: float = 1.0,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = None,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int | str = "auto",
        shuffle: bool = False,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: bool | int = False,
        time_limit: float | None = None,
        callback: Callable[[np.void], bool | None] | None = None,
        on_interrupt: str = "raise",
        n_jobs: int | None = None,
        calibration: str | None = None,
    ) -> None:
        keep(self, locals())

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # On rows that cannot be separated the last (w, b) is as good as the last mistake.
        tags.classifier_tags.poor_score = True
        return tags

    def _loss(self) -> losses.Loss:
        return losses.Perceptron(float(self.margin))

    def _steps(self) -> Steps:
        seed = self._seed() if self.shuffle else 0
        rule = "averaged-perceptron" if self.average else "perceptron"
        return Steps(
            rule,  # type: ignore[arg-type]
            shuffle=self.shuffle,
            seed=seed,
            eta0=float(self.eta0),
            patience=self._patience,
        )

    def _good(self) -> bool:
        return True

    def _advance(self, risk: LinearRisk, watch: Watch) -> Solution:
        """Learn from a block in one pass; its mistakes are told like those of a pass."""
        before = self._start(risk)
        in_order = replace(self._steps(), shuffle=False)
        settings = replace(self._settings(), max_iter=1, method=in_order)
        [found] = solve([risk], settings, watch, [before])
        assert found.iterate is not None
        iterate = found.iterate
        if before is not None:
            mistakes = np.concatenate([before.mistakes, iterate.mistakes])
            iterate = replace(iterate, mistakes=mistakes)
        return replace(self._streamed(found.certificate, iterate), status=found.status)

    def _keep(
        self, data: Training, problems: Sequence[LinearRisk], solutions: Sequence[Solution]
    ) -> None:
        super()._keep(data, problems, solutions)
        self.mistake_bound_ = mistake_bounds(problems[0], self._iterate, self._threads())

    @property
    def mistakes_(self) -> NDArray[np.int64]:
        """Mistakes in each pass, shape (n_passes, n_outputs)."""
        return self._iterate.mistakes

    @property
    def n_mistakes_(self) -> NDArray[np.int64]:
        """Their number for each output."""
        return np.asarray(self.mistakes_.sum(axis=0))
