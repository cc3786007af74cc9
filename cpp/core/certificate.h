// How good a point is, judged apart from the solver that found it (dual/certificate.h,
// linear/certificate.h).
#pragma once

#include <array>
#include <cstdint>

namespace svm {

// Groups of dual variables whose sum is fixed, each with an intercept of its own: two in the nu
// formulations, else one.
inline constexpr int kGroups = 2;

struct Certificate {
  double primal = 0, dual = 0;
  double gap = 1;        // (P - D) / max(|P|, |D|)
  double violation = 0;  // largest violating pair of the dual point, in the units of the targets
  double bound = 0;      // the violation's own error is at most this
  std::array<double, kGroups> intercept = {};  // that belong to the dual point
  int64_t support = 0;                         // dual variables that are not zero
  bool convex = true;  // no direction of negative curvature was met: the optimum is global
};

}  // namespace svm
