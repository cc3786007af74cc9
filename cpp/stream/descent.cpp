#include "stream/descent.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace svm::stream {
namespace {

// Rows that a thread works on between two looks at the monitor hold about this many entries.
constexpr int64_t kSegmentEntries = 1 << 20;
constexpr int64_t kBlockRows = 1024;
// Rows are asked for this many steps before they are read.
constexpr int64_t kAhead = 6;
// Below this the factors are folded into the weights.
constexpr double kSmallFactor = 1e-60;

// SplitMix64 (Steele, Lea and Flood, 2014): one seed, the same numbers everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  // A number below n, with a bias too small to matter (n / 2^64).
  int64_t below(int64_t n) {
    state_ += 0x9e3779b97f4a7c15ULL;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    z ^= z >> 31;
    return static_cast<int64_t>((static_cast<unsigned __int128>(z) * static_cast<uint64_t>(n)) >>
                                64);
  }
  template <class T>
  void shuffle(std::span<T> values) {
    for (int64_t i = static_cast<int64_t>(values.size()) - 1; i > 0; --i) {
      std::swap(values[i], values[below(i + 1)]);
    }
  }

 private:
  uint64_t state_;
};

}  // namespace

Descent::Descent(const Plan& plan, int64_t features, int64_t outputs)
    : updates(outputs, 0), plan_(plan), features_(features), outputs_(outputs) {
  const int lanes = outputs == 1 ? 1 : kGroup;
  for (int64_t first = 0; first < outputs; first += lanes) {
    Group group{};
    group.lanes = lanes;
    group.first = first;
    group.count = std::min<int64_t>(lanes, outputs - first);
    group.current.assign(features * lanes, 0.0);
    if (plan.average) group.mean.assign(features * lanes, 0.0);
    std::fill_n(group.scale, kGroup, 1.0);
    group.factor = 1;
    groups_.push_back(std::move(group));
  }
}

void Descent::Group::fold() {
  const int64_t features = static_cast<int64_t>(current.size()) / lanes;
  for (int64_t k = 0; k < features; ++k) {
    for (int l = 0; l < lanes; ++l) {
      double& w = current[k * lanes + l];
      if (!mean.empty()) {
        double& m = mean[k * lanes + l];
        m = factor * (m + ratio[l] * w);
      }
      w *= scale[l];
    }
  }
  for (int l = 0; l < lanes; ++l) {
    square[l] *= scale[l] * scale[l];
    scale[l] = 1;
    ratio[l] = 0;
  }
  factor = 1;
}

double Descent::rate(int64_t t) const {
  const double time = static_cast<double>(t);
  if (plan_.radius > 0) return 1 / (plan_.alpha * time);
  const double base = 1 + plan_.decay * time;
  if (plan_.power == 1) return plan_.eta0 / base;
  // base^(3/4), the usual power of averaged descent, by roots: pow would cost as much as a row.
  if (plan_.power == 0.75) return plan_.eta0 / (std::sqrt(base) * std::sqrt(std::sqrt(base)));
  return plan_.eta0 / std::pow(base, plan_.power);
}

template <int kLanes>
void Descent::shrink(Group& group, double rate) const {
  const double by = std::max(0.0, 1 - rate * plan_.alpha);
  bool small = group.factor < kSmallFactor;
  for (int l = 0; l < kLanes; ++l) {
    group.scale[l] *= by;
    small = small || group.scale[l] < kSmallFactor;
    if (plan_.penalise_intercept) group.intercept[l] *= by;
  }
  if (small) group.fold();
}

