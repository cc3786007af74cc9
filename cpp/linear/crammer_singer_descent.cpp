// Coordinate descent on the dual, a row at a time. With w_c = X'beta_c kept up to date the best
// shares of row i, all others fixed, are the nearest point of its simplex to
//
//   share_i + l_i / q,   q = |x_i|^2 + kappa.
//
// A penalised intercept is b_c = kappa 1'beta_c with kappa = 1/p. A free one is a proximal point
// method: b_c = centre_c + kappa 1'beta_c, and the centre moves to b at every look at the gap, so
// that 1'beta_c = 0 in the end. Classes without a share that are below all those with one are left
// out of a row until the next look, and so are rows with one class left.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include "linear/certificate.h"
#include "linear/class_weights.h"
#include "linear/crammer_singer.h"
#include "linear/random.h"
#include "linear/simplex.h"

namespace svm::linear::crammer_singer {
namespace {

// Newton steps take over after so many passes, or before that when they would be less work, judged
// after a few.
constexpr int64_t kMostPasses = 600, kFirstJudgement = 32;
// The first look at the gap, and how near to its end a pass must seem for another one.
constexpr int64_t kFirstLook = 4;
constexpr double kNear = 2;
// Work is counted in products of an entry with a weight; a visit of a row takes as long as so many.
constexpr int64_t kVisit = 100;
// The mean of w over the last passes forgets by this factor; it is kept and tried when the gap is
// so near.
constexpr double kMemory = 0.85;
constexpr double kMeanHelps = 4, kMeanKept = 100;

class Descent {
 public:
  Descent(const Problem& problem, const Settings& settings, Monitor& monitor, Trace& trace,
          Solution& best, const NewtonWork& newton)
      : problem_(problem),
        settings_(settings),
        monitor_(monitor),
        workers_{paying_threads(problem.sample, settings.threads), monitor},
        trace_(trace),
        best_(best),
        newton_(newton),
        weights_(ClassWeights::make(problem.points, problem.classes)),
        n_(problem.size()),
        classes_(problem.classes),
        active_(n_),
        share_(first_share(problem)),
        b_(classes_),
        curve_(n_),
        level_(classes_),
        near_(classes_),
        by_(classes_),
        kept_(classes_),
        moved_(classes_),
        list_(n_ * classes_),
        count_(n_),
        order_(n_) {
    double norms = 0;
    for (int64_t i = 0; i < n_; ++i) {
      curve_[i] = problem.points.squared_norm(problem.sample.index[i]);
      norms += curve_[i];
    }
    if (problem.intercept.present) {
      const double p = problem.intercept.penalty;
      kappa_ = p > 0 ? 1 / p : std::max(norms / static_cast<double>(n_), 1e-300);
    }
    for (double& q : curve_) q += kappa_;
    std::iota(order_.begin(), order_.end(), 0);
    list_all();
  }

  Status run(bool* undecided) {
    *undecided = false;
    const int64_t limit = settings_.max_steps.value_or(2 * kMostPasses);
    int64_t last_look = 0;
    while (passes_ < std::min(kMostPasses, limit)) {
      if (!pass()) return Status::stopped;
      ++passes_;
      if (gap_ <= kMeanKept * settings_.tol_gap) remember();
      // A look costs about as much as a pass over all rows: it is taken when it may be the last.
      const bool near = estimate_ <= kNear * settings_.tol_gap * size_;
      const int64_t next = near ? last_look + 1 + last_look / 6 : 2 * last_look;
      const bool last = passes_ == std::min(kMostPasses, limit);
      if (passes_ < std::max(kFirstLook, next) && active_ > 0 && !last) continue;
      if (!look()) return Status::stopped;
      last_look = passes_;
      if (best_.certificate.gap <= settings_.tol_gap) {
        *undecided = newton_.exact;
        return Status::optimal;
      }
      gaps_.push_back({static_cast<double>(work_), gap_});
      if (passes_ >= kFirstJudgement && work_left() > newton_.work) break;
    }
    *undecided = passes_ < limit;
    return Status::max_iterations;
  }

  int64_t passes() const { return passes_; }

 private:
  // How much more it takes if the gap goes on to fall as it did since half of the work was done.
  double work_left() const {
    const auto half = std::find_if(gaps_.begin(), gaps_.end() - 1, [&](const auto& look) {
      return look.first >= gaps_.back().first / 2;
    });
    if (half == gaps_.end() - 1) return 0;
    const double fall = std::log(half->second / best_.certificate.gap);
    const double left = std::log(best_.certificate.gap / settings_.tol_gap);
    return left / std::max(fall, 1e-12) * (gaps_.back().first - half->first);
  }

