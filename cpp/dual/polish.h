// Newton steps on the free variables of a large problem and the nearest of the others, whose matrix
// is small enough for memory. Their moves are added to the gradient of all variables.
#pragma once

#include "dual/cached_kernel.h"
#include "dual/fit.h"
#include "dual/gradient_ledger.h"

namespace svm {

// `quick` where pair steps go on afterwards, `once` for the digits that follow from an exact
// gradient, else `thorough`.
enum class Effort { quick, once, thorough };

// Until the violation is at most `target` or such steps no longer halve it. Above `handover` it is
// not known which variables will be free, and an interior point of a larger set finds out.
template <class T>
void polish(Fit& fit, GradientLedger& ledger, CachedKernel<T>& K, double target, double handover,
            Effort effort);

}  // namespace svm
