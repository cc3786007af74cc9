// Where a fit was when it last looked at itself.
#pragma once

#include <cstdint>

namespace svm {

struct TraceRow {
  double seconds = 0;
  int64_t steps = 0;
  double primal = 0, dual = 0, gap = 1, violation = 0;
  int64_t support = 0;
  int64_t part = 0;  // of several problems, the one it speaks of
};

}  // namespace svm
