// Kernel expansions: out[i, p] = sum_k k(x_i, c_k) weights[k, p], in float64.
//
// The decision functions of a model on new rows, and the exact gradient of a solution on its own
// training rows, are the same computation. Centres are taken in chunks whose sums are added, so
// that rounding grows with the chunk length plus the number of chunks rather than with their
// product.
#pragma once

#include <cstdint>
#include <span>

#include "svm/kernel.h"
#include "svm/points.h"
#include "svm/workers.h"

namespace svm {

inline constexpr int64_t kCentreChunk = 512;
inline constexpr int64_t kMirrorRows = 128;  // rows that a centre's sum takes in together

struct Expansion {
  const Kernel& kernel;
  const Points& centres;
  std::span<const int64_t> which;   // rows of `centres` that take part
  std::span<const double> weights;  // which.size() x outputs, row-major
  int64_t outputs;
};

// Fills out (rows.size() x outputs, row-major). False when the monitor stopped it half-way.
bool expand(const Expansion& expansion, const Points& points, std::span<const int64_t> rows,
            double* out, const Workers& workers);

// The same for the centres themselves and one output: each value is computed once and used for
// both of its rows.
bool expand_among(const Kernel& kernel, const Points& points, std::span<const int64_t> which,
                  std::span<const double> weights, double* out, const Workers& workers);

}  // namespace svm
