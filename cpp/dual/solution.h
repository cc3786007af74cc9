// What a fit of the dual has found, and what it has cost.
#pragma once

#include <cstdint>
#include <vector>

#include "core/certificate.h"
#include "core/status.h"
#include "core/trace_row.h"
#include "core/work.h"

namespace svm {

struct Solution {
  std::vector<double> beta;
  std::vector<double> gradient;  // (K + R) beta - t
  Certificate certificate;
  Status status = Status::optimal;
  int64_t steps = 0, newton_steps = 0, rows_computed = 0, rows_asked = 0;
  double seconds = 0, certificate_seconds = 0;
  Work work;
  double flops = 0;  // of its kernel entries
  std::vector<TraceRow> trace;
};

}  // namespace svm
