// Linear machines with an L1 penalty:
//
//   minimise over w and b   |w|_1 + q |b| + sum_k h_k(x_k'w + b),   q = sqrt(p)
//   maximise over beta      -sum_k h_k*(-beta_k)   where |X'beta|_inf <= 1 and |1'beta| <= q
#pragma once

#include "linear/solve.h"
#include "rows/points.h"

namespace svm::linear {

// Newton's method on a few features at a time, for losses without kinks. `points` are the rows of
// the problem's sample. The certificate is left to the caller: w, intercept and a feasible beta.
Solution few_features(const Problem& problem, const Points& points, const Settings& settings,
                      Monitor& monitor, const Start* start = nullptr);

}  // namespace svm::linear
