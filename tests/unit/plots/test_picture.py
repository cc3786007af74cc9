"""The picture that is chosen for each kind of model, and what it says of what it hides."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from maxmargin import SVC, SVR, NuSVR, OneClassSVM
from maxmargin.plots import picture_of


@pytest.fixture
def shop():
    rng = np.random.default_rng(0)
    n = 90
    return pd.DataFrame(
        {
            "age": rng.normal(40, 10, n),
            "income": rng.normal(3, 1, n),
            "city": rng.choice(["Rom", "Oslo"], n, p=[0.7, 0.3]),
        }
    )


def fitted(machine, X, y):
    columns = make_column_transformer(
        (StandardScaler(), ["age", "income"]), (OneHotEncoder(), ["city"])
    )
    return make_pipeline(columns, machine).fit(X, y)


def test_kinds(shop):
    rng = np.random.default_rng(1)
    two, three = rng.integers(2, size=90), rng.integers(3, size=90)
    number = pd.Series(shop["age"] ** 2, name="signal")
    flat = shop[["age", "income"]]
    cases = [
        (SVC().fit(flat, two), flat, two, None, "BoundaryDisplay"),
        (SVC().fit(flat, three), flat, three, None, "BoundaryDisplay"),
        (fitted(SVC(), shop, two), shop, two, None, "BoundaryDisplay"),
        (fitted(SVC(), shop, three), shop, three, None, "LeadDisplay"),
        (fitted(SVC(), shop, three), shop, three, ["age", "income"], "BoundaryDisplay"),
        (fitted(OneClassSVM(), shop, two), shop, None, None, "BoundaryDisplay"),
        (SVR().fit(flat[["age"]], number), flat[["age"]], number, None, "RegressionDisplay"),
        (fitted(SVR(), shop, number), shop, number, None, "PredictionDisplay"),
        (fitted(SVR(), shop, number), shop, number, ["income"], "RegressionDisplay"),
        (KNeighborsClassifier().fit(flat, three), flat, three, None, "BoundaryDisplay"),
    ]
    for model, X, y, features, kind in cases:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            display = picture_of(model, X, y, features=features)
            display.plot()
        assert type(display).__name__ == kind


def test_a_slice_says_what_is_fixed(shop):
    y = (shop["age"] > 40) ^ (shop["city"] == "Rom")
    model = fitted(SVC(), shop, y)
    display = picture_of(model, shop, y, features=["age", "income"])
    assert display.note == "slice: city = Rom; rows beside it may be in another region"
    assert [text.get_text() for text in display.plot().texts] == [display.note]
    # The surface is that of the rows with this city.
    corner = pd.DataFrame({"age": [display.surface.x[0]], "income": [display.surface.y[0]]})
    corner["city"] = "Rom"
    assert display.surface.values[0, 0] == pytest.approx(model.decision_function(corner)[0])
    np.testing.assert_allclose(display.points["decision"], model.decision_function(shop))
    with pytest.raises(ValueError, match="columns of texts"):
        picture_of(model, shop, y, features="pca")


def test_along_a_feature_rows_keep_their_residuals(shop):
    rng = np.random.default_rng(0)
    y = pd.Series(np.sin(shop["age"] / 5) + shop["income"] + rng.normal(0, 0.2, 90), name="signal")
    model = fitted(SVR(C=10), shop, y)
    display = picture_of(model, shop, y, features=["age"])
    assert "others fixed: income = " in display.note
    assert "city = Rom" in display.note
    frame = display.frame()
    np.testing.assert_allclose(frame["residuals"][0], model.predict(shop) - y)
    drawn = np.interp(frame["x"], frame["grid"], frame["curves"][0])
    np.testing.assert_allclose(drawn - frame["y"], frame["residuals"][0], atol=0.01)
    ax = display.plot()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("age", "signal")


def test_targets_against_predictions(shop):
    y = pd.Series(shop["age"] + shop["income"], name="signal")
    model = fitted(NuSVR(C=10), shop, y)
    display = picture_of(model, shop, y)
    frame = display.frame()
    np.testing.assert_array_equal(frame["predicted"], model.predict(shop))
    assert frame["epsilon"] == model[-1].epsilon_
    np.testing.assert_array_equal(
        frame["outside"], np.abs(frame["residuals"]) > frame["epsilon"] * (1 + 1e-6) + 1e-12
    )
    ax = display.plot()
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("predicted signal", "signal")


@pytest.mark.parametrize("features", [["age", "income"], "pca", ["age", "income", "city"]])
def test_a_regression_has_one_axis(shop, features):
    model = fitted(SVR(), shop, shop["age"])
    with pytest.raises(ValueError, match="drawn along one column"):
        picture_of(model, shop, shop["age"], features=features)
    with pytest.raises(ValueError, match="y is None"):
        picture_of(model, shop, None)


def test_letters_that_no_font_has_are_told_once(shop, tmp_path):
    X = shop.rename(columns={"age": "\ue000\ue001", "income": "\ue002"})[["\ue000\ue001", "\ue002"]]
    y = shop["city"] == "Rom"
    with pytest.warns(UserWarning, match="no font here has the letters") as said:
        picture_of(SVC().fit(X, y), X, y).save(tmp_path / "picture.png")
    assert len(said) == 1
    assert all(letter in str(said[0].message) for letter in "\ue000\ue001\ue002")
