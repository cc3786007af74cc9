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

model = SVC(kernel="linear", C=1)
model.fit(X, y)

print("w =", model.coef_[0])
print("b =", model.intercept_[0])
print("support vectors:", model.support_)
print("alpha * y:", model.dual_coef_[0])
print("certificate:", model.certificate_)

# What the lab has computed in fractions:
alpha = np.array([0, 1369/1690, 0, 1399/1690, 0, 0, 166/169, 1])
assert np.allclose(model.alphas_[0], alpha[model.support_])
assert np.allclose(model.coef_[0], [16/13, -6/13])
assert np.isclose(model.intercept_[0], 3/13)
assert np.isclose(model.certificate_.primal, 2329/845)
assert np.isclose(model.certificate_.dual, 2329/845)
print("the same numbers as in the lab")
