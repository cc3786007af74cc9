// The Cholesky factor L L' of the Newton system, kept up to date as variables come and go.
//
// Writing every variable's change against a reference r of its group, d_r = -sum d_i, removes the
// equality constraints and leaves the Gram matrix of differences phi_i - phi_r:
//
//   H_ij = K_ij - K_i,r(j) - K_r(i),j + K_r(i),r(j)
//
// which is positive semidefinite wherever K is, without the cancellation of a nearly constant K.
// Rows that nearly depend on earlier ones (duplicates, low rank) have no pivot and stay out. What
// counts as "nearly" decides how large C may be: solving through pivots close to rounding gives
// directions that are noise times 1/pivot.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "svm/dual.h"
#include "svm/quadratic.h"
#include "svm/workers.h"

namespace svm {

class Factor {
 public:
  // `ridge` is the part of K's diagonal that is one; empty for none.
  Factor(const StoredMatrix<double>& K, const Box& box, std::span<const double> ridge,
         const Workers& workers)
      : K_(K), box_(box), ridge_(ridge), workers_(workers) {}

  using References = std::array<int64_t, kGroups>;  // -1 where a group has none

  const std::vector<int64_t>& kept() const { return kept_; }
  const std::vector<int64_t>& dropped() const { return dropped_; }
  const References& references() const { return references_; }
  int64_t reference(int64_t i) const { return references_[box_.group_of(i)]; }
  bool concave() const { return concave_; }

  void reset(const References& references) {
    references_ = references;
    kept_.clear();
    dropped_.clear();
  }

  void forget_dropped(const auto& which) { std::erase_if(dropped_, which); }

  // Whether a dropped variable has a pivot by now; it is taken in then.
  bool retry(int64_t variable) {
    reserve(kept_.size() + 1);
    std::vector<double> x = eliminate(variable);
    const size_t before = kept_.size();
    std::erase(dropped_, variable);
    take(variable, x.data(), static_cast<int64_t>(before));
    return kept_.size() > before;
  }

  // Takes in the variables that have a pivot, in order, and lists the others as dropped. False when
  // the monitor stopped it half-way.
  bool append(std::span<const int64_t> variables) {
    reserve(kept_.size() + variables.size());
    for (size_t first = 0; first < variables.size(); first += kPanel) {
      if (!append_panel(variables.subspan(first, std::min(kPanel, variables.size() - first)))) {
        return false;
      }
    }
    return true;
  }

  // Takes out the variable at a place: the rows below move up, and rotations of neighbouring
  // columns make them triangular again.
  void erase(size_t place) {
    const size_t m = kept_.size();
    for (size_t r = place; r + 1 < m; ++r) std::copy_n(row(r + 1), r + 2, row(r));
    for (size_t c = place; c + 1 < m; ++c) {
      const double x = row(c)[c], y = row(c)[c + 1], norm = std::hypot(x, y);
      for (size_t r = c; r + 1 < m; ++r) {
        const double u = row(r)[c], v = row(r)[c + 1];
        row(r)[c] = (x * u + y * v) / norm;
        row(r)[c + 1] = (x * v - y * u) / norm;
      }
    }
    kept_.erase(kept_.begin() + static_cast<int64_t>(place));
  }

  // x = L^-1 H(kept, variable)
  std::vector<double> eliminate(int64_t variable) const {
    std::vector<double> x(kept_.size());
    for (size_t k = 0; k < kept_.size(); ++k) x[k] = difference(kept_[k], variable);
    forward(x.data(), 1, static_cast<int64_t>(kept_.size()));
    return x;
  }

  // y = L^-1 y
  void forward_substitute(std::vector<double>& y) const {
    forward(y.data(), 1, static_cast<int64_t>(y.size()));
  }

  // x = L'^-1 y in place
  void back_substitute(std::vector<double>& y) const {
    for (size_t k = kept_.size(); k-- > 0;) {
      y[k] /= row(k)[k];
      loops_.add(row(k), -y[k], y.data(), static_cast<int64_t>(k));
    }
  }

