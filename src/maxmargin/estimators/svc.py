"""Support vector classification."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from maxmargin.data import Dataset
from maxmargin.estimators.kernel_classifier import (
    CLASSIFIER_RULES,
    PROBABILITY,
    KernelClassifier,
)
from maxmargin.estimators.parameters import POSITIVE_OR_INFINITE, Rule, keep, one_of
from maxmargin.kernels import Kernel
from maxmargin.losses import named_loss
from maxmargin.problems import DualProblem, loss_dual


class SVC(KernelClassifier):
    r"""Support vector classification with any kernel, solved exactly and certified.

    Minimises 1/2 |w|^2 + C sum_i s_i max(0, 1 - y_i (<w, phi(x_i)> + b)) for each pair of classes
    (s_i the row's weight, the intercept b not penalised) through its dual; with
    loss="squared_hinge" the squares of the slacks.

    Where it differs from scikit-learn's is in docs/differences.md.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of a unit of slack. Infinite for none at all, the hard margin: where the classes
        cannot be separated, `InfeasibleError` has the evidence.
    kernel : {"linear", "poly", "rbf", "sigmoid", "laplacian", "chi2", "cosine", "matern", \
            "precomputed"}, Kernel or callable, default="rbf"
        Kernel function. A kernel of `maxmargin.kernels`, such as `RBF(0.5) + Linear().on([0, 3])`,
        is used with its own parameters. A callable takes two blocks of rows and returns their
        kernel values.
    degree : int, default=3
        Degree of the polynomial kernel.
    gamma : {"scale", "auto"} or float, default="scale"
        Coefficient of "poly", "rbf", "sigmoid", "laplacian" and "chi2"; "matern" has nu = 1.5 and
        the length scale 1 / sqrt(2 gamma). "scale" is 1 / (n_features * X.var()), "auto" is
        1 / n_features.
    coef0 : float, default=0.0
        Constant of "poly" and "sigmoid".
    shrinking : bool, default=True
        Accepted for compatibility: working sets take the place of shrinking.
    probability : bool, default=False
        True for `calibration="sigmoid"`, as in scikit-learn.
    tol : float, default=1e-3
        Upper bound of the KKT violation. With two classes, problems of up to about 1,000 rows are
        solved to float64 rounding whatever it is; with more, pairs of classes of up to 256 rows.
        Infinite for an approximate fit, which ends as soon as `tol_gap` is proven.
    cache_size : float or "auto", default=200
        Megabytes for kernel rows and, at times instead, for Newton steps. More makes large fits
        faster; "auto" is a quarter of the machine's memory, at most 4,000.
    class_weight : dict or "balanced", default=None
        Factor of C for each class; "balanced" makes all classes count the same.
    verbose : bool or int, default=False
        Show a line of progress on standard error.
    max_iter : int, default=-1
        Most steps for each pair of classes; -1 for a safety limit only, 1e8 or 1,000 per row.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        With more than two classes: one score per class, or one per pair.
    break_ties : bool, default=False
        Predict the class with the highest score instead of the first with most votes.
    random_state : int, RandomState or None, default=None
        Accepted for compatibility: nothing here is random.
    loss : {"hinge", "squared_hinge"}, default="hinge"
        What C multiplies: the slacks, or their squares.
    multi_class : {"ovo", "ovr"}, default="ovo"
        Solve a problem for each pair of classes, or for each class against the rest; the latter
        predicts the class with the highest output.
    warm_start : bool, default=False
        Begin where the last fit of this estimator ended: after a change of C, gamma or other
        parameters, with rows added or removed, or to go on with a fit that was stopped.
    tol_gap : float or None, default=None
        Upper bound of the relative duality gap of each problem, beside that of the violation: where
        it is larger, the fit goes on to smaller violations. With a large C a violation of `tol` may
        mean a gap of any size.
    time_limit : float or None, default=None
        Seconds for the whole fit; what is there by then is kept, and certified. All problems are
        solved on some of the rows first, so that a fit that is stopped has a coarse model.
    callback : callable or None, default=None
        Called about every 100 ms with the latest row of the trace; returning True ends the fit.
        Gap and violation are infinite as long as only some of the rows are looked at.
    on_interrupt : {"raise", "keep"}, default="raise"
        Whether Ctrl-C raises and leaves the estimator as it was, or keeps the best model so far.
    n_jobs : int or None, default=None
        Threads; None for all cores, one inside parallel workers. Results do not depend on it.
    calibration : {"sigmoid", "venn-abers"} or None, default=None
        Whether there are probabilities, `predict_proba`: a sigmoid for each pair of classes; or,
        of two classes, intervals too (`predict_proba_interval`). They are learnt from up to four
        further fits, each without some of the rows, and agree with `predict`. Neither a seed nor
        the order of the rows matters: folds go by the rows' content, copies of a row are one row
        of their common weight, and `support_` names the first of them.

    Attributes
    ----------
    model_ : KernelModel
        What predicts; the attributes of scikit-learn are computed from it.
    solutions_ : sequence of Solution
        One per pair of classes: dual variables, status, certificate, trace, method.
    certificate_ : Certificate
        Primal, dual, gap and violation of each pair (`parts`), and of the `worst`.
    status_ : Status
        How the fit ended.
    history_ : structured ndarray
        How it got there: part, time, iterations, primal, dual, gap, violation, n_support. All but
        the last row of a part are the solver's own estimates, in its working precision.
    fit_report_ : dict
        What the fit has cost. `method` of the solver; `seconds` of the whole fit, and of them
        `solver_seconds`; `problem_seconds` added up over pairs of classes, which may be solved side
        by side; of these `kernel_seconds` for kernel values,
        `gradient_seconds` for adding kernel rows to the gradient, `pair_seconds`, `newton_seconds`
        and `certificate_seconds` (also as `certificate_share`). Counts, the same for any number of
        threads: `pair_steps`, `newton_steps`, `kernel_entries` (values computed; `exact_entries` of
        them in float64), `kernel_rows` (rows computed because the cache did not have them),
        `cache_hits` (rows that it had), `bytes` (of rows and gradient, read and written) and
        `flops` (of the kernel values, in float32 operations). `roofline` is the share of the
        machine's measured peak that was reached: the least time this work can take over
        `solver_seconds`; None for fits of less than a second. `calibration` tells what
        probabilities have cost: `folds`, held-out `rows` and `seconds`.
    alphas_ : ndarray of shape (n_pairs, n_SV)
        Dual variables alpha >= 0 of each pair.
    alpha_ : ndarray of shape (n_samples,), or (n_pairs, n_samples)
        The same for every training row, zero for those that are no support vectors.
    support_status_ : ndarray of shape (n_pairs, n_SV)
        Their `SupportStatus`: zero, free or at bound.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, classes_, class_weight_,
    n_iter_, fit_status_, shape_fit_, n_features_in_, feature_names_in_, probA_, probB_
        As in scikit-learn. Support vectors are kept for every kernel.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import SVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = SVC().fit(X, y)
    >>> round(model.score(X, y), 3), model.status_.name
    (0.973, 'OPTIMAL')
    >>> bool(model.certificate_.gap < 1e-10)
    True
    """

    C: float
    loss: str
    _rules: ClassVar[dict[str, Rule]] = {
        **CLASSIFIER_RULES,
        "probability": PROBABILITY,
        "C": POSITIVE_OR_INFINITE,
        "tol": POSITIVE_OR_INFINITE,
        "loss": one_of("hinge", "squared_hinge"),
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: str | Callable[..., Any] = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = False,
        tol: float = 1e-3,
        cache_size: float | Literal["auto"] = 200,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        verbose: bool | int = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        loss: str = "hinge",
        multi_class: str = "ovo",
        warm_start: bool = False,
        tol_gap: float | None = None,
        time_limit: float | None = None,
        callback: Callable[[np.void], bool | None] | None = None,
        on_interrupt: str = "raise",
        n_jobs: int | None = None,
        calibration: str | None = None,
    ) -> None:
        keep(self, locals())

    def _problem(self, data: Dataset, kernel: Kernel, rows: NDArray[np.int64]) -> DualProblem:
        return loss_dual(data, kernel, named_loss(self.loss), self.C, rows)
