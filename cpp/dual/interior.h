// An interior point of the dual for a matrix in memory: expensive steps, but their number hardly
// depends on how large C is, on the rank of K or on the units of its columns.
//
// Each variable is beta = base + sum of s p over one or two parts with 0 <= p <= w and a cost e:
// its box, or the two sides of the kink at 0. With multipliers z of p >= 0, t of q = w - p >= 0 and
// b of the sums, the conditions of a minimum are
//
//   s (f + b) + e - z + t = 0,   z p = mu,   t q = mu,   mu -> 0.
//
// A Newton step on them (Mehrotra's, predicted and corrected), parts eliminated, is
//
//   (K + D) dbeta + A'db = h,   A dbeta = total - A beta,   1/D = sum over parts of 1/(z/p + t/q).
//
// It ends close to the middle of the set of solutions, where it is plain which variables are at an
// end: a place for Newton steps on the free ones to start from.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "dual/dual.h"
#include "dual/quadratic.h"
#include "run/workers.h"

namespace svm {

// The solution from a feasible beta, variables close to an end put there. The gradient is f =
// constant + K beta. K + offset is positive semidefinite, K itself may be so only for changes whose
// sum is zero. Nothing where K is seen not to be so, or where the monitor stopped it.
std::optional<std::vector<double>> interior_point(const StoredMatrix<double>& K, double offset,
                                                  const Box& box, std::span<const double> constant,
                                                  std::span<const double> beta,
                                                  const Workers& workers);

}  // namespace svm
