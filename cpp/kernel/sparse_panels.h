// Sparse rows packed for tiles.
//
// Rows meet where both have entries. What they have in common is summed over two kinds of columns:
// where a column is full, over the entries of the rows on the right, for all rows on the left at
// once; then, where it is nearly empty, over the entries of the rows on the left, each with the
// column's entries on the right. Which columns are full is a matter of the data and not of the rows
// at hand, so that a value does not depend on its tile. Differences are norms less that,
//   |x - z|^2  = |x|^2 + |z|^2 - 2 sum x_k z_k,
//   |x - z|_1  = |x|_1 + |z|_1 - 2 sum min(|x_k|, |z_k|) over equal signs,
//   chi2(x, z) = |x|_1 + |z|_1 - 4 sum x_k z_k / (x_k + z_k),
// and where little would be left of the norms the entries are gone through one by one instead;
// unless all entries are whole numbers, whose sums are exact.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kernel/kernel.h"
#include "kernel/panels.h"
#include "rows/points.h"
#include "run/large_pages.h"
#include "simd/table.h"

namespace svm {

// The entries of rows, one row after the other, columns ascending.
template <class T>
struct Entries {
  std::vector<int64_t> starts{0};  // of each row, and where the last one ends
  std::vector<T> values;
  std::vector<int32_t> columns;

