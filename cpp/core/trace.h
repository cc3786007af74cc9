// The course of a fit, subsampled to at most kMost rows, and told to the monitor as it goes.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/certificate.h"
#include "core/trace_row.h"
#include "run/monitor.h"

namespace svm {

class Trace {
 public:
  explicit Trace(Monitor& monitor) : monitor_(monitor) {}

  void observe(const Certificate& c, int64_t steps) {
    const TraceRow row = make_row(c, steps);
    monitor_.report(row);
    if (calls_++ % every_ != 0) return;
    rows_.push_back(row);
    if (rows_.size() < kMost) return;
    for (size_t k = 0; 2 * k < rows_.size(); ++k) rows_[k] = rows_[2 * k];
    rows_.resize((rows_.size() + 1) / 2);
    every_ *= 2;
  }
  // The last row is always kept.
  void finish(const Certificate& c, int64_t steps) { rows_.push_back(make_row(c, steps)); }
  std::vector<TraceRow> take() { return std::move(rows_); }

 private:
  static constexpr size_t kMost = 1024;

  TraceRow make_row(const Certificate& c, int64_t steps) const {
    return {monitor_.seconds(), steps, c.primal, c.dual, c.gap, c.violation, c.support};
  }

  Monitor& monitor_;
  std::vector<TraceRow> rows_;
  int64_t calls_ = 0, every_ = 1;
};

}  // namespace svm
