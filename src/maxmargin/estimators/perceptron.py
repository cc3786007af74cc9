"""The perceptron."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from maxmargin.estimators.base import unchanged_on_error
from maxmargin.estimators.linear_classifier import LinearClassifier
from maxmargin.estimators.parameters import (
    ANY,
    BOOLEAN,
    CALLABLE,
    JOBS,
    MAPPING,
    NONE,
    NOT_NEGATIVE,
    POSITIVE,
    POSITIVE_COUNT,
    VERBOSE,
    Rule,
    check_parameters,
    one_of,
)
from maxmargin.estimators.progress import Progress
from maxmargin.estimators.threads import count_threads
from maxmargin.problems import LinearRisk
from maxmargin.solvers import Iterate, Learned, learn, mistake_bounds


class Perceptron(LinearClassifier):
    """The perceptron: at each mistake, add the row to the weights.

    At each row with y_i (<w, x_i> + b) <= margin, (w, b) moves by y_i (x_i, 1). On rows that can be
    separated it ends, after a number of mistakes that `mistake_bound_` limits; on others it goes on
    until `max_iter`, and the average of all (w, b) is the better classifier. With more than two
    classes, each is learnt against the rest.

    Parameters
    ----------
    margin : float, default=0.0
        A row that is right by no more than this is a mistake too: a hyperplane further from the
        rows, for more mistakes.
    average : bool, default=False
        Whether the model is the average over all steps instead of the last (w, b).
    fit_intercept : bool, default=True
        Whether there is a b.
    max_iter : int, default=1000
        Most passes over the rows.
    shuffle : bool, default=False
        Whether each pass of `fit` has a new random order.
    class_weight : dict or "balanced", default=None
        Factor of the steps of each class's rows; "balanced" not in a stream.
    random_state : int, RandomState or None, default=None
        Seed of these orders.
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

    Attributes
    ----------
    mistakes_ : ndarray of shape (n_passes, n_outputs)
        Mistakes in each pass.
    n_mistakes_ : ndarray of shape (n_outputs,)
        Their number.
    mistake_bound_ : ndarray of shape (n_outputs,)
        (R^2 + 2 margin) / gamma^2 with gamma the distance by which the last (w, b) separates the
        rows: no order of the rows makes more mistakes, from w = 0 and with unit weights. Infinite
        where it does not separate them.
    status_ : Status
        OPTIMAL if a whole pass went without a mistake. There is no warning otherwise: on rows that
        cannot be separated that is the rule's nature.
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

    _rules: ClassVar[dict[str, Rule]] = {
        "margin": NOT_NEGATIVE,
        "average": BOOLEAN,
        "fit_intercept": BOOLEAN,
        "max_iter": POSITIVE_COUNT,
        "shuffle": BOOLEAN,
        "class_weight": one_of("balanced") | MAPPING | NONE,
        "random_state": ANY,
        "verbose": VERBOSE,
        "time_limit": POSITIVE | NONE,
        "callback": CALLABLE | NONE,
        "on_interrupt": one_of("raise", "keep"),
        "n_jobs": JOBS | NONE,
    }

    def __init__(
        self,
        *,
        margin: float = 0.0,
        average: bool = False,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        shuffle: bool = False,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        random_state: Any = None,
        verbose: bool | int = False,
        time_limit: float | None = None,
        callback: Callable[[np.void], bool | None] | None = None,
        on_interrupt: str = "raise",
        n_jobs: int | None = None,
    ) -> None:
        self.margin = margin
        self.average = average
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.class_weight = class_weight
        self.random_state = random_state
        self.verbose = verbose
        self.time_limit = time_limit
        self.callback = callback
        self.on_interrupt = on_interrupt
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # On rows that cannot be separated the last (w, b) is as good as the last mistake.
        tags.classifier_tags.poor_score = True
        return tags

    def _risk(self, X: Any, labels: NDArray[Any], weight: NDArray[np.float64]) -> LinearRisk:
        y, weight = self._targets(labels, weight)
        return LinearRisk(
            X,
            y,
            weight,
            loss="perceptron",
            width=float(self.margin),
            alpha=0.0,
            n_outputs=self._n_outputs,
            intercept="free" if self.fit_intercept else "none",
        )

    def _learn(self, risk: LinearRisk, start: Iterate | None, max_iter: int) -> Learned:
        began = time.perf_counter()
        keep = self.on_interrupt == "keep"
        progress = Progress(
            1e-12, self.time_limit, self.callback, self.verbose, 1, None, keep, began
        )
        seed = None
        if self.shuffle:
            seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        with progress, progress.deferring_interrupts():
            done = learn(
                risk,
                start,
                average=self.average,
                max_iter=max_iter,
                seed=seed,
                n_threads=count_threads(self.n_jobs),
                progress=progress,
            )
        self.status_ = progress.reason or done.status
        self._iterate = done.iterate
        self.coef_, self.intercept_ = done.iterate.mean, done.iterate.mean_intercepts
        self.mistake_bound_ = mistake_bounds(risk, done.iterate, count_threads(self.n_jobs))
        return done

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn in passes over all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            Factor of each row's steps; 0 leaves a row out.

        Returns
        -------
        self : Perceptron
            The fitted estimator.
        """
        check_parameters({name: getattr(self, name) for name in self._rules}, self._rules)
        with unchanged_on_error(self):
            X, labels, weight = self._checked(X, y, sample_weight, reset=True)
            self._learn_classes(labels, weight)
            done = self._learn(self._risk(X, labels, weight), None, self.max_iter)
            self.mistakes_ = done.mistakes
            self.n_mistakes_ = done.mistakes.sum(axis=0)
            self.n_iter_ = len(done.mistakes)
        return self

    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Go on with one pass over a block of a stream, in its own order.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The block's rows.
        y : array-like of shape (n_samples,)
            Their classes.
        classes : array-like, optional
            All classes of the stream; needed by the first call.
        sample_weight : array-like of shape (n_samples,), optional
            Factor of each row's steps.

        Returns
        -------
        self : Perceptron
            The estimator; `mistakes_` has a row a block, `mistake_bound_` is that of the block.
        """
        check_parameters({name: getattr(self, name) for name in self._rules}, self._rules)
        with unchanged_on_error(self):
            start = getattr(self, "_iterate", None)
            checked = self._checked_block(X, y, classes, sample_weight, first=start is None)
            done = self._learn(self._risk(*checked), start, 1)
            before = [] if start is None else [self.mistakes_]
            self.mistakes_ = np.concatenate([*before, done.mistakes])
            self.n_mistakes_ = self.mistakes_.sum(axis=0)
            self.n_iter_ = len(self.mistakes_)
        return self
