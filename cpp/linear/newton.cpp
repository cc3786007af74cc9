// Newton's method on the primal. Losses with kinks are smoothed by the proximal step of the dual
// (loss.h): the augmented Lagrangian method. With centre b_0 and weight sigma the smoothed problem
// is solved by semismooth Newton steps, its dual variables become the next centre, sigma grows, and
// the rows with a curvature become those that are free in the end.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "linear/certificate.h"
#include "linear/solve.h"
#include "linear/subsample.h"
#include "linear/system.h"

namespace svm::linear {
namespace {

constexpr int64_t kMostSteps = 2000;
// A smoothing begins this many typical residuals wide, and narrows by a factor each time.
constexpr double kFirstWidth = 10, kNarrowing = 3;
// A smoothed problem is left when its own error is this share of what smoothing costs.
constexpr double kInnerShare = 0.3;
// A step is taken when the slope has fallen to this share.
constexpr double kLineShare = 0.1;
// Where a step can gain more than this share of the objective, another one follows anyway.
constexpr double kForeseeable = 0.03;
// Problems begin where one row of so many leads, as long as these outnumber the features. It is
// left when a step has gained no more than this share of the objective.
constexpr int64_t kSubsampling = 8;
constexpr double kRoughShare = 0.01;
constexpr int64_t kMostRoughSteps = 30;

class Newton {
 public:
  Newton(const Problem& problem, Directions directions, const Settings& settings, Monitor& monitor,
         const Start* start)
      : problem_(problem),
        sample_(problem.sample),
        loss_(problem.loss),
        settings_(settings),
        monitor_(monitor),
        workers_{paying_threads(problem.sample, settings.threads), monitor},
        system_(directions == Directions::matrix
                    ? matrix_system(problem.sample, problem.intercept)
                    : product_system(problem.sample, problem.intercept)),
        n_(sample_.size()),
        d_(sample_.columns()),
        w_(d_),
        s_(n_),
        delta_(n_),
        curvature_(n_),
        combined_(n_),
        change_(n_),
        full_(d_),
        exact_(directions == Directions::matrix),
        trace_(monitor) {
    foreseen_.beta.resize(n_);
    dual_.beta.assign(n_, 0.0);
    centre_.assign(n_, 0.0);
    if (start != nullptr) {
      w_ = start->w;
      b_ = start->intercept;
      if (!start->beta.empty()) centre_ = dual_.beta = start->beta;
      width_ = start->width;
      warm_ = true;
    }
    const bool small = sample_.stored() <= kSmallEntries;
    goal_ = small ? std::min(settings.tol_gap, 1e-15) : settings.tol_gap;
  }

  // A point near the optimum, not certified. A smoothing narrows until it is as wide as the scores
  // of a sample of this size are uncertain; the problem on more rows goes on from there.
  Start rough() {
    Tube* tube = kinked();
    const double least = uncertainty();
    bool going = begin();
    if (tube != nullptr && going) {
      set_middle(*tube);
      for (double width = first_width(); going && width > least; width /= kNarrowing) {
        tube->smooth(box() / width, centre_.data());
        going = descend_roughly();
      }
      tube->smooth(box() / least, centre_.data());
    }
    if (going) descend_roughly();
    return {std::move(w_), b_, {}, least};
  }

  Solution run() {
    if (!begin()) return finish(Status::stopped);
    Tube* tube = kinked();
    return finish(tube != nullptr ? proximal(*tube) : smooth());
  }

 private:
  // The loss, if it has to be smoothed.
  Tube* kinked() const {
    Tube* tube = dynamic_cast<Tube*>(&loss_);
    return tube != nullptr && tube->kinked() ? tube : nullptr;
  }

  // The bounds of a typical row: a smoothing of weight sigma is box() / sigma wide.
  double box() const {
    double sum = 0;
    for (int64_t k = 0; k < n_; ++k) sum += std::max(-loss_.lowest(k), loss_.highest(k));
    return sum / static_cast<double>(n_);
  }
  double first_width() const {
    return width_ > 0 ? width_ : (warm_ ? 1 : kFirstWidth) * problem_.scale;
  }
  // How far scores are from those of the optimum on ever more rows: n of them tell d numbers to
  // sqrt(d / n), and twice that is seldom exceeded.
  double uncertainty() const {
    return 2 * problem_.scale * std::sqrt(static_cast<double>(d_ + 1) / static_cast<double>(n_));
  }

