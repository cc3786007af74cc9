// Kernels as functions of one sum over the features of two rows, and their sums and products.
//
//   of <x, z>       linear       <x, z>
//                   cosine       <x, z> / (|x| |z|)
//                   polynomial   (gamma <x, z> + coef0)^degree
//                   sigmoid      tanh(gamma <x, z> + coef0)
//   of |x - z|^2    gaussian     exp(-gamma |x - z|^2)
//                   matern       P(t) exp(-t),  t = gamma |x - z|
//   of |x - z|_1    laplacian    exp(-gamma |x - z|_1)
//   of chi2(x, z)   chi2         exp(-gamma chi2),  chi2 = sum_k (x_k - z_k)^2 / (x_k + z_k)
//
// Kernels that decay from 1 are computed as k - 1: on a fixed sum of the dual variables a constant
// in the kernel only shifts the intercept, and k - 1 keeps its relative precision when gamma is
// tiny. offset() is what has to be added back; sums and products carry it along.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <vector>

#include "simd/table.h"

namespace svm {

enum class KernelKind {
  linear,
  polynomial,
  gaussian,
  sigmoid,
  laplacian,
  chi2,
  cosine,
  matern12,  // P = 1
  matern32,  // P = 1 + t
  matern52,  // P = 1 + t + t^2 / 3
  sum,
  product,
};

// The sum over the features that a kernel is a function of.
enum class Measure { dots, squares, absolutes, chi2 };

struct Kernel {
  KernelKind kind = KernelKind::linear;
  double gamma = 1;
  double coef0 = 0;
  int degree = 3;
  double weight = 1;            // what the whole is multiplied by
  std::vector<Kernel> parts{};  // of a sum or a product
  // The columns it sees, ascending; all of them where there is no list.
  std::shared_ptr<const std::vector<int64_t>> columns{};
  // Only the sum over the features, before any function of it.
  bool bare = false;

  Measure measure() const {
    switch (kind) {
      case KernelKind::gaussian:
      case KernelKind::matern12:
      case KernelKind::matern32:
      case KernelKind::matern52:
        return Measure::squares;
      case KernelKind::laplacian:
        return Measure::absolutes;
      case KernelKind::chi2:
        return Measure::chi2;
      default:
        return Measure::dots;
    }
  }

  // Whether it or a part of it sees some columns only.
  bool chooses() const {
    const auto chosen = [](const Kernel& part) { return part.chooses(); };
    return columns != nullptr || std::any_of(parts.begin(), parts.end(), chosen);
  }

  double offset() const {
    double constant = 0;
    if (kind == KernelKind::sum) {
      for (const Kernel& part : parts) constant += part.offset();
    } else if (kind == KernelKind::product) {
      constant = 1;
      for (const Kernel& part : parts) constant *= part.offset();
    } else if (measure() != Measure::dots && !bare) {
      constant = 1;
    }
    return weight * constant;
  }

  // From the sums over features to values less offset(), in place; not for sums and products.
  template <class T>
  void apply(T* values, int64_t n) const {
    if (bare) return;
    const simd::Loops<T>& loops = simd::table().loops<T>();
    switch (kind) {
      case KernelKind::polynomial:
        loops.power(values, n, narrow<T>(gamma), narrow<T>(coef0), degree);
        break;
      case KernelKind::sigmoid:
        loops.tanh(values, n, narrow<T>(gamma), narrow<T>(coef0));
        break;
      case KernelKind::gaussian:
      case KernelKind::laplacian:
      case KernelKind::chi2:
        loops.decay(values, n, narrow<T>(gamma));
        break;
      case KernelKind::matern12:
        loops.matern12(values, n, narrow<T>(gamma));
        break;
      case KernelKind::matern32:
        loops.matern32(values, n, narrow<T>(gamma));
        break;
      case KernelKind::matern52:
        loops.matern52(values, n, narrow<T>(gamma));
        break;
      default:
        break;
    }
    if (weight != 1) loops.scale(values, n, narrow<T>(weight));
  }

  // Whether both are functions of the same sums.
  bool same_sums(const Kernel& other) const {
    const auto plain = [](const Kernel& k) {
      return k.parts.empty() && k.columns == nullptr && k.kind != KernelKind::cosine;
    };
    return plain(*this) && plain(other) && measure() == other.measure();
  }

  // Refuses a kernel that cannot be evaluated on rows of this many columns.
  void check(int64_t available) const {
    if (columns != nullptr) {
      int64_t last = -1;
      for (const int64_t column : *columns) {
        if (column <= last || column >= available) {
          throw std::invalid_argument("a kernel's columns must be ascending columns of the data");
        }
        last = column;
      }
      available = static_cast<int64_t>(columns->size());
    }
    const bool composed = kind == KernelKind::sum || kind == KernelKind::product;
    if (composed && parts.empty()) throw std::invalid_argument("a sum or product has no parts");
    for (const Kernel& part : parts) part.check(available);
  }

  // A number in type T, kept finite: an infinite gamma times a distance of zero is no number.
  template <class T>
  static T narrow(double value) {
    constexpr double kLargest = std::numeric_limits<T>::max();
    if (value > kLargest) return static_cast<T>(kLargest);
    if (value < -kLargest) return static_cast<T>(-kLargest);
    return static_cast<T>(value);
  }
};

}  // namespace svm
