#include "dual/solve.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include "core/trace.h"
#include "dual/active_set.h"
#include "dual/exact_gradient.h"
#include "dual/interior.h"
#include "dual/newton.h"
#include "dual/pair_steps.h"
#include "dual/quadratic.h"

namespace svm {
namespace {

// A small problem is one working set. Of a larger one a set has an eighth of the variables, so that
// its block costs little beside the rows of those that move; more where more are free, or they
// would take turns. The first sets are smaller: how many variables will ever move is not known yet;
// and so are those after a set most of which did not move. Where a kernel value is dear, the block
// of a large set costs more than it saves; where many problems are solved side by side, their
// blocks are held side by side.
constexpr int64_t kPart = 8, kSmallestSet = 256, kFirstSet = 1024, kLargestSet = 3072;
constexpr int64_t kLargestDearSet = 512, kIdle = 4;
// Smaller problems are done before a second thread has woken up.
constexpr int64_t kAlone = 256;
// Pair steps a variable after which they crawl.
constexpr int64_t kStage = 100;
// A pair's share of the matrix of a Newton system and of its factor.
constexpr int64_t kNewtonBytes = 16;
// Steps after which a system that was to be quick is not.
constexpr int64_t kQuick = 4;
// Newton steps change which variables are free only among those this many violations from it.
constexpr double kReach = 100;
// Up to here an interior-point step costs less than a stage of pair steps, and its factor is small.
constexpr int64_t kInside = 3072;

// Of Newton steps on some variables of a large problem: `quick` where pair steps go on afterwards,
// `once` for the digits that follow from an exact gradient, else `thorough`.
enum class Effort { quick, once, thorough };

int64_t count_free(const Box& box, const double* b) {
  int64_t count = 0;
  for (int64_t i = 0; i < box.size(); ++i) count += box.free(i, b[i]);
  return count;
}

// No fit is endless: without a limit of the caller's there are a hundred million steps, or a
// thousand a variable.
int64_t step_limit(const Settings& settings, int64_t variables) {
  return settings.max_steps >= 0 ? settings.max_steps
                                 : std::max<int64_t>(100'000'000, 1000 * variables);
}

class Fit {
 public:
  Fit(const Gram& gram, const DualProblem& problem, const Settings& settings, Monitor& monitor)
      : gram_(gram),
        problem_(problem),
        settings_(settings),
        monitor_(monitor),
        workers_{problem.size() <= kAlone ? 1 : settings.threads, monitor},
        trace_(problem, monitor),
        budget_{0, step_limit(settings, problem.size()), monitor},
        f_(problem.size()) {}

  Solution run(std::span<const double> start) {
    begin(start);
    if (monitor_.stop()) {
      begin_again();
    } else if (problem_.size() <= settings_.small) {
      solve_small();
    } else {
      solve_large();
    }
    result_.steps = budget_.steps;
    trace_.finish(result_.certificate, budget_.steps);
    result_.trace = trace_.take();
    result_.seconds = monitor_.seconds();
    result_.work = monitor_.work;
    result_.flops = result_.work.flops(gram_.row_length());
    return std::move(result_);
  }

 private:
  double* b() { return result_.b.data(); }
  bool out_of_steps() const { return budget_.steps >= budget_.limit; }
  double violation() const {
    return extremes(problem_.box, result_.b.data(), f_.data()).violation();
  }

  // From zero where that is feasible, else by filling the variables in order until the sums are
  // met.
  void begin(std::span<const double> start) {
    result_.b.assign(start.begin(), start.end());
    if (!start.empty()) return;
    result_.b.assign(problem_.size(), 0.0);
    std::array<double, kGroups> left = problem_.total;
    for (int64_t i = 0; i < problem_.size(); ++i) {
      double& rest = left[problem_.box.group_of(i)];
      if (rest == 0) continue;
      b()[i] = std::clamp(rest, problem_.box.lower[i], problem_.box.upper[i]);
      rest -= b()[i];
    }
    for (int g = 0; g < kGroups; ++g) {
      if (std::abs(left[g]) > 1e-12 * std::abs(problem_.total[g])) {
        throw std::invalid_argument("total is outside what the bounds of the variables allow");
      }
    }
  }

