// Rows of data for the linear engine, a block at a time.
//
// Every pass over the data is made of these verbs on blocks of rows, so that a source which holds
// one block in memory at a time can take the place of an array. Dense and sparse differ here only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "simd/rows.h"
#include "svm/points.h"

namespace svm::linear {

class Rows {
 public:
  virtual ~Rows() = default;
  virtual int64_t rows() const = 0;
  virtual int64_t columns() const = 0;
  virtual bool sparse() const = 0;
  // Stored entries of a row.
  virtual int64_t entries(int64_t row) const = 0;
  // Rows of one section are at hand together; the next section may have to be read from a file.
  virtual int64_t section(int64_t) const { return 0; }

  // out[k] = x_which[k]'w
  virtual void multiply(std::span<const int64_t> which, const double* w, double* out) const = 0;
  // sum += sum_k weight[k] x_which[k]
  virtual void add(std::span<const int64_t> which, const double* weight, double* sum) const = 0;
  // out[k * stride + j] = factor[k] * x_which[k][begin + j] for the columns before `end`
  virtual void pack(std::span<const int64_t> which, const double* factor, int64_t begin,
                    int64_t end, double* out, int64_t stride) const = 0;
  // gram[i * stride + j] += sum_k weight[k] x_which[k][i] x_which[k][j] for j >= i, where i is in
  // begin .. end - 1; a last column of ones stands at `ones`, unless it is negative.
  virtual void add_outer(std::span<const int64_t> which, const double* weight, int64_t begin,
                         int64_t end, int64_t ones, double* gram, int64_t stride) const = 0;

  // A row alone, for coordinate descent.
  virtual double dot(int64_t row, const double* w) const = 0;
  virtual void axpy(int64_t row, double a, double* w) const = 0;
  virtual double squared_norm(int64_t row) const = 0;
  // sum[j] += weight * x_row[j]^2
  virtual void add_squares(int64_t row, double weight, double* sum) const = 0;
  // Asks for a row that will be needed soon.
  virtual void prefetch(int64_t row) const = 0;
};

template <class X>
class DenseRowsOf : public Rows {
 public:
  explicit DenseRowsOf(DenseRows<X> view) : view_(view) {}

  int64_t rows() const override { return view_.rows; }
  int64_t columns() const override { return view_.columns; }
  bool sparse() const override { return false; }
  int64_t entries(int64_t) const override { return view_.columns; }

  void multiply(std::span<const int64_t> which, const double* w, double* out) const override {
    double last[simd::kRowGroup];
    in_groups(which, [&](size_t k, const X* const* rows, int count) {
      double* to = count == simd::kRowGroup ? out + k : last;
      loops_.dots(rows, w, view_.columns, to);
      if (to == last) std::copy_n(last, count, out + k);
    });
  }

  void add(std::span<const int64_t> which, const double* weight, double* sum) const override {
    in_groups(which, [&](size_t k, const X* const* rows, int count) {
      double weights[simd::kRowGroup] = {};
      std::copy_n(weight + k, count, weights);
      loops_.add(rows, weights, view_.columns, sum);
    });
  }

  void pack(std::span<const int64_t> which, const double* factor, int64_t begin, int64_t end,
            double* out, int64_t stride) const override {
    for (size_t k = 0; k < which.size(); ++k) {
      loops_.scale(row(which[k]) + begin, factor[k], end - begin, out + k * stride);
    }
  }

  void add_outer(std::span<const int64_t> which, const double* weight, int64_t begin, int64_t end,
                 int64_t ones, double* gram, int64_t stride) const override {
    for (size_t k = 0; k < which.size(); ++k) {
      const X* x = row(which[k]);
      const auto at = [&](int64_t j) { return j == ones ? 1.0 : static_cast<double>(x[j]); };
      const int64_t last = std::max(view_.columns, ones + 1);
      for (int64_t i = begin; i < std::min(end, last); ++i) {
        for (int64_t j = i; j < last; ++j) gram[i * stride + j] += weight[k] * at(i) * at(j);
      }
    }
  }

  double dot(int64_t index, const double* w) const override {
    const X* const rows[simd::kRowGroup] = {row(index), row(index), row(index), row(index)};
    double out[simd::kRowGroup];
    loops_.dots(rows, w, view_.columns, out);
    return out[0];
  }
  void axpy(int64_t index, double a, double* w) const override {
    const X* x = row(index);
    for (int64_t j = 0; j < view_.columns; ++j) w[j] += a * static_cast<double>(x[j]);
  }
  double squared_norm(int64_t index) const override {
    const X* x = row(index);
    double sum = 0;
    for (int64_t j = 0; j < view_.columns; ++j) sum += static_cast<double>(x[j]) * x[j];
    return sum;
  }
  void add_squares(int64_t index, double weight, double* sum) const override {
    const X* x = row(index);
    for (int64_t j = 0; j < view_.columns; ++j) sum[j] += weight * x[j] * x[j];
  }
  void prefetch(int64_t index) const override { __builtin_prefetch(row(index)); }

