#include "lab/data.h"

#include <algorithm>
#include <stdexcept>

#include "kernel/expansion.h"
#include "lab/lab.h"

namespace lab {

Points points_of(const double* x, int32_t n, int32_t d) {
  return Points(svm::DenseRows<double>{x, n, d});
}

svm::Kernel kernel_of(const double* numbers) {
  constexpr int kMostDegree = 100;
  constexpr int kKinds = static_cast<int>(svm::KernelKind::matern52) + 1;
  if (!(numbers[0] >= 0 && numbers[0] < kKinds)) {
    throw std::invalid_argument("there is no kernel of this number");
  }
  if (!(numbers[3] >= 0 && numbers[3] <= kMostDegree)) {
    throw std::invalid_argument("a degree must be between 0 and 100");
  }
  return {static_cast<svm::KernelKind>(static_cast<int>(numbers[0])), numbers[1], numbers[2],
          static_cast<int>(numbers[3])};
}

Data::Data(const double* x, int32_t n, int32_t d, const double* kernel)
    : points(points_of(x, n, d)),
      index(svm::all_rows(n)),
      gram(svm::make_gram(points, index, kernel_of(kernel))) {}

svm::DualProblem problem_of(int32_t variables, const double* target, const double* lower,
                            const double* upper, double epsilon, const uint8_t* group,
                            const double* total, const double* ridge) {
  const auto size = static_cast<size_t>(variables);
  svm::DualProblem problem{{target, size}, {{lower, size}, {upper, size}, epsilon}};
  problem.total[0] = total[0];
  if (group != nullptr) {
    problem.box.group = {group, size};
    problem.total[1] = total[1];
  }
  if (ridge != nullptr) problem.ridge = {ridge, size};
  return problem;
}

std::optional<int64_t> limit_of(double max_steps) {
  if (!(max_steps >= 0 && max_steps < 0x1p62)) return std::nullopt;
  return static_cast<int64_t>(max_steps);
}

void put(const svm::Certificate& certificate, double* numbers) {
  numbers[LAB_PRIMAL] = certificate.primal;
  numbers[LAB_DUAL] = certificate.dual;
  numbers[LAB_GAP] = certificate.gap;
  numbers[LAB_VIOLATION] = certificate.violation;
  numbers[LAB_BOUND] = certificate.bound;
  numbers[LAB_CONVEX] = certificate.convex;
  std::copy_n(certificate.intercept.data(), svm::kGroups, numbers + LAB_MULTIPLIER);
  numbers[LAB_SUPPORT] = static_cast<double>(certificate.support);
}

}  // namespace lab
