#include "dual/interior.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "dual/cholesky.h"

namespace svm {
namespace {

class Interior {
 public:
  Interior(const StoredMatrix<double>& K, double offset, const Box& box,
           std::span<const double> constant, std::span<const double> beta, const Workers& workers)
      : K_(K),
        offset_(offset),
        box_(box),
        constant_(constant),
        workers_(workers),
        cholesky_(K.size()) {
    for (int64_t i = 0; i < K.size(); ++i) total_[box.group_of(i)] += beta[i];
    begin(beta);
  }

  std::optional<std::vector<double>> run() {
    const Stopwatch watch(workers_.monitor.work.newton_seconds);
    std::vector<Part> best;
    double lowest = kInfinity;
    for (int stale = 0; stale < kPatience; ++stale) {
      update();
      const double now = complementarity(), distance = now + imbalance();
      if (!(distance <= kDivergence * lowest)) break;
      if (distance <= 0.5 * lowest) {
        stale = 0;
        lowest = distance;
        best = parts_;
      }
      if (now <= kSmallestGap * objective()) break;
      if (!factorise()) return std::nullopt;
      Step step = solve(0, nullptr);
      const double left = complementarity(step, std::min(1.0, longest(step))) / now;
      step = solve(left * left * left * now / ends_, &step);
      advance(step, std::min(1.0, kToBoundary * longest(step)));
    }
    parts_.swap(best);
    return rounded();
  }

 private:
  static constexpr int kPatience = 8;            // steps that do not halve the products
  static constexpr double kSmallestGap = 1e-13;  // of the objective
  static constexpr double kDivergence = 100;     // times the lowest: rounding has the upper hand
  static constexpr double kToBoundary = 0.995;   // of the way to where a variable would be zero
  static constexpr double kZero = 1e-300;        // a diagonal below it is none
  // K is not positive semidefinite where a pivot is below minus the first share of its size. One
  // that is below the second is rounding, and replaced by an infinite one.
  static constexpr double kPivotRounding = 1e-6, kSmallestPivot = 1e-15, kInfinitePivot = 1e100;

  struct Part {
    int64_t variable;
    double sign, cost, width;
    double p = 0, q = 0, z = 0, t = 0;
    bool bounded() const { return width < kInfinity; }
    double stiffness() const { return z / p + (bounded() ? t / q : 0); }
  };
  struct Step {
    std::vector<double> p, z, t;  // of the parts
    std::array<double, kGroups> b = {};
  };

  // The middle of each part, or a plain size where there is none, and multipliers that balance the
  // gradient there.
  void begin(std::span<const double> beta) {
    double size = 0, diagonal = 0;
    for (int64_t i = 0; i < K_.size(); ++i) {
      size = std::max({size, std::abs(beta[i])});
      diagonal = std::max(diagonal, K_.row(i)[i] + offset_);
      add_parts(i);
    }
    if (size == 0) size = 1 / std::max(diagonal, kZero);
    for (Part& part : parts_) {
      part.p = part.bounded() ? part.width / 2 : size;
      part.q = part.bounded() ? part.width / 2 : 1;
      ends_ += part.bounded() ? 2 : 1;
    }
    update();
    for (int g = 0; g < box_.groups(); ++g) b_[g] = -middle(g);
    double mean = 0;
    for (const Part& part : parts_) mean += std::abs(slope(part)) / parts_.size();
    for (Part& part : parts_) {
      const double s = slope(part);
      part.z = std::max(s, 0.0) + mean;
      part.t = part.bounded() ? std::max(-s, 0.0) + mean : 0;
    }
  }

  void add_parts(int64_t i) {
    const double low = box_.lower[i], high = box_.upper[i];
    base_.push_back(low == high ? low : 0);
    if (low == high) return;
    if (box_.epsilon == 0 && std::isfinite(low)) {
      base_.back() = low;
      parts_.push_back({i, 1, 0, high - low});
      return;
    }
    if (high > 0) parts_.push_back({i, 1, box_.epsilon, high});
    if (low < 0) parts_.push_back({i, -1, box_.epsilon, -low});
  }

  // beta and f of the present parts.
  void update() {
    beta_ = base_;
    for (const Part& part : parts_) beta_[part.variable] += part.sign * part.p;
    f_.assign(constant_.begin(), constant_.end());
    K_.multiply_add(beta_.data(), f_.data(), workers_.threads);
  }

  // The median gradient of a group.
  double middle(int g) const {
    std::vector<double> values;
    for (const Part& part : parts_) {
      if (box_.group_of(part.variable) == g) values.push_back(f_[part.variable]);
    }
    if (values.empty()) return 0;
    const auto half = values.begin() + static_cast<int64_t>(values.size() / 2);
    std::nth_element(values.begin(), half, values.end());
    return *half;
  }