// w += step x
template <int kLanes, class X>
void Descent::move(Group& group, const Entries<X>& row, const double* step) const {
  double by[kLanes], back[kLanes];
  for (int l = 0; l < kLanes; ++l) {
    by[l] = step[l] / group.scale[l];
    back[l] = -group.ratio[l] * by[l];
  }
  if (plan_.radius > 0) {
    // |W + by x|^2 = |W|^2 + 2 by W'x + by^2 |x|^2
    double along[kLanes], length = 0;
    dot<kLanes>(row, group.current.data(), along);
    for (int64_t e = 0; e < row.count; ++e) {
      length += static_cast<double>(row.values[e]) * static_cast<double>(row.values[e]);
    }
    for (int l = 0; l < kLanes; ++l) {
      group.square[l] += by[l] * (2 * along[l] + by[l] * length);
    }
  }
  add<kLanes>(row, by, group.current.data());
  if (plan_.average) add<kLanes>(row, back, group.mean.data());
}

// To the nearest point of |w| <= radius; a penalised intercept is one more weight.
template <int kLanes>
void Descent::project(Group& group) const {
  for (int l = 0; l < kLanes; ++l) {
    double& b = group.intercept[l];
    const double own = plan_.penalise_intercept ? b * b : 0;
    const double length = std::sqrt(group.square[l] * group.scale[l] * group.scale[l] + own);
    if (length <= plan_.radius) continue;
    group.scale[l] *= plan_.radius / length;
    if (plan_.penalise_intercept) b *= plan_.radius / length;
  }
}

// mean <- mean + share (w - mean), as changes of factors.
template <int kLanes>
void Descent::average(Group& group, int64_t t) const {
  const double share = (1 + plan_.forget) / (static_cast<double>(t) + plan_.forget);
  for (int l = 0; l < kLanes; ++l) {
    group.mean_intercept[l] += share * (group.intercept[l] - group.mean_intercept[l]);
  }
  if (share >= 1) {
    std::fill(group.mean.begin(), group.mean.end(), 0.0);
    group.factor = 1;
    for (int l = 0; l < kLanes; ++l) group.ratio[l] = group.scale[l];
    return;
  }
  group.factor *= 1 - share;
  for (int l = 0; l < kLanes; ++l) group.ratio[l] += share * group.scale[l] / group.factor;
}

template <int kLanes, class Rows>
void Descent::run(Group& group, const Rows& rows, const Targets& targets,
                  std::span<const int64_t> order, int64_t t) {
  Reader<Rows> read(rows);
  const int64_t n = static_cast<int64_t>(order.size());
  std::vector<double> slopes(std::min(plan_.batch, n) * kLanes);
  with_loss(plan_.loss, plan_.width, [&](auto loss) {
    for (int64_t begin = 0; begin < n; begin += plan_.batch) {
      const int64_t size = std::min(plan_.batch, n - begin);
      bool moves = false;
      double pull[kLanes] = {};
      for (int64_t r = 0; r < size; ++r) {
        const int64_t row = order[begin + r];
        if (begin + r + kAhead < n) read.expect(order[begin + r + kAhead]);
        double f[kLanes], *slope = slopes.data() + r * kLanes;
        dot<kLanes>(read(row), group.current.data(), f);
        std::fill_n(slope, kLanes, 0.0);
        for (int l = 0; l < group.count; ++l) {
          const double y = targets.of(row, group.first + l, outputs_);
          const double score = f[l] * group.scale[l] + group.intercept[l];
          const double s = loss.slope(loss.argument(score, y));
          slope[l] = s * loss.inner(y) * targets.weight[row];
          pull[l] += slope[l];
          moves = moves || s != 0;
          updates[group.first + l] += s != 0;
        }
      }
      const double eta = rate(++t), share = eta / static_cast<double>(size);
      if (plan_.alpha > 0) shrink<kLanes>(group, eta);
      for (int64_t r = 0; moves && r < size; ++r) {
        double step[kLanes];
        for (int l = 0; l < kLanes; ++l) step[l] = -share * slopes[r * kLanes + l];
        move<kLanes>(group, read(order[begin + r]), step);
      }
      for (int l = 0; plan_.intercept && l < kLanes; ++l) group.intercept[l] -= share * pull[l];
      if (plan_.radius > 0) project<kLanes>(group);
      if (plan_.average) average<kLanes>(group, t);
    }
  });
}

