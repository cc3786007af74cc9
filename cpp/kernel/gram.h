// The kernel matrix of one problem, never stored as a whole unless it is small.
//
// A Gram hands out two things: a KernelSource, from which a solver takes blocks and rows in its own
// precision, and exact float64 products with a vector, from which certificates are made.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kernel/bounds.h"
#include "kernel/expansion.h"
#include "kernel/row_class.h"
#include "kernel/tiles.h"

namespace svm {

// Columns are worked on in blocks of at most this many, whatever the number of threads.
inline constexpr int64_t kBlockColumns = 1024;

template <class T>
class KernelSource {
 public:
  virtual ~KernelSource() = default;
  virtual int64_t size() const = 0;
  // Some rows, prepared for any of their columns; those of a source must not outlive it.
  class Rows {
   public:
    virtual ~Rows() = default;
    // out[r * stride + j - begin] = K(rows[r], j) for begin <= j < end; begin a multiple of 64,
    // stride >= end - begin rounded up to 64 and room for a multiple of kTileRows.
    virtual void columns(int64_t begin, int64_t end, T* out, int64_t stride) const = 0;
    // Values that are computed for all columns.
    virtual int64_t entries() const = 0;
  };
  // At most kLeftRows of them.
  virtual std::unique_ptr<Rows> rows(std::span<const int64_t> rows) const = 0;
  // out[r * which.size() + c] = K(which[r], which[c]); left half-way when the monitor stops it.
  virtual void block(std::span<const int64_t> which, T* out, const Workers& workers) const = 0;
  // The same for some rows and columns of such a block, those at `places` of it. False where all of
  // it is as quick.
  virtual bool renew(std::span<const int64_t>, std::span<const int64_t>, T*, const Workers&) const {
    return false;
  }
};

class Gram {
 public:
  virtual ~Gram() = default;
  virtual int64_t size() const = 0;
  virtual std::unique_ptr<KernelSource<float>> single(const Workers& workers) const = 0;
  virtual std::unique_ptr<KernelSource<double>> exact(const Workers& workers) const = 0;
  // out[r * which.size() + c] = K(which[r], which[c]) in float64; left half-way when the monitor
  // stops it.
  virtual void block(std::span<const int64_t> which, double* out, const Workers& workers) const = 0;
  // sum[r] = sum_k weights[k] K(rows[r], which[k]), in float64. False when the monitor stopped it.
  virtual bool product(std::span<const int64_t> rows, std::span<const int64_t> which,
                       std::span<const double> weights, double* sum,
                       const Workers& workers) const = 0;
  // The same with rows = which.
  virtual bool product_among(std::span<const int64_t> which, std::span<const double> weights,
                             double* sum, const Workers& workers) const {
    return product(which, which, weights, sum, workers);
  }
  // Some rows of the data, for all problems they are in; none where values are given.
  virtual std::unique_ptr<RowClass> row_class(std::vector<int64_t>) const { return nullptr; }
  // Memory that such a class takes beside that of its entries and values.
  virtual int64_t lookup_bytes() const { return 0; }
  // Entries of a row of the data that a value is computed from, in the mean; 0 where it is given.
  virtual double row_length() const = 0;
  // What a value costs, as the length of dense rows that cost as much.
  virtual double row_cost() const { return row_length(); }
  // Whether values cost more than getting them from memory.
  bool dear() const { return row_cost() >= 128; }
  // The constant to add to every entry (Kernel::offset).
  virtual double offset() const = 0;
  // Bounds on the size of an entry, with and without that constant (which meets the rounding of the
  // variables' sum), and on the error of its value in float64 and in float32.
  virtual double largest_entry() const = 0;
  virtual double exact_error() const = 0;
  virtual double single_error() const = 0;
};

// ---- From data and a kernel function ---------------------------------------------------------

template <class T>
class DataSource final : public KernelSource<T> {
 public:
  using typename KernelSource<T>::Rows;

  DataSource(const Points& points, std::span<const int64_t> index, const Kernel& kernel,
             const Workers& workers)
      : points_(points),
        index_(index),
        kernel_(kernel),
        tiles_(kernel, points, points, index, points.crowded(), workers) {}

  int64_t size() const override { return tiles_.size(); }