  // Where the monitor stopped the fit before anything was known about its first point, go back to
  // the formulation's own, whose gradient is -t or cheap.
  void begin_again() {
    begin({});
    Monitor nobody;
    exact_gradient(gram_, problem_, result_.b, all_rows(problem_.size()), f_.data(),
                   {settings_.threads, nobody});
    finish(gradient_error(gram_, problem_, result_.b, chunked_additions(result_.b)));
  }

  // Pair steps down to a violation of tol; `watched` ones are on the problem's own variables. True
  // when they ended before that because it is time for Newton steps.
  bool descend_on(auto& K, const Box& box, double* b, double* f, double tol, bool watched) {
    const int64_t largest = gram_.dear()      ? kLargestDearSet
                            : settings_.alone ? kLargestSet
                                              : kFirstSet;
    const auto size = [&](int64_t moved) {
      const int64_t usual = std::max(box.size() / kPart, count_free(box, b));
      const int64_t wanted = std::min(usual, kIdle * moved);
      if (box.size() <= kSmall) return box.size();
      set_size_ = std::clamp(wanted, kSmallestSet, std::min(largest, 2 * set_size_));
      return set_size_;
    };
    bool settled = false;
    const auto go_on = [&] {
      if (watched) trace_.observe(b, f, budget_.steps);
      settled = watched && settling_ && settling_->reached(b, budget_.touched);
      return !settled;
    };
    descend(K, box, b, f, size, tol, budget_, go_on, !settings_.alone && gram_.dear());
    return settled;
  }

  // The float64 matrix of some variables, the ridge included, until the next is asked for;
  // incomplete where the monitor stops.
  StoredMatrix<double>& stored(std::span<const int64_t> which) {
    const Stopwatch watch(monitor_.work.kernel_seconds);
    const int64_t q = static_cast<int64_t>(which.size());
    std::vector<int64_t> rows(which.begin(), which.end());
    for (int64_t& row : rows) row %= gram_.size();
    stored_.resize(q);
    gram_.block(rows, stored_.data(), workers_);
    for (int64_t k = 0; k < q; ++k) stored_.data()[k * q + k] += problem_.ridge_of(which[k]);
    return stored_;
  }

  // ---- Small: the whole matrix in float64 ----------------------------------------------------

  void solve_small() {
    const int64_t n = problem_.size();
    StoredMatrix<double>& K = stored(all_rows(problem_.size()));
    if (monitor_.stopped()) return begin_again();
    std::vector<double> constant(n, gram_.offset() * problem_.sum());
    for (int64_t i = 0; i < n; ++i) constant[i] -= problem_.target[i];
    Newton newton(K, problem_.box, std::move(constant), problem_.ridge, workers_);
    newton.gradient(b(), f_.data());

    const double tolerance = settings_.alone || n <= kAlone ? 0 : 0.5 * settings_.tol;
    alternate(K, problem_.box, newton, b(), f_.data(), tolerance, true);
    result_.newton_steps = newton.steps();
    budget_.concave |= newton.concave();
    balance();
    const double before = monitor_.seconds();
    newton.gradient(b(), f_.data());
    finish(gradient_error(gram_, problem_, result_.b, count_support(result_.b)));
    result_.certificate_seconds = monitor_.seconds() - before;
  }

