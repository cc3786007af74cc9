"""From a subgradient to a step: small rules with explicit state, which nest.

    Plain      w <- w - g
    Momentum   velocity <- decay velocity + g,   w <- w - velocity
    Nesterov   the same, with g taken at w - decay velocity, where the momentum will carry it
    Project    any rule, followed by a projection onto a set
    Average    any rule, but the answer is the average of its iterates

The g a rule receives is the subgradient times the step size. A rule has four methods:

    init(w) -> state                     before the first step
    look(w, state) -> point              where to take the subgradient
    update(g, state, w) -> step, state   the step to add to w
    output(w, state) -> point            the answer so far

References: B. T. Polyak, Some methods of speeding up the convergence of iteration methods (1964);
Y. Nesterov, Introductory Lectures on Convex Optimization (2004); O. Shamir and T. Zhang,
Stochastic gradient descent for non-smooth optimization (2013), for the weighted averages.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from maxmargin.losses.loss import Array
from maxmargin.prompt import keywords


class Rule(Protocol):
    """What turns subgradients into steps.

    Examples
    --------
    >>> rule: Rule = Average(Project(Momentum(), onto=Ball(radius=1.0)))
    >>> state = rule.init(np.zeros(2))
    >>> step, state = rule.update(np.array([3.0, 4.0]), state, np.zeros(2))
    >>> step
    array([-0.6, -0.8])
    """

    def init(self, w: Array) -> Any:
        """Return the state before the first step from w."""

    def look(self, w: Array, state: Any) -> Array:
        """Return the point at which the subgradient is wanted."""

    def update(self, g: Array, state: Any, w: Array) -> tuple[Array, Any]:
        """Return the step to add to w, and the new state."""

    def output(self, w: Array, state: Any) -> Array:
        """Return the answer when w is the current iterate."""


@dataclass(frozen=True)
class Plain:
    """The step -g.

    Examples
    --------
    >>> step, _ = Plain().update(np.array([1.0, -2.0]), None, np.zeros(2))
    >>> step
    array([-1.,  2.])
    """

    def init(self, w: Array) -> None:
        """No state."""

    def look(self, w: Array, state: None) -> Array:
        """Return w."""
        return w

    def update(self, g: Array, state: None, w: Array) -> tuple[Array, None]:
        """Return -g."""
        return -g, None

    def output(self, w: Array, state: None) -> Array:
        """Return w."""
        return w


@keywords(**dict.fromkeys(["gamma", "beta", "momentum", "factor"], "decay="))
@dataclass(frozen=True)
class Momentum:
    """The step -velocity, velocity <- decay velocity + g: past subgradients fade.

    Parameters
    ----------
    decay : float
        In [0, 1); 0 is the plain rule.

    Examples
    --------
    >>> rule, w, g = Momentum(decay=0.5), np.zeros(1), np.ones(1)
    >>> state = rule.init(w)
    >>> for _ in range(3):
    ...     step, state = rule.update(g, state, w)
    ...     print(step)
    [-1.]
    [-1.5]
    [-1.75]
    """

    decay: float = 0.9

    def __post_init__(self) -> None:
        if not 0 <= self.decay < 1:
            raise ValueError(f"decay must be in [0, 1), got {self.decay!r}")

    def init(self, w: Array) -> Array:
        """Return velocity 0."""
        return np.zeros_like(w)

    def look(self, w: Array, state: Array) -> Array:
        """Return w."""
        return w

    def update(self, g: Array, state: Array, w: Array) -> tuple[Array, Array]:
        """Return -velocity, with velocity = decay velocity + g."""
        velocity = self.decay * state + g
        return -velocity, velocity

    def output(self, w: Array, state: Array) -> Array:
        """Return w."""
        return w


@keywords(**dict.fromkeys(["gamma", "beta", "momentum", "factor"], "decay="))
@dataclass(frozen=True)
class Nesterov(Momentum):
    """Momentum that takes the subgradient at w - decay velocity, where it is about to be.

    Examples
    --------
    >>> rule = Nesterov(decay=0.5)
    >>> rule.look(np.array([1.0]), state=np.array([0.4]))
    array([0.8])
    """

    def look(self, w: Array, state: Array) -> Array:
        """Return w - decay velocity."""
        return w - self.decay * state


@dataclass(frozen=True)
class Ball:
    """The projection onto the ball |w| <= radius.

    Examples
    --------
    >>> Ball(radius=1.0)(np.array([3.0, 4.0]))
    array([0.6, 0.8])
    """

    radius: float

    def __call__(self, w: Array) -> Array:
        """Return the point of the ball nearest to w."""
        norm = float(np.linalg.norm(w))
        return w * (self.radius / norm) if norm > self.radius else w


@dataclass(frozen=True)
class Project:
    """Another rule's step, followed by the projection onto a set.

    Parameters
    ----------
    rule : Rule
    onto : callable
        From a point to the nearest point of the set.

    Examples
    --------
    >>> rule = Project(Plain(), onto=Ball(radius=1.0))
    >>> step, _ = rule.update(np.array([-3.0, 0.0]), None, np.zeros(2))
    >>> step
    array([1., 0.])
    """

    rule: Rule
    onto: Callable[[Array], Array]

    def init(self, w: Array) -> Any:
        """Return the inner rule's state."""
        return self.rule.init(w)

    def look(self, w: Array, state: Any) -> Array:
        """Return where the inner rule looks."""
        return self.rule.look(w, state)

    def update(self, g: Array, state: Any, w: Array) -> tuple[Array, Any]:
        """Return onto(w + step) - w."""
        step, state = self.rule.update(g, state, w)
        return self.onto(w + step) - w, state

    def output(self, w: Array, state: Any) -> Array:
        """Return the inner rule's answer."""
        return self.rule.output(w, state)


class _Averaged(NamedTuple):
    inner: Any
    mean: Array
    t: int


@dataclass(frozen=True)
class Average:
    """Another rule's steps, with the average of its iterates w_1, ..., w_t as the answer.

    Parameters
    ----------
    rule : Rule
    power : float
        The weight of w_t grows as t^power: 0 weighs all alike, 1 and more trust late iterates.

    Examples
    --------
    >>> rule, w = Average(Plain()), np.zeros(1)
    >>> state = rule.init(w)
    >>> for _ in range(3):
    ...     step, state = rule.update(np.array([-1.0]), state, w)
    ...     w = w + step
    >>> w, rule.output(w, state)
    (array([3.]), array([2.]))
    """

    rule: Rule = field(default_factory=Plain)
    power: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.power < np.inf:
            raise ValueError(f"power must be 0 or more and finite, got {self.power!r}")

    def init(self, w: Array) -> _Averaged:
        """Return the inner rule's state, and w as the average of nothing."""
        return _Averaged(self.rule.init(w), w, 0)

    def look(self, w: Array, state: _Averaged) -> Array:
        """Return where the inner rule looks."""
        return self.rule.look(w, state.inner)

    def update(self, g: Array, state: _Averaged, w: Array) -> tuple[Array, _Averaged]:
        """Return the inner step; move the mean by (1 + power) / (t + power) towards w + step."""
        step, inner = self.rule.update(g, state.inner, w)
        t = state.t + 1
        share = (1 + self.power) / (t + self.power)
        return step, _Averaged(inner, state.mean + share * (w + step - state.mean), t)

    def output(self, w: Array, state: _Averaged) -> Array:
        """Return the mean."""
        return state.mean
