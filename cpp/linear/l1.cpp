// A step minimises the quadratic model of the losses plus the penalty on a working set: the features
// in use and the worst violators |x_j'beta| > 1 (lasso.h). A step along its direction follows, as
// long as it pays.
//
// Without many more rows than features the losses are raised to their size fourfold at a time, from
// where the first weights are due: alone they do not say there which features to use, smaller ones
// do. The dual point is beta, scaled down until |X'beta|_inf <= 1 and, with a free intercept,
// 1'beta = 0: its objective D and P enclose the optimum.
#include "linear/l1.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "linear/certificate.h"
#include "linear/chosen_columns.h"
#include "linear/curvature.h"
#include "linear/feature_descent.h"
#include "linear/lasso.h"
#include "linear/local_rows.h"
#include "simd/rows.h"

namespace svm::linear {
namespace {

constexpr int64_t kMostSteps = 2000;
// The losses grow by this factor, once a step lowers the objective by no more than this share.
constexpr double kRaise = 4, kSettled = 0.01;
// Small problems are solved to rounding, as far as steps make progress.
constexpr double kSmallestGoal = 1e-12;
// A slope of 1 and of this much more are the same.
constexpr double kSlopeRounding = 1e-9;
// New features at a time: as many as are in use, but at least so many; and so many times as many where
// the losses tell which to use.
constexpr int64_t kLeastRoom = 10, kKnownFactor = 4;
// Steps that do not halve a gap of at most this are at the end of the digits.
constexpr double kLastDigits = 1e-9;
// Curvature that every column has, as a share of its own at the steepest loss.
constexpr double kLeastCurvature = 1e-10;
// The model of a step is solved until a sweep's best gain is this share of the first ones'. Looser is
// quicker a step and takes more steps.
constexpr double kModelTolerance = 1e-4;
// A step is taken when the objective falls by this share of what the model promises.
constexpr double kWorth = 0.01;
constexpr int kMostHalvings = 50;
// Coordinate descent is given a third of the passes that cost as much as so many Newton steps, whose
// multiplications are so many times as quick; at least so many and at most so many.
constexpr double kLeastPasses = 60, kMostPasses = 500, kNewtonSteps = 8, kMatrixSpeed = 9;
// The violation it begins to look at the gap at, as a multiple of the gap that is asked for, and by
// what it falls until that is reached.
constexpr double kFirstTolerance = 16, kFiner = 0.25;
// Newton steps begin where it has ended with a gap of at most this.
constexpr double kNear = 0.03;

// Weights with what is known there.
struct Point {
  std::vector<double> w, scores, beta, curvature;
  double b = 0, objective = kInfinity;
};

class FewFeatures {
 public:
  FewFeatures(const Problem& problem, const Points& points, const Settings& settings,
              Monitor& monitor)
      : problem_(problem),
        points_(points),
        sample_(problem.sample),
        settings_(settings),
        monitor_(monitor),
        workers_{paying_threads(sample_, settings.threads), monitor},
        n_(sample_.size()),
        d_(sample_.columns()),
        present_(problem.intercept.present),
        b_penalty_(present_ ? std::sqrt(problem.intercept.penalty) : 0),
        trace_(monitor) {
    const bool small = sample_.stored() <= kSmallEntries;
    goal_ = small ? std::min(settings.tol_gap, kSmallestGoal) : settings.tol_gap;
  }

  Solution run(const Start* start) {
    const Status status = begin(start) ? solve() : Status::stopped;
    Solution solution;
    solution.w = std::move(best_.w);
    solution.intercept = best_.b;
    solution.beta = std::move(best_.beta);
    solution.steps = passes_ + steps_;
    solution.newton_steps = steps_;
    solution.trace = trace_.take();
    conclude(status, solution);
    return solution;
  }

 private:
  struct Best {
    double gap = kInfinity, b = 0;
    std::vector<double> w, beta;
  };

  // The certificate decides how it ended. Nothing stops this.
  void conclude(Status status, Solution& solution) const {
    const double before = monitor_.seconds();
    Monitor quiet;
    solution.certificate = certify_few(problem_, solution.w, solution.intercept, solution.beta,
                                       {workers_.threads, quiet});
    const bool good = solution.certificate.gap <= settings_.tol_gap;
    if (good && status != Status::stopped) status = Status::optimal;
    solution.status = !good && status == Status::optimal ? Status::precision : status;
    solution.seconds = monitor_.seconds();
    solution.certificate_seconds = solution.seconds - before;
  }

