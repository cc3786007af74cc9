import numpy as np
import pytest

from maxmargin.plots.surface import Surface


def distance(points):
    return np.hypot(points[:, 0], points[:, 1])


@pytest.fixture
def circle():
    return Surface.of(distance, (-2, 2), (-3, 3), levels=[1.0])


def test_level_line_lies_on_the_level(circle):
    (piece,) = circle.lines(1.0)
    np.testing.assert_allclose(distance(piece), 1.0, atol=1e-3)


def test_only_the_neighbourhood_of_the_level_is_evaluated(circle):
    assert circle.n_evaluated < 0.25 * circle.values.size


def test_values_near_the_level_are_exact(circle):
    points = np.stack(np.meshgrid(circle.x, circle.y), axis=-1).reshape(-1, 2)
    exact = distance(points).reshape(circle.values.shape)
    near = np.abs(exact - 1.0) < 0.05
    np.testing.assert_array_equal(circle.values[near], exact[near])
    np.testing.assert_allclose(circle.values, exact, atol=0.05)


def test_jumps_are_placed_as_on_the_full_grid():
    def side(points):
        return (points[:, 0] + 0.3 * points[:, 1] ** 2 > 0.21).astype(float)

    surface = Surface.of(side, (-1, 1), (-1, 1), levels=[0.5])
    points = np.stack(np.meshgrid(surface.x, surface.y), axis=-1).reshape(-1, 2)
    np.testing.assert_array_equal(surface.values.ravel(), side(points))


def test_a_small_island_is_found_where_there_are_data():
    def bump(points):
        return np.exp(-1e4 * ((points - [0.513, 0.489]) ** 2).sum(axis=1))

    place = np.array([[0.513, 0.489]])
    assert not Surface.of(bump, (0, 1), (0, 1), levels=[0.5]).lines(0.5)
    assert Surface.of(bump, (0, 1), (0, 1), levels=[0.5], points=place).lines(0.5)


def test_nearest_point_of_a_circle(circle):
    points = np.array([[0.5, 0.0], [0.0, 2.0], [-1.2, 1.6]])
    found = circle.nearest(points, 1.0)
    np.testing.assert_allclose(found, points / distance(points)[:, None], atol=1e-2)
    np.testing.assert_allclose(distance(found - points), np.abs(distance(points) - 1), atol=1e-3)


def test_no_nearest_point_without_a_line(circle):
    assert np.isnan(circle.nearest(np.zeros((1, 2)), level=100.0)).all()


def test_no_nearest_point_where_the_line_leaves_the_picture():
    surface = Surface.of(lambda p: p[:, 0] - p[:, 1], (0, 1), (0, 1), levels=[0.0])
    inside, beyond = surface.nearest(np.array([[0.4, 0.6], [2.0, 1.5]]), 0.0)
    np.testing.assert_allclose(inside, [0.5, 0.5])
    assert np.isnan(beyond).all()