  // The smoothing has its kink in the middle.
  void set_middle(const Tube& tube) {
    for (int64_t k = 0; k < n_; ++k) centre_[k] = tube.middle(k, s_[k]);
  }

  // Steps until one has gained little, next to what more rows would change: a share d / n of the
  // objective. False when there is no way on.
  bool descend_roughly() {
    const double share = std::max(kRoughShare, static_cast<double>(d_) / static_cast<double>(n_));
    do {
      if (!evaluate() || steps_ >= limit() || !step()) return false;
    } while (decrement_ > share * current_.primal);
    return true;
  }
  bool free_intercept() const {
    return problem_.intercept.present && problem_.intercept.penalty == 0;
  }

  bool begin() { return !warm_ || multiply(sample_, w_.data(), b_, s_.data(), workers_); }

  Status smooth() {
    double last = kInfinity;
    int stalled = 0;
    for (;;) {
      if (!evaluate()) return Status::stopped;
      if (current_.gap <= goal_ && satisfied(dual_)) return Status::optimal;
      stalled = current_.gap < last / 2 ? 0 : stalled + (current_.gap < 1e-6);
      last = std::min(last, current_.gap);
      if (stalled > 3) return Status::precision;
      if (steps_ >= limit()) return Status::max_iterations;
      if (!step()) return monitor_.stopped() ? Status::stopped : Status::precision;
      if (foreseen()) return Status::optimal;
    }
  }

  Status proximal(Tube& tube) {
    double sigma = box() / first_width();
    if (width_ > 0) set_middle(tube);
    double last = kInfinity;
    int stalled = 0;
    for (;;) {
      tube.smooth(sigma, centre_.data());
      double error = kInfinity;
      for (int idle = 0; idle < 4;) {
        if (!evaluate()) return Status::stopped;
        const double outer_error = current_.gap * size() - inner_error_;
        const bool solved = inner_error_ <= kInnerShare * outer_error;
        // The violation takes passes of its own to look at, so it is looked at between problems.
        const bool look = solved || settings_.tol_violation == kInfinity;
        if (current_.gap <= goal_ && look && satisfied(dual_)) return Status::optimal;
        // Close to rounding the steps no longer reach the next set of active rows.
        idle = inner_error_ < error / 2 || inner_error_ > 1e-6 * size() ? 0 : idle + 1;
        error = std::min(error, inner_error_);
        if (solved) break;
        if (steps_ >= limit()) return Status::max_iterations;
        if (!step()) {
          if (monitor_.stopped()) return Status::stopped;
          break;
        }
        if (foreseen()) return Status::optimal;
      }
      const double gap = current_.gap;
      stalled = gap < last / 2 ? 0 : stalled + 1;
      last = std::min(last, gap);
      if (stalled > 5) return Status::precision;
      centre_ = dual_.beta;
      sigma *= kNarrowing;
    }
  }

  double size() const { return std::max(std::abs(current_.primal), std::abs(current_.dual)); }
  int64_t limit() const { return settings_.max_steps.value_or(kMostSteps); }

  // beta, X'beta and the gap at the present point. The gap is an estimate where 1'beta is not
  // yet zero.
  bool evaluate() {
    const Terms terms = sum_blocks<Terms>(n_, workers_, [&](int64_t begin, int64_t end) {
      return loss_.slopes(begin, end, s_.data(), dual_.beta.data(), curvature_.data());
    });
    if (!combine_changes()) return false;
    current_ = judge(problem_, w_, b_, terms, dual_);
    current_.support = support_;
    inner_error_ = squared_distance(w_, dual_.w) / 2;
    const double p = problem_.intercept.penalty;
    if (p > 0) inner_error_ += p / 2 * (b_ - dual_.sum / p) * (b_ - dual_.sum / p);
    if (free_intercept()) {
      inner_error_ += std::abs(dual_.sum) * problem_.scale;
      current_.gap += std::abs(dual_.sum) * problem_.scale / size();
    }
    report();
    if (current_.gap <= best_.gap) keep(current_.gap, dual_);
    return true;
  }

  // The point at hand with a dual one as the best so far, in the memory of the last one.
  void keep(double gap, const DualPoint& dual) {
    best_.gap = gap;
    best_.w = w_;
    best_.b = b_;
    best_.beta = dual.beta;
  }

