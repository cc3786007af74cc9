"""Linear machines fitted by stochastic steps: for streams, and where a rough optimum will do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils import assert_all_finite
from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d

from maxmargin.estimators.base import check_weight, unchanged_on_error
from maxmargin.estimators.linear_classifier import LinearClassifier
from maxmargin.estimators.parameters import (
    MAPPING,
    NONE,
    NOT_NEGATIVE,
    POSITIVE,
    Rule,
    check_parameters,
    one_of,
)
from maxmargin.estimators.stochastic import RULES, StochasticMachine
from maxmargin.problems import LinearRisk, RiskCertificate


class SGDSVC(LinearClassifier, StochasticMachine):
    """Linear classification by stochastic steps, with an honest statement of how far they got.

    Minimises alpha/2 |w|^2 + 1/n sum_i s_i h(y_i (<w, x_i> + b)) for each class against the rest
    (s_i the row's weight, n the number of rows). That is the problem of the other machines with
    C = 1 / (alpha n); they solve it exactly, this one approaches it in a few passes over the rows.

    Parameters
    ----------
    loss : {"hinge", "squared_hinge", "logistic", "perceptron"}, default="hinge"
        h. "perceptron" is max(0, -z).
    alpha : float, default=1e-4
        Factor of the penalty.
    method : {"asgd", "sgd", "pegasos"}, default="asgd"
        Averaged steps of size eta0 / max(1 + alpha eta0 t, (1 + t/1000)^(3/4)); the last iterate
        of steps of size eta0 / max(1 + alpha eta0 t, 1 + t/1000); or steps of size
        1 / (alpha t) with projection and averaging, for losses of bounded slope ("hinge",
        "logistic"; of `SGDSVR`, "epsilon_insensitive" and "huber") without a free intercept.
    fit_intercept : bool, default=True
        Whether there is a b.
    intercept : {"free", "penalized"}, default="free"
        Whether b is outside or inside |w|^2.
    max_iter : int, default=1000
        Most passes over the rows.
    tol : float, default=1e-3
        A fit ends when two passes in a row, of 1,000 rows or more in all, lower the least
        objective so far by less than this share of it; 0 for all passes, and the objective after
        the last one only.
    eta0 : "auto" or float, default="auto"
        First step size; "auto" takes the power of 2 that is best on a sample.
    batch_size : int, default=1
        Rows a step.
    shuffle : bool, default=True
        Whether each pass of `fit` has a new random order.
    class_weight : dict or "balanced", default=None
        Factor of the weight of each class's rows; "balanced" not in a stream.
    random_state : int, RandomState or None, default=None
        Seed of these orders. The same seed gives the same model, with any number of threads.
    warm_start : bool, default=False
        Whether `fit` goes on from the last model.
    verbose : bool or int, default=False
        Show a line of progress on standard error.
    time_limit : float or None, default=None
        Seconds for the whole fit; what is there by then is kept, and certified.
    callback : callable or None, default=None
        Called about every 100 ms with the latest row of `history_`; returning True ends the fit.
    on_interrupt : {"raise", "keep"}, default="raise"
        Whether Ctrl-C raises and leaves the estimator as it was, or keeps the model so far.
    n_jobs : int or None, default=None
        Threads; None for all cores, one inside parallel workers. Results do not depend on it.

    Attributes
    ----------
    certificate_ : RiskCertificate
        After `fit`: the objective, a proven lower bound of the optimum, and their gap, which is an
        upper bound of the distance to the optimum and with a tiny alpha often a loose one. After
        `partial_fit`: the same of the model before that block, on the block, as an estimate.
    status_ : Status
        OPTIMAL: the gap is at most tol. PRECISION: the objective no longer falls by tol a pass.
    history_ : structured ndarray
        The objective after each pass of the last `fit` (infinite where `tol` is 0 and another pass
        followed); `iterations` counts passes.
    coef_, intercept_, classes_, n_iter_, n_features_in_, feature_names_in_
        As in scikit-learn.
    eta0_, t_ : float, int
        First step size and number of steps.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SGDSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SGDSVC(random_state=0).fit(X, y == 0)
    >>> model.score(X, y == 0), bool(model.certificate_.dual <= model.certificate_.primal)
    (1.0, True)

    A stream, block by block; each block first judges the model so far.

    >>> model = SGDSVC(random_state=0)
    >>> for block in range(0, 150, 50):
    ...     rows = slice(block, block + 50)
    ...     _ = model.partial_fit(X[rows], y[rows], classes=[0, 1, 2])
    >>> model.certificate_.held, model.t_
    (True, 150)
    """

    _rules: ClassVar[dict[str, Rule]] = {
        **RULES,
        "loss": one_of("hinge", "squared_hinge", "logistic", "perceptron"),
        "class_weight": one_of("balanced") | MAPPING | NONE,
    }

    def __init__(
        self,
        *,
        loss: str = "hinge",
        alpha: float = 1e-4,
        method: str = "asgd",
        fit_intercept: bool = True,
        intercept: str = "free",
        max_iter: int = 1000,
        tol: float = 1e-3,
        eta0: float | str = "auto",
        batch_size: int = 1,
        shuffle: bool = True,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: bool | int = False,
        time_limit: float | None = None,
        callback: Callable[[np.void], bool | None] | None = None,
        on_interrupt: str = "raise",
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.alpha = alpha
        self.method = method
        self.fit_intercept = fit_intercept
        self.intercept = intercept
        self.max_iter = max_iter
        self.tol = tol
        self.eta0 = eta0
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.class_weight = class_weight
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.time_limit = time_limit
        self.callback = callback
        self.on_interrupt = on_interrupt
        self.n_jobs = n_jobs

    def _risk(self, X: Any, y: Any, weight: NDArray[np.float64]) -> LinearRisk:
        targets, weight = self._targets(y, weight)
        return self._stated_risk(
            X, targets, weight, loss=self.loss, width=0.0, n_outputs=self._n_outputs
        )

    def _check_fit(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> LinearRisk:
        going_on = self.warm_start and hasattr(self, "_iterate")
        X, labels, weight = self._checked(X, y, sample_weight, reset=not going_on)
        if not going_on:
            self._learn_classes(labels, weight)
        return self._risk(X, labels, weight)

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model in passes over all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Class labels.
        sample_weight : array-like of shape (n_samples,), optional
            Factor of each row's loss; 0 leaves a row out.

        Returns
        -------
        self : SGDSVC
            The fitted estimator.
        """
        return self._fit_checked(X, y, sample_weight)

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
            Factor of each row's loss.

        Returns
        -------
        self : SGDSVC
            The estimator.
        """
        check_parameters({name: getattr(self, name) for name in self._rules}, self._rules)
        with unchanged_on_error(self):
            first = not hasattr(self, "_iterate")
            checked = self._checked_block(X, y, classes, sample_weight, first=first)
            self._advance(self._risk(*checked))
        return self

    def certify(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        tight: bool = False,
    ) -> RiskCertificate:
        """Compute the objective of the model and a lower bound of all models' on some rows.

        Parameters
        ----------
        X, y, sample_weight : array-likes
            As in `fit`.
        tight : bool, default=False
            Whether the lower bound is that of the exact machine's dual problem, solved to about
            1 %: it costs some tens of passes, and the gap then is the distance to the optimum.

        Returns
        -------
        RiskCertificate
            Exact for these rows.
        """
        check_is_fitted(self)
        return self._certify(self._risk(*self._checked(X, y, sample_weight, reset=False)), tight)


class SGDSVR(RegressorMixin, StochasticMachine):  # type: ignore[misc]
    """Linear regression by stochastic steps, with an honest statement of how far they got.

    Minimises alpha/2 |w|^2 + 1/n sum_i s_i h(<w, x_i> + b - y_i), s_i being the row's weight and n
    the number of rows.

    Parameters
    ----------
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive", "huber"}, \
default="epsilon_insensitive"
        h.
    epsilon : float, default=0.1
        Half the width of the tube in which errors cost nothing.
    delta : float, default=1.0
        Where Huber's parabola turns into a line.
    method, alpha, fit_intercept, intercept, max_iter, tol, eta0, batch_size, shuffle, \
random_state, warm_start, verbose, time_limit, callback, on_interrupt, n_jobs
        As of `SGDSVC`.

    Attributes
    ----------
    certificate_, status_, history_, coef_, intercept_, n_iter_, eta0_, t_, n_features_in_, \
feature_names_in_
        As of `SGDSVC`; `coef_` has one dimension.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin import SGDSVR
    >>> X = np.linspace(-1, 1, 200)[:, None]
    >>> model = SGDSVR(alpha=1e-5, epsilon=0.0, random_state=0).fit(X, 2 * X[:, 0] + 1)
    >>> bool(abs(model.predict([[0.5]])[0] - 2.0) < 0.05)
    True
    """

    _rules: ClassVar[dict[str, Rule]] = {
        **RULES,
        "loss": one_of("epsilon_insensitive", "squared_epsilon_insensitive", "huber"),
        "epsilon": NOT_NEGATIVE,
        "delta": POSITIVE,
    }

    def __init__(
        self,
        *,
        loss: str = "epsilon_insensitive",
        epsilon: float = 0.1,
        delta: float = 1.0,
        alpha: float = 1e-4,
        method: str = "asgd",
        fit_intercept: bool = True,
        intercept: str = "free",
        max_iter: int = 1000,
        tol: float = 1e-3,
        eta0: float | str = "auto",
        batch_size: int = 1,
        shuffle: bool = True,
        random_state: Any = None,
        warm_start: bool = False,
        verbose: bool | int = False,
        time_limit: float | None = None,
        callback: Callable[[np.void], bool | None] | None = None,
        on_interrupt: str = "raise",
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.epsilon = epsilon
        self.delta = delta
        self.alpha = alpha
        self.method = method
        self.fit_intercept = fit_intercept
        self.intercept = intercept
        self.max_iter = max_iter
        self.tol = tol
        self.eta0 = eta0
        self.batch_size = batch_size
        self.shuffle = shuffle
        self.random_state = random_state
        self.warm_start = warm_start
        self.verbose = verbose
        self.time_limit = time_limit
        self.callback = callback
        self.on_interrupt = on_interrupt
        self.n_jobs = n_jobs

    def _risk(self, X: Any, y: Any, weight: NDArray[np.float64]) -> LinearRisk:
        width = float(self.delta if self.loss == "huber" else self.epsilon)
        return self._stated_risk(X, y, weight, loss=self.loss, width=width)

    def _check_fit(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> LinearRisk:
        reset = not (self.warm_start and hasattr(self, "_iterate"))
        return self._check_block(X, y, sample_weight, reset=reset)

    def _check_block(
        self, X: Any, y: Any, sample_weight: ArrayLike | None, *, reset: bool
    ) -> LinearRisk:
        X = self._check_rows(X, reset=reset)
        if y is None:
            raise ValueError("y is None: SGDSVR requires y to be passed, but the target y is None.")
        targets: NDArray[np.float64] = column_or_1d(y, warn=True, dtype=np.float64)
        assert_all_finite(targets, input_name="y")
        check_consistent_length(X, targets)
        return self._risk(X, targets, check_weight(sample_weight, targets))

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit the model in passes over all rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Training rows.
        y : array-like of shape (n_samples,)
            Targets.
        sample_weight : array-like of shape (n_samples,), optional
            Factor of each row's loss; 0 leaves a row out.

        Returns
        -------
        self : SGDSVR
            The fitted estimator.
        """
        return self._fit_checked(X, y, sample_weight)

    def partial_fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Go on with one pass over a block of a stream, in its own order.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            The block's rows.
        y : array-like of shape (n_samples,)
            Their targets.
        sample_weight : array-like of shape (n_samples,), optional
            Factor of each row's loss.

        Returns
        -------
        self : SGDSVR
            The estimator.
        """
        check_parameters({name: getattr(self, name) for name in self._rules}, self._rules)
        with unchanged_on_error(self):
            reset = not hasattr(self, "_iterate")
            self._advance(self._check_block(X, y, sample_weight, reset=reset))
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """Predict the target of each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
            Rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Predicted targets.
        """
        return self._scores(X)[:, 0]

    def certify(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        *,
        tight: bool = False,
    ) -> RiskCertificate:
        """Compute the objective of the model and a lower bound of all models' on some rows.

        Parameters
        ----------
        X, y, sample_weight : array-likes
            As in `fit`.
        tight : bool, default=False
            Whether the lower bound is that of the exact machine's dual problem, solved to about
            1 %: it costs some tens of passes, and the gap then is the distance to the optimum.

        Returns
        -------
        RiskCertificate
            Exact for these rows.
        """
        check_is_fitted(self)
        return self._certify(self._check_block(X, y, sample_weight, reset=False), tight)
