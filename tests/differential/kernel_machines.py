"""Kernel machines: the judge's verdict in decimal numbers, and the dual as a quadratic program."""

from dataclasses import dataclass
from decimal import Decimal

import numpy as np

import judge as judges
from differential.digits import gram
from differential.draw import Drawn
from differential.optimum import Program
from judge import Machine, exact

NONE = np.zeros((0, 0), object)


@dataclass(frozen=True)
class Part:
    """One problem: P and D of the fitted point, and the program whose optimum lies between."""

    primal: Decimal
    dual: Decimal
    slack: Decimal
    program: Program | None
    constant: Decimal = Decimal(0)


def judge(drawn: Drawn) -> tuple[list[Part], list[str]]:
    """The parts of a fitted machine, and what its certificate says wrongly of them."""
    given = (drawn.model, drawn.X, drawn.y, drawn.weight)
    machines = judges.machines(*given, gram)
    verdicts = judges.confirm(*given, gram)
    parts = []
    for machine, verdict, claim in zip(
        machines, verdicts, drawn.model.certificate_.parts, strict=True
    ):
        rounding = 1e-12 * (abs(verdict.primal) + abs(verdict.dual) + verdict.slope)
        slack = Decimal(verdict.moved(claim.bound) + rounding)
        primal, dual = Decimal(verdict.primal), Decimal(verdict.dual)
        parts.append(Part(primal, dual, slack, program(machine)))
    return parts, []


def program(machine: Machine) -> Program:
    """The dual of a machine, whose least objective is -D."""
    K = machine.K + exact(machine.offset)
    y, C, nu, width = (exact(v) for v in (machine.y, machine.C, machine.nu, machine.width))
    one, endless = exact(np.ones(len(y))), np.full(len(y), Decimal("inf"), object)
    share = nu * C.sum() / 2
    Q, labels = K * np.outer(y, y), y[None, :]
    pairs = np.block([[K, -K], [-K, K]])
    twice = np.concatenate([C, C])
    match machine.form:
        case "hinge":
            return Program(Q, -one, labels, exact([0]), C)
        case "squared_hinge":
            return Program(Q + np.diag(1 / (2 * C)), -one, labels, exact([0]), endless)
        case "nu-margin":
            groups = np.stack([np.where(y > 0, one, 0 * one), np.where(y < 0, one, 0 * one)])
            return Program(Q, 0 * one, groups, np.array([share, share]), C)
        case "tube":
            slope = np.concatenate([width - y, width + y])
            return Program(pairs, slope, np.concatenate([one, -one])[None, :], exact([0]), twice)
        case "nu-tube":
            groups = np.kron(np.eye(2), np.ones(len(y)))
            slope = np.concatenate([-y, y])
            return Program(pairs, slope, exact(groups), np.array([share, share]), twice)
        case "origin":
            return Program(K, 0 * one, one[None, :], np.array([2 * share]), C)
    raise AssertionError(machine.form)
