# XOR, four corners: the fit of the maxmargin lab, with the same core.
import numpy as np

from maxmargin import SVC

X = np.array([
    [-1, -1],
    [1, 1],
    [-1, 1],
    [1, -1],
])
y = np.array([-1, -1, 1, 1])

model = SVC(kernel="poly", gamma=1, degree=2, coef0=1, C=1)
model.fit(X, y)

print("b =", model.intercept_[0])
print("support vectors:", model.support_)
print("alpha * y:", model.dual_coef_[0])
print("certificate:", model.certificate_)

# What the lab has computed in fractions:
alpha = np.array([1/8, 1/8, 1/8, 1/8])
assert np.allclose(model.alphas_[0], alpha[model.support_])
assert np.isclose(model.intercept_[0], 0)
assert np.isclose(model.certificate_.primal, 1/4)
assert np.isclose(model.certificate_.dual, 1/4)
print("the same numbers as in the lab")
