// Rows packed for the register tiles of simd/table.h.
//
// A tile has a few rows on its left, features outermost and rows side by side, and many on its
// right: panels of dense rows laid out the same way, or sparse rows one after the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "simd/table.h"
#include "svm/kernel.h"
#include "svm/points.h"
#include "svm/workers.h"

namespace svm {

// The left-hand side: up to kTileRows rows, the missing ones zero. The memory belongs to the thread
// and is zero between uses, so that a sparse row costs its entries and not its columns.
template <class T>
class LeftPanel {
 public:
  LeftPanel(const Points& points, std::span<const int64_t> rows, int64_t step)
      : points_(points), rows_(rows), step_(step) {
    thread_local std::vector<T> memory;
    const size_t needed = static_cast<size_t>(points.columns() * step);
    if (memory.size() < needed) memory.resize(needed, T(0));
    values_ = memory.data();
    for (size_t r = 0; r < rows.size(); ++r) points.scatter_row(rows[r], values_ + r, step);
  }
  ~LeftPanel() {
    for (size_t r = 0; r < rows_.size(); ++r) points_.clear_row(rows_[r], values_ + r, step_);
  }
  LeftPanel(const LeftPanel&) = delete;
  LeftPanel& operator=(const LeftPanel&) = delete;

  const T* data() const { return values_; }

 private:
  const Points& points_;
  std::span<const int64_t> rows_;
  int64_t step_;
  T* values_;
};

// The right-hand side of many rows.
template <class T>
class Panels {
 public:
  virtual ~Panels() = default;
  virtual int64_t size() const = 0;
  // Room for this many columns is needed behind each row of results.
  virtual int64_t padded() const = 0;
  // out[r * stride + c - begin] = k(points[rows[r]], right_c) for begin <= c < end, at most
  // kTileRows rows; begin is a multiple of 64, out has room for kTileRows rows.
  virtual void kernel(const Kernel& k, const Points& points, std::span<const int64_t> rows,
                      int64_t begin, int64_t end, T* out, int64_t stride) const = 0;
};

template <class T>
class DensePanels final : public Panels<T> {
 public:
  DensePanels(const Points& points, std::span<const int64_t> rows, const Workers& workers)
      : loops_(simd::table().loops<T>()),
        size_(static_cast<int64_t>(rows.size())),
        depth_(points.columns()),
        values_(count() * depth_ * loops_.width, T(0)) {
    constexpr int64_t kRows = 256;  // whole panels of every instruction set
    workers.run((size_ + kRows - 1) / kRows, [&](int64_t b) {
      for (int64_t i = b * kRows; i < std::min(size_, (b + 1) * kRows); ++i) {
        T* panel = values_.data() + (i / loops_.width) * depth_ * loops_.width;
        points.scatter_row(rows[i], panel + i % loops_.width, loops_.width);
      }
    });
  }

  int64_t size() const override { return size_; }
  int64_t padded() const override { return count() * loops_.width; }
  void kernel(const Kernel& k, const Points& points, std::span<const int64_t> rows, int64_t begin,
              int64_t end, T* out, int64_t stride) const override {
    const LeftPanel<T> left(points, rows, simd::kTileRows);
    const auto tile = k.uses_distances() ? loops_.distances : loops_.dots;
    for (int64_t c = begin; c < end; c += loops_.width) {
      tile(left.data(), values_.data() + c * depth_, depth_, out + (c - begin), stride);
    }
    for (size_t r = 0; r < rows.size(); ++r) k.apply(out + r * stride, end - begin);
  }

 private:
  int64_t count() const { return (size_ + loops_.width - 1) / loops_.width; }

  const simd::Loops<T>& loops_;
  int64_t size_, depth_;
  std::vector<T> values_;
};

// Squared distances of sparse rows come from norms and dot products.
template <class T>
class SparsePanels final : public Panels<T> {
 public:
  SparsePanels(const Points& points, std::span<const int64_t> rows) : starts_{0} {
    for (const int64_t row : rows) starts_.push_back(starts_.back() + points.entries(row));
    values_.resize(starts_.back());
    columns_.resize(starts_.back());
    for (size_t i = 0; i < rows.size(); ++i) {
      points.list_row(rows[i], values_.data() + starts_[i], columns_.data() + starts_[i]);
      norms_.push_back(points.squared_norm(rows[i]));
    }
  }

  int64_t size() const override { return static_cast<int64_t>(norms_.size()); }
  int64_t padded() const override { return size(); }
  void kernel(const Kernel& k, const Points& points, std::span<const int64_t> rows, int64_t begin,
              int64_t end, T* out, int64_t stride) const override {
    const LeftPanel<T> left(points, rows, simd::kSparseLanes);
    simd::table().loops<T>().sparse(left.data(), values_.data(), columns_.data(),
                                    starts_.data() + begin, end - begin, out, stride);
    for (size_t r = 0; r < rows.size(); ++r) {
      T* values = out + r * stride;
      if (k.uses_distances()) distances(points.squared_norm(rows[r]), begin, end, values);
      k.apply(values, end - begin);
    }
  }

 private:
  void distances(double norm, int64_t begin, int64_t end, T* values) const {
    for (int64_t c = begin; c < end; ++c) {
      const double d = norm + norms_[c] - 2 * static_cast<double>(values[c - begin]);
      values[c - begin] = static_cast<T>(std::max(0.0, d));
    }
  }

  std::vector<int64_t> starts_;
  std::vector<T> values_;
  std::vector<int32_t> columns_;
  std::vector<double> norms_;
};

template <class T>
std::unique_ptr<Panels<T>> make_panels(const Points& points, std::span<const int64_t> rows,
                                       const Workers& workers) {
  if (points.sparse()) return std::make_unique<SparsePanels<T>>(points, rows);
  return std::make_unique<DensePanels<T>>(points, rows, workers);
}

// out[r * rows.size() + c] = k(rows[r], rows[c]); left half-way when the monitor stops it. Only the
// upper triangle is computed: a value and its mirror image are the same bits.
template <class T>
void kernel_block(const Kernel& kernel, const Points& points, std::span<const int64_t> rows, T* out,
                  const Workers& workers) {
  const int64_t q = static_cast<int64_t>(rows.size());
  const auto columns = make_panels<T>(points, rows, workers);
  workers.run((q + simd::kTileRows - 1) / simd::kTileRows, [&](int64_t b) {
    std::vector<T> tile(simd::kTileRows * columns->padded());
    const int64_t first = b * simd::kTileRows, begin = first / 64 * 64;
    const int64_t count = std::min<int64_t>(simd::kTileRows, q - first);
    columns->kernel(kernel, points, rows.subspan(first, count), begin, q, tile.data(),
                    columns->padded());
    for (int64_t i = first; i < first + count; ++i) {
      const T* values = tile.data() + (i - first) * columns->padded() - begin;
      for (int64_t j = i; j < q; ++j) out[i * q + j] = out[j * q + i] = values[j];
    }
  });
}

}  // namespace svm
