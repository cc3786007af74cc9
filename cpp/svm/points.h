// Rows of data as the caller gave them: views, never copies. Dense and sparse differ here and in
// how they are packed (panels.h), nowhere else.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace svm {

class Points {
 public:
  virtual ~Points() = default;
  virtual int64_t rows() const = 0;
  virtual int64_t columns() const = 0;
  virtual bool sparse() const = 0;
  // Entries of a row: all columns of a dense one, the stored ones of a sparse one.
  virtual int64_t entries(int64_t row) const = 0;
  virtual double squared_norm(int64_t row) const = 0;

  // out[k * step] = x_row[k] for its entries; clear_row puts zeros back in the same places.
  virtual void scatter_row(int64_t row, float* out, int64_t step) const = 0;
  virtual void scatter_row(int64_t row, double* out, int64_t step) const = 0;
  virtual void clear_row(int64_t row, float* out, int64_t step) const = 0;
  virtual void clear_row(int64_t row, double* out, int64_t step) const = 0;

  // The entries of a sparse row, one after the other.
  virtual void list_row(int64_t row, float* values, int32_t* columns) const = 0;
  virtual void list_row(int64_t row, double* values, int32_t* columns) const = 0;
};

// Implements the overloads for float and double by one template each; Rows has
// visit(row, f) calling f(column, value) for each entry of a row.
template <class Rows>
class PointsOf : public Points {
 public:
  explicit PointsOf(Rows rows) : rows_(rows) {}

  const Rows& view() const { return rows_; }
  int64_t rows() const override { return rows_.rows; }
  int64_t columns() const override { return rows_.columns; }
  bool sparse() const override { return Rows::kSparse; }
  int64_t entries(int64_t row) const override { return rows_.entries(row); }
  double squared_norm(int64_t row) const override {
    double sum = 0;
    rows_.visit(row, [&](int64_t, double v) { sum += v * v; });
    return sum;
  }
  void scatter_row(int64_t row, float* out, int64_t step) const override {
    scatter(row, out, step);
  }
  void scatter_row(int64_t row, double* out, int64_t step) const override {
    scatter(row, out, step);
  }
  void clear_row(int64_t row, float* out, int64_t step) const override { clear(row, out, step); }
  void clear_row(int64_t row, double* out, int64_t step) const override { clear(row, out, step); }
  void list_row(int64_t row, float* v, int32_t* c) const override { list(row, v, c); }
  void list_row(int64_t row, double* v, int32_t* c) const override { list(row, v, c); }

 private:
  template <class T>
  void scatter(int64_t row, T* out, int64_t step) const {
    rows_.visit(row, [=](int64_t k, auto v) { out[k * step] = static_cast<T>(v); });
  }
  template <class T>
  void clear(int64_t row, T* out, int64_t step) const {
    rows_.visit(row, [=](int64_t k, auto) { out[k * step] = T(0); });
  }
  template <class T>
  void list(int64_t row, T* values, int32_t* columns) const {
    rows_.visit(row, [&](int64_t k, auto v) {
      *values++ = static_cast<T>(v);
      *columns++ = static_cast<int32_t>(k);
    });
  }

  Rows rows_;
};

template <class X>
struct DenseRows {
  static constexpr bool kSparse = false;
  const X* data;
  int64_t rows, columns;

  int64_t entries(int64_t) const { return columns; }
  template <class F>
  void visit(int64_t row, F f) const {
    const X* from = data + row * columns;
    for (int64_t k = 0; k < columns; ++k) f(k, from[k]);
  }
};

// Compressed rows, column numbers in increasing order.
template <class X, class Index>
struct CsrRows {
  static constexpr bool kSparse = true;
  const X* values;
  const Index* places;  // column of each value
  const Index* starts;  // where each row begins, rows + 1 of them
  int64_t rows, columns;

  int64_t entries(int64_t row) const { return starts[row + 1] - starts[row]; }
  template <class F>
  void visit(int64_t row, F f) const {
    for (int64_t k = starts[row]; k < starts[row + 1]; ++k) {
      f(static_cast<int64_t>(places[k]), values[k]);
    }
  }
};

template <class X>
using DensePoints = PointsOf<DenseRows<X>>;
template <class X, class Index>
using CsrPoints = PointsOf<CsrRows<X, Index>>;

}  // namespace svm
