// The one dual that every formulation is an instance of, in signed variables b = y alpha:
//
//   minimise  1/2 b'Kb - t'b + epsilon |b|_1   subject to  1'b = total,  lower <= b <= upper.
//
// With the gradient f = Kb - t of the smooth part, moving b_i up costs f_i + epsilon where b_i >= 0
// and f_i - epsilon where b_i < 0; moving it down likewise. A point is optimal when no variable
// that can go up costs less than one that can go down gives back. The largest such difference is
// the violation (m - M of LIBSVM), in the units of t.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace svm {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Box {
  std::span<const double> lower, upper;
  double epsilon = 0;

  int64_t size() const { return static_cast<int64_t>(lower.size()); }
  // What to add to f_i for the cost of going up (+infinity where b_i cannot) or down (-infinity).
  double up_offset(int64_t i, double b) const {
    return b < upper[i] ? (b >= 0 ? epsilon : -epsilon) : kInfinity;
  }
  double down_offset(int64_t i, double b) const {
    return b > lower[i] ? (b > 0 ? epsilon : -epsilon) : -kInfinity;
  }
  // How far b_i goes until a bound, or until the kink at 0 when epsilon > 0.
  double up_end(int64_t i, double b) const { return epsilon > 0 && b < 0 ? 0 : upper[i]; }
  double down_end(int64_t i, double b) const { return epsilon > 0 && b > 0 ? 0 : lower[i]; }
  bool free(int64_t i, double b) const {
    return b > lower[i] && b < upper[i] && (epsilon == 0 || b != 0);
  }
};

struct DualProblem {
  std::span<const double> target;
  Box box;
  double total = 0;

  int64_t size() const { return static_cast<int64_t>(target.size()); }
};

inline double norm1(std::span<const double> b) {
  double sum = 0;
  for (const double x : b) sum += std::abs(x);
  return sum;
}

inline int64_t count_support(std::span<const double> b) {
  int64_t count = 0;
  for (const double x : b) count += x != 0;
  return count;
}

struct Extremes {
  double up = kInfinity;     // cheapest way up
  double down = -kInfinity;  // dearest way down
  double violation() const {
    return up < kInfinity && down > -kInfinity ? std::max(0.0, down - up) : 0;
  }
};

inline Extremes extremes(const Box& box, const double* b, const double* f) {
  Extremes e;
  for (int64_t i = 0; i < box.size(); ++i) {
    e.up = std::min(e.up, f[i] + box.up_offset(i, b[i]));
    e.down = std::max(e.down, f[i] + box.down_offset(i, b[i]));
  }
  return e;
}

}  // namespace svm
