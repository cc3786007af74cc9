// The matrix of a large problem: rows of kernel values, kept while memory lasts.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "dual/dual.h"
#include "dual/quadratic.h"
#include "dual/row_cache.h"
#include "kernel/gram.h"
#include "run/workers.h"

namespace svm {

// Rows computed when a variable moves, then kept while the budget lasts. Where values are `cheap`,
// blocks are computed rather than gathered from all over the cache; and where, besides, there is
// room for less than half of the rows, one is kept from the second time on, because many variables
// move only once and memory costs more than values, and as long as those that are kept have proved
// useful. A problem may have several variables a row: variable v belongs to row v modulo the number
// of rows.
template <class T>
class CachedKernel final : public Quadratic<T> {
 public:
  CachedKernel(const KernelSource<T>& source, const DualProblem& problem, bool cheap,
               int64_t cache_bytes, Slabs& memory, const Workers& workers);

  int64_t size() const override { return problem_.size(); }

  // Cached rows hold the same bits as fresh tiles: only what is in none of them is computed.
  void block(std::span<const int64_t> which, T* out) override;

  bool renew(std::span<const int64_t> which, std::span<const int64_t> places, T* out) override;

  bool accumulate(std::span<const int64_t> which, std::span<const double> step, double* f) override;

  // Memory of the rows that are kept, and giving it up.
  int64_t bytes() const { return cache_.bytes(); }
  void release() { cache_.release(); }

  int64_t rows_computed() const { return rows_computed_; }
  // Rounding of the additions to f so far, for entries of at most `largest`.
  double rounding(double largest) const;

 private:
  using Rows = typename KernelSource<T>::Rows;

  static int64_t row_bytes(const KernelSource<T>& source);

  std::vector<int64_t> rows_of(std::span<const int64_t> which) const;

  // The rows of a block of width q that are in no cached row: among each other, and mirrored.
  void fill(std::span<const int64_t> missing, std::span<const int64_t> place, T* out, size_t q);

  bool accumulate_batch(std::span<const int64_t> which, std::span<const double> step);

  // Known rows are read from memory and new ones written there where they are kept; the change of
  // the gradient stays in the first cache while rows are added to a block of it, and is then added
  // to the gradient.
  void count_work(std::span<const T* const> known, std::span<T* const> place,
                  std::span<const std::unique_ptr<Rows>> fresh);

  // Whether another row may be kept: a few, and then two for each that has been found again.
  bool worthwhile() const;

  // New rows in groups of kLeftRows.
  std::vector<std::unique_ptr<Rows>> prepare(std::span<const int64_t> missing) const;

  // The rows' columns from begin to end, always in the same order, whatever is in the cache.
  void add_columns(std::span<const T* const> known, std::span<T* const> place,
                   std::span<const std::unique_ptr<Rows>> fresh, std::span<const double> step,
                   int64_t begin, int64_t end, Split& split);

  const KernelSource<T>& source_;
  const DualProblem& problem_;
  bool cheap_;
  RowCache<T> cache_;
  bool frugal_;
  std::vector<bool> met_;  // rows that are kept when they are computed
  const Workers& workers_;
  std::vector<double> change_;
  StoredMatrix<T> fresh_;
  double path_ = 0;  // the sum of |step| over all moves
  int64_t rows_computed_ = 0, rows_added_ = 0, kept_ = 0, found_ = 0;
};

}  // namespace svm