  bool begin(const Start* start) {
    at_.w.assign(d_, 0.0);
    at_.scores.assign(n_, 0.0);
    best_.w = at_.w;
    best_.beta = at_.scores;
    warm_ = start != nullptr &&
            std::any_of(start->w.begin(), start->w.end(), [](double w) { return w != 0; });
    if (warm_) {
      at_.w = start->w;
      at_.b = start->intercept;
      if (!multiply(sample_, at_.w.data(), at_.b, at_.scores.data(), workers_)) return false;
    }
    evaluate(at_);
    if (warm_) return !monitor_.stopped();
    // The best point without weights: where that is the solution, they stay zero.
    slope_.assign(d_, 0.0);
    while (problem_.intercept.free() && step()) {
    }
    return combine(sample_, at_.beta.data(), slope_, workers_);
  }

  Status solve() {
    if (warm_ || judge() > goal_ || misses_all()) {
      const auto* tube = dynamic_cast<const Tube*>(&problem_.loss);
      if (!warm_ && tube != nullptr && passes_pay()) {
        const Point start = at_;
        const std::optional<Status> status = descend(*tube);
        if (status) return *status;
        // Steps from a point that is only half of the way take more of them than from none.
        warm_ = best_.gap <= kNear;
        if (!warm_) {
          at_ = start;
          if (!combine(sample_, at_.beta.data(), slope_, workers_)) return Status::stopped;
        }
      }
      // A start with weights is that of smaller losses already.
      if (!warm_ && wide()) raise(kRaise / std::max(steepest(slope_), kRaise));
    }
    return step_on();
  }

  // Of more entries than these Newton steps look at few features, and passes at all of them.
  bool passes_pay() const {
    return sample_.rows.sparse() && sample_.stored() <= kSmallEntries &&
           worth_of_steps() > kLeastPasses;
  }

  // How many passes of coordinate descent cost as much as Newton steps: these make a matrix of all
  // pairs of entries in a row, and its factor.
  double worth_of_steps() const {
    const auto n = static_cast<double>(n_), d = static_cast<double>(d_);
    const double stored = static_cast<double>(sample_.stored()) + n;
    const double step = stored * stored / n + d * d * d / 3;
    return kNewtonSteps * step / kMatrixSpeed / (kEntryCost * stored);
  }

  // Coordinate descent to the tolerance; none where it is too slow.
  std::optional<Status> descend(const Tube& tube) {
    FeatureDescent descent(problem_, tube, points_, at_.b, workers_);
    const double worth = std::clamp(worth_of_steps() / 3, kLeastPasses, kMostPasses);
    const int64_t most = std::min(settings_.max_steps.value_or(kMostSteps), int64_t(worth));
    double tolerance = kFirstTolerance * settings_.tol_gap;
    for (;;) {
      const bool done = descent.run(tolerance, most);
      passes_ = descent.passes();
      if (monitor_.stopped()) return Status::stopped;
      at_.w = descent.w();
      at_.b = descent.b();
      if (!multiply(sample_, at_.w.data(), at_.b, at_.scores.data(), workers_)) break;
      evaluate(at_);
      if (!combine(sample_, at_.beta.data(), slope_, workers_)) break;
      const double gap = judge();
      if (monitor_.stopped()) break;
      if (gap <= settings_.tol_gap && !misses_all()) return Status::optimal;
      if (!done) return std::nullopt;
      tolerance *= kFiner;
    }
    return Status::stopped;
  }

  Status step_on() {
    for (steps_ = 0;; ++steps_) {
      if (!combine(sample_, at_.beta.data(), slope_, workers_)) return Status::stopped;
      const double known = best_.gap, gap = judge();
      if (monitor_.stop()) return Status::stopped;
      if (gap <= goal_ && !misses_all()) return Status::optimal;
      if (known <= kLastDigits && gap > known / 2) return Status::precision;
      if (passes_ + steps_ >= settings_.max_steps.value_or(kMostSteps))
        return Status::max_iterations;
      const double before = at_.objective;
      const bool moved = step();
      if (monitor_.stopped()) return Status::stopped;
      if (!moved && share_ == 1) return Status::precision;
      if (share_ < 1 && before - at_.objective <= kSettled * before) {
        raise(std::min(1.0, kRaise * share_));
      }
    }
  }

