// The symmetric matrix of the quadratic term as the solver sees it: square blocks for a working
// set, and the change of the gradient when some variables have moved.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "dual/dual.h"
#include "dual/row_cache.h"
#include "kernel/gram.h"
#include "kernel/row_sum.h"
#include "run/workers.h"

namespace svm {

template <class T>
class StoredMatrix;

template <class T>
class Quadratic {
 public:
  virtual ~Quadratic() = default;
  virtual int64_t size() const = 0;
  // Itself, where all of it is in memory.
  virtual const StoredMatrix<T>* stored() const { return nullptr; }
  // out[r * which.size() + c] = K(which[r], which[c])
  virtual void block(std::span<const int64_t> which, T* out) = 0;
  // The same for the rows and columns at some places of such a block. False where all of it is as
  // quick.
  virtual bool renew(std::span<const int64_t>, std::span<const int64_t>, T*) { return false; }
  // f += K(:, which) step; false, and f as it was, when the monitor stopped it half-way.
  virtual bool accumulate(std::span<const int64_t> which, std::span<const double> step,
                          double* f) = 0;
};

// A matrix in memory: a small problem, or the working set of a larger one.
template <class T>
class StoredMatrix final : public Quadratic<T> {
 public:
  explicit StoredMatrix(int64_t size = 0) { resize(size); }

  // Forgets what it held; memory is taken once for the largest size.
  void resize(int64_t size) {
    size_ = size;
    if (size * size > capacity_) {
      capacity_ = size * size;
      values_ = large_pages<T>(static_cast<size_t>(capacity_));
    }
  }

  // Returns its memory to the system.
  void release() {
    size_ = capacity_ = 0;
    values_.reset();
    return_spare_pages();
  }

  // y += K x
  void multiply_add(const double* x, double* y, int threads) const {
    constexpr int64_t kBlock = 512;
    // Not Workers::run(): half a product is of no use, and the whole is quick.
    parallel_for((size_ + kBlock - 1) / kBlock, threads, [&](int64_t block) {
      const int64_t begin = block * kBlock, count = std::min(kBlock, size_ - begin);
      RowSum<T> sum(y + begin, count);
      for (int64_t i = 0; i < size_; ++i) {
        if (x[i] != 0) sum.add(row(i) + begin, x[i]);
      }
      sum.flush();
    });
  }

  int64_t size() const override { return size_; }
  const StoredMatrix* stored() const override { return this; }
  T* data() { return values_.get(); }
  const T* row(int64_t i) const { return values_.get() + i * size_; }

  void block(std::span<const int64_t> which, T* out) override {
    for (const int64_t i : which) {
      for (const int64_t j : which) *out++ = row(i)[j];
    }
  }
  bool accumulate(std::span<const int64_t> which, std::span<const double> step,
                  double* f) override {
    RowSum<T> sum(f, size_);
    for (size_t k = 0; k < which.size(); ++k) sum.add(row(which[k]), step[k]);
    sum.flush();
    return true;
  }

