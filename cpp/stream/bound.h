// How far a linear model can be from the optimum: its objective, and a lower bound of every
// model's.
//
//   P(w, b) = alpha/2 |w|^2 + 1/n sum_i s_i h(u_i)
//   D(v)    = - 1/n sum_i s_i (h*(v_i) - v_i o_i) - |p|^2 / (2 alpha)
//   p       = 1/n sum_i s_i v_i u'_i x_i
//
// with u_i the margin or residual of row i, u'_i its derivative in the score and o_i its value at
// score 0, for any v_i in the domain of h*; a free intercept also needs sum_i s_i v_i u'_i = 0.
//
// The slope of the loss at the model is one such v, but at a kink it jumps where the optimal one
// lies between. The mean slope over a window, (h(u + r) - h(u - r)) / 2r, does not: of three window
// sizes r the best bound counts. Terms of either sign are summed apart, because then balancing them
// for the intercept, by making the heavier sign lighter, is a factor at the end, and so is the best
// multiple of all v: h*(t v) <= t h*(v) for t in [0, 1]. One pass over the rows does it.
#pragma once

#include <cstdint>

#include "stream/descent.h"

namespace svm::stream {

struct Bound {
  double primal = 0, dual = 0;
  double deviation = 0;  // of the losses of single rows
};

// `unit` is what the window sizes are multiples of. False when the monitor ended it.
bool bound(const Points& points, const Targets& targets, int64_t output, const Plan& plan,
           const double* weights, double intercept, double unit, Bound& out,
           const Workers& workers);

}  // namespace svm::stream
