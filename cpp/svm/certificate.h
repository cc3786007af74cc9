// How good a dual point is, judged apart from the solver that found it.
//
// With f = Kb - t computed exactly, intercept c and residuals r = t - Kb - c = -(f + c):
//   primal  P = 1/2 b'Kb + sum_i [upper_i (r_i - epsilon)_+ - lower_i (-r_i - epsilon)_+] + c total
//   dual    D = t'b - 1/2 b'Kb - epsilon |b|_1
//   P - D = sum_i [upper_i (r_i - epsilon)_+ - lower_i (-r_i - epsilon)_+ - b_i r_i + epsilon
//   |b_i|],
// a sum of terms that are never negative, so it is computed as such and does not cancel.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "svm/dual.h"
#include "svm/gram.h"

namespace svm {

struct Certificate {
  double primal = 0, dual = 0;
  double gap = 0;        // (P - D) / max(|P|, |D|)
  double violation = 0;  // in the units of t
  double bound = 0;      // the violation's own error is at most this
  double intercept = 0;
  int64_t support = 0;  // variables that are not zero
};

// The mean of -f over free variables; without any, the middle of the interval of optimal ones.
inline double intercept(const Box& box, const double* b, const double* f) {
  double sum = 0;
  int64_t free = 0;
  for (int64_t i = 0; i < box.size(); ++i) {
    if (!box.free(i, b[i])) continue;
    sum += f[i] + box.up_offset(i, b[i]);
    ++free;
  }
  if (free > 0) return -sum / static_cast<double>(free);
  const Extremes e = extremes(box, b, f);
  if (e.up == kInfinity) return -e.down;
  if (e.down == -kInfinity) return -e.up;
  return -(e.up + e.down) / 2;
}

// `error` bounds the error of each f_i.
inline Certificate certify(const DualProblem& problem, const double* b, const double* f,
                           double error) {
  const Box& box = problem.box;
  Certificate c;
  c.intercept = intercept(box, b, f);
  c.violation = extremes(box, b, f).violation();
  c.bound = 2 * error;
  double quadratic = 0, linear = 0, difference = 0;
  for (int64_t i = 0; i < problem.size(); ++i) {
    const double r = -(f[i] + c.intercept);
    const double up = std::max(0.0, r - box.epsilon), down = std::max(0.0, -r - box.epsilon);
    quadratic += b[i] * (f[i] + problem.target[i]);
    linear += problem.target[i] * b[i] - box.epsilon * std::abs(b[i]);
    difference += (up > 0 ? box.upper[i] * up : 0) - (down > 0 ? box.lower[i] * down : 0) -
                  b[i] * r + box.epsilon * std::abs(b[i]);
    c.support += b[i] != 0;
  }
  c.dual = linear - quadratic / 2;
  c.primal = c.dual + difference;
  const double scale = std::max(std::abs(c.primal), std::abs(c.dual));
  c.gap = difference <= 0 ? 0 : difference / scale;
  return c;
}

// The error of f = Kb - t summed as in expansion.h: each entry's own, the sum's, and that of the
// subtraction.
inline double gradient_error(const Gram& gram, const DualProblem& problem,
                             std::span<const double> b) {
  constexpr double u = 0x1p-53;
  int64_t support = 0;
  double target = 0;
  for (const double x : b) support += x != 0;
  for (const double t : problem.target) target = std::max(target, std::abs(t));
  const double depth =
      static_cast<double>(std::min(support, kCentreChunk) + support / kCentreChunk) + 4;
  return norm1(b) * (gram.exact_error() + depth * u * gram.largest_entry()) +
         4 * u * (target + std::abs(gram.offset() * problem.total));
}

}  // namespace svm