bool Descent::pass(const Points& points, const Targets& targets, std::span<const int64_t> order,
                   const Workers& workers) {
  const int64_t n = static_cast<int64_t>(order.size());
  // Whole batches, so that a segment ends where a step does.
  const int64_t batches =
      std::max<int64_t>(1, kSegmentEntries / usual_entries(points) / plan_.batch);
  const int64_t segment = batches * plan_.batch;
  bool going = true;
  for (int64_t begin = 0; begin < n && going; begin += segment) {
    const auto part = order.subspan(begin, std::min(segment, n - begin));
    const auto task = [&](int64_t g) {
      with_rows(points, [&](const auto& rows) {
        Group& group = groups_[g];
        group.lanes == 1 ? run<1>(group, rows, targets, part, steps)
                         : run<kGroup>(group, rows, targets, part, steps);
      });
    };
    // Every group makes these steps, also when the monitor wants to stop meanwhile.
    parallel_for(static_cast<int64_t>(groups_.size()), workers.threads, task);
    steps += (static_cast<int64_t>(part.size()) + plan_.batch - 1) / plan_.batch;
    going = !workers.monitor.stop();
  }
  for (Group& group : groups_) group.fold();
  return going;
}

template <int kLanes, class Rows>
void Descent::evaluate(const Group& group, const Rows& rows, const Targets& targets,
                       std::span<const int64_t> chosen, double* out) const {
  Reader<Rows> read(rows);
  const double* weights = plan_.average ? group.mean.data() : group.current.data();
  const double* intercept = plan_.average ? group.mean_intercept : group.intercept;
  with_loss(plan_.loss, plan_.width, [&](auto loss) {
    for (const int64_t row : chosen) {
      double f[kLanes];
      dot<kLanes>(read(row), weights, f);
      for (int l = 0; l < group.count; ++l) {
        const double y = targets.of(row, group.first + l, outputs_);
        out[group.first + l] +=
            targets.weight[row] * loss.value(loss.argument(f[l] + intercept[l], y));
      }
    }
  });
}

bool Descent::losses(const Points& points, const Targets& targets, std::span<const int64_t> rows,
                     double* out, const Workers& workers) const {
  const int64_t n = static_cast<int64_t>(rows.size());
  const int64_t blocks = (n + kBlockRows - 1) / kBlockRows;
  std::vector<double> parts(blocks * outputs_, 0.0);
  const auto task = [&](int64_t b) {
    const auto part = rows.subspan(b * kBlockRows, std::min(kBlockRows, n - b * kBlockRows));
    with_rows(points, [&](const auto& data) {
      for (const Group& group : groups_) {
        double* sum = parts.data() + b * outputs_;
        group.lanes == 1 ? evaluate<1>(group, data, targets, part, sum)
                         : evaluate<kGroup>(group, data, targets, part, sum);
      }
    });
  };
  const bool done = workers.run(blocks, task);
  std::fill_n(out, outputs_, 0.0);
  for (int64_t b = 0; b < blocks; ++b) {
    for (int64_t p = 0; p < outputs_; ++p) out[p] += parts[b * outputs_ + p];
  }
  return done;
}

std::vector<double> Descent::penalties() const {
  std::vector<double> out(outputs_, 0.0);
  for (const Group& group : groups_) {
    const double* weights = plan_.average ? group.mean.data() : group.current.data();
    const double* intercept = plan_.average ? group.mean_intercept : group.intercept;
    for (int64_t k = 0; k < features_; ++k) {
      for (int l = 0; l < group.count; ++l) {
        const double w = weights[k * group.lanes + l];
        out[group.first + l] += plan_.alpha / 2 * w * w;
      }
    }
    for (int l = 0; plan_.penalise_intercept && l < group.count; ++l) {
      out[group.first + l] += plan_.alpha / 2 * intercept[l] * intercept[l];
    }
  }
  return out;
}

