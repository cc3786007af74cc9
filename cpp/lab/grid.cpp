// Decision values on a lattice of the plane.
//
// Kernels that are a product over the features, k(x, z) = e_1(x_1, z_1) e_2(x_2, z_2), have a
// factor per column and one per row of the lattice:
//
//   f(r, c) = b + sum_i (coef_i e_2(y_r, z_i2)) e_1(x_c, z_i1)
//
// so that an exponential is taken (rows + columns) n times instead of rows * columns * n. Polynomials
// need no more than a few products for each value. The other kernels are the core's to expand.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "lab/data.h"
#include "lab/lab.h"
#include "lab/message.h"

namespace {

// What a kernel sums over the features, of one of them.
double distance(svm::KernelKind kind, double x, double z) {
  const double difference = std::abs(x - z);
  switch (kind) {
    case svm::KernelKind::laplacian:
      return difference;
    case svm::KernelKind::chi2:
      return difference > 0 ? difference * difference / (x + z) : 0;
    default:
      return difference * difference;
  }
}

bool factors(svm::KernelKind kind) {
  return kind == svm::KernelKind::gaussian || kind == svm::KernelKind::laplacian ||
         kind == svm::KernelKind::chi2;
}

struct Axis {
  double first, last;
  int32_t count;

  double operator[](int32_t k) const {
    return count > 1 ? first + (last - first) * k / (count - 1) : first;
  }
};

void product(const double* x, const double* coef, int32_t n, const svm::Kernel& kernel,
             double intercept, const Axis& across, const Axis& up, float* out) {
  const auto factor = [&](double at, double centre) {
    return std::exp(-kernel.gamma * distance(kernel.kind, at, centre));
  };
  std::vector<double> columns(static_cast<size_t>(n) * across.count), sum(across.count);
  for (int32_t i = 0; i < n; ++i) {
    for (int32_t c = 0; c < across.count; ++c) {
      columns[static_cast<size_t>(i) * across.count + c] = factor(across[c], x[2 * i]);
    }
  }
  for (int32_t r = 0; r < up.count; ++r) {
    std::ranges::fill(sum, intercept);
    for (int32_t i = 0; i < n; ++i) {
      const double share = coef[i] * factor(up[r], x[2 * i + 1]);
      if (std::abs(share) < 1e-300) continue;
      const double* column = columns.data() + static_cast<size_t>(i) * across.count;
      for (int32_t c = 0; c < across.count; ++c) sum[c] += share * column[c];
    }
    out = std::ranges::transform(sum, out, [](double v) { return static_cast<float>(v); }).out;
  }
}

bool multiplies(const svm::Kernel& kernel) {
  return kernel.kind == svm::KernelKind::linear || kernel.kind == svm::KernelKind::polynomial;
}

void powers(const double* x, const double* coef, int32_t n, const svm::Kernel& kernel,
            double intercept, const Axis& across, const Axis& up, float* out) {
  const bool linear = kernel.kind == svm::KernelKind::linear;
  const double gamma = linear ? 1 : kernel.gamma, coef0 = linear ? 0 : kernel.coef0;
  const int degree = linear ? 1 : kernel.degree;
  std::vector<double> sum(across.count), base(across.count), power(across.count);
  for (int32_t r = 0; r < up.count; ++r) {
    std::ranges::fill(sum, intercept);
    for (int32_t i = 0; i < n; ++i) {
      const double own = gamma * up[r] * x[2 * i + 1] + coef0, slope = gamma * x[2 * i];
      for (int32_t c = 0; c < across.count; ++c) base[c] = slope * across[c] + own;
      std::ranges::fill(power, coef[i]);
      for (int k = 0; k < degree; ++k) {
        for (int32_t c = 0; c < across.count; ++c) power[c] *= base[c];
      }
      for (int32_t c = 0; c < across.count; ++c) sum[c] += power[c];
    }
    out = std::ranges::transform(sum, out, [](double v) { return static_cast<float>(v); }).out;
  }
}

// By the core's expansion, in float64.
void expand(const double* x, const double* coef, int32_t n, const double* kernel, double intercept,
            const Axis& across, const Axis& up, float* out) {
  const int32_t size = across.count * up.count;
  std::vector<double> points, values(size);
  points.reserve(2 * static_cast<size_t>(size));
  for (int32_t r = 0; r < up.count; ++r) {
    for (int32_t c = 0; c < across.count; ++c) {
      points.push_back(across[c]);
      points.push_back(up[r]);
    }
  }
  if (lab_decision(x, coef, n, 2, kernel, intercept, points.data(), size, values.data()) != 0) {
    throw std::runtime_error(lab_message());
  }
  std::ranges::transform(values, out, [](double v) { return static_cast<float>(v); });
}

}  // namespace

int lab_grid(const double* x, const double* coef, int32_t n, const double* kernel, double intercept,
             double x0, double x1, int32_t columns, double y0, double y1, int32_t rows,
             float* out) {
  const Axis across{x0, x1, columns}, up{y0, y1, rows};
  return lab::guarded([&] {
    const svm::Kernel known = lab::kernel_of(kernel);
    if (factors(known.kind)) {
      product(x, coef, n, known, intercept, across, up, out);
    } else if (multiplies(known)) {
      powers(x, coef, n, known, intercept, across, up, out);
    } else {
      expand(x, coef, n, kernel, intercept, across, up, out);
    }
  });
}
