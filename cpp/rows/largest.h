// How large the numbers of an array are, in one pass.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace svm {

// The largest size of a number, 0 where there are none; not a number unless all are finite.
template <class X>
double largest_size(const X* values, int64_t n) {
  constexpr int64_t kLanes = 32;  // side by side, so that none waits for the one before
  X most[kLanes] = {}, rest[kLanes] = {};
  int64_t i = 0;
  const auto look = [&](int64_t lane, X value) {
    const X size = std::abs(value);
    most[lane] = size > most[lane] ? size : most[lane];
    rest[lane] += value - value;  // 0 if it is finite, else not a number
  };
  for (; i + kLanes <= n; i += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) look(lane, values[i + lane]);
  }
  for (; i < n; ++i) look(0, values[i]);
  for (const X r : rest) {
    if (r != 0) return std::numeric_limits<double>::quiet_NaN();
  }
  return *std::max_element(most, most + kLanes);
}

}  // namespace svm
