// From a problem to a certified solution.
//
// Small problems are solved to rounding, or to tol, in float64: pair steps find the sets, Newton
// steps the values. Larger ones descend in float32; each round ends with the exact float64
// gradient, which certifies the point or corrects the gradient that the next round starts from. A
// round that does not halve the violation is the limit of float32: from there on kernel rows are
// float64.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "dual/certificate.h"
#include "dual/dual.h"
#include "kernel/gram.h"
#include "run/monitor.h"
#include "run/slabs.h"

namespace svm {

enum class Status {
  optimal,         // violation + bound <= tol
  precision,       // steps in float64 no longer improve it
  max_iterations,  // the step limit was reached first
  stopped,         // the monitor ended it
};

// Problems of at most this many rows are small, and of many that ask for most of their rows those
// of at most kSmallAndFull.
inline constexpr int64_t kSmall = 1024, kSmallAndFull = 1536;

struct Settings {
  double tol = 1e-3;
  int64_t max_steps = -1;  // -1: only the safety limit of solve.cpp
  int64_t cache_bytes = 200 << 20;
  int threads = 1;
  int sharing = 1;  // problems that are solved side by side and share the cache
  // Not one of many: a small problem is solved to rounding, whatever tol says.
  bool alone = true;
  int64_t small = kSmall;  // rows of problems that are solved on the whole matrix
  std::shared_ptr<Slabs> memory = std::make_shared<Slabs>();                  // of the cache
  std::shared_ptr<std::mutex> large_system = std::make_shared<std::mutex>();  // one at a time

  // Many have half the cache for their rows. Of the rest, a quarter of the cache is for the Newton
  // systems of all, and a quarter for one that is larger than a share of that.
  int64_t row_bytes() const { return (alone ? cache_bytes : cache_bytes / 2) / sharing; }
  int64_t system_bytes() const { return alone ? cache_bytes : cache_bytes / 4; }
};

struct Solution {
  std::vector<double> b;
  Certificate certificate;
  Status status = Status::optimal;
  int64_t steps = 0, newton_steps = 0, rows_computed = 0;
  double seconds = 0, certificate_seconds = 0;
  Work work;
  double flops = 0;  // of its kernel entries
  std::vector<TraceRow> trace;
};

// `start` is a feasible point to begin from, or empty for the formulation's own.
Solution solve(const Gram& gram, const DualProblem& problem, const Settings& settings,
               std::span<const double> start, Monitor& monitor);

// The certificate of any feasible point, in float64.
Certificate certify(const Gram& gram, const DualProblem& problem, std::span<const double> b,
                    int threads, Monitor& monitor);

}  // namespace svm
