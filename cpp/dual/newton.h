// The last digits: Newton steps on the free variables of a matrix in memory.
//
// Pair steps find which variables are free but need very many to find their values. With the sets
// known, the minimum over the free ones is one linear system, H d = -(g_i - g_r) of factor.h. Where
// the full step leaves the box, variables stop at the bounds they meet on the way, and the way ends
// where the objective is lowest: every step lowers it. Rows without a pivot rest, or, where the
// objective still falls along the flat direction they span, run down it, mostly to a bound.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "dual/dual.h"
#include "dual/factor.h"
#include "dual/quadratic.h"
#include "run/workers.h"

namespace svm {

class Newton {
 public:
  static constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

  // The gradient is f = constant + K beta.
  Newton(const StoredMatrix<double>& K, const Box& box, std::vector<double> constant,
         std::span<const double> ridge, const Workers& workers);

  int64_t steps() const { return steps_; }
  bool concave() const { return factor_.concave(); }
  std::span<const double> constant() const { return constant_; }

  // f = constant + K beta, from the beginning.
  void gradient(const double* beta, double* f) const;

  // Steps until the violation is at most `target`, or a few in a row improve neither it nor the
  // objective by much: then it is for pair steps to say which variables are free. The first is for
  // the free variables alone: those that are called after that step are few, while many look
  // as if they were before, such as copies of free ones.
  void run(double* beta, double* f, double target, int64_t most = kNoLimit);

  // The dual objective -(1/2 beta'K beta + constant'beta + epsilon |beta|_1).
  double value(const double* beta, const double* f) const;

 private:
  bool step(double* beta, const double* f, double slack);
  // To the minimum over the movers; those that meet an end on the way stay there.
  bool descend(double* beta);
  // Takes the variables at an end out of the factor, unless there are more than `most`, and tells
  // how many they are.
  size_t erase_ended(const double* beta, size_t most);
  // Taking rows out of the factor one by one is worth it for a few; for more it is made anew.
  static size_t few(size_t rows) { return 16 + rows / 32; }

  // How far a free variable is from the ends of its piece; negative for the others.
  double interior(int64_t i, const double* beta) const;
  // The variables that may move, each with the smooth piece of the box it is in and its derivative
  // there: the free ones, the most interior first, then those whose derivative calls them away from
  // a bound or kink by more than `slack`.
  void collect(const double* beta, const double* f, double slack);
  // Brings the factor to the present movers: changed where little has changed, else made anew.
  bool renew_factor(const double* beta);
  enum State : uint8_t { kIdle, kWanted, kKnown };
  // change_ = the Newton step.
  void solve();
  // change_ from the changes of the kept variables; the references balance them.
  void spread(const std::vector<double>& kept_changes);
  void set_change(int64_t i, double value);
  // change_ = the Newton step, dropped rows that it leaves a cost to taken in where they have a
  // pivot by now. steepest_ is the one with the largest cost left, if any.
  void solve_with_dropped();
  // Along v = e_a - H^-1 H(., a) of a dropped row the objective is linear. True when the steepest
  // such direction was followed, mostly to the first bound; change_ is the Newton step otherwise.
  bool run_flat(double* beta);
  // (K change_)_i
  double product(int64_t i) const;
  double slope() const;
  double curvature() const;
  // The longest multiple of change_ inside the box.
  double first_bound(const double* beta) const;
  // beta += length change_, exactly onto a bound where one is reached.
  void move(double* beta, double length) const;
  // Follows change_ to the lowest point along it. A variable that meets an end stays there and the
  // reference of its group balances the others: the path is a line of straight pieces, the
  // objective a parabola on each, and a corner costs two rows of K. Ends early where a reference
  // meets an end.
  bool follow(double* beta);
  void add_row(int64_t i, double weight, std::vector<double>& sum) const;
  // Takes the variables that have met an end out of change_, and of its product with K. False when
  // a reference is among them.
  bool stop_ended(const double* beta, std::vector<double>& product);

  const StoredMatrix<double>& K_;
  const Box& box_;
  std::vector<double> constant_;
  Workers workers_;
  Factor factor_;
  int64_t steps_ = 0;
  std::vector<int64_t> movers_;
  std::optional<int64_t> steepest_;
  std::vector<double> low_, high_, cost_, change_;  // of the movers, by variable
};

}  // namespace svm
