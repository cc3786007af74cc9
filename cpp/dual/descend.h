// Descent by working sets: pick one, take its square block of the matrix, solve that smaller
// problem to a tenth of the present violation, and add the change to the gradient of all variables.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "dual/budget.h"
#include "dual/certificate.h"
#include "dual/dual.h"
#include "dual/quadratic.h"
#include "dual/set_block.h"
#include "dual/set_problem.h"
#include "dual/working_set.h"

namespace svm {

// Its last working set is where the next descent on the same matrix begins.
template <class T>
class Descent {
 public:
  // Sets are `in_order` of the variables where their kernel rows go together.
  explicit Descent(Quadratic<T>& K, bool in_order = false)
      : K_(K), set_(K.size()), block_(K, in_order) {}

  // How large the next set is, given how many variables the last one has moved and how many are free.
  using Size = std::function<int64_t(int64_t moved, int64_t free)>;
  // Asked before each working set.
  using GoOn = std::function<bool(const Levels&)>;

  // Descends by sets until the violation is at most tol, nothing moves, or the budget is over; or
  // until go_on() says no.
  void run(const Box& box, double* beta, double* f, const Size& size, double tol, Budget& budget,
           const GoOn& go_on);

  // Solves for each of these sets once, to a violation of tol inside; or until go_on() says no.
  void sweep(std::span<const std::vector<int64_t>> sets, const Box& box, double* beta, double* f,
             double tol, Budget& budget, const GoOn& go_on);

 private:
  // How many variables a set has moved; nothing when the monitor stopped it, and all is as it was.
  std::optional<int64_t> solve(std::vector<int64_t> set, const Box& box, double* beta, double* f,
                               double tol, Budget& budget);

  Quadratic<T>& K_;
  WorkingSet set_;
  SetBlock<T> block_;
  SetProblem inner_;
  std::vector<int64_t> moved_;
  std::vector<double> step_, before_;
};

}  // namespace svm
