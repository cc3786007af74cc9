// A weighted sum of rows of a matrix, four of them at a time: the sum is read and written once for
// four, and rows that come from memory come side by side. The bits are those of one by one.
#pragma once

#include <array>
#include <cstdint>

#include "simd/table.h"

namespace svm {

template <class T>
class RowSum {
 public:
  // Adds to the `n` places of `sum`, which are complete after flush().
  RowSum(double* sum, int64_t n) : sum_(sum), n_(n) {}

  // The row is read later, at flush() at the latest.
  void add(const T* row, double weight) {
    rows_[count_] = row;
    weights_[count_] = weight;
    if (++count_ == simd::kSummedRows) {
      loops_.add_four(rows_.data(), weights_.data(), sum_, n_);
      count_ = 0;
    }
  }

  void flush() {
    for (int k = 0; k < count_; ++k) loops_.add(rows_[k], weights_[k], sum_, n_);
    count_ = 0;
  }

 private:
  const simd::Loops<T>& loops_ = simd::table().loops<T>();
  double* sum_;
  int64_t n_;
  std::array<const T*, simd::kSummedRows> rows_;
  std::array<double, simd::kSummedRows> weights_;
  int count_ = 0;
};

}  // namespace svm
