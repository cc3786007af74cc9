# Eight points, two with slack: the fit of the maxmargin lab, with the same core.
import numpy as np

from maxmargin import SVC

X = np.array([
    [-2, 1.5],
    [-1, 0],
    [-1.8, -1.2],
    [1, 1],
    [2, -1],
    [1.5, 0.2],
    [0.4, -0.6],
    [0.8, 0.7],
])
y = np.array([-1, -1, -1, 1, 1, 1, 1, -1])
weight = np.array([1, 2.5, 1, 1, 1, 1, 1, 1])

model = SVC(kernel="linear", C=0.5)
model.fit(X, y, sample_weight=weight)

print("w =", model.coef_[0])
print("b =", model.intercept_[0])
print("support vectors:", model.support_)
print("alpha * y:", model.dual_coef_[0])
print("certificate:", model.certificate_)

# What the lab shows:
assert np.isclose(model.certificate_.primal, 1.6688215421303654, rtol=1e-7)
assert np.isclose(model.certificate_.dual, 1.6688215421303654, rtol=1e-7)
assert len(model.support_) == 5
assert np.isclose(model.decision_function(X)[0] if hasattr(model, "decision_function") else model.predict(X)[0], -2.035492845786963, rtol=1e-6, atol=1e-8)
