// Coordinate descent on the dual, for data with many features. With w = X'beta kept up to date a
// step on beta_k costs two passes over one row:
//
//   beta_k <- clip(shrink(beta_k - g / q, epsilon / q), lower, upper),
//   g = x_k'w + b - t_k + ridge_k beta_k,   q = |x_k|^2 + ridge_k + kappa.
//
// A penalised intercept is b = kappa 1'beta with kappa = 1/p. A free one is a proximal point
// method: b = centre + kappa 1'beta, and the centre moves to b at every look at the gap, so that
// 1'beta = 0 in the end. Variables that stay at a bound, or at the kink, by more than a share of
// the largest violation of the last pass are left out until the next look.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "linear/certificate.h"
#include "linear/random.h"
#include "linear/solve.h"

namespace svm::linear {
namespace {

constexpr int64_t kMostPasses = 2000;
// Newton steps take over when more passes would be needed than these are worth, judged after a
// few: so many steps with the matrix, whose multiplications are so many times as quick as those of
// a pass, or as many as steps by conjugate gradients are worth if that is less. A pass is one over
// all variables; those over the few that are left take their share of it, and so much of a look.
constexpr double kMatrixSteps = 15, kMatrixSpeed = 9, kStepPasses = 2;
constexpr int64_t kMatrixColumns = 2048;
constexpr double kProductPasses = 300;
constexpr int64_t kFirstJudgement = 40;
constexpr double kLookShare = 0.1;
// What a smoothing costs falls with the square of its width, which is this many roots of the gap.
constexpr double kWidth = 3;
// The first look at the gap, and how near to its end a pass must seem for another one.
constexpr int64_t kFirstLook = 4;
constexpr double kNear = 2;
// The mean of w over the last passes forgets by this factor, and is tried when the gap is so near.
constexpr double kMemory = 0.85;
constexpr double kMeanHelps = 4;
// So many entries stay in the cache.
constexpr int64_t kCached = 1 << 15;
// Looks are cheap next to passes over rows with nothing to do, so that few are kept on suspicion.
constexpr double kLeave = 0.1;

// How many passes Newton steps with the matrix are worth: to make it takes n d^2 multiplications,
// or those of all pairs of entries in a row, and its factor d^3 / 3.
double matrix_passes(const Sample& sample) {
  const auto n = static_cast<double>(sample.size()), d = static_cast<double>(sample.columns());
  const double stored = static_cast<double>(sample.stored()) + n;
  const double weight = sample.rows.sparse() ? kEntryCost : 1;
  const double pass = 4 * weight * stored, matrix = weight * stored * stored / n + d * d * d / 3;
  return kMatrixSteps * (kStepPasses + matrix / (kMatrixSpeed * pass));
}

// How Newton steps go on from descent, and how many passes they are worth.
struct Handover {
  Directions directions = Directions::products;
  double passes = kProductPasses;

  explicit Handover(const Sample& sample) {
    if (sample.columns() > kMatrixColumns || matrix_passes(sample) > 4 * kProductPasses) return;
    directions = Directions::matrix;
    passes = matrix_passes(sample);
  }
};

class Descent {
 public:
  Descent(const Problem& problem, const Tube& tube, const Settings& settings, Monitor& monitor,
          const Start* start, double patience)
      : problem_(problem),
        sample_(problem.sample),
        tube_(tube),
        settings_(settings),
        monitor_(monitor),
        workers_{paying_threads(problem.sample, settings.threads), monitor},
        patience_(patience),
        n_(sample_.size()),
        active_(n_),
        w_(sample_.columns()),
        mean_(sample_.columns()),
        beta_(n_),
        looked_(sample_.columns()),
        curve_(n_),
        norms_(n_),
        scores_(n_),
        seen_(n_),
        order_(n_),
        ahead_(sample_.stored() > kCached),
        trace_(monitor) {
    double norms = 0;
    for (int64_t k = 0; k < n_; ++k) {
      curve_[k] = sample_.rows.squared_norm(sample_.index[k]);
      norms_[k] = std::sqrt(curve_[k]);
      norms += curve_[k];
    }
    if (problem.intercept.present) {
      const double p = problem.intercept.penalty;
      kappa_ = p > 0 ? 1 / p : std::max(norms / static_cast<double>(n_), 1e-300);
    }
    for (int64_t k = 0; k < n_; ++k) curve_[k] += tube.ridge(k) + kappa_;
    std::iota(order_.begin(), order_.end(), 0);
    if (start != nullptr) begin_at(*start);
  }

