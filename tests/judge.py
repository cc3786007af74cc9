"""An independent judge of kernel machines.

From the data, the kernel's formula and a model's dual variables it recomputes what a certificate
claims, in extended precision and straight from the definitions; the compiled core is never asked.
With f = Kb the scores without their intercept c, and s the rows' weights:

    hinge          P = 1/2 b'Kb + sum C_i max(0, 1 - y_i (f_i + c))           D = y'b - 1/2 b'Kb
    squared hinge  P = 1/2 b'Kb + sum C_i max(0, 1 - y_i (f_i + c))^2
                   D = y'b - 1/2 b'Kb - sum b_i^2 / (4 C_i)
    nu-SVC         P = 1/2 b'Kb - nu rho sum s + sum s_i max(0, rho - y_i (f_i + c))  D = -1/2 b'Kb
    SVR            P = 1/2 b'Kb + sum C_i max(0, |y_i - f_i - c| - epsilon)
                   D = y'b - epsilon |b|_1 - 1/2 b'Kb
    nu-SVR         P = 1/2 b'Kb + nu epsilon sum C_i + the same sum           D = y'b - 1/2 b'Kb
    one-class      P = 1/2 b'Kb - nu rho sum s + sum s_i max(0, rho - f_i)    D = -1/2 b'Kb

The violation is the largest of dD/db_i - dD/db_j over pairs that D's constraints let move b_i up
and b_j down: those of nu-SVC in one class, those of nu-SVR both above the tube or both below.
"""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels import (
    RBF,
    Chi2,
    Columns,
    Constant,
    Cosine,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    Product,
    Scaled,
    Sigmoid,
    Sum,
)

#: Eleven bits more than float64 where the platform has them: the judge's own rounding is then
#: far below any bound that it has to confirm.
Real = np.longdouble


def exact(values: Any) -> NDArray[Any]:
    """Numbers as decimal ones, of as many digits as are asked for."""
    return np.frompyfunc(lambda value: Decimal(float(value)), 1, 1)(np.asarray(values, float))


@dataclass(frozen=True)
class Verdict:
    """What the judge finds about one problem."""

    primal: float
    dual: float
    gap: float
    violation: float
    infeasibility: float  # how far b is outside its box, or a sum from its value, against |b|_1
    slope: float  # by how much P and D move when each f_i is off by a little
    curvature: float = 0.0  # how that grows on the way: squares get steeper

    def moved(self, error: float) -> float:
        """By how much P and D may move when each f_i is off by this."""
        return error * (self.slope + error * self.curvature)


@dataclass(frozen=True)
class Machine:
    """One problem of a model: its matrix (less `offset`), targets, box and variables.

    `b` has two variables a row in nu-SVR, those above the tube first. `width` is what a nu form
    finds, rho or epsilon, or the epsilon that SVR is given. Weights and intercept of nu-SVC are
    those before the division by rho.
    """

    K: NDArray[Any]
    offset: float
    y: NDArray[np.float64]
    C: NDArray[np.float64]
    b: NDArray[np.float64]
    intercept: float
    form: str = "hinge"
    nu: float = 0.0
    width: float = 0.0