  // X'beta and 1'beta: from the rows whose beta has changed since the last time, and now and
  // then from all.
  bool combine_changes() {
    constexpr int kRefresh = 16;
    const Change change = sum_blocks<Change>(n_, workers_, [&](int64_t begin, int64_t end) {
      Change sum;
      for (int64_t k = begin; k < end; ++k) {
        change_[k] = dual_.beta[k] - combined_[k];
        combined_[k] = dual_.beta[k];
        sum.rows += change_[k] != 0;
        sum.support += dual_.beta[k] != 0;
        sum.total += dual_.beta[k];
      }
      return sum;
    });
    if (monitor_.stopped()) return false;
    dual_.sum = change.total;
    support_ = change.support;
    if (++updates_ % kRefresh == 1 || 2 * change.rows > change.support) {
      return combine(sample_, dual_.beta.data(), dual_.w, workers_);
    }
    std::vector<double> moved;
    if (!combine(sample_, change_.data(), moved, workers_)) return false;
    for (int64_t j = 0; j < d_; ++j) dual_.w[j] += moved[j];
    return true;
  }

  // Newton's direction and the best step along it; false when there is no way down.
  bool step() {
    std::vector<double> gradient(d_ + (problem_.intercept.present ? 1 : 0)), direction;
    for (int64_t j = 0; j < d_; ++j) gradient[j] = w_[j] - dual_.w[j];
    if (problem_.intercept.present) gradient[d_] = problem_.intercept.penalty * b_ - dual_.sum;
    if (!system_->update(curvature_, loss_.quadratic(), workers_)) return false;
    if (!system_->solve(loss_.factor(), gradient, direction, workers_)) return false;
    const double db = problem_.intercept.present ? direction[d_] : 0;
    if (!multiply(sample_, direction.data(), db, delta_.data(), workers_)) return false;
    const double length = search(gradient, direction);
    if (!(length > 0) || monitor_.stopped()) return false;
    for (int64_t j = 0; j < d_; ++j) {
      full_[j] = w_[j] + direction[j];
      w_[j] += length * direction[j];
    }
    b_ += length * db;
    // Nothing stops this part: the scores stay those of w.
    parallel_for((n_ + kVectorBlock - 1) / kVectorBlock, workers_.threads, [&](int64_t block) {
      const int64_t end = std::min(n_, (block + 1) * kVectorBlock);
      for (int64_t k = block * kVectorBlock; k < end; ++k) s_[k] += length * delta_[k];
    });
    ++steps_;
    return true;
  }

  // The zero of the derivative along the direction, which increases: Newton's method in one
  // variable, kept inside the interval where the sign changes.
  double search(const std::vector<double>& gradient, const std::vector<double>& direction) {
    double first = 0, curve = 0;
    for (size_t j = 0; j < direction.size(); ++j) {
      const double penalty = j < static_cast<size_t>(d_) ? 1 : problem_.intercept.penalty;
      first += gradient[j] * direction[j];
      curve += penalty * direction[j] * direction[j];
    }
    decrement_ = -first / 2;
    if (!(first < 0)) return 0;
    double low = 0, high = kInfinity, step = 1;
    for (int round = 0; round < 100 && !monitor_.stopped(); ++round) {
      const Slope change = sum_blocks<Slope>(n_, workers_, [&](int64_t begin, int64_t end) {
        return loss_.along(begin, end, s_.data(), dual_.beta.data(), delta_.data(), step);
      });
      const double slope = first + step * curve + change.first;
      if (std::abs(slope) <= -kLineShare * first) return step;
      (slope < 0 ? low : high) = step;
      step -= slope / (curve + change.second);
      if (step > low && step < high) continue;
      step = high < kInfinity ? (low + high) / 2 : 4 * low;
    }
    return low;
  }

  // Whether the point is as good as asked once 1'beta = 0 and the violation are looked at
  // exactly.
  bool satisfied(const DualPoint& dual) {
    if (!free_intercept() && settings_.tol_violation == kInfinity) return true;
    DualPoint point = balanced(dual);
    if (monitor_.stopped()) return false;
    if (compare(problem_, w_, b_, s_, point, workers_).gap > goal_ || monitor_.stopped())
      return false;
    if (settings_.tol_violation == kInfinity) return true;
    std::vector<double> scores(n_);
    if (!multiply(sample_, point.w.data(), 0, scores.data(), workers_)) return false;
    const double error = violation_error(sample_, point.beta, workers_);
    const double found = violation(problem_, point, scores, workers_).value + error;
    return !monitor_.stopped() && found <= settings_.tol_violation;
  }

  DualPoint balanced(const DualPoint& dual) const {
    DualPoint point = dual;
    balance(problem_, point.beta);
    if (point.beta != dual.beta) {
      combine(sample_, point.beta.data(), point.w, workers_);
      point.sum = total(point.beta);
    }
    return point;
  }

