// Rows of every layout, a kernel, and a monitor, all from bytes.
#pragma once

#include <memory>
#include <vector>

#include "fuzz/bytes.h"
#include "kernel/kernel.h"
#include "rows/points.h"
#include "rows/products.h"
#include "run/monitor.h"

namespace fuzz {

class Data {
 public:
  Data(Bytes& bytes, int64_t rows, int64_t columns);
  Data(const Data&) = delete;

  int64_t rows() const { return rows_; }
  int64_t columns() const { return columns_; }
  const svm::Points& points() const { return *points_; }
  const svm::RowProducts& products() const { return *products_; }

 private:
  void fill_sparse(Bytes& bytes);
  template <class X>
  void keep_dense(const std::vector<X>& values);
  template <class X, class Index>
  void keep_sparse(const std::vector<X>& values, const std::vector<Index>& places,
                   const std::vector<Index>& starts);

  int64_t rows_, columns_;
  std::vector<double> values_;
  std::vector<float> single_;
  std::vector<int64_t> places_, starts_;
  std::vector<int32_t> short_places_, short_starts_;
  std::unique_ptr<svm::Points> points_;
  std::unique_ptr<svm::RowProducts> products_;
};

// One of any kind, perhaps of some columns, perhaps composed of others.
svm::Kernel make_kernel(Bytes& bytes, int depth = 2);

// Stops a run when it has been asked so many times; also one that would go on for minutes.
class Patience {
 public:
  explicit Patience(Bytes& bytes)
      : left_(bytes.byte() % 4 == 0 ? bytes.between(0, 63) : kMost),
        monitor_([this](const svm::TraceRow&) { return left_-- == 0; }, {}) {}
  svm::Monitor& monitor() { return monitor_; }

 private:
  static constexpr int64_t kMost = 3000;

  int64_t left_;
  svm::Monitor monitor_;
};

}  // namespace fuzz