def _real(X: Any, Z: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """Extended precision where it does not take too long."""
    real = Real if X.shape[0] * Z.shape[0] * X.shape[1] < 5e7 else np.float64
    return np.asarray(X, real), np.asarray(Z, real)


def squared_distances(X: Any, Z: Any) -> NDArray[Any]:
    X, Z = _real(X, Z)
    return sum((X[:, [k]] - Z[:, k]) ** 2 for k in range(X.shape[1]))


def dots(X: Any, Z: Any) -> NDArray[Any]:
    X, Z = _real(X, Z)
    return sum(X[:, [k]] * Z[:, k] for k in range(X.shape[1]))


def _sums(X: Any, Z: Any, term: Any) -> NDArray[Any]:
    X, Z = _real(X, Z)
    return sum(term(X[:, [k]], Z[:, k]) for k in range(X.shape[1]))


def values(kernel: Kernel, X: Any) -> NDArray[Any]:
    """Matrix of a kernel object, from its formula in extended precision."""
    X = np.asarray(X, Real)
    match kernel:
        case Sum(parts):
            return sum(values(part, X) for part in parts)
        case Product(parts):
            return prod(values(part, X) for part in parts)
        case Scaled(part, factor):
            return factor * values(part, X)
        case Columns(part, columns):
            return values(part, X[:, list(columns)])
        case Constant(value):
            return np.full((len(X), len(X)), Real(value))
        case Linear():
            return dots(X, X)
        case Polynomial(degree, gamma, coef0):
            return (Real(gamma) * dots(X, X) + Real(coef0)) ** degree
        case Sigmoid(gamma, coef0):
            return np.tanh(Real(gamma) * dots(X, X) + Real(coef0))
        case Cosine():
            lengths = np.sqrt((X**2).sum(axis=1))
            lengths[lengths == 0] = 1
            return dots(X, X) / lengths / lengths[:, None]
        case RBF(gamma):
            return np.exp(-Real(gamma) * squared_distances(X, X))
        case Laplacian(gamma):
            return np.exp(-Real(gamma) * _sums(X, X, lambda a, b: abs(a - b)))
        case Chi2(gamma):
            terms = _sums(X, X, lambda a, b: (a - b) ** 2 / np.where(a + b > 0, a + b, 1))
            return np.exp(-Real(gamma) * terms)
        case Matern(length_scale, np.inf):
            return np.exp(-squared_distances(X, X) / 2 / Real(length_scale) ** 2)
        case Matern(length_scale, nu):
            t = np.sqrt(2 * Real(nu) * squared_distances(X, X)) / Real(length_scale)
            return {0.5: 1, 1.5: 1 + t, 2.5: 1 + t + t**2 / 3}[nu] * np.exp(-t)
        case _:
            raise AssertionError(kernel)


def _absolute_distances(X: Any) -> NDArray[Any]:
    X, _ = _real(X, X)
    return sum(np.abs(X[:, [k]] - X[:, k]) for k in range(X.shape[1]))


def _chi2_distances(X: Any) -> NDArray[Any]:
    X, _ = _real(X, X)
    total = np.zeros((len(X), len(X)), X.dtype)
    for x in X.T:
        sums = x[:, None] + x
        total += np.where(sums > 0, (x[:, None] - x) ** 2 / np.where(sums > 0, sums, 1), 0)
    return total


def gram(X: Any, *, kernel: Any, gamma: float, degree: int, coef0: float) -> NDArray[Any]:
    """Kernel matrix less its offset: of the Gaussian k - 1, which is exact for a tiny gamma too."""
    if isinstance(kernel, Kernel):
        return values(kernel, X)
    if callable(kernel):
        return np.asarray(kernel(X, X), Real)
    match kernel:
        case "precomputed":
            return np.asarray(X, Real)
        case "rbf":
            return np.expm1(-Real(gamma) * squared_distances(X, X))
        case "laplacian":
            return np.exp(-Real(gamma) * _absolute_distances(X))
        case "chi2":
            return np.exp(-Real(gamma) * _chi2_distances(X))
        case "matern":
            t = np.sqrt(6 * Real(gamma) * squared_distances(X, X))
            return (1 + t) * np.exp(-t)
    products = dots(X, X)
    if kernel == "linear":
        return products
    if kernel == "cosine":
        lengths = np.sqrt(np.diag(products))
        lengths[lengths == 0] = 1
        return products / np.outer(lengths, lengths)
    argument = Real(gamma) * products + Real(coef0)
    return np.tanh(argument) if kernel == "sigmoid" else argument**degree


def gamma_value(model: Any, X: Any, sample_weight: Any = None) -> float:
    """The documented value of gamma; "scale" counts each row by its weight."""
    if not isinstance(model.gamma, str) or callable(model.kernel) or model.kernel == "precomputed":
        return model.gamma if not isinstance(model.gamma, str) else 1.0
    if model.gamma == "auto":
        return 1 / X.shape[1]
    values = np.asarray(X, np.float64)
    weight = np.ones(len(values)) if sample_weight is None else np.asarray(sample_weight)
    mean = np.average(values.mean(axis=1), weights=weight)
    variance = np.average(((values - mean) ** 2).mean(axis=1), weights=weight)
    return 1 / (X.shape[1] * variance) if variance > 0 else 1.0


def machines(
    model: Any,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    gram: Callable[..., NDArray[Any]] = gram,
) -> list[Machine]:
    """The problems of a fitted machine (ours or scikit-learn's), read off its attributes."""
    X = np.asarray(X.toarray() if hasattr(X, "toarray") else X)
    K = gram(
        X,
        kernel=model.kernel,
        gamma=gamma_value(model, X, sample_weight),
        degree=model.degree,
        coef0=model.coef0,
    )
    offset = 1.0 if isinstance(model.kernel, str) and model.kernel == "rbf" else 0.0
    weight = np.ones(len(X)) if sample_weight is None else np.asarray(sample_weight, float)
    if not hasattr(model, "classes_"):
        return [_single(model, K, offset, y, weight)]
    y = np.asarray(y)
    codes = np.searchsorted(model.classes_, y)
    # A row may have a label that no row of positive weight has.
    weight = np.where(np.isin(y, model.classes_), weight, 0)
    codes = np.minimum(codes, len(model.classes_) - 1)
    factor = model.class_weight_[codes] if hasattr(model, "class_weight_") else 1.0
    found = []
    for p, (positive, negative, b) in enumerate(_parts(model, len(y))):
        rest = negative < 0
        taking_part = rest | (codes == positive) | (codes == negative)
        rows = np.flatnonzero(taking_part & (weight > 0))
        found.append(
            _classifier(
                model,
                p,
                K=K[np.ix_(rows, rows)],
                offset=offset,
                y=np.where(codes[rows] == positive, 1.0, -1.0),
                C=(weight * factor)[rows],
                b=b[rows],
                intercept=float(model.intercept_[p]),
            )
        )
    return found


def dense(rows: Any) -> NDArray[np.float64]:
    """Rows as an array."""
    return rows.toarray() if hasattr(rows, "toarray") else rows


def _parts(model: Any, n: int) -> list[tuple[int, int, NDArray[np.float64]]]:
    """Positive class, negative class (-1: all others) and weights of the rows, a problem each."""
    coef = dense(model.dual_coef_)
    k, codes = len(model.classes_), np.repeat(np.arange(len(model.classes_)), model.n_support_)
    if k > 2 and getattr(model, "multi_class", "ovo") == "ovr":
        spread = np.zeros((k, n))
        spread[:, model.support_] = coef
        return [(p, -1, spread[p]) for p in range(k)]
    found = []
    for first, second in combinations(range(k), 2):
        b = np.zeros(n)
        for own, other in ((first, second), (second, first)):
            # Row r of dual_coef_ belongs to the r-th class other than the vector's own.
            row = 0 if k == 2 else other - (other > own)
            b[model.support_[codes == own]] = coef[row, codes == own]
        found.append((second, first, b) if k == 2 else (first, second, b))
    return found


def _classifier(model: Any, p: int, **machine: Any) -> Machine:
    """State which loss it is; `C` comes as the rows' weights."""
    params = model.get_params()
    if "nu" in params:
        # Where nu leaves no margin, another one was used; it shows in the variables.
        own = model.solutions_[p] if hasattr(model, "solutions_") else None
        raised = own is not None and own.soft_c is not None
        nu = np.abs(own.beta).sum() / machine["C"].sum() if raised else model.nu
        # The sum of the alphas is nu sum(s) before the division by rho, which is thereby known.
        rho = scale = nu * machine["C"].sum() / np.abs(machine["b"]).sum()
        machine["b"] = _snapped(machine["b"] * scale, machine["C"])
        machine["intercept"] *= scale
        if own is not None:
            low, high = own.multipliers
            rho = (high - low) / 2
            assert abs(rho - scale) <= 1e-12 * scale or not rho > 0
        return Machine(form="nu-margin", nu=nu, width=rho, **machine)
    # HardMarginSVC is judged as the soft margin that its certificate speaks of.
    machine["C"] = (
        machine["C"] * model.C
        if "C" in params
        else np.full_like(machine["C"], model.solutions_[p].soft_c)
    )
    return Machine(form=getattr(model, "loss", "hinge"), **machine)


def _snapped(b: NDArray[np.float64], ends: NDArray[np.float64]) -> NDArray[np.float64]:
    """Put what is at a bound up to the rounding of a division back onto it."""
    return np.where(np.abs(np.abs(b) - ends) <= 1e-14 * ends, np.copysign(ends, b), b)


def _single(model: Any, K: Any, offset: float, y: Any, weight: NDArray[np.float64]) -> Machine:
    rows = np.flatnonzero(weight > 0)
    b = np.zeros(len(weight))
    b[model.support_] = dense(model.dual_coef_)[0]
    y = np.zeros(len(weight)) if y is None else np.asarray(y, float)
    common = {"K": K[np.ix_(rows, rows)], "offset": offset, "intercept": float(model.intercept_[0])}
    params = model.get_params()
    C = weight[rows] * params.get("C", 1.0)
    if "epsilon" in params:
        return Machine(form="tube", y=y[rows], C=C, b=b[rows], width=float(model.epsilon), **common)
    if "C" not in params:
        y, width = np.zeros(len(rows)), -common["intercept"]
        return Machine(form="origin", y=y, C=C, b=b[rows], nu=model.nu, width=width, **common)
    both, width = np.concatenate([np.maximum(b[rows], 0), np.minimum(b[rows], 0)]), np.nan
    if hasattr(model, "solutions_"):  # both variables of a row, of which public ones are the sum
        both, (top, bottom) = model.solutions_[0].beta, model.solutions_[0].multipliers
        np.testing.assert_allclose(both.reshape(2, -1).sum(axis=0), b[rows], rtol=1e-15)
        width = (top - bottom) / 2
        assert model.epsilon_ == max(0, width)
    return Machine(form="nu-tube", y=y[rows], C=C, b=both, nu=model.nu, width=width, **common)


def judge(machine: Machine) -> Verdict:
    """Recompute what a certificate claims of one problem, in the numbers of its matrix."""
    number = exact if machine.K.dtype == object else Real
    y, C, both = (number(v) for v in (machine.y, machine.C, machine.b))
    b = both.reshape(-1, len(y)).sum(axis=0)
    nu, width, c = number(machine.nu), number(machine.width), number(machine.intercept)
    Kb = machine.K @ b + number(machine.offset) * b.sum()
    quadratic, zero, curvature = b @ Kb, np.zeros_like(C), 0
    match machine.form:
        case "hinge" | "squared_hinge":
            squared = machine.form == "squared_hinge"
            slack = np.maximum(0, 1 - y * (Kb + c))
            primal = quadratic / 2 + C @ slack ** (2 if squared else 1)
            ridge = 1 / (2 * C) if squared else zero
            dual = y @ b - quadratic / 2 - ridge @ b**2 / 2
            slope, curvature = (2 * C * slack if squared else C).sum(), C.sum() if squared else 0
            end = number(np.full(len(C), np.inf)) if squared else C
            rise = y - Kb - ridge * b
            groups = [_group(b, rise, np.where(y > 0, zero, -end), np.where(y > 0, end, zero))]
            totals = [number(0)]
        case "nu-margin":
            slack = np.maximum(0, width - y * (Kb + c))
            primal, dual = quadratic / 2 - nu * width * C.sum() + C @ slack, -quadratic / 2
            slope = C.sum() * (1 + nu)
            groups = [
                _group(b[y == s], -Kb[y == s], *((zero, C) if s > 0 else (-C, zero)), y == s)
                for s in (1, -1)
            ]
            totals = [nu * C.sum() / 2, -nu * C.sum() / 2]
        case "tube":
            outside = np.maximum(0, np.abs(y - Kb - c) - width)
            primal = quadratic / 2 + C @ outside
            dual, slope = y @ b - width * np.abs(b).sum() - quadratic / 2, C.sum()
            groups, totals = [_group(b, y - Kb, -C, C, epsilon=width)], [number(0)]
        case "nu-tube":
            # Until it is found, the wall above may be below the other one: each has its slacks.
            outside = np.maximum(0, y - Kb - c - width) + np.maximum(0, c + Kb - y - width)
            primal = quadratic / 2 + nu * width * C.sum() + C @ outside
            dual, slope = y @ b - quadratic / 2, C.sum() * (1 + nu)
            above, below = both.reshape(2, -1)
            groups = [_group(above, y - Kb, zero, C), _group(below, y - Kb, -C, zero)]
            totals = [nu * C.sum() / 2, -nu * C.sum() / 2]
        case "origin":
            slack = np.maximum(0, width - Kb)
            primal, dual = quadratic / 2 - nu * width * C.sum() + C @ slack, -quadratic / 2
            slope = C.sum() * (1 + nu)
            groups, totals = [_group(b, -Kb, zero, C)], [nu * C.sum()]
    scale = max(abs(primal), abs(dual))
    size = max(float(np.abs(both).sum()), np.finfo(float).tiny)
    outside = max(group.outside for group in groups)
    sums = max(abs(group.total - total) for group, total in zip(groups, totals, strict=True))
    return Verdict(
        primal=float(primal),
        dual=float(dual),
        gap=float((primal - dual) / scale) if scale > 0 else 0.0,
        violation=float(max(group.violation for group in groups)),
        infeasibility=float(max(outside, sums)) / size,
        slope=float(slope + np.abs(both).sum()),
        curvature=float(curvature),
    )


@dataclass(frozen=True)
class _Group:
    total: Any
    outside: Any
    violation: Any


def _group(
    b: Any, rise: Any, lower: Any, upper: Any, members: Any = slice(None), epsilon: Any = 0
) -> _Group:
    """Judge variables with a common sum; `rise` is the derivative of D less its epsilon |b|_1."""
    lower, upper = lower[members], upper[members]
    gain = (rise - np.where(b >= 0, epsilon, -epsilon))[b < upper]
    loss = (rise - np.where(b > 0, epsilon, -epsilon))[b > lower]
    return _Group(
        total=b.sum(),
        outside=np.maximum(np.maximum(lower - b, b - upper), 0).max(),
        violation=max(0, gain.max() - loss.min()) if len(gain) and len(loss) else 0,
    )


def verdicts(
    model: Any, X: Any, y: Any = None, sample_weight: Any = None, gram: Any = gram
) -> list[Verdict]:
    return [judge(machine) for machine in machines(model, X, y, sample_weight, gram)]


def confirm(
    model: Any, X: Any, y: Any = None, sample_weight: Any = None, gram: Any = gram
) -> list[Verdict]:
    """Assert that a model's certificate says what the judge finds, within its own bound."""
    found = verdicts(model, X, y, sample_weight, gram)
    assert len(found) == len(model.certificate_.parts)
    for verdict, part in zip(found, model.certificate_.parts, strict=True):
        assert verdict.infeasibility <= 1e-13
        assert abs(part.violation - verdict.violation) <= part.bound
        # Each f_i is off by at most bound / 2, so is the intercept.
        rounding = 1e-13 * (abs(verdict.primal) + abs(verdict.dual) + verdict.slope)
        slack = verdict.moved(part.bound) + rounding
        assert abs(part.primal - verdict.primal) <= slack
        assert abs(part.dual - verdict.dual) <= slack
        scale = max(abs(verdict.primal), abs(verdict.dual))
        assert abs(part.gap - max(verdict.gap, 0)) * scale <= 4 * slack
        if model.status_.name == "OPTIMAL":
            assert verdict.violation <= model.tol
    return found
