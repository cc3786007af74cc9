// Newton's method on the primal. Losses with kinks are smoothed by the proximal step of the dual
// (loss.h): the augmented Lagrangian method. With centre b_0 and weight sigma the smoothed problem
// is solved by semismooth Newton steps, its dual variables become the next centre, sigma grows, and
// the rows with a curvature become those that are free in the end.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "linear/certificate.h"
#include "linear/local_rows.h"
#include "linear/solve.h"
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
  Newton(RowPasses& rows, Directions directions, const Settings& settings, Monitor& monitor,
         const Start* start)
      : rows_(rows),
        shape_(rows.shape()),
        settings_(settings),
        monitor_(monitor),
        workers_{shape_.entries <= kSmallEntries ? 1 : settings.threads, monitor},
        system_(directions == Directions::matrix ? matrix_system(rows) : product_system(rows)),
        n_(shape_.rows),
        d_(shape_.columns),
        w_(d_),
        full_(d_),
        exact_(directions == Directions::matrix),
        trace_(monitor) {
    if (start != nullptr) {
      w_ = start->w;
      if (shape_.intercept.present) b_ = start->intercept;
      width_ = start->width;
      warm_ = true;
      centred_ = !start->beta.empty();
    }
    // The last digits would take conjugate gradients long, and rows elsewhere many messages.
    const bool small = exact_ && !shape_.remote && shape_.entries <= kSmallEntries;
    goal_ = small ? std::min(settings.tol_gap, 1e-15) : settings.tol_gap;
  }

  // A point near the optimum, not certified. A smoothing narrows until it is as wide as the scores
  // of a sample of this size are uncertain; the problem on more rows goes on from there.
  Start rough() {
    const double least = uncertainty();
    bool going = begin();
    if (shape_.kinked && going) {
      rows_.centre_in_the_middle();
      for (double width = first_width(); going && width > least; width /= kNarrowing) {
        smooth_by(box() / width);
        going = descend_roughly();
      }
      smooth_by(box() / least);
    }
    if (going) descend_roughly();
    return {std::move(w_), b_, {}, least};
  }

  Solution run() {
    if (!begin()) return finish(Status::stopped);
    return finish(shape_.kinked ? proximal() : smooth());
  }

 private:
  // The bounds of a typical row: a smoothing of weight sigma is box() / sigma wide.
  double box() const { return shape_.box / static_cast<double>(n_); }
  double first_width() const {
    return width_ > 0 ? width_ : (warm_ ? 1 : kFirstWidth) * shape_.scale;
  }
  // How far scores are from those of the optimum on ever more rows: n of them tell d numbers to
  // sqrt(d / n), and twice that is seldom exceeded.
  double uncertainty() const {
    return 2 * shape_.scale * std::sqrt(static_cast<double>(d_ + 1) / static_cast<double>(n_));
  }

  void smooth_by(double sigma) {
    factor_ = sigma;
    rows_.smooth(sigma);
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

  bool begin() { return !warm_ || rows_.score(w_, b_); }

  Status smooth() {
    double last = kInfinity, lowest = kInfinity;
    int stalled = 0;
    for (;;) {
      if (!evaluate()) return Status::stopped;
      if (current_.gap <= goal_ && satisfied(Point::current, dual_)) return Status::optimal;
      // At the end of the digits, or where rows are so large that steps no longer lower the objective.
      const bool idle = current_.gap < 1e-6 || !(current_.primal < lowest);
      stalled = current_.gap < last / 2 ? 0 : stalled + idle;
      last = std::min(last, current_.gap);
      lowest = std::min(lowest, current_.primal);
      if (stalled > 3) return Status::precision;
      if (steps_ >= limit()) return Status::max_iterations;
      if (!step()) return monitor_.stopped() ? Status::stopped : Status::precision;
      if (foreseen()) return Status::optimal;
    }
  }

  Status proximal() {
    double sigma = box() / first_width();
    if (width_ > 0 && !centred_) rows_.centre_in_the_middle();
    double last = kInfinity;
    int stalled = 0;
    for (;;) {
      smooth_by(sigma);
      double error = kInfinity;
      for (int idle = 0; idle < 4;) {
        if (!evaluate()) return Status::stopped;
        const double outer_error = current_.gap * size() - inner_error_;
        const bool solved = inner_error_ <= kInnerShare * outer_error;
        // The violation takes passes of its own to look at, so it is looked at between problems.
        const bool look = solved || settings_.tol_violation == kInfinity;
        if (current_.gap <= goal_ && look && satisfied(Point::current, dual_))
          return Status::optimal;
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
      rows_.centre_at_the_point();
      sigma *= kNarrowing;
    }
  }

  double size() const { return std::max(std::abs(current_.primal), std::abs(current_.dual)); }
  int64_t limit() const { return settings_.max_steps.value_or(kMostSteps); }

  // beta, X'beta and the gap at the present point. The gap is an estimate where 1'beta is not
  // yet zero.
  bool evaluate() {
    Terms terms;
    if (!rows_.slopes(terms, dual_)) return false;
    current_ = judge(shape_.intercept, w_, b_, terms, dual_.w, dual_.sum);
    current_.support = dual_.support;
    inner_error_ = squared_distance(w_, dual_.w) / 2;
    const double p = shape_.intercept.penalty;
    if (p > 0) inner_error_ += p / 2 * (b_ - dual_.sum / p) * (b_ - dual_.sum / p);
    if (shape_.intercept.free()) {
      inner_error_ += std::abs(dual_.sum) * shape_.scale;
      current_.gap += std::abs(dual_.sum) * shape_.scale / size();
    }
    report();
    if (current_.gap <= best_.gap) keep(current_.gap, Point::current);
    return true;
  }

  // The point at hand with a dual one as the best so far.
  void keep(double gap, Point point) {
    best_ = {gap, w_, b_};
    rows_.keep(point);
  }

  // Newton's direction and the best step along it; false when there is no way down.
  bool step() {
    const bool intercept = shape_.intercept.present;
    std::vector<double> gradient(d_ + (intercept ? 1 : 0)), direction;
    for (int64_t j = 0; j < d_; ++j) gradient[j] = w_[j] - dual_.w[j];
    if (intercept) gradient[d_] = shape_.intercept.penalty * b_ - dual_.sum;
    if (!system_->update()) return false;
    if (!system_->solve(factor_, gradient, direction, workers_)) return false;
    if (!rows_.aim(direction)) return false;
    const double length = search(gradient, direction);
    if (!(length > 0) || monitor_.stopped()) return false;
    for (int64_t j = 0; j < d_; ++j) {
      full_[j] = w_[j] + direction[j];
      w_[j] += length * direction[j];
    }
    if (intercept) b_ += length * direction[d_];
    rows_.advance(length);
    ++steps_;
    return true;
  }

  // The zero of the derivative along the direction, which increases: Newton's method in one
  // variable, kept inside the interval where the sign changes.
  double search(const std::vector<double>& gradient, const std::vector<double>& direction) {
    double first = 0, curve = 0;
    for (size_t j = 0; j < direction.size(); ++j) {
      const double penalty = j < static_cast<size_t>(d_) ? 1 : shape_.intercept.penalty;
      first += gradient[j] * direction[j];
      curve += penalty * direction[j] * direction[j];
    }
    decrement_ = -first / 2;
    if (!(first < 0)) return 0;
    double low = 0, high = kInfinity, step = 1;
    for (int round = 0; round < 100 && !monitor_.stopped(); ++round) {
      const std::vector<double> steps = trials(step, low, high);
      const std::vector<Slope> changes = rows_.along(steps);
      double least = kInfinity;
      for (size_t k = 0; k < steps.size(); ++k) {
        const double slope = first + steps[k] * curve + changes[k].first;
        if (slope < 0)
          low = std::max(low, steps[k]);
        else
          high = std::min(high, steps[k]);
        if (k > 0 && !(std::abs(slope) < least)) continue;
        least = std::abs(slope);
        if (least <= -kLineShare * first) return steps[k];
        step = steps[k] - slope / (curve + changes[k].second);
      }
      if (step > low && step < high) continue;
      step = high < kInfinity ? (low + high) / 2 : 4 * low;
    }
    return low;
  }

  // A step, and others that may do where it does not: a round of messages costs more than they do.
  std::vector<double> trials(double step, double low, double high) const {
    std::vector<double> steps{step};
    for (int k = 1; k < shape_.trials; ++k) {
      const double share = static_cast<double>(k) / shape_.trials;
      steps.push_back(high < kInfinity ? low + share * (high - low)
                      : k == 1         ? 2 * step
                                       : std::ldexp(step, 1 - k));
    }
    return steps;
  }

  // Whether the point is as good as asked once 1'beta = 0 and the violation are looked at
  // exactly.
  bool satisfied(Point which, const DualSums& sums) {
    if (!shape_.intercept.free() && settings_.tol_violation == kInfinity) return true;
    DualSums point = sums;
    rows_.consider(which);
    if (balance(rows_) && !rows_.combine(point)) return false;
    if (monitor_.stopped()) return false;
    const Terms terms = rows_.compare();
    const double gap = judge(shape_.intercept, w_, b_, terms, point.w, point.sum).gap;
    if (gap > goal_ || monitor_.stopped()) return false;
    if (settings_.tol_violation == kInfinity) return true;
    Costs costs;
    if (!rows_.costs(point.w, costs)) return false;
    const double error = violation_error(shape_, rows_.reach());
    const double found = violation(shape_.intercept, costs, point.sum).value + error;
    return !monitor_.stopped() && found <= settings_.tol_violation;
  }

  // Newton's equations are X'beta' = w + direction for beta' = beta - curvature * delta, the
  // slopes that the quadratic model foresees. Close to the end beta' is a far better dual point
  // than the slopes at w, and only rows that it has to be clipped at take a pass. Whether it says
  // that all is done.
  bool foreseen() {
    if (!exact_ || decrement_ > kForeseeable * current_.primal) return false;
    Foresight rows;
    if (!rows_.foresee(rows)) return false;
    DualSums dual{std::move(rows.clipped), rows.sum, 0};
    for (int64_t j = 0; j < d_; ++j) dual.w[j] += full_[j];
    const double gap = judge(shape_.intercept, w_, b_, rows.terms, dual.w, dual.sum).gap;
    if (gap > goal_ || !satisfied(Point::foreseen, dual)) return false;
    keep(gap, Point::foreseen);
    return true;
  }

  void report() {
    current_.violation = std::numeric_limits<double>::quiet_NaN();  // it takes passes of its own
    trace_.observe(current_, steps_);
  }

  Solution finish(Status status) {
    Solution solution;
    const bool kept = best_.gap < kInfinity;
    if (kept) w_ = std::move(best_.w), b_ = best_.b;
    rows_.consider(kept ? Point::best : Point::current);
    solution.w = std::move(w_);
    solution.intercept = b_;
    solution.steps = solution.newton_steps = steps_;
    conclude(rows_, settings_, status, monitor_, trace_, solution);
    return solution;
  }

  struct Best {
    double gap = kInfinity;
    std::vector<double> w;
    double b = 0;
  };

  RowPasses& rows_;
  const Shape& shape_;
  const Settings& settings_;
  Monitor& monitor_;
  Workers workers_;
  std::unique_ptr<System> system_;
  int64_t n_, d_;
  double goal_;
  bool warm_ = false, centred_ = false;  // begun at a point, and at its dual variables
  double width_ = 0;                     // of the smoothing to begin with, if it is known
  double factor_ = 1;  // of the curvatures: the weight of the smoothing, if there is one
  std::vector<double> w_;
  double b_ = 0;
  DualSums dual_;
  std::vector<double> full_;  // w after a whole step
  bool exact_;                // whether Newton's equations hold to rounding
  Certificate current_;
  Best best_;
  double inner_error_ = 0;
  double decrement_ = 0;  // what the last step was to gain, by the quadratic model
  int64_t steps_ = 0;
  Trace trace_;
};

// Where a share of the rows leads, if there are enough of them and all are at hand.
std::optional<Start> approach(RowPasses& rows, Directions directions, const Settings& settings,
                              Monitor& monitor) {
  const Shape& shape = rows.shape();
  const bool many = shape.rows / kSubsampling > shape.columns;
  if (!many || shape.entries <= kSmallEntries || !shape.divisible) return std::nullopt;
  const std::unique_ptr<RowPasses> part = rows.part(kSubsampling);
  part->watch(monitor);
  const auto start = approach(*part, directions, settings, monitor);
  return Newton(*part, directions, settings, monitor, start ? &*start : nullptr).rough();
}

}  // namespace

Solution newton(RowPasses& rows, Directions directions, const Settings& settings, Monitor& monitor,
                const Start* start) {
  std::optional<Start> near;
  if (start == nullptr) {
    // What a part of the rows says of itself is nothing to report.
    Monitor quiet([&](const TraceRow&) { return monitor.stop(); });
    Settings rough = settings;
    rough.max_steps = kMostRoughSteps;
    near = approach(rows, directions, rough, quiet);
    if (near) start = &*near;
  }
  return Newton(rows, directions, settings, monitor, start).run();
}

Solution newton(const Problem& problem, Directions directions, const Settings& settings,
                Monitor& monitor, const Start* start) {
  LocalRows rows(problem, paying_threads(problem.sample, settings.threads), monitor);
  if (start != nullptr && !start->beta.empty()) rows.begin_at(start->beta);
  return newton(rows, directions, settings, monitor, start);
}

}  // namespace svm::linear
