// Platt's sigmoid: the probability of the positive class, P(f) = 1 / (1 + exp(A f + B)), A <= 0.
#pragma once

#include <cmath>
#include <span>

namespace svm {

struct Sigmoid {
  double slope, offset;  // A, B

  double operator()(double f) const {
    const double z = slope * f + offset;
    const double e = std::exp(-std::abs(z));
    return (z >= 0 ? e : 1) / (1 + e);
  }
};

// Scores of rows that the machine has not seen, their signs, and what each counts. Where the best
// slope would be positive, scores say nothing, and P is the positive class's share.
Sigmoid fit_sigmoid(std::span<const double> score, std::span<const double> sign,
                    std::span<const double> weight);

}  // namespace svm
