// The kernel matrix of rows of data and a kernel function.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "kernel/bounds.h"
#include "kernel/expansion.h"
#include "kernel/gram.h"
#include "kernel/tiles.h"

namespace svm {
namespace {

template <class T>
class DataSource final : public KernelSource<T> {
 public:
  using typename KernelSource<T>::Rows;

  DataSource(const Points& points, std::span<const int64_t> index, const Kernel& kernel,
             const Workers& workers)
      : points_(points),
        index_(index),
        kernel_(kernel),
        tiles_(kernel, points, points, index, points.nearly_dense(), workers) {}

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
    int64_t entries() const override { return left.count * tiles.size(); }
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
    return points_.sparse() && !points_.nearly_dense() ? place * points_.columns() : 0;
  }
  double row_length() const override {
    if (!points_.sparse() || points_.nearly_dense()) return static_cast<double>(points_.columns());
    int64_t entries = 0;
    for (const int64_t i : index_) entries += points_.entries(i);
    return static_cast<double>(entries) / static_cast<double>(size());
  }
  double row_cost() const override {
    return points_.sparse() && !points_.nearly_dense() ? kEntryCost * row_length() : row_length();
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
    std::call_once(bounds_known_, [&] { bounds_ = bound(kernel_, points_, index_); });
    return bounds_;
  }

  const Points& points_;
  std::span<const int64_t> index_;
  Kernel kernel_;
  mutable std::once_flag bounds_known_;  // the threads of a grid share it
  mutable Bounds bounds_;
};

}  // namespace

std::unique_ptr<Gram> make_gram(const Points& points, std::span<const int64_t> index,
                                const Kernel& kernel) {
  return std::make_unique<DataGram>(points, index, kernel);
}

}  // namespace svm