  // Pair steps and Newton steps in turn on a matrix in memory, until the violation is at most
  // `tolerance` or rounding, or three rounds bring neither half of it nor a billionth of the
  // objective.
  void alternate(StoredMatrix<double>& K, const Box& box, Newton& newton, double* b, double* f,
                 double tolerance, bool watched) {
    const auto violation = [&] { return extremes(box, b, f).violation(); };
    const auto target = [&] { return std::max(tolerance, rounding({b, b + K.size()})); };
    const double first = violation();
    // A small problem is solved to rounding: however loose tol is, this is what pair steps aim for.
    const double asked = watched ? std::min(0.5 * settings_.tol, 2.5e-4 * first) : tolerance;
    double tol = tolerance >= 1e-4 * first ? tolerance : 0.02 * first;
    double best = kInfinity, highest = -kInfinity;
    // A working set comes from pair steps: Newton steps are first.
    if (!watched) newton.run(b, f, target());
    int rounds = 0;
    for (int stale = 0; stale < 3; ++stale) {
      if (violation() <= target()) break;
      // A stage of pair steps is bounded: where they crawl, Newton takes over.
      const int64_t bound = std::max<int64_t>(20000, 50 * K.size());
      descend_stage(K, box, newton, b, f, std::max(tol, target()), bound, watched);
      // They go on as long as all of them have cost less than a system will.
      if (watched && rounds == 0) {
        const double price = newton_price(K.size(), count_free(box, b), 1);
        const auto left = (static_cast<int64_t>(price) - budget_.touched) / K.size();
        descend_stage(K, box, newton, b, f, std::max(asked, target()), left, watched);
      }
      if (budget_.over()) return;
      const int64_t most = watched && rounds == 0 ? kQuick : Newton::kNoLimit;
      if (violation() > target()) newton.run(b, f, target(), most);
      // Digits beyond those that were asked for are worth two rounds.
      if (++rounds == 2 && violation() <= asked) break;
      // Where that is not the end the second time, bounds are met one after the other: from the
      // inside they are seen all at once.
      if (rounds == 2 && violation() > target() && K.size() <= kInside) {
        from_inside(K, box, newton, b, f, target());
      }
      if (watched) trace_.observe(b, f, budget_.steps);
      if (monitor_.stopped()) return;
      const double dual = newton.value(b, f);
      if (violation() < 0.5 * best || dual > highest + 1e-9 * std::abs(highest)) stale = -1;
      best = std::min(best, violation());
      highest = std::max(highest, dual);
      tol = std::max(std::min(tol, violation()) * 0.002, rounds == 1 ? asked : 0);
    }
    if (tolerance > 0) return;
    // One more for the last digit; not where it follows negative curvature away from a solution.
    const std::vector<double> last_b(b, b + K.size()), last_f(f, f + K.size());
    const double last = violation();
    newton.run(b, f, 0, 1);
    if (violation() <= std::max(last, target())) return;
    std::copy(last_b.begin(), last_b.end(), b);
    std::copy(last_f.begin(), last_f.end(), f);
  }

  // At most `most` pair steps down to a violation of tol, and the gradient from the beginning.
  void descend_stage(StoredMatrix<double>& K, const Box& box, Newton& newton, double* b, double* f,
                     double tol, int64_t most, bool watched) {
    if (most <= 0 || extremes(box, b, f).violation() <= tol) return;
    const int64_t limit = budget_.limit;
    budget_.limit = std::min(limit, budget_.steps + most);
    if (!watched || astray_ || !descend_single(K, box, newton, b, f, tol)) {
      descend_on(K, box, b, f, tol, watched);
      newton.gradient(b, f);
    }
    budget_.limit = limit;
  }

  // Pair steps on a float32 copy of the matrix, in half the time. False, and all is as it was,
  // where its rounding leads astray.
  bool descend_single(const StoredMatrix<double>& K, const Box& box, Newton& newton, double* b,
                      double* f, double tol) {
    const int64_t n = K.size();
    if (single_.size() != n) {
      single_.resize(n);
      std::copy_n(K.row(0), n * n, single_.data());
    }
    const std::vector<double> last_b(b, b + n), last_f(f, f + n);
    const double last = newton.value(b, f);
    descend_on(single_, box, b, f, tol, true);
    newton.gradient(b, f);
    // Along negative curvature the way may be endless, beyond the range of float32.
    astray_ = !(newton.value(b, f) >= last) || budget_.concave;
    if (!astray_) return true;
    std::copy(last_b.begin(), last_b.end(), b);
    std::copy(last_f.begin(), last_f.end(), f);
    return false;
  }

  // Goes on from the end of an interior-point method, if that leads to a better objective.
  void from_inside(const StoredMatrix<double>& K, const Box& box, Newton& newton, double* b,
                   double* f, double target) {
    if (budget_.concave || newton.concave()) return;
    std::vector<double> found =
        Interior(K, gram_.offset(), box, newton.constant(), {b, b + K.size()}, workers_).run();
    if (found.empty()) return;
    std::vector<double> gradient(K.size());
    newton.gradient(found.data(), gradient.data());
    newton.run(found.data(), gradient.data(), target);
    if (!(newton.value(found.data(), gradient.data()) > newton.value(b, f))) return;
    std::copy(found.begin(), found.end(), b);
    std::copy(gradient.begin(), gradient.end(), f);
  }

  // A violation that rounding alone may cause.
  double rounding(std::span<const double> b) const {
    double largest = 0;
    for (const double t : problem_.target) largest = std::max(largest, std::abs(t));
    return 4 * 0x1p-53 * (norm1(b) * gram_.largest_entry() + largest);
  }

  // ---- Large: rows when they are needed --------------------------------------------------------

