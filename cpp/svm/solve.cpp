#include "svm/solve.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "svm/newton.h"
#include "svm/quadratic.h"
#include "svm/smo.h"

namespace svm {
namespace {

constexpr int64_t kOuterSet = 2048, kLeafSet = 256;

// The course of a fit, thinned to at most 1,024 rows.
class Trace {
 public:
  Trace(const DualProblem& problem, Monitor& monitor) : problem_(problem), monitor_(monitor) {}

  void observe(const double* b, const double* f, int64_t steps) {
    const TraceRow row = make_row(certify(problem_, b, f, 0), steps);
    monitor_.report(row);
    if (calls_++ % every_ != 0) return;
    rows_.push_back(row);
    if (rows_.size() < 1024) return;
    for (size_t k = 0; 2 * k < rows_.size(); ++k) rows_[k] = rows_[2 * k];
    rows_.resize((rows_.size() + 1) / 2);
    every_ *= 2;
  }
  void finish(const Certificate& c, int64_t steps) { rows_.push_back(make_row(c, steps)); }
  std::vector<TraceRow> take() { return std::move(rows_); }

 private:
  TraceRow make_row(const Certificate& c, int64_t steps) const {
    return {monitor_.seconds(), steps, c.primal, c.dual, c.gap, c.violation, c.support};
  }

