#include "stream/bound.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "simd/steps.h"

namespace svm::stream {
namespace {

constexpr int kWindows = 3;
constexpr double kWindow[kWindows] = {0.003, 0.03, 0.3};
constexpr int64_t kStripes = 8, kStripeEntries = 1 << 20;

// Sums over some rows, terms of either sign apart: [0] the positive ones, [1] the others. A slope
// and its means over windows have the same sign. Pulls of the wider windows are kept as differences
// to that of the first, because few rows, those near a kink, have one.
struct Sums {
  double loss = 0, squares = 0;
  double conjugate[kWindows][2] = {}, terms[kWindows][2] = {};
  std::vector<double> pull[kWindows][2];
};

template <class X>
double dot(const Entries<X>& row, const double* weights) {
  double sum;
  simd::step_table().loops<X, double>().scores[0](row.values, row.columns, row.count, weights,
                                                  &sum);
  return sum;
}

template <class X>
void add(const Entries<X>& row, double by, double* weights) {
  simd::step_table().loops<X, double>().move[0](row.values, row.columns, row.count, &by, weights,
                                                nullptr, nullptr);
}

template <class Rows, class Loss>
void sum_rows(const Rows& rows, const Loss& loss, const Targets& targets, int64_t output,
              const double* weights, double intercept, double unit, int64_t begin, int64_t end,
              Sums& sums) {
  Reader<Rows> read(rows);
  for (int64_t i = begin; i < end; ++i) {
    const double weight = targets.weight[i];
    if (weight == 0) continue;
    const auto row = read(i);
    const double y = targets.of(i, output);
    const double u = loss.argument(dot(row, weights) + intercept, y);
    const double value = weight * loss.value(u);
    sums.loss += value;
    sums.squares += value * value;
    double first = 0;
    for (int j = 0; j < kWindows; ++j) {
      const double r = kWindow[j] * unit;
      const double v = (loss.value(u + r) - loss.value(u - r)) / (2 * r);
      if (v == 0 && first == 0) continue;
      const double term = weight * v * loss.inner(y);
      const int sign = term + first < 0;
      sums.terms[j][sign] += term;
      sums.conjugate[j][sign] += weight * (loss.conjugate(v) - v * loss.offset(y));
      if (term != first) add(row, term - first, sums.pull[j][sign].data());
      if (j == 0) first = term;
    }
  }
}

// The largest D over the multiples of the slopes of one window, the two signs balanced.
double best_dual(const Sums& sums, int window, const Plan& plan, double n) {
  const double rise = sums.terms[window][0], fall = -sums.terms[window][1];
  const bool balance = plan.intercept && !plan.penalise_intercept;
  const double lighter = std::min(rise, fall);
  const double by[2] = {balance && rise > 0 ? lighter / rise : 1,
                        balance && fall > 0 ? lighter / fall : 1};
  const double along = by[0] * rise - by[1] * fall;
  double square = plan.penalise_intercept ? along * along : 0;
  for (size_t k = 0; k < sums.pull[0][0].size(); ++k) {
    double p = 0;
    for (int sign = 0; sign < 2; ++sign) {
      const double wider = window > 0 ? sums.pull[window][sign][k] : 0;
      p += by[sign] * (sums.pull[0][sign][k] + wider);
    }
    square += p * p;
  }
  const double linear =
      -(by[0] * sums.conjugate[window][0] + by[1] * sums.conjugate[window][1]) / n;
  const double quadratic = square / (2 * plan.alpha * n * n);
  const double multiple = quadratic > 0 ? std::clamp(linear / (2 * quadratic), 0.0, 1.0) : 1;
  return multiple * (linear - multiple * quadratic);
}

}  // namespace

bool bound(const Points& points, const Targets& targets, int64_t output, const Plan& plan,
           const double* weights, double intercept, double unit, Bound& out,
           const Workers& workers) {
  const int64_t rows = points.rows(), features = points.columns();
  // A stripe's sum must not outweigh its rows.
  const int64_t stripes = std::clamp<int64_t>(rows / (8 * features), 1, kStripes);
  std::vector<Sums> sums(stripes);
  for (Sums& part : sums) {
    for (auto& window : part.pull) {
      for (auto& sum : window) sum.assign(features, 0.0);
    }
  }
  // In segments, between which the monitor is asked.
  const int64_t segment = stripes * std::max<int64_t>(1, kStripeEntries / usual_entries(points));
  for (int64_t begin = 0; begin < rows; begin += segment) {
    const int64_t count = std::min(segment, rows - begin);
    const auto stripe = [&](int64_t s) {
      const auto visit = [&](const auto& data) {
        with_loss(plan.loss, plan.width, [&](auto loss) {
          sum_rows(data, loss, targets, output, weights, intercept, unit,
                   begin + count * s / stripes, begin + count * (s + 1) / stripes, sums[s]);
        });
      };
      single_precision(points) ? with_rows<float>(points, visit) : with_rows<double>(points, visit);
    };
    if (!workers.run(stripes, stripe)) return false;
  }
  Sums& all = sums[0];
  for (int64_t s = 1; s < stripes; ++s) {
    all.loss += sums[s].loss;
    all.squares += sums[s].squares;
    for (int j = 0; j < kWindows; ++j) {
      for (int sign = 0; sign < 2; ++sign) {
        all.terms[j][sign] += sums[s].terms[j][sign];
        all.conjugate[j][sign] += sums[s].conjugate[j][sign];
        for (int64_t k = 0; k < features; ++k) all.pull[j][sign][k] += sums[s].pull[j][sign][k];
      }
    }
  }
  const double n = static_cast<double>(std::count_if(targets.weight.begin(), targets.weight.end(),
                                                     [](double weight) { return weight > 0; }));
  double square = plan.penalise_intercept ? intercept * intercept : 0;
  for (int64_t k = 0; k < features; ++k) square += weights[k] * weights[k];
  out.primal = plan.alpha / 2 * square + all.loss / n;
  out.deviation = std::sqrt(std::max(0.0, all.squares / n - (all.loss / n) * (all.loss / n)));
  // v = 0 is always allowed.
  out.dual = 0;
  for (int j = 0; j < kWindows; ++j) out.dual = std::max(out.dual, best_dual(all, j, plan, n));
  return true;
}

}  // namespace svm::stream
