// What comes through C as the core takes it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/certificate.h"
#include "dual/dual.h"
#include "kernel/gram.h"
#include "rows/points.h"

namespace lab {

using Points = svm::DensePoints<double>;

Points points_of(const double* x, int32_t n, int32_t d);

// kind, gamma, coef0, degree
svm::Kernel kernel_of(const double* numbers);

// Rows and their kernel matrix, which looks into them.
struct Data {
  Points points;
  std::vector<int64_t> index;
  std::unique_ptr<svm::Gram> gram;

  Data(const double* x, int32_t n, int32_t d, const double* kernel);
};

svm::DualProblem problem_of(int32_t variables, const double* target, const double* lower,
                            const double* upper, double epsilon, const uint8_t* group,
                            const double* total, const double* ridge);

// A limit on steps: none where it is negative, or beyond all counting.
std::optional<int64_t> limit_of(double max_steps);

// A certificate into the numbers of lab.h.
void put(const svm::Certificate& certificate, double* numbers);

}  // namespace lab
