"""Support vector classifiers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from maxmargin.data import Dataset
from maxmargin.estimators.multiclass import CLASSIFIER_RULES, KernelClassifier, TrainingClasses
from maxmargin.estimators.parameters import (
    MAPPING,
    NONE,
    POSITIVE,
    SHARE,
    Rule,
    one_of,
)
from maxmargin.estimators.progress import Progress
from maxmargin.kernels import Kernel
from maxmargin.problems import (
    DualProblem,
    Solution,
    SolverSettings,
    Status,
    c_svc,
    nu_svc,
)
from maxmargin.solvers.hard_margin import hard_margin, soft_margin


class SVC(KernelClassifier):
    r"""Support vector classification with any kernel, solved exactly and certified.

    Minimises 1/2 |w|^2 + C sum_i s_i max(0, 1 - y_i (<w, phi(x_i)> + b)) for each pair of classes
    (s_i the row's weight, the intercept b not penalised) through its dual; with
    loss="squared_hinge" the squares of the slacks.

    Parameters
    ----------
    C : float, default=1.0
        Penalty of a unit of slack.
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
    tol : float, default=1e-3
        Upper bound of the KKT violation. With two classes, problems of up to about 1,000 rows are
        solved to float64 rounding whatever it is; with more, pairs of classes of up to 256 rows.
    cache_size : float or "auto", default=200
        Megabytes for kernel rows and, at times instead, for Newton steps. More makes large fits
        faster; "auto" is a quarter of the machine's memory, at most 4,000.
    class_weight : dict or "balanced", default=None
        Factor of C for each class; "balanced" makes all classes count the same.
    verbose : bool or int, default=False
        Show a line of progress on standard error.
    max_iter : int, default=-1
        Most steps for each pair of classes; -1 for a safety limit only, 1e8 or a thousand a row.
    decision_function_shape : {"ovr", "ovo"}, default="ovr"
        With more than two classes: one score a class, or one a pair.
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
    time_limit : float or None, default=None
        Seconds for the whole fit; what is there by then is kept, and certified.
    callback : callable or None, default=None
        Called about every 100 ms with the latest row of the trace; returning True ends the fit.
    on_interrupt : {"raise", "keep"}, default="raise"
        Whether Ctrl-C raises and leaves the estimator as it was, or keeps the best model so far.
    n_jobs : int or None, default=None
        Threads; None for all cores, one inside parallel workers. Results do not depend on it.

    Attributes
    ----------
    certificate_ : Certificate
        Primal, dual, gap and violation of each pair (`parts`), and of the `worst`.
    status_ : Status
        How the fit ended.
    history_ : structured ndarray
        Its course: part, time, iterations, primal, dual, gap, violation, n_support. All but the
        last row of a part are the solver's own estimates, in its working precision.
    fit_report_ : dict
        What the fit has cost. `seconds` of the solver; `problem_seconds` added up over pairs of
        classes, which may be solved side by side; of these `kernel_seconds` for kernel values,
        `gradient_seconds` for adding kernel rows to the gradient, `pair_seconds`, `newton_seconds`
        and `certificate_seconds` (also as `certificate_share`). Counts, the same for any number of
        threads: `pair_steps`, `newton_steps`, `kernel_entries` (values computed; `exact_entries` of
        them in float64), `kernel_rows` (rows computed because the cache did not have them),
        `cache_hits` (rows that it had), `bytes` (of rows and gradient, read and written) and
        `flops` (of the kernel values, in float32 operations). `roofline` is the share of the
        machine's measured peak that was reached: the least time this work can take over
        `seconds`; None for fits of less than a second.
    alphas_ : ndarray of shape (n_pairs, n_SV)
        Dual variables alpha >= 0 of each pair.
    support_status_ : ndarray of shape (n_pairs, n_SV)
        Their `SupportStatus`: zero, free or at bound.
    support_, support_vectors_, n_support_, dual_coef_, intercept_, coef_, classes_, class_weight_,
    n_iter_, fit_status_, shape_fit_, n_features_in_, feature_names_in_
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

    _rules: ClassVar[dict[str, Rule]] = {
        **CLASSIFIER_RULES,
        "C": POSITIVE,
        "loss": one_of("hinge", "squared_hinge"),
        "class_weight": one_of("balanced") | MAPPING | NONE,
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
        time_limit: float | None = None,
        callback: Callable[[np.void], bool | None] | None = None,
        on_interrupt: str = "raise",
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.loss = loss
        self.multi_class = multi_class
        self.warm_start = warm_start
        self.time_limit = time_limit
        self.callback = callback
        self.on_interrupt = on_interrupt
        self.n_jobs = n_jobs

    def _problem(self, data: Dataset, kernel: Kernel, rows: NDArray[np.int64]) -> DualProblem:
        return c_svc(data, kernel, self.C, rows, squared=self.loss == "squared_hinge")


class NuSVC(KernelClassifier):
    r"""Classification that is told the share of margin errors instead of their price.

    Minimises 1/2 |w|^2 - nu rho + mean of max(0, rho - y_i (<w, phi(x_i)> + b)) for each pair of
    classes, and divides the result by rho so that the margin is 1. At most a share nu of the rows
    lies inside the margin or on its wrong side, at least a share nu are support vectors.

    Parameters
    ----------
    nu : float, default=0.5
        That share, greater than 0 and at most twice the share of the smaller class.
    kernel, degree, gamma, coef0, shrinking, tol, cache_size, class_weight, verbose, max_iter, \
    decision_function_shape, break_ties, random_state, multi_class, warm_start, time_limit, \
    callback, on_interrupt, n_jobs
        As of `SVC`; `tol` is in units of the decision function before it is divided by rho, and
        class_weight multiplies the rows' weights.

    Attributes
    ----------
    certificate_, status_, history_, fit_report_, alphas_, support_status_, support_, \
    support_vectors_, n_support_, dual_coef_, intercept_, coef_, classes_, class_weight_, n_iter_, \
    fit_status_, shape_fit_, n_features_in_, feature_names_in_
        As of `SVC`; the certificate is that of the problem before the division.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from maxmargin import NuSVC
    >>> X, y = load_iris(return_X_y=True)
    >>> model = NuSVC(nu=0.2).fit(X, y)
    >>> round(model.score(X, y), 3), model.status_.name
    (0.993, 'OPTIMAL')
    """

    _row_by_row: ClassVar[bool] = False
    _rules: ClassVar[dict[str, Rule]] = {
        **CLASSIFIER_RULES,
        "nu": SHARE,
        "class_weight": one_of("balanced") | MAPPING | NONE,
    }

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: str | Callable[..., Any] = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float | Literal["auto"] = 200,
        class_weight: dict[Any, float] | Literal["balanced"] | None = None,
        verbose: bool | int = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        multi_class: str = "ovo",
        warm_start: bool = False,
        time_limit: float | None = None,
        callback: Callable[[np.void], bool | None] | None = None,
        on_interrupt: str = "raise",
        n_jobs: int | None = None,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.multi_class = multi_class
        self.warm_start = warm_start
        self.time_limit = time_limit
        self.callback = callback
        self.on_interrupt = on_interrupt
        self.n_jobs = n_jobs

    def _problem(self, data: Dataset, kernel: Kernel, rows: NDArray[np.int64]) -> DualProblem:
        return nu_svc(data, kernel, self.nu, rows)

    def _assign(
        self,
        classes: TrainingClasses,
        kernel: Kernel,
        class_weight: NDArray[np.float64],
        problems: list[DualProblem],
        solutions: list[Solution],
        status: Status,
    ) -> None:
        for problem, solution in zip(problems, solutions, strict=True):
            rho = problem.margin(solution.multipliers)
            # Divided by a rho that is only rounding, the decisions would be noise.
            if solution.status <= Status.PRECISION and not rho > solution.certificate.bound:
                raise ValueError(
                    f"nu is {self.nu} but no boundary of this kernel has as few margin errors: the "
                    f"margin rho is {rho:.1e}, zero within rounding. Use a larger nu."
                )
        super()._assign(classes, kernel, class_weight, problems, solutions, status)


class HardMarginSVC(KernelClassifier):
    """Separate the classes with the largest margin, without any slack.

    Minimises 1/2 |w|^2 subject to y_i (<w, phi(x_i)> + b) >= 1, for each pair of classes. Data that
    cannot be separated are refused with the evidence: convex weights of the rows of both classes
    that give the same point. Solved as the soft margin whose C is larger than every alpha; that is
    the problem `certificate_` speaks of.

    Parameters
    ----------
    kernel, degree, gamma, coef0, shrinking, tol, cache_size, verbose, max_iter, \
    decision_function_shape, break_ties, random_state, time_limit, callback, on_interrupt, n_jobs
        As of `SVC`.

    Attributes
    ----------
    margin_ : ndarray of shape (n_pairs,)
        Geometric margin 1 / |w| of each pair.
    certificate_, status_, history_, alphas_, support_status_, support_, support_vectors_, \
    n_support_, dual_coef_, intercept_, coef_, classes_, n_iter_, fit_status_, shape_fit_
        As of `SVC`.

    Examples
    --------
    >>> from maxmargin import HardMarginSVC
    >>> model = HardMarginSVC(kernel="linear").fit([[0.0], [1.0], [4.0]], [0, 0, 1])
    >>> model.margin_.round(6), model.support_
    (array([1.5]), array([1, 2], dtype=int32))
    """

    _rules: ClassVar[dict[str, Rule]] = {
        name: rule
        for name, rule in CLASSIFIER_RULES.items()
        if name not in ("multi_class", "warm_start")
    }
    class_weight = None
    multi_class = "ovo"
    warm_start = False

    def __init__(
        self,
        *,
        kernel: str | Callable[..., Any] = "rbf",
        degree: int = 3,
        gamma: float | str = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float | Literal["auto"] = 200,
        verbose: bool | int = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        time_limit: float | None = None,
        callback: Callable[[np.void], bool | None] | None = None,
        on_interrupt: str = "raise",
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.time_limit = time_limit
        self.callback = callback
        self.on_interrupt = on_interrupt
        self.n_jobs = n_jobs

    def _problem(self, data: Dataset, kernel: Kernel, rows: NDArray[np.int64]) -> DualProblem:
        # A row counts whole or not at all: there is no slack to weigh.
        return c_svc(replace(data, weight=np.ones(data.n_rows)), kernel, 1.0, rows)

    def _by_itself(self, problem: DualProblem, start: NDArray[np.float64] | None) -> bool:
        return True

    def _solve_one(
        self,
        problem: DualProblem,
        settings: SolverSettings,
        progress: Progress,
        start: NDArray[np.float64] | None,
    ) -> tuple[DualProblem, Solution]:
        return hard_margin(problem, settings, progress)

    def _assign(
        self,
        classes: TrainingClasses,
        kernel: Kernel,
        class_weight: NDArray[np.float64],
        problems: list[DualProblem],
        solutions: list[Solution],
        status: Status,
    ) -> None:
        super()._assign(classes, kernel, class_weight, problems, solutions, status)
        # |w|^2 = b'Kb = 2 (t'b - D)
        squared_norms = [
            2.0 * (float(problem.target @ solution.b) - solution.certificate.dual)
            for problem, solution in zip(problems, solutions, strict=True)
        ]
        with np.errstate(divide="ignore"):  # infinite for a fit that was stopped before its start
            self.margin_ = 1.0 / np.sqrt(squared_norms)
        self._soft_C = [float(np.abs(problem.lower + problem.upper).max()) for problem in problems]

    def _as_solved(self, problems: list[DualProblem]) -> list[DualProblem]:
        return [soft_margin(problem, C) for problem, C in zip(problems, self._soft_C, strict=True)]
