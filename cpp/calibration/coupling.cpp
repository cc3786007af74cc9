#include "calibration/coupling.h"

#include <algorithm>

#include "calibration/system.h"

namespace svm {

void Coupling::operator()(std::span<const double> pairs, double* out) {
  // A pair that is certain would leave nothing to its loser, whatever the others say.
  constexpr double kLeast = 1e-7;
  const int64_t k = classes_, n = k + 1;
  system_.assign(n * n, 0);
  solution_.assign(n, 0);
  size_t next = 0;
  for (int64_t s = 0; s < k; ++s) {
    for (int64_t t = s + 1; t < k; ++t) {
      const double r = std::clamp(pairs[next++], kLeast, 1 - kLeast), rest = 1 - r;
      system_[s * n + s] += rest * rest;
      system_[t * n + t] += r * r;
      system_[s * n + t] = system_[t * n + s] = -rest * r;
    }
    system_[s * n + k] = system_[k * n + s] = 1;
  }
  solution_[k] = 1;
  solve_system(system_, solution_);
  double sum = 0;
  for (int64_t s = 0; s < k; ++s) sum += out[s] = std::max(solution_[s], 0.0);
  for (int64_t s = 0; s < k; ++s) out[s] /= sum;
}

}  // namespace svm
