// Rows that come in chunks, one of them in memory at a time: what takes the place of an array that
// memory has no room for (products.h).
//
// Passes go through the rows in order, so that each costs one reading of every chunk. Threads have
// to wait for each other, and if several went through different chunks, each would be read again
// and again: such a problem is to be solved by one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "rows/products.h"

namespace svm {

class ChunkedRows : public RowProducts {
 public:
  // Makes a chunk the one at hand; what it returned before need not stay.
  using Load = std::function<const RowProducts&(int64_t chunk)>;

  // starts[c] is the first row of chunk c; one more entry for the number of rows.
  ChunkedRows(std::vector<int64_t> starts, int64_t columns, bool sparse, Load load)
      : starts_(std::move(starts)), columns_(columns), sparse_(sparse), load_(std::move(load)) {}

  int64_t rows() const override { return starts_.back(); }
  int64_t columns() const override { return columns_; }
  bool sparse() const override { return sparse_; }
  int64_t entries(int64_t row) const override {
    const std::lock_guard<std::mutex> guard(lock_);
    return at(row).entries(row - first_);
  }
  int64_t section(int64_t row) const override {
    return std::upper_bound(starts_.begin(), starts_.end(), row) - starts_.begin() - 1;
  }

  void multiply(std::span<const int64_t> which, const double* w, double* out) const override {
    in_chunks(which, [&](const RowProducts& rows, std::span<const int64_t> local, size_t place) {
      rows.multiply(local, w, out + place);
    });
  }
  void add(std::span<const int64_t> which, const double* weight, double* sum) const override {
    in_chunks(which, [&](const RowProducts& rows, std::span<const int64_t> local, size_t place) {
      rows.add(local, weight + place, sum);
    });
  }
  int64_t gram_tiles(bool ones) const override {
    const int64_t panels = gram_panels(columns_, ones);
    return sparse_ ? panels : panels * (panels + 1) / 2;
  }
  void add_gram(std::span<const int64_t> which, const double* weight, int64_t tile, bool ones,
                double* gram) const override {
    in_chunks(which, [&](const RowProducts& rows, std::span<const int64_t> local, size_t place) {
      rows.add_gram(local, weight + place, tile, ones, gram);
    });
  }
  double dot(int64_t row, const double* w) const override {
    const std::lock_guard<std::mutex> guard(lock_);
    return at(row).dot(row - first_, w);
  }
  void axpy(int64_t row, double a, double* w) const override {
    const std::lock_guard<std::mutex> guard(lock_);
    at(row).axpy(row - first_, a, w);
  }
  double squared_norm(int64_t row) const override {
    const std::lock_guard<std::mutex> guard(lock_);
    return at(row).squared_norm(row - first_);
  }
  void add_squares(int64_t row, double weight, double* sum) const override {
    const std::lock_guard<std::mutex> guard(lock_);
    at(row).add_squares(row - first_, weight, sum);
  }
  void prefetch(int64_t) const override {}

 private:
  const RowProducts& at(int64_t row) const {
    if (current_ == nullptr || row < first_ || row >= last_) {
      const int64_t chunk = section(row);
      current_ = &load_(chunk);
      first_ = starts_[chunk];
      last_ = starts_[chunk + 1];
    }
    return *current_;
  }

  // f(rows, their numbers in the chunk, the first one's place) for each run of rows of one chunk.
  template <class F>
  void in_chunks(std::span<const int64_t> which, F f) const {
    const std::lock_guard<std::mutex> guard(lock_);
    for (size_t begin = 0; begin < which.size();) {
      const RowProducts& rows = at(which[begin]);
      local_.clear();
      size_t end = begin;
      for (; end < which.size() && which[end] >= first_ && which[end] < last_; ++end) {
        local_.push_back(which[end] - first_);
      }
      f(rows, local_, begin);
      begin = end;
    }
  }

  std::vector<int64_t> starts_;
  int64_t columns_;
  bool sparse_;
  Load load_;
  mutable std::mutex lock_;
  mutable const RowProducts* current_ = nullptr;
  mutable int64_t first_ = 0, last_ = 0;
  mutable std::vector<int64_t> local_;
};

}  // namespace svm
