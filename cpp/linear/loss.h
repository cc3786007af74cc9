// Losses h_k(s) of a score s = w'x_k + b, in blocks of rows, and what is dual to them.
//
// The dual variable of a row is beta = -h'(s), signed as in dual/dual.h: with r = t - s,
//
//   tube      beta = clip(shrink(r, epsilon) / ridge, lower, upper)
//             h*(-beta) = -t beta + epsilon |beta| + ridge beta^2 / 2  inside the box
//   logistic  beta = y C / (1 + exp(y s))
//             h*(-beta) = C (a log a + (1 - a) log(1 - a)),  a = y beta / C
//
// where shrink(r, epsilon) = sign(r) max(0, |r| - epsilon). The tube is every piecewise quadratic
// loss of a support vector machine: hinge and epsilon-insensitive (ridge 0), their squares (no
// bound), Huber (both). With ridge 0 the loss has kinks; it is then smoothed around a centre, the
// proximal step of the dual: beta maximises -h*(-beta) - s beta - (beta - centre)^2 / (2 sigma).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "simd/rows.h"

namespace svm::linear {

// How the derivative along a direction has changed since beta, -sum (beta_k(s + step delta) -
// beta_k) delta_k, and its own derivative.
struct Slope {
  double first = 0, second = 0;
  Slope& operator+=(const Slope& o) {
    first += o.first;
    second += o.second;
    return *this;
  }
};

// Sums over rows at scores s and dual variables beta, without any smoothing. `difference` is the
// sum of h(s) + h*(-beta) + s beta, whose terms are never negative.
struct Terms {
  double loss = 0, dual = 0, difference = 0;
  double rounding = 0;  // what the rounding of the scores can do to the loss
  Terms& operator+=(const Terms& o) {
    rounding += o.rounding;
    loss += o.loss;
    dual += o.dual;
    difference += o.difference;
    return *this;
  }
};

// The cheapest way up, the most expensive way back down, and the sum of costs of rows where both
// are the same: what the violation of beta is made of (certificate.h).
struct Costs {
  double up = std::numeric_limits<double>::infinity(), down = -up;
  double free_sum = 0;
  int64_t free = 0;
  Costs& operator+=(const Costs& o) {
    up = std::min(up, o.up);
    down = std::max(down, o.down);
    free_sum += o.free_sum;
    free += o.free;
    return *this;
  }
};

// What a dual variable costs to move up and gives back when it moves down, as in Costs, and its term
// of P - D.
struct Ways {
  double up, down, difference;
};

// Slopes that a quadratic model foresees at s + delta, beta - factor * curvature * delta, clipped
// to their intervals: beta and what clipping has changed.
struct Foreseen {
  const double *beta, *curvature, *delta;
  double factor;
  double *next, *clipped;
};

class Loss {
 public:
  virtual ~Loss() = default;
  virtual int64_t size() const = 0;
  // Whether curvatures are constant where they are not zero.
  virtual bool quadratic() const = 0;
  // beta and curvature of the (smoothed) loss at the scores of rows begin .. end - 1, and the terms
  // of that beta. Curvatures are divided by factor().
  virtual Terms slopes(int64_t begin, int64_t end, const double* s, double* beta,
                       double* curvature) const = 0;
  virtual double factor() const { return 1; }
  virtual Slope along(int64_t begin, int64_t end, const double* s, const double* beta,
                      const double* delta, double step) const = 0;
  virtual Terms compare(int64_t begin, int64_t end, const double* s, const double* beta) const = 0;
  // Ways beta can go, as costs at scores s: moving up costs up_cost, moving down gives back
  // down_cost; infinite where it cannot move.
  virtual Costs costs(int64_t begin, int64_t end, const double* s, const double* beta) const = 0;
  virtual void foresee(int64_t begin, int64_t end, const Foreseen& rows) const = 0;
  // What errors of the scores can do to the sum of h_k(s) + h_k*(-beta) + s beta. The derivative of
  // that is beta - beta_k(s), which is monotone: at one end of the interval of scores it is largest.
  virtual double rounding(int64_t begin, int64_t end, const double* s, const double* beta,
                          const double* errors) const = 0;
  // The interval beta_k may be in.
  virtual double lowest(int64_t k) const = 0;
  virtual double highest(int64_t k) const = 0;
  // The losses of some rows, each times a factor.
  virtual std::unique_ptr<Loss> part(std::span<const int64_t> which, double factor) const = 0;

