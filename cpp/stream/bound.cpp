#include "stream/bound.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace svm::stream {
namespace {

constexpr int kWindows = 3;
constexpr double kWindow[kWindows] = {0.003, 0.03, 0.3};
constexpr int64_t kStripes = 8, kStripeEntries = 1 << 20;

// Sums over some rows; lane 2 j belongs to the positive terms of window j, lane 2 j + 1 to the
// others.
struct Sums {
  double loss = 0, squares = 0;
  double conjugate[kGroup] = {}, terms[kGroup] = {};
  Aligned pull;  // feature by feature
};

template <class Rows, class Loss>
void sum_rows(const Rows& rows, const Loss& loss, const Targets& targets, int64_t output,
              int64_t outputs, const double* weights, double intercept, double unit, int64_t begin,
              int64_t end, Sums& sums) {
  Reader<Rows> read(rows);
  for (int64_t i = begin; i < end; ++i) {
    const double weight = targets.weight[i];
    if (weight == 0) continue;
    const double y = targets.of(i, output, outputs);
    double f;
    const auto row = read(i);
    dot<1>(row, weights, &f);
    const double u = loss.argument(f + intercept, y), value = weight * loss.value(u);
    sums.loss += value;
    sums.squares += value * value;
    double step[kGroup] = {};
    bool moves = false;
    for (int j = 0; j < kWindows; ++j) {
      const double r = kWindow[j] * unit;
      const double v = (loss.value(u + r) - loss.value(u - r)) / (2 * r);
      const double term = weight * v * loss.inner(y);
      const int lane = 2 * j + (term < 0);
      step[lane] = term;
      moves = moves || term != 0;
      sums.terms[lane] += term;
      sums.conjugate[lane] += weight * (loss.conjugate(v) - v * loss.offset(y));
    }
    if (moves) add<kGroup>(row, step, sums.pull.data());
  }
}

// The largest D over the multiples of the slopes of one window, the two signs balanced.
double best_dual(const Sums& sums, int window, const Plan& plan, double n) {
  const int up = 2 * window, down = up + 1;
  const double rise = sums.terms[up], fall = -sums.terms[down], lighter = std::min(rise, fall);
  const bool balance = plan.intercept && !plan.penalise_intercept;
  const double by_up = balance && rise > 0 ? lighter / rise : 1;
  const double by_down = balance && fall > 0 ? lighter / fall : 1;
  const double along = by_up * rise - by_down * fall;
  double square = plan.penalise_intercept ? along * along : 0;
  for (size_t k = 0; k < sums.pull.size(); k += kGroup) {
    const double p = by_up * sums.pull[k + up] + by_down * sums.pull[k + down];
    square += p * p;
  }
  const double linear = -(by_up * sums.conjugate[up] + by_down * sums.conjugate[down]) / n;
  const double quadratic = square / (2 * plan.alpha * n * n);
  const double multiple = quadratic > 0 ? std::clamp(linear / (2 * quadratic), 0.0, 1.0) : 1;
  return multiple * (linear - multiple * quadratic);
}

}  // namespace

bool bound(const Points& points, const Targets& targets, int64_t output, int64_t outputs,
           const Plan& plan, const double* weights, double intercept, double unit, Bound& out,
           const Workers& workers) {
  const int64_t rows = points.rows(), features = points.columns();
  // A stripe's sum must not outweigh its rows.
  const int64_t stripes = std::clamp<int64_t>(rows / (8 * features), 1, kStripes);
  std::vector<Sums> sums(stripes);
  for (Sums& part : sums) part.pull.assign(features * kGroup, 0.0);
  // In segments, between which the monitor is asked.
  const int64_t segment = stripes * std::max<int64_t>(1, kStripeEntries / usual_entries(points));
  for (int64_t begin = 0; begin < rows; begin += segment) {
    const int64_t count = std::min(segment, rows - begin);
    const auto stripe = [&](int64_t s) {
      with_rows(points, [&](const auto& data) {
        with_loss(plan.loss, plan.width, [&](auto loss) {
          sum_rows(data, loss, targets, output, outputs, weights, intercept, unit,
                   begin + count * s / stripes, begin + count * (s + 1) / stripes, sums[s]);
        });
      });
    };
    if (!workers.run(stripes, stripe)) return false;
  }
  Sums& all = sums[0];
  for (int64_t s = 1; s < stripes; ++s) {
    all.loss += sums[s].loss;
    all.squares += sums[s].squares;
    for (int l = 0; l < kGroup; ++l) {
      all.terms[l] += sums[s].terms[l];
      all.conjugate[l] += sums[s].conjugate[l];
    }
    for (size_t k = 0; k < all.pull.size(); ++k) all.pull[k] += sums[s].pull[k];
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
