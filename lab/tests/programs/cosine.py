# Two clouds that overlap: the fit of the maxmargin lab, with the same core.
import numpy as np

from maxmargin import SVC
from maxmargin.kernels import Cosine

X = np.array([
    [-0.454, 0.022],
    [1.13, -0.503],
    [0.105, -0.354],
    [0.263, 1.381],
    [-0.435, -0.506],
    [0.828, 1.347],
    [-1.536, -0.963],
    [0.318, 1.399],
    [-0.76, -1.092],
    [0.018, 0.543],
    [-0.792, -1.076],
    [2.094, 1.807],
    [-3.511, -2.689],
    [0.625, 0.378],
    [-0.586, -0.583],
    [2.918, -0.312],
    [-1.178, 1.243],
    [1.447, 1.463],
    [-1.314, -2.448],
    [0.967, 0.909],
    [-2.027, -1.483],
    [0.728, -0.145],
    [-0.898, -0.705],
    [0.836, 0.294],
    [-0.206, 0.091],
    [1.121, -0.018],
    [-0.068, -1.301],
    [1.679, -0.272],
    [0.114, -0.82],
    [-0.449, 0.486],
    [-0.746, -0.527],
    [-0.182, -0.307],
    [-0.6, -1.267],
    [1.036, 1.56],
    [-2.449, -0.546],
    [2.025, 0.502],
    [-1.611, -0.048],
    [1.053, 1.696],
    [-1.145, -2.282],
    [0.69, 0.354],
])
y = np.array([-1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1, -1, 1])

model = SVC(kernel=Cosine(), C=1)
model.fit(X, y)

print("b =", model.intercept_[0])
print("support vectors:", model.support_)
print("alpha * y:", model.dual_coef_[0])
print("certificate:", model.certificate_)

# What the lab shows:
assert np.isclose(model.certificate_.primal, 6.822166048375327, rtol=1e-7)
assert np.isclose(model.certificate_.dual, 6.822166048375327, rtol=1e-7)
assert len(model.support_) == 9
assert np.isclose(model.decision_function(X)[0] if hasattr(model, "decision_function") else model.predict(X)[0], -1.1480020877042916, rtol=1e-6, atol=1e-8)