 protected:
  static std::vector<double> taken(std::span<const double> values, std::span<const int64_t> which,
                                   double factor) {
    std::vector<double> part;
    if (values.empty()) return part;
    part.reserve(which.size());
    for (const int64_t k : which) part.push_back(factor * values[k]);
    return part;
  }

  // Loops over rows of one kind of loss, L.
  template <class L>
  static Costs costs_of(const L& loss, int64_t begin, int64_t end, const double* s,
                        const double* beta) {
    Costs sum;
    for (int64_t k = begin; k < end; ++k) {
      const double up = loss.up_cost(k, s[k], beta[k]), down = loss.down_cost(k, s[k], beta[k]);
      sum.up = std::min(sum.up, up);
      sum.down = std::max(sum.down, down);
      if (up == down) sum.free_sum += up, ++sum.free;
    }
    return sum;
  }
  template <class L>
  static void foresee_of(const L& loss, int64_t begin, int64_t end, const Foreseen& rows) {
    for (int64_t k = begin; k < end; ++k) {
      const double beta = rows.beta[k] - rows.factor * rows.curvature[k] * rows.delta[k];
      rows.next[k] = std::clamp(beta, loss.L::lowest(k), loss.L::highest(k));
      rows.clipped[k] = rows.next[k] - beta;
    }
  }
};

class Tube : public Loss {
 public:
  // An empty ridge is zero for all.
  Tube(std::span<const double> target, std::span<const double> lower, std::span<const double> upper,
       std::span<const double> ridge, double epsilon)
      : target_(target), lower_(lower), upper_(upper), ridge_(ridge), epsilon_(epsilon) {}

  int64_t size() const override { return static_cast<int64_t>(target_.size()); }
  bool quadratic() const override { return true; }
  bool kinked() const { return ridge_.empty(); }
  std::span<const double> target() const { return target_; }
  double epsilon() const { return epsilon_; }
  double ridge(int64_t k) const { return ridge_.empty() ? 0 : ridge_[k]; }

  void smooth(double sigma, const double* centre) { sigma_ = sigma, centre_ = centre; }

  double factor() const override { return kinked() ? sigma_ : 1; }

  Terms slopes(int64_t begin, int64_t end, const double* s, double* beta,
               double* curvature) const override {
    double terms[3];
    simd::row_table().tube_slopes(rows(begin), end - begin, s + begin, beta + begin,
                                  curvature + begin, terms);
    return {terms[0], terms[1], terms[2], 0};
  }

  Slope along(int64_t begin, int64_t end, const double* s, const double* beta, const double* delta,
              double step) const override {
    double sums[2];
    simd::row_table().tube_along(rows(begin), end - begin, s + begin, beta + begin, delta + begin,
                                 step, sums);
    return {-sums[0], sums[1]};
  }

  Terms compare(int64_t begin, int64_t end, const double* s, const double* beta) const override {
    double terms[4];
    simd::row_table().tube_compare(rows(begin), end - begin, s + begin, beta + begin, terms);
    return {terms[0], terms[1], terms[2], terms[3]};
  }

  // Whether there is no loss at a score, nor a slope.
  bool idle(int64_t k, double s) const {
    const double r = target_[k] - s, bound = r > 0 ? upper_[k] : lower_[k];
    return (std::abs(r) <= epsilon_) | (bound == 0);
  }

