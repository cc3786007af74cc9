#include "stream/bound.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "simd/steps.h"

namespace svm::stream {
namespace {

constexpr double kWindow = 0.2;
constexpr int64_t kModels = 8, kBlockRows = 1024, kStripes = 8, kSegmentEntries = 1 << 20;
// Rows of one output that are gone through twice, for their scores and for p, before the next ones.
constexpr int64_t kCachedRows = 64;

// Some outputs, their weights side by side (simd/steps.h).
struct Group {
  int64_t first, count;
  int width, place;
  std::vector<double> weights;

  Group(int64_t first, int64_t count, int64_t features, const double* rows)
      : first(first), count(count), width(count == 1 ? 1 : simd::width_for(count)) {
    place = simd::width_place(width);
    weights.assign(features * width, 0.0);
    for (int64_t k = 0; k < count; ++k) {
      const double* row = rows + (first + k) * features;
      for (int64_t j = 0; j < features; ++j) weights[j * width + k] = row[j];
    }
  }
};

void add(RiskSums& sums, const RiskSums& other) {
  sums.loss += other.loss;
  sums.square += other.square;
  for (int sign = 0; sign < 2; ++sign) {
    sums.conjugate[sign] += other.conjugate[sign];
    sums.terms[sign] += other.terms[sign];
  }
}

// Factors of the terms of either sign.
using Balance = std::array<double, 2>;

// A point of the domain of h*: the slope at u, or near a kink the mean of slopes up to r away.
template <class Loss>
double dual_point(const Loss& loss, double u, double r, double half_over_r) {
  if constexpr (Loss::kKink) {
    return (loss.value(u + r) - loss.value(u - r)) * half_over_r;
  } else {
    return loss.slope(u);
  }
}

class Judge {
 public:
  Judge(const Points& points, const Targets& targets, const Plan& plan,
        std::span<const double> intercepts, double r, const TakeSums& take, const Workers& workers)
      : points_(points),
        targets_(targets),
        plan_(plan),
        intercepts_(intercepts),
        r_(r),
        take_(take),
        workers_(workers),
        counting_(static_cast<double>(std::count_if(targets.weight.begin(), targets.weight.end(),
                                                    [](double weight) { return weight > 0; }))) {}

  bool judge(const Group& group) {
    terms_.resize(points_.rows() * group.count);
    return group.count == 1 ? judge_one(group) : judge_some(group);
  }

 private:
  template <class Visit>
  void visit(const Visit& f) const {
    single_precision(points_) ? with_rows<float>(points_, f) : with_rows<double>(points_, f);
  }

  // The losses of some rows, and the terms s_i v_i u'_i of their dual points. kMost is 1 for one
  // output, which the compiler then knows.
  template <int64_t kMost, class Rows, class Loss>
  void score(const Rows& rows, const Loss& loss, const Group& group, int64_t begin, int64_t end,
             RiskSums* sums) {
    Reader<Rows> read(rows);
    const auto& loops = simd::step_table().loops<typename Reader<Rows>::Value, double>();
    const int64_t count = kMost == 1 ? 1 : group.count;
    const double half_over_r = 0.5 / r_;
    RiskSums own[kMost];
    double f[kMost];
    for (int64_t i = begin; i < end; ++i) {
      const auto row = read(i);
      loops.scores[group.place](row.values, row.columns, row.count, group.weights.data(), f);
      for (int64_t k = 0; k < count; ++k) {
        const double y = targets_.of(i, group.first + k);
        const double weight = targets_.weight[i] * plan_.factor(group.first + k, y);
        const double u = loss.argument(f[k] + intercepts_[group.first + k], y);
        const double value = weight * loss.value(u), v = dual_point(loss, u, r_, half_over_r);
        const double term = weight * v * loss.inner(y);
        RiskSums& sum = own[k];
        sum.loss += value;
        sum.square += value * value;
        sum.terms[term < 0] += term;
        sum.conjugate[term < 0] += weight * (loss.conjugate(v) - v * loss.offset(y));
        terms_[i * count + k] = term;
      }
    }
    for (int64_t k = 0; k < count; ++k) add(sums[k], own[k]);
  }

