// Linear machines: from a problem to a certified solution.
//
//   minimise over w and b   1/2 |w|^2 + p/2 b^2 + sum_k h_k(x_k'w + b)
//   maximise over beta      -sum_k h_k*(-beta_k) - 1/2 |X'beta|^2 - (1'beta)^2 / (2 p)
//
// A free intercept has p = 0 and the constraint 1'beta = 0 in place of the last term; without
// one there is neither.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/certificate.h"
#include "core/settings.h"
#include "core/status.h"
#include "core/trace.h"
#include "linear/loss.h"
#include "linear/passes.h"
#include "linear/row_passes.h"
#include "run/monitor.h"

namespace svm::linear {

// Problems of at most this many entries are solved to rounding.
inline constexpr int64_t kSmallEntries = 1 << 18;

struct Problem {
  Sample sample;
  Loss& loss;
  Intercept intercept;
  double scale;  // size of a typical residual at w = 0
};

struct Solution {
  std::vector<double> w;  // primal point
  double intercept = 0;
  std::vector<double> beta;  // dual point
  Certificate certificate;
  Status status = Status::optimal;
  int64_t steps = 0;         // Newton steps, or passes of coordinate descent
  int64_t newton_steps = 0;  // Newton steps among them
  double seconds = 0, certificate_seconds = 0;
  std::vector<TraceRow> trace;
};

// The certificate of a primal point (w, b) and of a dual point beta, which must be feasible, from
// fresh passes over the data.
Certificate certify(const Problem& problem, const std::vector<double>& w, double b,
                    const std::vector<double>& beta, const Workers& workers);

// Fills in the certificate of solution.w, .intercept and .beta, once beta is made feasible, and the
// last row of the trace. `status` is how the method ended; the certificate decides whether that is
// good enough. Nothing stops this.
void conclude(const Problem& problem, const Settings& settings, Status status, Monitor& monitor,
              Trace& trace, Solution& solution);

// Where a method may begin.
struct Start {
  std::vector<double> w;
  double intercept = 0;
  std::vector<double> beta;
  double width = 0;  // of the smoothing that it is the optimum of, if any
};

enum class Directions {
  matrix,    // from the matrix of second derivatives
  products,  // by conjugate gradients
};

// Augmented Lagrangian with semismooth Newton steps; plain Newton where the loss is smooth.
Solution newton(const Problem& problem, Directions directions, const Settings& settings,
                Monitor& monitor, const Start* start = nullptr);
// The same wherever the rows are, and beta with them. A start has no beta then.
Solution newton(RowPasses& rows, Directions directions, const Settings& settings, Monitor& monitor,
                const Start* start = nullptr);

// Dual coordinate descent for the losses of a tube; Newton steps finish what it is slow at.
Solution descend(const Problem& problem, const Settings& settings, Monitor& monitor,
                 const Start* start = nullptr);

// The same for several problems, one thread each; those that were not begun before the monitor
// stopped it are missing.
std::vector<std::optional<Solution>> descend_all(std::span<const Problem* const> problems,
                                                 const Settings& settings, Monitor& monitor);

}  // namespace svm::linear
