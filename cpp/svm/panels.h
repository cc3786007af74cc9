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
#include <optional>
#include <span>
#include <vector>

#include "simd/table.h"
#include "svm/kernel.h"
#include "svm/points.h"
#include "svm/workers.h"

namespace svm {

// How many rows on the left are measured at a time: what is on the right comes from memory once for
// all of them.
inline constexpr int64_t kLeftRows = 4 * simd::kTileRows;

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
    const size_t needed =
        static_cast<size_t>(points.columns() * ((count + step - 1) / step * step));
    if (memory.size() < needed) memory.resize(needed, T(0));
    values_ = memory.data();
    for (int64_t r = 0; r < count; ++r) points.scatter_row(rows[r], place(r), step);
  }
  ~LeftPanel() {
    for (int64_t r = 0; r < static_cast<int64_t>(rows_.size()); ++r) {
      points_.clear_row(rows_[r], place(r), step_);
    }
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

// The right-hand side of many rows.
template <class T>
class Panels {
 public:
  virtual ~Panels() = default;
  virtual int64_t size() const = 0;
  // Room for this many columns is needed behind each row of results.
  virtual int64_t padded() const = 0;
  // out[r * stride + c - begin] = measure(points[rows[r]], right_c) for begin <= c < end, at most
  // kLeftRows rows; begin is a multiple of 64, out has room for a multiple of kTileRows rows.
  virtual void measure(Measure measure, const Points& points, std::span<const int64_t> rows,
                       int64_t begin, int64_t end, T* out, int64_t stride) const = 0;
};

template <class T>
class DensePanels final : public Panels<T> {
 public:
  DensePanels(const Points& points, std::span<const int64_t> rows, const Workers& workers)
      : loops_(simd::table().loops<T>()),
        size_(static_cast<int64_t>(rows.size())),
        depth_(points.columns()),
        values_(count() * depth_ * loops_.width, T(0)),
        norms_(wide() ? padded() : 0, 0.0) {
    constexpr int64_t kRows = 256;  // whole panels of every instruction set
    workers.run((size_ + kRows - 1) / kRows, [&](int64_t b) {
      for (int64_t i = b * kRows; i < std::min(size_, (b + 1) * kRows); ++i) {
        if (wide()) norms_[i] = points.squared_norm(rows[i]);
        T* panel = values_.data() + (i / loops_.width) * depth_ * loops_.width;
        points.scatter_row(rows[i], panel + i % loops_.width, loops_.width);
      }
    });
  }

  int64_t size() const override { return size_; }
  int64_t padded() const override { return count() * loops_.width; }
  int64_t depth() const { return depth_; }
  // The panel that begins with a row, and behind it all others.
  const T* panel(int64_t row) const { return values_.data() + row * depth_; }
  void measure(Measure measure, const Points& points, std::span<const int64_t> rows, int64_t begin,
               int64_t end, T* out, int64_t stride) const override {
    // As many groups as stay in the cache beside a panel of the right.
    constexpr int64_t kValues = 1 << 16;
    const int64_t groups = std::max<int64_t>(1, kValues / (simd::kTileRows * depth_ + 1));
    const size_t some = std::min<size_t>(rows.size(), groups * simd::kTileRows);
    for (size_t first = 0; first < rows.size(); first += some) {
      measure_some(measure, points, rows.subspan(first, std::min(some, rows.size() - first)), begin,
                   end, out + first * stride, stride);
    }
  }

 private:
  int64_t count() const { return (size_ + loops_.width - 1) / loops_.width; }
  bool wide() const { return depth_ >= simd::kLongRow; }

  void measure_some(Measure measure, const Points& points, std::span<const int64_t> rows,
                    int64_t begin, int64_t end, T* out, int64_t stride) const {
    const LeftPanel<T> left(points, rows, simd::kTileRows);
    const bool by_norms = measure == Measure::squares && wide();
    std::vector<double> norms;
    for (size_t r = 0; r < rows.size() && by_norms; ++r) {
      norms.push_back(points.squared_norm(rows[r]));
    }
    const auto tile = loop(measure);
    const int64_t count = static_cast<int64_t>(rows.size());
    for (int64_t c = begin; c < end; c += loops_.width) {
      for (int64_t r = 0; r < count; r += simd::kTileRows) {
        T* corner = out + r * stride + (c - begin);
        if (by_norms) {
          const int64_t group = std::min<int64_t>(simd::kTileRows, count - r);
          squares_from_norms(left.group(r), std::span(norms).subspan(r, group), c, corner, stride);
        } else {
          tile(left.group(r), values_.data() + c * depth_, depth_, corner, stride);
        }
      }
    }
  }

  // |x - z|^2 = |x|^2 + |z|^2 - 2 <x, z>; where that loses digits, the sum of squared differences.
  void squares_from_norms(const T* left, std::span<const double> norms, int64_t c, T* out,
                          int64_t stride) const {
    const T* right = values_.data() + c * depth_;
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
        const bool far = static_cast<double>(value) >= simd::kNear * (norms[r] + norms_[c + k]);
        if (!far) value = exact[r * loops_.width + k];
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
  std::vector<T> values_;
  std::vector<double> norms_;
};

// One row as a list of entries, columns ascending.
template <class T>
struct Entries {
  std::span<const T> values;
  std::span<const int32_t> columns;
};

// The same with memory of its own.
template <class T>
struct RowEntries {
  std::vector<T> values;
  std::vector<int32_t> columns;

  RowEntries(const Points& points, int64_t row)
      : values(points.entries(row)), columns(values.size()) {
    points.list_row(row, values.data(), columns.data());
  }
};

// The sum of term(a_k, b_k) over the columns that either row has.
template <class T, class Term>
double merge(Entries<T> a, Entries<T> b, Term term) {
  double sum = 0;
  for (size_t i = 0, j = 0; i < a.values.size() || j < b.values.size();) {
    const bool left = j == b.values.size() || (i < a.values.size() && a.columns[i] <= b.columns[j]);
    const bool right =
        i == a.values.size() || (j < b.values.size() && b.columns[j] <= a.columns[i]);
    const double u = left ? a.values[i++] : T(0), v = right ? b.values[j++] : T(0);
    sum += term(u, v);
  }
  return sum;
}

// Many sparse rows column by column: which rows have an entry there, ascending, and its value.
template <class T>
class ColumnIndex {
 public:
  ColumnIndex(std::span<const int64_t> starts, std::span<const T> values,
              std::span<const int32_t> columns, int64_t available)
      : starts_(available + 1, 0), rows_(values.size()), values_(values.size()) {
    for (const int32_t column : columns) ++starts_[column + 1];
    for (int64_t k = 0; k < available; ++k) starts_[k + 1] += starts_[k];
    std::vector<int64_t> next(starts_.begin(), starts_.end() - 1);
    for (size_t row = 0; row + 1 < starts.size(); ++row) {
      for (int64_t e = starts[row]; e < starts[row + 1]; ++e) {
        const int64_t place = next[columns[e]]++;
        rows_[place] = static_cast<int32_t>(row);
        values_[place] = values[e];
      }
    }
  }

  // Whether columns are so empty that meeting only where both rows have entries costs less than
  // going through all entries of the rows on the right, a tile's rows at a time: it costs the
  // squares of the columns' counts, over all pairs of rows.
  static bool pays(std::span<const int64_t> starts, std::span<const int32_t> columns,
                   int64_t available) {
    std::vector<int32_t> counts(available, 0);
    double squares = 0;
    for (const int32_t column : columns) squares += 2.0 * counts[column]++ + 1;
    const double rows = static_cast<double>(starts.size()) - 1;
    return squares * simd::kTileRows < rows * static_cast<double>(columns.size());
  }

  // scatter(first entry, its row, how many) of a column, for rows from begin to end.
  template <class Scatter>
  void visit(int32_t column, int64_t begin, int64_t end, Scatter scatter) const {
    const auto first = rows_.begin() + starts_[column], last = rows_.begin() + starts_[column + 1];
    const auto from = begin == 0 ? first : std::lower_bound(first, last, begin);
    const auto to = std::lower_bound(from, last, end);
    const int64_t place = from - rows_.begin();
    scatter(values_.data() + place, rows_.data() + place, to - from);
  }

 private:
  std::vector<int64_t> starts_;
  std::vector<int32_t> rows_;
  std::vector<T> values_;
};

// Sparse rows meet where both have entries. What they have in common is summed over the entries of
// the right row for all rows on the left at once, or where columns are nearly empty over the
// entries of the left row, column by column, to the same bits; differences are norms less that,
//   |x - z|^2  = |x|^2 + |z|^2 - 2 sum x_k z_k,
//   |x - z|_1  = |x|_1 + |z|_1 - 2 sum min(|x_k|, |z_k|) over equal signs,
//   chi2(x, z) = |x|_1 + |z|_1 - 4 sum x_k z_k / (x_k + z_k),
// and where little would be left of the norms the entries are gone through one by one instead.
template <class T>
class SparsePanels final : public Panels<T> {
 public:
  SparsePanels(const Points& points, std::span<const int64_t> rows) : starts_{0} {
    for (const int64_t row : rows) starts_.push_back(starts_.back() + points.entries(row));
    values_.resize(starts_.back());
    columns_.resize(starts_.back());
    for (size_t i = 0; i < rows.size(); ++i) {
      points.list_row(rows[i], values_.data() + starts_[i], columns_.data() + starts_[i]);
      squared_.push_back(points.squared_norm(rows[i]));
      absolute_.push_back(points.absolute_norm(rows[i]));
    }
    if (ColumnIndex<T>::pays(starts_, columns_, points.columns())) {
      index_.emplace(starts_, values_, columns_, points.columns());
    }
  }

  int64_t size() const override { return static_cast<int64_t>(squared_.size()); }
  int64_t padded() const override { return size(); }
  void measure(Measure measure, const Points& points, std::span<const int64_t> rows, int64_t begin,
               int64_t end, T* out, int64_t stride) const override {
    for (size_t r = 0; r < rows.size(); r += simd::kTileRows) {
      const size_t group = std::min<size_t>(simd::kTileRows, rows.size() - r);
      measure_group(measure, points, rows.subspan(r, group), begin, end, out + r * stride, stride);
    }
  }

 private:
  void measure_group(Measure measure, const Points& points, std::span<const int64_t> rows,
                     int64_t begin, int64_t end, T* out, int64_t stride) const {
    const simd::Loops<T>& loops = simd::table().loops<T>();
    if (index_) {
      common_by_column(measure, points, rows, begin, end, out, stride);
    } else {
      const LeftPanel<T> left(points, rows, simd::kSparseLanes);
      const auto common = measure == Measure::absolutes ? loops.sparse_overlaps
                          : measure == Measure::chi2    ? loops.sparse_harmonics
                                                        : loops.sparse_dots;
      common(left.group(), values_.data(), columns_.data(), starts_.data() + begin, end - begin,
             out, stride);
    }
    if (measure == Measure::dots) return;
    const bool squares = measure == Measure::squares;
    const double* norms = (squares ? squared_ : absolute_).data() + begin;
    const double factor = measure == Measure::chi2 ? 4 : 2;
    for (size_t r = 0; r < rows.size(); ++r) {
      T* values = out + r * stride;
      const double norm = squares ? points.squared_norm(rows[r]) : points.absolute_norm(rows[r]);
      if (loops.differences(values, norms, norm, factor, end - begin) == 0) continue;
      correct(measure, points, rows[r], norm, norms, begin, end, values);
    }
  }

  void common_by_column(Measure measure, const Points& points, std::span<const int64_t> rows,
                        int64_t begin, int64_t end, T* out, int64_t stride) const {
    const simd::Loops<T>& loops = simd::table().loops<T>();
    const auto scatter = measure == Measure::absolutes ? loops.scatter_overlaps
                         : measure == Measure::chi2    ? loops.scatter_harmonics
                                                       : loops.scatter_dots;
    for (size_t r = 0; r < rows.size(); ++r) {
      T* sums = out + r * stride;
      std::fill_n(sums, end - begin, T(0));
      const RowEntries<T> row(points, rows[r]);
      for (size_t k = 0; k < row.values.size(); ++k) {
        index_->visit(row.columns[k], begin, end,
                      [&](const T* values, const int32_t* places, int64_t entries) {
                        scatter(row.values[k], values, places, entries, sums - begin);
                      });
      }
    }
  }

  // Replaces the differences that are near zero.
  void correct(Measure measure, const Points& points, int64_t row, double norm, const double* norms,
               int64_t begin, int64_t end, T* out) const {
    const RowEntries<T> left(points, row);
    for (int64_t c = begin; c < end; ++c) {
      T& value = out[c - begin];
      if (!(static_cast<double>(value) < simd::kNear * (norm + norms[c - begin]))) continue;
      value = static_cast<T>(difference(measure, {left.values, left.columns}, entries(c)));
    }
  }

  static double difference(Measure measure, Entries<T> a, Entries<T> b) {
    if (measure == Measure::squares) {
      return merge(a, b, [](double u, double v) { return (u - v) * (u - v); });
    }
    if (measure == Measure::absolutes) {
      return merge(a, b, [](double u, double v) { return std::abs(u - v); });
    }
    return merge(a, b,
                 [](double u, double v) { return u + v > 0 ? (u - v) * ((u - v) / (u + v)) : 0; });
  }

  Entries<T> entries(int64_t i) const {
    const size_t count = static_cast<size_t>(starts_[i + 1] - starts_[i]);
    return {{values_.data() + starts_[i], count}, {columns_.data() + starts_[i], count}};
  }

  std::vector<int64_t> starts_;
  std::vector<T> values_;
  std::vector<int32_t> columns_;
  std::vector<double> squared_, absolute_;
  std::optional<ColumnIndex<T>> index_;
};

template <class T>
std::unique_ptr<Panels<T>> make_panels(const Points& points, std::span<const int64_t> rows,
                                       bool sparse, const Workers& workers) {
  if (sparse) return std::make_unique<SparsePanels<T>>(points, rows);
  return std::make_unique<DensePanels<T>>(points, rows, workers);
}

}  // namespace svm
