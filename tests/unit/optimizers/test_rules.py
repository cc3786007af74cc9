import numpy as np
import pytest

from maxmargin.optimizers import Average, Ball, Momentum, Nesterov, Plain, Project

rng = np.random.default_rng(4)
G = rng.normal(size=(10, 3))


def walk(rule, gradients=G, w=None):
    """Apply a rule to fixed subgradients; return all iterates and all answers."""
    w = np.zeros(3) if w is None else w
    state = rule.init(w)
    iterates, answers = [], []
    for g in gradients:
        step, state = rule.update(g, state, w)
        w = w + step
        iterates.append(w)
        answers.append(rule.output(w, state))
    return np.array(iterates), np.array(answers)


def test_plain_adds_up():
    iterates, answers = walk(Plain())
    assert np.allclose(iterates, -np.cumsum(G, axis=0))
    assert np.array_equal(iterates, answers)


def test_momentum_without_memory_is_plain():
    assert np.allclose(walk(Momentum(decay=0.0))[0], walk(Plain())[0])


def test_momentum_written_out():
    iterates, _ = walk(Momentum(decay=0.9))
    d, w = np.zeros(3), np.zeros(3)
    for g, expected in zip(G, iterates, strict=True):
        d = 0.9 * d + g
        w = w - d
        assert np.allclose(w, expected)


def test_nesterov_looks_ahead_and_momentum_does_not():
    w, d = np.ones(3), np.full(3, 2.0)
    assert np.array_equal(Momentum(0.5).look(w, d), w)
    assert np.array_equal(Nesterov(0.5).look(w, d), np.zeros(3))


def test_projection_keeps_every_iterate_in_the_set():
    iterates, _ = walk(Project(Momentum(), onto=Ball(0.5)))
    assert np.all(np.linalg.norm(iterates, axis=1) <= 0.5 + 1e-15)
    assert np.linalg.norm(iterates, axis=1).max() == pytest.approx(0.5)


def test_any_projection_will_do():
    iterates, _ = walk(Project(Plain(), onto=lambda w: np.maximum(w, 0.0)))
    assert iterates.min() == 0.0


def test_the_average_is_the_mean_of_the_iterates():
    iterates, answers = walk(Average(Momentum()))
    inner, _ = walk(Momentum())
    assert np.allclose(iterates, inner)
    for t in (1, 4, 10):
        assert np.allclose(answers[t - 1], iterates[:t].mean(axis=0))


def test_a_power_weighs_late_iterates_more():
    """Power 1 weighs w_t as t, so that the mean is sum(t w_t) / sum(t)."""
    iterates, answers = walk(Average(Plain(), power=1.0))
    weights = np.arange(1, 11)
    assert np.allclose(answers[-1], weights @ iterates / weights.sum())


def test_rules_nest():
    rule = Average(Project(Nesterov(0.5), onto=Ball(1.0)))
    state = rule.init(np.ones(3))
    _, state = rule.update(np.ones(3), state, np.ones(3))
    assert np.allclose(rule.look(np.zeros(3), state), -0.5 * np.ones(3))


@pytest.mark.parametrize("decay", [-0.1, 1.0])
def test_decay_out_of_range(decay):
    with pytest.raises(ValueError, match=r"decay must be in \[0, 1\), got"):
        Momentum(decay)


def test_power_out_of_range():
    with pytest.raises(ValueError, match="power must be 0 or more and finite, got -1"):
        Average(power=-1)
