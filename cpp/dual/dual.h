// The one dual that every formulation is an instance of, in signed variables beta = y alpha:
//
//   minimise    1/2 beta'(K + R)beta - t'beta + epsilon |beta|_1
//   subject to  lower <= beta <= upper  and
//               sum of beta over group g = total_g,  for one group or two.
//
// R is a diagonal ridge (squared losses). nu formulations have two groups; nu-SVR has two variables
// per row, v and v + n, one in each group.
//
// With the gradient f = (K + R)beta - t of the smooth part, moving beta_i up costs f_i + epsilon
// where beta_i >= 0 and f_i - epsilon where beta_i < 0; moving it down likewise. A point is optimal
// when no variable that can go up costs less than one of its group that can go down gives back. The
// largest such difference is the violation (m - M of LIBSVM), in the units of t.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

#include "core/certificate.h"
#include "core/settings.h"
#include "simd/variables.h"

namespace svm {

struct Box {
  std::span<const double> lower, upper;
  double epsilon = 0;
  std::span<const uint8_t> group = {};  // empty: all in group 0

  int64_t size() const { return static_cast<int64_t>(lower.size()); }
  int groups() const { return group.empty() ? 1 : kGroups; }
  int group_of(int64_t i) const { return group.empty() ? 0 : group[i]; }
  // What to add to f_i for the cost of going up (+infinity where beta_i cannot) or down
  // (-infinity).
  double up_offset(int64_t i, double beta) const {
    return beta < upper[i] ? (beta >= 0 ? epsilon : -epsilon) : kInfinity;
  }
  double down_offset(int64_t i, double beta) const {
    return beta > lower[i] ? (beta > 0 ? epsilon : -epsilon) : -kInfinity;
  }
  // What each variable of the block from `first` on costs to move up, and gives back on the way
  // down; how many these are. Which of them can move is not predictable: there must be no branch on
  // it.
  static constexpr int64_t kBlock = 64;
  int64_t costs(int64_t first, const double* beta, const double* f, double* up,
                double* down) const {
    const int64_t count = std::min(kBlock, size() - first);
    const double *least = lower.data() + first, *most = upper.data() + first;
    const double gap = epsilon;
    beta += first, f += first;
    for (int64_t k = 0; k < count; ++k) {
      const double x = beta[k], rise = x >= 0 ? gap : -gap, fall = x > 0 ? gap : -gap;
      up[k] = f[k] + (x < most[k] ? rise : kInfinity);
      down[k] = f[k] + (x > least[k] ? fall : -kInfinity);
    }
    return count;
  }
  // How far beta_i goes until a bound, or until the kink at 0 when epsilon > 0.
  double up_end(int64_t i, double beta) const { return epsilon > 0 && beta < 0 ? 0 : upper[i]; }
  double down_end(int64_t i, double beta) const { return epsilon > 0 && beta > 0 ? 0 : lower[i]; }
  bool free(int64_t i, double beta) const {
    return beta > lower[i] && beta < upper[i] && (epsilon == 0 || beta != 0);
  }
};

struct DualProblem {
  std::span<const double> target;
  Box box;
  std::array<double, kGroups> total = {};
  std::span<const double> ridge = {};  // empty: none

  int64_t size() const { return static_cast<int64_t>(target.size()); }
  double sum() const { return total[0] + total[1]; }
  double ridge_of(int64_t i) const { return ridge.empty() ? 0 : ridge[i]; }
};

inline double norm1(std::span<const double> beta) {
  double sum = 0;
  for (const double x : beta) sum += std::abs(x);
  return sum;
}

inline int64_t count_support(std::span<const double> beta) {
  int64_t count = 0;
  for (const double x : beta) count += x != 0;
  return count;
}

// Of each group, the cheapest way up and the most expensive way down.
struct Extremes {
  std::array<double, kGroups> up = {kInfinity, kInfinity};
  std::array<double, kGroups> down = {-kInfinity, -kInfinity};

  double violation(int g) const {
    return up[g] < kInfinity && down[g] > -kInfinity ? std::max(0.0, down[g] - up[g]) : 0;
  }
  double violation() const { return std::max(violation(0), violation(1)); }
  // Between the two; 0 where one is missing.
  double level(int g) const {
    return up[g] < kInfinity && down[g] > -kInfinity ? (up[g] + down[g]) / 2 : 0;
  }
};

// What the passes over all variables read of a box of one group.
inline simd::Variables variables_of(const Box& box, const double* beta, const double* f) {
  return {box.lower.data(), box.upper.data(), beta, f, box.epsilon, box.size()};
}

inline Extremes extremes(const Box& box, const double* beta, const double* f) {
  Extremes e;
  if (box.group.empty()) {
    const simd::VariableLevels found = simd::variable_table().levels(variables_of(box, beta, f));
    e.up[0] = found.up, e.down[0] = found.down;
    return e;
  }
  std::array<double, Box::kBlock> up, down;
  for (int64_t first = 0; first < box.size(); first += Box::kBlock) {
    const int64_t count = box.costs(first, beta, f, up.data(), down.data());
    for (int64_t k = 0; k < count; ++k) {
      const int g = box.group[first + k];
      e.up[g] = std::min(e.up[g], up[k]);
      e.down[g] = std::max(e.down[g], down[k]);
    }
  }
  return e;
}

}  // namespace svm
