// Descent by working sets: pick one, take its square block of the matrix, solve that smaller
// problem to a tenth of the present violation, and add the change to the gradient of all variables.
#pragma once

#include <cstdint>
#include <functional>

#include "dual/budget.h"
#include "dual/dual.h"
#include "dual/quadratic.h"

namespace svm {

// Descends by sets of size(how many the last one has moved) until the violation is at most tol,
// nothing moves, or the budget is over; or until go_on(), which is asked before each working set,
// says no.
template <class T>
void descend(Quadratic<T>& K, const Box& box, double* beta, double* f,
             const std::function<int64_t(int64_t)>& size, double tol, Budget& budget,
             const std::function<bool()>& go_on, bool in_order = false);

}  // namespace svm