  // Whether the losses alone do not say which features to use.
  bool wide() const { return n_ < 2 * d_; }

  const Loss& loss() const { return part_of_losses_ ? *part_of_losses_ : problem_.loss; }

  // Losses, slopes and curvatures at the scores of a point.
  void evaluate(Point& point) {
    point.beta.resize(n_);
    point.curvature.resize(n_);
    const Terms terms = sum_blocks<Terms>(n_, workers_, [&](int64_t begin, int64_t end) {
      return loss().slopes(begin, end, point.scores.data(), point.beta.data(),
                           point.curvature.data());
    });
    point.objective = terms.loss + price(point.w, point.b);
  }

  double price(const std::vector<double>& w, double b) const {
    double sum = b_penalty_ * std::abs(b);
    for (const double x : w) sum += std::abs(x);
    return sum;
  }

  // The same weights as a point of the problem with this share of its losses.
  void raise(double share) {
    share_ = share;
    part_of_losses_.reset();
    if (share < 1) {
      std::vector<int64_t> all(n_);
      std::iota(all.begin(), all.end(), 0);
      part_of_losses_ = problem_.loss.part(all, share);
    }
    gram_.reset();
    evaluate(at_);
  }

  static double steepest(const std::vector<double>& slope) {
    double largest = 0;
    for (const double s : slope) largest = std::max(largest, std::abs(s));
    return largest;
  }

  // Whether there are no weights, however small the gap, where some are due.
  bool misses_all() const {
    return steepest(slope_) > 1 + kSlopeRounding &&
           std::all_of(at_.w.begin(), at_.w.end(), [](double w) { return w == 0; });
  }

  // beta made feasible, and how close it and the point enclose the optimum.
  double judge() {
    double gap = judge(feasible(at_.beta, slope_));
    if (!foreseen_.empty()) {
      std::vector<double> slope;
      if (!combine(sample_, foreseen_.data(), slope, workers_)) return gap;
      gap = std::min(gap, judge(feasible(foreseen_, slope)));
      foreseen_.clear();
    }
    return gap;
  }

  double judge(const std::vector<double>& beta) {
    const Terms terms = terms_of(problem_, at_.scores, beta, workers_);
    Certificate found;
    found.primal = terms.loss + price(at_.w, at_.b);
    found.dual = terms.dual;
    const double size = std::max(std::abs(found.primal), std::abs(found.dual));
    found.gap = size > 0 ? std::max(0.0, found.primal - found.dual) / size : 0;
    if (!std::isfinite(found.gap)) found.gap = kInfinity;
    found.support = n_ - std::count(beta.begin(), beta.end(), 0.0);
    trace_.observe(found, passes_ + steps_);
    if (found.gap < best_.gap) best_ = {found.gap, at_.b, at_.w, beta};
    return found.gap;
  }

  std::vector<double> feasible(std::vector<double> beta, std::vector<double> slope) {
    double largest = steepest(slope);
    if (problem_.intercept.free()) {
      // The heavier class is scaled down to the other: 1'beta = 0, and the box still holds.
      double up = 0, down = 0;
      for (const double x : beta) (x > 0 ? up : down) += std::abs(x);
      const double up_factor = up > 0 ? std::min(1.0, down / up) : 1;
      const double down_factor = down > 0 ? std::min(1.0, up / down) : 1;
      for (double& x : beta) x *= x > 0 ? up_factor : down_factor;
      if (combine(sample_, beta.data(), slope, workers_)) largest = steepest(slope);
    } else if (present_) {
      largest = std::max(largest, std::abs(total(beta)) / b_penalty_);
    }
    const double factor = best_multiple(beta, largest);
    for (double& x : beta) x *= factor;
    return beta;
  }

  // At most 1 / largest, and no more than D is worth: along multiples of beta D is quadratic where
  // the conjugates are, and else 1 is the most.
  double best_multiple(const std::vector<double>& beta, double largest) const {
    const auto* tube = dynamic_cast<const Tube*>(&problem_.loss);
    if (tube == nullptr) return 1 / std::max(1.0, largest);
    double gain = 0, curve = 0, room = kInfinity;
    for (int64_t k = 0; k < n_; ++k) {
      if (beta[k] == 0) continue;
      gain += tube->target()[k] * beta[k];
      curve += tube->ridge(k) * beta[k] * beta[k];
      room = std::min(room, (beta[k] > 0 ? tube->highest(k) : tube->lowest(k)) / beta[k]);
    }
    return curve > 0 ? std::min({1 / std::max(largest, 1e-300), gain / curve, room}) : 1;
  }

