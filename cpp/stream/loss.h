// Losses h of one number u: the margin u = y f for labels y in {-1, +1}, or the residual u = f - y
// for real targets y. Value, slope (a subgradient) and conjugate h*(s) = sup_u s u - h(u).
//
//   hinge          max(0, 1 - u)          perceptron           max(0, width - u)
//   squared hinge  max(0, 1 - u)^2        epsilon-insensitive  max(0, |u| - width)
//   logistic       log(1 + exp(-u))       its square           max(0, |u| - width)^2
//   modified       the squared hinge, a   Huber                u^2 / 2 up to width, then a line
//   Huber          line from -1 down      squared error        u^2 / 2
#pragma once

#include <algorithm>
#include <cmath>

namespace svm::stream {

enum class LossKind {
  hinge,
  squared_hinge,
  logistic,
  modified_huber,
  perceptron,
  epsilon_insensitive,
  squared_epsilon_insensitive,
  huber,
  squared_error,
};

// How a loss sees a score f and a target y: u, du/df, and the part of u that f has no share in.
struct OfMargin {
  static double argument(double f, double y) { return y * f; }
  static double inner(double y) { return y; }
  static double offset(double) { return 0; }
};

struct OfResidual {
  static double argument(double f, double y) { return f - y; }
  static double inner(double) { return 1; }
  static double offset(double y) { return -y; }
};

// With width 1 the hinge, with width 0 the perceptron's loss. A score on the threshold of the
// latter is a mistake: otherwise w = 0 would never move.
template <bool kClosed>
struct Ramp : OfMargin {
  static constexpr bool kKink = true;
  double width;
  explicit Ramp(double width) : width(width) {}
  double value(double u) const { return std::max(0.0, width - u); }
  double slope(double u) const { return (kClosed ? u <= width : u < width) ? -1 : 0; }
  double conjugate(double s) const { return width * s; }
};

struct SquaredHinge : OfMargin {
  static constexpr bool kKink = false;
  double value(double u) const {
    const double slack = std::max(0.0, 1 - u);
    return slack * slack;
  }
  double slope(double u) const { return -2 * std::max(0.0, 1 - u); }
  double conjugate(double s) const { return s + s * s / 4; }
};

// The squared hinge with slopes of at least -4: below u = -1 the line that continues it.
struct ModifiedHuber : OfMargin {
  static constexpr bool kKink = false;
  double value(double u) const {
    const double slack = std::clamp(1 - u, 0.0, 2.0);
    return slack * slack + 4 * std::max(0.0, -1 - u);
  }
  double slope(double u) const { return -2 * std::clamp(1 - u, 0.0, 2.0); }
  double conjugate(double s) const { return s + s * s / 4; }
};

// exp of a negative number only, so that nothing overflows.
struct Logistic : OfMargin {
  static constexpr bool kKink = false;
  double value(double u) const { return std::max(0.0, -u) + std::log1p(std::exp(-std::abs(u))); }
  double slope(double u) const {
    const double small = std::exp(-std::abs(u));
    return -(u > 0 ? small : 1) / (1 + small);
  }
  double conjugate(double s) const {
    const double p = std::clamp(-s, 0.0, 1.0);
    return (p > 0 ? p * std::log(p) : 0) + (p < 1 ? (1 - p) * std::log1p(-p) : 0);
  }
};

struct EpsilonInsensitive : OfResidual {
  static constexpr bool kKink = true;
  double width;
  explicit EpsilonInsensitive(double width) : width(width) {}
  double value(double u) const { return std::max(0.0, std::abs(u) - width); }
  double slope(double u) const { return std::abs(u) > width ? std::copysign(1.0, u) : 0; }
  double conjugate(double s) const { return width * std::abs(s); }
};

struct SquaredEpsilonInsensitive : OfResidual {
  static constexpr bool kKink = false;
  double width;
  explicit SquaredEpsilonInsensitive(double width) : width(width) {}
  double value(double u) const {
    const double outside = std::max(0.0, std::abs(u) - width);
    return outside * outside;
  }
  double slope(double u) const { return std::copysign(2 * std::max(0.0, std::abs(u) - width), u); }
  double conjugate(double s) const { return width * std::abs(s) + s * s / 4; }
};

struct Huber : OfResidual {
  static constexpr bool kKink = false;
  double width;
  explicit Huber(double width) : width(width) {}
  double value(double u) const {
    const double size = std::abs(u), inside = std::min(size, width);
    return inside * inside / 2 + width * (size - inside);
  }
  double slope(double u) const { return std::clamp(u, -width, width); }
  double conjugate(double s) const { return s * s / 2; }
};

struct SquaredError : OfResidual {
  static constexpr bool kKink = false;
  double value(double u) const { return u * u / 2; }
  double slope(double u) const { return u; }
  double conjugate(double s) const { return s * s / 2; }
};

// Calls visit with the loss of this kind: the choice is made once, not for every score.
template <class Visit>
auto with_loss(LossKind kind, double width, Visit&& visit) {
  switch (kind) {
    case LossKind::hinge:
      return visit(Ramp<false>(1));
    case LossKind::squared_hinge:
      return visit(SquaredHinge{});
    case LossKind::logistic:
      return visit(Logistic{});
    case LossKind::modified_huber:
      return visit(ModifiedHuber{});
    case LossKind::perceptron:
      return visit(Ramp<true>(width));
    case LossKind::epsilon_insensitive:
      return visit(EpsilonInsensitive(width));
    case LossKind::squared_epsilon_insensitive:
      return visit(SquaredEpsilonInsensitive(width));
    case LossKind::squared_error:
      return visit(SquaredError{});
    default:
      return visit(Huber(width));
  }
}

}  // namespace svm::stream
