// Linear machines with an L1 penalty:
//
//   minimise over w and b   |w|_1 + q |b| + sum_k h_k(x_k'w + b),   q = sqrt(p)
//   maximise over beta      -sum_k h_k*(-beta_k)   where |X'beta|_inf <= 1 and |1'beta| <= q
#pragma once

#include "linear/solve.h"
#include "rows/points.h"

namespace svm::linear {

// Newton's method on a few features at a time, for losses without kinks. `points` are the rows of
// the problem's sample.
Solution few_features(const Problem& problem, const Points& points, const Settings& settings,
                      Monitor& monitor, const Start* start = nullptr);

// The certificate of a point (w, b) and of dual variables inside their intervals, from fresh passes.
// The violation is what |X'beta|_inf exceeds 1 by.
Certificate certify_few(const Problem& problem, const std::vector<double>& w, double b,
                        const std::vector<double>& beta, const Workers& workers);

}  // namespace svm::linear
