// Linear models that are learnt together, their weights side by side (simd/steps.h), with the
// factors that make shrinking and averaging free.
//
//   w = scale W,   mean = factor (M + ratio W)
//
// Moving W by a row moves M by -ratio times as much.
//
// An l1 has asked every weight for the sum u of all eta_t l1 so far, and a weight has moved by q
// towards zero. It pays what is due when a row has its feature, but not past zero:
//
//   w > 0:  w <- max(0, w - (u + q)),   w < 0:  w <- min(0, w + (u - q)),   q grows by its move
//
// What it could not pay at zero stays due, so that noise alone does not make it leave again
// (Tsuruoka, Tsujii and Ananiadou, 2009).
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "rows/reader.h"
#include "run/large_pages.h"
#include "simd/steps.h"

namespace svm::stream {

template <class W>
struct Models {
  int64_t first, count;    // outputs first .. first + count - 1
  int64_t features, size;  // weights in all, those of no output too
  int width, place;        // models side by side, and the place of their loops
  const simd::StepLoops<W, W>* loops = &simd::step_table().loops<W, W>();
  std::unique_ptr<W[], Free> current, mean;  // W and M, feature by feature
  double scale = 1, ratio = 0, factor = 1;
  double unit = 1, growth = 1;  // 1 / scale and scale / factor, kept to save divisions
  bool begun = false;           // whether the average has, and is not w itself
  double square = 0;            // |W|^2 of a single model, kept by Pegasos
  double asked = 0;             // u
  std::vector<double> paid;     // q, weight by weight; empty: no l1
  double intercept[simd::kMostModels] = {}, mean_intercept[simd::kMostModels] = {};

  Models(int64_t first, int64_t count, int64_t features, bool averaged, bool alone, bool l1)
      : first(first), count(count), features(features) {
    width = alone ? 1 : simd::width_for(count);
    place = simd::width_place(width);
    size = features * width;
    current = zeros();
    if (averaged) mean = zeros();
    if (l1) paid.assign(size, 0.0);
  }

  // The weights and intercepts to be reported.
  const W* reported() const { return begun ? mean.get() : current.get(); }
  const double* reported_intercept() const { return begun ? mean_intercept : intercept; }

  void scores(const RowEntries<W>& row, const W* weights, W* out) const {
    loops->scores[place](row.values, row.columns, row.count, weights, out);
  }

  // w += by x for each model, `by` in units of W.
  void move(const RowEntries<W>& row, const W* by) {
    if (!begun) {
      loops->move[place](row.values, row.columns, row.count, by, current.get(), nullptr, nullptr);
      return;
    }
    W back[simd::kMostModels];
    for (int k = 0; k < width; ++k) back[k] = static_cast<W>(-ratio) * by[k];
    loops->move_both[place](row.values, row.columns, row.count, by, current.get(), back,
                            mean.get());
  }

  // The weights of a row's features pay what an l1 asks for; zeros are no entries in any layout.
  void pay(const RowEntries<W>& row) {
    for (int64_t e = 0; e < row.count; ++e) {
      if (row.values[e] != 0) pay(row.columns == nullptr ? e : row.columns[e]);
    }
  }
  void pay(int64_t feature) {
    for (int64_t k = feature * width; k < (feature + 1) * width; ++k) {
      const double w = scale * static_cast<double>(current[k]);
      const double left = w > 0   ? std::max(0.0, w - (asked + paid[k]))
                          : w < 0 ? std::min(0.0, w + (asked - paid[k]))
                                  : 0;
      if (left == w) continue;
      current[k] = static_cast<W>(left * unit);
      paid[k] += left - w;
    }
  }

  // w *= kept = 1 / back
  void shrink(double kept, double back) {
    if (kept * scale < kSmallest || factor < kSmallest) fold();
    if (kept == 0) {
      std::fill_n(current.get(), size, W(0));
      square = 0;
      ratio = 0;
      return;
    }
    scale *= kept;
    growth *= kept;
    unit *= back;
  }

  // mean <- mean + share (w - mean); before it begins, w is its own mean.
  void average(double share, double grow) {
    if (!begun || share >= 1) {
      begun = true;
      std::fill_n(mean.get(), size, W(0));
      std::copy_n(intercept, width, mean_intercept);
      factor = 1;
      ratio = growth = scale;
      return;
    }
    for (int k = 0; k < width; ++k) mean_intercept[k] += share * (intercept[k] - mean_intercept[k]);
    factor *= 1 - share;
    growth *= grow;
    ratio += share * growth;
  }

  // Makes the factors one: w = W and mean = M.
  void fold() {
    if (begun) {
      const W f = static_cast<W>(factor), r = static_cast<W>(factor * ratio);
      for (int64_t k = 0; k < size; ++k) mean[k] = f * mean[k] + r * current[k];
    }
    if (scale != 1) {
      for (int64_t k = 0; k < size; ++k) current[k] *= static_cast<W>(scale);
    }
    square *= scale * scale;
    scale = unit = factor = growth = 1;
    ratio = 0;
  }

 private:
  // Below this the factors are folded into the weights, long before float32 has no room for them.
  static constexpr double kSmallest = 1e-12;

  std::unique_ptr<W[], Free> zeros() const {
    auto memory = large_pages<W>(static_cast<size_t>(size));
    std::fill_n(memory.get(), size, W(0));
    return memory;
  }
};

}  // namespace svm::stream
