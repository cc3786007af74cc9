// Loops of stochastic steps: scores of one row by several linear models, and a move of their
// weights along it. Compiled once per instruction set as those of table.h.
//
// Weights of several models stand side by side, feature by feature, so that an entry of a sparse
// row costs one cache line for all of them. A model's sums are the same bits in any company.
#pragma once

#include <cstdint>

namespace svm::simd {

// Models side by side: 1, 4, 8 or 16.
inline constexpr int kMostModels = 16;
inline constexpr int kWidths[] = {1, 4, 8, kMostModels};

// Rows of X, weights of W. A row has `count` entries; `columns` is null where it has them all.
template <class X, class W>
struct StepLoops {
  // out[k] = sum_e values[e] * weights[columns[e] * width + k]
  using Scores = void (*)(const X* values, const int32_t* columns, int64_t count, const W* weights,
                          W* out);
  // weights[columns[e] * width + k] += by[k] * values[e], and with other_by the other ones
  using Move = void (*)(const X* values, const int32_t* columns, int64_t count, const W* by,
                        W* weights, const W* other_by, W* other);
  Scores scores[4];
  Move move[4], move_both[4];  // move leaves the other weights alone
};

// The least width above 1 for this many models.
inline int width_for(int64_t models) { return models <= 4 ? 4 : models <= 8 ? 8 : kMostModels; }
// The place of a width among kWidths.
inline int width_place(int width) { return width == 1 ? 0 : width == 4 ? 1 : width == 8 ? 2 : 3; }

// Step sizes and shares in the average of steps t = 1, 2, ...
//
//   eta   = eta0 / max(1 + convexity eta0 (t - origin), (1 + decay (t - origin))^power)
//   share = (1 + forget) / (t - start + forget)           for t > start, else 0
struct Schedule {
  double alpha = 0, eta0 = 1, convexity = 0, decay = 0, power = 1, origin = 0;
  double start = 0, forget = 0;  // steps before the average begins, and how it forgets them
};
struct StepFactors {
  double* eta;
  double *kept, *back;   // 1 - alpha eta, not below 0, and 1 / kept where that is a number
  double *share, *grow;  // of the average, and 1 / (1 - share) where that is a number
};

struct StepTable {
  StepLoops<float, float> f32;
  StepLoops<double, double> f64;
  StepLoops<float, double> mixed;
  // Entry k of each array for step first + k, k < count
  void (*schedule)(const Schedule& schedule, int64_t first, int64_t count, const StepFactors& out);

  template <class X, class W>
  const StepLoops<X, W>& loops() const {
    if constexpr (sizeof(W) == sizeof(float)) {
      return f32;
    } else if constexpr (sizeof(X) == sizeof(float)) {
      return mixed;
    } else {
      return f64;
    }
  }
};

// The widest table this machine runs, chosen once.
const StepTable& step_table();

// All tables this machine runs, narrowest first; the tests compare each with the first.
int available(const StepTable* out[3]);

}  // namespace svm::simd