  // sum_i term_i x_i over some rows, each sign in its sum
  template <class Rows>
  void pull(const Rows& rows, const Group& group, int64_t k, int64_t begin, int64_t end,
            double* sums) const {
    Reader<Rows> read(rows);
    const auto& loops = simd::step_table().loops<typename Reader<Rows>::Value, double>();
    for (int64_t i = begin; i < end; ++i) {
      const double term = terms_[i * group.count + k];
      if (term == 0) continue;
      const auto row = read(i);
      loops.move[0](row.values, row.columns, row.count, &term,
                    sums + (term < 0 ? points_.columns() : 0), nullptr, nullptr);
    }
  }

  // Rows are read from memory once. How the signs balance is known at the end only, so each has its
  // sum; and so has each stripe of rows, if a sum does not outweigh them.
  bool judge_one(const Group& group) {
    const int64_t n = points_.rows(), features = points_.columns();
    const int64_t entries = n * usual_entries(points_);
    const int64_t stripes =
        std::clamp<int64_t>(entries / std::max<int64_t>(1, 32 * features), 1, kStripes);
    const int64_t parts = std::max<int64_t>(1, entries / (stripes * kSegmentEntries));
    std::vector<RiskSums> sums(stripes);
    std::vector<double> pulls(2 * stripes * features, 0.0);
    const auto block = [&](int64_t s, int64_t begin, int64_t end) {
      visit([&](const auto& rows) {
        with_loss(plan_.loss, plan_.width,
                  [&](auto loss) { score<1>(rows, loss, group, begin, end, &sums[s]); });
        pull(rows, group, 0, begin, end, pulls.data() + 2 * s * features);
      });
    };
    // In parts, between which the monitor is asked.
    for (int64_t part = 0; part < parts; ++part) {
      parallel_for(stripes, workers_.threads, [&](int64_t s) {
        const int64_t first = n * s / stripes, count = n * (s + 1) / stripes - first;
        const int64_t last = first + count * (part + 1) / parts;
        for (int64_t i = first + count * part / parts; i < last; i += kCachedRows) {
          block(s, i, std::min(last, i + kCachedRows));
        }
      });
      if (workers_.monitor.stop()) return false;
    }
    for (int64_t s = 1; s < stripes; ++s) add(sums[0], sums[s]);
    for (size_t j = 2 * features; j < pulls.size(); ++j) pulls[j % (2 * features)] += pulls[j];
    pulls.resize(2 * features);
    finish(group, 0, std::move(sums[0]), std::move(pulls));
    return true;
  }

  // Of each row's outputs few have a part in p: all are scored at once, then added one by one.
  bool judge_some(const Group& group) {
    const int64_t n = points_.rows(), blocks = (n + kBlockRows - 1) / kBlockRows;
    std::vector<RiskSums> sums(blocks * group.count);
    const auto block = [&](int64_t b) {
      visit([&](const auto& rows) {
        with_loss(plan_.loss, plan_.width, [&](auto loss) {
          score<kModels>(rows, loss, group, b * kBlockRows, std::min(n, (b + 1) * kBlockRows),
                         sums.data() + b * group.count);
        });
      });
    };
    if (!workers_.run(blocks, block)) return false;
    for (int64_t b = 1; b < blocks; ++b) {
      for (int64_t k = 0; k < group.count; ++k) add(sums[k], sums[b * group.count + k]);
    }
    return workers_.run(group.count, [&](int64_t k) {
      std::vector<double> pulls(2 * points_.columns(), 0.0);
      visit([&](const auto& rows) { pull(rows, group, k, 0, n, pulls.data()); });
      finish(group, k, std::move(sums[k]), std::move(pulls));
    });
  }

  void finish(const Group& group, int64_t k, RiskSums&& sums, std::vector<double>&& pulls) const {
    sums.rows = counting_;
    sums.pulls = std::move(pulls);
    take_(group.first + k, std::move(sums));
  }

