#include "linear/certificate.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "linear/local_rows.h"

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

namespace {

// Squares of weights can be zero where the weights are not.
bool all_zero(const std::vector<double>& w) {
  return std::all_of(w.begin(), w.end(), [](double x) { return x == 0; });
}

}  // namespace

Certificate judge(const Intercept& intercept, const std::vector<double>& w, double b,
                  const Terms& terms, const std::vector<double>& dual_w, double dual_sum) {
  const double p = intercept.present ? intercept.penalty : 0;
  double difference = terms.difference + squared_distance(w, dual_w) / 2;
  Certificate result;
  result.primal = squared_norm(w) / 2 + p / 2 * b * b + terms.loss;
  result.dual = terms.dual - squared_norm(dual_w) / 2;
  if (p > 0) {
    result.dual -= dual_sum * dual_sum / (2 * p);
    difference += p / 2 * (b - dual_sum / p) * (b - dual_sum / p);
  }
  const double size = std::max(std::abs(result.primal), std::abs(result.dual));
  // A constant that leaves nothing but rounding is optimal. Weights are not: where rows are large
  // they are small, and their share of the objective is far below the rounding of the losses.
  const bool constant = size <= terms.rounding && all_zero(w);
  result.gap = difference == 0 || constant ? 0 : difference / size;
  if (!std::isfinite(result.gap)) result.gap = kInfinity;
  return result;
}

Certificate compare(const Problem& problem, const std::vector<double>& w, double b,
                    const std::vector<double>& s, const DualPoint& dual, const Workers& workers) {
  return judge(problem.intercept, w, b, terms_of(problem, s, dual.beta, workers), dual.w, dual.sum);
}

namespace {

// `rows` tells the sum and the rooms of some dual variables, and shifts them.
template <class Rows>
bool balance_sums(Rows& rows, const Intercept& intercept) {
  if (!intercept.free()) return false;
  bool moved = false;
  for (int round = 0; round < 8; ++round) {
    const double rest = rows.total();
    const Rooms room = rows.rooms(rest);
    if (std::abs(rest) <= 4e-16 * room.size || !(room.all > 0)) return moved;
    const bool enough = std::abs(rest) <= room.inside;
    rows.shift(rest, rest / (enough ? room.inside : room.all), enough);
    moved = true;
  }
  return moved;
}

}  // namespace

void balance(const Problem& problem, std::vector<double>& beta) {
  BoxedPoint point{problem, beta};
  balance_sums(point, problem.intercept);
}

bool balance(RowPasses& rows) { return balance_sums(rows, rows.shape().intercept); }

