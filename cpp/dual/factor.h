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

#include "dual/cholesky.h"
#include "dual/dual.h"
#include "dual/quadratic.h"
#include "run/workers.h"

namespace svm {

class Factor {
 public:
  // `ridge` is the part of K's diagonal that is one; empty for none.
  Factor(const StoredMatrix<double>& K, const Box& box, std::span<const double> ridge,
         const Workers& workers)
      : K_(K), box_(box), ridge_(ridge), workers_(workers), cholesky_(K.size()) {}

  using References = std::array<int64_t, kGroups>;  // -1 where a group has none

  const std::vector<int64_t>& kept() const { return kept_; }
  const std::vector<int64_t>& dropped() const { return dropped_; }
  const References& references() const { return references_; }
  int64_t reference(int64_t i) const { return references_[box_.group_of(i)]; }
  bool concave() const { return concave_; }

  void reset(const References& references) {
    references_ = references;
    cholesky_.clear();
    kept_.clear();
    dropped_.clear();
  }

  void forget_dropped(const auto& which) { std::erase_if(dropped_, which); }

  // Whether a dropped variable has a pivot by now; it is taken in then.
  bool retry(int64_t variable) {
    const size_t before = kept_.size();
    std::erase(dropped_, variable);
    append({&variable, 1});
    return kept_.size() > before;
  }

  // Takes in the variables that have a pivot, in order, and lists the others as dropped. False when
  // the monitor stopped it half-way.
  bool append(std::span<const int64_t> variables) {
    return cholesky_.append(
        static_cast<int64_t>(variables.size()), workers_,
        [&](int64_t r, int64_t c) { return difference(variables[r], kept_[c]); },
        [&](int64_t r, double rest) { return take(variables[r], rest); });
  }

  // Takes out the variable at a place.
  void erase(size_t place) {
    cholesky_.erase(place);
    kept_.erase(kept_.begin() + static_cast<int64_t>(place));
  }

  // x = L^-1 H(kept, variable)
  std::vector<double> eliminate(int64_t variable) const {
    std::vector<double> x(kept_.size());
    for (size_t k = 0; k < kept_.size(); ++k) x[k] = difference(kept_[k], variable);
    cholesky_.forward_substitute(x);
    return x;
  }

  void forward_substitute(std::vector<double>& y) const { cholesky_.forward_substitute(y); }
  void back_substitute(std::vector<double>& y) const { cholesky_.back_substitute(y); }

 private:
  static constexpr double kSmallestPivot = 1e-7;  // relative to the diagonal

  double difference(int64_t i, int64_t j) const {
    const int64_t r = reference(i), s = reference(j);
    return K_.row(i)[j] - K_.row(i)[s] - K_.row(r)[j] + K_.row(r)[s];
  }

  // The pivot of a variable of which earlier ones explain `rest`; 0, and it is dropped, where that
  // is nearly all.
  double take(int64_t variable, double rest) {
    const double size = difference(variable, variable), pivot = size - rest;
    // Of a duplicate of the reference, size and pivot are rounding: against the others' size, and
    // the entries' own.
    const int64_t r = reference(variable);
    const double entries = std::abs(K_.row(variable)[variable]) + std::abs(K_.row(r)[r]);
    largest_ = std::max(largest_, std::abs(size));
    concave_ |= std::min(size, pivot + 1e-6 * std::abs(size)) < -1e-9 * largest_ - 1e-12 * entries;
    const bool kept = pivot > smallest_pivot(variable, size);
    (kept ? kept_ : dropped_).push_back(variable);
    return kept ? pivot : 0;
  }

  // A ridge is known to all its digits and bounds the pivots from below.
  double smallest_pivot(int64_t variable, double size) const {
    const double ridge = ridge_.empty() ? 0 : ridge_[variable];
    const double cut = kSmallestPivot * std::abs(size);
    return ridge > 1e-13 * std::abs(size) ? std::min(cut, 0.5 * ridge) : cut;
  }

  const StoredMatrix<double>& K_;
  const Box& box_;
  std::span<const double> ridge_;
  const Workers& workers_;
  References references_ = {-1, -1};
  std::vector<int64_t> kept_, dropped_;
  Cholesky cholesky_;   // of the kept ones
  double largest_ = 0;  // diagonal entry so far
  bool concave_ = false;
};

}  // namespace svm
