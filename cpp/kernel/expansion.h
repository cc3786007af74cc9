// Kernel expansions: out[i, p] = sum_k k(x_i, c_k) weights[k, p], in float64.
//
// The decision functions of a model on new rows, and the exact gradient of a solution on its own
// training rows, are the same computation. Centres are taken in chunks whose sums are added, so
// that rounding grows with the chunk length plus the number of chunks rather than with their
// product.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernel/kernel.h"
#include "kernel/tiles.h"
#include "rows/points.h"
#include "run/workers.h"

namespace svm {

inline constexpr int64_t kCentreChunk = 512;
inline constexpr int64_t kMirrorRows = 128;  // rows that a centre's sum takes in together

// The numbers 0 .. count - 1: all rows of some.
std::vector<int64_t> all_rows(int64_t count);

// The weights of centres, in strips of a few centres: in each strip only the outputs that one of
// its centres has a weight for. Of one class against one, a class has weights in the pairs that it
// is one of, and the centres of a class stand side by side.
class Weights {
 public:
  // weights[k * outputs + p] is that of centre k in output p.
  Weights(std::span<const double> weights, int64_t outputs);

  int64_t centres() const { return centres_; }
  int64_t outputs() const { return static_cast<int64_t>(totals_.size()); }
  // The sum of all weights of each output.
  std::span<const double> totals() const { return totals_; }

  // out[r * outputs + p] += sum over first <= k < last of values[r * stride + k - first] times the
  // weight of centre k in output p; `first` is a multiple of kStrip. Sums are in float64.
  template <class T>
  void combine(const T* values, int64_t rows, int64_t stride, int64_t first, int64_t last,
               double* out) const;

  static constexpr int64_t kStrip = 64;

 private:
  struct Strip {
    int64_t outputs, values;  // where its own begin
  };
  int64_t centres_;
  std::vector<double> totals_;
  std::vector<Strip> strips_;     // and one behind the last
  std::vector<int64_t> outputs_;  // of all strips
  std::vector<double> values_;    // panels of outputs, a strip's centres one after the other
};

// out[r * outputs + p] = sum over the centres which[k] of k(points[rows[r]], centre) times its
// weights. False when the monitor stopped it half-way. Centres are packed chunk by chunk.
bool expand(const Kernel& kernel, const Points& centres, std::span<const int64_t> which,
            const Weights& weights, const Points& points, std::span<const int64_t> rows,
            double* out, const Workers& workers);

// The same for predictions: centres packed once, for any number of calls from any thread. They are
// looked up again where sparse rows are near each other, and must live as long as this does.
class Expansion {
 public:
  Expansion(const Kernel& kernel, const Points& centres, std::span<const double> weights,
            int64_t outputs, const Workers& workers);

  int64_t outputs() const { return weights_.outputs(); }
  // Fills out (all rows of the points x outputs, row-major).
  bool evaluate(const Points& points, double* out, const Workers& workers) const;

 private:
  bool add_few(const Tiles<double>& tiles, std::span<const int64_t> rows, double* out,
               const Workers& workers) const;

  Kernel kernel_;
  Weights weights_;
  int64_t entries_ = 0;   // of all centres
  Tiles<double> packed_;  // what is on its left is never asked for
};

// The same for the centres themselves and one output: each value is computed once and used for
// both of its rows.
bool expand_among(const Kernel& kernel, const Points& points, std::span<const int64_t> which,
                  std::span<const double> weights, double* out, const Workers& workers);

}  // namespace svm