 private:
  const X* row(int64_t index) const { return view_.data + index * view_.columns; }

  // f(first place, rows, how many are meant): the last group is filled up with its first row.
  template <class F>
  void in_groups(std::span<const int64_t> which, F f) const {
    for (size_t k = 0; k < which.size(); k += simd::kRowGroup) {
      const X* rows[simd::kRowGroup];
      const int count = static_cast<int>(std::min<size_t>(simd::kRowGroup, which.size() - k));
      for (int r = 0; r < simd::kRowGroup; ++r) rows[r] = row(which[k + (r < count ? r : 0)]);
      f(k, rows, count);
    }
  }

  DenseRows<X> view_;
  const simd::RowLoops<X>& loops_ = simd::row_table().loops<X>();
};

template <class X, class Index>
class CsrRowsOf : public Rows {
 public:
  explicit CsrRowsOf(CsrRows<X, Index> view) : view_(view) {}

  int64_t rows() const override { return view_.rows; }
  int64_t columns() const override { return view_.columns; }
  bool sparse() const override { return true; }
  int64_t entries(int64_t row) const override { return view_.entries(row); }

  void multiply(std::span<const int64_t> which, const double* w, double* out) const override {
    for (size_t k = 0; k < which.size(); ++k) out[k] = CsrRowsOf::dot(which[k], w);
  }
  void add(std::span<const int64_t> which, const double* weight, double* sum) const override {
    for (size_t k = 0; k < which.size(); ++k) CsrRowsOf::axpy(which[k], weight[k], sum);
  }

  void pack(std::span<const int64_t> which, const double* factor, int64_t begin, int64_t end,
            double* out, int64_t stride) const override {
    for (size_t k = 0; k < which.size(); ++k) {
      std::fill_n(out + k * stride, end - begin, 0.0);
      view_.visit(which[k], [&](int64_t j, double v) {
        if (j >= begin && j < end) out[k * stride + j - begin] = factor[k] * v;
      });
    }
  }

  void add_outer(std::span<const int64_t> which, const double* weight, int64_t begin, int64_t end,
                 int64_t ones, double* gram, int64_t stride) const override {
    for (size_t k = 0; k < which.size(); ++k) {
      const int64_t last = view_.starts[which[k] + 1];
      const Index* first = std::lower_bound(view_.places + view_.starts[which[k]],
                                            view_.places + last, static_cast<Index>(begin));
      for (int64_t e = first - view_.places; e < last && view_.places[e] < end; ++e) {
        const double value = weight[k] * static_cast<double>(view_.values[e]);
        double* to = gram + view_.places[e] * stride;
        for (int64_t f = e; f < last; ++f) {
          to[view_.places[f]] += value * static_cast<double>(view_.values[f]);
        }
        if (ones >= 0) to[ones] += value;
      }
      if (ones >= begin && ones < end) gram[ones * stride + ones] += weight[k];
    }
  }

  double dot(int64_t row, const double* w) const override {
    double even = 0, odd = 0;
    int64_t e = view_.starts[row];
    const int64_t last = view_.starts[row + 1];
    for (; e + 1 < last; e += 2) {
      even += static_cast<double>(view_.values[e]) * w[view_.places[e]];
      odd += static_cast<double>(view_.values[e + 1]) * w[view_.places[e + 1]];
    }
    if (e < last) even += static_cast<double>(view_.values[e]) * w[view_.places[e]];
    return even + odd;
  }
  void axpy(int64_t row, double a, double* w) const override {
    view_.visit(row, [&](int64_t j, double v) { w[j] += a * v; });
  }
  double squared_norm(int64_t row) const override {
    double sum = 0;
    view_.visit(row, [&](int64_t, double v) { sum += v * v; });
    return sum;
  }
  void add_squares(int64_t row, double weight, double* sum) const override {
    view_.visit(row, [&](int64_t j, double v) { sum[j] += weight * v * v; });
  }
  void prefetch(int64_t row) const override {
    constexpr int64_t kLine = 64;
    const int64_t begin = view_.starts[row], end = view_.starts[row + 1];
    for (int64_t e = begin; e < end; e += kLine / static_cast<int64_t>(sizeof(X))) {
      __builtin_prefetch(view_.values + e);
    }
    for (int64_t e = begin; e < end; e += kLine / static_cast<int64_t>(sizeof(Index))) {
      __builtin_prefetch(view_.places + e);
    }
  }

 private:
  CsrRows<X, Index> view_;
};

}  // namespace svm::linear
