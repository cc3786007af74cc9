"""Write sets.json: the lab's built-in data, as numbers.

The page must not make data itself: sines and logarithms differ between browsers in the last digit.

    python lab/src/data/make.py
"""

import json
from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris, make_circles, make_moons

PLANE = ["x₁", "x₂"]
SIGNS = ["−1", "+1"]
iris = load_iris()


def table(name, task, X, y, *, about, features=PLANE, classes=SIGNS, digits=3, **parameters):
    """Return one set; points with two coordinates, or one and a target."""
    X = (np.asarray(X, dtype=float).round(digits) + 0.0).tolist()  # no negative zeros
    y = np.asarray(y, dtype=float).round(digits).tolist()
    whole = [int(v) if v == int(v) else v for v in y]
    return {
        "name": name,
        "task": task,
        "about": about,
        "features": list(features),
        "classes": list(classes),
        "points": X,
        "y": whole,
        "parameters": parameters,
    }


def clouds(seed, count, spread, centre):
    """Return two clouds in turns, around -centre and +centre."""
    y = np.tile([-1, 1], count)
    return spread * np.random.default_rng(seed).normal(size=(2 * count, 2)) + centre * y[:, None], y


def spirals(count, noise):
    """Return two arms that wind around each other."""
    rng = np.random.default_rng(5)
    t = np.sqrt(np.linspace(0.05, 1, count)) * 3 * np.pi
    arm = np.column_stack([t * np.cos(t), t * np.sin(t)]) / 4
    X = np.vstack([arm, -arm]) + noise * rng.normal(size=(2 * count, 2))
    return X, np.repeat([-1, 1], count)


def setosa():
    """Return a quarter of Iris, as in lecture 1."""
    return iris.data[::4, :2], np.where(iris.target[::4] == 0, -1, 1)


