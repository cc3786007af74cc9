// How far linear models can be from the optimum: their objectives, and lower bounds of every
// model's.
//
//   P(w, b) = alpha/2 |w|^2 + l1 |w|_1 + 1/n sum_i s_i h(u_i)
//   D(v)    = - 1/n sum_i s_i (h*(v_i) - v_i o_i) - sum_j max(0, |p_j| - l1)^2 / (2 alpha)
//   p       = 1/n sum_i s_i v_i u'_i x_i,  with |p_j| <= l1 where alpha is 0
//
// with u_i the margin or residual of row i, u'_i its derivative in the score and o_i its value at
// score 0, for any v_i in the domain of h*; a free intercept also needs sum_i s_i v_i u'_i = 0.
//
// The slope of the loss at the model is one such v, but at a kink it jumps where the optimal one
// lies between: there the mean slope over a window, (h(u + r) - h(u - r)) / 2r, is taken. Terms of
// either sign are balanced for a free intercept by making the heavier sign lighter, and the best
// multiple of all v counts: h*(t v) <= t h*(v) for t in [0, 1].
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "stream/descent.h"

namespace svm::stream {

struct Bound {
  double primal = 0, dual = 0;
  double deviation = 0;  // of the losses of single rows
};

// What the bound of an output is made of: sums over rows, so that those of parts of the rows add up.
struct RiskSums {
  double rows = 0;  // that count
  double loss = 0, square = 0;
  // Of s_i (h*(v_i) - v_i o_i) and of t_i = s_i v_i u'_i, where that is positive and elsewhere.
  double conjugate[2] = {}, terms[2] = {};
  std::vector<double> pulls{};  // of t_i x_i, likewise, one after the other
};

// Takes the sums of an output; called for several outputs at once.
using TakeSums = std::function<void(int64_t output, RiskSums&& sums)>;

// The weights of output p are row p of a matrix. `unit` is what the window is a share of. False
// when the monitor ended it.
bool risk_sums(const Points& points, const Targets& targets, const Plan& plan,
               const double* weights, std::span<const double> intercepts, double unit,
               const TakeSums& take, const Workers& workers);

// What a bound has to know of the plan.
struct Penalties {
  double alpha = 0, l1 = 0;
  bool intercept = true, penalise_intercept = false;
};

Bound bound(const RiskSums& sums, const Penalties& penalties, std::span<const double> weights,
            double intercept);

// out[p] for output p.
bool bounds(const Points& points, const Targets& targets, const Plan& plan, const double* weights,
            std::span<const double> intercepts, double unit, std::span<Bound> out,
            const Workers& workers);

}  // namespace svm::stream