  // Features in use, and of the others the worst violators.
  std::vector<int64_t> working_set() const {
    std::vector<int64_t> chosen, others;
    for (int64_t j = 0; j < d_; ++j) {
      if (at_.w[j] != 0) {
        chosen.push_back(j);
      } else if (std::abs(slope_[j]) > 1) {
        others.push_back(j);
      }
    }
    const size_t wanted = std::max<size_t>(kLeastRoom, chosen.size()) * (wide() ? 1 : kKnownFactor);
    const size_t room = std::min(others.size(), wanted);
    const auto worse = [&](int64_t i, int64_t j) {
      const double a = std::abs(slope_[i]), b = std::abs(slope_[j]);
      return a > b || (a == b && i < j);
    };
    std::nth_element(others.begin(), others.begin() + room, others.end(), worse);
    chosen.insert(chosen.end(), others.begin(), others.begin() + room);
    std::sort(chosen.begin(), chosen.end());
    return chosen;
  }

  // The working set's columns are at hand: the ones that were, unless some are missing or most are
  // not wanted any more.
  bool gather() {
    std::vector<int64_t> chosen = working_set();
    if (columns_) {
      const auto& have = columns_->columns();
      const bool all = std::includes(have.begin(), have.end(), chosen.begin(), chosen.end());
      if (all && have.size() <= 2 * chosen.size() + kLeastRoom) return true;
    }
    gram_.reset();
    columns_.emplace(points_, sample_.index, std::move(chosen), workers_);
    if (monitor_.stopped()) return false;
    part_.emplace(columns_->sample());
    squares_.assign(columns_->size() + present_, 0.0);
    for (int64_t k = 0; k < n_; ++k) part_->rows.add_squares(k, 1.0, squares_.data());
    if (present_) squares_.back() = static_cast<double>(n_);
    return true;
  }

  // Towards the minimum of the model; false when there is no way down.
  bool step() {
    if (!gather()) return false;
    const int64_t m = columns_->size(), size = m + present_;
    if (!gram_) gram_.emplace(*part_, present_);
    if (!gram_->update(at_.curvature, loss().quadratic(), workers_)) return false;
    // Rows without curvature would leave directions that the model does not see. Each column has
    // its own unit, and what is small for one is not for another.
    const double steep = *std::max_element(at_.curvature.begin(), at_.curvature.end());
    const double level = kLeastCurvature * (steep > 0 ? steep : 1);
    const int64_t order = gram_order(m, present_);
    const std::vector<double>& upper = gram_->sum();
    std::vector<double> model(size * size), linear(size), penalty(size, 1.0), target(size);
    for (int64_t i = 0; i < size; ++i) {
      for (int64_t j = i; j < size; ++j) {
        model[i * size + j] = model[j * size + i] = upper[i * order + j];
      }
      model[i * size + i] += level * squares_[i];
    }
    for (int64_t i = 0; i < m; ++i) {
      target[i] = at_.w[columns_->columns()[i]];
      linear[i] = slope_[columns_->columns()[i]];
    }
    if (present_) {
      target[m] = at_.b;
      linear[m] = total(at_.beta);
      penalty[m] = b_penalty_;
    }
    const auto& loops = simd::row_table().loops<double>();
    for (int64_t i = 0; i < size; ++i) {
      linear[i] += loops.dot(model.data() + i * size, target.data(), size);
    }
    std::vector<double> direction = target;
    Lasso(model, linear, penalty, target, workers_).run(kModelTolerance);
    for (int64_t i = 0; i < size; ++i) direction[i] = target[i] - direction[i];
    if (monitor_.stopped()) return false;
    return search(direction);
  }

  // The slopes that the model foresees after a whole step: there |X'beta| is at most 1 for all
  // features of the working set, but for rows that must be clipped.
  void foresee(const std::vector<double>& change) {
    foreseen_.clear();
    if (share_ < 1) return;
    foreseen_.resize(n_);
    for (int64_t k = 0; k < n_; ++k) {
      foreseen_[k] = std::clamp(at_.beta[k] - at_.curvature[k] * change[k], problem_.loss.lowest(k),
                                problem_.loss.highest(k));
    }
  }

