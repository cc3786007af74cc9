#include "dual/certificate.h"

#include <algorithm>
#include <cmath>

#include "kernel/expansion.h"

namespace svm {

std::array<double, kGroups> Levels::intercepts(int groups) const {
  std::array<double, kGroups> result = {};
  for (int g = 0; g < groups; ++g) {
    if (free[g] > 0) {
      result[g] = -sum[g] / static_cast<double>(free[g]);
    } else if (extremes.up[g] == kInfinity) {
      result[g] = -extremes.down[g];
    } else if (extremes.down[g] == -kInfinity) {
      result[g] = -extremes.up[g];
    } else {
      result[g] = -(extremes.up[g] + extremes.down[g]) / 2;
    }
  }
  return result;
}

Levels levels(const Box& box, const double* beta, const double* f) {
  if (box.group.empty()) {
    const simd::VariableLevels one = simd::variable_table().levels(variables_of(box, beta, f));
    return {{{one.up, kInfinity}, {one.down, -kInfinity}}, {one.sum}, {one.free}};
  }
  Levels found{extremes(box, beta, f)};
  for (int64_t i = 0; i < box.size(); ++i) {
    if (!box.free(i, beta[i])) continue;
    found.sum[box.group_of(i)] += f[i] + box.up_offset(i, beta[i]);
    ++found.free[box.group_of(i)];
  }
  return found;
}

std::array<double, kGroups> intercepts(const Box& box, const double* beta, const double* f) {
  return levels(box, beta, f).intercepts(box.groups());
}

namespace {

// From a violation of this share of the targets' range on, the dual point says nothing about where
// the boundary is.
constexpr double kFar = 0.25;
// Halvings of an interval after which it is as good as empty.
constexpr int kHalvings = 64;

// The mean of the targets, each counted by the largest slope of its loss: at w = 0 a class is more
// likely by as much as it is more frequent.
double mean_target(const DualProblem& problem) {
  double sum = 0, all = 0;
  for (int64_t i = 0; i < problem.size(); ++i) {
    const double range = problem.box.upper[i] - problem.box.lower[i];
    const double weight = std::min(range, 1 / problem.ridge_of(i));
    sum += weight * problem.target[i], all += weight;
  }
  return sum / all;
}

// The b at which P is least: where the slopes of the losses, which fall as b grows, add up to 0.
double least_primal_intercept(const DualProblem& problem, const double* beta, const double* f) {
  const Box& box = problem.box;
  double low = kInfinity, high = -kInfinity;
  for (int64_t i = 0; i < problem.size(); ++i) {
    const double r = problem.ridge_of(i) * beta[i] - f[i];
    low = std::min(low, r - box.epsilon), high = std::max(high, r + box.epsilon);
  }
  for (int k = 0; k < kHalvings; ++k) {
    const double middle = low + (high - low) / 2;
    double slopes = 0;
    for (int64_t i = 0; i < problem.size(); ++i) {
      const double ridge = problem.ridge_of(i), r = ridge * beta[i] - f[i] - middle;
      slopes += loss_slope(r, box.lower[i], box.upper[i], box.epsilon, ridge);
    }
    if (slopes == 0) return middle;
    (slopes > 0 ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

bool far_from_optimal(const DualProblem& problem, double violation) {
  if (problem.size() == 0 || problem.box.groups() > 1 || problem.sum() != 0) return false;
  const auto [least, most] = std::ranges::minmax(problem.target);
  return violation > kFar * (most - least);
}

double primal_intercept(const DualProblem& problem, const double* beta, const double* f) {
  const bool touched = std::any_of(beta, beta + problem.size(), [](double x) { return x != 0; });
  const double b = touched ? least_primal_intercept(problem, beta, f) : mean_target(problem);
  return std::isfinite(b) ? b : 0;
}

std::array<double, kGroups> intercepts(const DualProblem& problem, const double* beta,
                                       const double* f, const Levels& own, Level level) {
  std::array<double, kGroups> found = own.intercepts(problem.box.groups());
  if (level == Level::best && far_from_optimal(problem, own.extremes.violation())) {
    found[0] = primal_intercept(problem, beta, f);
  }
  return found;
}

}  // namespace

std::array<double, kGroups> best_intercepts(const DualProblem& problem, const double* beta,
                                            const double* f) {
  return intercepts(problem, beta, f, levels(problem.box, beta, f), Level::best);
}

double loss_slope(double r, double lower, double upper, double epsilon, double ridge) {
  const double beyond = std::abs(r) - epsilon;
  if (!(beyond > 0)) return std::clamp(0.0, lower, upper);
  if (ridge == 0) return r > 0 ? upper : lower;
  return std::clamp(std::copysign(beyond / ridge, r), lower, upper);
}

VariableSums variable_sums(const DualProblem& problem, const double* beta, const double* f,
                           const std::array<double, kGroups>& intercept, double error, bool widen) {
  const Box& box = problem.box;
  VariableSums sums;
  if (box.group.empty() && problem.ridge.empty() && !widen) {
    double found[5];
    sums.support = simd::variable_table().sums(variables_of(box, beta, f), problem.target.data(),
                                               intercept[0], found);
    sums.quadratic = found[0], sums.linear = found[1], sums.difference = found[2];
    sums.size = found[3], sums.beta[0] = found[4];
    return sums;
  }
  for (int64_t i = 0; i < problem.size(); ++i) {
    const double ridge = problem.ridge_of(i), epsilon = box.epsilon;
    const double r = ridge * beta[i] - f[i] - intercept[box.group_of(i)];
    const double v = loss_slope(r, box.lower[i], box.upper[i], epsilon, ridge);
    // Adds nothing; but what is not finite has to be noticed.
    if (beta[i] == 0 && v == 0 && !widen && std::isfinite(r)) continue;
    sums.quadratic += beta[i] * (f[i] + problem.target[i]);
    sums.linear += problem.target[i] * beta[i] - epsilon * std::abs(beta[i]);
    const double gain = (v - beta[i]) * (r - ridge * (v + beta[i]) / 2) -
                        epsilon * (std::abs(v) - std::abs(beta[i]));
    sums.difference += std::max(0.0, gain);
    sums.size += std::abs(beta[i]);
    sums.beta[box.group_of(i)] += beta[i];
    if (widen) {
      const double above = loss_slope(r + error, box.lower[i], box.upper[i], epsilon, ridge);
      const double below = loss_slope(r - error, box.lower[i], box.upper[i], epsilon, ridge);
      sums.slope += std::max(std::abs(above), std::abs(below));
    }
    sums.support += beta[i] != 0;
  }
  return sums;
}

Certificate certificate_of(const VariableSums& sums, double violation,
                           const std::array<double, kGroups>& intercept,
                           const std::array<double, kGroups>& total, double error, bool widen) {
  Certificate c;
  c.violation = violation;
  c.intercept = intercept;
  c.bound = 2 * error;
  c.support = sums.support;
  const double linear = widen ? sums.linear - error * sums.size / 2 : sums.linear;
  const double difference =
      widen ? sums.difference + error * (sums.size + sums.slope) : sums.difference;
  c.dual = linear - sums.quadratic / 2;
  c.primal = c.dual + difference;
  // An overflow says nothing about the kernel.
  c.convex = !(std::isfinite(sums.quadratic) && sums.quadratic < -error * sums.size);
  const double scale = std::max(std::abs(c.primal), std::abs(c.dual));
  c.gap = difference <= 0 ? 0 : difference / scale;
  // Overflow somewhere, or sums that do not hold: nothing is known about the point.
  const double excess =
      std::max(std::abs(sums.beta[0] - total[0]), std::abs(sums.beta[1] - total[1]));
  if (!std::isfinite(c.primal) || !std::isfinite(c.dual) || !(excess <= 1e-9 * sums.size)) {
    c.gap = c.violation = kInfinity;
  }
  return c;
}

Certificate certify(const DualProblem& problem, const double* beta, const double* f, double error,
                    bool widen, Level level) {
  return certify(problem, beta, f, levels(problem.box, beta, f), error, widen, level);
}

Certificate certify(const DualProblem& problem, const double* beta, const double* f,
                    const Levels& own, double error, bool widen, Level level) {
  const std::array<double, kGroups> intercept = intercepts(problem, beta, f, own, level);
  return certificate_of(variable_sums(problem, beta, f, intercept, error, widen),
                        own.extremes.violation(), intercept, problem.total, error, widen);
}

double gradient_error(const Gram& gram, const DualProblem& problem, std::span<const double> beta,
                      int64_t additions) {
  const double roundings = static_cast<double>(additions + 4) * 0x1p-53;
  double target = std::abs(gram.offset() * problem.sum());
  for (const double t : problem.target) target = std::max(target, std::abs(t));
  for (int64_t i = 0; i < problem.size() && !problem.ridge.empty(); ++i) {
    target = std::max(target, problem.ridge[i] * std::abs(beta[i]));
  }
  const double size = norm1(beta);
  // At beta = 0 nothing has to be known about the entries.
  if (size == 0) return roundings * target;
  return size * (gram.exact_error() + roundings * gram.largest_entry()) + roundings * target;
}

int64_t chunked_additions(std::span<const double> beta) {
  const int64_t support = count_support(beta);
  return std::min(support, kCentreChunk) + support / kCentreChunk +
         (support + kMirrorRows - 1) / kMirrorRows;
}

}  // namespace svm