  // The ways of one variable. Few of its comparisons go the same way twice in coordinate descent, so
  // that they are choices between numbers, not branches.
  Ways ways(int64_t k, double s, double beta) const {
    const double lower = lower_[k], upper = upper_[k];
    const double r = target_[k] - s, q = ridge(k), slope = q * beta - r;
    double up = slope, down = slope, e = r, conjugate = q * beta * beta / 2;
    if (epsilon_ > 0) {
      up += beta >= 0 ? epsilon_ : -epsilon_;
      down += beta > 0 ? epsilon_ : -epsilon_;
      e = shrink(r);
      conjugate += epsilon_ * std::abs(beta);
    }
    double loss = 0;
    if (kinked()) {
      loss = std::max(e * lower, e * upper);
    } else {
      const double own = std::clamp(e / q, lower, upper);
      loss = e * own - q * own * own / 2;
    }
    return {beta < upper ? up : kNowhere, beta > lower ? down : -kNowhere,
            std::max(0.0, loss + conjugate - r * beta)};
  }

  double rounding(int64_t begin, int64_t end, const double* s, const double* beta,
                  const double* errors) const override {
    return simd::row_table().tube_rounding(rows(begin), end - begin, s + begin, beta + begin,
                                           errors + begin);
  }

  // The beta in the middle of the jump that is nearest to a score.
  double middle(int64_t k, double s) const {
    if (epsilon_ == 0) return (lower_[k] + upper_[k]) / 2;
    return (s < target_[k] ? upper_[k] : lower_[k]) / 2;
  }

  // The sum of beta over rows at scores s + b, without any smoothing.
  double pull(int64_t begin, int64_t end, const double* s, double b) const {
    double sum = 0;
    for (int64_t k = begin; k < end; ++k) sum += best(k, shrink(target_[k] - s[k] - b));
    return sum;
  }

  double up_cost(int64_t k, double s, double beta) const { return ways(k, s, beta).up; }
  double down_cost(int64_t k, double s, double beta) const { return ways(k, s, beta).down; }
  Costs costs(int64_t begin, int64_t end, const double* s, const double* beta) const override {
    return costs_of(*this, begin, end, s, beta);
  }
  void foresee(int64_t begin, int64_t end, const Foreseen& rows) const override {
    foresee_of(*this, begin, end, rows);
  }
  double lowest(int64_t k) const final { return lower_[k]; }
  double highest(int64_t k) const final { return upper_[k]; }

  std::unique_ptr<Loss> part(std::span<const int64_t> which, double factor) const override {
    struct Kept {
      std::vector<double> target, lower, upper, ridge;
    };
    struct Part : Kept, Tube {
      Part(Kept kept, double epsilon)
          : Kept(std::move(kept)),
            Tube(Kept::target, Kept::lower, Kept::upper, Kept::ridge, epsilon) {}
    };
    return std::make_unique<Part>(
        Kept{taken(target_, which, 1), taken(lower_, which, factor), taken(upper_, which, factor),
             taken(ridge_, which, 1 / factor)},
        epsilon_);
  }

 private:
  simd::TubeRows rows(int64_t begin) const {
    return {target_.data() + begin,
            lower_.data() + begin,
            upper_.data() + begin,
            centre_ == nullptr ? nullptr : centre_ + begin,
            kinked() ? nullptr : ridge_.data() + begin,
            sigma_,
            epsilon_};
  }

  static constexpr double kNowhere = std::numeric_limits<double>::infinity();

  double shrink(double r) const {
    return r > epsilon_ ? r - epsilon_ : (r < -epsilon_ ? r + epsilon_ : 0);
  }
  // The beta of the loss itself where shrink(r, epsilon) = e.
  double best(int64_t k, double e) const {
    if (e == 0) return 0;
    if (kinked()) return e > 0 ? upper_[k] : lower_[k];
    return std::clamp(e / ridge_[k], lower_[k], upper_[k]);
  }

  std::span<const double> target_, lower_, upper_, ridge_;
  double epsilon_;
  double sigma_ = 1;
  const double* centre_ = nullptr;
};

class Logistic : public Loss {
 public:
  // Labels y of -1 and +1, and the C of each row.
  Logistic(std::span<const double> y, std::span<const double> C) : y_(y), C_(C) {}

