#include "svm/solve_all.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <utility>

#include "svm/parallel.h"

namespace svm {
namespace {

double cost(const Part& part) {
  const double n = static_cast<double>(part.problem.size());
  return n * n;
}

// Parts of this cost that may be worked on at a time: each small one may need a matrix in float64
// and its factor, and all of them together keep to half the cache; what they share has the other
// half. Large ones share the cache by themselves (Settings).
int side_by_side(double cost, const Settings& settings) {
  const double most = static_cast<double>(kSmall) * kSmall;
  const double room = static_cast<double>(settings.cache_bytes) / (32 * std::min(cost, most));
  return room < settings.threads ? std::max(1, static_cast<int>(room)) : settings.threads;
}

// The values of all rows of the small parts, where they fit into half the cache and are fewer than
// the parts have together: a row of one class against one is in a part for each other class.
std::unique_ptr<SharedValues> share(std::span<const Part> parts, const GramOf& gram_of,
                                    const Settings& settings, Monitor& monitor) {
  std::vector<int64_t> rows;
  double entries = 0;
  for (const Part& part : parts) {
    if (part.problem.size() > kSmall) continue;
    rows.insert(rows.end(), part.rows.begin(), part.rows.end());
    entries += cost(part);
  }
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  const double n = static_cast<double>(rows.size());
  if (n * n >= 0.9 * entries || 16 * n * n > static_cast<double>(settings.cache_bytes)) return {};
  const auto gram = gram_of(rows);
  if (gram->row_length() == 0) return {};  // a matrix of values already
  return std::make_unique<SharedValues>(rows, *gram, Workers{settings.threads, monitor});
}

}  // namespace

std::vector<Solution> solve_all(std::span<const Part> parts, const GramOf& gram_of,
                                const Settings& settings, Monitor& monitor) {
  std::vector<Solution> solutions(parts.size());
  const auto shared = share(parts, gram_of, settings, monitor);
  const auto solve_one = [&](int64_t p, const Settings& own) {
    Monitor follower(monitor, p);
    auto gram = gram_of(parts[p].rows);
    if (shared && parts[p].problem.size() <= kSmall) {
      gram = std::make_unique<SharedGram>(std::move(gram), *shared, parts[p].rows);
    }
    solutions[p] = solve(*gram, parts[p].problem, own, parts[p].start, follower);
    // What was computed for all counts for the first.
    if (p != 0 || !shared) return;
    solutions[p].work += monitor.work;
    solutions[p].flops += monitor.work.flops(gram->row_length());
  };
  // The largest first, so that no thread is left with one when the others are done.
  std::vector<int64_t> order(parts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t p, int64_t q) { return cost(parts[p]) > cost(parts[q]); });
  // One of many pairs decides little by its last digits, and where all rows of all pairs are free
  // they are most of the time.
  Settings own = settings;
  own.alone = settings.alone && parts.size() == 1;
  double left = 0;
  for (const Part& part : parts) left += cost(part);
  size_t next = 0;
  for (; next < order.size(); ++next) {
    const double largest = cost(parts[order[next]]);
    const bool even = largest <= left / settings.threads;
    if (settings.threads > 1 && even && side_by_side(largest, settings) > 1) break;
    solve_one(order[next], own);
    left -= largest;
  }
  if (next == order.size()) return solutions;
  own.threads = 1;
  const int threads = side_by_side(cost(parts[order[next]]), settings);
  own.sharing = threads;
  parallel_for(
      static_cast<int64_t>(order.size() - next), threads,
      [&](int64_t k) { solve_one(order[next + k], own); },
      [&] {
        monitor.stop();
        return false;  // those that are left over are certified, not left out
      });
  return solutions;
}

}  // namespace svm
