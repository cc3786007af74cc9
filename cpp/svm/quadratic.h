// The symmetric matrix of the quadratic term as the solver sees it: square blocks for a working
// set, and the change of the gradient when some variables have moved.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "svm/dual.h"
#include "svm/gram.h"
#include "svm/row_cache.h"
#include "svm/workers.h"

namespace svm {

template <class T>
class Quadratic {
 public:
  virtual ~Quadratic() = default;
  virtual int64_t size() const = 0;
  // out[r * which.size() + c] = K(which[r], which[c])
  virtual void block(std::span<const int64_t> which, T* out) = 0;
  // f += K(:, which) step; false, and f as it was, when the monitor stopped it half-way.
  virtual bool accumulate(std::span<const int64_t> which, std::span<const double> step,
                          double* f) = 0;
};

// A matrix in memory: a small problem, or the working set of a larger one.
template <class T>
class StoredMatrix final : public Quadratic<T> {
 public:
  explicit StoredMatrix(int64_t size) : size_(size), values_(size * size) {}

  int64_t size() const override { return size_; }
  T* data() { return values_.data(); }
  const T* row(int64_t i) const { return values_.data() + i * size_; }

  void block(std::span<const int64_t> which, T* out) override {
    for (const int64_t i : which) {
      for (const int64_t j : which) *out++ = row(i)[j];
    }
  }
  bool accumulate(std::span<const int64_t> which, std::span<const double> step,
                  double* f) override {
    for (size_t k = 0; k < which.size(); ++k) {
      simd::table().loops<T>().add(row(which[k]), step[k], f, size_);
    }
    return true;
  }

 private:
  int64_t size_;
  std::vector<T> values_;
};

// Rows computed when a variable moves for the first time, then kept while the budget lasts. A
// problem may have several variables a row: variable v belongs to row v modulo the number of rows.
template <class T>
class CachedKernel final : public Quadratic<T> {
 public:
  CachedKernel(const KernelSource<T>& source, const DualProblem& problem, int64_t cache_bytes,
               const Workers& workers)
      : source_(source),
        problem_(problem),
        cache_(std::max<int64_t>(simd::kTileRows, cache_bytes / row_bytes(source)), source.size()),
        workers_(workers) {}

  int64_t size() const override { return problem_.size(); }

  void block(std::span<const int64_t> which, T* out) override {
    const std::vector<int64_t> rows = rows_of(which);
    if (!copy_block(rows, out)) source_.block(rows, out, workers_);
    const size_t q = which.size();
    for (size_t k = 0; k < q && !problem_.ridge.empty(); ++k) {
      out[k * q + k] += static_cast<T>(problem_.ridge[which[k]]);
    }
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

  int64_t rows_computed() const { return rows_computed_; }
  // The sum of |step| over all moves.
  double path() const { return path_; }
  // Rounding of the additions to f so far, for entries of at most `largest`.
  double rounding(double largest) const {
    return static_cast<double>(rows_added_) * 0x1p-53 * largest * path_;
  }

 private:
  static int64_t row_bytes(const KernelSource<T>& source) {
    return source.size() * static_cast<int64_t>(sizeof(T));
  }

  std::vector<int64_t> rows_of(std::span<const int64_t> which) const {
    std::vector<int64_t> rows(which.begin(), which.end());
    for (int64_t& row : rows) row %= source_.size();
    return rows;
  }

  // Cached rows hold the same bits as a fresh tile: they are read when all are there.
  bool copy_block(std::span<const int64_t> rows, T* out) const {
    for (const int64_t i : rows) {
      if (cache_.peek(i) == nullptr) return false;
    }
    for (const int64_t i : rows) {
      const T* row = cache_.peek(i);
      for (const int64_t j : rows) *out++ = row[j];
    }
    return true;
  }

  bool accumulate_batch(std::span<const int64_t> which, std::span<const double> step) {
    std::vector<T*> rows(which.size());
    std::vector<int64_t> missing;
    std::vector<T*> destination;
    for (size_t k = 0; k < which.size(); ++k) {
      const auto [values, known] = cache_.get(which[k]);
      rows[k] = values;
      if (known) continue;
      missing.push_back(which[k]);
      destination.push_back(values);
    }
    rows_computed_ += static_cast<int64_t>(missing.size());
    const auto column_block = [&](int64_t b) {
      const int64_t begin = b * kBlockColumns,
                    end = std::min(source_.size(), begin + kBlockColumns);
      compute(missing, destination, begin, end);
      for (size_t k = 0; k < which.size(); ++k) {
        simd::table().loops<T>().add(rows[k] + begin, step[k], change_.data() + begin, end - begin);
      }
    };
    const bool complete =
        workers_.run((source_.size() + kBlockColumns - 1) / kBlockColumns, column_block);
    if (!complete) cache_.clear();
    return complete;
  }

  void compute(std::span<const int64_t> missing, std::span<T* const> destination, int64_t begin,
               int64_t end) const {
    std::vector<T> scratch(simd::kTileRows * kBlockColumns);
    for (size_t first = 0; first < missing.size(); first += simd::kTileRows) {
      const size_t group = std::min<size_t>(simd::kTileRows, missing.size() - first);
      source_.rows(missing.subspan(first, group), begin, end, scratch.data(), kBlockColumns);
      for (size_t r = 0; r < group; ++r) {
        std::copy_n(scratch.data() + r * kBlockColumns, end - begin,
                    destination[first + r] + begin);
      }
    }
  }

  const KernelSource<T>& source_;
  const DualProblem& problem_;
  RowCache<T> cache_;
  const Workers& workers_;
  std::vector<double> change_;
  double path_ = 0;
  int64_t rows_computed_ = 0, rows_added_ = 0;
};

}  // namespace svm
