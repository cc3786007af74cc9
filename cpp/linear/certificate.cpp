#include "linear/certificate.h"

#include <algorithm>
#include <cmath>

namespace svm::linear {

double squared_norm(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return sum;
}

double squared_distance(const std::vector<double>& u, const std::vector<double>& v) {
  double sum = 0;
  for (size_t j = 0; j < u.size(); ++j) sum += (u[j] - v[j]) * (u[j] - v[j]);
  return sum;
}

double total(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x;
  return sum;
}

Certificate judge(const Problem& problem, const std::vector<double>& w, double b,
                  const Terms& terms, const DualPoint& dual) {
  const double p = problem.intercept.present ? problem.intercept.penalty : 0;
  double difference = terms.difference + squared_distance(w, dual.w) / 2;
  Certificate result;
  result.primal = squared_norm(w) / 2 + p / 2 * b * b + terms.loss;
  result.dual = terms.dual - squared_norm(dual.w) / 2;
  if (p > 0) {
    result.dual -= dual.sum * dual.sum / (2 * p);
    difference += p / 2 * (b - dual.sum / p) * (b - dual.sum / p);
  }
  const double size = std::max(std::abs(result.primal), std::abs(result.dual));
  // Objectives that are all rounding are zero.
  result.gap = difference == 0 || size <= terms.rounding ? 0 : difference / size;
  if (!std::isfinite(result.gap)) result.gap = kInfinity;
  return result;
}

Certificate compare(const Problem& problem, const std::vector<double>& w, double b,
                    const std::vector<double>& s, const DualPoint& dual, const Workers& workers) {
  return judge(problem, w, b,
               sum_blocks<Terms>(problem.sample.size(), workers,
                                 [&](int64_t begin, int64_t end) {
                                   return problem.loss.compare(begin, end, s.data(),
                                                               dual.beta.data());
                                 }),
               dual);
}

void balance(const Problem& problem, std::vector<double>& beta) {
  if (!problem.intercept.present || problem.intercept.penalty > 0) return;
  const Loss& loss = problem.loss;
  const auto inside = [&](int64_t k) {
    return beta[k] != 0 && beta[k] > loss.lowest(k) && beta[k] < loss.highest(k);
  };
  for (int round = 0; round < 8; ++round) {
    const double rest = total(beta);
    const auto room = [&](int64_t k) {
      const double r = rest > 0 ? beta[k] - loss.lowest(k) : loss.highest(k) - beta[k];
      return std::isfinite(r) ? r : std::max(std::abs(beta[k]), problem.scale);
    };
    double free = 0, all = 0, size = 0;
    for (int64_t k = 0; k < loss.size(); ++k) {
      size += std::abs(beta[k]);
      all += room(k);
      if (inside(k)) free += room(k);
    }
    if (std::abs(rest) <= 4e-16 * size || !(all > 0)) return;
    const bool enough = std::abs(rest) <= free;
    const double share = rest / (enough ? free : all);
    for (int64_t k = 0; k < loss.size(); ++k) {
      if (enough && !inside(k)) continue;
      beta[k] = std::clamp(beta[k] - share * room(k), loss.lowest(k), loss.highest(k));
    }
  }
}

Violation violation(const Problem& problem, const DualPoint& dual,
                    const std::vector<double>& scores, const Workers& workers) {
  const Costs costs =
      sum_blocks<Costs>(problem.sample.size(), workers, [&](int64_t begin, int64_t end) {
        return problem.loss.costs(begin, end, scores.data(), dual.beta.data());
      });
  const double up = costs.up, down = costs.down;
  if (!problem.intercept.present) return {std::max({0.0, -up, down}), 0};
  if (problem.intercept.penalty > 0) {
    const double b = dual.sum / problem.intercept.penalty;
    return {std::max({0.0, -(up + b), down + b}), b};
  }
  Violation result;
  const bool both = up < kInfinity && down > -kInfinity;
  if (both) result.value = std::max(0.0, down - up);
  if (costs.free > 0) {
    result.intercept = -costs.free_sum / static_cast<double>(costs.free);
  } else if (both) {
    result.intercept = -(up + down) / 2;
  } else {
    result.intercept = up < kInfinity ? -up : -down;
  }
  return result;
}

double violation_error(const Sample& sample, const std::vector<double>& beta,
                       const Workers& workers) {
  struct Reach {
    double sum = 0, largest = 0;
    Reach& operator+=(const Reach& o) {
      sum += o.sum;
      largest = std::max(largest, o.largest);
      return *this;
    }
  };
  const auto reach = sum_blocks<Reach>(sample.size(), workers, [&](int64_t begin, int64_t end) {
    Reach part;
    for (int64_t k = begin; k < end; ++k) {
      const double norm = std::sqrt(sample.rows.squared_norm(sample.index[k]));
      part += {std::abs(beta[k]) * norm, norm};
    }
    return part;
  });
  const auto additions = static_cast<double>(combine_additions(sample) + sample.columns());
  return 2 * 0x1p-53 * additions * reach.sum * reach.largest;
}

Certificate certify(const Problem& problem, const std::vector<double>& w, double b,
                    const std::vector<double>& beta, const Workers& workers) {
  const Sample& sample = problem.sample;
  std::vector<double> s(sample.size());
  DualPoint dual{beta, {}, total(beta)};
  if (!multiply(sample, w.data(), b, s.data(), workers)) return {};
  if (!combine(sample, beta.data(), dual.w, workers)) return {};
  Certificate result = compare(problem, w, b, s, dual, workers);
  if (!multiply(sample, dual.w.data(), 0, s.data(), workers)) return {};
  const Violation found = violation(problem, dual, s, workers);
  result.violation = found.value;
  result.bound = violation_error(sample, beta, workers);
  result.intercept[0] = found.intercept;
  for (const double x : beta) result.support += x != 0;
  return result;
}

namespace {

// Other points as good as those found: the intercept that belongs to beta, where any in an interval
// is best, and weights scaled up where rounding has left margins a hair below 1, which a large C
// would make expensive. And no beta at all is better than one with a negative objective.
void improve(const Problem& problem, Solution& solution, const Workers& workers) {
  const auto try_point = [&](double factor, double b) {
    std::vector<double> w = solution.w;
    for (double& x : w) x *= factor;
    const Certificate found = certify(problem, w, b, solution.beta, workers);
    if (found.gap > std::max(solution.certificate.gap, 1e-14)) return;
    solution.certificate = found;
    solution.w = std::move(w);
    solution.intercept = b;
  };
  if (solution.certificate.dual < 0) {
    std::fill(solution.beta.begin(), solution.beta.end(), 0.0);
    solution.certificate = certify(problem, solution.w, solution.intercept, solution.beta, workers);
  }
  const Tube* tube = dynamic_cast<const Tube*>(&problem.loss);
  if (tube == nullptr || !tube->kinked()) return;
  if (problem.intercept.present && problem.intercept.penalty == 0) {
    try_point(1, solution.certificate.intercept[0]);
  }
  for (const double hair : {1e-15, 1e-12, 1e-9}) {
    if (solution.certificate.gap > 1e-12) try_point(1 + hair, solution.intercept * (1 + hair));
  }
}

}  // namespace

void conclude(const Problem& problem, const Settings& settings, Status status,
              const Monitor& monitor, Trace& trace, Solution& solution) {
  const double before = monitor.seconds();
  Monitor quiet;
  balance(problem, solution.beta);
  solution.certificate =
      certify(problem, solution.w, solution.intercept, solution.beta, {settings.threads, quiet});
  // On large problems these would take as long as a step, for digits nobody asked for.
  if (problem.sample.stored() <= kSmallEntries) {
    improve(problem, solution, {settings.threads, quiet});
  }
  const Certificate& found = solution.certificate;
  const bool good =
      found.gap <= settings.tol_gap && found.violation + found.bound <= settings.tol_violation;
  if (good) status = Status::optimal;
  solution.status = !good && status == Status::optimal ? Status::precision : status;
  solution.seconds = monitor.seconds();
  solution.certificate_seconds = solution.seconds - before;
  trace.finish(found, solution.steps);
  solution.trace = trace.take();
}

}  // namespace svm::linear
