// Sequential minimal optimisation as it is taught: two variables a step, all in float64.
//
// With the costs of dual/dual.h, the gradient f = (K + R) beta - t and the curvature
// a_ij = K_ii + K_jj - 2 K_ij + R_i + R_j, a step moves beta_i up and beta_j down by
//
//   step = min(free, room),   free = v / a_ij,   v = down_j - up_i,   room: until a bound (or 0)
//
// and gains v step - a_ij step^2 / 2. i is the variable of least up_i. Its partner of the same
// group is, by the first-order rule, the one of largest down_j, and by the second-order rule the
// one of largest v^2 / (2 a_ij): what the step would gain if no bound were in its way.
//
// The engine's own steps (dual/pair_steps.h) begin like this and then differ: they are conjugate,
// in float32, and end in Newton steps. This is not faster, only easier to follow.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dual/dual.h"

namespace lab {

enum class PairRule { first_order, second_order };

struct PairStep {
  int64_t up = 0, down = 0;
  double violation = 0, curvature = 0, free = 0, room = 0, step = 0, gain = 0;
  bool up_clipped = false, down_clipped = false;
};

class PlainSmo {
 public:
  // K is the kernel matrix of `rows` rows; a problem of twice as many variables has each of them
  // twice. The point must be feasible.
  PlainSmo(const svm::DualProblem& problem, std::span<const double> K, int64_t rows, PairRule rule,
           std::vector<double> beta);

  // The next step, made; nothing where the violation is at most tol.
  std::optional<PairStep> advance(double tol);

  std::span<const double> beta() const { return beta_; }
  std::span<const double> gradient() const { return f_; }
  // The score of each variable as a partner in the last step; NaN where it was none.
  std::span<const double> scores() const { return scores_; }
  double violation() const;

 private:
  double up_cost(int64_t i) const { return f_[i] + problem_.box.up_offset(i, beta_[i]); }
  double down_cost(int64_t i) const { return f_[i] + problem_.box.down_offset(i, beta_[i]); }
  double entry(int64_t i, int64_t j) const { return K_[i % rows_ * rows_ + j % rows_]; }
  double curvature(int64_t i, int64_t j) const;
  // The group whose worst pair is worst, and its variable of least cost upwards.
  int64_t first_of_pair() const;
  int64_t partner(int64_t up);
  void move(int64_t i, double to);

  svm::DualProblem problem_;
  std::span<const double> K_;
  int64_t rows_;
  PairRule rule_;
  std::vector<double> beta_, f_, scores_;
};

// Where a fit begins: zero, or the first variables filled until the sums are met.
std::vector<double> first_point(const svm::DualProblem& problem);

}  // namespace lab
