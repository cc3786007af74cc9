import numpy as np
from sklearn.datasets import make_moons

from maxmargin.plots import CPathDisplay
from maxmargin.selection import c_path


def test_what_is_drawn_is_the_path():
    path = c_path(*make_moons(40, noise=0.3, random_state=0), gamma=1.0)
    display = CPathDisplay(path)
    frame = display.frame()
    np.testing.assert_allclose(frame["alphas"][3], path.alphas(frame["C"][3]), atol=1e-12)
    np.testing.assert_allclose(frame["objective"][3], path.objective(frame["C"][3]))
    above, below = display.plot()
    assert len(above.lines) == len(frame["C"]) + 1  # break points, and the bound
    place = [axes.transData.transform((10.0, 1.0))[0] for axes in (above, below)]
    assert abs(place[0] - place[1]) < 1  # a C is at the same place in both
    assert below.get_title(loc="right") == f"{len(path.break_points) - 1} break points"


def test_a_path_without_break_points_is_drawn(tmp_path):
    path = c_path(np.zeros((4, 1)), [0, 1, 0, 1], kernel="linear")
    assert CPathDisplay(path).save(tmp_path / "path.png").exists()


def test_both_panels_have_one_scale():
    X, y = make_moons(40, noise=0.3, random_state=0)
    above, below = CPathDisplay(c_path(X, y, gamma=1.0, C_max=50.0)).plot()
    places = np.array([[0.5, 1.0], [5.0, 1.0], [20.0, 1.0]])
    assert np.allclose(
        above.transData.transform(places)[:, 0], below.transData.transform(places)[:, 0]
    )
