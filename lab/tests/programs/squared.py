# An outlier: the fit of the maxmargin lab, with the same core.
import numpy as np

from maxmargin import SVC

X = np.array([
    [-1.003, -0.369],
    [0.218, 2.128],
    [-1.226, -1.64],
    [0.758, 0.604],
    [-1.323, -0.741],
    [1.521, 1.551],
    [-2.132, -2.064],
    [2.055, 1.733],
    [0.001, -0.535],
    [0.637, 1.907],
    [-0.854, -1.082],
    [0.749, 1.202],
    [-1.281, -0.709],
    [1.268, 2.072],
    [-1.626, -0.941],
    [1.474, 0.725],
    [-1.85, -0.643],
    [1.485, 1.111],
    [-0.983, -1.571],
    [1.331, 0.867],
    [-1.096, -0.658],
    [1.013, 1.667],
    [-1.769, -1.359],
    [0.449, 1.145],
    [-1.157, -1.308],
    [1.053, 1.937],
    [-0.417, -1.869],
    [1.846, 0.252],
    [-1.604, -1.295],
    [1.261, 0.624],
    [-0.6, 2.6],
])
y = np.array([-1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1])

model = SVC(kernel="linear", C=1, loss="squared_hinge")
model.fit(X, y)

print("w =", model.coef_[0])
print("b =", model.intercept_[0])
print("support vectors:", model.support_)
print("alpha * y:", model.dual_coef_[0])
print("certificate:", model.certificate_)

# What the lab shows:
assert np.isclose(model.certificate_.primal, 1.9203984610296314, rtol=1e-7)
assert np.isclose(model.certificate_.dual, 1.9203984610296314, rtol=1e-7)
assert len(model.support_) == 5
assert np.isclose(model.decision_function(X)[0] if hasattr(model, "decision_function") else model.predict(X)[0], -1.995612458688085, rtol=1e-6, atol=1e-8)
