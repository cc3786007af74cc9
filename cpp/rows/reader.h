// Rows as lists of entries.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "rows/points.h"

namespace svm {

template <class X>
struct RowEntries {
  const X* values;
  const int32_t* columns;  // null where the row has them all
  int64_t count;
};

// Reads rows one at a time; each thread has its own, for the column numbers that must be narrowed.
template <class Rows>
class Reader;

template <class X>
class Reader<DenseRows<X>> {
 public:
  using Value = X;
  explicit Reader(const DenseRows<X>& rows) : rows_(rows) {}

  RowEntries<X> operator()(int64_t row) {
    return {rows_.data + row * rows_.columns, nullptr, rows_.columns};
  }
  // Asks for a row that will be read soon: rows come in random order, which no cache foresees.
  void expect(int64_t row) const {
    const char* from = reinterpret_cast<const char*>(rows_.data + row * rows_.columns);
    const int64_t bytes = std::min<int64_t>(rows_.columns * static_cast<int64_t>(sizeof(X)), 1024);
    for (int64_t k = 0; k < bytes; k += 64) __builtin_prefetch(from + k);
  }

 private:
  DenseRows<X> rows_;
};

template <class X, class Index>
class Reader<CsrRows<X, Index>> {
 public:
  using Value = X;
  explicit Reader(const CsrRows<X, Index>& rows) : rows_(rows) {
    const int64_t usual = rows.rows > 0 ? rows.starts[rows.rows] / rows.rows : 0;
    reach_ = std::clamp<uintptr_t>(usual * sizeof(X), 256, 1024);
  }

  RowEntries<X> operator()(int64_t row) {
    const int64_t begin = rows_.starts[row], count = rows_.starts[row + 1] - begin;
    if constexpr (sizeof(Index) == sizeof(int32_t)) {
      return {rows_.values + begin, rows_.places + begin, count};
    } else {
      narrow_.resize(count);
      for (int64_t e = 0; e < count; ++e) {
        narrow_[e] = static_cast<int32_t>(rows_.places[begin + e]);
      }
      return {rows_.values + begin, narrow_.data(), count};
    }
  }
  // As many lines as a row usually has: a loop over its own would guess its length wrong.
  void expect(int64_t row) const {
    const int64_t begin = rows_.starts[row];
    // As numbers: a pointer must not even be computed beyond the end of an array.
    const auto values = reinterpret_cast<uintptr_t>(rows_.values + begin);
    const auto places = reinterpret_cast<uintptr_t>(rows_.places + begin);
    for (uintptr_t k = 0; k < reach_; k += 64) {
      __builtin_prefetch(reinterpret_cast<const void*>(values + k));
      __builtin_prefetch(reinterpret_cast<const void*>(places + k));
    }
  }

 private:
  CsrRows<X, Index> rows_;
  uintptr_t reach_;
  std::vector<int32_t> narrow_;
};

// Entries of a row, on average over a few of them, and at least 8.
inline int64_t usual_entries(const Points& points) {
  int64_t entries = 0;
  const int64_t looked = std::min<int64_t>(points.rows(), 64);
  for (int64_t i = 0; i < looked; ++i) entries += points.entries(i * (points.rows() / looked));
  return std::max<int64_t>(8, entries / std::max<int64_t>(1, looked));
}

// Calls visit with rows of X in their own type: the choice is made once, not for every row.
template <class X, class Visit>
auto with_rows(const Points& points, Visit&& visit) {
  if (const auto* p = dynamic_cast<const DensePoints<X>*>(&points)) return visit(p->view());
  if (const auto* p = dynamic_cast<const CsrPoints<X, int32_t>*>(&points)) return visit(p->view());
  return visit(dynamic_cast<const CsrPoints<X, int64_t>&>(points).view());
}

inline bool single_precision(const Points& points) {
  return dynamic_cast<const DensePoints<float>*>(&points) != nullptr ||
         dynamic_cast<const CsrPoints<float, int32_t>*>(&points) != nullptr ||
         dynamic_cast<const CsrPoints<float, int64_t>*>(&points) != nullptr;
}

}  // namespace svm