  // Ends with a status, or with `undecided` where Newton steps should go on.
  Status run(bool* undecided) {
    *undecided = false;
    int64_t last_look = 0;
    while (passes_ < limit()) {
      if (!pass()) return Status::stopped;
      ++passes_;
      remember();
      estimates_.push_back(estimate_);
      // A look costs about as much as a pass over all rows: it is taken when it may be the last.
      const bool near = estimate_ <= kNear * settings_.tol_gap * size_;
      const int64_t next = near ? last_look + 1 + last_look / 6 : 2 * last_look;
      if (passes_ < std::max(kFirstLook, next) && active_ > 0) continue;
      if (!look()) return Status::stopped;
      last_look = passes_;
      if (best_.gap <= settings_.tol_gap) return Status::optimal;
      if (passes_ >= first_judgement() && passes_left() * share() > patience_) {
        *undecided = true;
        break;
      }
    }
    return Status::max_iterations;
  }

  int64_t passes() const { return passes_; }
  double gap() const { return best_.gap; }
  Start point() && { return std::move(best_.point); }
  Trace& trace() { return trace_; }

 private:
  // beta, cut to the box, with the w that belongs to it; a penalised intercept belongs to it too.
  void begin_at(const Start& start) {
    for (int64_t k = 0; k < n_; ++k) {
      beta_[k] = std::clamp(start.beta[k], tube_.lowest(k), tube_.highest(k));
    }
    combine(sample_, beta_.data(), w_, workers_);
    if (problem_.intercept.present) {
      b_ = free_intercept() ? start.intercept : kappa_ * total(beta_);
    }
  }

  int64_t limit() const { return settings_.max_steps.value_or(kMostPasses); }
  int64_t first_judgement() const {
    return std::min(kFirstJudgement, static_cast<int64_t>(patience_ / 4));
  }
  bool free_intercept() const {
    return problem_.intercept.present && problem_.intercept.penalty == 0;
  }

  // How many more passes it takes if the estimates go on to fall as in the last half of them.
  double passes_left() const {
    const size_t middle = estimates_.size() / 2;
    const double fall = std::log(estimates_[middle] / estimates_.back());
    const double rate = fall / static_cast<double>(estimates_.size() - middle);
    const double left = std::log(best_.gap / settings_.tol_gap);
    return left / std::max(rate, 1e-12);
  }

  // What a pass over the variables that are left, and its share of a look, costs of one over all.
  double share() const {
    return std::min(1.0, kLookShare + static_cast<double>(active_) / static_cast<double>(n_));
  }

  // One step on each variable that is not left out, in a random order.
  bool pass() {
    double highest = -kInfinity, lowest = kInfinity;
    for (int64_t i = 0; i + 1 < active_; ++i) {
      std::swap(order_[i], order_[i + random_.below(active_ - i)]);
    }
    double estimate = 0;
    for (int64_t i = 0; i < active_; ++i) {
      if (i % 256 == 0 && monitor_.stop()) return false;
      if (ahead_ && i + 2 < active_) sample_.rows.prefetch(sample_.index[order_[i + 2]]);
      const int64_t k = order_[i], row = sample_.index[k];
      const double score = sample_.rows.dot(row, w_.data()) + b_;
      const auto [up, down, difference] = tube_.ways(k, score, beta_[k]);
      // What going up gains or going down gains; neither where the variable is at its place.
      const double violation = std::min(up, 0.0) + std::max(down, 0.0);
      if (up > highest_ && down < lowest_) {
        std::swap(order_[i--], order_[--active_]);
        continue;
      }
      highest = std::max(highest, violation);
      lowest = std::min(lowest, violation);
      estimate += difference;
      if (violation == 0) continue;
      step(k, row, score);
    }
    estimate_ = estimate;
    highest_ = highest > 0 ? kLeave * highest : kInfinity;
    lowest_ = lowest < 0 ? kLeave * lowest : -kInfinity;
    return true;
  }

  void step(int64_t k, int64_t row, double score) {
    const double q = curve_[k];
    if (!(q > 0)) return;
    const double g = score - tube_.target()[k] + tube_.ridge(k) * beta_[k];
    const double v = beta_[k] - g / q, epsilon = tube_.epsilon() / q;
    const double moved = v - std::clamp(v, -epsilon, epsilon);
    const double next = std::clamp(moved, tube_.lowest(k), tube_.highest(k));
    const double delta = next - beta_[k];
    if (delta == 0) return;
    beta_[k] = next;
    sample_.rows.axpy(row, delta, w_.data());
    b_ += kappa_ * delta;
  }

