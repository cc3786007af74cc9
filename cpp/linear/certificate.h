// Judging points of a linear problem, apart from the methods that find them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "linear/solve.h"

namespace svm::linear {

inline double squared_norm(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x * x;
  return sum;
}

inline double squared_distance(const std::vector<double>& u, const std::vector<double>& v) {
  double sum = 0;
  for (size_t j = 0; j < u.size(); ++j) sum += (u[j] - v[j]) * (u[j] - v[j]);
  return sum;
}

inline double total(const std::vector<double>& v) {
  double sum = 0;
  for (const double x : v) sum += x;
  return sum;
}

// A dual point: its variables, X'b and 1'b.
struct DualPoint {
  std::vector<double> b, w;
  double sum = 0;
};

// P, D and gap of (w, c) and a dual point, whose losses have these terms. The violation is left
// open.
inline Certificate judge(const Problem& problem, const std::vector<double>& w, double c,
                         const Terms& terms, const DualPoint& dual) {
  const double p = problem.intercept.present ? problem.intercept.penalty : 0;
  double difference = terms.difference + squared_distance(w, dual.w) / 2;
  Certificate result;
  result.primal = squared_norm(w) / 2 + p / 2 * c * c + terms.loss;
  result.dual = terms.dual - squared_norm(dual.w) / 2;
  if (p > 0) {
    result.dual -= dual.sum * dual.sum / (2 * p);
    difference += p / 2 * (c - dual.sum / p) * (c - dual.sum / p);
  }
  const double size = std::max(std::abs(result.primal), std::abs(result.dual));
  // Objectives that are all rounding are zero.
  result.gap = difference == 0 || size <= terms.rounding ? 0 : difference / size;
  if (!std::isfinite(result.gap)) result.gap = Settings::kNoLimit;
  return result;
}

// The same from the scores s of (w, c).
inline Certificate compare(const Problem& problem, const std::vector<double>& w, double c,
                           const std::vector<double>& s, const DualPoint& dual,
                           const Workers& workers) {
  return judge(problem, w, c,
               sum_blocks<Terms>(problem.sample.size(), workers,
                                 [&](int64_t begin, int64_t end) {
                                   return problem.loss.compare(begin, end, s.data(), dual.b.data());
                                 }),
               dual);
}

// Where the intercept is free, moves variables that are inside their interval until 1'b = 0, each
// by a share of the room it has; where these have no room, any others. b keeps to its box.
inline void balance(const Problem& problem, std::vector<double>& b) {
  if (!problem.intercept.present || problem.intercept.penalty > 0) return;
  const Loss& loss = problem.loss;
  const auto inside = [&](int64_t k) {
    return b[k] != 0 && b[k] > loss.lowest(k) && b[k] < loss.highest(k);
  };
  for (int round = 0; round < 8; ++round) {
    const double rest = total(b);
    const auto room = [&](int64_t k) {
      const double r = rest > 0 ? b[k] - loss.lowest(k) : loss.highest(k) - b[k];
      return std::isfinite(r) ? r : std::max(std::abs(b[k]), problem.scale);
    };
    double free = 0, all = 0, size = 0;
    for (int64_t k = 0; k < loss.size(); ++k) {
      size += std::abs(b[k]);
      all += room(k);
      if (inside(k)) free += room(k);
    }
    if (std::abs(rest) <= 4e-16 * size || !(all > 0)) return;
    const bool enough = std::abs(rest) <= free;
    const double share = rest / (enough ? free : all);
    for (int64_t k = 0; k < loss.size(); ++k) {
      if (enough && !inside(k)) continue;
      b[k] = std::clamp(b[k] - share * room(k), loss.lowest(k), loss.highest(k));
    }
  }
}

// The violation of a dual point and the intercept that belongs to it, from the scores X'(X'b).
struct Violation {
  double value = 0, intercept = 0;
};

inline Violation violation(const Problem& problem, const DualPoint& dual,
                           const std::vector<double>& scores, const Workers& workers) {
  const Costs costs =
      sum_blocks<Costs>(problem.sample.size(), workers, [&](int64_t begin, int64_t end) {
        return problem.loss.costs(begin, end, scores.data(), dual.b.data());
      });
  const double up = costs.up, down = costs.down;
  if (!problem.intercept.present) return {std::max({0.0, -up, down}), 0};
  if (problem.intercept.penalty > 0) {
    const double c = dual.sum / problem.intercept.penalty;
    return {std::max({0.0, -(up + c), down + c}), c};
  }
  Violation result;
  const bool both = up < Settings::kNoLimit && down > -Settings::kNoLimit;
  if (both) result.value = std::max(0.0, down - up);
  if (costs.free > 0) {
    result.intercept = -costs.free_sum / static_cast<double>(costs.free);
  } else if (both) {
    result.intercept = -(up + down) / 2;
  } else {
    result.intercept = up < Settings::kNoLimit ? -up : -down;
  }
  return result;
}

// What rounding can do to the violation: sums of n and of d products, one after the other.
inline double violation_error(const Sample& sample, const std::vector<double>& b,
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
      part += {std::abs(b[k]) * norm, norm};
    }
    return part;
  });
  const auto additions = static_cast<double>(combine_additions(sample) + sample.columns());
  return 2 * 0x1p-53 * additions * reach.sum * reach.largest;
}

}  // namespace svm::linear
