// The course of a fit, thinned to at most 1,024 rows.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "dual/certificate.h"
#include "dual/dual.h"
#include "run/monitor.h"

namespace svm {

class Trace {
 public:
  Trace(const DualProblem& problem, Monitor& monitor) : problem_(problem), monitor_(monitor) {}

  void observe(const double* b, const double* f, int64_t steps) {
    const TraceRow row = make_row(certify(problem_, b, f, 0), steps);
    monitor_.report(row);
    if (calls_++ % every_ != 0) return;
    rows_.push_back(row);
    if (rows_.size() < 1024) return;
    for (size_t k = 0; 2 * k < rows_.size(); ++k) rows_[k] = rows_[2 * k];
    rows_.resize((rows_.size() + 1) / 2);
    every_ *= 2;
  }
  void finish(const Certificate& c, int64_t steps) { rows_.push_back(make_row(c, steps)); }
  std::vector<TraceRow> take() { return std::move(rows_); }

 private:
  TraceRow make_row(const Certificate& c, int64_t steps) const {
    return {monitor_.seconds(), steps, c.primal, c.dual, c.gap, c.violation, c.support};
  }

  const DualProblem& problem_;
  Monitor& monitor_;
  std::vector<TraceRow> rows_;
  int64_t calls_ = 0, every_ = 1;
};

}  // namespace svm