  void solve_large() {
    if (!exact_gradient(gram_, problem_, result_.b, all_rows(problem_.size()), f_.data(),
                        workers_)) {
      return begin_again();
    }
    const double error = gradient_error(gram_, problem_, result_.b, chunked_additions(result_.b));
    known_ = {result_.b, f_, std::vector<double>(f_.size(), error), error};
    settling_.emplace(problem_.box, gram_.row_cost());
    // Values beyond the range of float32 would be infinite there.
    const bool fits = std::isfinite(gram_.single_error());
    if (!fits || !rounds<float>()) rounds<double>();
  }

  // True when the fit is over; false when this precision has nothing more to give.
  template <class T>
  bool rounds() {
    const auto source = make_source<T>();
    CachedKernel<T> K(*source, problem_, !gram_.dear(), settings_.row_bytes(), settings_.memory,
                      workers_);
    // Pair steps go down to `coarse`, in stages. Newton steps take over where they have settled,
    // where a stage ends below `handover`, or where pair steps crawl.
    const double finest = 0.5 * settings_.tol, first = violation();
    const double handover = std::max(finest, 0.01 * first);
    double coarse = 1e-4 * first > 4 * finest ? 1e-4 * first : finest, last = kInfinity;
    int64_t stage = kStage * problem_.size(), crawls = 0;
    bool enough = false;
    for (bool over = false; !over; stage *= 2) {
      // Newton steps to digits that pair steps do not reach start from an exact gradient.
      const bool digits = coarse > finest;
      const int64_t limit = budget_.limit;
      budget_.limit = std::min(limit, budget_.steps + stage);
      bool settled = descend_on(K, problem_.box, b(), f_.data(), coarse, true);
      while (settled && !(digits && last == kInfinity)) {
        polish(K, finest, kInfinity, Effort::quick);
        settled = descend_on(K, problem_.box, b(), f_.data(), coarse, true);
      }
      crawls += budget_.steps >= budget_.limit;
      budget_.limit = limit;
      double noise = digits ? judge(K) : 0;
      // The third crawl is followed by Newton steps in any case.
      const bool done = digits && result_.status != Status::precision;
      if (!done && (settled || violation() <= handover || crawls > 0)) {
        polish(K, finest, settled || crawls > 2 ? kInfinity : handover,
               digits ? Effort::once : Effort::thorough);
      }
      const double left = judge(K);
      noise = left < 0 ? left : std::max(noise, left);
      const double violation = result_.certificate.violation;
      const bool halved = std::isfinite(violation) && violation < 0.5 * last;
      const bool lost = sizeof(T) == sizeof(float) &&
                        (noise > 0.2 * handover || coarse < 0x1p-21 * problem_.box.epsilon);
      const bool at_end = !halved && (coarse <= finest || !std::isfinite(violation));
      // What is missing then is only the certificate's own error.
      enough = noise >= 0 && violation <= finest;
      over = result_.status != Status::precision || enough || at_end || lost;
      if (!halved) coarse = std::max(finest, 0.1 * std::min(coarse, violation));
      last = violation;
    }
    result_.rows_computed += K.rows_computed();
    return result_.status != Status::precision || enough || sizeof(T) == sizeof(double);
  }

  // Makes the gradient exact where it has to be, and the certificate of it. The largest correction,
  // or -1 when stopped half-way.
  template <class T>
  double judge(const CachedKernel<T>& K) {
    const double before = monitor_.seconds(), largest_entry = gram_.largest_entry();
    if (charged_.b != result_.b) charged_ = {};
    const double balanced = balance() * largest_entry;
    charged_.error += balanced;
    const std::vector<double> change = change_since_known();
    // Charging adds float32 rows, always the same: their errors times the change, and roundings.
    const double entry = sizeof(T) == sizeof(float) ? gram_.single_error() : gram_.exact_error();
    const double drift = norm1(change) * entry + K.rounding(largest_entry) + balanced;
    const bool moved = norm1(change) > 0;
    const double largest = !moved ? 0 : monitor_.stopped() ? -1 : correct_gradient(change, drift);
    if (largest >= 0) {
      finish(known_.error);
    } else {
      finish(std::ranges::max(known_.errors) + drift + charged_.error, true);
    }
    result_.certificate_seconds += monitor_.seconds() - before;
    return largest;
  }