 private:
  int64_t size_ = 0, capacity_ = 0;
  std::unique_ptr<T[], Free> values_;
};

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
               int64_t cache_bytes, std::shared_ptr<Slabs> memory, const Workers& workers)
      : source_(source),
        problem_(problem),
        cheap_(cheap),
        cache_(std::max<int64_t>(simd::kTileRows, cache_bytes / row_bytes(source)), source.size(),
               std::move(memory)),
        frugal_(cheap && 2 * cache_.capacity() < source.size()),
        met_(source.size(), !frugal_),
        workers_(workers) {}

  int64_t size() const override { return problem_.size(); }

  // Cached rows hold the same bits as fresh tiles: only what is in none of them is computed.
  void block(std::span<const int64_t> which, T* out) override {
    const Stopwatch watch(workers_.monitor.work.kernel_seconds);
    const std::vector<int64_t> rows = rows_of(which);
    const size_t q = rows.size();
    std::vector<int64_t> missing, place;
    for (size_t k = 0; k < q; ++k) {
      const T* row = cheap_ ? nullptr : cache_.peek(rows[k]);
      if (row == nullptr) {
        missing.push_back(rows[k]);
        place.push_back(static_cast<int64_t>(k));
        continue;
      }
      for (size_t l = 0; l < q; ++l) out[k * q + l] = row[rows[l]];
    }
    if (missing.size() == q) {
      source_.block(rows, out, workers_);
    } else if (!missing.empty()) {
      fill(missing, place, out, q);
    }
    for (size_t k = 0; k < q && !problem_.ridge.empty(); ++k) {
      out[k * q + k] += static_cast<T>(problem_.ridge[which[k]]);
    }
  }

  bool renew(std::span<const int64_t> which, std::span<const int64_t> places, T* out) override {
    const Stopwatch watch(workers_.monitor.work.kernel_seconds);
    if (!cheap_ || !source_.renew(rows_of(which), places, out, workers_)) return false;
    const size_t q = which.size();
    for (const int64_t k : places) {
      out[k * q + k] += static_cast<T>(problem_.ridge_of(which[k]));
    }
    return true;
  }

  bool accumulate(std::span<const int64_t> which, std::span<const double> step,
                  double* f) override {
    const std::vector<int64_t> rows = rows_of(which);
    const int64_t count = static_cast<int64_t>(rows.size());
    change_.assign(source_.size(), 0.0);
    for (int64_t first = 0; first < count; first += cache_.capacity()) {
      const int64_t batch = std::min(cache_.capacity(), count - first);
      if (!accumulate_batch(std::span(rows).subspan(first, batch), step.subspan(first, batch))) {
        return false;
      }
    }
    for (int64_t v = 0; v < size(); ++v) f[v] += change_[v % source_.size()];
    for (int64_t k = 0; k < count; ++k) {
      f[which[k]] += problem_.ridge_of(which[k]) * step[k];
      path_ += std::abs(step[k]);
    }
    rows_added_ += count;
    return true;
  }

  // Memory of the rows that are kept, and giving it up.
  int64_t bytes() const { return cache_.bytes(); }
  void release() { cache_.release(); }

  int64_t rows_computed() const { return rows_computed_; }
  // Rounding of the additions to f so far, for entries of at most `largest`.
  double rounding(double largest) const {
    return static_cast<double>(rows_added_) * 0x1p-53 * largest * path_;
  }

 private:
  using Rows = typename KernelSource<T>::Rows;

  static int64_t row_bytes(const KernelSource<T>& source) {
    return source.size() * static_cast<int64_t>(sizeof(T));
  }

  std::vector<int64_t> rows_of(std::span<const int64_t> which) const {
    std::vector<int64_t> rows(which.begin(), which.end());
    for (int64_t& row : rows) row %= source_.size();
    return rows;
  }

  // The rows of a block of width q that are in no cached row: among each other, and mirrored.
  void fill(std::span<const int64_t> missing, std::span<const int64_t> place, T* out, size_t q) {
    const size_t m = missing.size();
    fresh_.resize(static_cast<int64_t>(m));
    source_.block(missing, fresh_.data(), workers_);
    for (size_t k = 0; k < m; ++k) {
      T* row = out + place[k] * q;
      const T* values = fresh_.row(static_cast<int64_t>(k));
      for (size_t l = 0, next = 0; l < q; ++l) {
        const bool fresh = next < m && place[next] == static_cast<int64_t>(l);
        row[l] = fresh ? values[next++] : out[l * q + place[k]];
      }
    }
  }

  bool accumulate_batch(std::span<const int64_t> which, std::span<const double> step) {
    // Of each row the values that are known, or the place to keep new ones in; or neither.
    std::vector<const T*> known(which.size(), nullptr);
    std::vector<T*> place(which.size(), nullptr);
    std::vector<int64_t> missing;
    for (size_t k = 0; k < which.size(); ++k) {
      known[k] = cache_.peek(which[k]);
      if (known[k] != nullptr || (met_[which[k]] && worthwhile())) {
        place[k] = cache_.get(which[k]).first;
        ++(known[k] != nullptr ? found_ : kept_);
      }
      if (known[k] == nullptr) missing.push_back(which[k]);
      met_[which[k]] = true;
    }
    const std::vector<std::unique_ptr<Rows>> fresh = prepare(missing);
    count_work(known, place, fresh);
    Split split(workers_.monitor.work);
    const int64_t blocks = (source_.size() + kBlockColumns - 1) / kBlockColumns;
    const bool complete = workers_.run(blocks, [&](int64_t block) {
      const int64_t begin = block * kBlockColumns;
      add_columns(known, place, fresh, step, begin, std::min(source_.size(), begin + kBlockColumns),
                  split);
    });
    if (!complete) cache_.clear();
    return complete;
  }

  // Known rows are read from memory and new ones written there where they are kept; the change of
  // the gradient stays in the first cache while rows are added to a block of it, and is then added
  // to the gradient.
  void count_work(std::span<const T* const> known, std::span<T* const> place,
                  std::span<const std::unique_ptr<Rows>> fresh) {
    Work& work = workers_.monitor.work;
    int64_t computed = 0, moved = 0;
    for (size_t k = 0; k < known.size(); ++k) {
      computed += known[k] == nullptr;
      moved += known[k] != nullptr || place[k] != nullptr;
    }
    rows_computed_ += computed;
    for (const auto& rows : fresh) work.evaluate<T>(rows->entries());
    work.cache_hits += static_cast<int64_t>(known.size()) - computed;
    work.bytes += source_.size() * static_cast<int64_t>(sizeof(T) * moved + 5 * sizeof(double));
  }

  // Whether another row may be kept: a few, and then two for each that has been found again.
  bool worthwhile() const {
    constexpr int64_t kFew = 256;
    return !frugal_ || kept_ < kFew + 2 * found_;
  }

  // New rows in groups of kLeftRows.
  std::vector<std::unique_ptr<Rows>> prepare(std::span<const int64_t> missing) const {
    const Stopwatch watch(workers_.monitor.work.kernel_seconds);
    const int64_t count = std::ssize(missing);
    std::vector<std::unique_ptr<Rows>> groups((count + kLeftRows - 1) / kLeftRows);
    for (int64_t g = 0; g < std::ssize(groups); ++g) {
      const int64_t first = g * kLeftRows;
      groups[g] = source_.rows(missing.subspan(first, std::min(kLeftRows, count - first)));
    }
    return groups;
  }

  // The rows' columns from begin to end, always in the same order, whatever is in the cache.
  void add_columns(std::span<const T* const> known, std::span<T* const> place,
                   std::span<const std::unique_ptr<Rows>> fresh, std::span<const double> step,
                   int64_t begin, int64_t end, Split& split) {
    const auto start = Split::Clock::now();
    Split::Clock::duration computing{};
    // A power of two apart, the rows' columns would throw one another out of the cache.
    constexpr int64_t kStride = kBlockColumns + 16;
    const auto tile = std::make_unique_for_overwrite<T[]>(fresh.empty() ? 0 : kLeftRows * kStride);
    RowSum<T> sum(change_.data() + begin, end - begin);
    int64_t next = 0;
    for (size_t k = 0; k < known.size(); ++k) {
      const T* values = known[k] == nullptr ? nullptr : known[k] + begin;
      if (values == nullptr) {
        if (next % kLeftRows == 0) {
          sum.flush();  // what is still to be read of the tile
          const auto before = Split::Clock::now();
          fresh[next / kLeftRows]->columns(begin, end, tile.get(), kStride);
          computing += Split::Clock::now() - before;
        }
        values = tile.get() + next % kLeftRows * kStride;
        if (place[k] != nullptr) std::copy_n(values, end - begin, place[k] + begin);
        ++next;
      }
      sum.add(values, step[k]);
    }
    sum.flush();
    split.add(computing, Split::Clock::now() - start - computing);
  }

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