  const DualProblem& problem_;
  Monitor& monitor_;
  std::vector<TraceRow> rows_;
  int64_t calls_ = 0, every_ = 1;
};

// f = Kb - t in float64. False when stopped half-way.
bool exact_gradient(const Gram& gram, const DualProblem& problem, std::span<const double> b,
                    double* f, const Workers& workers) {
  std::vector<int64_t> which;
  std::vector<double> weights;
  for (int64_t i = 0; i < problem.size(); ++i) {
    if (b[i] == 0) continue;
    which.push_back(i);
    weights.push_back(b[i]);
  }
  if (!gram.product(which, weights, f, workers)) return false;
  for (int64_t i = 0; i < problem.size(); ++i) f[i] -= problem.target[i];
  return true;
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
        workers_{settings.threads, monitor},
        trace_(problem, monitor),
        budget_{0, step_limit(settings, problem.size()), monitor},
        f_(problem.size()) {}

  Solution run(std::span<const double> start) {
    begin(start);
    if (problem_.size() <= kSmall) {
      solve_small();
    } else {
      solve_large();
    }
    result_.steps = budget_.steps;
    trace_.finish(result_.certificate, budget_.steps);
    result_.trace = trace_.take();
    result_.seconds = monitor_.seconds();
    return std::move(result_);
  }

 private:
  double* b() { return result_.b.data(); }
  bool out_of_steps() const { return budget_.steps >= budget_.limit; }
  double violation() const {
    return extremes(problem_.box, result_.b.data(), f_.data()).violation();
  }

  // From zero where that is feasible, else by filling the variables in order until the sum is met.
  void begin(std::span<const double> start) {
    result_.b.assign(start.begin(), start.end());
    if (!start.empty()) return;
    result_.b.assign(problem_.size(), 0.0);
    double left = problem_.total;
    for (int64_t i = 0; i < problem_.size() && left != 0; ++i) {
      b()[i] = std::clamp(left, problem_.box.lower[i], problem_.box.upper[i]);
      left -= b()[i];
    }
    if (std::abs(left) > 1e-12 * std::abs(problem_.total)) {
      throw std::invalid_argument("total is outside what the bounds of the variables allow");
    }
  }

  // Where the monitor stopped the fit before anything was known about its first point, go back to
  // the formulation's own, whose gradient is -t or cheap.
  void begin_again() {
    begin({});
    Monitor nobody;
    exact_gradient(gram_, problem_, result_.b, f_.data(), {settings_.threads, nobody});
    finish(gradient_error(gram_, problem_, result_.b, chunked_additions(result_.b)));
  }

  void descend_on(auto& K, double tol) {
    const int64_t sizes[] = {kOuterSet, kLeafSet};
    const bool nested = K.size() > kOuterSet;
    descend(K, problem_.box, b(), f_.data(),
            std::span<const int64_t>(sizes).subspan(nested ? 0 : 1), tol, budget_,
            [this] { trace_.observe(b(), f_.data(), budget_.steps); });
  }

  // ---- Small: the whole matrix in float64 ----------------------------------------------------

  void solve_small() {
    const int64_t n = problem_.size();
    StoredMatrix<double> K(n);
    gram_.matrix(K.data(), workers_);
    if (monitor_.stopped()) return begin_again();
    Newton newton(K, problem_, gram_.offset() * problem_.total, monitor_);
    newton.gradient(b(), f_.data());

    const int64_t limit = budget_.limit;
    double tol = 0.002 * violation(), best = kInfinity, highest = -kInfinity;
    for (int stale = 0; stale < 3; ++stale, tol = std::min(tol, violation()) * 0.002) {
      // A stage of pair steps is bounded: where they crawl, Newton takes over.
      budget_.limit = std::min(limit, budget_.steps + std::max<int64_t>(20000, 50 * n));
      descend_on(K, std::max(tol, rounding()));
      budget_.limit = limit;
      newton.gradient(b(), f_.data());
      if (monitor_.stopped() || out_of_steps() || violation() <= rounding()) break;
      newton.run(b(), f_.data(), rounding());
      trace_.observe(b(), f_.data(), budget_.steps);
      if (monitor_.stopped() || violation() <= rounding()) break;
      const double dual = newton.value(b(), f_.data());
      if (violation() < 0.5 * best || dual > highest + 1e-9 * std::abs(highest)) stale = -1;
      best = std::min(best, violation());
      highest = std::max(highest, dual);
    }
    result_.newton_steps = newton.steps();
    balance();
    const double before = monitor_.seconds();
    newton.gradient(b(), f_.data());
    finish(gradient_error(gram_, problem_, result_.b, count_support(result_.b)));
    result_.certificate_seconds = monitor_.seconds() - before;
  }

  // A violation that rounding alone may cause.
  double rounding() const {
    double largest = 0;
    for (const double t : problem_.target) largest = std::max(largest, std::abs(t));
    return 4 * 0x1p-53 * (norm1(result_.b) * gram_.largest_entry() + largest);
  }

  // ---- Large: rows when they are needed --------------------------------------------------------

  void solve_large() {
    if (!exact_gradient(gram_, problem_, result_.b, f_.data(), workers_)) return begin_again();
    // Values beyond float32's range would be infinite there.
    const bool fits = gram_.largest_entry() < 1e37;
    if (!fits || !rounds<float>()) rounds<double>();
  }

  // True when the fit is over; false when this precision has nothing more to give.
  template <class T>
  bool rounds() {
    const auto source = make_source<T>();
    CachedKernel<T> K(*source, settings_.cache_bytes, workers_);
    std::vector<double> exact(problem_.size());
    double last = kInfinity;
    for (bool over = false; !over;) {
      const std::vector<double> known = result_.b;
      const double path = K.path();
      descend_on(K, 0.5 * settings_.tol);
      balance();
      const double before = monitor_.seconds();
      if (!monitor_.stopped() &&
          exact_gradient(gram_, problem_, result_.b, exact.data(), workers_)) {
        f_.swap(exact);
        finish(gradient_error(gram_, problem_, result_.b, chunked_additions(result_.b)));
      } else {
        finish(estimate_error<T>(known, K.path() - path) + K.rounding(gram_.largest_entry()), true);
      }
      result_.certificate_seconds += monitor_.seconds() - before;
      const double violation = result_.certificate.violation;
      const bool halved = std::isfinite(violation) && violation <= 0.5 * last;
      over = result_.status != Status::precision || !halved;
      last = violation;
    }
    result_.rows_computed += K.rows_computed();
    return result_.status != Status::precision || sizeof(T) == sizeof(double);
  }

  // The error of a gradient that was exact at `known` and has followed the variables since, along a
  // path of this length, with kernel values in type T.
  template <class T>
  double estimate_error(std::span<const double> known, double path) const {
    const double entry = sizeof(T) == sizeof(float) ? gram_.single_error() : gram_.exact_error();
    const double moved = std::min(path, norm1(known) + norm1(result_.b));
    return moved * entry + gradient_error(gram_, problem_, known, chunked_additions(known));
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

  // Puts the rounding of the sum onto the most interior variable, so that 1'b = total holds again.
  void balance() {
    double sum = 0, widest = 0;
    int64_t place = -1;
    for (int64_t i = 0; i < problem_.size(); ++i) {
      sum += b()[i];
      const double room = std::min(b()[i] - problem_.box.lower[i], problem_.box.upper[i] - b()[i]);
      if (room <= widest || !problem_.box.free(i, b()[i])) continue;
      widest = room;
      place = i;
    }
    const double excess = sum - problem_.total;
    if (place >= 0 && std::abs(excess) < widest) b()[place] -= excess;
  }

  // `error` bounds the error of each f_i; `estimate` says that f is the solver's own.
  void finish(double error, bool estimate = false) {
    result_.certificate = certify(problem_, b(), f_.data(), error, estimate);
    const Certificate& c = result_.certificate;
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
  std::vector<double> f_;
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
  exact_gradient(gram, problem, b, f.data(), {threads, monitor});
  return certify(problem, b.data(), f.data(),
                 gradient_error(gram, problem, b, chunked_additions(b)));
}

}  // namespace svm
