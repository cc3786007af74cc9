#include "stream/bound.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "simd/steps.h"

namespace svm::stream {
namespace {

constexpr double kWindow = 0.2;
constexpr int64_t kModels = 8, kBlockRows = 1024, kStripes = 8, kSegmentEntries = 1 << 20;

// Some outputs, their weights side by side (simd/steps.h).
struct Group {
  int64_t first, count;
  int width, place;
  std::vector<double> weights;

  Group(int64_t first, int64_t count, int64_t features, const double* rows)
      : first(first),
        count(count),
        width(count == 1   ? 1
              : count <= 4 ? 4
                           : kModels) {
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

// A point of the domain of h*: the slope at u, or near a kink a mean of slopes.
template <class Loss>
double dual_point(const Loss& loss, double u, double r) {
  if constexpr (Loss::kKink) {
    return (loss.value(u + r) - loss.value(u - r)) * (0.5 / r);
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
    const int64_t n = points_.rows(), blocks = (n + kBlockRows - 1) / kBlockRows;
    terms_.resize(n * group.count);
    std::vector<Sums> sums(blocks * group.count);
    const auto block = [&](int64_t b) {
      visit([&](const auto& rows) {
        with_loss(plan_.loss, plan_.width, [&](auto loss) {
          score(rows, loss, group, b * kBlockRows, std::min(n, (b + 1) * kBlockRows),
                sums.data() + b * group.count);
        });
      });
    };
    if (!workers_.run(blocks, block)) return false;
    for (int64_t b = 1; b < blocks; ++b) {
      for (int64_t k = 0; k < group.count; ++k) sums[k].add(sums[b * group.count + k]);
    }
    std::atomic<bool> done = true;
    const auto output = [&](int64_t k) { out[group.first + k] = bound(group, k, sums[k], done); };
    if (group.count == 1) {
      output(0);
    } else {
      parallel_for(group.count, workers_.threads, output);
    }
    return !workers_.monitor.stop() && done;
  }

 private:
  template <class Visit>
  void visit(const Visit& f) const {
    single_precision(points_) ? with_rows<float>(points_, f) : with_rows<double>(points_, f);
  }

  // The losses of some rows, and the terms s_i v_i u'_i of their dual points.
  template <class Rows, class Loss>
  void score(const Rows& rows, const Loss& loss, const Group& group, int64_t begin, int64_t end,
             Sums* sums) {
    Reader<Rows> read(rows);
    const auto& loops = simd::step_table().loops<typename Reader<Rows>::Value, double>();
    double f[kModels];
    for (int64_t i = begin; i < end; ++i) {
      const double weight = targets_.weight[i];
      const auto row = read(i);
      loops.scores[group.place](row.values, row.columns, row.count, group.weights.data(), f);
      for (int64_t k = 0; k < group.count; ++k) {
        const double y = targets_.of(i, group.first + k);
        const double u = loss.argument(f[k] + intercepts_[group.first + k], y);
        const double value = weight * loss.value(u), v = dual_point(loss, u, r_);
        const double term = weight * v * loss.inner(y);
        Sums& sum = sums[k];
        sum.loss += value;
        sum.square += value * value;
        sum.terms[term < 0] += term;
        sum.conjugate[term < 0] += weight * (loss.conjugate(v) - v * loss.offset(y));
        terms_[i * group.count + k] = term;
      }
    }
  }

  // sum_i by[sign of the term] term_i x_i over some rows
  template <class Rows>
  void pull(const Rows& rows, const Group& group, int64_t k, const double by[2], int64_t begin,
            int64_t end, double* sum) const {
    Reader<Rows> read(rows);
    const auto& loops = simd::step_table().loops<typename Reader<Rows>::Value, double>();
    for (int64_t i = begin; i < end; ++i) {
      const double term = terms_[i * group.count + k], step = by[term < 0] * term;
      if (step == 0) continue;
      const auto row = read(i);
      loops.move[0](row.values, row.columns, row.count, &step, sum, nullptr, nullptr);
    }
  }

  // n p; rows in stripes, each with a sum that does not outweigh its rows.
  std::vector<double> pulls(const Group& group, int64_t k, const double by[2],
                            std::atomic<bool>& done) const {
    const int64_t n = points_.rows(), features = points_.columns();
    const int64_t stripes = std::clamp<int64_t>(n / (8 * features), 1, kStripes);
    const int64_t parts =
        std::max<int64_t>(1, n * usual_entries(points_) / (stripes * kSegmentEntries));
    std::vector<double> sums(stripes * features, 0.0);
    const auto stripe = [&](int64_t s, int64_t part) {
      const int64_t begin = n * s / stripes, count = n * (s + 1) / stripes - begin;
      visit([&](const auto& rows) {
        pull(rows, group, k, by, begin + count * part / parts, begin + count * (part + 1) / parts,
             sums.data() + s * features);
      });
    };
    // In parts, between which the monitor is asked; a nested call is one thread's.
    for (int64_t part = 0; part < parts && done; ++part) {
      parallel_for(stripes, workers_.threads, [&](int64_t s) { stripe(s, part); });
      if (group.count == 1 && workers_.monitor.stop()) done = false;
    }
    for (int64_t j = features; j < stripes * features; ++j) sums[j % features] += sums[j];
    sums.resize(features);
    return sums;
  }

  Bound bound(const Group& group, int64_t k, const Sums& sums, std::atomic<bool>& done) const {
    const double n = static_cast<double>(std::count_if(
        targets_.weight.begin(), targets_.weight.end(), [](double weight) { return weight > 0; }));
    const double b = intercepts_[group.first + k], mean = sums.loss / n;
    double square = plan_.penalise_intercept ? b * b : 0;
    for (size_t j = k; j < group.weights.size(); j += group.width) {
      square += group.weights[j] * group.weights[j];
    }
    return {plan_.alpha / 2 * square + mean, dual(group, k, sums, n, done),
            std::sqrt(std::max(0.0, sums.square / n - mean * mean))};
  }

  // The largest D over the multiples of v, the two signs balanced.
  double dual(const Group& group, int64_t k, const Sums& sums, double n,
              std::atomic<bool>& done) const {
    const double rise = sums.terms[0], fall = -sums.terms[1], lighter = std::min(rise, fall);
    const bool balance = plan_.intercept && !plan_.penalise_intercept;
    const double by[2] = {balance && rise > 0 ? lighter / rise : 1,
                          balance && fall > 0 ? lighter / fall : 1};
    const double along = by[0] * rise - by[1] * fall;
    double square = plan_.penalise_intercept ? along * along : 0;
    for (const double p : pulls(group, k, by, done)) square += p * p;
    const double linear = -(by[0] * sums.conjugate[0] + by[1] * sums.conjugate[1]) / n;
    const double quadratic = square / (2 * plan_.alpha * n * n);
    const double multiple = quadratic > 0 ? std::clamp(linear / (2 * quadratic), 0.0, 1.0) : 1;
    // v = 0 is always allowed.
    return std::max(0.0, multiple * (linear - multiple * quadratic));
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
  const int64_t groups = (outputs + kModels - 1) / kModels;
  Judge judge(points, targets, plan, intercepts, kWindow * unit, workers);
  for (int64_t g = 0; g < groups; ++g) {
    const int64_t first = outputs * g / groups, last = outputs * (g + 1) / groups;
    if (!judge.judge(Group(first, last - first, points.columns(), weights), out)) return false;
  }
  return true;
}

}  // namespace svm::stream
