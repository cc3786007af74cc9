// Data and problems for the tests, the same on every platform.
#pragma once

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "dual/dual.h"
#include "kernel/gram.h"

namespace test {

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  double uniform() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state_ >> 11) * 0x1p-53;
  }
  double normal() {
    return std::sqrt(-2 * std::log(1 - uniform())) * std::cos(6.283185307179586 * uniform());
  }

 private:
  uint64_t state_;
};

// Two overlapping clouds of n rows and d features.
struct Clouds {
  int64_t n, d;
  std::vector<double> x, y, lower, upper;
  std::vector<int64_t> index;
  svm::DensePoints<double> points;

  Clouds(int64_t n, int64_t d, double C, uint64_t seed = 1)
      : n(n),
        d(d),
        x(n * d),
        y(n),
        lower(n),
        upper(n),
        index(n),
        points(svm::DenseRows<double>{x.data(), n, d}) {
    Random random(seed);
    for (int64_t i = 0; i < n; ++i) {
      y[i] = i % 2 == 0 ? 1 : -1;
      lower[i] = std::min(0.0, C * y[i]);
      upper[i] = std::max(0.0, C * y[i]);
      index[i] = i;
      for (int64_t k = 0; k < d; ++k) x[i * d + k] = random.normal() + (k == 0 ? 0.7 * y[i] : 0);
    }
  }
  Clouds(const Clouds&) = delete;

  svm::DualProblem problem(double epsilon = 0, double total = 0) const {
    return {y, {lower, upper, epsilon, {}}, {total, 0}, {}};
  }
  svm::Kernel gaussian() const { return {svm::KernelKind::gaussian, 0.5 / d, 0, 3}; }
};

}  // namespace test
