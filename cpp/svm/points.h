// Rows of data as the caller gave them: views, never copies.
#pragma once

#include <cstdint>

namespace svm {

class Points {
 public:
  virtual ~Points() = default;
  virtual int64_t rows() const = 0;
  virtual int64_t columns() const = 0;
  // out[k * step] = x_row[k]
  virtual void copy_row(int64_t row, float* out, int64_t step) const = 0;
  virtual void copy_row(int64_t row, double* out, int64_t step) const = 0;
};

template <class X>
class DensePoints final : public Points {
 public:
  DensePoints(const X* data, int64_t rows, int64_t columns)
      : data_(data), rows_(rows), columns_(columns) {}

  int64_t rows() const override { return rows_; }
  int64_t columns() const override { return columns_; }
  void copy_row(int64_t row, float* out, int64_t step) const override { copy(row, out, step); }
  void copy_row(int64_t row, double* out, int64_t step) const override { copy(row, out, step); }

 private:
  template <class T>
  void copy(int64_t row, T* out, int64_t step) const {
    const X* from = data_ + row * columns_;
    for (int64_t k = 0; k < columns_; ++k) out[k * step] = static_cast<T>(from[k]);
  }

  const X* data_;
  int64_t rows_, columns_;
};

}  // namespace svm
