// How large a kernel's values can be on given rows, and how wrong.
//
// A computed sum of d terms is d roundings of its size away from the true one, rows converted to
// float32 two more, and the kernel stretches that by its slope. Sums and products of kernels pass
// the bounds of their parts on.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>

#include "svm/kernel.h"
#include "svm/points.h"

namespace svm {

struct Bounds {
  double value = 0;   // of |k|
  double entry = 0;   // of |k - offset|, what is computed and stored
  double exact = 0;   // of the error of an entry computed in float64
  double single = 0;  // and in float32
};

// The largest of what the rows of a view have.
struct Extent {
  double squared = 0, absolute = 0;  // norms
  int64_t entries = 0;
  bool sparse = false;

  Extent(const Points& points, std::span<const int64_t> rows) : sparse(points.sparse()) {
    for (const int64_t i : rows) {
      squared = std::max(squared, points.squared_norm(i));
      absolute = std::max(absolute, points.absolute_norm(i));
      entries = std::max(entries, points.entries(i));
    }
  }
};

// Kernels of dot products.
class DotBounds {
 public:
  DotBounds(const Kernel& kernel, const Extent& x)
      : kernel_(kernel),
        squared_(x.squared),
        argument_(std::abs(kernel.gamma) * x.squared + std::abs(kernel.coef0)),
        d_(static_cast<double>(x.entries) + 6) {}

  double value() const {
    switch (kernel_.kind) {
      case KernelKind::linear:
        return squared_;
      case KernelKind::polynomial:
        return std::pow(argument_, kernel_.degree);
      default:
        return 1;
    }
  }
  double error(double u) const {
    switch (kernel_.kind) {
      case KernelKind::linear:
        return d_ * u * squared_;
      case KernelKind::polynomial:
        return (kernel_.degree + 1) * d_ * u * value();
      case KernelKind::sigmoid:
        return d_ * u * argument_ + 12 * u;
      default:  // the cosine: lengths are sums too
        return 2 * d_ * u;
    }
  }

 private:
  const Kernel& kernel_;
  double squared_, argument_, d_;
};

// Kernels that decay with a difference D of two rows. D has a relative error of d roundings (16
// times as many where it is a difference of norms, see panels.h), and D times the slope is at most
// 1/2 and at most what 1 - k can reach. Entries converted to float32 move D by up to `shift`
// roundings, whatever D is.
class DecayBounds {
 public:
  DecayBounds(const Kernel& kernel, const Extent& x)
      : d_((x.sparse ? 16 : 1) * (static_cast<double>(x.entries) + 6)) {
    const double gamma = kernel.gamma, t = 2 * gamma * std::sqrt(x.squared);
    switch (kernel.kind) {
      case KernelKind::gaussian:  // sqrt(D) times the slope is at most sqrt(gamma / 2e)
        reach_ = 4 * gamma * x.squared;
        shift_ = 4 * std::sqrt(gamma * x.squared / 2);
        break;
      case KernelKind::laplacian:
        reach_ = 2 * gamma * x.absolute;
        shift_ = 2 * gamma * x.absolute;
        break;
      case KernelKind::chi2:  // a term's slope is at most 3
        reach_ = 2 * gamma * x.absolute;
        shift_ = 6 * gamma * x.absolute;
        break;
      case KernelKind::matern12:
        reach_ = t;
        shift_ = t;
        break;
      case KernelKind::matern32:
        reach_ = t * t / 2;
        shift_ = t;
        break;
      default:
        reach_ = t * t / 6;
        shift_ = t;
    }
  }

  double entry() const { return std::min(1.0, reach_); }
  double error(double u, bool converted) const {
    const double rounding = d_ * u * std::min(0.5, reach_) + 24 * u * entry();
    return std::min(1.0, rounding + (converted ? u * shift_ : 0));
  }

 private:
  double d_, reach_ = 0, shift_ = 0;
};

constexpr double kSingleRounding = 0x1p-24, kExactRounding = 0x1p-53;

inline Bounds times(const Bounds& a, double a_offset, const Bounds& b, double b_offset) {
  const double entry = a.entry * b.value + std::abs(a_offset) * b.entry;
  const double size = a.entry * (b.entry + std::abs(b_offset)) + std::abs(a_offset) * b.entry;
  const auto error = [&](double of_a, double of_b, double u) {
    return a.value * of_b + b.value * of_a + of_a * of_b + 4 * u * size;
  };
  return {a.value * b.value, std::min(entry, a.value * b.value + std::abs(a_offset * b_offset)),
          error(a.exact, b.exact, kExactRounding), error(a.single, b.single, kSingleRounding)};
}

inline Bounds plus(const Bounds& a, const Bounds& b) {
  const double size = a.entry + b.entry;
  return {a.value + b.value, size, a.exact + b.exact + kExactRounding * size,
          a.single + b.single + kSingleRounding * size};
}

// Bounds of a kernel on some rows of data.
inline Bounds bound(const Kernel& kernel, const Points& points, std::span<const int64_t> rows) {
  if (kernel.columns != nullptr) {
    Kernel inner = kernel;
    inner.columns = nullptr;
    return bound(inner, *points.choose(*kernel.columns), rows);
  }
  Bounds b;
  if (kernel.kind == KernelKind::sum || kernel.kind == KernelKind::product) {
    double offset = kernel.parts[0].offset();
    b = bound(kernel.parts[0], points, rows);
    for (size_t p = 1; p < kernel.parts.size(); ++p) {
      const Kernel& part = kernel.parts[p];
      const Bounds next = bound(part, points, rows);
      b = kernel.kind == KernelKind::sum ? plus(b, next) : times(b, offset, next, part.offset());
      offset *= part.offset();
    }
  } else if (kernel.measure() == Measure::dots) {
    const DotBounds dots(kernel, {points, rows});
    b = {dots.value(), dots.value(), dots.error(kExactRounding), dots.error(kSingleRounding)};
  } else {
    const DecayBounds decay(kernel, {points, rows});
    b = {1, decay.entry(), decay.error(kExactRounding, false), decay.error(kSingleRounding, true)};
  }
  const double w = std::abs(kernel.weight);
  if (w == 1) return b;
  return {w * b.value, w * b.entry, w * (b.exact + 2 * kExactRounding * b.entry),
          w * (b.single + 2 * kSingleRounding * b.entry)};
}

}  // namespace svm
