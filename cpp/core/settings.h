// What the caller asks of a fit.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace svm {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Settings {
  double tol_gap = kInfinity;             // relative duality gap
  double tol_violation = kInfinity;       // largest violation, in the units of the targets
  std::optional<int64_t> max_steps = {};  // without it, the safety limit of each method
  int64_t cache_bytes = 200 << 20;        // for kernel rows and Newton systems
  int threads = 1;
  // Not one of many problems: a small one is solved to rounding, whatever the tolerance.
  bool alone = true;
};

}  // namespace svm
