// Rows of data as the caller gave them: dense, compressed, wide dense ones without their zeros, and
// some columns of these. The one view that everything which reads rows is made of:
//
//   points.h     packs rows for a kernel, through one virtual call per row
//   products.h   multiplies blocks of rows with vectors, for passes over the data
//   reader.h     reads one row after the other inside a loop, without a call
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "run/large_pages.h"
#include "run/workers.h"
#include "simd/table.h"

namespace svm {

// An entry of a sparse row costs as much as this many columns of a dense one.
inline constexpr double kEntryCost = 4;

// Columns by how many rows have an entry there. In full ones going through all entries is quicker
// than looking up those of one row.
struct ColumnNumbers {
  enum Kind { empty, rare, full };
  std::vector<int32_t> number;  // full columns first, then rare ones, ascending; -1 of empty ones
  int32_t fulls = 0, rares = 0;

  template <class KindOf>
  ColumnNumbers(int64_t columns, KindOf kind_of) : number(columns, -1) {
    for (int64_t k = 0; k < columns; ++k) {
      if (kind_of(k) == full) number[k] = fulls++;
    }
    for (int64_t k = 0; k < columns; ++k) {
      if (kind_of(k) == rare) number[k] = fulls + rares++;
    }
  }
  Kind kind(int64_t column) const {
    return number[column] < 0 ? empty : number[column] < fulls ? full : rare;
  }
};

// Runs task(row) for all rows; false when the monitor stopped it before the end.
template <class Task>
bool for_rows(int64_t rows, const Workers& workers, Task task) {
  constexpr int64_t kRows = 256;
  return workers.run((rows + kRows - 1) / kRows, [&](int64_t block) {
    const int64_t end = std::min(rows, (block + 1) * kRows);
    for (int64_t row = block * kRows; row < end; ++row) task(row);
  });
}

// Some columns, ascending, and the place of every column among them (-1 for the others).
struct Choice {
  std::vector<int64_t> columns;
  std::vector<int32_t> place;

  Choice(std::vector<int64_t> chosen, int64_t available)
      : columns(std::move(chosen)), place(available, -1) {
    for (size_t k = 0; k < columns.size(); ++k) place[columns[k]] = static_cast<int32_t>(k);
  }
};

template <class X>
struct DenseRows {
  static constexpr bool kSparse = false;
  const X* data;
  int64_t rows, columns;

  int64_t entries(int64_t) const { return columns; }
  bool nearly_dense() const { return false; }
  std::shared_ptr<const ColumnNumbers> column_numbers() const {
    return std::make_shared<ColumnNumbers>(columns, [](int64_t) { return ColumnNumbers::full; });
  }
  template <class F>
  void visit(int64_t row, F f) const {
    const X* from = data + row * columns;
    for (int64_t k = 0; k < columns; ++k) f(k, from[k]);
  }
  // Four sums: an addition does not wait for the one before it.
  template <class Term>
  double sum(int64_t row, Term term) const {
    const X* from = data + row * columns;
    std::array<double, 4> sums = {};
    int64_t k = 0;
    for (; k + 4 <= columns; k += 4) {
      for (int l = 0; l < 4; ++l) sums[l] += term(from[k + l]);
    }
    for (; k < columns; ++k) sums[0] += term(from[k]);
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
  template <class F>
  void visit(int64_t row, const Choice& choice, F f) const {
    const X* from = data + row * columns;
    for (size_t k = 0; k < choice.columns.size(); ++k) {
      f(static_cast<int64_t>(k), from[choice.columns[k]]);
    }
  }
};

// What is found when it is first asked for, by whichever thread.
template <class V>
class Once {
 public:
  template <class Find>
  const V& get(Find find) {
    std::call_once(once_, [&] { value_ = find(); });
    return value_;
  }

