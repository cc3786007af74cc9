# A line with three misread points: the fit of the maxmargin lab, with the same core.
import numpy as np

from maxmargin import NuSVR

X = np.array([
    [0],
    [0.345],
    [0.69],
    [1.034],
    [1.379],
    [1.724],
    [2.069],
    [2.414],
    [2.759],
    [3.103],
    [3.448],
    [3.793],
    [4.138],
    [4.483],
    [4.828],
    [5.172],
    [5.517],
    [5.862],
    [6.207],
    [6.552],
    [6.897],
    [7.241],
    [7.586],
    [7.931],
    [8.276],
    [8.621],
    [8.966],
    [9.31],
    [9.655],
    [10],
])
y = np.array([0.948, 1.11, 1.436, 1.643, 1.921, 1.791, 1.896, 2.205, 2.336, 2.617, 2.469, 3.09, 3.063, 3.445, 3.412, 3.719, 3.774, 3.793, 4.246, 4.198, 4.827, 4.859, 4.528, 4.76, -0.739, 5.175, -0.188, 5.836, -0.116, 5.789])

model = NuSVR(kernel="linear", C=1, nu=0.3)
model.fit(X, y)

print("b =", model.intercept_[0])
print("support vectors:", model.support_)
print("alpha * y:", model.dual_coef_[0])
print("certificate:", model.certificate_)

# What the lab shows:
assert np.isclose(model.certificate_.primal, 18.984227480472207, rtol=1e-7)
assert np.isclose(model.certificate_.dual, 18.984227480472203, rtol=1e-7)
assert len(model.support_) == 10
assert np.isclose(model.decision_function(X)[0] if hasattr(model, "decision_function") else model.predict(X)[0], 1.1484141531323164, rtol=1e-6, atol=1e-8)
