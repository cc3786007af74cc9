"""Linear classification by stochastic steps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal

import numpy as np

from maxmargin.estimators.calibrated_classifier import CALIBRATION_RULES
from maxmargin.estimators.parameters import MAPPING, NONE, Rule, keep, one_of
from maxmargin.estimators.sgd_machine import SGD_RULES, SGDMachine
from maxmargin.estimators.stochastic_machine import StochasticClassifier
from maxmargin.losses import MARGIN_LOSSES, RESIDUAL_LOSSES


class SGDSVC(StochasticClassifier, SGDMachine):
    """Linear classification by stochastic steps, with an honest statement of how far they got.

    Minimises alpha/2 |w|^2 + 1/n sum_i s_i h(y_i (<w, x_i> + b)) for each class against the rest
    (s_i the row's weight, n the number of rows), or the same with another `penalty`. That is the
    problem of the other machines with C = 1 / (alpha n); they solve it exactly, this one approaches
    it in a few passes over the rows. The names of scikit-learn's `SGDClassifier` mean here what
    they mean there.

    Parameters
    ----------
    loss : str, default="hinge"
        h, of the margin z = y f: "hinge", "squared_hinge", "logistic" or "log_loss",
        "modified_huber" (the squared hinge, from z = -1 down the line -4 z) or "perceptron",
        max(0, -z); or a loss of `SGDSVR`, of the residual f - y with y = -1 or 1.
    penalty : {"l2", "l1", "elasticnet", None}, default="l2"
        What is added to the mean loss: alpha/2 |w|^2; alpha |w|_1, which makes weights exactly
        zero; l1_ratio of this and 1 - l1_ratio of that; or nothing. With |w|_1 the model is the
        last iterate; without a penalty the lower bound of the optimum is 0. `LinearSVC` has an
        exact "l1".
    alpha : float, default=1e-4
        Factor of the penalty.
    l1_ratio : float or None, default=0.15
        The share of |w|_1 in "elasticnet".
    epsilon : float, default=0.1
        Of a loss of residuals: half the width of the tube in which errors cost nothing, or where
        Huber's parabola turns into a line.
    method : {"asgd", "sgd", "pegasos"}, default="asgd"
        Averaged steps of size eta0 / max(1 + alpha eta0 t, (1 + t/1000)^(3/4)); the last iterate
        of steps of size eta0 / max(1 + alpha eta0 t, 1 + t/1000); or steps of size
        1 / (alpha t) with projection and averaging, for losses of bounded slope ("hinge",
        "logistic", "modified_huber", "epsilon_insensitive", "huber") without a free intercept.
    learning_rate : {"auto", "optimal", "constant", "invscaling", "adaptive"}, default="auto"
        Other step sizes: 1 / (alpha (t0 + t - 1)) with t0 = alpha^(-3/4); eta0; eta0 / t^power_t;
        or eta0, divided by 5 whenever `n_iter_no_change` passes bring less than `tol`, until it is
        1e-6. "auto" for those of `method`.
    eta0 : "auto" or float, default="auto"
        First step size; "auto" takes the power of 2 that is best on a sample.
    power_t : float, default=0.5
        The power of "invscaling".
    average : "auto", bool or int, default="auto"
        Whether the model is the mean of all iterates, with an int of those from that row on;
        "auto" for what `method` does, which is to forget the first ones.
    fit_intercept : bool, default=True
        Whether there is a b.
    intercept : {"free", "penalized"}, default="free"
        Whether b is outside or inside |w|^2.
    max_iter : int, default=1000
        Most passes over the rows.
    tol : float, default=1e-3
        A fit ends when two passes in a row, of 1,000 rows or more in all, lower the least
        objective so far by less than this share of it; 0 or None for all passes, and the objective
        after the last one only.
    early_stopping : bool, default=False
        Whether some rows are held out, chosen by `random_state` with the classes' shares, and a
        fit ends when passes no longer raise `score` on them by `tol`. The objective and the
        certificate then are those of the other rows.
    validation_fraction : float, default=0.1
        The share of rows that are held out.
    n_iter_no_change : "auto" or int, default="auto"
        Passes in a row without progress that end a fit; "auto" for two of 1,000 rows in all.
    batch_size : int, default=1
        Rows per step.
    shuffle : bool, default=True
        Whether each pass of `fit` has a new random order.
    class_weight : dict or "balanced", default=None
        Factor of the weight of each class's rows; "balanced" not in a stream. With more than two
        classes it is the factor of a class against the rest, which counts as it is.
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
    calibration : {"sigmoid", "venn-abers"} or None, default=None
        Whether there are probabilities, `predict_proba`: a sigmoid of the output of two classes, a
        softmax of more; or, of two classes, intervals too (`predict_proba_interval`). They are
        learnt from further fits, each without some of the rows, and agree with `predict`.
        After `partial_fit` there are none.

    Attributes
    ----------
    certificate_ : Certificate
        After `fit`: the objective, a proven lower bound of the optimum, and their gap, which is an
        upper bound of the distance to the optimum and with a tiny alpha often a loose one. After
        `partial_fit`: the same of the model before that block, on the block, as an estimate.
    status_ : Status
        OPTIMAL: the gap is at most tol. PRECISION: the objective no longer falls, or the score of
        held-out rows no longer rises, by tol per pass.
    history_ : structured ndarray
        The objective after each pass of the last `fit` (infinite where `tol` is 0 or rows are held
        out and another pass followed); `iterations` counts passes.
    fit_report_, model_, solutions_ : dict, LinearModel, sequence of Solution
        As in `LinearSVC`, with one solution for all classes.
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
        **SGD_RULES,
        **CALIBRATION_RULES,
        "loss": one_of(*MARGIN_LOSSES, *RESIDUAL_LOSSES),
        "class_weight": one_of("balanced") | MAPPING | NONE,
    }

    def __init__(
        self,
        loss: str = "hinge",
        *,
        penalty: str | None = "l2",
        alpha: float = 1e-4,
        l1_ratio: float | None = 0.15,
        epsilon: float = 0.1,
        method: str = "asgd",
        learning_rate: str = "auto",
        eta0: float | str = "auto",
        power_t: float = 0.5,
        average: bool | int | str = "auto",
        fit_intercept: bool = True,
        intercept: str = "free",
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        early_stopping: bool = False,
        validation_fraction: float = 0.1,
        n_iter_no_change: int | str = "auto",
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
        calibration: str | None = None,
    ) -> None:
        keep(self, locals())
