// Rows of data as a kernel looks at them, of any layout. Dense and sparse differ here and in how
// rows are packed (kernel/panels.h, kernel/sparse_panels.h), nowhere else.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "rows/views.h"
#include "run/workers.h"

namespace svm {

class Points {
 public:
  virtual ~Points() = default;
  virtual int64_t rows() const = 0;
  virtual int64_t columns() const = 0;
  virtual bool sparse() const = 0;
  // Sparse, but with so many entries that products of dense rows are quicker.
  virtual bool nearly_dense() const = 0;
  virtual std::shared_ptr<const ColumnNumbers> column_numbers() const = 0;
  // Entries of a row: all columns of a dense one, the stored ones of a sparse one.
  virtual int64_t entries(int64_t row) const = 0;
  double squared_norm(int64_t row) const { return squared_.empty() ? square(row) : squared_[row]; }
  // The sum of the absolute values of a row.
  virtual double absolute_norm(int64_t row) const = 0;
  // Squared norms of all rows are computed now and no longer when they are asked for; still then
  // where the monitor stops it.
  void keep_norms(const Workers& workers) const {
    std::call_once(kept_, [&] {
      std::vector<double> squared(rows());
      const bool all = for_rows(rows(), workers, [&](int64_t row) { squared[row] = square(row); });
      if (all) squared_ = std::move(squared);
    });
  }

  // The same rows with some of their columns only, or scaled to length one (zero rows stay zero).
  // These views must not outlive what they are views of.
  virtual std::unique_ptr<Points> choose(std::span<const int64_t> columns) const = 0;
  virtual std::unique_ptr<Points> unit() const = 0;

  // out[k * step] = x_row[k] for its entries; clear_row puts zeros back in the same places.
  virtual void scatter_row(int64_t row, float* out, int64_t step) const = 0;
  virtual void scatter_row(int64_t row, double* out, int64_t step) const = 0;
  virtual void clear_row(int64_t row, float* out, int64_t step) const = 0;
  virtual void clear_row(int64_t row, double* out, int64_t step) const = 0;

  // The entries of a sparse row, one after the other.
  virtual void list_row(int64_t row, float* values, int32_t* columns) const = 0;
  virtual void list_row(int64_t row, double* values, int32_t* columns) const = 0;

 private:
  virtual double square(int64_t row) const = 0;

  mutable std::once_flag kept_;
  mutable std::vector<double> squared_;
};

// Implements the overloads for float and double by one template each; Rows has
// visit(row, f) calling f(column, value) for each entry of a row.
template <class Rows>
class PointsOf final : public Points {
 public:
  explicit PointsOf(Rows rows) : rows_(std::move(rows)) {}

  const Rows& view() const { return rows_; }
  int64_t rows() const override { return rows_.rows; }
  int64_t columns() const override { return rows_.columns; }
  bool sparse() const override { return Rows::kSparse; }
  bool nearly_dense() const override { return rows_.nearly_dense(); }
  std::shared_ptr<const ColumnNumbers> column_numbers() const override {
    return rows_.column_numbers();
  }
  int64_t entries(int64_t row) const override { return rows_.entries(row); }
  double absolute_norm(int64_t row) const override {
    return sum(row, [](double v) { return std::abs(v); });
  }
  std::unique_ptr<Points> choose(std::span<const int64_t> columns) const override {
    return make_points(svm::choose(rows_, columns));
  }
  std::unique_ptr<Points> unit() const override { return make_points(svm::unit(rows_)); }
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
  double square(int64_t row) const override {
    return sum(row, [](double v) { return v * v; });
  }
  // The sum of term(x_row[k]) over its entries.
  template <class Term>
  double sum(int64_t row, Term term) const {
    if constexpr (requires { rows_.sum(row, term); }) return rows_.sum(row, term);
    double sum = 0;
    rows_.visit(row, [&](int64_t, double v) { sum += term(v); });
    return sum;
  }
  template <class R>
  static std::unique_ptr<Points> make_points(R rows) {
    return std::make_unique<PointsOf<R>>(std::move(rows));
  }
  template <class T>
  void scatter(int64_t row, T* out, int64_t step) const {
    if (step == 1) return rows_.visit(row, [=](int64_t k, auto v) { out[k] = static_cast<T>(v); });
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
using DensePoints = PointsOf<DenseRows<X>>;
template <class X, class Index>
using CsrPoints = PointsOf<CsrRows<X, Index>>;

}  // namespace svm
