// The symmetric matrix of the quadratic term as the solver sees it: square blocks for a working
// set, and the change of the gradient when some variables have moved.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

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

// Rows computed when a variable moves for the first time, then kept while the budget lasts.
template <class T>
class CachedKernel final : public Quadratic<T> {
 public:
  CachedKernel(const KernelSource<T>& source, int64_t cache_bytes, const Workers& workers)
      : source_(source),
        cache_(std::max<int64_t>(simd::kTileRows, cache_bytes / row_bytes(source)), source.size()),
        workers_(workers) {}

  int64_t size() const override { return source_.size(); }

  void block(std::span<const int64_t> which, T* out) override {
    // Cached rows hold the same bits as a fresh tile: read them when all are there.
    for (const int64_t i : which) {
      if (cache_.peek(i) == nullptr) return source_.block(which, out, workers_);
    }
    for (const int64_t i : which) {
      const T* row = cache_.peek(i);
      for (const int64_t j : which) *out++ = row[j];
    }
  }

  bool accumulate(std::span<const int64_t> which, std::span<const double> step,
                  double* f) override {
    const int64_t count = static_cast<int64_t>(which.size());
    change_.assign(size(), 0.0);
    for (int64_t first = 0; first < count; first += cache_.capacity()) {
      const int64_t batch = std::min(cache_.capacity(), count - first);
      if (!accumulate_batch(which.subspan(first, batch), step.subspan(first, batch))) return false;
    }
    for (int64_t i = 0; i < size(); ++i) f[i] += change_[i];
    for (const double s : step) path_ += std::abs(s);
    rows_added_ += count;
    return true;
  }

  int64_t rows_computed() const { return rows_computed_; }
  // Rounding of the additions to f so far, for entries of at most `largest`.
  double rounding(double largest) const {
    return static_cast<double>(rows_added_) * 0x1p-53 * largest * path_;
  }

 private:
  static int64_t row_bytes(const KernelSource<T>& source) {
    return source.size() * static_cast<int64_t>(sizeof(T));
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
      const int64_t begin = b * kBlockColumns, end = std::min(size(), begin + kBlockColumns);
      compute(missing, destination, begin, end);
      for (size_t k = 0; k < which.size(); ++k) {
        simd::table().loops<T>().add(rows[k] + begin, step[k], change_.data() + begin, end - begin);
      }
    };
    const bool complete = workers_.run((size() + kBlockColumns - 1) / kBlockColumns, column_block);
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
  RowCache<T> cache_;
  const Workers& workers_;
  std::vector<double> change_;
  double path_ = 0;  // sum of |step| over all moves
  int64_t rows_computed_ = 0, rows_added_ = 0;
};

}  // namespace svm
