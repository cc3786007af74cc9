// What the vector loops need to know about a floating-point type.
#pragma once

#include <cstdint>

namespace svm::simd {

template <class T>
struct Float;

template <>
struct Float<float> {
  using Int = int32_t;
  static constexpr int mantissa = 23;
  static constexpr Int bias = 127;
  static constexpr float round = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
  static constexpr float lowest = -87.0F;      // below, exp(x) - 1 = -1 in this precision
  static constexpr float log2e = 1.44269504F;
  static constexpr float ln2_high = 0.693359375F, ln2_low = -2.12194440e-4F;
  static constexpr int terms = 7;
};

template <>
struct Float<double> {
  using Int = int64_t;
  static constexpr int mantissa = 52;
  static constexpr Int bias = 1023;
  static constexpr double round = 6755399441055744.0;  // 1.5 * 2^52
  static constexpr double lowest = -708.0;
  static constexpr double log2e = 1.4426950408889634;
  static constexpr double ln2_high = 0.693147180369123816490, ln2_low = 1.90821492927058770002e-10;
  static constexpr int terms = 13;
};

}  // namespace svm::simd
