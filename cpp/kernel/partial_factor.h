// A kernel matrix of low rank as few columns: its partial Cholesky factor.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "kernel/gram.h"

namespace svm {

// K ~ G G', and what is left of K on the diagonal is nowhere more than `left`. What is left of a
// positive semidefinite matrix is one, so that no entry is farther off.
struct PartialFactor {
  int64_t columns = 0;
  std::vector<double> values;  // of G, row by row
  double left = 0;
};

// At most so many columns, until `enough` is left: each is that of the row of which most is left.
// Nothing when the monitor stopped it.
std::optional<PartialFactor> partial_factor(const Gram& gram, std::span<const double> diagonal,
                                            int64_t most, double enough, const Workers& workers);

}  // namespace svm
