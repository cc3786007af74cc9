// Stochastic descent with weights of one precision, compiled once for each (descent_single.cpp,
// descent_double.cpp): with every loss and layout of rows that takes a while.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "stream/descent.h"
#include "stream/models.h"

namespace svm::stream {

// Rows that a thread works on between two looks at the monitor hold about this many entries.
inline constexpr int64_t kSegmentEntries = 1 << 17;
inline constexpr int64_t kBlockRows = 1024, kBlockFeatures = 256;
// Rows are asked for this many steps before they are read.
inline constexpr int64_t kAhead = 6;

template <class W>
class DescentOf final : public Descent {
 public:
  DescentOf(const Plan& plan, int64_t features, int64_t outputs, int threads)
      : Descent(plan, features, outputs) {
    // Pegasos has a projection, and so a scale, for each output.
    const bool alone = outputs == 1 || plan.radius > 0;
    const int64_t least = (outputs + simd::kMostModels - 1) / simd::kMostModels;
    const int64_t groups =
        alone ? outputs : std::max(least, std::min<int64_t>(threads, (outputs + 3) / 4));
    // All but the last group have no place left empty.
    const int64_t each = alone ? 1 : simd::width_for((outputs + groups - 1) / groups);
    for (int64_t first = 0; first < outputs; first += each) {
      groups_.emplace_back(first, std::min(each, outputs - first), features, plan.average, alone,
                           plan.l1 > 0);
    }
  }

  bool pass(const Points& points, const Targets& targets, std::span<const int64_t> order,
            const Workers& workers) override;
  bool losses(const Points& points, const Targets& targets, std::span<const int64_t> rows,
              double* out, const Workers& workers) const override;
  std::vector<double> penalties() const override;
  void weights(bool mean, double* out) const override;
  void intercepts(bool mean, double* out) const override;
  void set(bool mean, const double* weights, const double* intercepts) override;
  bool single() const override { return sizeof(W) == sizeof(float); }

 private:
  template <bool kPlain, class Rows>
  void run(Models<W>& models, const Rows& rows, const Targets& targets,
           std::span<const int64_t> order, const simd::StepFactors& made);
  void keep_square(Models<W>& models, const RowEntries<W>& row, double by) const;
  void project(Models<W>& models) const;