void Descent::weights(bool mean, double* out) const {
  for (const Group& group : groups_) {
    const double* from = mean ? group.mean.data() : group.current.data();
    for (int l = 0; l < group.count; ++l) {
      double* to = out + (group.first + l) * features_;
      for (int64_t k = 0; k < features_; ++k) to[k] = from[k * group.lanes + l];
    }
  }
}

void Descent::intercepts(bool mean, double* out) const {
  for (const Group& group : groups_) {
    const double* from = mean ? group.mean_intercept : group.intercept;
    std::copy_n(from, group.count, out + group.first);
  }
}

void Descent::set(bool mean, const double* weights, const double* intercepts) {
  for (Group& group : groups_) {
    double* to = mean ? group.mean.data() : group.current.data();
    for (int l = 0; l < group.count; ++l) {
      const double* from = weights + (group.first + l) * features_;
      for (int64_t k = 0; k < features_; ++k) to[k * group.lanes + l] = from[k];
      (mean ? group.mean_intercept : group.intercept)[l] = intercepts[group.first + l];
      if (mean) continue;
      group.square[l] = 0;
      for (int64_t k = 0; k < features_; ++k) group.square[l] += from[k] * from[k];
    }
  }
}

std::vector<int64_t> shuffled(const Points& points, std::span<const int64_t> rows, uint64_t seed) {
  constexpr int64_t kCacheBytes = 1 << 20, kRunBytes = 4096, kWindowRuns = 64;
  Random random(seed);
  const int64_t n = static_cast<int64_t>(rows.size()), bytes = 8 * usual_entries(points);
  std::vector<int64_t> order(rows.begin(), rows.end());
  if (n * bytes <= kCacheBytes) {
    random.shuffle(std::span(order));
    return order;
  }
  const int64_t run = (kRunBytes + bytes - 1) / bytes;
  std::vector<int64_t> runs((n + run - 1) / run);
  for (size_t r = 0; r < runs.size(); ++r) runs[r] = static_cast<int64_t>(r) * run;
  random.shuffle(std::span(runs));
  int64_t filled = 0, window = 0;
  for (size_t r = 0; r < runs.size(); ++r) {
    const int64_t count = std::min(run, n - runs[r]);
    std::copy_n(rows.begin() + runs[r], count, order.begin() + filled);
    filled += count;
    if ((r + 1) % kWindowRuns == 0 || r + 1 == runs.size()) {
      random.shuffle(std::span(order).subspan(window, filled - window));
      window = filled;
    }
  }
  return order;
}

double choose_rate(const Points& points, const Targets& targets, std::span<const int64_t> sample,
                   Plan plan, int64_t outputs, const Workers& workers) {
  std::vector<double> sums(outputs);
  const auto objective = [&](double eta0) {
    plan.eta0 = eta0;
    Descent trial(plan, points.columns(), outputs);
    trial.pass(points, targets, sample, workers);
    trial.losses(points, targets, sample, sums.data(), workers);
    double total = 0;
    for (const double sum : sums) total += sum / static_cast<double>(sample.size());
    for (const double penalty : trial.penalties()) total += penalty;
    return std::isfinite(total) ? total : std::numeric_limits<double>::infinity();
  };
  double length = 0;
  for (const int64_t row : sample) length += points.squared_norm(row);
  double eta0 = static_cast<double>(sample.size()) / (length + static_cast<double>(sample.size()));
  double best = objective(eta0);
  // Upwards, then downwards; one worse value may be noise, two in a row are the other side.
  const double first = eta0;
  for (const double by : {2.0, 0.5}) {
    double tried = first;
    for (int worse = 0; worse < 2 && !workers.monitor.stopped();) {
      tried *= by;
      const double next = objective(tried);
      worse = next < best ? 0 : worse + 1;
      if (next < best) best = next, eta0 = tried;
    }
    if (eta0 != first) break;
  }
  return eta0;
}

}  // namespace svm::stream
