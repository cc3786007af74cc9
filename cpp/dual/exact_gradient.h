// The gradient in float64, of all variables or of those that a certificate depends on.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dual/dual.h"
#include "kernel/gram.h"
#include "run/workers.h"

namespace svm {

// product[k] = (K beta)_v in float64, for the k-th of some variables. False when stopped half-way.
bool exact_product(const Gram& gram, std::span<const double> beta,
                   std::span<const int64_t> variables, std::vector<double>& product,
                   const Workers& workers);

// f_v = ((K + R)beta - t)_v in float64, for some variables. False, and f as it was, when stopped
// half-way.
bool exact_gradient(const Gram& gram, const DualProblem& problem, std::span<const double> beta,
                    std::span<const int64_t> variables, double* f, const Workers& workers);

}  // namespace svm
