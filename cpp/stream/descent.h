// Stochastic (sub)gradient descent for linear models, one output or several at once.
//
//   minimise  alpha/2 |w|^2 + 1/n sum_i s_i h(w'x_i + b, y_i)
//
// A step takes a mini-batch B of rows, in the order given:
//
//   w <- (1 - eta_t alpha) w - eta_t / |B| sum_B s_i h'_i x_i
//   b <- b - eta_t / |B| sum_B s_i h'_i
//   eta_t = eta0 / (1 + decay t)^power                     (Bottou, with decay = alpha eta0)
//   eta_t = 1 / (alpha t), then w to the nearest point of |w| <= radius            (Pegasos)
//   mean_t = mean_{t-1} + (1 + forget) / (t + forget) (w_t - mean_{t-1})         (averaging)
//
// An averaging weight that grows as t^forget leaves the first, bad iterates behind. Several outputs
// (one class against the rest each) see the rows in the same order with the same step sizes.
//
// A step costs as much as the rows of its batch have entries: shrinking is a change of a factor,
// and so is averaging. With w = scale W and mean = factor (M + ratio W), moving W by a row moves M
// by -ratio times as much.
//
// References: L. Bottou, Stochastic gradient descent tricks (2012); W. Xu, Towards optimal one pass
// large scale learning with averaged stochastic gradient descent (2011); S. Shalev-Shwartz et al.,
// Pegasos (2011); O. Shamir and T. Zhang, averaging schemes (2013).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "stream/loss.h"
#include "stream/rows.h"
#include "svm/points.h"
#include "svm/workers.h"

namespace svm::stream {

struct Plan {
  LossKind loss = LossKind::hinge;
  double width = 0;  // of the loss
  double alpha = 0;  // 0: no penalty
  double eta0 = 1, decay = 0, power = 1;
  double radius = 0;  // above 0: Pegasos
  bool average = true;
  double forget = 0;
  bool intercept = true, penalise_intercept = false;
  int64_t batch = 1;
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
  Descent(const Plan& plan, int64_t features, int64_t outputs);

  // One pass over rows in this order; false when the monitor ended it, with the steps made so far.
  bool pass(const Points& points, const Targets& targets, std::span<const int64_t> order,
            const Workers& workers);

  // out[p] = sum of the weighted losses of output p over some rows, at the weights to be reported:
  // the mean where there is one. False when the monitor ended it.
  bool losses(const Points& points, const Targets& targets, std::span<const int64_t> rows,
              double* out, const Workers& workers) const;

  // Half of alpha |w|^2 of each output, of the weights to be reported.
  std::vector<double> penalties() const;

  // Weights as a matrix with a row an output; `mean` tells which.
  void weights(bool mean, double* out) const;
  void intercepts(bool mean, double* out) const;
  void set(bool mean, const double* weights, const double* intercepts);

  int64_t outputs() const { return static_cast<int64_t>(outputs_.size()); }
  int64_t features() const { return features_; }
  int64_t steps = 0;             // made so far
  std::vector<int64_t> updates;  // of each output: rows that moved it, so far

 private:
  // What a step's number alone decides, computed once for all outputs.
  struct Step {
    double eta;          // its size
    double share, grow;  // its share in the average, and 1 / (1 - share)
  };

  struct Output {
    std::vector<double> current, mean;        // W and M
    double scale = 1, ratio = 0, factor = 1;  // w = scale W, mean = factor (M + ratio W)
    double growth = 1;                        // scale / factor, kept to save a division
    double intercept = 0, mean_intercept = 0;
    double square = 0;  // |W|^2, kept by Pegasos

    // Makes the factors one: w = W and mean = M.
    void fold();
  };

  template <class Rows>
  void run(int64_t number, const Rows& rows, const Targets& targets, std::span<const int64_t> order,
           std::span<const Step> made);
  void shrink(Output& output, double rate) const;
  template <class X>
  void move(Output& output, const Entries<X>& row, double step) const;
  void project(Output& output) const;
  void average(Output& output, const Step& step) const;
  double rate(double time) const;

  const std::vector<double>& reported(const Output& output) const {
    return plan_.average ? output.mean : output.current;
  }
  double reported_intercept(const Output& output) const {
    return plan_.average ? output.mean_intercept : output.intercept;
  }

  Plan plan_;
  int64_t features_;
  std::vector<Output> outputs_;
};

// A random order of some rows. Of data larger than a cache, runs of neighbours are shuffled, and
// then the rows within windows of runs: nearly as good as any order, and several times as fast to
// read.
std::vector<int64_t> shuffled(const Points& points, std::span<const int64_t> rows, uint64_t seed);

// The eta0 with which one pass over a sample of rows, from w = 0, gets lowest on that sample, by
// factors of 2. Of many outputs, the first four decide for all.
double choose_rate(const Points& points, const Targets& targets, std::span<const int64_t> sample,
                   Plan plan, int64_t outputs, const Workers& workers);

}  // namespace svm::stream