  std::unique_ptr<Rows> rows(std::span<const int64_t> rows) const override {
    return std::make_unique<Prepared>(tiles_, tiles_.prepare(lookup(rows)));
  }

  void block(std::span<const int64_t> which, T* out, const Workers& workers) const override {
    kernel_block(kernel_, points_, lookup(which), out, workers);
  }

  bool renew(std::span<const int64_t> which, std::span<const int64_t> places, T* out,
             const Workers& workers) const override {
    const std::vector<int64_t> columns = lookup(which);
    std::vector<int64_t> rows;
    for (const int64_t place : places) rows.push_back(columns[place]);
    kernel_cross(kernel_, points_, rows, places, columns, out, workers);
    return true;
  }

 private:
  struct Prepared final : Rows {
    const Tiles<T>& tiles;
    typename Tiles<T>::Left left;

    Prepared(const Tiles<T>& tiles, typename Tiles<T>::Left left)
        : tiles(tiles), left(std::move(left)) {}
    void columns(int64_t begin, int64_t end, T* out, int64_t stride) const override {
      tiles.rows(left, begin, end, out, stride);
    }
    int64_t entries() const override { return left.size() * tiles.size(); }
  };

  std::vector<int64_t> lookup(std::span<const int64_t> which) const {
    std::vector<int64_t> original(which.size());
    for (size_t k = 0; k < which.size(); ++k) original[k] = index_[which[k]];
    return original;
  }

  const Points& points_;
  std::span<const int64_t> index_;
  Kernel kernel_;
  Tiles<T> tiles_;
};

class DataGram final : public Gram {
 public:
  DataGram(const Points& points, std::span<const int64_t> index, const Kernel& kernel)
      : points_(points), index_(index), kernel_(kernel) {
    Monitor nobody;
    points.keep_norms({1, nobody});
  }

  int64_t size() const override { return static_cast<int64_t>(index_.size()); }
  std::unique_ptr<KernelSource<float>> single(const Workers& workers) const override {
    return std::make_unique<DataSource<float>>(points_, index_, kernel_, workers);
  }
  std::unique_ptr<KernelSource<double>> exact(const Workers& workers) const override {
    return std::make_unique<DataSource<double>>(points_, index_, kernel_, workers);
  }
  void block(std::span<const int64_t> which, double* out, const Workers& workers) const override {
    kernel_block(kernel_, points_, originals(which), out, workers);
  }
  bool product(std::span<const int64_t> rows, std::span<const int64_t> which,
               std::span<const double> weights, double* sum,
               const Workers& workers) const override {
    const Weights own(weights, 1);
    return expand(kernel_, points_, originals(which), own, points_, originals(rows), sum, workers);
  }
  bool product_among(std::span<const int64_t> which, std::span<const double> weights, double* sum,
                     const Workers& workers) const override {
    return expand_among(kernel_, points_, originals(which), weights, sum, workers);
  }
  std::unique_ptr<RowClass> row_class(std::vector<int64_t> rows) const override {
    return std::make_unique<RowClass>(kernel_, points_, std::move(rows));
  }
  int64_t lookup_bytes() const override {
    const int64_t place = static_cast<int64_t>(sizeof(int64_t));
    return points_.sparse() && !points_.crowded() ? place * points_.columns() : 0;
  }
  double row_length() const override {
    if (points_.crowded()) return static_cast<double>(points_.columns());
    int64_t entries = 0;
    for (const int64_t i : index_) entries += points_.entries(i);
    return static_cast<double>(entries) / static_cast<double>(size());
  }
  double row_cost() const override {
    return points_.sparse() && !points_.crowded() ? kEntryCost * row_length() : row_length();
  }
  double offset() const override { return kernel_.offset(); }
  double largest_entry() const override { return std::max(bounds().entry, std::abs(offset())); }
  double exact_error() const override { return bounds().exact; }
  double single_error() const override { return bounds().single; }

 private:
  std::vector<int64_t> originals(std::span<const int64_t> which) const {
    std::vector<int64_t> rows(which.size());
    for (size_t k = 0; k < which.size(); ++k) rows[k] = index_[which[k]];
    return rows;
  }

  const Bounds& bounds() const {
    if (!bounds_) bounds_ = bound(kernel_, points_, index_);
    return *bounds_;
  }

