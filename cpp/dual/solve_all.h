// Several problems on the rows of the same data, as one against one makes of many classes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/settings.h"
#include "dual/dual.h"
#include "dual/solution.h"
#include "kernel/gram.h"
#include "run/monitor.h"

namespace svm {

struct Part {
  std::span<const int64_t> rows;  // of the data
  DualProblem problem;
  std::span<const double> start = {};  // a feasible point to begin from, or empty
};

// The kernel matrix of some rows of the data.
using GramOf = std::function<std::unique_ptr<Gram>(std::span<const int64_t> rows)>;

// A solution for each part. Small parts are solved side by side, a thread each; a part that is
// large beside the others has all threads. What a solution is does not depend on that. Once the
// monitor has stopped, the parts that have not begun get their own first point, certified.
std::vector<Solution> solve_all(std::span<const Part> parts, const GramOf& gram_of,
                                const Settings& settings, Monitor& monitor);

}  // namespace svm