  // Halves the step until the objective falls by a share of what the model promises.
  bool search(const std::vector<double>& direction) {
    const int64_t m = columns_->size();
    if (std::all_of(direction.begin(), direction.end(), [](double x) { return x == 0; })) {
      return false;
    }
    const double way_b = present_ ? direction[m] : 0;
    std::vector<double> change(n_);
    if (!multiply(*part_, direction.data(), way_b, change.data(), workers_)) return false;
    const auto moved = [&](double step) {
      std::vector<double> w = at_.w;
      for (int64_t i = 0; i < m; ++i) w[columns_->columns()[i]] += step * direction[i];
      return w;
    };
    double promise = price(moved(1), at_.b + way_b) - price(at_.w, at_.b);
    for (int64_t k = 0; k < n_; ++k) promise -= at_.beta[k] * change[k];
    double step = 1;
    for (int halving = 0; halving < kMostHalvings; ++halving, step /= 2) {
      next_.w = moved(step);
      next_.b = at_.b + step * way_b;
      next_.scores.resize(n_);
      for (int64_t k = 0; k < n_; ++k) next_.scores[k] = at_.scores[k] + step * change[k];
      evaluate(next_);
      if (monitor_.stopped()) return false;
      if (next_.objective < at_.objective + kWorth * step * std::min(promise, 0.0)) {
        foresee(change);
        std::swap(at_, next_);
        return true;
      }
    }
    return false;
  }

  const Problem& problem_;
  const Points& points_;
  const Sample& sample_;
  const Settings& settings_;
  Monitor& monitor_;
  Workers workers_;
  int64_t n_, d_;
  bool present_;
  double b_penalty_;
  double goal_;
  double share_ = 1;                      // of the losses
  std::unique_ptr<Loss> part_of_losses_;  // that share, if it is less than 1
  Point at_, next_;
  std::vector<double> slope_;     // X'beta
  std::vector<double> foreseen_;  // beta, if a step has led here
  std::optional<ChosenColumns> columns_;
  std::optional<Sample> part_;  // these columns
  std::vector<double> squares_;
  std::optional<CurvatureGram> gram_;
  Best best_;
  bool warm_ = false;  // it began with weights
  int64_t passes_ = 0, steps_ = 0;
  Trace trace_;
};

}  // namespace

Certificate certify_few(const Problem& problem, const std::vector<double>& w, double b,
                        const std::vector<double>& beta, const Workers& workers) {
  const Sample& sample = problem.sample;
  std::vector<double> scores(sample.size()), slope;
  multiply(sample, w.data(), b, scores.data(), workers);
  combine(sample, beta.data(), slope, workers);
  const Terms terms = terms_of(problem, scores, beta, workers);
  const double b_price = std::sqrt(problem.intercept.present ? problem.intercept.penalty : 0);
  Certificate found;
  found.primal = terms.loss + b_price * std::abs(b);
  for (const double x : w) found.primal += std::abs(x);
  found.dual = terms.dual;  // the constraints |X'beta| <= 1 have no value
  const double size = std::max(std::abs(found.primal), std::abs(found.dual));
  found.gap = size > 0 ? std::max(0.0, found.primal - found.dual) / size : 0;
  if (!std::isfinite(found.gap)) found.gap = kInfinity;
  double steepest = 0, reach = 0;
  for (const double s : slope) steepest = std::max(steepest, std::abs(s));
  for (int64_t k = 0; k < sample.size(); ++k) {
    if (beta[k] == 0) continue;
    reach += std::abs(beta[k]) * std::sqrt(sample.rows.squared_norm(sample.index[k]));
    ++found.support;
  }
  found.violation = std::max(0.0, steepest - 1);
  // A sum of products is off by a unit in the last place of the sum of their sizes for each addition.
  found.bound = 0x1p-52 * static_cast<double>(combine_additions(sample)) * reach;
  return found;
}

Solution few_features(const Problem& problem, const Points& points, const Settings& settings,
                      Monitor& monitor, const Start* start) {
  return FewFeatures(problem, points, settings, monitor).run(start);
}

}  // namespace svm::linear
