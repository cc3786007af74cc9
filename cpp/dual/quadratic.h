// The symmetric matrix of the quadratic term as the solver sees it: square blocks for a working
// set, and the change of the gradient when some variables have moved.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "run/large_pages.h"

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
  void resize(int64_t size);
  // Becomes a view of values that others keep.
  void refer(const T* values, int64_t size) {
    size_ = size;
    view_ = values;
  }

  // Returns its memory to the system.
  void release();

  // y += K x
  void multiply_add(const double* x, double* y, int threads) const;

  int64_t size() const override { return size_; }
  const StoredMatrix* stored() const override { return this; }
  T* data() { return values_.get(); }
  const T* row(int64_t i) const { return (view_ ? view_ : values_.get()) + i * size_; }

  void block(std::span<const int64_t> which, T* out) override;
  bool accumulate(std::span<const int64_t> which, std::span<const double> step, double* f) override;

 private:
  int64_t size_ = 0, capacity_ = 0;
  std::unique_ptr<T[], Free> values_;
  const T* view_ = nullptr;
};

}  // namespace svm