 private:
  static constexpr double kSmallestPivot = 1e-7;  // relative to the diagonal
  static constexpr size_t kPanel = 64;            // rows taken in together
  static constexpr int64_t kChunk = 16;           // of which a thread works on this many
  static constexpr int64_t kColumns = 64;         // and on this many columns at a time

  double* row(size_t k) { return values_.data() + k * stride_; }
  const double* row(size_t k) const { return values_.data() + k * stride_; }

  void reserve(size_t rows) {
    if (rows <= stride_) return;
    const size_t wider = std::max(rows, std::min(2 * stride_, static_cast<size_t>(K_.size())));
    std::vector<double> values(wider * wider);
    for (size_t k = 0; k < kept_.size(); ++k) std::copy_n(row(k), k + 1, values.data() + k * wider);
    values_.swap(values);
    stride_ = wider;
  }

  double difference(int64_t i, int64_t j) const {
    const int64_t r = reference(i), s = reference(j);
    return K_.row(i)[j] - K_.row(i)[s] - K_.row(r)[j] + K_.row(r)[s];
  }

  bool append_panel(std::span<const int64_t> variables) {
    const int64_t k = static_cast<int64_t>(kept_.size());
    const int64_t count = static_cast<int64_t>(variables.size()), width = k + count;
    std::vector<double> panel(count * width);
    const bool complete = workers_.run((count + kChunk - 1) / kChunk, [&](int64_t chunk) {
      const int64_t begin = chunk * kChunk, end = std::min(count, begin + kChunk);
      for (int64_t r = begin; r < end; ++r) {
        for (int64_t c = 0; c < k; ++c) {
          panel[r * width + c] = difference(variables[r], kept_[c]);
        }
      }
      forward(panel.data() + begin * width, end - begin, width);
    });
    if (!complete) return false;
    for (int64_t r = 0; r < count; ++r) take(variables[r], panel.data() + r * width, k);
    return true;
  }

  // Appends one row, of which the first `done` columns are eliminated already, if it has a pivot.
  void take(int64_t variable, double* x, int64_t done) {
    const int64_t k = static_cast<int64_t>(kept_.size());
    for (int64_t c = done; c < k; ++c) {
      x[c] = (difference(variable, kept_[c]) - loops_.dot(row(c), x, c)) / row(c)[c];
    }
    const double size = difference(variable, variable);
    const double pivot = size - loops_.dot(x, x, k);
    // Of a duplicate of the reference, size and pivot are rounding: against the others' size, and
    // the entries' own.
    const int64_t r = reference(variable);
    const double entries = std::abs(K_.row(variable)[variable]) + std::abs(K_.row(r)[r]);
    largest_ = std::max(largest_, std::abs(size));
    concave_ |= std::min(size, pivot + 1e-6 * std::abs(size)) < -1e-9 * largest_ - 1e-12 * entries;
    if (!(pivot > smallest_pivot(variable, size))) {
      dropped_.push_back(variable);
      return;
    }
    std::copy_n(x, k, row(k));
    row(k)[k] = std::sqrt(pivot);
    kept_.push_back(variable);
  }

  // A ridge is known to all its digits and bounds the pivots from below.
  double smallest_pivot(int64_t variable, double size) const {
    const double ridge = ridge_.empty() ? 0 : ridge_[variable];
    const double cut = kSmallestPivot * std::abs(size);
    return ridge > 1e-13 * std::abs(size) ? std::min(cut, 0.5 * ridge) : cut;
  }

  // Each of `rows` rows of x, `stride` apart: x = L^-1 x.
  void forward(double* x, int64_t rows, int64_t stride) const {
    const int64_t k = static_cast<int64_t>(kept_.size());
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

  const StoredMatrix<double>& K_;
  const Box& box_;
  std::span<const double> ridge_;
  const Workers& workers_;
  const simd::Loops<double>& loops_ = simd::table().f64;
  References references_ = {-1, -1};
  std::vector<int64_t> kept_, dropped_;
  std::vector<double> values_;
  size_t stride_ = 0;
  double largest_ = 0;  // diagonal entry so far
  bool concave_ = false;
};

}  // namespace svm
