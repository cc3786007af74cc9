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

// Sums over some rows, terms of either sign apart: [0] the positive ones, [1] the others.
struct Sums {
  double loss = 0, square = 0;
  double conjugate[2] = {}, terms[2] = {};

  void add(const Sums& other) {
    loss += other.loss;
    square += other.square;
    for (int sign = 0; sign < 2; ++sign) {
      conjugate[sign] += other.conjugate[sign];
      terms[sign] += other.terms[sign];
    }
  }
};

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
  Judge(const Points& points, const Targets& targets, const Plan& plan, const double* intercepts,
        double r, const Workers& workers)
      : points_(points),
        targets_(targets),
        plan_(plan),
        intercepts_(intercepts),
        r_(r),
        workers_(workers) {}

  bool judge(const Group& group, std::span<Bound> out) {
    terms_.resize(points_.rows() * group.count);
    return group.count == 1 ? judge_one(group, out[group.first]) : judge_some(group, out);
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
             Sums* sums) {
    Reader<Rows> read(rows);
    const auto& loops = simd::step_table().loops<typename Reader<Rows>::Value, double>();
    const int64_t count = kMost == 1 ? 1 : group.count;
    const double half_over_r = 0.5 / r_;
    Sums own[kMost];
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
        Sums& sum = own[k];
        sum.loss += value;
        sum.square += value * value;
        sum.terms[term < 0] += term;
        sum.conjugate[term < 0] += weight * (loss.conjugate(v) - v * loss.offset(y));
        terms_[i * count + k] = term;
      }
    }
    for (int64_t k = 0; k < count; ++k) sums[k].add(own[k]);
  }

  // sum_i by[sign of the term] term_i x_i over some rows, each sign in its sum
  template <class Rows>
  void pull(const Rows& rows, const Group& group, int64_t k, Balance by, int64_t begin, int64_t end,
            double* const sums[2]) const {
    Reader<Rows> read(rows);
    const auto& loops = simd::step_table().loops<typename Reader<Rows>::Value, double>();
    for (int64_t i = begin; i < end; ++i) {
      const double term = terms_[i * group.count + k], step = by[term < 0] * term;
      if (step == 0) continue;
      const auto row = read(i);
      loops.move[0](row.values, row.columns, row.count, &step, sums[term < 0], nullptr, nullptr);
    }
  }

  // Rows are read from memory once. How the signs balance is known at the end only, so each has its
  // sum; and so has each stripe of rows, if a sum does not outweigh them.
  bool judge_one(const Group& group, Bound& out) {
    const int64_t n = points_.rows(), features = points_.columns();
    const int64_t entries = n * usual_entries(points_);
    const int64_t stripes = std::clamp<int64_t>(entries / (32 * features), 1, kStripes);
    const int64_t parts = std::max<int64_t>(1, entries / (stripes * kSegmentEntries));
    std::vector<Sums> sums(stripes);
    std::vector<double> pulls(2 * stripes * features, 0.0);
    const auto block = [&](int64_t s, int64_t begin, int64_t end) {
      double* const pull_to[2] = {&pulls[2 * s * features], &pulls[(2 * s + 1) * features]};
      visit([&](const auto& rows) {
        with_loss(plan_.loss, plan_.width,
                  [&](auto loss) { score<1>(rows, loss, group, begin, end, &sums[s]); });
        pull(rows, group, 0, {1, 1}, begin, end, pull_to);
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
    for (int64_t s = 1; s < stripes; ++s) sums[0].add(sums[s]);
    for (size_t j = 2 * features; j < pulls.size(); ++j) pulls[j % (2 * features)] += pulls[j];
    const Balance by = balance(sums[0]);
    for (int64_t j = 0; j < features; ++j) {
      pulls[j] = by[0] * pulls[j] + by[1] * pulls[features + j];
    }
    out = bound(group, 0, sums[0], by, std::span(pulls).first(features));
    return true;
  }

  // Of each row's outputs few have a part in p: all are scored at once, then added one by one.
  bool judge_some(const Group& group, std::span<Bound> out) {
    const int64_t n = points_.rows(), blocks = (n + kBlockRows - 1) / kBlockRows;
    std::vector<Sums> sums(blocks * group.count);
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
      for (int64_t k = 0; k < group.count; ++k) sums[k].add(sums[b * group.count + k]);
    }
    return workers_.run(group.count, [&](int64_t k) {
      const Balance by = balance(sums[k]);
      std::vector<double> pulls(points_.columns(), 0.0);
      double* const pull_to[2] = {pulls.data(), pulls.data()};
      visit([&](const auto& rows) { pull(rows, group, k, by, 0, n, pull_to); });
      out[group.first + k] = bound(group, k, sums[k], by, pulls);
    });
  }

  // Factors that leave a free intercept nothing to gain.
  Balance balance(const Sums& sums) const {
    const double rise = sums.terms[0], fall = -sums.terms[1], lighter = std::min(rise, fall);
    if (!plan_.intercept || plan_.penalise_intercept) return {1, 1};
    return {rise > 0 ? lighter / rise : 1, fall > 0 ? lighter / fall : 1};
  }

  // pulls is n p.
  Bound bound(const Group& group, int64_t k, const Sums& sums, Balance by,
              std::span<const double> pulls) const {
    const double n = static_cast<double>(std::count_if(
        targets_.weight.begin(), targets_.weight.end(), [](double weight) { return weight > 0; }));
    const double b = intercepts_[group.first + k], mean = sums.loss / n;
    double square = plan_.penalise_intercept ? b * b : 0, size = 0;
    for (size_t j = k; j < group.weights.size(); j += group.width) {
      square += group.weights[j] * group.weights[j];
      size += std::abs(group.weights[j]);
    }
    const double penalty = plan_.alpha / 2 * square + plan_.l1 * size;
    return {penalty + mean, dual(sums, by, pulls, n),
            std::sqrt(std::max(0.0, sums.square / n - mean * mean))};
  }

  // The largest D over the multiples of v, the two signs balanced.
  double dual(const Sums& sums, Balance by, std::span<const double> pulls, double n) const {
    const double linear = -(by[0] * sums.conjugate[0] + by[1] * sums.conjugate[1]) / n;
    // v = 0 is always allowed.
    return std::max(
        0.0, plan_.l1 > 0 ? thresholded(linear, pulls, n) : quadratic(linear, sums, by, pulls, n));
  }

  double quadratic(double linear, const Sums& sums, Balance by, std::span<const double> pulls,
                   double n) const {
    const double along = by[0] * sums.terms[0] + by[1] * sums.terms[1];
    double square = plan_.penalise_intercept ? along * along : 0;
    for (const double p : pulls) square += p * p;
    const double half = square / (2 * plan_.alpha * n * n);
    const double multiple = half > 0 ? std::clamp(linear / (2 * half), 0.0, 1.0) : 1;
    return multiple * (linear - multiple * half);
  }

  // m linear - sum_j max(0, m |p_j| - l1)^2 / (2 alpha) is concave in the multiple m: where it still
  // rises is found by halving. Without an alpha every m |p_j| must stay within l1.
  double thresholded(double linear, std::span<const double> pulls, double n) const {
    double largest = 0;
    for (const double p : pulls) largest = std::max(largest, std::abs(p) / n);
    double low = largest > plan_.l1 ? plan_.l1 / largest : 1, high = 1;
    if (plan_.alpha == 0 || low == 1) return low * linear;
    const auto sums = [&](double m) {
      double squares = 0, slope = linear;
      for (const double p : pulls) {
        const double size = std::abs(p) / n, over = std::max(0.0, m * size - plan_.l1);
        squares += over * over;
        slope -= over * size / plan_.alpha;
      }
      return std::pair(m * linear - squares / (2 * plan_.alpha), slope);
    };
    for (int halving = 0; halving < 40; ++halving) {
      const double middle = (low + high) / 2;
      (sums(middle).second > 0 ? low : high) = middle;
    }
    return sums(low).first;
  }

  const Points& points_;
  const Targets& targets_;
  const Plan& plan_;
  const double* intercepts_;
  double r_;
  const Workers& workers_;
  std::vector<double> terms_;
};

}  // namespace

bool bounds(const Points& points, const Targets& targets, const Plan& plan, const double* weights,
            const double* intercepts, double unit, std::span<Bound> out, const Workers& workers) {
  const int64_t outputs = static_cast<int64_t>(out.size());
  Judge judge(points, targets, plan, intercepts, kWindow * unit, workers);
  for (int64_t first = 0; first < outputs; first += kModels) {
    const int64_t count = std::min(kModels, outputs - first);
    if (!judge.judge(Group(first, count, points.columns(), weights), out)) return false;
  }
  return true;
}

}  // namespace svm::stream