  const Points& points_;
  const Targets& targets_;
  const Plan& plan_;
  std::span<const double> intercepts_;
  double r_;
  const TakeSums& take_;
  const Workers& workers_;
  double counting_;  // rows
  std::vector<double> terms_;
};

// Factors that leave a free intercept nothing to gain.
Balance balance(const RiskSums& sums, const Penalties& penalties) {
  const double rise = sums.terms[0], fall = -sums.terms[1], lighter = std::min(rise, fall);
  if (!penalties.intercept || penalties.penalise_intercept) return {1, 1};
  return {rise > 0 ? lighter / rise : 1, fall > 0 ? lighter / fall : 1};
}

// The largest D over multiples of v where l1 is 0; pulls is n p, `along` its entry of the intercept.
double quadratic(double linear, double along, std::span<const double> pulls, double alpha,
                 double n) {
  double square = along * along;
  for (const double p : pulls) square += p * p;
  const double half = square / (2 * alpha * n * n);
  const double multiple = half > 0 ? std::clamp(linear / (2 * half), 0.0, 1.0) : 1;
  return multiple * (linear - multiple * half);
}

// m linear - sum_j max(0, m |p_j| - l1)^2 / (2 alpha) is concave in the multiple m: where it still
// rises is found by halving. Without an alpha every m |p_j| must stay within l1.
double thresholded(double linear, std::span<const double> pulls, const Penalties& penalties,
                   double n) {
  const auto [alpha, l1, intercept, penalised] = penalties;
  double largest = 0;
  for (const double p : pulls) largest = std::max(largest, std::abs(p) / n);
  double low = largest > l1 ? l1 / largest : 1, high = 1;
  if (alpha == 0 || low == 1) return low * linear;
  const auto sums = [&, alpha = alpha, l1 = l1](double m) {
    double squares = 0, slope = linear;
    for (const double p : pulls) {
      const double size = std::abs(p) / n, over = std::max(0.0, m * size - l1);
      squares += over * over;
      slope -= over * size / alpha;
    }
    return std::pair(m * linear - squares / (2 * alpha), slope);
  };
  for (int halving = 0; halving < 40; ++halving) {
    const double middle = (low + high) / 2;
    (sums(middle).second > 0 ? low : high) = middle;
  }
  return sums(low).first;
}

// The largest D over the multiples of v, the two signs balanced.
double dual(const RiskSums& sums, const Penalties& penalties) {
  const Balance by = balance(sums, penalties);
  const double n = sums.rows;
  const double linear = -(by[0] * sums.conjugate[0] + by[1] * sums.conjugate[1]) / n;
  const size_t features = sums.pulls.size() / 2;
  std::vector<double> pulls(features);
  for (size_t j = 0; j < features; ++j) {
    pulls[j] = by[0] * sums.pulls[j] + by[1] * sums.pulls[features + j];
  }
  const double along = by[0] * sums.terms[0] + by[1] * sums.terms[1];
  const double found =
      penalties.l1 > 0
          ? thresholded(linear, pulls, penalties, n)
          : quadratic(linear, penalties.penalise_intercept ? along : 0, pulls, penalties.alpha, n);
  return std::max(0.0, found);  // v = 0 is always allowed
}

}  // namespace

Bound bound(const RiskSums& sums, const Penalties& penalties, std::span<const double> weights,
            double intercept) {
  const double mean = sums.loss / sums.rows;
  double square = penalties.penalise_intercept ? intercept * intercept : 0, size = 0;
  for (const double w : weights) {
    square += w * w;
    size += std::abs(w);
  }
  const double penalty = penalties.alpha / 2 * square + penalties.l1 * size;
  return {penalty + mean, dual(sums, penalties),
          std::sqrt(std::max(0.0, sums.square / sums.rows - mean * mean))};
}

bool risk_sums(const Points& points, const Targets& targets, const Plan& plan,
               const double* weights, std::span<const double> intercepts, double unit,
               const TakeSums& take, const Workers& workers) {
  const int64_t outputs = std::ssize(intercepts);
  Judge judge(points, targets, plan, intercepts, kWindow * unit, take, workers);
  for (int64_t first = 0; first < outputs; first += kModels) {
    const int64_t count = std::min(kModels, outputs - first);
    if (!judge.judge(Group(first, count, points.columns(), weights))) return false;
  }
  return true;
}

bool bounds(const Points& points, const Targets& targets, const Plan& plan, const double* weights,
            std::span<const double> intercepts, double unit, std::span<Bound> out,
            const Workers& workers) {
  const Penalties penalties{plan.alpha, plan.l1, plan.intercept, plan.penalise_intercept};
  const int64_t features = points.columns();
  const TakeSums take = [&](int64_t p, RiskSums&& sums) {
    const std::span own(weights + p * features, static_cast<size_t>(features));
    out[p] = bound(sums, penalties, own, intercepts[p]);
  };
  return risk_sums(points, targets, plan, weights, intercepts, unit, take, workers);
}

}  // namespace svm::stream
