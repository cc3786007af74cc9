// Products of blocks of rows with vectors, for passes over the data.
//
// Every pass over the data is made of these verbs on blocks of rows, so that a source which holds
// one block in memory at a time can take the place of an array. Dense and sparse differ here only.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "rows/points.h"
#include "simd/rows.h"

namespace svm {

// Matrices of second derivatives are made in panels of this many columns.
inline constexpr int64_t kGramPanel = 128;

inline int64_t padded(int64_t n) {
  return (n + simd::kOuterTile - 1) / simd::kOuterTile * simd::kOuterTile;
}
inline int64_t gram_order(int64_t columns, bool ones) { return padded(columns + (ones ? 1 : 0)); }
inline int64_t gram_panels(int64_t columns, bool ones) {
  return (gram_order(columns, ones) + kGramPanel - 1) / kGramPanel;
}

class RowProducts {
 public:
  virtual ~RowProducts() = default;
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
  // The upper triangle of X'WX for the rows `which`, cut into tiles that can be added at the same
  // time. A column of ones stands behind the others where `ones` is true; the matrix has that many
  // columns, rounded up to whole tiles of simd/rows.h.
  virtual int64_t gram_tiles(bool ones) const = 0;
  virtual void add_gram(std::span<const int64_t> which, const double* weight, int64_t tile,
                        bool ones, double* gram) const = 0;

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
class DenseProducts : public RowProducts {
 public:
  explicit DenseProducts(DenseRows<X> view) : view_(view) {}

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

  int64_t gram_tiles(bool ones) const override {
    const int64_t panels = gram_panels(view_.columns, ones);
    return panels * (panels + 1) / 2;
  }

  // One tile of kGramPanel x kGramPanel entries, over rows packed a chunk at a time.
  void add_gram(std::span<const int64_t> which, const double* weight, int64_t tile, bool ones,
                double* gram) const override {
    constexpr size_t kChunk = 128;
    const int64_t order = gram_order(view_.columns, ones);
    int64_t left = 0, right = tile;
    for (int64_t rest = gram_panels(view_.columns, ones); right >= rest; --rest) {
      right -= rest;
      ++left;
    }
    right += left;
    const int64_t high = std::min(kGramPanel, order - left * kGramPanel);
    const int64_t wide = std::min(kGramPanel, order - right * kGramPanel);
    std::vector<double> a(kChunk * kGramPanel), b(left == right ? 0 : kChunk * kGramPanel);
    const double* other = left == right ? a.data() : b.data();
    for (size_t begin = 0; begin < which.size(); begin += kChunk) {
      const auto part = which.subspan(begin, std::min(kChunk, which.size() - begin));
      pack(part, weight + begin, left, ones, a.data());
      if (left != right) pack(part, weight + begin, right, ones, b.data());
      for (int64_t i = 0; i < high; i += simd::kOuterTile) {
        for (int64_t j = left == right ? i : 0; j < wide; j += simd::kOuterTile) {
          simd::row_table().outer(
              a.data() + i, kGramPanel, other + j, kGramPanel, static_cast<int64_t>(part.size()),
              1.0, gram + (left * kGramPanel + i) * order + right * kGramPanel + j, order);
        }
      }
    }
  }

  double dot(int64_t index, const double* w) const override {
    return loops_.dot(row(index), w, view_.columns);
  }
  void axpy(int64_t index, double a, double* w) const override {
    loops_.axpy(row(index), a, view_.columns, w);
  }
  double squared_norm(int64_t index) const override {
    return view_.sum(index, [](X v) { return static_cast<double>(v) * v; });
  }
  void add_squares(int64_t index, double weight, double* sum) const override {
    const X* x = row(index);
    for (int64_t j = 0; j < view_.columns; ++j) sum[j] += weight * x[j] * x[j];
  }
  void prefetch(int64_t index) const override { __builtin_prefetch(row(index)); }

 private:
  const X* row(int64_t index) const { return view_.data + index * view_.columns; }