  // Newton steps on the free variables and the nearest of the others, their moves charged to all,
  // until the violation is at most `target` or such steps no longer bring it down. Above `handover`
  // it is not known which variables will be free, and they start from the inside of a larger set.
  template <class T>
  void polish(CachedKernel<T>& K, double target, double handover, Effort effort) {
    for (double last = kInfinity; !budget_.over();) {
      const double worst = violation();
      if (worst <= target || worst > 0.5 * last) return;
      last = worst;
      const bool unknown = worst > handover;
      const std::vector<int64_t> set = nearest_variables(unknown ? kInside : 0, effort);
      if (set.empty() || (unknown && set.size() > kInside)) return;
      if (!newton_on(set, K, 0.1 * target, unknown, effort)) return;
      trace_.observe(b(), f_.data(), budget_.steps);
      if (effort == Effort::once) return;
    }
  }

  // The free variables, then those that are closest to being called away from their bound: as many
  // as may be, or `least`, as far as the matrix and its factor fit. Empty where the free ones alone
  // are too many.
  std::vector<int64_t> nearest_variables(int64_t least, Effort effort) const {
    const Box& box = problem_.box;
    const auto level = intercepts(box, result_.b.data(), f_.data());
    const auto room = static_cast<size_t>(
        std::sqrt(static_cast<double>(settings_.system_bytes()) / kNewtonBytes));
    std::vector<std::pair<double, int64_t>> distance;
    size_t free = 0;
    for (int64_t i = 0; i < box.size(); ++i) {
      const double x = result_.b[i], shifted = f_[i] + level[box.group_of(i)];
      const double up = shifted + box.up_offset(i, x), down = shifted + box.down_offset(i, x);
      distance.emplace_back(box.free(i, x) ? -kInfinity : std::min(up, -down), i);
      free += box.free(i, x);
    }
    if (free > room) return {};
    const auto near = static_cast<size_t>(std::ranges::count_if(
        distance, [reach = kReach * violation()](const auto& d) { return d.first <= reach; }));
    const size_t more = effort == Effort::quick ? free / 8 + 16 : free / 2 + 256;
    const size_t usual = std::min(near + 16, free + more);
    const size_t count =
        std::min({room, distance.size(), std::max(usual, static_cast<size_t>(least))});
    std::nth_element(distance.begin(), distance.begin() + static_cast<int64_t>(count) - 1,
                     distance.end());
    std::vector<int64_t> set;
    for (size_t k = 0; k < count; ++k) set.push_back(distance[k].second);
    std::sort(set.begin(), set.end());
    return set;
  }

