// Stochastic (sub)gradient descent for linear models, one output or several at once.
//
//   minimise  alpha/2 |w|^2 + l1 |w|_1 + 1/n sum_i s_i h(w'x_i + b, y_i)
//
// A step takes a mini-batch B of rows, in the order given:
//
//   w <- (1 - eta_t alpha) w - eta_t / |B| sum_B s_i h'_i x_i
//   b <- b - q eta_t / |B| sum_B s_i h'_i
//   w <- w moved towards zero by what an l1 asks for                    (models.h has the rule)
//   w <- the nearest point of |w| <= radius                                       (Pegasos)
//   mean_t = mean_{t-1} + (1 + forget) / (t - start + forget) (w_t - mean_{t-1})   (averaging)
//
// and the step sizes are of one family,
//
//   eta_t = eta0 / max(1 + convexity eta0 (t - origin), (1 + decay (t - origin))^power)
//
//                  eta0          convexity  decay   power   origin
//   Bottou         given         alpha      0       -       1        eta0 / (1 + alpha eta0 (t - 1))
//   as here        given         alpha      1/1000  1, 3/4  0        falls where alpha is tiny, too
//   Pegasos        1 / alpha     alpha      0       -       1        1 / (alpha t)
//   inverse power  given         0          1       power   1        eta0 / t^power
//   constant       given         0          0       -       -        eta0
//
// q is at most 1: b is the weight of a feature that every row has, and where the others are rare or
// small, steps of their size would throw it about. An average that begins after `start` steps, with
// a weight that grows as t^forget, leaves the first iterates behind. Several outputs (one class
// against the rest each) see the rows in the same order with the same step sizes.
//
// A step costs as much as the rows of its batch have entries (models.h). Weights are of the rows'
// own precision.
//
// References: L. Bottou, Stochastic gradient descent tricks (2012); W. Xu, Towards optimal one pass
// large scale learning with averaged stochastic gradient descent (2011); S. Shalev-Shwartz et al.,
// Pegasos (2011); O. Shamir and T. Zhang, averaging schemes (2013); Y. Tsuruoka et al.,
// Stochastic gradient descent training for L1-regularized log-linear models (2009).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "rows/points.h"
#include "rows/reader.h"
#include "run/workers.h"
#include "stream/loss.h"

namespace svm::stream {

struct Plan {
  LossKind loss = LossKind::hinge;
  double width = 0;          // of the loss
  double alpha = 0, l1 = 0;  // 0: no penalty; an l1 goes with neither an average nor Pegasos
  double eta0 = 1, convexity = 0, decay = 0, power = 1, origin = 0;
  double radius = 0;  // above 0: Pegasos
  bool average = true;
  double start = 0, forget = 0;
  bool intercept = true, penalise_intercept = false;
  double intercept_rate = 1;  // q
  int64_t batch = 1;
  std::vector<double> own = {};  // what the rows of an output count more in it; empty: as they are

  // Factor of the weight of a row with target y.
  double factor(int64_t output, double y) const { return own.empty() || y < 0 ? 1 : own[output]; }
};

struct Targets {
  std::span<const double> y, weight;
  bool codes;  // y is the number of the output that a row belongs to: +1 there, -1 elsewhere

  double of(int64_t row, int64_t output) const {
    if (!codes) return y[row];
    return y[row] == static_cast<double>(output) ? 1 : -1;
  }
};

class Descent {
 public:
  // A descent over rows such as these; the number of threads it is to have decides how outputs are
  // grouped, not what they become.
  static std::unique_ptr<Descent> over(const Points& points, const Plan& plan, int64_t outputs,
                                       int threads);
  virtual ~Descent() = default;

  // One pass over rows in this order; false when the monitor ended it, with the steps made so far.
  virtual bool pass(const Points& points, const Targets& targets, std::span<const int64_t> order,
                    const Workers& workers) = 0;

  // out[p] = sum of the weighted losses of output p over some rows, at the weights to be reported:
  // the mean where there is one. False when the monitor ended it.
  virtual bool losses(const Points& points, const Targets& targets, std::span<const int64_t> rows,
                      double* out, const Workers& workers) const = 0;

  // alpha/2 |w|^2 + l1 |w|_1 of each output, of the weights to be reported.
  virtual std::vector<double> penalties() const = 0;

  // Weights as a matrix with one row per output; `mean` tells which.
  virtual void weights(bool mean, double* out) const = 0;
  virtual void intercepts(bool mean, double* out) const = 0;
  virtual void set(bool mean, const double* weights, const double* intercepts) = 0;

  double eta0() const { return plan_.eta0; }
  void set_eta0(double eta0) { plan_.eta0 = eta0; }
  int64_t outputs() const { return static_cast<int64_t>(updates.size()); }
  int64_t features() const { return features_; }
  virtual bool single() const = 0;  // whether weights are of single precision
  int64_t steps = 0;                // made so far
  std::vector<int64_t> updates;     // of each output: rows that moved it, so far

 protected:
  Descent(const Plan& plan, int64_t features, int64_t outputs)
      : updates(outputs, 0), plan_(plan), features_(features) {}

  Plan plan_;
  int64_t features_;
};

struct Rate {
  double eta0, intercept;
};

// The eta0 with which one pass over a sample of rows, from w = 0, gets lowest on that sample, by
// factors of 2; and q. AdaGrad (Duchi, Hazan and Singer, 2011) divides the steps of a weight by the
// root of its mean squared slope, to which x_ij^2 is proportional, and which is 1 for b. The mean
// square of a feature that a step meets gives
//
//   q = min(1, sqrt(sum_j m_j^2 / sum_j m_j)),  m_j = mean_i x_ij^2
//
// Of many outputs, the first four decide for all.
Rate choose_rate(const Points& points, const Targets& targets, std::span<const int64_t> rows,
                 Plan plan, int64_t outputs, const Workers& workers);

}  // namespace svm::stream
