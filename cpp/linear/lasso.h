// The quadratic model of an L1 problem: minimise 1/2 u'Gu - q'u + sum_j penalty_j |u_j|.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "run/monitor.h"

namespace svm::linear {

// Coordinate descent from u, in place, until no step changes the model by more than `tol` of the
// largest so far. G is symmetric, of order u.size(), row-major.
inline void lasso(std::span<const double> gram, std::span<const double> linear,
                  std::span<const double> penalty, double tol, std::span<double> u,
                  std::span<double> residual, Monitor& monitor) {
  const int64_t n = static_cast<int64_t>(u.size());
  constexpr int kMostSweeps = 1000;
  // residual = q - Gu
  for (int64_t i = 0; i < n; ++i) {
    double sum = linear[i];
    for (int64_t j = 0; j < n; ++j) sum -= gram[i * n + j] * u[j];
    residual[i] = sum;
  }
  double largest = 0;
  for (int sweep = 0; sweep < kMostSweeps && !monitor.stop(); ++sweep) {
    double gain = 0;
    for (int64_t i = 0; i < n; ++i) {
      const double curve = gram[i * n + i];
      if (!(curve > 0)) continue;
      const double v = residual[i] + curve * u[i];
      const double next = (v - std::clamp(v, -penalty[i], penalty[i])) / curve;
      const double delta = next - u[i];
      if (delta == 0) continue;
      u[i] = next;
      for (int64_t j = 0; j < n; ++j) residual[j] -= delta * gram[i * n + j];
      gain = std::max(gain, curve * delta * delta);
    }
    largest = std::max(largest, gain);
    if (gain <= tol * largest) return;
  }
}

}  // namespace svm::linear
