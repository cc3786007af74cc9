// Judging points of a linear problem, apart from the methods that find them.
#pragma once

#include <cstdint>
#include <vector>

#include "linear/solve.h"

namespace svm::linear {

double squared_norm(const std::vector<double>& v);

double squared_distance(const std::vector<double>& u, const std::vector<double>& v);

double total(const std::vector<double>& v);

// A dual point: its variables, X'beta and 1'beta.
struct DualPoint {
  std::vector<double> beta, w;
  double sum = 0;
};

// P, D and gap of (w, b) and a dual point, whose losses have these terms:
//
//   P - D = 1/2 |w - X'beta|^2 + sum_k [h_k(s_k) + h_k*(-beta_k) + s_k beta_k]
//           + p/2 (b - 1'beta / p)^2,
//
// a sum of terms that are never negative, so it is computed as such and does not cancel. The
// violation is left open.
Certificate judge(const Intercept& intercept, const std::vector<double>& w, double b,
                  const Terms& terms, const std::vector<double>& dual_w, double dual_sum);

// The same from the scores s of (w, b).
Certificate compare(const Problem& problem, const std::vector<double>& w, double b,
                    const std::vector<double>& s, const DualPoint& dual, const Workers& workers);

// Where the intercept is free, moves variables that are inside their interval until 1'beta = 0,
// each by a share of the room it has; where these have no room, any others. beta keeps to its box.
void balance(const Problem& problem, std::vector<double>& beta);
// The same for the candidate of rows; whether any variable may have moved.
bool balance(RowPasses& rows);

// The candidate of rows with the primal point (w, b), from fresh passes over the data.
Certificate certify(RowPasses& rows, const std::vector<double>& w, double b);

// `conclude` (solve.h) for the candidate of rows as the dual point.
void conclude(RowPasses& rows, const Settings& settings, Status status, const Monitor& monitor,
              Trace& trace, Solution& solution);

// The violation of a dual point with this 1'beta and the intercept that belongs to it, from the
// costs at the scores X'(X'beta).
struct Violation {
  double value = 0, intercept = 0;
};
Violation violation(const Intercept& intercept, const Costs& costs, double dual_sum);

// What rounding can do to the violation: sums of n and of d products, one after the other.
double violation_error(const Shape& shape, const Reach& reach);

// Weights are scaled up by so much where rounding has left margins a hair below 1, or may have,
// which a large C would make expensive.
inline constexpr double kHairs[] = {1e-15, 1e-12, 1e-9};

// A gap is exact to this share of the objectives.
inline constexpr double kGapError = 1e-10;

// What rounding can do to the terms of the gap: the losses are off by so much, and X'beta, whose
// distance from w is the rest, by that length.
struct Rounding {
  double losses = 0, weights = 0;
};

// Adds it to the gap where it is more than kGapError.
void count_rounding(double distance, const Rounding& error, Certificate& certificate);

}  // namespace svm::linear