  // The columns of a panel times the root of each row's weight.
  void pack(std::span<const int64_t> which, const double* weight, int64_t panel, bool ones,
            double* out) const {
    const int64_t d = view_.columns, begin = std::min(d, panel * kGramPanel);
    const int64_t end = std::min(d, begin + kGramPanel), place = d - panel * kGramPanel;
    if (end - begin < kGramPanel) std::fill_n(out, which.size() * kGramPanel, 0.0);
    for (size_t k = 0; k < which.size(); ++k) {
      const double root = std::sqrt(weight[k]);
      loops_.scale(row(which[k]) + begin, root, end - begin, out + k * kGramPanel);
      if (ones && place >= 0 && place < kGramPanel) out[k * kGramPanel + place] = root;
    }
  }

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
class CsrProducts : public RowProducts {
 public:
  explicit CsrProducts(CsrRows<X, Index> view) : view_(view) {}

  int64_t rows() const override { return view_.rows; }
  int64_t columns() const override { return view_.columns; }
  bool sparse() const override { return true; }
  int64_t entries(int64_t row) const override { return view_.entries(row); }

  void multiply(std::span<const int64_t> which, const double* w, double* out) const override {
    for (size_t k = 0; k < which.size(); ++k) out[k] = CsrProducts::dot(which[k], w);
  }
  void add(std::span<const int64_t> which, const double* weight, double* sum) const override {
    for (size_t k = 0; k < which.size(); ++k) CsrProducts::axpy(which[k], weight[k], sum);
  }

  int64_t gram_tiles(bool ones) const override { return gram_panels(view_.columns, ones); }

  // kGramPanel rows of the matrix.
  void add_gram(std::span<const int64_t> which, const double* weight, int64_t tile, bool ones,
                double* gram) const override {
    const int64_t order = gram_order(view_.columns, ones), last_column = view_.columns;
    const int64_t begin = tile * kGramPanel, end = begin + kGramPanel;
    for (size_t k = 0; k < which.size(); ++k) {
      const int64_t last = view_.starts[which[k] + 1];
      const Index* first = std::lower_bound(view_.places + view_.starts[which[k]],
                                            view_.places + last, static_cast<Index>(begin));
      for (int64_t e = first - view_.places; e < last && view_.places[e] < end; ++e) {
        const double value = weight[k] * static_cast<double>(view_.values[e]);
        double* to = gram + view_.places[e] * order;
        for (int64_t f = e; f < last; ++f) {
          to[view_.places[f]] += value * static_cast<double>(view_.values[f]);
        }
        if (ones) to[last_column] += value;
      }
      if (ones && last_column >= begin && last_column < end) {
        gram[last_column * order + last_column] += weight[k];
      }
    }
  }

  double dot(int64_t row, const double* w) const override {
    constexpr int kChains = 4;  // of additions, so that none waits for the one before
    double sum[kChains] = {};
    int64_t e = view_.starts[row];
    const int64_t last = view_.starts[row + 1];
    for (; e + kChains <= last; e += kChains) {
      for (int q = 0; q < kChains; ++q) {
        sum[q] += static_cast<double>(view_.values[e + q]) * w[view_.places[e + q]];
      }
    }
    for (; e < last; ++e) sum[0] += static_cast<double>(view_.values[e]) * w[view_.places[e]];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
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
    // The lines after the first ones come by themselves.
    constexpr int64_t kLine = 64, kLines = 3;
    const int64_t begin = view_.starts[row];
    const auto ask = [&](const auto* of) {
      const int64_t step = kLine / static_cast<int64_t>(sizeof *of);
      const int64_t end = std::min<int64_t>(view_.starts[row + 1], begin + kLines * step);
      for (int64_t e = begin; e < end; e += step) __builtin_prefetch(of + e);
    };
    ask(view_.values);
    ask(view_.places);
  }

 private:
  CsrRows<X, Index> view_;
};

}  // namespace svm