  // Newton's equations are X'beta' = w + direction for beta' = beta - curvature * delta, the
  // slopes that the quadratic model foresees. Close to the end beta' is a far better dual point
  // than the slopes at w, and only rows that it has to be clipped at take a pass. Whether it says
  // that all is done.
  bool foreseen() {
    if (!exact_ || decrement_ > kForeseeable * current_.primal) return false;
    const Foreseen rows{dual_.beta.data(), curvature_.data(),     delta_.data(),
                        loss_.factor(),    foreseen_.beta.data(), change_.data()};
    foreseen_.sum = sum_blocks<double>(n_, workers_, [&](int64_t begin, int64_t end) {
      loss_.foresee(begin, end, rows);
      return std::accumulate(foreseen_.beta.begin() + begin, foreseen_.beta.begin() + end, 0.0);
    });
    if (monitor_.stopped()) return false;
    if (!combine(sample_, change_.data(), foreseen_.w, workers_)) return false;
    for (int64_t j = 0; j < d_; ++j) foreseen_.w[j] += full_[j];
    const Certificate found = compare(problem_, w_, b_, s_, foreseen_, workers_);
    if (found.gap > goal_ || !satisfied(foreseen_)) return false;
    keep(found.gap, foreseen_);
    return true;
  }

  void report() {
    current_.violation = std::numeric_limits<double>::quiet_NaN();  // it takes passes of its own
    trace_.observe(current_, steps_);
  }

  Solution finish(Status status) {
    Solution solution;
    if (best_.gap < kInfinity) {
      w_ = std::move(best_.w), b_ = best_.b, dual_.beta = std::move(best_.beta);
    }
    solution.w = std::move(w_);
    solution.intercept = b_;
    solution.beta = std::move(dual_.beta);
    solution.steps = solution.newton_steps = steps_;
    conclude(problem_, settings_, status, monitor_, trace_, solution);
    return solution;
  }

  struct Change {
    int64_t rows = 0, support = 0;
    double total = 0;
    Change& operator+=(const Change& o) {
      rows += o.rows;
      support += o.support;
      total += o.total;
      return *this;
    }
  };
  struct Best {
    double gap = kInfinity;
    std::vector<double> w;
    double b = 0;
    std::vector<double> beta;
  };

  const Problem& problem_;
  const Sample& sample_;
  Loss& loss_;
  const Settings& settings_;
  Monitor& monitor_;
  Workers workers_;
  std::unique_ptr<System> system_;
  int64_t n_, d_;
  double goal_;
  bool warm_ = false;
  double width_ = 0;  // of the smoothing to begin with, if it is known
  std::vector<double> centre_;
  std::vector<double> w_, s_, delta_, curvature_, combined_, change_;
  double b_ = 0;
  DualPoint dual_, foreseen_;
  std::vector<double> full_;  // w after a whole step
  bool exact_;                // whether Newton's equations hold to rounding
  Certificate current_;
  Best best_;
  double inner_error_ = 0;
  double decrement_ = 0;  // what the last step was to gain, by the quadratic model
  int64_t steps_ = 0, updates_ = 0, support_ = 0;
  Trace trace_;
};

// Where a share of the rows leads, if there are enough of them and all are at hand.
std::optional<Start> approach(const Problem& problem, Directions directions,
                              const Settings& settings, Monitor& monitor) {
  const Sample& sample = problem.sample;
  const bool many = sample.size() / kSubsampling > sample.columns();
  if (!many || sample.stored() <= kSmallEntries) return std::nullopt;
  if (sample.rows.section(sample.index.front()) != sample.rows.section(sample.index.back())) {
    return std::nullopt;
  }
  const Subsample part(problem, kSubsampling);
  const auto start = approach(part.problem(), directions, settings, monitor);
  return Newton(part.problem(), directions, settings, monitor, start ? &*start : nullptr).rough();
}

}  // namespace

Solution newton(const Problem& problem, Directions directions, const Settings& settings,
                Monitor& monitor, const Start* start) {
  std::optional<Start> near;
  if (start == nullptr) {
    // What a part of the rows says of itself is nothing to report.
    Monitor quiet([&](const TraceRow&) { return monitor.stop(); });
    Settings rough = settings;
    rough.max_steps = kMostRoughSteps;
    near = approach(problem, directions, rough, quiet);
    if (near) start = &*near;
  }
  return Newton(problem, directions, settings, monitor, start).run();
}

}  // namespace svm::linear
