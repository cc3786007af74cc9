// How large a kernel's values can be on given rows, and how wrong.
//
// A computed sum of d terms is d roundings of its size away from the true one, rows converted to
// float32 two more, and the kernel stretches that by its slope. Sums and products of kernels pass
// the bounds of their parts on.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "kernel/kernel.h"
#include "rows/points.h"

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
  bool sparse = false, wide = false;

  // The absolute ones only for kernels of absolute differences.
  Extent(const Kernel& kernel, const Points& points, std::span<const int64_t> rows)
      : sparse(points.sparse() && !points.nearly_dense()),
        wide(points.columns() >= simd::kLongRow) {
    const Measure measure = kernel.measure();
    const bool differences = measure == Measure::absolutes || measure == Measure::chi2;
    for (const int64_t i : rows) {
      squared = std::max(squared, points.squared_norm(i));
      if (differences) absolute = std::max(absolute, points.absolute_norm(i));
      entries = std::max(entries, points.entries(i));
    }
  }
};

// A type that values are computed in.
struct Precision {
  double rounding, smallest, largest;
  bool converts;  // rows given in float64 are rounded to it
};
inline constexpr Precision kExact{0x1p-53, std::numeric_limits<double>::min(),
                                  std::numeric_limits<double>::max(), false};
inline constexpr Precision kSingle{0x1p-24, std::numeric_limits<float>::min(),
                                   std::numeric_limits<float>::max(), true};

// The error of values that may be infinite or no number.
inline constexpr double kOverflow = std::numeric_limits<double>::infinity();

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
  // Infinite where a sum or a value may overflow.
  double error(const Precision& p) const {
    if (kernel_.kind == KernelKind::cosine) return 2 * d_ * p.rounding;  // lengths are sums too
    const double lost = d_ * p.smallest;  // products too small for the type
    const double sum = d_ * p.rounding * squared_ + lost;
    const double argument = d_ * p.rounding * argument_ + std::abs(kernel_.gamma) * lost + lost;
    if (!(std::max({squared_, argument_, value()}) < p.largest / 2)) return kOverflow;
    switch (kernel_.kind) {
      case KernelKind::linear:
        return sum;
      case KernelKind::polynomial:
        return (kernel_.degree + 1) *
               (std::pow(argument_, std::max(0, kernel_.degree - 1)) * argument + p.smallest);
      default:
        return argument + 12 * p.rounding;
    }
  }

 private:
  const Kernel& kernel_;
  double squared_, argument_, d_;
};

// Kernels that decay with a difference D of two rows. D has a relative error of d roundings (16
// times as many where it is a difference of norms, see panels.h and sparse_panels.h), and D times
// the slope is at most 1/2 and at most what 1 - k can reach. Entries converted to float32 move D by
// up to `shift` roundings, whatever D is. No error is above 1.
class DecayBounds {
 public:
  DecayBounds(const Kernel& kernel, const Extent& x)
      : gamma_(kernel.gamma),
        matern_(kernel.measure() == Measure::squares && kernel.kind != KernelKind::gaussian),
        size_(kernel.measure() == Measure::squares ? x.squared : x.absolute),
        d_((from_norms(kernel, x) ? 16 : 1) * (static_cast<double>(x.entries) + 6)) {
    const double t = 2 * gamma_ * std::sqrt(x.squared);
    switch (kernel.kind) {
      case KernelKind::gaussian:  // sqrt(D) times the slope is at most sqrt(gamma / 2e)
        reach_ = 4 * gamma_ * x.squared;
        shift_ = 4 * std::sqrt(gamma_ * x.squared / 2);
        break;
      case KernelKind::laplacian:
        reach_ = shift_ = 2 * gamma_ * x.absolute;
        break;
      case KernelKind::chi2:  // a term's slope is at most 3
        reach_ = 2 * gamma_ * x.absolute;
        shift_ = 6 * gamma_ * x.absolute;
        break;
      case KernelKind::matern12:
        reach_ = shift_ = t;
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
  double error(const Precision& p) const {
    const double u = p.rounding;
    double sum = d_ * u * std::min(0.5, reach_) + 24 * u * entry() + p.smallest;
    if (p.converts) sum += u * shift_;
    // Out of the type's range: terms too small for it, a sum or a gamma too large or too small.
    const double lost = d_ * p.smallest;
    sum += gamma_ * (matern_ ? std::sqrt(lost) : lost);
    if (4 * size_ > p.largest) sum += beyond(p.largest);
    if (gamma_ > p.largest) return 1;
    if (gamma_ < p.smallest) sum += entry();
    return sum < 1 ? sum : 1;
  }

 private:
  static bool from_norms(const Kernel& kernel, const Extent& x) {
    return x.sparse || (x.wide && kernel.measure() == Measure::squares);
  }

  // A bound of k where D overflowed, and k was taken for 0.
  double beyond(double largest) const {
    return matern_ ? 2 * std::exp(-gamma_ * std::sqrt(largest) / 2) : std::exp(-gamma_ * largest);
  }

  double gamma_;
  bool matern_;
  double size_, d_, reach_ = 0, shift_ = 0;
};

// The error of what has been combined: of the parts, and of its own roundings of size `size`.
inline double combined(double parts, const Precision& p, double size) {
  return parts + p.rounding * size + p.smallest;
}

inline Bounds plus(const Bounds& a, const Bounds& b) {
  const double size = a.entry + b.entry;
  return {a.value + b.value, size, combined(a.exact + b.exact, kExact, size),
          combined(a.single + b.single, kSingle, size)};
}

inline Bounds times(const Bounds& a, double a_offset, const Bounds& b, double b_offset) {
  const double value = a.value * b.value;
  const double entry = std::min(a.entry * b.value + std::abs(a_offset) * b.entry,
                                value + std::abs(a_offset * b_offset));
  const double size = a.entry * (b.entry + std::abs(b_offset)) + std::abs(a_offset) * b.entry;
  const auto parts = [&](double of_a, double of_b) {
    return a.value * of_b + b.value * of_a + of_a * of_b;
  };
  return {value, entry, combined(parts(a.exact, b.exact), kExact, 4 * size),
          combined(parts(a.single, b.single), kSingle, 4 * size)};
}

inline Bounds scaled(const Bounds& a, double weight) {
  const double w = std::abs(weight), entry = w * a.entry;
  return {w * a.value, entry, combined(w * a.exact, kExact, 2 * entry),
          combined(w * a.single, kSingle, 2 * entry)};
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
    const DotBounds dots(kernel, {kernel, points, rows});
    b = {dots.value(), dots.value(), dots.error(kExact), dots.error(kSingle)};
  } else {
    const DecayBounds decay(kernel, {kernel, points, rows});
    b = {1, decay.entry(), decay.error(kExact), decay.error(kSingle)};
  }
  if (kernel.weight != 1) b = scaled(b, kernel.weight);
  if (!(b.value + b.entry < kSingle.largest / 2)) b.single = kOverflow;
  return b;
}

}  // namespace svm