  std::vector<Models<W>> groups_;
};

// |W + by x|^2 = |W|^2 + 2 by W'x + by^2 |x|^2
template <class W>
void DescentOf<W>::keep_square(Models<W>& models, const RowEntries<W>& row, double by) const {
  double length = 0;
  for (int64_t e = 0; e < row.count; ++e) {
    length += static_cast<double>(row.values[e]) * static_cast<double>(row.values[e]);
  }
  W along;
  models.scores(row, models.current.get(), &along);
  models.square += by * (2 * static_cast<double>(along) + by * length);
}

// To the nearest point of |w| <= radius; a penalised intercept is one more weight.
template <class W>
void DescentOf<W>::project(Models<W>& models) const {
  const double own = plan_.penalise_intercept ? models.intercept[0] * models.intercept[0] : 0;
  const double length = std::sqrt(models.square * models.scale * models.scale + own);
  if (length <= plan_.radius) return;
  models.shrink(plan_.radius / length, length / plan_.radius);
  if (plan_.penalise_intercept) models.intercept[0] *= plan_.radius / length;
}

// kPlain: one output, and one row per step. Its loops have one turn and its arrays one value, which
// the compiler then knows.
template <class W>
template <bool kPlain, class Rows>
void DescentOf<W>::run(Models<W>& models, const Rows& rows, const Targets& targets,
                       std::span<const int64_t> order, const simd::StepFactors& made) {
  constexpr int kMost = kPlain ? 1 : simd::kMostModels;
  Reader<Rows> read(rows);
  const int64_t n = static_cast<int64_t>(order.size()), count = kPlain ? 1 : models.count;
  const int64_t batch = kPlain ? 1 : std::min(plan_.batch, n);
  std::vector<double> kept(batch * count);
  double one;
  double* const slopes = kPlain ? &one : kept.data();
  with_loss(plan_.loss, plan_.width, [&](auto loss) {
    for (int64_t begin = 0, step = 0; begin < n; begin += batch, ++step) {
      const int64_t size = kPlain ? 1 : std::min(batch, n - begin);
      double pull[kMost] = {};
      for (int64_t r = 0; r < size; ++r) {
        const int64_t row = order[begin + r];
        if (begin + r + kAhead < n) {
          const int64_t soon = order[begin + r + kAhead];
          read.expect(soon);
          __builtin_prefetch(&targets.y[soon]);
          __builtin_prefetch(&targets.weight[soon]);
        }
        W scores[kMost];
        models.scores(read(row), models.current.get(), scores);
        for (int64_t k = 0; k < count; ++k) {
          const double f = static_cast<double>(scores[k]) * models.scale + models.intercept[k];
          const double y = targets.of(row, models.first + k);
          const double s = loss.slope(loss.argument(f, y));
          const double weight = targets.weight[row] * plan_.factor(models.first + k, y);
          slopes[r * count + k] = s * loss.inner(y) * weight;
          pull[k] += slopes[r * count + k];
          updates[models.first + k] += s != 0;
        }
      }
      const double share = made.eta[step] / static_cast<double>(size);
      if (plan_.alpha > 0) {
        models.shrink(made.kept[step], made.back[step]);
        if (plan_.penalise_intercept) {
          const double kept_of_b = 1 - plan_.intercept_rate * (1 - made.kept[step]);
          for (int64_t k = 0; k < count; ++k) models.intercept[k] *= kept_of_b;
        }
      }
      for (int64_t r = 0; r < size; ++r) {
        const double* from = slopes + r * count;
        if (std::all_of(from, from + count, [](double s) { return s == 0; })) continue;
        W by[kMost] = {};
        for (int64_t k = 0; k < count; ++k) by[k] = static_cast<W>(-share * models.unit * from[k]);
        const auto row = read(order[begin + r]);
        if (plan_.radius > 0) keep_square(models, row, static_cast<double>(by[0]));
        models.move(row, by);
      }
      if (plan_.intercept) {
        const double by = share * plan_.intercept_rate;
        for (int64_t k = 0; k < count; ++k) models.intercept[k] -= by * pull[k];
      }
      if (plan_.l1 > 0) {
        models.asked += made.eta[step] * plan_.l1;
        for (int64_t r = 0; r < size; ++r) models.pay(read(order[begin + r]));
      }
      if (plan_.radius > 0) project(models);
      if (plan_.average && made.share[step] > 0) models.average(made.share[step], made.grow[step]);
    }
  });
}

template <class W>
bool DescentOf<W>::pass(const Points& points, const Targets& targets,
                        std::span<const int64_t> order, const Workers& workers) {
  const int64_t n = static_cast<int64_t>(order.size());
  // Whole batches, so that a segment ends where a step does.
  const int64_t batches =
      std::max<int64_t>(1, kSegmentEntries / usual_entries(points) / plan_.batch);
  const int64_t segment = batches * plan_.batch;
  const simd::Schedule schedule{plan_.alpha, plan_.eta0,   plan_.convexity, plan_.decay,
                                plan_.power, plan_.origin, plan_.start,     plan_.forget};
  std::vector<double> factors(5 * batches);
  const simd::StepFactors made{&factors[0], &factors[batches], &factors[2 * batches],
                               &factors[3 * batches], &factors[4 * batches]};
  bool going = true;
  for (int64_t begin = 0; begin < n && going; begin += segment) {
    const auto part = order.subspan(begin, std::min(segment, n - begin));
    const int64_t count = (static_cast<int64_t>(part.size()) + plan_.batch - 1) / plan_.batch;
    simd::step_table().schedule(schedule, steps + 1, count, made);
    steps += count;
    const auto task = [&](int64_t g) {
      with_rows<W>(points, [&](const auto& rows) {
        if (groups_[g].width == 1 && plan_.batch == 1) {
          run<true>(groups_[g], rows, targets, part, made);
        } else {
          run<false>(groups_[g], rows, targets, part, made);
        }
      });
    };
    // Every output makes these steps, also when the monitor wants to stop meanwhile.
    parallel_for(static_cast<int64_t>(groups_.size()), workers.threads, task);
    going = !workers.monitor.stop();
  }
  parallel_for(static_cast<int64_t>(groups_.size()), workers.threads, [&](int64_t g) {
    for (int64_t j = 0; j < features_ && plan_.l1 > 0; ++j) groups_[g].pay(j);
    groups_[g].fold();
  });
  return going;
}

template <class W>
bool DescentOf<W>::losses(const Points& points, const Targets& targets,
                          std::span<const int64_t> rows, double* out,
                          const Workers& workers) const {
  const int64_t n = static_cast<int64_t>(rows.size());
  const int64_t blocks = (n + kBlockRows - 1) / kBlockRows;
  std::vector<double> parts(blocks * outputs(), 0.0);
  const auto block = [&](int64_t b) {
    const auto chosen = rows.subspan(b * kBlockRows, std::min(kBlockRows, n - b * kBlockRows));
    with_rows<W>(points, [&]<class Rows>(const Rows& data) {
      Reader<Rows> read(data);
      with_loss(plan_.loss, plan_.width, [&](auto loss) {
        W scores[simd::kMostModels];
        for (const Models<W>& models : groups_) {
          double* sums = parts.data() + b * outputs() + models.first;
          for (const int64_t row : chosen) {
            models.scores(read(row), models.reported(), scores);
            for (int64_t k = 0; k < models.count; ++k) {
              const double f = static_cast<double>(scores[k]) + models.reported_intercept()[k];
              const double y = targets.of(row, models.first + k);
              const double weight = targets.weight[row] * plan_.factor(models.first + k, y);
              sums[k] += weight * loss.value(loss.argument(f, y));
            }
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

template <class W>
std::vector<double> DescentOf<W>::penalties() const {
  std::vector<double> out(outputs(), 0.0);
  for (const Models<W>& models : groups_) {
    double squares[simd::kMostModels] = {}, sizes[simd::kMostModels] = {};
    const W* from = models.reported();
    for (int64_t j = 0; j < features_; ++j, from += models.width) {
      for (int64_t k = 0; k < models.count; ++k) {
        squares[k] += static_cast<double>(from[k]) * static_cast<double>(from[k]);
        sizes[k] += std::abs(static_cast<double>(from[k]));
      }
    }
    for (int64_t k = 0; k < models.count; ++k) {
      const double b = models.reported_intercept()[k];
      if (plan_.penalise_intercept) squares[k] += b * b;
      out[models.first + k] = plan_.alpha / 2 * squares[k] + plan_.l1 * sizes[k];
    }
  }
  return out;
}

template <class W>
void DescentOf<W>::weights(bool mean, double* out) const {
  for (const Models<W>& models : groups_) {
    const W* from = mean ? models.reported() : models.current.get();
    // In blocks of features that stay in the cache while they are read for each output.
    for (int64_t begin = 0; begin < features_; begin += kBlockFeatures) {
      const int64_t end = std::min(features_, begin + kBlockFeatures);
      for (int64_t k = 0; k < models.count; ++k) {
        double* row = out + (models.first + k) * features_;
        for (int64_t j = begin; j < end; ++j) row[j] = from[j * models.width + k];
      }
    }
  }
}

template <class W>
void DescentOf<W>::intercepts(bool mean, double* out) const {
  for (const Models<W>& models : groups_) {
    const double* from = mean ? models.reported_intercept() : models.intercept;
    out = std::copy_n(from, models.count, out);
  }
}

template <class W>
void DescentOf<W>::set(bool mean, const double* weights, const double* intercepts) {
  for (Models<W>& models : groups_) {
    W* to = (mean ? models.mean : models.current).get();
    models.square = 0;
    for (int64_t k = 0; k < models.count; ++k) {
      const double* row = weights + (models.first + k) * features_;
      for (int64_t j = 0; j < features_; ++j) to[j * models.width + k] = static_cast<W>(row[j]);
      (mean ? models.mean_intercept : models.intercept)[k] = intercepts[models.first + k];
    }
    models.begun = models.begun || mean;
    if (models.width > 1) continue;
    for (int64_t j = 0; j < features_; ++j) {
      const double w = static_cast<double>(models.current[j]);
      models.square += w * w;
    }
  }
}

extern template class DescentOf<float>;
extern template class DescentOf<double>;

}  // namespace svm::stream