  double slope(const Part& part) const {
    return part.sign * (f_[part.variable] + b_[box_.group_of(part.variable)]) + part.cost;
  }

  // Sum of z p + t q, at the end of a step of some length.
  double complementarity(const Step& step, double length) const {
    double sum = 0;
    for (size_t k = 0; k < parts_.size(); ++k) {
      const Part& part = parts_[k];
      sum += (part.z + length * step.z[k]) * (part.p + length * step.p[k]);
      if (part.bounded()) sum += (part.t + length * step.t[k]) * (part.q - length * step.p[k]);
    }
    return sum;
  }
  double complementarity() const {
    double sum = 0;
    for (const Part& part : parts_) sum += part.z * part.p + part.t * part.q;
    return sum;
  }

  // By how much the gradients are not balanced, in units of the objective.
  double imbalance() const {
    double sum = 0;
    for (const Part& part : parts_) {
      sum += std::abs(part.z - part.t - slope(part)) * part.p;
    }
    return sum;
  }

  double objective() const {
    double sum = 0;
    for (int64_t i = 0; i < K_.size(); ++i) {
      sum += beta_[i] * (f_[i] + constant_[i]) / 2 + box_.epsilon * std::abs(beta_[i]);
    }
    return std::abs(sum);
  }

  // The factor of K + offset + D over the variables that have parts.
  bool factorise() {
    softness_.assign(K_.size(), 0.0);
    for (const Part& part : parts_) softness_[part.variable] += 1 / part.stiffness();
    variables_.clear();
    for (int64_t i = 0; i < K_.size(); ++i) {
      if (softness_[i] > 0) variables_.push_back(i);
    }
    cholesky_.clear();
    bool positive = true;
    const bool complete = cholesky_.append(
        static_cast<int64_t>(variables_.size()), workers_,
        [&](int64_t r, int64_t begin, int64_t end, double* out) {
          const double* row = K_.row(variables_[r]);
          for (int64_t c = begin; c < end; ++c) *out++ = row[variables_[c]] + offset_;
        },
        [&](int64_t r, double rest) {
          const int64_t i = variables_[r];
          const double size = K_.row(i)[i] + offset_ + 1 / softness_[i], pivot = size - rest;
          positive &= pivot > -kPivotRounding * size;
          // An infinite pivot leaves the variable where it is this time.
          return pivot > kSmallestPivot * size ? pivot : kInfinitePivot * size;
        });
    if (!complete || !positive) return false;
    // The inverse of that times A', and A times both.
    sums_ = {};
    for (int g = 0; g < box_.groups(); ++g) {
      std::vector<double> member(variables_.size());
      for (size_t k = 0; k < member.size(); ++k) member[k] = box_.group_of(variables_[k]) == g;
      columns_[g] = solve_factor(std::move(member));
      for (size_t k = 0; k < variables_.size(); ++k) {
        sums_[box_.group_of(variables_[k])][g] += columns_[g][k];
      }
    }
    return true;
  }

  std::vector<double> solve_factor(std::vector<double> y) const {
    cholesky_.forward_substitute(y);
    cholesky_.back_substitute(y);
    return y;
  }

  // Towards products of `aim`; `predicted` is a first step, whose own products are taken off.
  Step solve(double aim, const Step* predicted) const {
    const size_t count = parts_.size(), m = variables_.size();
    std::vector<double> rz(count), rt(count), rest(count), h(K_.size(), 0.0);
    for (size_t k = 0; k < count; ++k) {
      const Part& part = parts_[k];
      rz[k] = aim - part.z * part.p - (predicted ? predicted->p[k] * predicted->z[k] : 0);
      if (part.bounded()) {
        rt[k] = aim - part.t * part.q + (predicted ? predicted->p[k] * predicted->t[k] : 0);
      }
      rest[k] = part.z - part.t - slope(part) + rz[k] / part.p - rt[k] / part.q;
      h[part.variable] += part.sign * rest[k] / part.stiffness();
    }
    std::vector<double> right(m);
    for (size_t k = 0; k < m; ++k) right[k] = h[variables_[k]] / softness_[variables_[k]];
    const auto [change, b] = solve_system(std::move(right));
    Step step{std::vector<double>(count), std::vector<double>(count), std::vector<double>(count),
              b};
    std::vector<double> pull(K_.size());
    for (size_t k = 0; k < m; ++k) {
      pull[variables_[k]] = (h[variables_[k]] - change[k]) / softness_[variables_[k]];
    }
    for (size_t k = 0; k < count; ++k) {
      const Part& part = parts_[k];
      step.p[k] = (rest[k] - part.sign * pull[part.variable]) / part.stiffness();
      step.z[k] = (rz[k] - part.z * step.p[k]) / part.p;
      step.t[k] = part.bounded() ? (rt[k] + part.t * step.p[k]) / part.q : 0;
    }
    return step;
  }

