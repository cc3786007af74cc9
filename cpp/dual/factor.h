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

#include <array>
#include <cstdint>
#include <limits>
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

  void reset(const References& references);

  void forget_dropped(const auto& which) { std::erase_if(dropped_, which); }

  // Whether a dropped variable has a pivot by now; it is taken in then.
  bool retry(int64_t variable);

  // Takes in the variables that have a pivot, in order, and lists the others as dropped. False when
  // the monitor stopped it half-way.
  bool append(std::span<const int64_t> variables);

  // Takes out the variable at a place.
  void erase(size_t place);

  // x = L^-1 H(kept, variable)
  std::vector<double> eliminate(int64_t variable) const;

  void forward_substitute(std::vector<double>& y) const { cholesky_.forward_substitute(y); }
  void back_substitute(std::vector<double>& y) const { cholesky_.back_substitute(y); }

 private:
  static constexpr double kSmallestPivot = 1e-7;  // relative to the diagonal

  double difference(int64_t i, int64_t j) const;

  // The pivot of a variable of which earlier ones explain `rest`; 0, and it is dropped, where that
  // is nearly all.
  double take(int64_t variable, double rest);

  // A ridge is known to all its digits and bounds the pivots from below.
  double smallest_pivot(int64_t variable, double size) const;

  const StoredMatrix<double>& K_;
  const Box& box_;
  std::span<const double> ridge_;
  const Workers& workers_;
  References references_ = {-1, -1};
  std::vector<int64_t> kept_, dropped_;
  Cholesky cholesky_;                                          // of the kept ones
  double largest_ = 0;                                         // diagonal entry so far
  double smallest_ = std::numeric_limits<double>::infinity();  // pivot of a kept one
  bool concave_ = false;
};

}  // namespace svm
