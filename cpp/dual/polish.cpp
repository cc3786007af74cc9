#include "dual/polish.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "dual/certificate.h"
#include "dual/in_memory.h"
#include "simd/table.h"

namespace svm {
namespace {

// What a pair of variables takes of memory: an entry of the matrix and one of its factor.
constexpr int64_t kPairBytes = 16;
// Newton steps change which variables are free only among those this many violations from it.
constexpr double kReach = 100;
// Besides the free variables there are at most a share of them and some more: few where the steps
// are quick.
constexpr size_t kQuickShare = 8, kQuickMore = 16, kThoroughShare = 2, kThoroughMore = 256;
// And no more than are near, give or take these.
constexpr size_t kNearMore = 16;
// The steps go below the target, so that what their moves do to others leaves the point there.
constexpr double kBelowTarget = 0.1;

// The variables that take part, ascending: the free ones, then those that are closest to being
// called away from their bound, as many as may be, or `least`, as far as the matrix and its factor
// fit. Empty where the free ones alone are too many.
std::vector<int64_t> nearest_variables(const Fit& fit, size_t least, Effort effort) {
  const Box& box = fit.problem.box;
  const auto level = intercepts(box, fit.solution.beta.data(), fit.f.data());
  const double bytes = static_cast<double>(Share::system_bytes(fit.settings));
  const auto room = static_cast<size_t>(std::sqrt(bytes / kPairBytes));
  std::vector<std::pair<double, int64_t>> distance;
  size_t free = 0;
  for (int64_t i = 0; i < box.size(); ++i) {
    const double x = fit.solution.beta[i], shifted = fit.f[i] + level[box.group_of(i)];
    const double up = shifted + box.up_offset(i, x), down = shifted + box.down_offset(i, x);
    distance.emplace_back(box.free(i, x) ? -kInfinity : std::min(up, -down), i);
    free += box.free(i, x);
  }
  if (free > room) return {};
  const double reach = kReach * fit.violation();
  const auto near = static_cast<size_t>(
      std::ranges::count_if(distance, [reach](const auto& d) { return d.first <= reach; }));
  const size_t more = effort == Effort::quick ? free / kQuickShare + kQuickMore
                                              : free / kThoroughShare + kThoroughMore;
  const size_t usual = std::min(near + kNearMore, free + more);
  const size_t count = std::min({room, distance.size(), std::max(usual, least)});
  std::nth_element(distance.begin(), distance.begin() + static_cast<int64_t>(count) - 1,
                   distance.end());
  std::vector<int64_t> set;
  for (size_t k = 0; k < count; ++k) set.push_back(distance[k].second);
  std::sort(set.begin(), set.end());
  return set;
}

struct Point {
  std::vector<double> x, change;  // the variables, and how the gradient has changed
};

// The variables of a set after Newton steps; nothing where the monitor stopped it.
Point solve_set(Fit& fit, std::span<const int64_t> set, double target, bool unknown,
                Effort effort) {
  const DualProblem& problem = fit.problem;
  const size_t q = set.size();
  StoredMatrix<double>& block = fit.block(set);
  if (fit.monitor.stopped()) return {};
  std::vector<double> lower(q), upper(q), x(q), f(q), constant(q), ridge;
  std::vector<uint8_t> group;
  for (size_t k = 0; k < q; ++k) {
    lower[k] = problem.box.lower[set[k]], upper[k] = problem.box.upper[set[k]];
    x[k] = fit.solution.beta[set[k]];
    if (!problem.box.group.empty()) group.push_back(problem.box.group[set[k]]);
    if (!problem.ridge.empty()) ridge.push_back(problem.ridge[set[k]]);
  }
  for (size_t k = 0; k < q; ++k) {
    constant[k] =
        fit.f[set[k]] - simd::table().f64.dot(block.row(k), x.data(), static_cast<int64_t>(q));
  }
  const std::vector<double> start = x;
  const Box box{lower, upper, problem.box.epsilon, group};
  InMemory part(fit, block, box, std::move(constant), ridge, x.data(), f.data(), false);
  if (unknown) part.try_interior_point(target);
  if (effort == Effort::quick) {
    part.run_quickly(target);
  } else {
    part.alternate(target);
  }
  part.conclude();
  std::vector<double> step = x, change(q, 0.0);
  for (size_t k = 0; k < q; ++k) step[k] -= start[k];
  block.multiply_add(step.data(), change.data(), fit.workers.threads);
  return {std::move(x), std::move(change)};
}

// Waits for the lock of large systems; false when the monitor stopped it.
bool wait_for(std::unique_lock<std::mutex>& lock, Monitor& monitor) {
  while (!lock.try_lock()) {
    if (monitor.stop()) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

// Solves for a set and adds its moves to the gradient of all; false where nothing has moved.
template <class T>
bool move_set(Fit& fit, GradientLedger& ledger, CachedKernel<T>& K, std::span<const int64_t> set,
              double target, bool unknown, Effort effort) {
  const int64_t q = static_cast<int64_t>(set.size()), bytes = kPairBytes * q * q;
  // A large system takes the place of the cached rows, or waits for that of another problem.
  const bool alone = fit.settings.alone;
  const bool large = alone ? K.bytes() + bytes > fit.settings.cache_bytes
                           : bytes > Share::system_bytes(fit.settings) / fit.share.problems;
  std::unique_lock lock(fit.share.large_system, std::defer_lock);
  if (large && !wait_for(lock, fit.monitor)) return false;
  if (large && alone) K.release();
  const bool exact = ledger.at(fit.solution.beta);
  const Point point = solve_set(fit, set, target, unknown, effort);
  if (large) fit.release_block();
  std::vector<int64_t> moved;
  std::vector<double> step;
  for (size_t k = 0; k < point.x.size(); ++k) {
    if (point.x[k] == fit.beta()[set[k]]) continue;
    moved.push_back(set[k]);
    step.push_back(point.x[k] - fit.beta()[set[k]]);
  }
  if (moved.empty() || !K.accumulate(moved, step, fit.f.data())) return false;
  for (size_t k = 0; k < point.x.size(); ++k) fit.beta()[set[k]] = point.x[k];
  if (exact) ledger.record_step(set, point.change, fit.solution.beta, fit.f);
  return true;
}

}  // namespace

template <class T>
void polish(Fit& fit, GradientLedger& ledger, CachedKernel<T>& K, double target, double handover,
            Effort effort) {
  for (double last = kInfinity; !fit.budget.over();) {
    const double worst = fit.violation();
    if (worst <= target || worst > 0.5 * last) return;
    last = worst;
    const bool unknown = worst > handover;
    const std::vector<int64_t> set = nearest_variables(fit, unknown ? kLargestInterior : 0, effort);
    if (set.empty() || (unknown && set.size() > kLargestInterior)) return;
    if (!move_set(fit, ledger, K, set, kBelowTarget * target, unknown, effort)) return;
    fit.observe(fit.beta(), fit.f.data(), levels(fit.problem.box, fit.beta(), fit.f.data()));
    if (effort == Effort::once) return;
  }
}

template void polish(Fit&, GradientLedger&, CachedKernel<float>&, double, double, Effort);
template void polish(Fit&, GradientLedger&, CachedKernel<double>&, double, double, Effort);

}  // namespace svm