 private:
  std::once_flag once_;
  V value_;
};

// Compressed rows, column numbers in increasing order.
template <class X, class Index>
struct CsrRows {
  static constexpr bool kSparse = true;
  const X* values;
  const Index* places;  // column of each value
  const Index* starts;  // where each row begins, rows + 1 of them
  int64_t rows, columns;
  using Numbers = std::shared_ptr<const ColumnNumbers>;
  std::shared_ptr<Once<Numbers>> numbers = std::make_shared<Once<Numbers>>();

  int64_t entries(int64_t row) const { return starts[row + 1] - starts[row]; }
  // Refuses rows that do not point to these many entries, or not in ascending order: who reads them
  // does not look again.
  void check(int64_t count) const {
    bool good = rows >= 0 && starts[0] == 0 && starts[rows] == count;
    for (int64_t i = 0; i < rows && good; ++i) good = starts[i] <= starts[i + 1];
    for (int64_t i = 0; i < rows && good; ++i) {
      const Index *from = places + starts[i], *to = places + starts[i + 1];
      if (from == to) continue;
      good = from[0] >= 0 && to[-1] < columns;
      // All of a row at once: a loop that may end early is not made of vectors.
      Index falls = 0;
      for (const Index* place = from; place + 1 < to; ++place) {
        falls |= static_cast<Index>(place[0] >= place[1]);
      }
      good = good && falls == 0;
    }
    if (!good) throw std::invalid_argument("malformed compressed rows");
  }
  bool nearly_dense() const {
    return kEntryCost * static_cast<double>(starts[rows] - starts[0]) >=
           static_cast<double>(rows) * static_cast<double>(columns);
  }
  // An entry of one row on the left against all on the right costs a step for each of the column's
  // entries there; going through them costs such a step for two dozen rows on the left together.
  Numbers column_numbers() const {
    return numbers->get([this]() -> Numbers {
      constexpr int64_t kShare = 24;
      std::vector<int64_t> counts(columns, 0);
      for (int64_t e = starts[0]; e < starts[rows]; ++e) ++counts[places[e]];
      return std::make_shared<ColumnNumbers>(columns, [&](int64_t k) {
        return counts[k] * kShare > rows ? ColumnNumbers::full
               : counts[k] > 0           ? ColumnNumbers::rare
                                         : ColumnNumbers::empty;
      });
    });
  }
  template <class F>
  void visit(int64_t row, F f) const {
    for (int64_t k = starts[row]; k < starts[row + 1]; ++k) {
      f(static_cast<int64_t>(places[k]), values[k]);
    }
  }
  template <class F>
  void visit(int64_t row, const Choice& choice, F f) const {
    for (int64_t k = starts[row]; k < starts[row + 1]; ++k) {
      const int32_t place = choice.place[places[k]];
      if (place >= 0) f(static_cast<int64_t>(place), values[k]);
    }
  }
};

// Wide dense rows of which most entries are zero, copied without these.
template <class X>
struct ThinRows : CsrRows<X, int32_t> {
  struct Memory {
    std::unique_ptr<X[], Free> values;
    std::unique_ptr<int32_t[], Free> places;
    std::vector<int32_t> starts;
  };
  std::shared_ptr<const Memory> memory;