  int64_t rows() const { return static_cast<int64_t>(starts.size()) - 1; }
  // With zeros behind each row, up to a multiple of `run` entries.
  void append(const Entries& other, int64_t run = 1) {
    for (int64_t r = 0; r < other.rows(); ++r) {
      const int64_t begin = other.starts[r], end = other.starts[r + 1];
      values.insert(values.end(), other.values.begin() + begin, other.values.begin() + end);
      columns.insert(columns.end(), other.columns.begin() + begin, other.columns.begin() + end);
      const int64_t count = (end - begin + run - 1) / run * run;
      starts.push_back(starts.back() + count);
      values.resize(starts.back(), T(0)), columns.resize(starts.back(), 0);
    }
  }
};

// One row of its own, in memory that had another.
template <class T>
void list(const Points& points, int64_t row, Entries<T>& entries) {
  const int64_t count = points.entries(row);
  entries.values.resize(count), entries.columns.resize(count);
  points.list_row(row, entries.values.data(), entries.columns.data());
}

// The sum of term(a_k, b_k) over the columns that either of two rows has.
template <class T, class Term>
double merge(const Entries<T>& a, const Entries<T>& b, Term term) {
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

// Whether a row has whole numbers, small enough that its norms and all that such rows have in
// common are exact in T. Its squared norm tells what rounding to T has hidden.
template <class T>
bool whole(const T* values, int64_t count, double squared_norm) {
  constexpr double kLargest = sizeof(T) == sizeof(float) ? 0x1p22 : 0x1p51;
  double sum = 0;
  bool integral = true;
  for (int64_t e = 0; e < count; ++e) {
    const double value = values[e];
    integral &= value == std::nearbyint(value);
    sum += value * value;
  }
  return integral && sum == squared_norm && sum < kLargest;
}

// Rows whose entries in full columns are apart from those in rare ones, both by their numbers.
template <class T>
struct SplitRows {
  Entries<T> full, rare;  // with memory for more
  bool whole = true;      // all of them

  // Entries are written to both lists, and one of them goes on from there: nobody could predict a
  // branch.
  void read(const Points& points, std::span<const int64_t> rows, const ColumnNumbers& columns) {
    make_room(points, rows);
    whole = true;
    int64_t fulls = 0, rares = 0;
    for (const int64_t row : rows) {
      const int64_t first = rares, last = first + points.entries(row);
      points.list_row(row, rare.values.data() + first, rare.columns.data() + first);
      whole =
          whole && svm::whole(rare.values.data() + first, last - first, points.squared_norm(row));
      for (int64_t e = first; e < last; ++e) {
        const T value = rare.values[e];
        const int32_t number = columns.number[rare.columns[e]];
        full.values[fulls] = rare.values[rares] = value;
        full.columns[fulls] = number, rare.columns[rares] = number - columns.fulls;
        fulls += number >= 0 && number < columns.fulls;
        rares += number >= columns.fulls && value != 0;
      }
      full.starts.push_back(fulls), rare.starts.push_back(rares);
    }
  }

 private:
  void make_room(const Points& points, std::span<const int64_t> rows) {
    size_t count = 0;
    for (const int64_t row : rows) count += points.entries(row);
    for (Entries<T>* entries : {&full, &rare}) {
      entries->starts.resize(1);
      if (entries->values.size() >= count) continue;
      entries->values.resize(count);
      entries->columns.resize(count);
    }
  }
};

// Rows on the left: full columns outermost and rows side by side. The memory belongs to the thread
// and is zero between uses, so that a row costs its entries and not its columns.
template <class T>
class SparseLeft {
 public:
  SparseLeft(const Entries<T>& rows, int64_t columns)
      : memory_(own()),
        rows_(rows),
        lanes_((rows.rows() + simd::kSparseLanes - 1) / simd::kSparseLanes * simd::kSparseLanes) {
    const size_t needed = static_cast<size_t>(columns * lanes_);
    if (memory_.size < needed) {
      memory_.size = 0;
      memory_.lines = large_pages<T>(needed);
      std::fill_n(memory_.lines.get(), needed, T(0));
      memory_.size = needed;
    }
    each([](T& place, T value) { place = value; });
  }
  ~SparseLeft() {
    each([](T& place, T) { place = T(0); });
  }
  SparseLeft(const SparseLeft&) = delete;
  SparseLeft& operator=(const SparseLeft&) = delete;

  const T* lines() const { return memory_.lines.get(); }

 private:
  struct Memory {
    std::unique_ptr<T[], Free> lines;  // of whole cache lines: no load reaches into a second one
    size_t size = 0;
  };
  static Memory& own() {
    thread_local Memory memory;
    return memory;
  }
  template <class F>
  void each(F f) {
    for (int64_t r = 0; r < rows_.rows(); ++r) {
      for (int64_t e = rows_.starts[r]; e < rows_.starts[r + 1]; ++e) {
        f(memory_.lines[rows_.columns[e] * lanes_ + r], rows_.values[e]);
      }
    }
  }

  Memory& memory_;
  const Entries<T>& rows_;  // in full columns
  int64_t lanes_;
};

// Entries column by column: which rows have one there, ascending, and its value. Each block of rows
// has its own columns: a search for where the rows of a tile begin costs more than what is found
// there. Blocks are larger where that would take more memory than the entries.
template <class T>
class ColumnIndex {
 public:
  ColumnIndex(const Entries<T>& entries, int64_t columns)
      : columns_(columns),
        count_(entries.rows()),
        rows_(entries.values.size()),
        values_(entries.values.size()) {
    const int64_t most = std::max(columns, std::min<int64_t>(std::ssize(values_), kMostPlaces));
    while (block_ < count_ && (count_ + block_ - 1) / block_ * columns > most) block_ *= 2;
    const int64_t places = (count_ + block_ - 1) / block_ * columns;
    starts_.assign(places + 2, 0);
    // starts_[k + 1] is where the next entry of place k goes, and in the end where those of k + 1
    // begin.
    visit(entries, [&](int64_t row, int64_t e) { ++starts_[place(row, entries.columns[e]) + 2]; });
    for (int64_t k = 0; k < places; ++k) starts_[k + 2] += starts_[k + 1];
    visit(entries, [&](int64_t row, int64_t e) {
      const int64_t next = starts_[place(row, entries.columns[e]) + 1]++;
      rows_[next] = static_cast<int32_t>(row);
      values_[next] = entries.values[e];
    });
  }

  // scatter(first entry, its row, how many) of a column, for rows from begin to end.
  template <class Scatter>
  void visit(int32_t column, int64_t begin, int64_t end, Scatter scatter) const {
    for (int64_t row = begin / block_ * block_; row < end; row += block_) {
      const int64_t k = place(row, column);
      const auto first = rows_.begin() + starts_[k], last = rows_.begin() + starts_[k + 1];
      const auto from = begin <= row ? first : std::lower_bound(first, last, begin);
      const auto to =
          end >= std::min(count_, row + block_) ? last : std::lower_bound(from, last, end);
      const int64_t next = from - rows_.begin();
      if (from < to) scatter(values_.data() + next, rows_.data() + next, to - from);
    }
  }

 private:
  static constexpr int64_t kMostPlaces = 4 << 20;

  int64_t place(int64_t row, int32_t column) const { return row / block_ * columns_ + column; }
  template <class F>
  static void visit(const Entries<T>& entries, F f) {
    for (int64_t row = 0; row < entries.rows(); ++row) {
      for (int64_t e = entries.starts[row]; e < entries.starts[row + 1]; ++e) f(row, e);
    }
  }

  int64_t columns_;
  int64_t count_;         // of rows
  int64_t block_ = 1024;  // rows
  std::vector<int64_t> starts_;
  std::vector<int32_t> rows_;
  std::vector<T> values_;
};

template <class T>
class SparsePanels final : public Panels<T> {
 public:
  SparsePanels(const Points& points, std::span<const int64_t> rows,
               std::shared_ptr<const ColumnNumbers> numbers)
      : points_(points), rows_(rows.begin(), rows.end()), numbers_(std::move(numbers)) {
    SplitRows<T> some;
    Entries<T> rare;
    for (size_t first = 0; first < rows.size(); first += kLeftRows) {
      const size_t count = std::min<size_t>(kLeftRows, rows.size() - first);
      some.read(points, rows.subspan(first, count), *numbers_);
      full_.append(some.full, simd::kSparseRun), rare.append(some.rare);
      whole_ &= some.whole;
    }
    index_.emplace(rare, numbers_->rares);
    for (const int64_t row : rows) {
      squared_.push_back(static_cast<T>(points.squared_norm(row)));
      absolute_.push_back(static_cast<T>(points.absolute_norm(row)));
    }
  }

  int64_t size() const override { return static_cast<int64_t>(rows_.size()); }
  int64_t padded() const override { return size(); }
  void measure(Measure measure, const Points& points, std::span<const int64_t> rows, int64_t begin,
               int64_t end, T* out, int64_t stride) const override {
    thread_local SplitRows<T> split;
    split.read(points, rows, *numbers_);
    measure_split(measure, points, rows, split, begin, end, out, stride);
  }
  std::unique_ptr<LeftRows> prepare(const Points& points,
                                    std::span<const int64_t> rows) const override {
    auto prepared = std::make_unique<Prepared>(points, rows);
    prepared->split.read(points, rows, *numbers_);
    return prepared;
  }
  void measure(Measure measure, const LeftRows& left, int64_t begin, int64_t end, T* out,
               int64_t stride) const override {
    measure_split(measure, left.points, left.rows, static_cast<const Prepared&>(left).split, begin,
                  end, out, stride);
  }

 private:
  struct Prepared : LeftRows {
    using LeftRows::LeftRows;
    SplitRows<T> split;
  };

  void measure_split(Measure measure, const Points& points, std::span<const int64_t> rows,
                     const SplitRows<T>& split, int64_t begin, int64_t end, T* out,
                     int64_t stride) const {
    static_assert(kLeftRows <= 3 * simd::kSparseLanes);
    sum_common(measure, split, begin, end, out, stride);
    if (measure == Measure::dots) return;
    const bool squares = measure == Measure::squares;
    const bool exact = whole_ && split.whole && measure != Measure::chi2;
    for (size_t r = 0; r < rows.size(); ++r) {
      const double norm = squares ? points.squared_norm(rows[r]) : points.absolute_norm(rows[r]);
      subtract(measure, points, rows[r], static_cast<T>(norm), exact, begin, end, out + r * stride);
    }
  }

  void sum_common(Measure measure, const SplitRows<T>& split, int64_t begin, int64_t end, T* out,
                  int64_t stride) const {
    const simd::Loops<T>& loops = simd::table().loops<T>();
    const auto go_through = measure == Measure::absolutes ? loops.sparse_overlaps
                            : measure == Measure::chi2    ? loops.sparse_harmonics
                                                          : loops.sparse_dots;
    const auto scatter = measure == Measure::absolutes ? loops.scatter_overlaps
                         : measure == Measure::chi2    ? loops.scatter_harmonics
                                                       : loops.scatter_dots;
    const int64_t rows = split.full.rows();
    const SparseLeft<T> left(split.full, numbers_->fulls);
    go_through(left.lines(), rows, full_.values.data(), full_.columns.data(),
               full_.starts.data() + begin, end - begin, out, stride);
    const Entries<T>& rare = split.rare;
    for (int64_t r = 0; r < rows; ++r) {
      T* sums = out + r * stride - begin;
      for (int64_t e = rare.starts[r]; e < rare.starts[r + 1]; ++e) {
        index_->visit(rare.columns[e], begin, end,
                      [&](const T* values, const int32_t* places, int64_t entries) {
                        scatter(rare.values[e], values, places, entries, sums);
                      });
      }
    }
  }

  // From what a row has in common with those on the right to their differences.
  void subtract(Measure measure, const Points& points, int64_t row, T norm, bool exact,
                int64_t begin, int64_t end, T* out) const {
    constexpr int64_t kStrip = 128;  // near ones are few: most strips have none
    const T factor = measure == Measure::chi2 ? 4 : 2;
    const T* norms = (measure == Measure::squares ? squared_ : absolute_).data();
    for (int64_t first = begin; first < end; first += kStrip) {
      const int64_t last = std::min(end, first + kStrip);
      T* values = out + first - begin;
      const int64_t near =
          simd::table().loops<T>().differences(values, norms + first, norm, factor, last - first);
      if (near == 0 || exact) continue;
      correct(measure, points, row, norm, norms + first, first, last, values);
    }
  }

  // Replaces the differences that are near zero.
  void correct(Measure measure, const Points& points, int64_t row, T norm, const T* norms,
               int64_t begin, int64_t end, T* out) const {
    thread_local Entries<T> left, right;
    list(points, row, left);
    for (int64_t c = begin; c < end; ++c) {
      T& value = out[c - begin];
      if (simd::far(value, norm + norms[c - begin])) continue;
      list(points_, rows_[c], right);
      value = static_cast<T>(difference(measure, left, right));
    }
  }

  static double difference(Measure measure, const Entries<T>& a, const Entries<T>& b) {
    if (measure == Measure::squares) {
      return merge(a, b, [](double u, double v) { return (u - v) * (u - v); });
    }
    if (measure == Measure::absolutes) {
      return merge(a, b, [](double u, double v) { return std::abs(u - v); });
    }
    return merge(a, b,
                 [](double u, double v) { return u + v > 0 ? (u - v) * ((u - v) / (u + v)) : 0; });
  }

  const Points& points_;
  std::vector<int64_t> rows_;
  std::shared_ptr<const ColumnNumbers> numbers_;
  Entries<T> full_;                      // in full columns, as tiles go through them
  std::optional<ColumnIndex<T>> index_;  // of the entries in rare columns
  std::vector<T> squared_, absolute_;
  bool whole_ = true;
};

}  // namespace svm
