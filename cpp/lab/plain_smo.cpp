#include "lab/plain_smo.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace lab {
namespace {

// Curvatures below this share of the entries are rounding, or negative: the step is the longest.
constexpr double kFlat = 1e-14;
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

}  // namespace

PlainSmo::PlainSmo(const svm::DualProblem& problem, std::span<const double> K, int64_t rows,
                   PairRule rule, std::vector<double> beta)
    : problem_(problem),
      K_(K),
      rows_(rows),
      rule_(rule),
      beta_(std::move(beta)),
      f_(problem.size()),
      scores_(problem.size(), kNone) {
  for (int64_t i = 0; i < problem.size(); ++i) {
    f_[i] = problem.ridge_of(i) * beta_[i] - problem.target[i];
    for (int64_t j = 0; j < problem.size(); ++j) {
      if (beta_[j] != 0) f_[i] += entry(i, j) * beta_[j];
    }
  }
}

double PlainSmo::violation() const {
  return svm::extremes(problem_.box, beta_.data(), f_.data()).violation();
}

double PlainSmo::curvature(int64_t i, int64_t j) const {
  const double diagonal = entry(i, i) + entry(j, j);
  const double a = diagonal - 2 * entry(i, j) + problem_.ridge_of(i) + problem_.ridge_of(j);
  return std::max(a, kFlat * diagonal);
}

int64_t PlainSmo::first_of_pair() const {
  const svm::Extremes e = svm::extremes(problem_.box, beta_.data(), f_.data());
  const int group = e.violation(1) > e.violation(0) ? 1 : 0;
  int64_t best = -1;
  for (int64_t i = 0; i < problem_.size(); ++i) {
    if (problem_.box.group_of(i) != group) continue;
    if (best < 0 || up_cost(i) < up_cost(best)) best = i;
  }
  return best;
}

int64_t PlainSmo::partner(int64_t up) {
  int64_t best = -1;
  for (int64_t j = 0; j < problem_.size(); ++j) {
    scores_[j] = kNone;
    const double v = down_cost(j) - up_cost(up);
    if (problem_.box.group_of(j) != problem_.box.group_of(up) || !(v > 0)) continue;
    scores_[j] = rule_ == PairRule::first_order ? v : v * v / (2 * curvature(up, j));
    if (best < 0 || scores_[j] > scores_[best]) best = j;
  }
  return best;
}

void PlainSmo::move(int64_t i, double to) {
  const double change = to - beta_[i];
  beta_[i] = to;
  for (int64_t j = 0; j < problem_.size(); ++j) f_[j] += change * entry(i, j);
  f_[i] += change * problem_.ridge_of(i);
}

std::optional<PairStep> PlainSmo::advance(double tol) {
  if (!(violation() > tol)) return {};
  const svm::Box& box = problem_.box;
  PairStep s;
  s.up = first_of_pair();
  s.down = partner(s.up);
  s.violation = down_cost(s.down) - up_cost(s.up);
  s.curvature = curvature(s.up, s.down);
  s.free = s.violation / s.curvature;
  const double rise = box.up_end(s.up, beta_[s.up]) - beta_[s.up];
  const double fall = beta_[s.down] - box.down_end(s.down, beta_[s.down]);
  s.room = std::min(rise, fall);
  s.step = std::min(s.free, s.room);
  s.up_clipped = s.step == rise, s.down_clipped = s.step == fall;
  s.gain = s.violation * s.step - s.curvature * s.step * s.step / 2;
  // At a bound exactly, not to rounding.
  move(s.up, s.up_clipped ? box.up_end(s.up, beta_[s.up]) : beta_[s.up] + s.step);
  move(s.down, s.down_clipped ? box.down_end(s.down, beta_[s.down]) : beta_[s.down] - s.step);
  return s;
}

std::vector<double> first_point(const svm::DualProblem& problem) {
  std::vector<double> beta(problem.size(), 0.0);
  std::array<double, svm::kGroups> left = problem.total;
  for (int64_t i = 0; i < problem.size(); ++i) {
    double& rest = left[problem.box.group_of(i)];
    if (rest == 0) continue;
    beta[i] = std::clamp(rest, problem.box.lower[i], problem.box.upper[i]);
    rest -= beta[i];
  }
  return beta;
}

}  // namespace lab
