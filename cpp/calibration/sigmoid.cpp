#include "calibration/sigmoid.h"

#include <algorithm>

namespace svm {
namespace {

constexpr int kMostSteps = 100;
constexpr int kMostHalvings = 60;
// Steps that promise less than this share of the loss are rounding.
constexpr double kRounding = 1e-14;
// Added to the curvature, as a share of it: scores that are all the same have none along the slope.
constexpr double kRidge = 1e-12;
// A step is as long as it lowers the loss by this share of what its slope promises.
constexpr double kSufficient = 1e-4;

// The rows with Platt's targets, which keep the sigmoid finite where scores separate the signs:
//   (n+ + 1) / (n+ + 2) of the positive rows, 1 / (n- + 2) of the others, n+ and n- sums of weights.
struct Targets {
  std::span<const double> score, sign, weight;
  double positive, negative;  // n+, n-
  double high, low;

  Targets(std::span<const double> score, std::span<const double> sign,
          std::span<const double> weight)
      : score(score), sign(sign), weight(weight), positive(0), negative(0) {
    for (size_t i = 0; i < score.size(); ++i) (sign[i] > 0 ? positive : negative) += weight[i];
    high = (positive + 1) / (positive + 2);
    low = 1 / (negative + 2);
  }
  double operator()(size_t i) const { return sign[i] > 0 ? high : low; }
};

// The loss sum_i w_i (t_i z_i + log(1 + exp(-z_i))), z_i = A f_i + B, with its derivatives:
//   by z_i  w_i (t_i - P_i),  twice  w_i P_i (1 - P_i).
struct Derivatives {
  double a = 0, b = 0, aa = 0, ab = 0, bb = 0;
};

double loss(const Targets& rows, const Sigmoid& at) {
  double sum = 0;
  for (size_t i = 0; i < rows.score.size(); ++i) {
    const double z = at.slope * rows.score[i] + at.offset;
    sum += rows.weight[i] * (rows(i) * z + std::max(-z, 0.0) + std::log1p(std::exp(-std::abs(z))));
  }
  return sum;
}

Derivatives derive(const Targets& rows, const Sigmoid& at) {
  Derivatives d;
  for (size_t i = 0; i < rows.score.size(); ++i) {
    const double f = rows.score[i], p = at(f);
    const double first = rows.weight[i] * (rows(i) - p), second = rows.weight[i] * p * (1 - p);
    d.a += first * f;
    d.b += first;
    d.aa += second * f * f;
    d.ab += second * f;
    d.bb += second;
  }
  return d;
}

}  // namespace

Sigmoid fit_sigmoid(std::span<const double> score, std::span<const double> sign,
                    std::span<const double> weight) {
  const Targets rows(score, sign, weight);
  const Sigmoid prior{0, std::log((rows.negative + 1) / (rows.positive + 1))};
  Sigmoid best = prior;
  double value = loss(rows, best);
  for (int step = 0; step < kMostSteps; ++step) {
    const Derivatives d = derive(rows, best);
    const double aa = d.aa * (1 + kRidge), bb = d.bb * (1 + kRidge);
    const double determinant = aa * bb - d.ab * d.ab;
    if (!(determinant > 0)) break;
    const double a = (d.ab * d.b - bb * d.a) / determinant;
    const double b = (d.ab * d.a - aa * d.b) / determinant;
    const double promise = -(a * d.a + b * d.b);
    if (!(promise > kRounding * value)) break;
    Sigmoid next = best;
    double found = value, length = 1;
    for (int halving = 0; halving < kMostHalvings; ++halving, length /= 2) {
      next = {best.slope + length * a, best.offset + length * b};
      found = loss(rows, next);
      if (found < value - kSufficient * length * promise) break;
    }
    if (!(found < value)) break;
    best = next;
    value = found;
  }
  return best.slope <= 0 ? best : prior;
}

}  // namespace svm
