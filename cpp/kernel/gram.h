// The kernel matrix of one problem, never stored as a whole unless it is small.
//
// A Gram hands out two things: a KernelSource, from which a solver takes blocks and rows in its own
// precision, and exact float64 products with a vector, from which certificates are made.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernel/kernel.h"
#include "kernel/row_class.h"
#include "rows/points.h"
#include "run/workers.h"

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
  // All values, where they are kept for several problems; nullptr where they are not.
  virtual const double* kept_exact(const Workers&) const { return nullptr; }
  virtual const float* kept_single(const Workers&) const { return nullptr; }
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
  bool expensive() const { return row_cost() >= 128; }
  // The constant to add to every entry (Kernel::offset).
  virtual double offset() const = 0;
  // Bounds on the size of an entry, with and without that constant (which meets the rounding of the
  // variables' sum), and on the error of its value in float64 and in float32.
  virtual double largest_entry() const = 0;
  virtual double exact_error() const = 0;
  virtual double single_error() const = 0;
};

// From data and a kernel function; both the data and the index must outlive it.
std::unique_ptr<Gram> make_gram(const Points& points, std::span<const int64_t> index,
                                const Kernel& kernel);

// Some rows and columns of a square matrix of kernel values.
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
std::unique_ptr<Gram> make_gram(MatrixView view);

}  // namespace svm
