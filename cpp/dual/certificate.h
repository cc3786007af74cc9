// How good a dual point is, judged apart from the solver that found it.
//
// With f = (K + R)b - t computed exactly, an intercept c_g for each group, and the residuals
// r_i = t_i - (Kb)_i - c_g = R_i b_i - f_i - c_g, let the loss of a row be the conjugate
//   loss_i(r) = max over v in [lower_i, upper_i] of  v r - epsilon |v| - R_i v^2 / 2.
// Then
//   primal  P = 1/2 b'Kb + sum_i loss_i(r_i) + sum_g c_g total_g
//   dual    D = t'b - 1/2 b'(K + R)b - epsilon |b|_1
//   P - D = sum_i loss_i(r_i) - (b_i r_i - epsilon |b_i| - R_i b_i^2 / 2),
// a sum of terms that are never negative, so it is computed as such and does not cancel. It bounds
// the distance to the optimum where K is positive semidefinite.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "dual/dual.h"
#include "kernel/gram.h"

namespace svm {

struct Certificate {
  double primal = 0, dual = 0;
  double gap = 0;        // (P - D) / max(|P|, |D|)
  double violation = 0;  // in the units of t
  double bound = 0;      // the violation's own error is at most this
  std::array<double, kGroups> intercept = {};
  int64_t support = 0;  // variables that are not zero
  bool convex = true;   // no direction of negative curvature was met: the optimum is global
};

// Of each group the mean of -f over free variables; without any, the middle of the interval of
// optimal ones.
inline std::array<double, kGroups> intercepts(const Box& box, const double* b, const double* f,
                                              const Extremes& e) {
  std::array<double, kGroups> sum = {}, result = {};
  std::array<int64_t, kGroups> free = {};
  for (int64_t i = 0; i < box.size(); ++i) {
    if (!box.free(i, b[i])) continue;
    sum[box.group_of(i)] += f[i] + box.up_offset(i, b[i]);
    ++free[box.group_of(i)];
  }
  for (int g = 0; g < box.groups(); ++g) {
    if (free[g] > 0) {
      result[g] = -sum[g] / static_cast<double>(free[g]);
    } else if (e.up[g] == kInfinity) {
      result[g] = -e.down[g];
    } else if (e.down[g] == -kInfinity) {
      result[g] = -e.up[g];
    } else {
      result[g] = -(e.up[g] + e.down[g]) / 2;
    }
  }
  return result;
}
inline std::array<double, kGroups> intercepts(const Box& box, const double* b, const double* f) {
  return intercepts(box, b, f, extremes(box, b, f));
}

// The v in [lower, upper] at which v r - epsilon |v| - ridge v^2 / 2 is largest.
inline double loss_slope(double r, double lower, double upper, double epsilon, double ridge) {
  const double beyond = std::abs(r) - epsilon;
  if (!(beyond > 0)) return std::clamp(0.0, lower, upper);
  if (ridge == 0) return r > 0 ? upper : lower;
  return std::clamp(std::copysign(beyond / ridge, r), lower, upper);
}

// `error` bounds the error of each f_i. The violation carries it as its bound; where f is only an
// estimate (`widen`), P and D are moved apart by what it may do to them.
inline Certificate certify(const DualProblem& problem, const double* b, const double* f,
                           double error, bool widen = false) {
  const Box& box = problem.box;
  Certificate c;
  const Extremes e = extremes(box, b, f);
  c.intercept = intercepts(box, b, f, e);
  c.violation = e.violation();
  c.bound = 2 * error;
  double quadratic = 0, linear = 0, difference = 0, size = 0, slope = 0;
  std::array<double, kGroups> excess = {-problem.total[0], -problem.total[1]};
  for (int64_t i = 0; i < problem.size(); ++i) {
    const double ridge = problem.ridge_of(i), epsilon = box.epsilon;
    const double r = ridge * b[i] - f[i] - c.intercept[box.group_of(i)];
    const double v = loss_slope(r, box.lower[i], box.upper[i], epsilon, ridge);
    // Adds nothing; but what is not finite has to be noticed.
    if (b[i] == 0 && v == 0 && !widen && std::isfinite(r)) continue;
    quadratic += b[i] * (f[i] + problem.target[i]);
    linear += problem.target[i] * b[i] - epsilon * std::abs(b[i]);
    const double gain =
        (v - b[i]) * (r - ridge * (v + b[i]) / 2) - epsilon * (std::abs(v) - std::abs(b[i]));
    difference += std::max(0.0, gain);
    size += std::abs(b[i]);
    excess[box.group_of(i)] += b[i];
    if (widen) {
      const double above = loss_slope(r + error, box.lower[i], box.upper[i], epsilon, ridge);
      const double below = loss_slope(r - error, box.lower[i], box.upper[i], epsilon, ridge);
      slope += std::max(std::abs(above), std::abs(below));
    }
    c.support += b[i] != 0;
  }
  if (widen) {
    linear -= error * size / 2;
    difference += error * (size + slope);
  }
  c.dual = linear - quadratic / 2;
  c.primal = c.dual + difference;
  c.convex = quadratic >= -error * size;
  const double scale = std::max(std::abs(c.primal), std::abs(c.dual));
  c.gap = difference <= 0 ? 0 : difference / scale;
  // Overflow somewhere, or sums that do not hold: nothing is known about the point.
  const bool feasible = std::max(std::abs(excess[0]), std::abs(excess[1])) <= 1e-9 * size;
  if (!std::isfinite(c.primal) || !std::isfinite(c.dual) || !feasible) {
    c.gap = c.violation = kInfinity;
  }
  return c;
}

// The error of f = Kb - t: that of each entry, and a rounding for each of the `additions` that were
// made one after the other.
inline double gradient_error(const Gram& gram, const DualProblem& problem,
                             std::span<const double> b, int64_t additions) {
  const double roundings = static_cast<double>(additions + 4) * 0x1p-53;
  double target = std::abs(gram.offset() * problem.sum());
  for (const double t : problem.target) target = std::max(target, std::abs(t));
  for (int64_t i = 0; i < problem.size() && !problem.ridge.empty(); ++i) {
    target = std::max(target, problem.ridge[i] * std::abs(b[i]));
  }
  const double size = norm1(b);
  // At b = 0 nothing has to be known about the entries.
  if (size == 0) return roundings * target;
  return size * (gram.exact_error() + roundings * gram.largest_entry()) + roundings * target;
}

// Additions one after the other when the sum is made in chunks, as in expansion.h.
inline int64_t chunked_additions(std::span<const double> b) {
  const int64_t support = count_support(b);
  return std::min(support, kCentreChunk) + support / kCentreChunk +
         (support + kMirrorRows - 1) / kMirrorRows;
}

}  // namespace svm