  // The gap at the present point with the best intercept, and a feasible beta; moves the centre.
  bool look() {
    if (!renew_scores()) return false;
    DualPoint dual{beta_, w_, 0};
    balance(problem_, dual.beta);
    if (dual.beta != beta_) {
      std::vector<double> change(n_), moved;
      for (int64_t k = 0; k < n_; ++k) change[k] = dual.beta[k] - beta_[k];
      if (!combine(sample_, change.data(), moved, workers_)) return false;
      for (size_t j = 0; j < moved.size(); ++j) dual.w[j] += moved[j];
    }
    dual.sum = total(dual.beta);
    double b = b_;
    Certificate found = compare(problem_, w_, b, scores_, dual, workers_);
    gap_ = found.gap;
    if (free_intercept() && gap_ < 10 * settings_.tol_gap) {
      // Near the end a better intercept can be all that is missing.
      const double best = b_ + best_shift(scores_);
      shift_scores(best - b);
      b = best;
      found = compare(problem_, w_, b, scores_, dual, workers_);
      gap_ = found.gap;
    }
    if (monitor_.stopped()) return false;
    size_ = std::max(std::abs(found.primal), std::abs(found.dual));
    if (gap_ < best_.gap) best_ = {gap_, {w_, b, dual.beta}};
    const bool close = gap_ > settings_.tol_gap && gap_ <= kMeanHelps * settings_.tol_gap;
    if (close && !try_mean(dual)) return false;
    for (const double beta : beta_) found.support += beta != 0;
    found.violation = std::numeric_limits<double>::quiet_NaN();  // it takes passes of its own
    trace_.observe(found, passes_);
    const double moved = free_intercept() ? kappa_ * total(beta_) : 0;
    shift_scores(b_ + moved - b);
    b_ += moved;
    held_ = b_;
    take_back();
    return true;
  }

  void remember() {
    for (size_t j = 0; j < w_.size(); ++j) mean_[j] = kMemory * mean_[j] + w_[j];
    mean_b_ = kMemory * mean_b_ + b_;
    passes_remembered_ = kMemory * passes_remembered_ + 1;
  }

  // Steps on one variable after the other make w sway about the optimum: the mean of its last
  // passes is often the better primal point.
  bool try_mean(const DualPoint& dual) {
    std::vector<double> w(mean_), scores(n_);
    for (double& x : w) x /= passes_remembered_;
    double b = mean_b_ / passes_remembered_;
    if (!multiply(sample_, w.data(), b, scores.data(), workers_)) return false;
    if (free_intercept()) {
      const double shift = best_shift(scores);
      for (double& s : scores) s += shift;
      b += shift;
    }
    const double gap = compare(problem_, w, b, scores, dual, workers_).gap;
    if (gap < best_.gap) best_ = {gap, {std::move(w), b, dual.beta}};
    return !monitor_.stopped();
  }

  // The scores at w, but of rows that w has not moved far enough to matter to: a score moves by at
  // most |x_k| times the way of w, and where the loss is zero all along, beta_k and all terms are
  // too.
  bool renew_scores() {
    shift_scores(b_ - held_);
    way_ += std::sqrt(squared_distance(w_, looked_));
    looked_ = w_;
    // Without branches, as nobody could foresee them.
    std::vector<int64_t> places(n_), rows(n_);
    size_t count = 0;
    for (int64_t k = 0; k < n_; ++k) {
      const double reach = norms_[k] * (way_ - seen_[k]);
      const bool still =
          (beta_[k] == 0) & tube_.idle(k, scores_[k] - reach) & tube_.idle(k, scores_[k] + reach);
      places[count] = k;
      rows[count] = sample_.index[k];
      count += !still;
    }
    places.resize(count), rows.resize(count);
    std::vector<double> fresh(count);
    if (!multiply({sample_.rows, rows}, w_.data(), b_, fresh.data(), workers_)) return false;
    for (size_t i = 0; i < places.size(); ++i) {
      scores_[places[i]] = fresh[i];
      seen_[places[i]] = way_;
    }
    return true;
  }

  void shift_scores(double by) {
    for (double& s : scores_) s += by;
  }

