"""Linear machines: P and D from their definitions in decimal numbers, and duals as programs.

    P = 1/2 |w|^2 + p/2 c^2 + sum C_i h(w'x_i + c)
    D = sum d_i(b_i) - 1/2 |X'b|^2 - (1'b)^2 / (2 p)

with d_i(b) = -C_i h*(-b / C_i). With an L1 penalty |w|_1 + |c| / s takes the place of the first two
terms, and |X'b|_inf <= 1, |1'b| <= 1 / s that of the last two.
"""

from decimal import Decimal
from typing import Any

import numpy as np

from differential.draw import Drawn
from differential.kernel_machines import Part
from differential.optimum import Program
from judge import exact

ONE, TWO = Decimal(1), Decimal(2)
#: What one rounding in float64 changes, relatively.
UNIT = Decimal(2) ** -52


def judge(drawn: Drawn) -> tuple[list[Part], list[str]]:
    """The parts of a fitted machine, and what its certificate says wrongly of them."""
    model = drawn.model
    if drawn.name == "all classes at once" and len(model.classes_) > 2:
        parts = [_all_classes(drawn)]
    else:
        parts = [_part(drawn, p) for p in range(len(model.intercept_))]
    faults = []
    for part, claim in zip(parts, model.certificate_.parts, strict=True):
        faults += _confirmed(part, claim, model)
    return parts, faults


def _confirmed(part: Part, claim: Any, model: Any) -> list[str]:
    primal, dual, faults = part.primal, part.dual, []
    size = max(abs(primal), abs(dual))
    for name, found, said in (("P", primal, claim.primal), ("D", dual, claim.dual)):
        if not abs(Decimal(said) - found) <= part.slack:
            faults.append(f"{name} is {found:.17e}, but the certificate says {said:.17e}")
    if primal - dual > Decimal(claim.gap) * size + part.slack:
        gap = (primal - dual) / size
        faults.append(f"the gap is {gap:.2e}, but the certificate says {claim.gap:.2e}")
    if dual - primal > part.slack:
        faults.append(f"weak duality fails: P = {primal:.17e}, D = {dual:.17e}")
    # A constant that leaves nothing but rounding is optimal, too.
    constant = primal <= part.slack and not np.any(model.coef_)
    optimal = model.status_.name == "OPTIMAL"
    if optimal and not constant and primal - dual > Decimal(model.tol) * size:
        gap = (primal - dual) / size
        faults.append(f"the gap is {gap:.2e} although it is said to be optimal")
    return faults


def _rounding(X: Any, w: Any, c: Any, y: Any, b: Any, steepness: Any) -> Decimal:
    """What rounding in float64 can do to P by the scores, and to D by X'b."""
    n, d = X.shape
    scores = np.abs(X) @ np.abs(w) + np.abs(c) + np.abs(y)
    sums, own = np.abs(X).T @ np.abs(b), X.T @ b
    error = UNIT * n * sums
    return UNIT * (d + 2) * (scores @ steepness) + np.abs(own) @ error + error @ error / 2


