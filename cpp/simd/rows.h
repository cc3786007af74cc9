// Loops over rows of data as the caller stores them, summed in float64: the passes of the linear
// engine, compiled once per instruction set as those of table.h.
#pragma once

#include <cstdint>

namespace svm::simd {

// Rows are taken four at a time; a sum never depends on which rows share a call.
inline constexpr int kRowGroup = 4;
// Side of the square tiles of `outer`.
inline constexpr int kOuterTile = 16;

template <class X>
struct RowLoops {
  // out[r] = sum_j rows[r][j] * w[j]
  void (*dots)(const X* const* rows, const double* w, int64_t columns, double* out);
  // sum[j] += sum_r weight[r] * rows[r][j]
  void (*add)(const X* const* rows, const double* weight, int64_t columns, double* sum);
  // out[j] = factor * row[j]
  void (*scale)(const X* row, double factor, int64_t columns, double* out);
  // sum_j row[j] * w[j], and sum[j] += a * row[j]
  double (*dot)(const X* row, const double* w, int64_t columns);
  void (*axpy)(const X* row, double a, int64_t columns, double* sum);
};

// The numbers of a piecewise quadratic loss (linear/loss.h), one per row. One of the two is null:
// `centre` belongs to a loss with kinks that is smoothed, `ridge` to one without.
struct TubeRows {
  const double *target, *lower, *upper, *centre, *ridge;
  double sigma, epsilon;
};

struct RowTable {
  RowLoops<float> f32;
  RowLoops<double> f64;
  // out[i * stride + j] += sign * sum_k left[k * left_stride + i] * right[k * right_stride + j]
  // for i, j < kOuterTile
  void (*outer)(const double* left, int64_t left_stride, const double* right, int64_t right_stride,
                int64_t depth, double sign, double* out, int64_t stride);

  // beta and curvature (a smoothed loss: 1 where there is one) at the scores s. terms[0 .. 2] are
  // the sums of the unsmoothed loss, of its conjugate's negative, and of their difference.
  void (*tube_slopes)(const TubeRows& rows, int64_t n, const double* s, double* beta,
                      double* curvature, double* terms);
  // The terms of beta as it is given, without any smoothing, and terms[3] the sum of what the
  // rounding of the scores can do to the loss.
  void (*tube_compare)(const TubeRows& rows, int64_t n, const double* s, const double* beta,
                       double* terms);
  // The sum of what errors of the scores, one for each, can do to the terms.
  double (*tube_rounding)(const TubeRows& rows, int64_t n, const double* s, const double* beta,
                          const double* errors);
  // sums[0] = sum of (beta(s + step delta) - beta) delta, sums[1] = its derivative's negative
  void (*tube_along)(const TubeRows& rows, int64_t n, const double* s, const double* beta,
                     const double* delta, double step, double* sums);
  // The same for C log(1 + exp(-y s)).
  void (*logistic_along)(const double* y, const double* C, int64_t n, const double* s,
                         const double* beta, const double* delta, double step, double* sums);

  template <class X>
  const RowLoops<X>& loops() const {
    if constexpr (sizeof(X) == sizeof(float)) {
      return f32;
    } else {
      return f64;
    }
  }
};

// The widest table this machine runs, chosen once.
const RowTable& row_table();

// All tables this machine runs, narrowest first; the tests compare each with the first.
int available(const RowTable* out[3]);

}  // namespace svm::simd
