# Three points: the fit of the maxmargin lab, with the same core.
import numpy as np

from maxmargin import SVC

X = np.array([
    [0, 0],
    [2, 0],
    [2, 2],
])
y = np.array([-1, 1, 1])

model = SVC(kernel="linear", C=10)
model.fit(X, y)

print("w =", model.coef_[0])
print("b =", model.intercept_[0])
print("support vectors:", model.support_)
print("alpha * y:", model.dual_coef_[0])
print("certificate:", model.certificate_)

# What the lab has computed in fractions:
alpha = np.array([1/2, 1/2, 0])
assert np.allclose(model.alphas_[0], alpha[model.support_])
assert np.allclose(model.coef_[0], [1, 0])
assert np.isclose(model.intercept_[0], -1)
assert np.isclose(model.certificate_.primal, 1/2)
assert np.isclose(model.certificate_.dual, 1/2)
print("the same numbers as in the lab")
