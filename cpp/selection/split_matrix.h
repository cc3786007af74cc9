// A whole kernel matrix in memory that many problems share, as a sum of two floats:
//
//   K = high + low + offset,   |low| <= 2^-24 |high|
//
// Descent reads the high part only, half of the bytes; certificates and Newton systems have both,
// which is float64 but for 2^-48 of each entry.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "kernel/expansion.h"
#include "kernel/gram.h"
#include "kernel/kernel.h"
#include "kernel/row_sum.h"
#include "run/large_pages.h"
#include "run/workers.h"
#include "simd/table.h"

namespace svm {

// Neighbouring rows, and so neighbouring columns.
struct Run {
  int64_t begin, end;
};

// Places of the matrix in ascending order, and the runs that they are.
struct Places {
  std::vector<int64_t> each;
  std::vector<Run> runs;

  int64_t size() const { return std::ssize(each); }
  void add(int64_t place) {
    each.push_back(place);
    if (!runs.empty() && runs.back().end == place) {
      ++runs.back().end;
    } else {
      runs.push_back({place, place + 1});
    }
  }
};

class SplitMatrix {
 public:
  // An entry is off by this share of it at most.
  static constexpr double kRounding = 0x1p-48;
  static int64_t bytes(int64_t rows) {
    return 2 * rows * rows * static_cast<int64_t>(sizeof(float));
  }

  // `groups` are the places where groups of neighbouring rows end, whose sums are kept.
  SplitMatrix(int64_t size, std::span<const int64_t> groups)
      : size_(size),
        groups_(groups),
        sums_(static_cast<size_t>(size) * groups.size()),
        ones_(static_cast<size_t>(size), 1.0),
        values_(large_pages<float>(static_cast<size_t>(2 * size * size))) {}

  // All entries of a Gram matrix of this size; incomplete where the monitor stops it.
  void compute(const Gram& gram, const Workers& workers) {
    // A row of float64 makes room for its two halves.
    auto* exact = reinterpret_cast<double*>(values_.get());
    gram.block(all_rows(size_), exact, workers);
    workers.run(size_, [&](int64_t i) {
      split(i, std::vector<double>(exact + i * size_, exact + (i + 1) * size_));
    });
  }
  // Row i from the sums over features that the kernel is a function of.
  void compute(int64_t i, const double* sums, const Kernel& kernel) {
    std::vector<double> row(sums + i * size_, sums + (i + 1) * size_);
    kernel.apply(row.data(), size_);
    split(i, row);
  }

  int64_t size() const { return size_; }
  const float* high(int64_t i) const { return values_.get() + 2 * i * size_; }
  const float* low(int64_t i) const { return high(i) + size_; }
  double entry(int64_t i, int64_t j) const {
    return static_cast<double>(high(i)[j]) + static_cast<double>(low(i)[j]);
  }

  // Of row i, the entries at some columns.
  void entries(int64_t i, const Places& columns, double* out) const {
    for (const auto& [begin, end] : columns.runs) {
      const float *a = high(i) + begin, *b = low(i) + begin;
      for (int64_t k = 0; k < end - begin; ++k) {
        out[k] = static_cast<double>(a[k]) + static_cast<double>(b[k]);
      }
      out += end - begin;
    }
  }

  int64_t group_size(int64_t group) const {
    return groups_[group] - (group == 0 ? 0 : groups_[group - 1]);
  }
  // Of row i, the sum of its entries in each group of columns.
  std::span<const double> sums(int64_t i) const {
    return std::span(sums_).subspan(static_cast<size_t>(i) * groups_.size(), groups_.size());
  }

  enum class Part { high, low };
  // sum[k] += sum_r weights[r] K(rows[r], columns[k]) with one part of the entries.
  void add(Part part, std::span<const int64_t> rows, std::span<const double> weights,
           const Places& columns, double* sum) const {
    const int64_t shift = part == Part::high ? 0 : size_;
    for (const auto& [begin, end] : columns.runs) {
      RowSum<float> total(sum, end - begin);
      for (size_t r = 0; r < rows.size(); ++r) {
        total.add(high(rows[r]) + shift + begin, weights[r]);
      }
      total.flush();
      sum += end - begin;
    }
  }

 private:
  void split(int64_t i, const std::vector<double>& row) {
    const simd::Loops<double>& loops = simd::table().f64;
    float* high = values_.get() + 2 * i * size_;
    loops.halve(row.data(), size_, high, high + size_);
    double* sum = sums_.data() + static_cast<size_t>(i) * groups_.size();
    int64_t from = 0;
    for (const int64_t end : groups_) {
      *sum++ = loops.dot(row.data() + from, ones_.data(), end - from);
      from = end;
    }
  }

  int64_t size_;
  std::span<const int64_t> groups_;
  std::vector<double> sums_, ones_;
  std::unique_ptr<float[], Free> values_;
};

}  // namespace svm