  explicit ThinRows(std::shared_ptr<const Memory> own, int64_t rows, int64_t columns)
      : CsrRows<X, int32_t>{own->values.get(), own->places.get(), own->starts.data(), rows,
                            columns},
        memory(std::move(own)) {}
};

// Nothing where rows are short or have too many entries, or where the monitor stops it.
template <class X>
std::optional<ThinRows<X>> thin(const DenseRows<X>& dense, const Workers& workers) {
  if (dense.columns < simd::kLongRow) return {};
  const double most = static_cast<double>(dense.rows) * static_cast<double>(dense.columns);
  const auto enough = static_cast<int64_t>(
      std::min(most / kEntryCost, double(std::numeric_limits<int32_t>::max())));
  auto memory = std::make_shared<typename ThinRows<X>::Memory>();
  std::vector<int32_t>& starts = memory->starts;
  starts.resize(dense.rows + 1);
  std::atomic<int64_t> entries = 0;
  const bool counted = for_rows(dense.rows, workers, [&](int64_t row) {
    if (entries.load(std::memory_order_relaxed) >= enough) return;
    int32_t count = 0;
    dense.visit(row, [&](int64_t, X value) { count += value != 0; });
    starts[row + 1] = count;
    entries.fetch_add(count, std::memory_order_relaxed);
  });
  if (!counted || entries >= enough) return {};
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  memory->values = large_pages<X>(static_cast<size_t>(entries));
  memory->places = large_pages<int32_t>(static_cast<size_t>(entries));
  // Zeros are not predictable, so there is no branch on them: each value is written, and the
  // next one over it.
  const bool copied = for_rows(dense.rows, workers, [&](int64_t row) {
    const X* from = dense.data + row * dense.columns;
    for (int32_t at = starts[row], k = 0; at < starts[row + 1]; ++k) {
      memory->values[at] = from[k];
      memory->places[at] = k;
      at += from[k] != 0;
    }
  });
  if (!copied) return {};
  return ThinRows<X>(std::move(memory), dense.rows, dense.columns);
}

// A kernel's view of other rows: some of their columns, all scaled to length one where wanted.
template <class Rows>
struct ViewedRows {
  static constexpr bool kSparse = Rows::kSparse;
  Rows viewed;
  std::shared_ptr<const Choice> choice;
  bool unit = false;
  int64_t rows = viewed.rows, columns = static_cast<int64_t>(choice->columns.size());

  bool nearly_dense() const { return viewed.nearly_dense(); }
  std::shared_ptr<const ColumnNumbers> column_numbers() const {
    const auto all = viewed.column_numbers();
    return std::make_shared<ColumnNumbers>(
        columns, [&](int64_t k) { return all->kind(choice->columns[k]); });
  }
  int64_t entries(int64_t row) const {
    if constexpr (!kSparse) return columns;
    int64_t count = 0;
    viewed.visit(row, *choice, [&](int64_t, auto) { ++count; });
    return count;
  }
  template <class F>
  void visit(int64_t row, F f) const {
    if (!unit) return viewed.visit(row, *choice, f);
    // By the largest entry first, so that no square overflows or vanishes.
    double largest = 0, sum = 0;
    viewed.visit(row, *choice,
                 [&](int64_t, double v) { largest = std::max(largest, std::abs(v)); });
    if (largest == 0) largest = 1;
    viewed.visit(row, *choice, [&](int64_t, double v) { sum += (v / largest) * (v / largest); });
    const double length = sum > 0 ? std::sqrt(sum) : 1;
    viewed.visit(row, *choice, [&](int64_t k, double v) { f(k, v / largest / length); });
  }
};

template <class Rows>
ViewedRows<Rows> choose(const Rows& rows, std::span<const int64_t> columns) {
  const std::vector<int64_t> chosen(columns.begin(), columns.end());
  return {rows, std::make_shared<Choice>(chosen, rows.columns)};
}
template <class Rows>
ViewedRows<Rows> choose(const ViewedRows<Rows>& rows, std::span<const int64_t> columns) {
  std::vector<int64_t> chosen;
  for (const int64_t k : columns) chosen.push_back(rows.choice->columns[k]);
  return {rows.viewed, std::make_shared<Choice>(chosen, rows.viewed.columns), rows.unit};
}
template <class Rows>
ViewedRows<Rows> unit(const Rows& rows) {
  std::vector<int64_t> all(rows.columns);
  std::iota(all.begin(), all.end(), 0);
  return {rows, std::make_shared<Choice>(all, rows.columns), true};
}
template <class Rows>
ViewedRows<Rows> unit(const ViewedRows<Rows>& rows) {
  return {rows.viewed, rows.choice, true};
}

}  // namespace svm
