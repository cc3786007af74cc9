// Rows packed for the register tiles of simd/table.h.
//
// A tile has a few rows on its left, features outermost and rows side by side, and many on its
// right: panels of dense rows laid out the same way, or sparse rows one after the other.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernel/kernel.h"
#include "kernel/tiles.h"
#include "rows/points.h"
#include "run/large_pages.h"
#include "run/workers.h"
#include "simd/table.h"

namespace svm {

// The left-hand side: rows in groups of `step`, those that are missing in the last one zero. The
// memory belongs to the thread and is zero between uses, so that a sparse row costs its entries and
// not its columns.
template <class T>
class LeftPanel {
 public:
  LeftPanel(const Points& points, std::span<const int64_t> rows, int64_t step)
      : points_(points), rows_(rows), step_(step) {
    thread_local std::vector<T> memory;
    const int64_t count = static_cast<int64_t>(rows.size());
    // Rows without columns have places, too.
    const size_t needed = static_cast<size_t>(std::max<int64_t>(points.columns(), 1) *
                                              ((count + step - 1) / step * step));
    if (memory.size() < needed) memory.resize(needed, T(0));
    values_ = memory.data();
    for (int64_t r = 0; r < count; ++r) points.scatter_row(rows[r], place(r), step);
  }
  ~LeftPanel() {
    const int64_t count = std::ssize(rows_);
    if (!points_.sparse()) {
      std::fill_n(values_, (count + step_ - 1) / step_ * step_ * points_.columns(), T(0));
      return;
    }
    for (int64_t r = 0; r < count; ++r) points_.clear_row(rows_[r], place(r), step_);
  }
  LeftPanel(const LeftPanel&) = delete;
  LeftPanel& operator=(const LeftPanel&) = delete;

  // The group that begins with a row.
  const T* group(int64_t row = 0) const { return values_ + row * points_.columns(); }

 private:
  T* place(int64_t row) const {
    return values_ + row / step_ * step_ * points_.columns() + row % step_;
  }

  const Points& points_;
  std::span<const int64_t> rows_;
  int64_t step_;
  T* values_;
};

// A few rows on the left that many tiles begin with: as they are, or prepared by panels.
struct LeftRows {
  const Points& points;
  std::vector<int64_t> rows;

  LeftRows(const Points& points, std::span<const int64_t> rows)
      : points(points), rows(rows.begin(), rows.end()) {}
  virtual ~LeftRows() = default;
};

// The right-hand side of many rows.
template <class T>
class Panels {
 public:
  virtual ~Panels() = default;
  virtual int64_t size() const = 0;
  // Room for this many columns is needed behind each row of results.
  virtual int64_t padded() const = 0;
  // out[r * stride + c - begin] = measure(points[rows[r]], right_c) for begin <= c < end, at most
  // kLeftRows rows; begin is a multiple of a panel's width, out has room for a multiple of
  // kTileRows rows.
  virtual void measure(Measure measure, const Points& points, std::span<const int64_t> rows,
                       int64_t begin, int64_t end, T* out, int64_t stride) const = 0;
  // The same for rows that were prepared here.
  virtual std::unique_ptr<LeftRows> prepare(const Points& points,
                                            std::span<const int64_t> rows) const {
    return std::make_unique<LeftRows>(points, rows);
  }
  virtual void measure(Measure measure, const LeftRows& left, int64_t begin, int64_t end, T* out,
                       int64_t stride) const {
    this->measure(measure, left.points, left.rows, begin, end, out, stride);
  }
};

template <class T>
class DensePanels final : public Panels<T> {
 public:
  using Panels<T>::measure;
  DensePanels(const Points& points, std::span<const int64_t> rows, const Workers& workers)
      : loops_(simd::table().loops<T>()),
        size_(static_cast<int64_t>(rows.size())),
        depth_(points.columns()),
        values_(large_pages<T>(static_cast<size_t>(count() * depth_ * loops_.width))),
        norms_(wide() ? padded() : 0, T(0)) {
    constexpr int64_t kRows = 256;  // whole panels of every instruction set
    workers.run((size_ + kRows - 1) / kRows, [&](int64_t b) {
      std::vector<T> flat(loops_.width * depth_, T(0));
      for (int64_t i = b * kRows; i < std::min(size_, (b + 1) * kRows); i += loops_.width) {
        pack(points, rows.subspan(i, std::min<int64_t>(loops_.width, size_ - i)), flat.data(), i);
      }
    });
  }

  int64_t size() const override { return size_; }
  int64_t padded() const override { return count() * loops_.width; }
  int64_t depth() const { return depth_; }
  // The panel that begins with a row, and behind it all others.
  const T* panel(int64_t row) const { return values_.get() + row * depth_; }
  void measure(Measure measure, const Points& points, std::span<const int64_t> rows, int64_t begin,
               int64_t end, T* out, int64_t stride) const override {
    // As many groups as stay in the cache beside a panel of the right.
    const int64_t groups = std::max<int64_t>(1, kLeftValues / (simd::kTileRows * depth_ + 1));
    const size_t some = std::min<size_t>(rows.size(), groups * simd::kTileRows);
    for (size_t first = 0; first < rows.size(); first += some) {
      const auto these = rows.subspan(first, std::min(some, rows.size() - first));
      const LeftPanel<T> left(points, these, simd::kTileRows);
      measure_groups(measure, left.group(), norms_of(points, these), begin, end,
                     out + first * stride, stride);
    }
  }

