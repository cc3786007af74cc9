# Four points: the fit of the maxmargin lab, with the same core.
import numpy as np

from maxmargin import SVC

X = np.array([
    [0, 0],
    [0.5, 1.5],
    [2, 3],
    [3, 1],
])
y = np.array([-1, -1, 1, 1])

model = SVC(kernel="linear", C=10)
model.fit(X, y)

print("w =", model.coef_[0])
print("b =", model.intercept_[0])
print("support vectors:", model.support_)
print("alpha * y:", model.dual_coef_[0])
print("certificate:", model.certificate_)

# What the lab has computed in fractions:
alpha = np.array([0, 40/81, 28/81, 4/27])
assert np.allclose(model.alphas_[0], alpha[model.support_])
assert np.allclose(model.coef_[0], [8/9, 4/9])
assert np.isclose(model.intercept_[0], -19/9)
assert np.isclose(model.certificate_.primal, 40/81)
assert np.isclose(model.certificate_.dual, 40/81)
print("the same numbers as in the lab")
