// Kernels as functions of a dot product or of a squared distance.
//
//   linear      <x, z>                        polynomial  (gamma <x, z> + coef0)^degree
//   gaussian    exp(-gamma |x - z|^2)         sigmoid     tanh(gamma <x, z> + coef0)
//
// The gaussian is computed as k - 1: on a fixed sum of the dual variables a constant in the kernel
// only shifts the intercept, and k - 1 keeps its relative precision when gamma is tiny. offset() is
// what has to be added back.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "simd/table.h"

namespace svm {

enum class KernelKind { linear, polynomial, gaussian, sigmoid };

struct Kernel {
  KernelKind kind = KernelKind::linear;
  double gamma = 1;
  double coef0 = 0;
  int degree = 3;

  bool uses_distances() const { return kind == KernelKind::gaussian; }
  double offset() const { return kind == KernelKind::gaussian ? 1 : 0; }

  // |k(x, z)| is at most this where |x|^2 and |z|^2 are at most `norm`.
  double largest(double norm) const {
    switch (kind) {
      case KernelKind::linear:
        return norm;
      case KernelKind::polynomial:
        return power(std::abs(gamma) * norm + std::abs(coef0));
      default:
        return 1;
    }
  }

  // A value computed in type T is off by at most this. A sum of d products is d roundings of its
  // size away from the true one, rows converted to float32 two more, and the function stretches
  // that by its slope. Of the gaussian, distance^2 times slope is at most 1/e and distance times
  // slope at most sqrt(gamma / 2e), whatever the data; but a distance of sparse rows is a
  // difference of norms.
  template <class T>
  double error(double norm, int64_t entries, bool sparse) const {
    constexpr bool kSingle = sizeof(T) == sizeof(float);
    constexpr double u = kSingle ? 0x1p-24 : 0x1p-53;
    const double d = static_cast<double>(entries) + 6;
    const double argument = std::abs(gamma) * norm + std::abs(coef0);
    switch (kind) {
      case KernelKind::linear:
        return d * u * norm;
      case KernelKind::polynomial:
        return (degree + 1) * d * u * power(argument);
      case KernelKind::sigmoid:
        return d * u * argument + 4 * u;
      default:
        if (sparse) return std::min(1.0, 4 * d * u * gamma * norm + 4 * u);
        return d * u / 2 + 4 * u + (kSingle ? 4 * u * std::sqrt(gamma * norm / 2) : 0);
    }
  }

  // From dot products or squared distances to kernel values, in place.
  template <class T>
  void apply(T* values, int64_t n) const {
    switch (kind) {
      case KernelKind::linear:
        return;
      case KernelKind::gaussian:
        simd::table().loops<T>().gaussian(values, n, static_cast<T>(gamma));
        return;
      case KernelKind::polynomial:
        for (int64_t i = 0; i < n; ++i)
          values[i] = power(static_cast<T>(gamma * values[i] + coef0));
        return;
      case KernelKind::sigmoid:
        for (int64_t i = 0; i < n; ++i) {
          values[i] = std::tanh(static_cast<T>(gamma * values[i] + coef0));
        }
    }
  }

 private:
  template <class T>
  T power(T base) const {
    T result = 1;
    for (int left = degree; left > 0; left /= 2, base *= base) {
      if (left % 2 == 1) result *= base;
    }
    return result;
  }
};

}  // namespace svm
