// From a problem to a certified solution.
//
// Small problems are solved to rounding, or to tol, in float64: pair steps identify the active set,
// Newton steps find the values. Larger ones descend in float32; each round ends with the exact
// float64 gradient, which certifies the point or corrects the gradient that the next round starts
// from. A round that does not halve the violation is the limit of float32: from there on kernel
// rows are float64.
#pragma once

#include <span>

#include "core/settings.h"
#include "dual/dual.h"
#include "dual/share.h"
#include "dual/solution.h"
#include "kernel/gram.h"
#include "run/monitor.h"

namespace svm {

// `start` is a feasible point to begin from, or empty for the formulation's own.
Solution solve(const Gram& gram, const DualProblem& problem, const Settings& settings,
               std::span<const double> start, Share& share, Monitor& monitor);
// A problem that shares nothing.
Solution solve(const Gram& gram, const DualProblem& problem, const Settings& settings,
               std::span<const double> start, Monitor& monitor);

// The certificate of any feasible point, in float64.
Certificate certify(const Gram& gram, const DualProblem& problem, std::span<const double> beta,
                    int threads, Monitor& monitor);

}  // namespace svm