  const Points& points_;
  std::span<const int64_t> index_;
  Kernel kernel_;
  mutable std::optional<Bounds> bounds_;
};

// ---- From a matrix of kernel values -------------------------------------------------------------

class MatrixView {
 public:
  MatrixView(const double* values, int64_t stride, std::span<const int64_t> index)
      : values_(values), stride_(stride), index_(index) {}
  int64_t size() const { return static_cast<int64_t>(index_.size()); }
  double operator()(int64_t i, int64_t j) const { return values_[index_[i] * stride_ + index_[j]]; }

 private:
  const double* values_;
  int64_t stride_;
  std::span<const int64_t> index_;
};

template <class T>
class PrecomputedSource final : public KernelSource<T> {
 public:
  using typename KernelSource<T>::Rows;

  explicit PrecomputedSource(MatrixView view) : view_(view) {}
  int64_t size() const override { return view_.size(); }
  std::unique_ptr<Rows> rows(std::span<const int64_t> rows) const override {
    return std::make_unique<Listed>(view_, rows);
  }
  void block(std::span<const int64_t> which, T* out, const Workers& workers) const override {
    workers.monitor.work.evaluate<T>(static_cast<int64_t>(which.size() * which.size()));
    for (const int64_t i : which) {
      for (const int64_t j : which) *out++ = static_cast<T>(view_(i, j));
    }
  }

 private:
  struct Listed final : Rows {
    const MatrixView& view;
    std::vector<int64_t> list;

    Listed(const MatrixView& view, std::span<const int64_t> rows)
        : view(view), list(rows.begin(), rows.end()) {}
    void columns(int64_t begin, int64_t end, T* out, int64_t stride) const override {
      for (size_t r = 0; r < list.size(); ++r) {
        for (int64_t j = begin; j < end; ++j) {
          out[r * stride + j - begin] = static_cast<T>(view(list[r], j));
        }
      }
    }
    int64_t entries() const override { return std::ssize(list) * view.size(); }
  };

  MatrixView view_;
};

class PrecomputedGram final : public Gram {
 public:
  explicit PrecomputedGram(MatrixView view) : view_(view) {}
  int64_t size() const override { return view_.size(); }
  std::unique_ptr<KernelSource<float>> single(const Workers&) const override {
    return std::make_unique<PrecomputedSource<float>>(view_);
  }
  std::unique_ptr<KernelSource<double>> exact(const Workers&) const override {
    return std::make_unique<PrecomputedSource<double>>(view_);
  }
  void block(std::span<const int64_t> which, double* out, const Workers& workers) const override {
    workers.monitor.work.evaluate<double>(static_cast<int64_t>(which.size() * which.size()));
    for (const int64_t i : which) {
      for (const int64_t j : which) *out++ = view_(i, j);
    }
  }
  bool product(std::span<const int64_t> rows, std::span<const int64_t> which,
               std::span<const double> weights, double* sum,
               const Workers& workers) const override {
    const auto row = [&](int64_t i) {
      double total = 0;
      for (size_t first = 0; first < which.size(); first += kCentreChunk) {
        double part = 0;
        for (size_t k = first; k < std::min<size_t>(which.size(), first + kCentreChunk); ++k) {
          part += weights[k] * view_(i, which[k]);
        }
        total += part;
      }
      return total;
    };
    constexpr int64_t kRows = 64;
    const int64_t n = static_cast<int64_t>(rows.size());
    workers.monitor.work.evaluate<double>(n * static_cast<int64_t>(which.size()));
    return workers.run((n + kRows - 1) / kRows, [&](int64_t block) {
      const int64_t end = std::min(n, (block + 1) * kRows);
      for (int64_t r = block * kRows; r < end; ++r) sum[r] = row(rows[r]);
    });
  }
  double row_length() const override { return 0; }
  double offset() const override { return 0; }
  double largest_entry() const override {
    if (largest_ >= 0) return largest_;
    largest_ = 0;
    for (int64_t i = 0; i < size(); ++i) {
      for (int64_t j = 0; j < size(); ++j) {
        largest_ = std::max(largest_, std::abs(view_(i, j)));
      }
    }
    return largest_;
  }
  double exact_error() const override { return 0; }
  double single_error() const override { return 0x1p-24 * largest_entry(); }

 private:
  MatrixView view_;
  mutable double largest_ = -1;
};

}  // namespace svm