  template <class T>
  bool newton_on(std::span<const int64_t> set, CachedKernel<T>& K, double target, bool unknown,
                 Effort effort) {
    const int64_t q = static_cast<int64_t>(set.size());
    const int64_t bytes = kNewtonBytes * q * q;
    // A large system takes the place of the cached rows, or waits for that of another problem.
    const bool large = settings_.alone ? K.bytes() + bytes > settings_.cache_bytes
                                       : bytes > settings_.system_bytes() / settings_.sharing;
    std::unique_lock lock(*settings_.large_system, std::defer_lock);
    while (large && !lock.try_lock()) {
      if (monitor_.stop()) return false;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    if (large && settings_.alone) K.release();
    const bool exact = known_.b == result_.b;
    const Point point = newton_point(set, target, unknown, effort);
    if (large) stored_.release();
    std::vector<int64_t> moved;
    std::vector<double> step;
    for (size_t k = 0; k < point.x.size(); ++k) {
      const int64_t v = set[k];
      if (point.x[k] == b()[v]) continue;
      moved.push_back(v);
      step.push_back(point.x[k] - b()[v]);
    }
    if (moved.empty() || !K.accumulate(moved, step, f_.data())) return false;
    for (size_t k = 0; k < point.x.size(); ++k) b()[set[k]] = point.x[k];
    if (exact) charge(set, point.change);
    return true;
  }

  // After a step from a known point: exact f of the set, from their changes in float64.
  void charge(std::span<const int64_t> set, std::span<const double> changes) {
    const std::vector<double> change = change_since_known();
    charged_ = {{}, result_.b, followed_error(change, count_support(change))};
    for (size_t k = 0; k < set.size(); ++k) {
      if (!known_.exact(set[k])) continue;
      f_[set[k]] = known_.f[set[k]] + changes[k];
      charged_.variables.push_back(set[k]);
    }
  }

  std::vector<double> change_since_known() const {
    std::vector<double> change = result_.b;
    for (size_t v = 0; v < change.size(); ++v) change[v] -= known_.b[v];
    return change;
  }

  struct Point {
    std::vector<double> x, change;  // the variables, and how the gradient has changed
  };

  // A set after Newton steps; nothing where the monitor stopped it.
  Point newton_point(std::span<const int64_t> set, double target, bool unknown, Effort effort) {
    const size_t q = set.size();
    StoredMatrix<double>& block = stored(set);
    if (monitor_.stopped()) return {};
    std::vector<double> lower(q), upper(q), x(q), g(q), constant(q), ridge;
    std::vector<uint8_t> group;
    for (size_t k = 0; k < q; ++k) {
      lower[k] = problem_.box.lower[set[k]], upper[k] = problem_.box.upper[set[k]];
      x[k] = b()[set[k]], g[k] = f_[set[k]];
      if (!problem_.box.group.empty()) group.push_back(problem_.box.group[set[k]]);
      if (!problem_.ridge.empty()) ridge.push_back(problem_.ridge[set[k]]);
      constant[k] = g[k];
    }
    const std::vector<double> start = x;
    for (size_t k = 0; k < q; ++k) {
      constant[k] -= simd::table().f64.dot(block.row(k), x.data(), static_cast<int64_t>(q));
    }
    const Box box{lower, upper, problem_.box.epsilon, group};
    Newton newton(block, box, std::move(constant), ridge, workers_);
    newton.gradient(x.data(), g.data());
    if (unknown) from_inside(block, box, newton, x.data(), g.data(), target);
    if (effort == Effort::quick) {
      newton.run(x.data(), g.data(), target, kQuick);
    } else {
      alternate(block, box, newton, x.data(), g.data(), target, false);
    }
    result_.newton_steps += newton.steps();
    budget_.concave |= newton.concave();
    std::vector<double> step = x, change(q, 0.0);
    for (size_t k = 0; k < q; ++k) step[k] -= start[k];
    block.multiply_add(step.data(), change.data(), workers_.threads);
    return {std::move(x), std::move(change)};
  }

  // Makes f exact where the certificate depends on it: for all variables that are not zero, and for
  // those whose loss may be another slope within the error of their f, which has grown by `drift`
  // since it was known. The others have no loss and do not violate anything, wherever in that range
  // their f is. The largest correction, or -1 when stopped half-way.
  double correct_gradient(std::span<const double> change, double drift) {
    const Box& box = problem_.box;
    // From what is known only changes have to be added; but a sum over all variables for all of
    // them costs half.
    const bool follow = !charged_.b.empty() || 2 * count_support(change) <= count_support(known_.b);
    std::vector<double> errors = known_.errors;
    for (double& error : errors) error += drift;
    std::vector<bool> exact(problem_.size(), false);
    for (const int64_t v : charged_.variables) exact[v] = true;
    double largest = 0;
    for (std::vector<int64_t> followed, fresh;; followed.clear(), fresh.clear()) {
      const auto level = intercepts(box, b(), f_.data());
      for (int64_t v = 0; v < problem_.size(); ++v) {
        if (exact[v]) continue;
        const double ridge = problem_.ridge_of(v), x = b()[v];
        const double r = ridge * x - f_[v] - level[box.group_of(v)];
        const auto slope = [&](double at) {
          return loss_slope(at, box.lower[v], box.upper[v], box.epsilon, ridge);
        };
        if (x == 0 && slope(r - errors[v]) == 0 && slope(r + errors[v]) == 0) continue;
        (follow && known_.exact(v) ? followed : fresh).push_back(v);
        exact[v] = true;
      }
      if (followed.empty() && fresh.empty()) break;
      const std::vector<double> before = f_;
      if (!follow_known(change, followed)) return -1;
      if (!exact_gradient(gram_, problem_, result_.b, fresh, f_.data(), workers_)) return -1;
      for (int64_t v = 0; v < problem_.size(); ++v) {
        largest = std::max(largest, std::abs(f_[v] - before[v]));
      }
    }
    double error = gradient_error(gram_, problem_, result_.b, chunked_additions(result_.b));
    if (follow) {
      error = std::max({error, charged_.error, followed_error(change, chunked_additions(change))});
    }
    for (int64_t v = 0; v < problem_.size(); ++v) {
      if (exact[v]) errors[v] = error;
    }
    known_ = {result_.b, f_, std::move(errors), error};
    return largest;
  }

  // The error of known f_i + ((K + R) change)_i, whose products were added one after the other.
  double followed_error(std::span<const double> change, int64_t additions) const {
    double largest = 0;
    for (const double f : known_.f) largest = std::max(largest, std::abs(f));
    return known_.error + gradient_error(gram_, problem_, change, additions) + 0x1p-52 * largest;
  }

  // f_v = known f_v + ((K + R) change)_v, for some variables. False when stopped half-way.
  bool follow_known(std::span<const double> change, std::span<const int64_t> variables) {
    std::vector<double> product;
    if (!exact_product(gram_, change, variables, product, workers_)) return false;
    for (size_t k = 0; k < variables.size(); ++k) {
      const int64_t v = variables[k];
      f_[v] = known_.f[v] + product[k] + problem_.ridge_of(v) * change[v];
    }
    return true;
  }

  template <class T>
  std::unique_ptr<KernelSource<T>> make_source() const {
    if constexpr (sizeof(T) == sizeof(float)) {
      return gram_.single(workers_);
    } else {
      return gram_.exact(workers_);
    }
  }

  // ---- Both -----------------------------------------------------------------------------------

  // Makes the totals hold again, to rounding: what is missing goes onto the free variables, those
  // with most room first. How far they move.
  double balance() {
    const Box& box = problem_.box;
    double moved = 0;
    for (int g = 0; g < box.groups(); ++g) {
      double missing = problem_.total[g];
      std::vector<std::pair<double, int64_t>> free;
      for (int64_t i = 0; i < problem_.size(); ++i) {
        if (box.group_of(i) != g) continue;
        const double x = b()[i];
        missing -= x;
        if (box.free(i, x)) free.emplace_back(std::min(x - box.lower[i], box.upper[i] - x), i);
      }
      if (missing == 0) continue;
      std::sort(free.rbegin(), free.rend());
      for (const auto& [room, i] : free) {
        const double x = b()[i];
        b()[i] = std::clamp(x + missing, box.lower[i], box.upper[i]);
        missing -= b()[i] - x;
        moved += std::abs(b()[i] - x);
        if (missing == 0 || std::abs(missing) < 0.5 * room) break;
      }
    }
    return moved;
  }

  // `error` bounds the error of each f_i; `estimate` says that f is the solver's own.
  void finish(double error, bool estimate = false) {
    result_.certificate = certify(problem_, b(), f_.data(), error, estimate);
    Certificate& c = result_.certificate;
    c.convex = c.convex && !budget_.concave;
    if (!c.convex && !std::isfinite(c.primal)) {
      throw std::invalid_argument(
          "the kernel is not positive semidefinite: without an upper bound on the dual variables "
          "the "
          "problem has no minimum");
    }
    if (c.violation + c.bound <= settings_.tol) {
      result_.status = Status::optimal;
    } else if (monitor_.stopped()) {
      result_.status = Status::stopped;
    } else {
      result_.status = out_of_steps() ? Status::max_iterations : Status::precision;
    }
  }

  const Gram& gram_;
  const DualProblem& problem_;
  const Settings& settings_;
  Monitor& monitor_;
  Workers workers_;
  Trace trace_;
  Budget budget_;
  std::optional<Settling> settling_;  // of a large problem
  std::vector<double> f_;
  int64_t set_size_ = kFirstSet / 2;  // of the last working set
  StoredMatrix<double> stored_;
  StoredMatrix<float> single_;                          // a small problem's copy of it
  bool astray_ = !std::isfinite(gram_.single_error());  // and whether that is too rough
  Known known_;
  Charged charged_;
  Solution result_;
};

}  // namespace

Solution solve(const Gram& gram, const DualProblem& problem, const Settings& settings,
               std::span<const double> start, Monitor& monitor) {
  if (!std::isfinite(gram.largest_entry())) {
    throw std::invalid_argument("kernel values overflow float64; scale the data");
  }
  return Fit(gram, problem, settings, monitor).run(start);
}

Certificate certify(const Gram& gram, const DualProblem& problem, std::span<const double> b,
                    int threads, Monitor& monitor) {
  std::vector<double> f(problem.size());
  exact_gradient(gram, problem, b, all_rows(problem.size()), f.data(), {threads, monitor});
  return certify(problem, b.data(), f.data(),
                 gradient_error(gram, problem, b, chunked_additions(b)));
}

}  // namespace svm
