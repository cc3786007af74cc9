// Linear machines: from a problem to a certified solution.
//
//   minimise over w and c   1/2 |w|^2 + p/2 c^2 + sum_k h_k(x_k'w + c)
//   maximise over b         -sum_k h_k*(-b_k) - 1/2 |X'b|^2 - (1'b)^2 / (2 p)
//
// A free intercept has p = 0 and the constraint 1'b = 0 in place of the last term; without one
// there is neither.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "linear/loss.h"
#include "linear/passes.h"
#include "linear/system.h"
#include "run/monitor.h"

namespace svm::linear {

enum class Status {
  optimal,         // the gap (and the violation, if it was asked for) is within its tolerance
  precision,       // steps in float64 no longer improve it
  max_iterations,  // the step limit was reached first
  stopped,         // the monitor ended it
};

struct Settings {
  double tol = 1e-4;            // relative duality gap
  double violation = kNoLimit;  // largest violation, in the units of the scores
  int64_t max_steps = -1;       // -1: only the safety limit of each method
  int threads = 1;

  static constexpr double kNoLimit = std::numeric_limits<double>::infinity();
};

// Problems of at most this many entries are solved to rounding.
inline constexpr int64_t kSmallEntries = 1 << 18;

struct Problem {
  Sample sample;
  Loss& loss;
  Intercept intercept;
  double scale;  // size of a typical residual at w = 0
};

// P and D of a pair of points, and how far the dual one is from optimal.
//
//   P - D = 1/2 |w - X'b|^2 + sum_k [h_k(s_k) + h_k*(-b_k) + s_k b_k] + p/2 (c - 1'b / p)^2,
//
// a sum of terms that are never negative, so it is computed as such and does not cancel.
struct Certificate {
  double primal = 0, dual = 0;
  double gap = 1;        // (P - D) / max(|P|, |D|)
  double violation = 0;  // largest violating pair of b, as in dual/dual.h
  double bound = 0;      // the violation's own error is at most this
};

struct Solution {
  std::vector<double> w;  // primal point
  double intercept = 0;
  std::vector<double> b;      // dual point
  double dual_intercept = 0;  // the intercept that belongs to X'b
  Certificate certificate;
  Status status = Status::optimal;
  int64_t steps = 0;         // Newton steps, or passes of coordinate descent
  int64_t newton_steps = 0;  // Newton steps among them
  double seconds = 0, certificate_seconds = 0;
  std::vector<TraceRow> trace;
};

// The certificate of a primal point (w, c) and of a dual point b, which must be feasible, from
// fresh passes over the data; b's own intercept goes to *dual_intercept.
Certificate certify(const Problem& problem, const std::vector<double>& w, double c,
                    const std::vector<double>& b, double* dual_intercept, const Workers& workers);

// Fills in the certificate of solution.w, .intercept and .b, once b is made feasible, and the last
// row of the trace. `status` is how the method ended; the certificate decides whether that is good
// enough. Nothing stops this.
void conclude(const Problem& problem, const Settings& settings, Status status,
              const Monitor& monitor, Solution& solution);

// Where a method may begin.
struct Start {
  std::vector<double> w;
  double intercept = 0;
  std::vector<double> b;
  double width = 0;  // of the smoothing that it is the optimum of, if any
};

enum class Directions {
  matrix,    // from the matrix of second derivatives
  products,  // by conjugate gradients
};

// Augmented Lagrangian with semismooth Newton steps; plain Newton where the loss is smooth.
Solution newton(const Problem& problem, Directions directions, const Settings& settings,
                Monitor& monitor, const Start* start = nullptr);

// Dual coordinate descent for the losses of a tube; Newton steps finish what it is slow at.
Solution descend(const Problem& problem, const Settings& settings, Monitor& monitor);

// The same for several problems, one thread each; those that were not begun before the monitor
// stopped it are missing.
std::vector<std::optional<Solution>> descend_all(std::span<const Problem* const> problems,
                                                 const Settings& settings, Monitor& monitor);

}  // namespace svm::linear