Violation violation(const Intercept& intercept, const Costs& costs, double dual_sum) {
  const double up = costs.up, down = costs.down;
  if (!intercept.present) return {std::max({0.0, -up, down}), 0};
  if (intercept.penalty > 0) {
    const double b = dual_sum / intercept.penalty;
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

double violation_error(const Shape& shape, const Reach& reach) {
  const auto additions = static_cast<double>(shape.additions + shape.columns);
  return 2 * 0x1p-53 * additions * reach.sum * reach.largest;
}

void count_rounding(double distance, const Rounding& error, Certificate& certificate) {
  const double size = std::max(std::abs(certificate.primal), std::abs(certificate.dual));
  const double more = error.losses + (distance + error.weights / 2) * error.weights;
  if (more <= kGapError * size) return;
  certificate.gap += more / size;
  if (!std::isfinite(certificate.gap)) certificate.gap = kInfinity;
}

namespace {

// What a candidate says of itself, whatever point it is judged with.
struct Candidate {
  DualSums dual;
  Costs costs;
  Reach reach;
};

std::optional<Candidate> look(RowPasses& rows) {
  Candidate found;
  if (!rows.combine(found.dual) || !rows.costs(found.dual.w, found.costs)) return std::nullopt;
  found.reach = rows.reach();
  return found;
}

// The candidate with the point of w and b, which is that of the scores.
Certificate certify(RowPasses& rows, const Candidate& candidate, const std::vector<double>& w,
                    double b) {
  const Shape& shape = rows.shape();
  const auto& [dual, costs, reach] = candidate;
  Certificate result = judge(shape.intercept, w, b, rows.compare(), dual.w, dual.sum);
  const Violation found = violation(shape.intercept, costs, dual.sum);
  result.violation = found.value;
  result.bound = violation_error(shape, reach);
  // A constant that is optimal but for rounding stays that.
  const bool constant = result.gap == 0 && all_zero(w);
  count_rounding(
      std::sqrt(squared_distance(w, dual.w)),
      {constant ? 0 : rows.rounding(), 0x1p-53 * static_cast<double>(shape.additions) * reach.sum},
      result);
  result.intercept[0] = found.intercept;
  result.support = dual.support;
  return result;
}

}  // namespace

Certificate certify(RowPasses& rows, const std::vector<double>& w, double b) {
  if (!rows.score(w, b)) return {};
  const auto candidate = look(rows);
  return candidate ? certify(rows, *candidate, w, b) : Certificate{};
}

Certificate certify(const Problem& problem, const std::vector<double>& w, double b,
                    const std::vector<double>& beta, const Workers& workers) {
  LocalRows rows(problem, workers.threads, workers.monitor);
  rows.consider(std::vector<double>(beta));
  return certify(rows, w, b);
}

namespace {

// Other points as good as those found: the constant alone, where that is optimal; the intercept that
// belongs to beta, where any in an interval is best; and weights scaled up by a hair. And no beta at
// all is better than one whose objective is negative, or is lost in rounding.
void improve(RowPasses& rows, Candidate& candidate, Solution& solution) {
  const auto judged = [&](const std::vector<double>& w, double b) {
    rows.score(w, b);
    return certify(rows, candidate, w, b);
  };
  const auto try_point = [&](double factor, double b) {
    std::vector<double> w = solution.w;
    for (double& x : w) x = factor > 0 ? factor * x : 0;
    const Certificate found = judged(w, b), &best = solution.certificate;
    const bool lower = best.gap >= 1 && found.primal < best.primal;
    if (!lower && found.gap > (factor > 0 ? std::max(best.gap, 1e-14) : 0)) return;
    solution.certificate = found;
    solution.w = std::move(w);
    solution.intercept = b;
  };
  const auto forget_beta = [&] {
    rows.clear();
    candidate = look(rows).value();
    solution.certificate = judged(solution.w, solution.intercept);
  };
  const auto try_hairs = [&] {
    const Certificate& found = solution.certificate;
    if (found.gap <= 1e-12) return;
    rows.score(solution.w, solution.intercept);
    const double rounding = rows.compare().rounding, counted = rows.rounding();
    for (const double hair : kHairs) {
      // No margin's loss falls by more than this, and a larger gap has other causes.
      const double fall = 8 * rounding * (hair / 0x1p-52) + counted;
      const bool matters = found.gap * std::abs(found.primal) <= fall;
      if (found.gap > 1e-12 && matters) try_point(1 + hair, solution.intercept * (1 + hair));
    }
  };
  if (solution.certificate.dual < 0) forget_beta();
  if (solution.certificate.gap > 1e-12) try_point(0, solution.intercept);
  if (rows.shape().kinked) {
    if (rows.shape().intercept.free()) try_point(1, solution.certificate.intercept[0]);
    try_hairs();
  }
  if (solution.certificate.gap > 1) forget_beta();
  if (solution.certificate.gap >= 1) try_point(0, solution.certificate.intercept[0]);
}

}  // namespace

void conclude(RowPasses& rows, const Settings& settings, Status status, const Monitor& monitor,
              Trace& trace, Solution& solution) {
  const double before = monitor.seconds();
  Monitor quiet;  // from here on nothing is stopped
  rows.watch(quiet);
  balance(rows);
  rows.score(solution.w, solution.intercept);
  Candidate candidate = look(rows).value();
  solution.certificate = certify(rows, candidate, solution.w, solution.intercept);
  // On large problems these would take as long as a step, for digits nobody asked for, unless what
  // the method has found is good enough but for rounding.
  const bool rounded = status == Status::optimal && solution.certificate.gap > settings.tol_gap;
  if (rounded || rows.shape().entries <= kSmallEntries) improve(rows, candidate, solution);
  solution.beta = rows.take();
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

void conclude(const Problem& problem, const Settings& settings, Status status, Monitor& monitor,
              Trace& trace, Solution& solution) {
  LocalRows rows(problem, settings.threads, monitor);
  rows.consider(std::move(solution.beta));
  conclude(rows, settings, status, monitor, trace, solution);
}

}  // namespace svm::linear
