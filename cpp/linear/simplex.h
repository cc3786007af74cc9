// The nearest point of a simplex.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace svm::linear {

// Replaces u[0 .. n - 1] by the nearest point of {u >= 0, sum u = C}: max(0, u - tau) with the tau
// that gives this sum. `places` lists those that stay positive, ascending; it has room for n.
// Returns how many these are. A single one gets C itself.
inline int64_t project_simplex(double* u, int64_t n, double C, int32_t* places) {
  const double highest = *std::max_element(u, u + n);
  int64_t count = 0;
  double sum = 0;
  // tau is at least highest - C, because the highest keeps C at most.
  for (int64_t m = 0; m < n; ++m) {
    if (u[m] > highest - C) {
      sum += u[m];
      places[count++] = static_cast<int32_t>(m);
    }
  }
  if (count == 0) places[count++] = static_cast<int32_t>(std::max_element(u, u + n) - u);
  double tau = 0;
  while (count > 1) {
    // With fewer places tau grows: those below it now stay below.
    tau = (sum - C) / static_cast<double>(count);
    int64_t kept = 0;
    double rest = 0;
    for (int64_t q = 0; q < count; ++q) {
      if (u[places[q]] <= tau) continue;
      rest += u[places[q]];
      places[kept++] = places[q];
    }
    if (kept == count) break;
    count = kept;
    sum = rest;
  }
  if (count == 1) {
    std::fill(u, u + n, 0.0);
    u[places[0]] = C;
    return 1;
  }
  int64_t q = 0;
  for (int64_t m = 0; m < n; ++m) {
    const bool positive = q < count && places[q] == m;
    u[m] = positive ? std::min(u[m] - tau, C) : 0;
    q += positive;
  }
  return count;
}

}  // namespace svm::linear
