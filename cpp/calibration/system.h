// Small systems of linear equations.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace svm {

// Solves A x = b by elimination with row pivots, x in the place of b; A, of n rows one after the
// other, is used up. A column without a pivot has x = 0.
inline void solve_system(std::vector<double>& A, std::vector<double>& b) {
  const int64_t n = static_cast<int64_t>(b.size());
  for (int64_t k = 0; k < n; ++k) {
    int64_t pivot = k;
    for (int64_t i = k + 1; i < n; ++i) {
      if (std::abs(A[i * n + k]) > std::abs(A[pivot * n + k])) pivot = i;
    }
    if (pivot != k) {
      std::swap_ranges(&A[k * n], &A[k * n] + n, &A[pivot * n]);
      std::swap(b[k], b[pivot]);
    }
    if (A[k * n + k] == 0) continue;
    for (int64_t i = k + 1; i < n; ++i) {
      const double factor = A[i * n + k] / A[k * n + k];
      if (factor == 0) continue;
      for (int64_t j = k; j < n; ++j) A[i * n + j] -= factor * A[k * n + j];
      b[i] -= factor * b[k];
    }
  }
  for (int64_t k = n - 1; k >= 0; --k) {
    for (int64_t j = k + 1; j < n; ++j) b[k] -= A[k * n + j] * b[j];
    b[k] = A[k * n + k] == 0 ? 0 : b[k] / A[k * n + k];
  }
}

}  // namespace svm
