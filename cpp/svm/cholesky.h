// A Cholesky factor L L' that grows by rows, loses rows, and solves.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "simd/table.h"
#include "svm/workers.h"

namespace svm {

class Cholesky {
 public:
  explicit Cholesky(int64_t most) : most_(static_cast<size_t>(most)) {}

  size_t size() const { return size_; }
  void clear() { size_ = 0; }

  // Appends `count` rows of the symmetric matrix. entry(r, c) is its value between the r-th of them
  // and the c-th row kept so far. pivot(r, rest) is told what earlier rows leave to take from the
  // diagonal and answers with the pivot, or 0 to leave the row out. False when the monitor stopped
  // it half-way.
  bool append(int64_t count, const Workers& workers, const auto& entry, const auto& pivot) {
    reserve(size_ + static_cast<size_t>(count));
    for (int64_t first = 0; first < count; first += kPanel) {
      if (!append_panel(first, std::min(kPanel, count - first), workers, entry, pivot)) {
        return false;
      }
    }
    return true;
  }

  // Takes out a row: those below move up, and rotations of neighbouring columns make them
  // triangular again.
  void erase(size_t place) {
    for (size_t r = place; r + 1 < size_; ++r) std::copy_n(row(r + 1), r + 2, row(r));
    for (size_t c = place; c + 1 < size_; ++c) {
      const double x = row(c)[c], y = row(c)[c + 1], norm = std::hypot(x, y);
      for (size_t r = c; r + 1 < size_; ++r) {
        const double u = row(r)[c], v = row(r)[c + 1];
        row(r)[c] = (x * u + y * v) / norm;
        row(r)[c + 1] = (x * v - y * u) / norm;
      }
    }
    --size_;
  }

  // y = L^-1 y
  void forward_substitute(std::vector<double>& y) const {
    forward(y.data(), 1, static_cast<int64_t>(y.size()));
  }

  // x = L'^-1 y in place
  void back_substitute(std::vector<double>& y) const {
    for (size_t k = size_; k-- > 0;) {
      y[k] /= row(k)[k];
      loops_.add(row(k), -y[k], y.data(), static_cast<int64_t>(k));
    }
  }

 private:
  static constexpr int64_t kPanel = 64;    // rows taken in together
  static constexpr int64_t kChunk = 16;    // of which a thread works on this many
  static constexpr int64_t kColumns = 64;  // and on this many columns at a time

  double* row(size_t k) { return values_.data() + k * stride_; }
  const double* row(size_t k) const { return values_.data() + k * stride_; }

  void reserve(size_t rows) {
    if (rows <= stride_) return;
    const size_t wider = std::max(rows, std::min(2 * stride_, most_));
    std::vector<double> values(wider * wider);
    for (size_t k = 0; k < size_; ++k) std::copy_n(row(k), k + 1, values.data() + k * wider);
    values_.swap(values);
    stride_ = wider;
  }

  bool append_panel(int64_t first, int64_t count, const Workers& workers, const auto& entry,
                    const auto& pivot) {
    const int64_t known = static_cast<int64_t>(size_), width = known + count;
    std::vector<double> panel(count * width);
    const bool complete = workers.run((count + kChunk - 1) / kChunk, [&](int64_t chunk) {
      const int64_t begin = chunk * kChunk, end = std::min(count, begin + kChunk);
      for (int64_t r = begin; r < end; ++r) {
        for (int64_t c = 0; c < known; ++c) panel[r * width + c] = entry(first + r, c);
      }
      forward(panel.data() + begin * width, end - begin, width);
    });
    if (!complete) return false;
    for (int64_t r = 0; r < count; ++r) {
      double* x = panel.data() + r * width;
      const int64_t k = static_cast<int64_t>(size_);
      for (int64_t c = known; c < k; ++c) {
        x[c] = (entry(first + r, c) - loops_.dot(row(c), x, c)) / row(c)[c];
      }
      const double square = pivot(first + r, loops_.dot(x, x, k));
      if (!(square > 0)) continue;
      std::copy_n(x, k, row(k));
      row(k)[k] = std::sqrt(square);
      ++size_;
    }
    return true;
  }

  // Each of `rows` rows of x, `stride` apart: x = L^-1 x.
  void forward(double* x, int64_t rows, int64_t stride) const {
    const int64_t k = static_cast<int64_t>(size_);
    for (int64_t begin = 0; begin < k; begin += kColumns) {
      const int64_t end = std::min(k, begin + kColumns);
      loops_.subtract_products(x, stride, rows, row(begin), stride_, end - begin, begin, x + begin,
                               stride);
      for (int64_t r = 0; r < rows; ++r) {
        double* y = x + r * stride;
        for (int64_t c = begin; c < end; ++c) {
          y[c] = (y[c] - loops_.dot(row(c) + begin, y + begin, c - begin)) / row(c)[c];
        }
      }
    }
  }

  const simd::Loops<double>& loops_ = simd::table().f64;
  size_t most_;  // rows there will ever be
  std::vector<double> values_;
  size_t size_ = 0, stride_ = 0;
};

}  // namespace svm
