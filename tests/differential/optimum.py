"""The optimum of a small quadratic program, by an interior point method in decimal numbers.

    minimise 1/2 z'Qz + q'z   subject to   Az = a,  0 <= z <= u

Mehrotra's predictor and corrector. Its systems are quasi-definite, so that they are eliminated in
order; what rounding they suffer, a hundred digits bear.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]
#: The distance from the optimum at which the method ends: against the objective, and, where that
#: is zero, against what it was at first.
PRECISION, FLOOR = Decimal("1e-25"), Decimal("1e-40")
_MOST_STEPS = 300


@dataclass(frozen=True)
class Program:
    """A program; `u` is infinite where a variable has no upper bound."""

    Q: Numbers
    q: Numbers
    A: Numbers
    a: Numbers
    u: Numbers


def optimum(program: Program) -> tuple[Decimal, Decimal] | None:
    """The least objective of a program and the error of it; None where that does not get small."""
    state = _State(program)
    floor = FLOOR * state.size()
    try:
        for _ in range(_MOST_STEPS):
            if state.error() <= max(PRECISION * state.size(), floor) and state.balanced():
                return state.objective(), state.error()
            state.step()
    except ArithmeticError:  # a pivot of zero: a hundred digits are not enough
        return None
    return None


class _State:
    """A point strictly inside the bounds, with multipliers of both bounds."""

    def __init__(self, program: Program) -> None:
        self.p, n = program, len(program.q)
        finite = [u for u in program.u if u.is_finite()]
        size = max(finite, default=Decimal(1))
        self.bounded = np.array([u.is_finite() for u in program.u])
        self.z = np.array([u / 2 if u.is_finite() else size for u in program.u], object)
        slope = np.abs(program.Q @ self.z + program.q)
        level = max(slope.max(), np.abs(program.q).max(), Decimal("1e-200"))
        self.low = np.full(n, level, object)
        self.high = np.where(self.bounded, level, Decimal(0))
        self.y = np.full(len(program.a), Decimal(0), object)

    @property
    def room(self) -> Numbers:
        """How far below its upper bound each variable is; 1 where it has none."""
        return np.where(self.bounded, self.p.u - self.z, Decimal(1))

    def objective(self) -> Decimal:
        return self.z @ self.p.Q @ self.z / 2 + self.p.q @ self.z

    def _residuals(self) -> tuple[Numbers, Numbers]:
        p = self.p
        slope = p.Q @ self.z + p.q + p.A.T @ self.y - self.low + self.high
        return slope, p.A @ self.z - p.a

    def size(self) -> Decimal:
        """The sizes of the terms of the objective."""
        return self.z @ self.p.Q @ self.z + np.abs(self.p.q) @ self.z

    def error(self) -> Decimal:
        """How far the objective is from the least one: the gap, and what the residuals allow."""
        slope, sums = self._residuals()
        gap = self.low @ self.z + self.high @ self.room
        return gap + np.abs(slope) @ self.z + sum(np.abs(sums) * np.abs(self.y))

    def balanced(self) -> bool:
        """Whether the equalities hold, as far as such numbers can be added up."""
        sums = np.abs(self._residuals()[1])
        return bool(np.all(sums <= PRECISION * (np.abs(self.p.a) + np.abs(self.p.A) @ self.z)))

    def step(self) -> None:
        solve = self._factored()
        affine = self._direction(solve, self.low * self.z, self.high * self.room)
        n_bounds = len(self.z) + int(self.bounded.sum())
        mean = (self.low @ self.z + self.high @ self.room) / n_bounds
        length = self._longest(affine)
        dz, _, dlow, dhigh = affine
        ahead = (self.low + length * dlow) @ (self.z + length * dz)
        ahead += (self.high + length * dhigh) @ (self.room - length * np.where(self.bounded, dz, 0))
        centre = mean * (ahead / n_bounds / mean) ** 3
        low = self.low * self.z + dlow * dz - centre
        high = np.where(self.bounded, self.high * self.room - dhigh * dz - centre, Decimal(0))
        dz, dy, dlow, dhigh = direction = self._direction(solve, low, high)
        length = min(Decimal(1), self._longest(direction) * Decimal("0.995"))
        self.z = self.z + length * dz
        self.y = self.y + length * dy
        self.low, self.high = self.low + length * dlow, self.high + length * dhigh

    def _factored(self) -> Any:
        """Solver of [[Q + diagonal, A'], [A, 0]], a quasi-definite matrix."""
        p, n = self.p, len(self.z)
        m = len(p.a)
        matrix = np.full((n + m, n + m), Decimal(0), object)
        matrix[:n, :n] = p.Q
        matrix[range(n), range(n)] += self.low / self.z + self.high / self.room
        matrix[n:, :n], matrix[:n, n:] = p.A, p.A.T
        return _elimination(matrix)

    def _direction(self, solve: Any, low: Numbers, high: Numbers) -> tuple[Numbers, ...]:
        """Newton's direction to complementarities that are smaller by `low` and `high`."""
        slope, sums = self._residuals()
        n, room = len(self.z), self.room
        step = solve(np.concatenate([-slope - low / self.z + high / room, -sums]))
        dz = step[:n]
        dlow = -(low + self.low * dz) / self.z
        dhigh = np.where(self.bounded, (self.high * dz - high) / room, Decimal(0))
        return dz, step[n:], dlow, dhigh

    def _longest(self, direction: tuple[Numbers, ...]) -> Decimal:
        """The longest step, at most 1, that leaves all bounds on their sides."""
        dz, _, dlow, dhigh = direction
        pairs = [(self.z, dz), (self.low, dlow)]
        pairs += [(self.room[self.bounded], -dz[self.bounded])]
        pairs += [(self.high[self.bounded], dhigh[self.bounded])]
        ways = [
            -value / move
            for at, by in pairs
            for value, move in zip(at, by, strict=True)
            if move < 0
        ]
        return min([Decimal(1), *ways])


def _elimination(matrix: Numbers) -> Any:
    """Factor a matrix whose pivots can be taken in order; return what solves with it."""
    A, n = matrix.copy(), len(matrix)
    for k in range(n - 1):
        A[k + 1 :, k] = A[k + 1 :, k] / A[k, k]
        A[k + 1 :, k + 1 :] -= np.outer(A[k + 1 :, k], A[k, k + 1 :])

    def solve(right: Numbers) -> Numbers:
        x = right.copy()
        for k in range(1, n):
            x[k] -= A[k, :k] @ x[:k]
        for k in reversed(range(n)):
            x[k] = (x[k] - (A[k, k + 1 :] @ x[k + 1 :] if k + 1 < n else 0)) / A[k, k]
        return x

    return solve