def _part(drawn: Drawn, p: int) -> Part:
    model, X, n = drawn.model, exact(drawn.X), len(drawn.X)
    b = exact(np.zeros(n))
    b[model.support_] = exact(model.dual_coef_[p])
    w, c = exact(np.atleast_2d(model.coef_)[p]), Decimal(float(model.intercept_[p]))
    C = Decimal(model.C) * exact(np.ones(n) if drawn.weight is None else drawn.weight)
    if hasattr(model, "classes_"):
        positive = model.classes_[1] if len(model.classes_) == 2 else model.classes_[p]
        y, loss = exact(np.where(drawn.y == positive, 1.0, -1.0)), model.loss
        if model.multi_class == "crammer_singer":
            loss, C = "hinge", 2 * C
        width = Decimal(0)
    else:
        y, loss, width = exact(drawn.y), model.loss, Decimal(model.epsilon)
    f = X @ w + c
    lost, gained, steepness = _terms(loss, f, y, b, C, width)
    terms = np.abs(y * b).sum()
    sparse = getattr(model, "penalty", "l2") == "l1" and model.multi_class == "ovr"
    own, total = X.T @ b, b.sum()
    penalised = model.fit_intercept and model.intercept == "penalized"
    s = Decimal(model.intercept_scaling)
    if sparse:
        primal = np.abs(w).sum() + (abs(c) / s if penalised else 0) + lost
        # It misses the constraints by no more than the certificate says.
        reach, claim = np.abs(own).max(), model.certificate_.parts[p]
        excess = Decimal(claim.violation + claim.bound)
        if penalised:
            reach = max(reach, s * (abs(total) - n * UNIT * np.abs(b).sum()))
        assert reach <= 1 + excess + UNIT, "the dual point violates its constraints"
        dual, terms = gained, terms + excess / UNIT * abs(gained)
    else:
        primal = w @ w / 2 + (c * c / s**2 / 2 if penalised else 0) + lost
        dual = gained - own @ own / 2 - (total**2 * s**2 / 2 if penalised else 0)
    slack = 100 * UNIT * (abs(primal) + abs(dual) + terms) + abs(c * total)
    slack += _rounding(X, w, c, y, b, steepness) + (s * UNIT * n * abs(b).sum()) ** 2
    kind = None if sparse or loss == "logistic" else _program(loss, model, X, y, C, width)
    return Part(primal, dual, slack, kind)


def _terms(loss: str, f: Any, y: Any, b: Any, C: Any, width: Decimal) -> tuple[Any, ...]:
    """Sum of the losses, sum of d_i(b_i), and how steep the losses are."""
    slack, a = np.maximum(0, 1 - y * f), y * b
    outside = np.maximum(0, np.abs(y - f) - width)
    tube = y * b - width * np.abs(b)
    match loss:
        case "hinge":
            _inside(a, 0 * C, C)
            return C @ slack, a.sum(), C
        case "squared_hinge":
            _inside(a, 0 * C, a)
            return C @ slack**2, (a - a * a / (4 * C)).sum(), 2 * C * (slack + UNIT)
        case "logistic":
            _inside(a, 0 * C, C)
            share = a / C
            gained = -C @ (_entropy(share) + _entropy(1 - share))
            return C @ np.frompyfunc(_softplus, 1, 1)(-y * f), gained, C
        case "epsilon_insensitive":
            _inside(b, -C, C)
            return C @ outside, tube.sum(), C
        case "squared_epsilon_insensitive":
            gained = tube - b * b / (4 * C)
            return C @ outside**2, gained.sum(), 2 * C * (outside + UNIT * np.abs(y))
        case "huber":
            _inside(b, -C * width, C * width)
            size = np.abs(y - f)
            near = np.minimum(size, width)
            gained = (y * b - b * b / (2 * C)).sum()
            return C @ (near**2 / 2 + width * (size - near)), gained, C * width
    raise AssertionError(loss)


def _inside(a: Any, lower: Any, upper: Any) -> None:
    """Bounds are products in float64, rounded once or twice."""
    room = Decimal("1e-15") * np.maximum(np.abs(lower), np.abs(upper))
    assert (a >= lower - room).all(), "a dual variable is below its interval"
    assert (a <= upper + room).all(), "a dual variable is above its interval"


def _entropy(shares: Any) -> Any:
    return np.array([x * x.ln() if x > 0 else Decimal(0) for x in shares], object)


def _softplus(x: Decimal) -> Decimal:
    """log(1 + e^x)."""
    return max(x, Decimal(0)) + (1 + (-abs(x)).exp()).ln()


def _matrix(model: Any, X: Any) -> Any:
    """Scalar products; a penalised intercept is one more feature."""
    penalised = model.fit_intercept and model.intercept == "penalized"
    return X @ X.T + (Decimal(model.intercept_scaling) ** 2 if penalised else 0)


