#include "dual/fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "dual/certificate.h"
#include "dual/descend.h"
#include "dual/exact_gradient.h"
#include "kernel/expansion.h"

namespace svm {
namespace {

// A working set has an eighth of the variables, so that its block costs little beside the rows of
// those that move; more where more are free, or they would take turns. One of many small problems,
// most of whose variables never move, may have smaller sets, and one with expensive values.
constexpr int64_t kPart = 8, kSmallestSet = 256, kSmallestOfSmall = 128, kSmallestExpensive = 64;
// The first sets are smaller: how many variables will ever move is not known yet.
constexpr int64_t kFirstSet = 1024;
// Where many problems are solved side by side, their blocks are held side by side, and have at most
// kFirstSet variables.
constexpr int64_t kLargestSet = 3072;
// Where an eighth of the variables are more, a block may take this share of the cache: rows are
// needed less often for it.
constexpr int64_t kBlockShare = 2;
// Where a kernel value is expensive, the block of a large set costs more than it saves.
constexpr int64_t kLargestExpensiveSet = 512;
// After a set most of which did not move, the next one has this many times as many as did.
constexpr int64_t kIdle = 4;
// Smaller problems are done before a second thread has woken up.
constexpr int64_t kOneThread = 256;
// No fit is endless: without a limit of the caller's there are this many pair steps, or so many for
// each variable.
constexpr int64_t kMostSteps = 100'000'000, kMostStepsEach = 1000;
// What the sums of the groups may be off by, as a share of them: rounding.
constexpr double kSumRounding = 1e-12;

int64_t step_limit(const Settings& settings, int64_t variables) {
  return settings.max_steps.value_or(std::max(kMostSteps, kMostStepsEach * variables));
}

}  // namespace

Fit::Fit(const Gram& gram, const DualProblem& problem, const Settings& settings, Share& share,
         Monitor& monitor)
    : gram(gram),
      problem(problem),
      settings(settings),
      share(share),
      monitor(monitor),
      workers{problem.size() <= kOneThread ? 1 : settings.threads, monitor},
      trace(monitor),
      budget{0, step_limit(settings, problem.size()), monitor},
      f(problem.size()),
      set_size_(kFirstSet / 2) {}

double Fit::violation() const {
  return extremes(problem.box, solution.beta.data(), f.data()).violation();
}

void Fit::begin(std::span<const double> start) {
  solution.beta.assign(start.begin(), start.end());
  if (!start.empty()) return;
  solution.beta.assign(problem.size(), 0.0);
  std::array<double, kGroups> left = problem.total;
  for (int64_t i = 0; i < problem.size(); ++i) {
    double& rest = left[problem.box.group_of(i)];
    if (rest == 0) continue;
    beta()[i] = std::clamp(rest, problem.box.lower[i], problem.box.upper[i]);
    rest -= beta()[i];
  }
  for (int g = 0; g < kGroups; ++g) {
    if (std::abs(left[g]) > kSumRounding * std::abs(problem.total[g])) {
      throw std::invalid_argument("total is outside what the bounds of the variables allow");
    }
  }
}

void Fit::restart() {
  begin({});
  Monitor nobody;
  exact_gradient(gram, problem, solution.beta, all_rows(problem.size()), f.data(),
                 {settings.threads, nobody});
  certify(gradient_error(gram, problem, solution.beta, chunked_additions(solution.beta)));
}

bool Fit::large_sets() const {
  return settings.alone && !gram.expensive() && problem.size() > kPart * kLargestSet;
}

int64_t Fit::largest_set() const {
  if (gram.expensive()) return kLargestExpensiveSet;
  if (!settings.alone) return kFirstSet;
  if (!large_sets()) return kLargestSet;
  const double values = static_cast<double>(settings.cache_bytes / kBlockShare) / sizeof(float);
  return std::clamp(static_cast<int64_t>(std::sqrt(values)), kLargestSet, problem.size() / kPart);
}

int64_t Fit::row_bytes() const {
  const int64_t all = share.row_bytes(settings);
  return large_sets() ? all - all / kBlockShare : all;
}

int64_t Fit::set_size(int64_t variables, int64_t moved, int64_t free) {
  const int64_t largest = largest_set();
  const int64_t usual = std::max(variables / kPart, free);
  const int64_t of_cheap = variables <= kSmall ? kSmallestOfSmall : kSmallestSet;
  const int64_t of_many = gram.expensive() ? kSmallestExpensive : of_cheap;
  const int64_t smallest = settings.alone ? kSmallestSet : of_many;
  set_size_ =
      std::clamp(std::min(usual, kIdle * moved), smallest, std::min(largest, 2 * set_size_));
  return set_size_;
}

template <class T>
void Fit::descend(Quadratic<T>& K, const Box& box, double* beta, double* f, double tol,
                  const std::function<bool(const Levels&)>& go_on) {
  const bool whole = K.stored() != nullptr && box.size() <= kSmall;
  const auto size = [&](int64_t moved, int64_t free) {
    return whole ? box.size() : set_size(box.size(), moved, free);
  };
  Descent<T>(K, !settings.alone && gram.expensive()).run(box, beta, f, size, tol, budget, go_on);
}
template void Fit::descend(Quadratic<float>&, const Box&, double*, double*, double,
                           const std::function<bool(const Levels&)>&);
template void Fit::descend(Quadratic<double>&, const Box&, double*, double*, double,
                           const std::function<bool(const Levels&)>&);

template <class T>
void Fit::sweep(Quadratic<T>& K, std::span<const std::vector<int64_t>> sets, double tol,
                const std::function<bool(const Levels&)>& go_on) {
  set_size_ = largest_set();  // all variables have been seen: the next sets need not feel their way
  Descent<T>(K).sweep(sets, problem.box, beta(), f.data(), tol, budget, go_on);
}
template void Fit::sweep(Quadratic<float>&, std::span<const std::vector<int64_t>>, double,
                         const std::function<bool(const Levels&)>&);
template void Fit::sweep(Quadratic<double>&, std::span<const std::vector<int64_t>>, double,
                         const std::function<bool(const Levels&)>&);

Certificate Fit::observe(const double* beta, const double* f, const Levels& now) {
  const Level level = to_gap() ? Level::best : Level::dual;
  const Certificate seen = svm::certify(problem, beta, f, now, 0, false, level);
  trace.observe(seen, budget.steps);
  return seen;
}

StoredMatrix<double>& Fit::block(std::span<const int64_t> variables) {
  const Stopwatch watch(monitor.work.kernel_seconds);
  const int64_t q = static_cast<int64_t>(variables.size());
  if (q == gram.size() && q == problem.size() && problem.ridge.empty()) {
    if (const double* kept = gram.kept_exact(workers)) {
      block_.refer(kept, q);
      return block_;
    }
  }
  std::vector<int64_t> rows(variables.begin(), variables.end());
  for (int64_t& row : rows) row %= gram.size();
  block_.resize(q);
  gram.block(rows, block_.data(), workers);
  for (int64_t k = 0; k < q; ++k) block_.data()[k * q + k] += problem.ridge_of(variables[k]);
  return block_;
}

double Fit::rounding(std::span<const double> beta) const {
  double largest = 0;
  for (const double t : problem.target) largest = std::max(largest, std::abs(t));
  return 4 * 0x1p-53 * (norm1(beta) * gram.largest_entry() + largest);
}

double Fit::restore_totals() {
  const Box& box = problem.box;
  double moved = 0;
  for (int g = 0; g < box.groups(); ++g) {
    double missing = problem.total[g];
    std::vector<std::pair<double, int64_t>> free;
    for (int64_t i = 0; i < problem.size(); ++i) {
      if (box.group_of(i) != g) continue;
      const double x = beta()[i];
      missing -= x;
      if (box.free(i, x)) free.emplace_back(std::min(x - box.lower[i], box.upper[i] - x), i);
    }
    if (missing == 0) continue;
    std::sort(free.rbegin(), free.rend());
    for (const auto& [room, i] : free) {
      const double x = beta()[i];
      beta()[i] = std::clamp(x + missing, box.lower[i], box.upper[i]);
      missing -= beta()[i] - x;
      moved += std::abs(beta()[i] - x);
      if (missing == 0 || std::abs(missing) < 0.5 * room) break;
    }
  }
  return moved;
}

void Fit::certify(double error, bool estimate) {
  solution.certificate = svm::certify(problem, beta(), f.data(), error, estimate, Level::best);
  Certificate& c = solution.certificate;
  c.convex = c.convex && !budget.concave;
  if (!c.convex && !std::isfinite(c.primal)) {
    throw std::invalid_argument(
        "the kernel is not positive semidefinite: without an upper bound on the dual variables the "
        "problem has no minimum");
  }
  if (c.violation + c.bound <= settings.tol_violation && !(c.gap > settings.tol_gap)) {
    solution.status = Status::optimal;
  } else if (monitor.stopped()) {
    solution.status = Status::stopped;
  } else {
    solution.status = budget.used_up() ? Status::max_iterations : Status::precision;
  }
}

void Fit::keep_proven() {
  if (proven_ && !(solution.certificate.gap < proven_->certificate.gap)) return;
  proven_ = {solution.beta, f, solution.certificate};
}

void Fit::fall_back() {
  if (!proven_ || solution.certificate.gap <= proven_->certificate.gap) return;
  solution.beta = std::move(proven_->beta);
  f = std::move(proven_->f);
  solution.certificate = proven_->certificate;
}

}  // namespace svm