  // Short rows are laid out once; of long ones the layout would be as large as the data.
  std::unique_ptr<LeftRows> prepare(const Points& points,
                                    std::span<const int64_t> rows) const override {
    if (!brief()) return Panels<T>::prepare(points, rows);
    auto left = std::make_unique<LaidOut>(points, rows);
    constexpr int64_t step = simd::kTileRows;
    const int64_t count = std::ssize(rows), room = (count + step - 1) / step * step;
    left->values = large_pages<T>(static_cast<size_t>(room * depth_));
    T* values = left->values.get();
    const int64_t set = points.sparse() ? 0 : count / step * step;  // rows of which all is written
    std::fill(values + set * depth_, values + room * depth_, T(0));
    for (int64_t r = 0; r < count; ++r) {
      points.scatter_row(rows[r], values + r / step * step * depth_ + r % step, step);
    }
    left->norms = norms_of(points, rows);
    return left;
  }
  void measure(Measure measure, const LeftRows& left, int64_t begin, int64_t end, T* out,
               int64_t stride) const override {
    if (!brief()) return Panels<T>::measure(measure, left, begin, end, out, stride);
    const auto& rows = static_cast<const LaidOut&>(left);
    measure_groups(measure, rows.values.get(), rows.norms, begin, end, out, stride);
  }

 private:
  struct LaidOut final : LeftRows {
    using LeftRows::LeftRows;
    std::unique_ptr<T[], Free> values;  // as in LeftPanel
    std::vector<T> norms;
  };
  static constexpr int64_t kLeftValues = 1 << 16;

  int64_t count() const { return (size_ + loops_.width - 1) / loops_.width; }
  bool wide() const { return depth_ >= simd::kLongRow; }
  bool brief() const { return kLeftRows * depth_ <= kLeftValues; }

  // The panel that begins with place `first`: its rows one after the other in `flat`, which is zero
  // before where rows are sparse, and from there turned in registers.
  void pack(const Points& points, std::span<const int64_t> rows, T* flat, int64_t first) {
    const int64_t count = std::ssize(rows);
    for (int64_t r = 0; r < count; ++r) {
      if (wide()) norms_[first + r] = static_cast<T>(points.squared_norm(rows[r]));
      points.scatter_row(rows[r], flat + r * depth_, 1);
    }
    T* panel = values_.get() + first * depth_;
    if (count < loops_.width) std::fill_n(panel, depth_ * loops_.width, T(0));
    loops_.transpose(flat, depth_, count, depth_, panel, loops_.width);
    for (int64_t r = 0; r < count && points.sparse(); ++r) {
      points.clear_row(rows[r], flat + r * depth_, 1);
    }
  }

  // One a row, and set where they are needed.
  std::vector<T> norms_of(const Points& points, std::span<const int64_t> rows) const {
    std::vector<T> norms(rows.size());
    for (size_t r = 0; r < rows.size() && wide(); ++r) {
      norms[r] = static_cast<T>(points.squared_norm(rows[r]));
    }
    return norms;
  }

  // Rows on the left in groups of kTileRows, one behind the other.
  void measure_groups(Measure measure, const T* left, std::span<const T> norms, int64_t begin,
                      int64_t end, T* out, int64_t stride) const {
    const bool by_norms = measure == Measure::squares && wide();
    const auto tile = loop(measure);
    const int64_t count = std::ssize(norms);
    for (int64_t c = begin; c < end; c += loops_.width) {
      for (int64_t r = 0; r < count; r += simd::kTileRows) {
        T* corner = out + r * stride + (c - begin);
        if (by_norms) {
          const int64_t group = std::min<int64_t>(simd::kTileRows, count - r);
          squares_from_norms(left + r * depth_, norms.subspan(r, group), c, corner, stride);
        } else {
          tile(left + r * depth_, panel(c), depth_, corner, stride);
        }
      }
    }
  }

  // |x - z|^2 = |x|^2 + |z|^2 - 2 <x, z>; where that loses digits, the sum of squared differences.
  void squares_from_norms(const T* left, std::span<const T> norms, int64_t c, T* out,
                          int64_t stride) const {
    const T* right = panel(c);
    loops_.dots(left, right, depth_, out, stride);
    int64_t near = 0;
    for (size_t r = 0; r < norms.size(); ++r) {
      near += loops_.differences(out + r * stride, norms_.data() + c, norms[r], 2, loops_.width);
    }
    if (near == 0) return;
    std::array<T, simd::kTileRows * 64> exact;  // 64: wider than any panel
    loops_.squares(left, right, depth_, exact.data(), loops_.width);
    for (size_t r = 0; r < norms.size(); ++r) {
      for (int64_t k = 0; k < loops_.width; ++k) {
        T& value = out[r * stride + k];
        if (!simd::far(value, norms[r] + norms_[c + k])) value = exact[r * loops_.width + k];
      }
    }
  }

  typename simd::Loops<T>::Tile loop(Measure measure) const {
    switch (measure) {
      case Measure::squares:
        return loops_.squares;
      case Measure::absolutes:
        return loops_.absolutes;
      case Measure::chi2:
        return loops_.chi2;
      default:
        return loops_.dots;
    }
  }

  const simd::Loops<T>& loops_;
  int64_t size_, depth_;
  std::unique_ptr<T[], Free> values_;
  std::vector<T> norms_;
};

}  // namespace svm
