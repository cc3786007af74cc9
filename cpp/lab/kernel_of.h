// A kernel as C hands it over: kind, gamma, coef0, degree.
#pragma once

#include <stdexcept>

#include "kernel/kernel.h"

namespace lab {

inline svm::Kernel kernel_of(const double* numbers) {
  constexpr int kKinds = static_cast<int>(svm::KernelKind::matern52) + 1;
  const int kind = static_cast<int>(numbers[0]);
  if (kind < 0 || kind >= kKinds) throw std::invalid_argument("there is no kernel of this number");
  return {static_cast<svm::KernelKind>(kind), numbers[1], numbers[2], static_cast<int>(numbers[3])};
}

}  // namespace lab