  struct Change {
    std::vector<double> beta;  // of variables_
    std::array<double, kGroups> b = {};
  };

  // (K + D) beta + A'b = right, A beta = total - A beta_. The offset times the sum of beta, which
  // is known, goes from one side to the other as a part of b.
  Change solve_system(std::vector<double> right) const {
    const size_t m = variables_.size();
    Change change{solve_factor(std::move(right))};
    std::array<double, kGroups> missing = total_;
    for (int64_t i = 0; i < K_.size(); ++i) missing[box_.group_of(i)] -= beta_[i];
    const double shift = offset_ * (missing[0] + missing[1]);
    for (size_t k = 0; k < m; ++k) missing[box_.group_of(variables_[k])] -= change.beta[k];
    const auto& S = sums_;
    if (box_.groups() == 1) {
      change.b[0] = S[0][0] > 0 ? -missing[0] / S[0][0] : 0;
    } else if (const double det = S[0][0] * S[1][1] - S[0][1] * S[1][0]; det > 0) {
      change.b[0] = -(S[1][1] * missing[0] - S[0][1] * missing[1]) / det;
      change.b[1] = -(S[0][0] * missing[1] - S[1][0] * missing[0]) / det;
    }
    for (int g = 0; g < box_.groups(); ++g) {
      for (size_t k = 0; k < m; ++k) change.beta[k] -= change.b[g] * columns_[g][k];
      change.b[g] += shift;
    }
    return change;
  }

  // The longest multiple of the step that keeps all positive.
  double longest(const Step& step) const {
    double length = kInfinity;
    const auto limit = [&length](double x, double change) {
      if (change < 0) length = std::min(length, -x / change);
    };
    for (size_t k = 0; k < parts_.size(); ++k) {
      limit(parts_[k].p, step.p[k]);
      limit(parts_[k].z, step.z[k]);
      if (!parts_[k].bounded()) continue;
      limit(parts_[k].q, -step.p[k]);
      limit(parts_[k].t, step.t[k]);
    }
    return length;
  }

  void advance(const Step& step, double length) {
    for (size_t k = 0; k < parts_.size(); ++k) {
      Part& part = parts_[k];
      part.p += length * step.p[k];
      part.z += length * step.z[k];
      if (!part.bounded()) continue;
      part.q -= length * step.p[k];
      part.t += length * step.t[k];
    }
    for (int g = 0; g < kGroups; ++g) b_[g] += length * step.b[g];
  }

  // A variable is at an end where it is nearer to it, against its size, than the multiplier is to
  // zero. What that takes from the sums goes to the variable with most room.
  std::optional<std::vector<double>> rounded() {
    double size = 0, force = 0;
    for (const Part& part : parts_) {
      size = std::max(size, std::min(part.p, part.bounded() ? part.q : kInfinity));
      force = std::max({force, part.z, part.t});
    }
    std::vector<double> beta = base_;
    std::array<double, kGroups> missing = total_, room = {};
    std::array<int64_t, kGroups> widest = {-1, -1};
    for (const Part& part : parts_) {
      double value = part.p;
      if (part.p * force < part.z * size) value = 0;
      if (part.bounded() && part.q * force < part.t * size) value = part.width;
      beta[part.variable] += part.sign * value;
    }
    for (int64_t i = 0; i < K_.size(); ++i) {
      beta[i] = std::clamp(beta[i], box_.lower[i], box_.upper[i]);
      const int g = box_.group_of(i);
      missing[g] -= beta[i];
      const double inside = std::min(beta[i] - box_.lower[i], box_.upper[i] - beta[i]);
      if (inside > room[g]) room[g] = inside, widest[g] = i;
    }
    for (int g = 0; g < box_.groups(); ++g) {
      if (std::abs(missing[g]) > room[g]) return std::nullopt;
      if (widest[g] >= 0) beta[widest[g]] += missing[g];
    }
    if (workers_.monitor.stopped()) return std::nullopt;
    return beta;
  }

  const StoredMatrix<double>& K_;
  double offset_;
  const Box& box_;
  std::span<const double> constant_;
  const Workers& workers_;
  Cholesky cholesky_;
  std::vector<Part> parts_;
  std::vector<double> base_, beta_, f_, softness_;
  std::vector<int64_t> variables_;
  std::array<std::vector<double>, kGroups> columns_;
  std::array<std::array<double, kGroups>, kGroups> sums_ = {};
  std::array<double, kGroups> total_ = {}, b_ = {};
  int64_t ends_ = 0;
};

}  // namespace

std::optional<std::vector<double>> interior_point(const StoredMatrix<double>& K, double offset,
                                                  const Box& box, std::span<const double> constant,
                                                  std::span<const double> beta,
                                                  const Workers& workers) {
  return Interior(K, offset, box, constant, beta, workers).run();
}

}  // namespace svm
