// Rows of the data that are in the same problems, as a class is in one problem against each other
// class: the values among them are computed once for all of these.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "kernel/kernel.h"
#include "kernel/tiles.h"
#include "rows/points.h"
#include "run/large_pages.h"
#include "run/workers.h"

namespace svm {

class RowClass {
 public:
  RowClass(const Kernel& kernel, const Points& points, std::vector<int64_t> rows)
      : kernel_(kernel), points_(points), rows_(std::move(rows)) {}

  int64_t size() const { return static_cast<int64_t>(rows_.size()); }
  std::span<const int64_t> rows() const { return rows_; }

  // Memory of the values in a type.
  template <class T>
  int64_t bytes() const {
    return size() * size() * static_cast<int64_t>(sizeof(T));
  }
  // Incomplete where the monitor stops it.
  void compute_exact(const Workers& workers) {
    exact_ = large_pages<double>(static_cast<size_t>(size() * size()));
    kernel_block(kernel_, points_, rows_, exact_.get(), workers);
  }
  void compute_single(const Workers& workers) {
    single_ = large_pages<float>(static_cast<size_t>(size() * size()));
    kernel_block(*tiles_, rows_, single_.get(), workers);
  }
  // The values of the row in a place with all of them, in order; nullptr where there are none.
  const double* exact(int64_t place) const { return exact_ ? &exact_[place * size()] : nullptr; }
  const float* single(int64_t place) const { return single_ ? &single_[place * size()] : nullptr; }

  // The rows in float32, for tiles of any others with them.
  void pack(const Workers& workers) {
    tiles_.emplace(kernel_, points_, points_, rows_, points_.nearly_dense(), workers);
  }
  bool packed() const { return tiles_.has_value(); }
  const Tiles<float>& tiles() const { return *tiles_; }

  // out[r * stride + c] = mirror[c * stride + r] = the value of rows[r] and columns[c], which may
  // be any rows of the data.
  template <class T>
  void meet(std::span<const int64_t> rows, std::span<const int64_t> columns, T* out, T* mirror,
            int64_t stride, const Workers& workers) const {
    kernel_rectangle(kernel_, points_, rows, columns, out, mirror, stride, workers);
  }
  // The values among any rows of the data.
  void block(std::span<const int64_t> rows, float* out, const Workers& workers) const {
    kernel_block(kernel_, points_, rows, out, workers);
  }

 private:
  Kernel kernel_;
  const Points& points_;
  std::vector<int64_t> rows_;
  std::optional<Tiles<float>> tiles_;
  std::unique_ptr<float[], Free> single_;
  std::unique_ptr<double[], Free> exact_;
};

}  // namespace svm
