// Dense rows packed once for many predictions.
//
// Prediction needs no bound on each value as a certificate does, and asks for one row at a time as
// often as for many. So squared distances come from norms and dot products even where rows are
// short, features that are zero on the left are left out of the dot products, and a row alone goes
// through the panels by itself. All values are the same bits in any company.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/panels.h"
#include "simd/table.h"

namespace svm {

template <class T>
class ListedPanels final : public Panels<T> {
 public:
  ListedPanels(const Points& points, std::span<const int64_t> rows, const Workers& workers)
      : packed_(points, rows, workers) {
    for (const int64_t row : rows) norms_.push_back(static_cast<T>(points.squared_norm(row)));
  }

  int64_t size() const override { return packed_.size(); }
  int64_t padded() const override { return packed_.padded(); }
  void measure(Measure measure, const Points& points, std::span<const int64_t> rows, int64_t begin,
               int64_t end, T* out, int64_t stride) const override {
    const bool from_norms = measure == Measure::squares && packed_.depth() >= kShortRow;
    const bool products = measure == Measure::dots || from_norms;
    if (rows.size() == 1) {
      measure_one(from_norms ? Measure::dots : measure, points, rows[0], begin, end, out);
    } else if (products) {
      multiply(points, rows, begin, end, out, stride);
    } else {
      packed_.measure(measure, points, rows, begin, end, out, stride);
    }
    for (size_t r = 0; r < rows.size() && from_norms; ++r) {
      subtract(points, rows[r], begin, end, out + r * stride);
    }
  }

 private:
  // Shorter rows are quicker by their differences; in float32 differences of norms lose too much.
  static constexpr int64_t kShortRow = sizeof(T) == sizeof(float) ? simd::kLongRow : 8;
  static constexpr int64_t kRun = 32;  // columns that are looked through for near ones together

  // Rows side by side with the features in which any of them is not zero, or with all of them.
  struct List {
    std::vector<int32_t> features;
    std::vector<T> values;
    int64_t count = 0;

    List(const T* rows, int64_t depth, int64_t step, bool all)
        : features(depth), values(depth * step) {
      for (int64_t k = 0; k < depth; ++k) {
        bool some = all;
        for (int64_t r = 0; r < step; ++r) {
          values[count * step + r] = rows[k * step + r];
          some |= rows[k * step + r] != 0;
        }
        features[count] = static_cast<int32_t>(k);
        count += some;
      }
    }
  };

  void measure_one(Measure measure, const Points& points, int64_t row, int64_t begin, int64_t end,
                   T* out) const {
    const LeftPanel<T> left(points, {&row, 1}, 1);
    const List list(left.group(), packed_.depth(), 1, measure != Measure::dots);
    const int64_t panels = (end - begin + loops_.width - 1) / loops_.width;
    loop(measure)(list.values.data(), list.features.data(), list.count, packed_.panel(begin),
                  packed_.depth(), panels, out);
  }

  void multiply(const Points& points, std::span<const int64_t> rows, int64_t begin, int64_t end,
                T* out, int64_t stride) const {
    std::vector<List> lists;
    {
      const LeftPanel<T> left(points, rows, simd::kTileRows);
      for (size_t r = 0; r < rows.size(); r += simd::kTileRows) {
        lists.emplace_back(left.group(r), packed_.depth(), simd::kTileRows, false);
      }
    }
    for (int64_t c = begin; c < end; c += loops_.width) {
      T* corner = out + c - begin;
      for (const List& list : lists) {
        loops_.listed_dots(list.values.data(), list.features.data(), list.count, packed_.panel(c),
                           corner, stride);
        corner += simd::kTileRows * stride;
      }
    }
  }

  // |x - z|^2 = |x|^2 + |z|^2 - 2 <x, z>; where that loses digits, the sum of squared differences.
  void subtract(const Points& points, int64_t row, int64_t begin, int64_t end, T* out) const {
    const T norm = static_cast<T>(points.squared_norm(row)), *norms = norms_.data() + begin;
    if (loops_.quick_differences(out, norms, norm, 2, end - begin) == 0) return;
    const auto near = [&](int64_t c) {
      return !simd::far(out[c], norm + norms[c], simd::kVeryNear);
    };
    std::vector<T> exact(kRun);
    for (int64_t first = 0; first < end - begin; first += kRun) {
      const int64_t last = std::min(end - begin, first + kRun);
      bool any = false;
      for (int64_t c = first; c < last; ++c) any |= near(c);
      if (!any) continue;
      measure_one(Measure::squares, points, row, begin + first, begin + last, exact.data());
      for (int64_t c = first; c < last; ++c) {
        if (near(c)) out[c] = exact[c - first];
      }
    }
  }

  typename simd::Loops<T>::Row loop(Measure measure) const {
    switch (measure) {
      case Measure::squares:
        return loops_.row_squares;
      case Measure::absolutes:
        return loops_.row_absolutes;
      case Measure::chi2:
        return loops_.row_chi2;
      default:
        return loops_.row_dots;
    }
  }

  const simd::Loops<T>& loops_ = simd::table().loops<T>();
  DensePanels<T> packed_;
  std::vector<T> norms_;
};

}  // namespace svm
