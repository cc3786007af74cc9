// One of every kernel, some sums and products, and their values in 80-bit arithmetic.
#pragma once

#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "kernel/kernel.h"

namespace test {

using Long = long double;
using svm::Kernel;
using svm::KernelKind;

inline Kernel combined(KernelKind kind, std::vector<Kernel> parts, double weight = 1) {
  Kernel kernel{kind, 1, 0, 3, weight};
  kernel.parts = std::move(parts);
  return kernel;
}

inline Kernel on(Kernel kernel, std::vector<int64_t> columns) {
  kernel.columns = std::make_shared<const std::vector<int64_t>>(std::move(columns));
  return kernel;
}

// Leaves with this gamma, and combinations of them; the rows need 7 columns.
inline std::vector<Kernel> kernels(double gamma) {
  const Kernel linear{KernelKind::linear}, cosine{KernelKind::cosine},
      polynomial{KernelKind::polynomial, 0.3, 1, 5}, gaussian{KernelKind::gaussian, gamma},
      sigmoid{KernelKind::sigmoid, 0.1, -0.2}, laplacian{KernelKind::laplacian, gamma},
      chi2{KernelKind::chi2, gamma}, exponential{KernelKind::matern12, gamma},
      matern32{KernelKind::matern32, gamma}, matern52{KernelKind::matern52, gamma};
  return {
      linear,
      polynomial,
      gaussian,
      sigmoid,
      laplacian,
      chi2,
      cosine,
      exponential,
      matern32,
      matern52,
      on(gaussian, {1, 4}),
      combined(KernelKind::sum, {gaussian, linear, matern32}, 0.25),
      combined(KernelKind::product, {gaussian, polynomial, on(laplacian, {0, 2, 6})}, 3),
      combined(KernelKind::product, {gaussian, matern52, chi2}),
      on(combined(KernelKind::sum,
                  {on(cosine, {0, 1}), combined(KernelKind::product, {exponential, sigmoid})}),
         {1, 3, 5}),
  };
}

inline bool needs_positive(const Kernel& kernel) {
  bool needs = kernel.kind == KernelKind::chi2;
  for (const Kernel& part : kernel.parts) needs = needs || needs_positive(part);
  return needs;
}

// P(t) exp(-t) - 1 with P = 1 + t + third t^2, at small t as a product of two series.
inline Long matern(Long t, Long third) {
  if (t > 1) return (1 + t + third * t * t) * std::exp(-t) - 1;
  Long sum = 0, power = t, before = -1, before2 = 1;  // (-1)^k / k! at k - 1 and k - 2
  for (int k = 2; k < 40; ++k) {
    const Long now = -before / k;
    power *= t;
    sum += power * (now + before + third * before2);
    before2 = before;
    before = now;
  }
  return sum;
}

// k(a, b) less the kernel's offset.
inline Long reference(const Kernel& k, std::vector<Long> a, std::vector<Long> b) {
  if (k.columns != nullptr) {
    std::vector<Long> u, v;
    for (const int64_t column : *k.columns) u.push_back(a[column]), v.push_back(b[column]);
    a = u, b = v;
  }
  Long dot = 0, squares = 0, absolutes = 0, chi2 = 0, aa = 0, bb = 0;
  for (size_t j = 0; j < a.size(); ++j) {
    const Long d = a[j] - b[j], s = a[j] + b[j];
    dot += a[j] * b[j], aa += a[j] * a[j], bb += b[j] * b[j];
    squares += d * d, absolutes += std::abs(d), chi2 += s > 0 ? d * d / s : 0;
  }
  const Long gamma = k.gamma, argument = gamma * dot + k.coef0, t = gamma * std::sqrt(squares);
  const auto value = [&]() -> Long {
    switch (k.kind) {
      case KernelKind::linear:
        return dot;
      case KernelKind::polynomial:
        return std::pow(argument, k.degree);
      case KernelKind::sigmoid:
        return std::tanh(argument);
      case KernelKind::cosine:
        return aa > 0 && bb > 0 ? dot / std::sqrt(aa) / std::sqrt(bb) : 0;
      case KernelKind::gaussian:
        return std::expm1(-gamma * squares);
      case KernelKind::laplacian:
        return std::expm1(-gamma * absolutes);
      case KernelKind::chi2:
        return std::expm1(-gamma * chi2);
      case KernelKind::matern12:
        return std::expm1(-t);
      case KernelKind::matern32:
        return matern(t, 0);
      case KernelKind::matern52:
        return matern(t, 1 / Long(3));
      case KernelKind::sum: {
        Long sum = 0;
        for (const Kernel& part : k.parts) sum += reference(part, a, b);
        return sum;
      }
      default: {
        Long product = 0, offset = 1;
        for (const Kernel& part : k.parts) {
          const Long next = reference(part, a, b), constant = part.offset();
          product = product * next + product * constant + offset * next;
          offset *= constant;
        }
        return product;
      }
    }
  };
  return k.weight * value();
}

}  // namespace test
