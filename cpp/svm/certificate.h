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

// `error` bounds the error of each f_i. The violation carries it as its bound; where f is only an
// estimate (`widen`), P and D are moved apart by what it may do to them.
inline Certificate certify(const DualProblem& problem, const double* b, const double* f,
                           double error, bool widen = false) {
  const Box& box = problem.box;
  Certificate c;
  c.intercept = intercept(box, b, f);
  c.violation = extremes(box, b, f).violation();
  c.bound = 2 * error;
  double quadratic = 0, linear = 0, difference = 0, size = 0, slope = 0;
  for (int64_t i = 0; i < problem.size(); ++i) {
    const double r = -(f[i] + c.intercept);
    const double up = std::max(0.0, r - box.epsilon), down = std::max(0.0, -r - box.epsilon);
    quadratic += b[i] * (f[i] + problem.target[i]);
    linear += problem.target[i] * b[i] - box.epsilon * std::abs(b[i]);
    difference += (up > 0 ? box.upper[i] * up : 0) - (down > 0 ? box.lower[i] * down : 0) -
                  b[i] * r + box.epsilon * std::abs(b[i]);
    size += std::abs(b[i]);
    slope += std::max(-box.lower[i], box.upper[i]);
    c.support += b[i] != 0;
  }
  if (widen) {
    linear -= error * size / 2;
    difference += error * (size + slope);
  }
  c.dual = linear - quadratic / 2;
  c.primal = c.dual + difference;
  const double scale = std::max(std::abs(c.primal), std::abs(c.dual));
  c.gap = difference <= 0 ? 0 : difference / scale;
  // Overflow somewhere: nothing is known about the point.
  if (!std::isfinite(c.primal) || !std::isfinite(c.dual)) c.gap = c.violation = kInfinity;
  return c;
}

// The error of f = Kb - t: that of each entry, and a rounding for each of the `additions` that were
// made one after the other.
inline double gradient_error(const Gram& gram, const DualProblem& problem,
                             std::span<const double> b, int64_t additions) {
  const double roundings = static_cast<double>(additions + 4) * 0x1p-53;
  double target = std::abs(gram.offset() * problem.total);
  for (const double t : problem.target) target = std::max(target, std::abs(t));
  return norm1(b) * (gram.exact_error() + roundings * gram.largest_entry()) + roundings * target;
}

// Additions one after the other when the sum is made in chunks, as in expansion.h.
inline int64_t chunked_additions(std::span<const double> b) {
  const int64_t support = count_support(b);
  return std::min(support, kCentreChunk) + support / kCentreChunk;
}

}  // namespace svm
