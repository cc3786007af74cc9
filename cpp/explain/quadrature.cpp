#include "explain/quadrature.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace svm {

// Newton's method on the Legendre polynomial P_n from Tricomi's guess of its roots; the weight of a
// root x is 2 / ((1 - x^2) P_n'(x)^2), on [0, 1] half of it.
Quadrature::Quadrature(int64_t n) : nodes(n), weights(n) {
  for (int64_t i = 0; i < (n + 1) / 2; ++i) {
    double x = std::cos(std::numbers::pi * (static_cast<double>(i) + 0.75) / (n + 0.5));
    double slope = 1;
    for (int round = 0; round < 100; ++round) {
      double before = 1, p = x;
      for (int64_t k = 2; k <= n; ++k) {
        const double next = ((2 * k - 1) * x * p - (k - 1) * before) / k;
        before = p;
        p = next;
      }
      slope = n * (x * p - before) / (x * x - 1);
      const double step = p / slope;
      x -= step;
      if (std::abs(step) < 1e-15) break;
    }
    nodes[i] = (1 + x) / 2;
    nodes[n - 1 - i] = (1 - x) / 2;
    weights[i] = weights[n - 1 - i] = 1 / ((1 - x * x) * slope * slope);
  }
}

Quadratures::Quadratures(int64_t highest_degree) {
  int64_t n = 1;
  do {
    rules_.emplace_back(n);
    // Few rules for long rows: each costs n^2.
    n = n < 4 ? 4 : n + 4 * std::max<int64_t>(1, n / 32);
  } while (2 * static_cast<int64_t>(rules_.back().nodes.size()) - 1 < highest_degree);
}

const Quadrature& Quadratures::of_degree(int64_t degree) const {
  const auto enough = [](const Quadrature& rule, int64_t asked) {
    return 2 * static_cast<int64_t>(rule.nodes.size()) - 1 < asked;
  };
  return *std::lower_bound(rules_.begin(), rules_.end(), degree, enough);
}

}  // namespace svm
