// Losses of one score f against a label y in {-1, +1} (through the margin z = y f) or a real target
// y (through the residual r = f - y): the value, and the derivative in f that a step takes.
//
//   hinge          max(0, 1 - z)          perceptron           max(0, width - z)
//   squared hinge  max(0, 1 - z)^2        epsilon-insensitive  max(0, |r| - width)
//   logistic       log(1 + exp(-z))       its square           max(0, |r| - width)^2
//                                         Huber                r^2 / 2 up to width, then a line
#pragma once

#include <algorithm>
#include <cmath>

namespace svm::stream {

enum class LossKind {
  hinge,
  squared_hinge,
  logistic,
  perceptron,
  epsilon_insensitive,
  squared_epsilon_insensitive,
  huber,
};

struct Hinge {
  double value(double f, double y) const { return std::max(0.0, 1 - y * f); }
  double slope(double f, double y) const { return y * f < 1 ? -y : 0; }
};

struct SquaredHinge {
  double value(double f, double y) const {
    const double slack = std::max(0.0, 1 - y * f);
    return slack * slack;
  }
  double slope(double f, double y) const { return -2 * y * std::max(0.0, 1 - y * f); }
};

struct Logistic {
  // exp of a negative number only, so that nothing overflows.
  double value(double f, double y) const {
    const double z = y * f;
    return std::max(0.0, -z) + std::log1p(std::exp(-std::abs(z)));
  }
  double slope(double f, double y) const {
    const double z = y * f, small = std::exp(-std::abs(z));
    return -y * (z > 0 ? small : 1) / (1 + small);
  }
};

// A score on the threshold is a mistake: otherwise w = 0 would never move.
struct Perceptron {
  double width;
  double value(double f, double y) const { return std::max(0.0, width - y * f); }
  double slope(double f, double y) const { return y * f <= width ? -y : 0; }
};

struct EpsilonInsensitive {
  double width;
  double value(double f, double y) const { return std::max(0.0, std::abs(f - y) - width); }
  double slope(double f, double y) const {
    const double r = f - y;
    return std::abs(r) > width ? std::copysign(1.0, r) : 0;
  }
};

struct SquaredEpsilonInsensitive {
  double width;
  double value(double f, double y) const {
    const double outside = std::max(0.0, std::abs(f - y) - width);
    return outside * outside;
  }
  double slope(double f, double y) const {
    const double r = f - y;
    return std::copysign(2 * std::max(0.0, std::abs(r) - width), r);
  }
};

struct Huber {
  double width;
  double value(double f, double y) const {
    const double size = std::abs(f - y), inside = std::min(size, width);
    return inside * inside / 2 + width * (size - inside);
  }
  double slope(double f, double y) const { return std::clamp(f - y, -width, width); }
};

// Calls visit with the loss of this kind: the choice is made once, not for every score.
template <class Visit>
auto with_loss(LossKind kind, double width, Visit&& visit) {
  switch (kind) {
    case LossKind::hinge:
      return visit(Hinge{});
    case LossKind::squared_hinge:
      return visit(SquaredHinge{});
    case LossKind::logistic:
      return visit(Logistic{});
    case LossKind::perceptron:
      return visit(Perceptron{width});
    case LossKind::epsilon_insensitive:
      return visit(EpsilonInsensitive{width});
    case LossKind::squared_epsilon_insensitive:
      return visit(SquaredEpsilonInsensitive{width});
    default:
      return visit(Huber{width});
  }
}

}  // namespace svm::stream