  // One step on each row that is not left out, in a random order.
  bool pass() {
    for (int64_t i = 0; i + 1 < active_; ++i) {
      std::swap(order_[i], order_[i + random_.below(active_ - i)]);
    }
    estimate_ = 0;
    for (int64_t i = 0; i < active_; ++i) {
      if (i % 64 == 0 && monitor_.stop()) return false;
      if (i + 2 < active_) weights_->expect(problem_.sample.index[order_[i + 2]]);
      work_ +=
          kVisit + problem_.points.entries(problem_.sample.index[order_[i]]) * count_[order_[i]];
      if (!visit(order_[i])) std::swap(order_[i--], order_[--active_]);
    }
    return true;
  }

  // False where only one class is left for the row.
  bool visit(int64_t i) {
    const int64_t row = problem_.sample.index[i], y = problem_.label[i];
    const int32_t* list = list_.data() + i * classes_;
    weights_->scores(row, {list, static_cast<size_t>(count_[i])}, level_.data());
    for (int32_t q = 0; q < count_[i]; ++q) level_[q] += b_[list[q]] + (list[q] != y);
    const Range range = leave_out(i);
    if (count_[i] == 1) return false;
    if (range.highest > range.lowest) step(i, row, range.highest);
    return true;
  }

  struct Range {
    double highest, lowest;  // level of all classes, and of those with a share
  };

  // Chooses the classes to go on with from those that are listed, whose levels are given, and lists
  // them.
  Range leave_out(int64_t i) {
    const double* share = share_.data() + i * classes_;
    int32_t* list = list_.data() + i * classes_;
    Range range{-kInfinity, kInfinity};
    for (int32_t q = 0; q < count_[i]; ++q) {
      range.highest = std::max(range.highest, level_[q]);
      if (share[list[q]] > 0) range.lowest = std::min(range.lowest, level_[q]);
    }
    int32_t left = 0;
    for (int32_t q = 0; q < count_[i]; ++q) {
      if (share[list[q]] == 0 && level_[q] < range.lowest) continue;
      list[left] = list[q];
      level_[left++] = level_[q];
    }
    count_[i] = left;
    return range;
  }

  void step(int64_t i, int64_t row, double highest) {
    double* share = share_.data() + i * classes_;
    const int32_t *list = list_.data() + i * classes_, count = count_[i];
    const double C = problem_.C[i], q = curve_[i];
    for (int32_t a = 0; a < count; ++a) {
      estimate_ += share[list[a]] * (highest - level_[a]);
      near_[a] = share[list[a]] + (level_[a] - highest) / q;
    }
    if (q > 0) {
      project_simplex(near_.data(), count, C, kept_.data());
    } else {  // a row of zeros: all goes to the first of the highest
      const auto top = std::find(level_.begin(), level_.begin() + count, highest) - level_.begin();
      std::fill(near_.begin(), near_.begin() + count, 0.0);
      near_[top] = C;
    }
    size_t moved = 0;
    for (int32_t a = 0; a < count; ++a) {
      const int32_t c = list[a];
      const double change = share[c] - near_[a];
      if (change == 0) continue;
      b_[c] += kappa_ * change;
      share[c] = near_[a];
      by_[moved] = change;
      moved_[moved++] = c;
    }
    if (moved > 0) weights_->move(row, {moved_.data(), moved}, by_.data());
  }

  // The gap at the present point, with a feasible dual point; moves the centre.
  bool look() {
    scores_.resize(n_ * classes_);
    if (!score(*weights_, b_, scores_)) return false;
    Primal primal;
    weights_->get(primal.w);
    primal.b = b_;
    std::vector<double> share = share_, dual_w;
    if (problem_.free_intercept()) {
      balance(problem_, share);
      if (!combine(problem_, exact_beta(problem_, share), dual_w, workers_)) return false;
    } else {
      dual_w = primal.w;
    }
    const std::vector<double> sum = sums(problem_, exact_beta(problem_, share));
    const Terms terms = compare(problem_, scores_, share, workers_);
    const Certificate found = judge(problem_, primal, terms, dual_w, sum);
    if (monitor_.stopped()) return false;
    gap_ = found.gap;
    size_ = std::max(std::abs(found.primal), std::abs(found.dual));
    const bool close = gap_ > settings_.tol_gap && gap_ <= kMeanHelps * settings_.tol_gap;
    if (close && remembered_ > 0 && !try_mean(share, dual_w, sum)) return false;
    if (gap_ < best_.certificate.gap) {
      best_.certificate = found;
      best_.primal = std::move(primal);
      best_.share = std::move(share);
    }
    trace_.observe(found, passes_);
    if (problem_.free_intercept()) move_centre();
    take_back();
    return true;
  }