def built_in():
    """Return all sets by their names in the address."""
    SEPAL, KINDS = ["sepal length (cm)", "sepal width (cm)"], ["Setosa", "not Setosa"]
    sets = {}
    X, y = setosa()
    sets["iris-setosa"] = table(
        "Iris: Setosa or not",
        "binary",
        X,
        y,
        features=SEPAL,
        classes=KINDS,
        C=1000,
        about="38 flowers of lecture 1; a straight line separates them",
    )
    sets["iris-overlap"] = table(
        "Iris with one stray",
        "binary",
        np.vstack([X, [6.2, 3.0]]),
        np.append(y, -1),
        features=SEPAL,
        classes=KINDS,
        C=1,
        about="the same and one Setosa where the others grow: no line separates them",
    )
    two = iris.target > 0
    sets["iris-petals"] = table(
        "Iris: two kinds by their petals",
        "binary",
        iris.data[two][:, 2:],
        np.where(iris.target[two] == 1, -1, 1),
        C=10,
        features=["petal length (cm)", "petal width (cm)"],
        classes=["Versicolor", "Virginica"],
        about="100 flowers whose petals overlap a little",
    )
    rng = np.random.default_rng(11)
    X = np.vstack([rng.normal(size=(30, 2)) - 3, rng.normal(size=(30, 2)) + 3])
    y = np.repeat([-1, 1], 30)
    sets["far-clouds"] = table(
        "Two clouds, far apart",
        "binary",
        X,
        y,
        C=1,
        about="60 points of lecture 2, easily separated",
    )
    y[[0, 30]] = y[[30, 0]]
    sets["swapped"] = table(
        "Two clouds, two labels swapped",
        "binary",
        X,
        y,
        C=1,
        about="of lecture 2: no line is right about all",
    )
    rng = np.random.default_rng(1)
    y = np.tile([-1, 1], 20)
    X = rng.normal(size=(40, 2)) + 0.8 * y[:, None]
    sets["clouds"] = table(
        "Two clouds that overlap",
        "binary",
        X,
        y,
        C=1,
        about="40 points; the page on the dual uses them",
    )
    X, y = clouds(6, 20, 0.7, 1.4)
    sets["perceptron"] = table(
        "Two clouds of lecture 4",
        "binary",
        X,
        y,
        C=1,
        about="40 points that a perceptron separates",
    )
    X, y = clouds(21, 15, 0.55, 1.2)
    X, y = np.vstack([X, [-0.6, 2.6]]), np.append(y, -1)
    sets["outlier"] = table(
        "An outlier",
        "binary",
        X,
        y,
        C=1,
        about="one point of 31 would like to turn the boundary: how much may it?",
    )
    X, y = make_moons(100, noise=0.15, random_state=0)
    sets["moons"] = table(
        "Two moons",
        "binary",
        X,
        2 * y - 1,
        kernel="rbf",
        gamma=1,
        C=1,
        about="100 points of lecture 5; no line will do",
    )
    X, y = make_moons(200, noise=0.25, random_state=1)
    sets["moons-200"] = table(
        "Two moons, noisy",
        "binary",
        X,
        2 * y - 1,
        kernel="rbf",
        gamma=1,
        C=1,
        about="200 points that overlap",
    )
    X, y = make_circles(120, noise=0.12, factor=0.45, random_state=0)
    sets["rings"] = table(
        "Two rings",
        "binary",
        X,
        2 * y - 1,
        kernel="rbf",
        gamma=1,
        C=1,
        about="120 points of lecture 2, one class around the other",
    )
    rng = np.random.default_rng(8)
    corner = np.tile([[-1, -1], [1, 1], [-1, 1], [1, -1]], (20, 1))
    X = corner + 0.38 * rng.normal(size=corner.shape)
    sets["xor"] = table(
        "XOR",
        "binary",
        X,
        np.where(corner.prod(axis=1) > 0, -1, 1),
        kernel="poly",
        degree=2,
        coef0=1,
        gamma=1,
        C=1,
        about="80 points; opposite corners belong together",
    )
    sets["spirals"] = table(
        "Two spirals",
        "binary",
        *spirals(60, 0.06),
        kernel="rbf",
        gamma=5,
        C=100,
        about="120 points: a long and narrow margin",
    )

    by_hand = "small enough for pencil and paper"
    sets["pair"] = table("Two points", "binary", [[-1, 0], [1, 2]], [-1, 1], C=10, about=by_hand)
    sets["three"] = table(
        "Three points", "binary", [[0, 0], [2, 0], [2, 2]], [-1, 1, 1], C=10, about=by_hand
    )
    sets["four"] = table(
        "Four points",
        "binary",
        [[0, 0], [0.5, 1.5], [2, 3], [3, 1]],
        [-1, -1, 1, 1],
        C=10,
        about="of lecture 5; " + by_hand,
    )
    points = [[1, 1], [1, -2], [3, 1], [-2, 1], [0, 0], [-2, -2]]
    sets["six"] = table(
        "Six points",
        "binary",
        points,
        [1, 1, 1, -1, -1, -1],
        C=1,
        about="SMO by hand on the page on the dual; " + by_hand,
    )
    base = [[-2, 1.5], [-1, 0], [-1.8, -1.2], [1, 1], [2, -1], [1.5, 0.2], [0.4, -0.6], [0.8, 0.7]]
    sets["slack"] = table(
        "Eight points, two with slack",
        "binary",
        base,
        [-1, -1, -1, 1, 1, 1, 1, -1],
        C=1,
        about="of lecture 2; " + by_hand,
    )
    sets["corners"] = table(
        "XOR, four corners",
        "binary",
        [[-1, -1], [1, 1], [-1, 1], [1, -1]],
        [-1, -1, 1, 1],
        kernel="poly",
        degree=2,
        coef0=1,
        gamma=1,
        C=1,
        about="the polynomial kernel of degree 2 gives every point the same force",
    )

    sets["iris-three"] = table(
        "Iris: three kinds by their petals",
        "multi_class",
        iris.data[:, 2:],
        iris.target,
        C=1,
        features=["petal length (cm)", "petal width (cm)"],
        classes=["Setosa", "Versicolor", "Virginica"],
        about="150 flowers",
    )
    rng = np.random.default_rng(4)
    centre = np.array([[0, 1.5], [-1.5, -0.9], [1.5, -0.9], [0.1, 0]])[np.tile(np.arange(4), 20)]
    sets["four-clouds"] = table(
        "Four clouds",
        "multi_class",
        centre + 0.42 * rng.normal(size=centre.shape),
        np.tile(np.arange(4), 20),
        C=1,
        classes=["top", "left", "right", "middle"],
        about="80 points; the class in the middle has no line of its own",
    )
    rng = np.random.default_rng(7)
    x = np.sort(rng.uniform(-3, 3, 60))
    y = np.sin(1.5 * x) + 0.25 * x + 0.18 * rng.normal(size=60)
    sets["sine"] = table(
        "A noisy wave",
        "regression",
        x[:, None],
        y,
        features=["x"],
        classes=["y"],
        kernel="rbf",
        gamma=0.5,
        C=10,
        epsilon=0.2,
        about="60 points",
    )
    rng = np.random.default_rng(689)
    x = np.linspace(0, 10, 30)
    y = 1 + 0.5 * x + 0.15 * rng.normal(size=30)
    y[[24, 26, 28]] -= 6
    sets["misread"] = table(
        "A line with three misread points",
        "regression",
        x[:, None],
        y,
        features=["x"],
        classes=["y"],
        kernel="linear",
        C=1,
        epsilon=0.2,
        about="30 points of lecture 5",
    )
    rng = np.random.default_rng(10)
    usual = rng.multivariate_normal([0, 0], [[1, 0.6], [0.6, 0.8]], 90)
    strays = rng.uniform(-3.5, 3.5, (10, 2))
    sets["strays"] = table(
        "A cloud and strays",
        "one_class",
        np.vstack([usual, strays]),
        np.ones(100),
        classes=["usual"],
        formulation="nu",
        kernel="rbf",
        gamma=0.3,
        nu=0.1,
        about="90 usual points and 10 anywhere",
    )
    return sets


if __name__ == "__main__":
    out = Path(__file__).with_name("sets.json")
    text = json.dumps(built_in(), ensure_ascii=False, separators=(",", ":"))
    out.write_text(text.replace('"},"', '"},\n"').replace('},"', '},\n"') + "\n", encoding="utf-8")
