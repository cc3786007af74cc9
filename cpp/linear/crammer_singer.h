// Crammer and Singer's machine: one problem for all classes.
//
//   minimise over w_c, b_c   sum_c [1/2 |w_c|^2 + p/2 b_c^2] + sum_i C_i [max_c l_ic - l_iy]
//
// y is the class of row i and l_ic = w_c'x_i + b_c + [c != y] the level of class c there: the own
// class must be above all others by 1. The slope of a row's loss is a point of a simplex, C_i
// shared out among the classes that are highest:
//
//   share_ic >= 0, sum_c share_ic = C_i,   beta_ic = [c = y] C_i - share_ic,
//   maximise over beta       sum_i beta_iy - sum_c [1/2 |X'beta_c|^2 + (1'beta_c)^2 / (2 p)]
//
// A free intercept has p = 0 and the constraints 1'beta_c = 0 in place of the last term; without
// one there is neither.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/certificate.h"
#include "core/settings.h"
#include "core/status.h"
#include "core/trace.h"
#include "linear/passes.h"
#include "linear/system.h"
#include "rows/points.h"
#include "run/monitor.h"

namespace svm::linear::crammer_singer {

struct Problem {
  const Points& points;
  Sample sample;                   // the same rows
  std::span<const int64_t> label;  // y of each row that takes part
  std::span<const double> C;
  int64_t classes;
  Intercept intercept;

  int64_t size() const { return sample.size(); }
  int64_t columns() const { return sample.columns(); }
  bool free_intercept() const { return intercept.present && intercept.penalty == 0; }
};

// Weights, one row per class, and intercepts.
struct Primal {
  std::vector<double> w, b;
};

struct Solution {
  Primal primal;
  std::vector<double> share;  // dual point, one row per row of data
  Certificate certificate;
  Status status = Status::optimal;
  int64_t steps = 0;         // passes of coordinate descent and Newton steps
  int64_t newton_steps = 0;  // Newton steps among them
  double seconds = 0, certificate_seconds = 0;
  std::vector<TraceRow> trace;
};

// The dual point that no step was taken for: all of C is the own class's, so that beta = 0.
std::vector<double> first_share(const Problem& problem);

// beta from shares, and shares from beta.
std::vector<double> reflect(const Problem& problem, const std::vector<double>& values);
// beta whose rows sum to zero: C less the own share would be off by the rounding of C, which can be
// far larger than beta.
std::vector<double> exact_beta(const Problem& problem, const std::vector<double>& share);

// The certificate of a primal point and of a dual point, which must be feasible, from fresh passes
// over the data.
Certificate certify(const Problem& problem, const Primal& primal, const std::vector<double>& share,
                    const Workers& workers);

// Coordinate descent on the dual, a row at a time, and Newton steps where it is slow.
Solution solve(const Problem& problem, const Settings& settings, Monitor& monitor);

// ---- What the two methods share ----------------------------------------------------------------

struct Terms {
  double loss = 0, dual = 0, difference = 0, violation = 0;
  int64_t support = 0;
  Terms& operator+=(const Terms& o);
};

// The terms of all rows at these scores (of all classes, row by row, intercepts included):
//
//   P - D = sum_c [1/2 |w_c - X'beta_c|^2 + p/2 (b_c - 1'beta_c / p)^2]
//           + sum_i sum_c share_ic (max_e l_ie - l_ic),
//
// a sum of terms that are never negative, so it is computed as such and does not cancel. The
// violation of a row is how far the lowest class with a share is below the highest class.
Terms compare(const Problem& problem, const std::vector<double>& scores,
              const std::vector<double>& share, const Workers& workers);

// P, D and gap from the terms, X'beta (one row per class) and 1'beta.
Certificate judge(const Problem& problem, const Primal& primal, const Terms& terms,
                  const std::vector<double>& dual_w, const std::vector<double>& sums);

// X'beta of all classes; false when the monitor stopped it.
bool combine(const Problem& problem, const std::vector<double>& beta, std::vector<double>& w,
             const Workers& workers);

// 1'beta of all classes.
std::vector<double> sums(const Problem& problem, const std::vector<double>& beta);

// Where the intercept is free, moves shares until 1'beta = 0: those of rows with several, each in
// proportion to itself, and where that is not enough, any.
void balance(const Problem& problem, std::vector<double>& share);

// What Newton steps take, in products of an entry with a weight; `exact`: the problem is so small
// that they go on to rounding.
struct NewtonWork {
  double work;
  bool exact;
};
NewtonWork newton_work(const Problem& problem);

// Augmented Lagrangian with semismooth Newton steps, from a point that descent has come to. Fills
// in primal, share and the numbers of steps.
Status newton(const Problem& problem, const Settings& settings, Monitor& monitor, Trace& trace,
              Solution& solution);

// Coordinate descent; `undecided` where Newton steps should go on.
Status descend(const Problem& problem, const Settings& settings, Monitor& monitor, Trace& trace,
               Solution& solution, bool* undecided);

}  // namespace svm::linear::crammer_singer
