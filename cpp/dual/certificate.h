// How good a dual point is, judged apart from the solver that found it.
//
// With f = (K + R)beta - t computed exactly, an intercept b_g for each group, and the residuals
// r_i = t_i - (K beta)_i - b_g = R_i beta_i - f_i - b_g, let the loss of a row be the conjugate
//   loss_i(r) = max over v in [lower_i, upper_i] of  v r - epsilon |v| - R_i v^2 / 2.
// Then
//   primal  P = 1/2 beta'K beta + sum_i loss_i(r_i) + sum_g b_g total_g
//   dual    D = t'beta - 1/2 beta'(K + R)beta - epsilon |beta|_1
//   P - D = sum_i loss_i(r_i) - (beta_i r_i - epsilon |beta_i| - R_i beta_i^2 / 2),
// a sum of terms that are never negative, so it is computed as such and does not cancel. It bounds
// the distance to the optimum where K is positive semidefinite.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/certificate.h"
#include "dual/dual.h"
#include "kernel/gram.h"

namespace svm {

// What variables say about the intercept of each group. Variables that are in several places are
// asked where they are, and the answers are joined.
struct Levels {
  Extremes extremes;
  std::array<double, kGroups> sum = {};  // of f, and the way up, over free variables
  std::array<int64_t, kGroups> free = {};

  int64_t all_free() const { return free[0] + free[1]; }
  // The mean of -f over free variables; without any, the middle of the interval of optimal ones.
  std::array<double, kGroups> intercepts(int groups) const;
};
Levels levels(const Box& box, const double* beta, const double* f);
std::array<double, kGroups> intercepts(const Box& box, const double* beta, const double* f);

// The v in [lower, upper] at which v r - epsilon |v| - ridge v^2 / 2 is largest.
double loss_slope(double r, double lower, double upper, double epsilon, double ridge);

// Which intercept of one group the certificate is of. `best` costs more: far from the optimum, where
// the dual point's own may put all rows on one side, it is the one at which P is least, and before
// the first step the mean of the targets, so that the more frequent class is the likelier one.
enum class Level { dual, best };

// The intercepts of the level `best`.
std::array<double, kGroups> best_intercepts(const DualProblem& problem, const double* beta,
                                            const double* f);

// What variables add to a certificate, given the intercepts. Those of several places are added up.
struct VariableSums {
  double quadratic = 0, linear = 0, difference = 0, size = 0, slope = 0;
  std::array<double, kGroups> beta = {};
  int64_t support = 0;
};
VariableSums variable_sums(const DualProblem& problem, const double* beta, const double* f,
                           const std::array<double, kGroups>& intercept, double error, bool widen);

// `error` bounds the error of each f_i. The violation carries it as its bound; where f is only an
// estimate (`widen`), P and D are moved apart by what it may do to them.
Certificate certificate_of(const VariableSums& sums, double violation,
                           const std::array<double, kGroups>& intercept,
                           const std::array<double, kGroups>& total, double error, bool widen);
Certificate certify(const DualProblem& problem, const double* beta, const double* f, double error,
                    bool widen = false, Level level = Level::dual);
// The same where the levels are known.
Certificate certify(const DualProblem& problem, const double* beta, const double* f,
                    const Levels& own, double error, bool widen, Level level);

// The error of f = K beta - t: that of each entry, and a rounding for each of the `additions` that
// were made one after the other.
double gradient_error(const Gram& gram, const DualProblem& problem, std::span<const double> beta,
                      int64_t additions);

// Additions one after the other when the sum is made in chunks, as in expansion.h.
int64_t chunked_additions(std::span<const double> beta);

}  // namespace svm
