// How a fit ended.
#pragma once

namespace svm {

enum class Status {
  optimal,         // the certificate is within the tolerances that were asked for
  precision,       // steps in float64 no longer improve it
  max_iterations,  // the step limit was reached first
  stopped,         // the monitor ended it
};

}  // namespace svm
