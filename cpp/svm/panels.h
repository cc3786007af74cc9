// Rows packed for the register tiles of simd/table.h: features outermost, rows side by side.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "simd/table.h"
#include "svm/kernel.h"
#include "svm/points.h"

namespace svm {

// The left-hand side of a tile: up to kTileRows rows, the missing ones zero.
template <class T>
class LeftPanel {
 public:
  void pack(const Points& points, std::span<const int64_t> rows) {
    values_.assign(points.columns() * simd::kTileRows, T(0));
    for (size_t r = 0; r < rows.size(); ++r) {
      points.copy_row(rows[r], values_.data() + r, simd::kTileRows);
    }
  }
  const T* data() const { return values_.data(); }

 private:
  std::vector<T> values_;
};

// The right-hand side: any number of rows in panels of the instruction set's width.
template <class T>
class Panels {
 public:
  Panels(const Points& points, std::span<const int64_t> rows)
      : loops_(simd::table().loops<T>()),
        size_(static_cast<int64_t>(rows.size())),
        depth_(points.columns()),
        values_(count() * depth_ * loops_.width, T(0)) {
    for (int64_t i = 0; i < size_; ++i) {
      T* panel = values_.data() + (i / loops_.width) * depth_ * loops_.width;
      points.copy_row(rows[i], panel + i % loops_.width, loops_.width);
    }
  }

  int64_t size() const { return size_; }
  int64_t padded() const { return count() * loops_.width; }
  int width() const { return loops_.width; }

  // out[r * stride + c - begin] = k(left_r, x_c) for the panels that hold columns begin .. end - 1;
  // begin is a multiple of width() and stride has room for whole panels.
  void kernel(const Kernel& k, const LeftPanel<T>& left, int64_t begin, int64_t end, T* out,
              int64_t stride) const {
    const auto tile = k.uses_distances() ? loops_.distances : loops_.dots;
    for (int64_t c = begin; c < end; c += loops_.width) {
      tile(left.data(), values_.data() + c * depth_, depth_, out + (c - begin), stride);
    }
    for (int r = 0; r < simd::kTileRows; ++r) k.apply(out + r * stride, end - begin);
  }

 private:
  int64_t count() const { return (size_ + loops_.width - 1) / loops_.width; }

  const simd::Loops<T>& loops_;
  int64_t size_, depth_;
  std::vector<T> values_;
};

}  // namespace svm
