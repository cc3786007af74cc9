#include "stream/descent.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace svm::stream {
namespace {

// Rows that a thread works on between two looks at the monitor hold about this many entries.
constexpr int64_t kSegmentEntries = 1 << 17;
constexpr int64_t kBlockRows = 1024;
// Rows are asked for this many steps before they are read.
constexpr int64_t kAhead = 6;
// Below this the factors are folded into the weights.
constexpr double kSmallFactor = 1e-60;

// SplitMix64 (Steele, Lea and Flood, 2014): one seed, the same numbers everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  // A number below n, for n up to 2^53.
  int64_t below(int64_t n) {
    state_ += 0x9e3779b97f4a7c15ULL;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    z ^= z >> 31;
    return static_cast<int64_t>(static_cast<double>(z >> 11) * 0x1p-53 * static_cast<double>(n));
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
  for (Output& output : outputs_) {
    output.current.assign(features, 0.0);
    if (plan.average) output.mean.assign(features, 0.0);
  }
}

void Descent::Output::fold() {
  for (size_t k = 0; k < mean.size(); ++k) mean[k] = factor * (mean[k] + ratio * current[k]);
  for (double& w : current) w *= scale;
  square *= scale * scale;
  scale = factor = growth = 1;
  ratio = 0;
}

double Descent::rate(double time) const {
  if (plan_.radius > 0) return 1 / (plan_.alpha * time);
  const double base = 1 + plan_.decay * time;
  if (plan_.power == 1) return plan_.eta0 / base;
  // base^(3/4), the usual power of averaged descent, by roots: pow would cost as much as a row.
  if (plan_.power == 0.75) return plan_.eta0 / (std::sqrt(base) * std::sqrt(std::sqrt(base)));
  return plan_.eta0 / std::pow(base, plan_.power);
}

void Descent::shrink(Output& output, double rate) const {
  const double by = std::max(0.0, 1 - rate * plan_.alpha);
  output.scale *= by;
  output.growth *= by;
  if (plan_.penalise_intercept) output.intercept *= by;
  if (output.scale < kSmallFactor || output.factor < kSmallFactor) output.fold();
}

// w += step x
template <class X>
void Descent::move(Output& output, const Entries<X>& row, double step) const {
  const double by = step / output.scale;
  if (plan_.radius > 0) {
    // |W + by x|^2 = |W|^2 + 2 by W'x + by^2 |x|^2
    double length = 0;
    for (int64_t e = 0; e < row.count; ++e) {
      length += static_cast<double>(row.values[e]) * static_cast<double>(row.values[e]);
    }
    output.square += by * (2 * dot(row, output.current.data()) + by * length);
  }
  add(row, by, output.current.data());
  if (plan_.average && output.ratio != 0) add(row, -output.ratio * by, output.mean.data());
}

// To the nearest point of |w| <= radius; a penalised intercept is one more weight.
void Descent::project(Output& output) const {
  const double own = plan_.penalise_intercept ? output.intercept * output.intercept : 0;
  const double length = std::sqrt(output.square * output.scale * output.scale + own);
  if (length <= plan_.radius) return;
  output.scale *= plan_.radius / length;
  output.growth *= plan_.radius / length;
  if (plan_.penalise_intercept) output.intercept *= plan_.radius / length;
}

// mean <- mean + share (w - mean), as changes of factors.
void Descent::average(Output& output, const Step& step) const {
  output.mean_intercept += step.share * (output.intercept - output.mean_intercept);
  if (step.share >= 1) {
    std::fill(output.mean.begin(), output.mean.end(), 0.0);
    output.factor = 1;
    output.ratio = output.growth = output.scale;
    return;
  }
  output.factor *= 1 - step.share;
  output.growth *= step.grow;
  output.ratio += step.share * output.growth;
}

template <class Rows>
void Descent::run(int64_t number, const Rows& rows, const Targets& targets,
                  std::span<const int64_t> order, std::span<const Step> made) {
  Output& output = outputs_[number];
  Reader<Rows> read(rows);
  const int64_t n = static_cast<int64_t>(order.size());
  std::vector<double> slopes(std::min(plan_.batch, n));
  with_loss(plan_.loss, plan_.width, [&](auto loss) {
    for (int64_t begin = 0, step = 0; begin < n; begin += plan_.batch, ++step) {
      const int64_t size = std::min(plan_.batch, n - begin);
      double pull = 0;
      for (int64_t r = 0; r < size; ++r) {
        const int64_t row = order[begin + r];
        if (begin + r + kAhead < n) read.expect(order[begin + r + kAhead]);
        const double f = dot(read(row), output.current.data()) * output.scale + output.intercept;
        const double y = targets.of(row, number), s = loss.slope(loss.argument(f, y));
        slopes[r] = s * loss.inner(y) * targets.weight[row];
        pull += slopes[r];
        updates[number] += s != 0;
      }
      const double eta = made[step].eta, share = eta / static_cast<double>(size);
      if (plan_.alpha > 0) shrink(output, eta);
      for (int64_t r = 0; r < size; ++r) {
        if (slopes[r] != 0) move(output, read(order[begin + r]), -share * slopes[r]);
      }
      if (plan_.intercept) output.intercept -= share * pull;
      if (plan_.radius > 0) project(output);
      if (plan_.average) average(output, made[step]);
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
    std::vector<Step> made((part.size() + plan_.batch - 1) / plan_.batch);
    for (Step& step : made) {
      const double time = static_cast<double>(++steps);
      const double share = (1 + plan_.forget) / (time + plan_.forget);
      step = {rate(time), share, 1 / (1 - share)};
    }
    const auto task = [&](int64_t number) {
      with_rows(points, [&](const auto& rows) { run(number, rows, targets, part, made); });
    };
    // Every output makes these steps, also when the monitor wants to stop meanwhile.
    parallel_for(outputs(), workers.threads, task);
    going = !workers.monitor.stop();
  }
  for (Output& output : outputs_) output.fold();
  return going;
}

bool Descent::losses(const Points& points, const Targets& targets, std::span<const int64_t> rows,
                     double* out, const Workers& workers) const {
  const int64_t n = static_cast<int64_t>(rows.size());
  const int64_t blocks = (n + kBlockRows - 1) / kBlockRows;
  std::vector<double> parts(blocks * outputs(), 0.0);
  const auto block = [&](int64_t b) {
    const auto chosen = rows.subspan(b * kBlockRows, std::min(kBlockRows, n - b * kBlockRows));
    with_rows(points, [&]<class Rows>(const Rows& data) {
      Reader<Rows> read(data);
      with_loss(plan_.loss, plan_.width, [&](auto loss) {
        for (const int64_t row : chosen) {
          const auto entries = read(row);
          for (int64_t p = 0; p < outputs(); ++p) {
            const Output& output = outputs_[p];
            const double f = dot(entries, reported(output).data()) + reported_intercept(output);
            const double u = loss.argument(f, targets.of(row, p));
            parts[b * outputs() + p] += targets.weight[row] * loss.value(u);
          }
        }
      });
    });
  };
  const bool done = workers.run(blocks, block);
  std::fill_n(out, outputs(), 0.0);
  for (int64_t k = 0; k < blocks * outputs(); ++k) out[k % outputs()] += parts[k];
  return done;
}

std::vector<double> Descent::penalties() const {
  std::vector<double> out;
  for (const Output& output : outputs_) {
    double square = 0;
    for (const double w : reported(output)) square += w * w;
    const double b = reported_intercept(output);
    if (plan_.penalise_intercept) square += b * b;
    out.push_back(plan_.alpha / 2 * square);
  }
  return out;
}

void Descent::weights(bool mean, double* out) const {
  for (const Output& output : outputs_) {
    const std::vector<double>& from = mean ? output.mean : output.current;
    out = std::copy(from.begin(), from.end(), out);
  }
}

void Descent::intercepts(bool mean, double* out) const {
  for (const Output& output : outputs_) *out++ = mean ? output.mean_intercept : output.intercept;
}

void Descent::set(bool mean, const double* weights, const double* intercepts) {
  for (Output& output : outputs_) {
    std::copy_n(weights, features_, (mean ? output.mean : output.current).begin());
    (mean ? output.mean_intercept : output.intercept) = *intercepts++;
    if (!mean) {
      output.square = 0;
      for (int64_t k = 0; k < features_; ++k) output.square += weights[k] * weights[k];
    }
    weights += features_;
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
  outputs = std::min<int64_t>(outputs, 4);
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
