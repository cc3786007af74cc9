// What watches a fit while it runs: interrupts, time limits and progress.
//
// The solvers ask stop() often; it looks at the clock and calls the hook about every 50 ms. It only
// ever ends a fit: no iterate depends on the time. The hook is called on the thread that made the
// monitor; on others stop() tells what it has said.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>

#include "core/trace_row.h"
#include "core/work.h"

namespace svm {

class Monitor {
 public:
  using Clock = std::chrono::steady_clock;
  using Hook = std::function<bool(const TraceRow&)>;

  Work work;  // of the fit that it watches

  Monitor() = default;
  // The hook returns true to stop. Between two calls of it are at least `pause`.
  explicit Monitor(Hook hook, Clock::duration pause = kPause)
      : hook_(std::move(hook)), pause_(pause) {}
  // For a part of the work that `leader` watches, on any thread.
  Monitor(Monitor& leader, int64_t part) : leader_(&leader), part_(part) {}

  void report(const TraceRow& row) {
    if (leader_ == nullptr) {
      latest_ = row;
    } else if (leader_->at_home()) {
      leader_->report(row);
      leader_->latest_.part = part_;
    }
  }

  bool stop() {
    if (leader_ != nullptr) return leader_->stop();
    if (stopped() || !hook_ || !at_home()) return stopped();
    const auto now = Clock::now();
    if (now < next_) return false;
    stopped_.store(hook_(latest_), std::memory_order_relaxed);
    next_ = Clock::now() + pause_;
    return stopped();
  }

  bool stopped() const {
    return (leader_ == nullptr ? this : leader_)->stopped_.load(std::memory_order_relaxed);
  }
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  static constexpr std::chrono::milliseconds kPause{50};

  bool at_home() const { return std::this_thread::get_id() == home_; }

  Hook hook_;
  Monitor* leader_ = nullptr;
  int64_t part_ = 0;
  TraceRow latest_;
  std::thread::id home_ = std::this_thread::get_id();
  Clock::time_point start_ = Clock::now();
  Clock::duration pause_ = kPause;
  Clock::time_point next_ = start_ + pause_;
  std::atomic<bool> stopped_ = false;
};

}  // namespace svm
