// Sums of Gaussian kernels in float32, with a bound on their error: enough for most labels.
//
// Let t = gamma |x - c|^2, k = exp(-t), and u = 2^-24 the rounding of float32. A value is computed
// as k - 1. With an error of t of e roundings it is wrong by at most u (k (e + 4) + 2): the first
// part by the slope of the exponential and by the exponential itself, the second because 1 - k is
// stored. Of the sums over all centres c with weights w,
//   W = sum |w|,   A = sum |w| k,   sum |w| k t <= A L,   sum |w| k sqrt(t) <= A sqrt(L)
// with L = ln(W / A), because -k ln k is concave. So a row's error is known from A, which costs
// little beside the sum itself, and where most centres are far from a row it is small.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernel/expansion.h"
#include "kernel/kernel.h"
#include "kernel/tiles.h"
#include "rows/points.h"
#include "run/workers.h"

namespace svm {

class RoughExpansion {
 public:
  // Whether a kernel is one that this bound is known for.
  static bool offers(const Kernel& kernel) {
    return kernel.kind == KernelKind::gaussian && kernel.columns == nullptr && kernel.weight == 1;
  }

  // Centres must live as long as this does, as those of an Expansion.
  RoughExpansion(const Kernel& kernel, const Points& centres, std::span<const double> weights,
                 int64_t outputs, const Workers& workers);

  int64_t outputs() const { return weights_.outputs(); }
  // Fills out as Expansion::evaluate does. Between the two, output p of row i differs by at most
  // errors[i] times the output's W; that is infinite where float32 has no room.
  bool evaluate(const Points& points, double* out, double* errors, const Workers& workers) const;

 private:
  // With A at most this share of W.
  double error(const Points& points, int64_t row, double share) const;

  double gamma_;
  Weights weights_;
  // Where there is one output only: |w|, their sum W, and in which chunks all w have one sign.
  std::vector<double> absolute_;
  double size_ = 0;
  std::vector<bool> one_sign_;
  int64_t terms_ = 0;   // most that a dot product has
  double largest_ = 0;  // squared norm
  bool sparse_;         // centres are packed as sparse rows
  bool by_norms_;       // squared distances are differences of norms
  Tiles<float> packed_;
};

}  // namespace svm