  int64_t size() const override { return static_cast<int64_t>(y_.size()); }
  bool quadratic() const override { return false; }

  // The difference is zero at the beta of the loss itself, so the conjugate needs no logarithm.
  Terms slopes(int64_t begin, int64_t end, const double* s, double* beta,
               double* curvature) const override {
    Terms sum;
    for (int64_t k = begin; k < end; ++k) {
      const double z = y_[k] * s[k], e = std::exp(-std::abs(z));
      const double share = (z > 0 ? e : 1) / (1 + e);
      beta[k] = y_[k] * C_[k] * share;
      curvature[k] = C_[k] * e / ((1 + e) * (1 + e));
      const double loss = C_[k] * (std::log1p(e) + std::max(0.0, -z));
      sum.loss += loss;
      sum.dual += loss + s[k] * beta[k];
    }
    return sum;
  }

  Slope along(int64_t begin, int64_t end, const double* s, const double* beta, const double* delta,
              double step) const override {
    double sums[2];
    simd::row_table().logistic_along(y_.data() + begin, C_.data() + begin, end - begin, s + begin,
                                     beta + begin, delta + begin, step, sums);
    return {-sums[0], sums[1]};
  }

  Terms compare(int64_t begin, int64_t end, const double* s, const double* beta) const override {
    Terms sum;
    for (int64_t k = begin; k < end; ++k) {
      const double z = y_[k] * s[k], a = y_[k] * beta[k] / C_[k];
      const double loss = C_[k] * (std::log1p(std::exp(-std::abs(z))) + std::max(0.0, -z));
      const double conjugate = C_[k] * (entropy(a) + entropy(1 - a));
      sum.loss += loss;
      sum.dual -= conjugate;
      sum.difference += std::max(0.0, loss + conjugate + C_[k] * a * z);
    }
    return sum;
  }

  double rounding(int64_t begin, int64_t end, const double* s, const double* beta,
                  const double* errors) const override {
    double sum = 0;
    for (int64_t k = begin; k < end; ++k) {
      const auto distance = [&](double score) {
        return std::abs(beta[k] - y_[k] * C_[k] / (1 + std::exp(y_[k] * score)));
      };
      sum += errors[k] * std::max(distance(s[k] - errors[k]), distance(s[k] + errors[k]));
    }
    return sum;
  }

  // The derivative of s beta + h*(-beta). beta is inside its interval but where it underflows, and
  // stays.
  double up_cost(int64_t k, double s, double beta) const {
    const double a = y_[k] * beta / C_[k];
    return a > 0 && a < 1 ? s + y_[k] * (std::log(a) - std::log1p(-a))
                          : std::numeric_limits<double>::infinity();
  }
  double down_cost(int64_t k, double s, double beta) const {
    const double a = y_[k] * beta / C_[k];
    return a > 0 && a < 1 ? s + y_[k] * (std::log(a) - std::log1p(-a))
                          : -std::numeric_limits<double>::infinity();
  }
  Costs costs(int64_t begin, int64_t end, const double* s, const double* beta) const override {
    return costs_of(*this, begin, end, s, beta);
  }
  void foresee(int64_t begin, int64_t end, const Foreseen& rows) const override {
    foresee_of(*this, begin, end, rows);
  }
  double lowest(int64_t k) const override { return std::min(0.0, y_[k] * C_[k]); }
  double highest(int64_t k) const override { return std::max(0.0, y_[k] * C_[k]); }

  std::unique_ptr<Loss> part(std::span<const int64_t> which, double factor) const override {
    struct Kept {
      std::vector<double> y, C;
    };
    struct Part : Kept, Logistic {
      explicit Part(Kept kept) : Kept(std::move(kept)), Logistic(Kept::y, Kept::C) {}
    };
    return std::make_unique<Part>(Kept{taken(y_, which, 1), taken(C_, which, factor)});
  }

 private:
  static double entropy(double a) { return a > 0 ? a * std::log(a) : 0; }

  std::span<const double> y_, C_;
};

}  // namespace svm::linear
