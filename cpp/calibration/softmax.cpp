#include "calibration/softmax.h"

#include <algorithm>
#include <cmath>

#include "calibration/system.h"

namespace svm {

void Softmax::operator()(const double* outputs, double* out) const {
  const int64_t k = classes();
  double largest = slope[0] * outputs[0] + offset[0];
  for (int64_t c = 0; c < k; ++c) {
    out[c] = slope[c] * outputs[c] + offset[c];
    largest = std::max(largest, out[c]);
  }
  double sum = 0;
  for (int64_t c = 0; c < k; ++c) sum += out[c] = std::exp(out[c] - largest);
  for (int64_t c = 0; c < k; ++c) out[c] /= sum;
}

namespace {

constexpr int kMostSteps = 100;
constexpr int kMostHalvings = 60;
constexpr double kRounding = 1e-12, kSufficient = 1e-4;  // as in sigmoid.cpp
// No class is impossible.
constexpr double kLeast = 1e-300;
// A common constant of all offsets changes nothing: this share of the curvature holds them.
constexpr double kRidge = 1e-9;

// Newton steps on the parameters a_1..a_k, b_1..b_k. Targets are Platt's: a row of a class of n rows
// has (n + 1) / (n + 2) in its class, and the others share the rest.
class Fit {
 public:
  Fit(std::span<const double> outputs, std::span<const int64_t> code,
      std::span<const double> weight, int64_t classes)
      : outputs_(outputs), code_(code), weight_(weight), k_(classes), count_(classes, 0.0) {
    for (size_t i = 0; i < code.size(); ++i) count_[code[i]] += weight[i];
    softmax_.slope.assign(k_, 0.0);
    for (const double n : count_) softmax_.offset.push_back(std::log(n + 1));
    fixed_.assign(k_, false);
  }

  // A slope that would be negative stays zero.
  Softmax run() {
    for (bool again = true; again;) {
      minimise();
      again = false;
      for (int64_t c = 0; c < k_; ++c) {
        if (softmax_.slope[c] >= 0) continue;
        softmax_.slope[c] = 0;
        fixed_[c] = again = true;
      }
    }
    return std::move(softmax_);
  }

 private:
  double target(size_t i, int64_t c) const {
    const double rest = 1 / (count_[code_[i]] + 2);
    return c == code_[i] ? 1 - rest : rest / static_cast<double>(k_ - 1);
  }

  double loss(const Softmax& at) const {
    std::vector<double> p(k_);
    double sum = 0;
    for (size_t i = 0; i < code_.size(); ++i) {
      at(&outputs_[i * k_], p.data());
      for (int64_t c = 0; c < k_; ++c) {
        sum -= weight_[i] * target(i, c) * std::log(std::max(p[c], kLeast));
      }
    }
    return sum;
  }

  // The gradient g, and the curvature H = sum_i w_i J_i' (diag(p) - p p') J_i.
  void derive() {
    const int64_t m = 2 * k_;
    gradient_.assign(m, 0.0);
    curvature_.assign(m * m, 0.0);
    std::vector<double> p(k_), weighed(m);
    for (size_t i = 0; i < code_.size(); ++i) {
      const double* f = &outputs_[i * k_];
      const double w = weight_[i];
      softmax_(f, p.data());
      for (int64_t c = 0; c < k_; ++c) {
        const double first = w * (p[c] - target(i, c)), second = w * p[c];
        gradient_[c] += first * f[c];
        gradient_[k_ + c] += first;
        curvature_[c * m + c] += second * f[c] * f[c];
        curvature_[c * m + k_ + c] += second * f[c];
        curvature_[(k_ + c) * m + k_ + c] += second;
        weighed[c] = p[c] * f[c];
        weighed[k_ + c] = p[c];
      }
      for (int64_t r = 0; r < m; ++r) {
        const double factor = w * weighed[r];
        for (int64_t c = r; c < m; ++c) curvature_[r * m + c] -= factor * weighed[c];
      }
    }
    for (int64_t r = 0; r < m; ++r) {
      for (int64_t c = 0; c < r; ++c) curvature_[r * m + c] = curvature_[c * m + r];
    }
    double scale = 0;
    for (int64_t r = 0; r < m; ++r) scale = std::max(scale, curvature_[r * m + r]);
    for (int64_t r = 0; r < m; ++r) curvature_[r * m + r] += kRidge * scale;
    for (int64_t c = 0; c < k_; ++c) {
      if (!fixed_[c]) continue;
      gradient_[c] = 0;
      for (int64_t r = 0; r < m; ++r) curvature_[c * m + r] = curvature_[r * m + c] = 0;
      curvature_[c * m + c] = 1;
    }
  }

  Softmax moved(double length) const {
    Softmax next = softmax_;
    for (int64_t c = 0; c < k_; ++c) {
      next.slope[c] -= length * step_[c];
      next.offset[c] -= length * step_[k_ + c];
    }
    return next;
  }

  void minimise() {
    double value = loss(softmax_);
    for (int step = 0; step < kMostSteps; ++step) {
      derive();
      step_ = gradient_;
      solve_system(curvature_, step_);
      double promise = 0;
      for (int64_t r = 0; r < 2 * k_; ++r) promise += step_[r] * gradient_[r];
      if (!(promise > kRounding * value)) return;
      double length = 1, found = value;
      for (int halving = 0; halving < kMostHalvings; ++halving, length /= 2) {
        found = loss(moved(length));
        if (found < value - kSufficient * length * promise) break;
      }
      if (!(found < value)) return;
      softmax_ = moved(length);
      value = found;
    }
  }

  std::span<const double> outputs_;
  std::span<const int64_t> code_;
  std::span<const double> weight_;
  int64_t k_;
  std::vector<double> count_;
  std::vector<bool> fixed_;  // slopes that stay zero
  Softmax softmax_;
  std::vector<double> gradient_, curvature_, step_;
};

}  // namespace

Softmax fit_softmax(std::span<const double> outputs, std::span<const int64_t> code,
                    std::span<const double> weight, int64_t classes) {
  return Fit(outputs, code, weight, classes).run();
}

}  // namespace svm
