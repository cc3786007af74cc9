// Coordinate descent on the weights of a problem with an L1 penalty, for sparse rows, where a pass
// over the columns costs little. With r = t - score and beta its slopes, a step on weight j minimises
//
//   -s d + h/2 d^2 + penalty_j |w_j + d|,   s = sum_k x_kj beta_k,   h = sum_k curvature_k x_kj^2,
//
// and goes as far as the objective falls by a share of what this promises. The intercept is the last
// column. Features whose weights stay at zero are left out for a while.
//
// Once the signs are found, a pass is a linear map, and where a few of them have led tells where they
// lead in the end: the combination sum c_t w_t, sum c_t = 1, whose steps sum c_t (w_t+1 - w_t) are
// shortest (Anderson's acceleration). It is taken where the objective is lower there.
#pragma once

#include <cstdint>
#include <vector>

#include "linear/solve.h"
#include "rows/points.h"

namespace svm::linear {

class FeatureDescent {
 public:
  // Losses without kinks. Without weights at first, and with this intercept.
  FeatureDescent(const Problem& problem, const Tube& tube, const Points& points, double b,
                 const Workers& workers);

  // Passes until no feature violates its condition, |s| <= penalty or s = penalty sign(w), by more
  // than `tolerance`; at most so many in all. False where that was not reached.
  bool run(double tolerance, int64_t most);

  std::vector<double> w() const { return {u_.begin(), u_.begin() + d_}; }
  double b() const { return present_ ? u_.back() : 0; }
  int64_t passes() const { return passes_; }

 private:
  // A row: t - score, and what follows from it.
  struct Row {
    double rest, beta, curvature;
  };
  // Its loss, in units in which beta is `rest`.
  struct Form {
    double inverse, lower, upper;  // of the ridge; the interval of beta
  };

  void copy_columns(const Problem& problem, const Points& points);
  void renew(int64_t k);
  double pass(double leave);
  void step(int64_t j, double slope, double curvature);
  double loss_change(int64_t j, double way) const;
  void remember();
  void extrapolate();
  double objective(const std::vector<double>& u, const std::vector<double>& rest) const;

  const Workers& workers_;
  int64_t n_, d_;
  bool present_;
  std::vector<int64_t> starts_;  // of the columns
  std::vector<int32_t> places_;
  std::vector<double> values_;
  std::vector<Form> forms_;
  std::vector<Row> rows_;
  std::vector<double> u_, penalty_, most_;  // weights; what they cost; the largest curvature
  std::vector<int64_t> order_;
  int64_t active_, passes_ = 0;
  // Where the last passes have led: weights, and what is left of the targets.
  struct Place {
    std::vector<double> u, rest;
  };
  std::vector<Place> course_;
};

}  // namespace svm::linear