def _program(loss: str, model: Any, X: Any, y: Any, C: Any, width: Decimal) -> Program:
    """The dual of a loss with a tube."""
    K, n, one = _matrix(model, X), len(y), exact(np.ones(len(y)))
    free = model.fit_intercept and model.intercept == "free"
    endless = np.full(n, Decimal("inf"), object)
    ridge = {"squared_hinge": 1 / (2 * C), "squared_epsilon_insensitive": 1 / (2 * C)}
    added = np.diag((ridge | {"huber": 1 / C}).get(loss, 0 * C))
    upper = {"hinge": C, "epsilon_insensitive": C, "huber": C * width}.get(loss, endless)
    rows, zero = (1, exact([0])) if free else (0, exact(np.zeros(0)))
    if loss in ("hinge", "squared_hinge"):
        return Program(K * np.outer(y, y) + added, -one, y[None, :][:rows], zero, upper)
    epsilon = Decimal(0) if loss == "huber" else width
    Q, signs = np.block([[K, -K], [-K, K]]), np.concatenate([one, -one])
    slope = np.concatenate([epsilon - y, epsilon + y])
    doubled = np.diag(np.concatenate([np.diag(added)] * 2))
    return Program(Q + doubled, slope, signs[None, :][:rows], zero, np.concatenate([upper] * 2))


def _all_classes(drawn: Drawn) -> Part:
    """All classes in one problem."""
    model, X, n = drawn.model, exact(drawn.X), len(drawn.X)
    codes, k = np.searchsorted(model.classes_, drawn.y), len(model.classes_)
    C = Decimal(model.C) * exact(np.ones(n) if drawn.weight is None else drawn.weight)
    own = codes[:, None] == np.arange(k)
    b = exact(np.zeros((n, k)))
    b[model.support_] = exact(model.dual_coef_).T
    for m in range(k):
        _inside(b[:, m], b[:, m], np.where(own[:, m], C, 0 * C))
    w, c = exact(model.coef_), exact(model.intercept_)
    scores = X @ w.T + c
    lead = np.where(own, scores, scores + 1).max(axis=1) - scores[own]
    penalised = model.fit_intercept and model.intercept == "penalized"
    s = Decimal(model.intercept_scaling)
    primal = (w * w).sum() / 2 + ((c * c).sum() / s**2 / 2 if penalised else 0) + C @ lead
    K = _matrix(model, X)
    quadratic = sum(b[:, m] @ K @ b[:, m] for m in range(k))
    gained = b[own].sum()
    terms = np.abs(b).sum()
    missed = max(abs(b.sum(axis=1)) @ np.abs(scores).max(axis=1), abs(b.sum(axis=0)) @ abs(c))
    dual = gained - quadratic / 2
    slack = 100 * UNIT * (abs(primal) + abs(dual) + terms) + missed
    slack += sum(_rounding(X, w[m], c[m], exact(np.ones(n)), b[:, m], 2 * C) for m in range(k))
    slack += (s * UNIT * n * terms) ** 2
    program, constant = _shares(model, K, own, C)
    return Part(primal, dual, slack, program, constant)


def _shares(model: Any, K: Any, own: Any, C: Any) -> tuple[Program, Decimal]:
    """-D in the shares, one class after the other, and what it leaves out.

    With b = T - z, T_ic = [c = y] C_i:  1/2 sum_c (T - z)_c'K (T - z)_c - sum_i (C_i - z_iy).
    """
    n, k = own.shape
    T = np.where(own, C[:, None], Decimal(0)).T
    Q = np.kron(exact(np.eye(k)), K)
    slope = np.concatenate([-(K @ T[m]) + np.where(own[:, m], ONE, 0 * ONE) for m in range(k)])
    sums = np.kron(np.ones(k), np.eye(n))
    A, a = exact(sums), C
    if model.fit_intercept and model.intercept == "free":
        # The sum of the last class follows from the others.
        A = np.concatenate([A, exact(np.kron(np.eye(k)[:-1], np.ones(n)))])
        a = np.concatenate([C, T.sum(axis=1)[:-1]])
    constant = C.sum() - sum(T[m] @ K @ T[m] for m in range(k)) / 2
    return Program(Q, slope, A, a, np.concatenate([C] * k)), constant
