"""
A loss of your own, solved exactly
==================================

The pinball loss makes regression estimate a quantile. It is not in the library; eighteen lines make it a loss that the
exact solvers take, with kernels and with certificates.
"""

from dataclasses import dataclass

import numpy as np
from matplotlib import pyplot

from maxmargin.data import check_data
from maxmargin.kernels import RBF
from maxmargin.losses import ResidualLoss, Tube
from maxmargin.models import KernelModel
from maxmargin.problems import loss_dual
from maxmargin.solvers import solve


@dataclass(frozen=True)
class Pinball(ResidualLoss):
    """max((1 - share) r, -share r): the best f has this share of the targets below it."""

    share: float = 0.5

    def value(self, r):
        return np.maximum((1 - self.share) * np.asarray(r), -self.share * np.asarray(r))

    def subdifferential(self, r):
        low, high = -self.share, 1 - self.share
        return np.where(np.asarray(r) <= 0, low, high), np.where(np.asarray(r) < 0, low, high)

    def conjugate(self, s):
        inside = (np.asarray(s) >= -self.share) & (np.asarray(s) <= 1 - self.share)
        return np.where(inside, 0.0, np.inf)

    def tube(self, y, C):
        return Tube(y, lower=-(1 - self.share) * C, upper=self.share * C)


# %%
# The noise grows from left to right; three quantiles show it.

rng = np.random.default_rng(0)
X = np.sort(rng.uniform(0, 3, (400, 1)), axis=0)
y = np.sin(2 * X[:, 0]) + (0.1 + 0.25 * X[:, 0]) * rng.normal(size=400)
data = check_data(X, y)
curves = {}
for share in (0.1, 0.5, 0.9):
    problem = loss_dual(data, RBF(gamma=1.0), Pinball(share), 5.0)
    [solution] = solve([problem])
    curves[share] = KernelModel.of([problem], [solution]).decide(X)[:, 0]
    below = np.mean(y < curves[share])
    print(
        f"{share:.0%} quantile: {below:.1%} of the targets below, gap {solution.certificate.gap:.0e}"
    )
    assert abs(below - share) < 0.02
    assert solution.certificate.gap < 1e-6

# %%

# Alt: Four hundred dots along a sine curve, spreading from left to right. Three smooth curves follow them: the median
# through the middle, and the ten and ninety per cent quantiles, which part from it as the dots spread.
figure, axes = pyplot.subplots(figsize=(6.4, 3.6), layout="constrained")
axes.scatter(X[:, 0], y, s=8, color="0.6")
for share, look in ((0.9, "--"), (0.5, "-"), (0.1, "-.")):
    axes.plot(X[:, 0], curves[share], look, label=f"{share:.0%} quantile")
axes.set(xlabel="x", ylabel="y")
axes.legend(loc="upper left")
