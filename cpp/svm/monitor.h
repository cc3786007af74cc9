// What watches a fit while it runs: interrupts, time limits and progress.
//
// The solvers ask stop() often; it looks at the clock and calls the hook about every 50 ms. It only
// ever ends a fit: no iterate depends on the time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

#include "svm/work.h"

namespace svm {

// Where a fit was when it last looked at itself.
struct TraceRow {
  double seconds = 0;
  int64_t steps = 0;
  double primal = 0, dual = 0, gap = 1, violation = 0;
  int64_t support = 0;
};

class Monitor {
 public:
  using Clock = std::chrono::steady_clock;
  using Hook = std::function<bool(const TraceRow&)>;

  Work work;  // of the fit that it watches

  Monitor() = default;
  // The hook returns true to stop; it is called on the thread that called the solver.
  explicit Monitor(Hook hook) : hook_(std::move(hook)) {}

  void report(const TraceRow& row) { latest_ = row; }

  bool stop() {
    if (stopped_ || !hook_) return stopped_;
    const auto now = Clock::now();
    if (now < next_) return false;
    stopped_ = hook_(latest_);
    next_ = Clock::now() + std::chrono::milliseconds(50);
    return stopped_;
  }

  bool stopped() const { return stopped_; }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  Hook hook_;
  TraceRow latest_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_ + std::chrono::milliseconds(50);
  bool stopped_ = false;
};

}  // namespace svm