  void move_centre() {
    const std::vector<double> sum = sums(problem_, reflect(problem_, share_));
    for (int64_t c = 0; c < classes_; ++c) {
      b_[c] += kappa_ * sum[c];
      for (int64_t i = 0; i < n_; ++i) scores_[i * classes_ + c] += kappa_ * sum[c];
    }
  }

  bool score(const ClassWeights& weights, const std::vector<double>& b, std::vector<double>& out) {
    return in_blocks(n_, 256, workers_, [&](int64_t begin, int64_t end) {
      weights.scores(problem_.sample.index.subspan(begin, end - begin),
                     out.data() + begin * classes_);
      for (int64_t i = begin; i < end; ++i) {
        for (int64_t c = 0; c < classes_; ++c) out[i * classes_ + c] += b[c];
      }
    });
  }

  void list_all() {
    for (int64_t i = 0; i < n_; ++i) {
      std::iota(list_.begin() + i * classes_, list_.begin() + (i + 1) * classes_, 0);
      count_[i] = static_cast<int32_t>(classes_);
    }
  }

  // Rows and classes to go on with, now that all scores are known.
  void take_back() {
    list_all();
    int64_t front = 0;
    for (int64_t at = 0; at < n_; ++at) {
      const int64_t i = order_[at];
      std::copy_n(scores_.begin() + i * classes_, classes_, level_.begin());
      for (int64_t c = 0; c < classes_; ++c) level_[c] += c != problem_.label[i];
      leave_out(i);
      if (count_[i] > 1) std::swap(order_[front++], order_[at]);
    }
    active_ = front;
  }

  void remember() {
    mean_.resize(weights_->panels().size());
    for (size_t p = 0; p < mean_.size(); ++p) {
      const std::vector<double>& now = weights_->panels()[p].weights;
      mean_[p].resize(now.size());
      for (size_t j = 0; j < now.size(); ++j) mean_[p][j] = kMemory * mean_[p][j] + now[j];
    }
    mean_b_.resize(classes_);
    for (int64_t c = 0; c < classes_; ++c) mean_b_[c] = kMemory * mean_b_[c] + b_[c];
    remembered_ = kMemory * remembered_ + 1;
  }

  // Steps on one row after the other make w sway about the optimum: the mean of its last passes is
  // often the better primal point.
  bool try_mean(const std::vector<double>& share, const std::vector<double>& dual_w,
                const std::vector<double>& sum) {
    const auto weights = ClassWeights::make(problem_.points, classes_);
    std::vector<std::vector<double>> panels = mean_;
    for (auto& panel : panels) {
      for (double& w : panel) w /= remembered_;
    }
    weights->set(std::move(panels));
    Primal primal;
    weights->get(primal.w);
    primal.b = mean_b_;
    for (double& b : primal.b) b /= remembered_;
    std::vector<double> scores(n_ * classes_);
    if (!score(*weights, primal.b, scores)) return false;
    const Terms terms = compare(problem_, scores, share, workers_);
    const Certificate found = judge(problem_, primal, terms, dual_w, sum);
    if (monitor_.stopped()) return false;
    if (found.gap < gap_ && found.gap < best_.certificate.gap) {
      best_.certificate = found;
      best_.primal = std::move(primal);
      best_.share = share;
    }
    return true;
  }

  const Problem& problem_;
  const Settings& settings_;
  Monitor& monitor_;
  Workers workers_;
  Trace& trace_;
  Solution& best_;
  NewtonWork newton_;
  std::unique_ptr<ClassWeights> weights_;
  int64_t n_, classes_, active_, passes_ = 0;
  double kappa_ = 0, gap_ = kInfinity;
  double estimate_ = 0, size_ = 0;  // of P - D as the last pass met it, and of P itself
  std::vector<double> share_, b_, curve_, scores_;
  std::vector<double> level_, near_, by_;  // of the row at hand
  std::vector<int32_t> kept_, moved_;
  std::vector<int32_t> list_, count_;      // classes of each row that are not left out, ascending
  std::vector<std::vector<double>> mean_;  // sums over passes, the last one with weight 1,
  std::vector<double> mean_b_;
  double remembered_ = 0;  // and that of the weights
  std::vector<int64_t> order_;
  int64_t work_ = 0;
  std::vector<std::pair<double, double>> gaps_;  // work and gap at each look
  Random random_;
};

}  // namespace

Status descend(const Problem& problem, const Settings& settings, Monitor& monitor, Trace& trace,
               Solution& solution, bool* undecided) {
  solution.certificate.gap = kInfinity;
  Descent descent(problem, settings, monitor, trace, solution, newton_work(problem));
  const Status status = descent.run(undecided);
  solution.steps = descent.passes();
  return status;
}

}  // namespace svm::linear::crammer_singer