  // The variables to go on with, now that all scores are known.
  void take_back() {
    int64_t front = 0, back = n_;
    for (int64_t k = 0; k < n_; ++k) {
      const Ways ways = tube_.ways(k, scores_[k], beta_[k]);
      const bool left_out = (ways.up > highest_) & (ways.down < lowest_);
      order_[front] = order_[back - 1] = k;  // one of the two is written again
      front += !left_out;
      back -= left_out;
    }
    active_ = front;
  }

  // How far b must move for the least loss: the sum of slopes, which falls, changes sign there.
  double best_shift(const std::vector<double>& scores) const {
    const auto pull = [&](double b) {
      return sum_blocks<double>(n_, workers_, [&](int64_t begin, int64_t end) {
        return tube_.pull(begin, end, scores.data(), b);
      });
    };
    double low = 0, high = 0, width = problem_.scale / 16;
    for (int round = 0; round < 60 && pull(low) < 0; ++round) low -= width, width *= 2;
    width = problem_.scale / 16;
    for (int round = 0; round < 60 && pull(high) > 0; ++round) high += width, width *= 2;
    for (int round = 0; round < 50 && low < high; ++round) {
      const double middle = low + (high - low) / 2;
      (pull(middle) > 0 ? low : high) = middle;
    }
    return low + (high - low) / 2;
  }

  struct Best {
    double gap = kInfinity;
    Start point;
  };

  const Problem& problem_;
  const Sample& sample_;
  const Tube& tube_;
  const Settings& settings_;
  Monitor& monitor_;
  Workers workers_;
  double patience_;  // most further passes
  int64_t n_, active_, passes_ = 0;
  double kappa_ = 0, b_ = 0, gap_ = 1;
  double estimate_ = 0, size_ = 0;  // of P - D as the last pass met it, and of P itself
  std::vector<double> estimates_;
  double highest_ = kInfinity, lowest_ = -kInfinity;
  // Sums over passes, the last one with weight 1, and that of the weights.
  double mean_b_ = 0, passes_remembered_ = 0;
  std::vector<double> w_, mean_, beta_, looked_, curve_, norms_;  // w at the last look; |x_k|
  // Scores with the intercept held_, how far w had come when each was computed, and by now.
  std::vector<double> scores_, seen_;
  double held_ = 0, way_ = 0;
  std::vector<int64_t> order_;
  bool ahead_;  // whether rows are asked for before their turn
  Random random_;
  Best best_;
  Trace trace_;
};

}  // namespace

Solution descend(const Problem& problem, const Settings& settings, Monitor& monitor,
                 const Start* start) {
  const Tube& tube = dynamic_cast<const Tube&>(problem.loss);
  const Handover handover(problem.sample);
  Descent descent(problem, tube, settings, monitor, start, handover.passes);
  bool undecided;
  const Status status = descent.run(&undecided);
  const int64_t passes = descent.passes();
  Start point = std::move(descent).point();
  if (point.w.empty()) {
    point = {std::vector<double>(problem.sample.columns()), 0,
             std::vector<double>(problem.sample.size())};
  }
  if (!undecided) {
    Solution solution;
    solution.w = std::move(point.w);
    solution.intercept = point.intercept;
    solution.beta = std::move(point.beta);
    solution.steps = passes;
    conclude(problem, settings, status, monitor, descent.trace(), solution);
    return solution;
  }
  // As wide as a smoothing is that costs about as much as the gap: a wider one would lead back.
  point.width = problem.scale * std::min(1.0, kWidth * std::sqrt(descent.gap()));
  Solution solution = newton(problem, handover.directions, settings, monitor, &point);
  solution.steps += passes;
  const std::vector<TraceRow> before = descent.trace().take();
  solution.trace.insert(solution.trace.begin(), before.begin(), before.end());
  return solution;
}

std::vector<std::optional<Solution>> descend_all(std::span<const Problem* const> problems,
                                                 const Settings& settings, Monitor& monitor) {
  std::vector<std::optional<Solution>> solutions(problems.size());
  Settings alone = settings;
  alone.threads = 1;
  parallel_for(
      static_cast<int64_t>(problems.size()), settings.threads,
      [&](int64_t k) {
        Monitor own(monitor, k);
        solutions[k] = descend(*problems[k], alone, own);
      },
      [&] { return monitor.stop(); });
  return solutions;
}

}  // namespace svm::linear
