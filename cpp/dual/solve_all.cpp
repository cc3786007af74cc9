#include "dual/solve_all.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <utility>

#include "dual/solve.h"
#include "kernel/class_gram.h"
#include "kernel/shared_gram.h"
#include "run/parallel.h"

namespace svm {
namespace {

double cost(const Part& part) {
  const double n = static_cast<double>(part.problem.size());
  return n * n;
}

// Entries of parts, of rows of kShort columns or fewer, that are done before a second thread has
// woken up.
constexpr double kOneThread = 4 * 256 * 256;
constexpr double kShort = 16;

double cost_of_all(std::span<const Part> parts) {
  return std::transform_reduce(parts.begin(), parts.end(), 0.0, std::plus(), cost);
}

bool small_together(std::span<const Part> parts, const GramOf& gram_of) {
  const double entries = cost_of_all(parts);
  if (entries > kOneThread) return false;
  return entries * std::max(gram_of(parts[0].rows)->row_length(), kShort) <= kOneThread * kShort;
}

// Parts of this cost that may be worked on at a time: each small one may need a matrix in float64,
// one that it shares and its factor, and all of them together keep to half the cache; what classes
// share has the other half. Large ones share the cache by themselves (share.h).
int side_by_side(double cost, int64_t small, const Settings& settings) {
  const double most = static_cast<double>(small * small);
  const double room = static_cast<double>(settings.cache_bytes) / (32 * std::min(cost, most));
  return room < settings.threads ? std::max(1, static_cast<int>(room)) : settings.threads;
}

// What the parts have in common: rows that are in the same parts are a class. Of one class against
// one, each class is in a part with every other, and half of the values there are those among its
// own rows.
class Classes {
 public:
  // The classes' values, up to half the cache: in float64 for small parts, which take the whole
  // matrix, then in float32 for large ones, where values are expensive.
  Classes(std::span<const Part> parts, const GramOf& gram_of, const Settings& settings,
          int64_t small_rows, Monitor& monitor)
      : parts_(parts.size()), room_(settings.cache_bytes / 2) {
    if (parts.size() == 1) return;
    split(parts);
    Uses small(rows_.size(), 0), large(rows_.size(), 0);
    for (size_t p = 0; p < parts.size(); ++p) {
      parts_[p] = list(parts[p].rows);
      for (const size_t c : parts_[p]) {
        ++(parts[p].problem.size() <= small_rows ? small : large)[c];
      }
    }
    const auto gram = gram_of(parts[0].rows);
    if (gram->row_length() == 0) return;  // a matrix of values already
    for (auto& rows : rows_) classes_.push_back(gram->row_class(std::move(rows)));
    const Stopwatch watch(monitor.work.kernel_seconds);
    const Workers workers{settings.threads, monitor};
    compute_exact(small, workers);
    if (gram->expensive()) compute_single(large, gram->lookup_bytes(), workers);
  }

  // Of the cache that they have taken.
  int64_t bytes() const { return bytes_; }

  std::unique_ptr<Gram> wrap(int64_t part, std::unique_ptr<Gram> gram) const {
    if (parts_[part].empty() || bytes_ == 0) return gram;
    RowClasses classes;
    for (const size_t c : parts_[part]) classes.push_back(classes_[c].get());
    return class_gram(std::move(gram), std::move(classes));
  }

 private:
  using Uses = std::vector<int64_t>;  // parts that each class is in

  // Each part cuts the classes so far into the rows that it has and the others.
  void split(std::span<const Part> parts) {
    size_t count = 1;  // the first is that of rows in no part
    for (const Part& part : parts) {
      const int64_t last = *std::max_element(part.rows.begin(), part.rows.end());
      class_of_.resize(std::max<size_t>(class_of_.size(), last + 1), 0);
      std::map<size_t, size_t> cut;
      for (const int64_t row : part.rows) {
        const auto [found, added] = cut.try_emplace(class_of_[row], count);
        count += added;
        class_of_[row] = found->second;
      }
    }
    // Most of the classes there have been were cut later on and have no rows any more.
    constexpr size_t kEmpty = -1;
    std::vector<size_t> number(count, kEmpty);
    for (size_t& c : class_of_) {
      if (number[c] == kEmpty) number[c] = rows_.size(), rows_.emplace_back();
      c = number[c];
    }
    for (size_t row = 0; row < class_of_.size(); ++row) {
      rows_[class_of_[row]].push_back(static_cast<int64_t>(row));
    }
  }

  // The classes of a part that has all rows of one after the other; none of any other part.
  std::vector<size_t> list(std::span<const int64_t> rows) const {
    std::vector<size_t> classes;
    while (!rows.empty()) {
      const std::vector<int64_t>& first = rows_[class_of_[rows[0]]];
      if (first.size() > rows.size() || !std::equal(first.begin(), first.end(), rows.begin())) {
        return {};
      }
      classes.push_back(class_of_[rows[0]]);
      rows = rows.subspan(first.size());
    }
    return classes;
  }

  bool take(int64_t bytes) {
    if (bytes_ + bytes > room_) return false;
    bytes_ += bytes;
    return true;
  }

  void compute_exact(const Uses& uses, const Workers& workers) {
    for (size_t c = 0; c < classes_.size(); ++c) {
      if (uses[c] < 2 || !take(classes_[c]->bytes<double>())) continue;
      classes_[c]->compute_exact(workers);
    }
  }

  // A large part asks for some rows of the matrix only: for a class in fewer parts than kMany, all
  // its values are not worthwhile.
  void compute_single(const Uses& uses, int64_t lookup_bytes, const Workers& workers) {
    constexpr int64_t kMany = 3;
    const int64_t packed = std::count_if(uses.begin(), uses.end(), [](int64_t u) { return u > 0; });
    const bool many = std::any_of(uses.begin(), uses.end(), [](int64_t u) { return u >= kMany; });
    if (!many || !take(packed * lookup_bytes)) return;
    const bool complete = workers.run(std::ssize(classes_), [&](int64_t c) {
      if (uses[c] > 0) classes_[c]->pack({1, workers.monitor});
    });
    for (size_t c = 0; c < classes_.size() && complete; ++c) {
      if (uses[c] < kMany || !take(classes_[c]->bytes<float>())) continue;
      classes_[c]->compute_single(workers);
    }
  }

  std::vector<size_t> class_of_;            // of each row of the data
  std::vector<std::vector<int64_t>> rows_;  // of each class, ascending
  std::vector<std::vector<size_t>> parts_;  // the classes of each part
  std::vector<std::unique_ptr<RowClass>> classes_;
  int64_t room_, bytes_ = 0;
};

// Matrices of parts with the same rows, which follow each other; none of a part that has no such
// neighbour.
using SharedMatrices = std::vector<std::shared_ptr<SharedMatrix>>;

SharedMatrices share_matrices(std::span<const Part> parts) {
  SharedMatrices matrices(parts.size());
  for (size_t p = 1; p < parts.size(); ++p) {
    if (!std::ranges::equal(parts[p - 1].rows, parts[p].rows)) continue;
    if (!matrices[p - 1]) matrices[p - 1] = std::make_shared<SharedMatrix>();
    matrices[p] = matrices[p - 1];
  }
  return matrices;
}

// Small parts that may do without their whole matrix: one that is solved first tells whether those
// like it ask for most of it, and are better solved on the whole in float64, of which every pair of
// classes shares half with others and certificates need no more.
struct Probe {
  int64_t most;    // rows of a part that is better solved on the whole matrix if it asks for most
  int64_t enough;  // parts that are worth asking
  int64_t share;   // one that asks for this share of its rows asks for most

  explicit Probe(bool expensive)
      : most(expensive ? kSmallAndFull : kSmall),
        enough(expensive ? 3 : 10),
        share(expensive ? 2 : 3) {}

  // The part to ask; order.end() where there are few.
  std::vector<int64_t>::iterator find(std::span<const Part> parts,
                                      std::vector<int64_t>& order) const {
    const auto between = [&](int64_t p) {
      return parts[p].problem.size() > kSmallAndSparing && parts[p].problem.size() <= most;
    };
    if (std::count_if(order.begin(), order.end(), between) < enough) return order.end();
    return std::find_if(order.begin(), order.end(), between);
  }
};

// So that no thread is left with a large part when the others are done.
std::vector<int64_t> largest_first(std::span<const Part> parts) {
  std::vector<int64_t> order(parts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t p, int64_t q) { return cost(parts[p]) > cost(parts[q]); });
  return order;
}

// Solves parts one by one, all threads on each, until those that are left are worth a thread each;
// the place of the first of these.
size_t solve_uneven(std::span<const Part> parts, std::span<const int64_t> order, int64_t small,
                    const Settings& settings, const std::function<void(int64_t)>& solve_part) {
  double left = 0;
  for (const int64_t p : order) left += cost(parts[p]);
  for (size_t next = 0; next < order.size(); ++next) {
    const double largest = cost(parts[order[next]]);
    const bool even = largest <= left / settings.threads;
    if (settings.threads > 1 && even && side_by_side(largest, small, settings) > 1) return next;
    solve_part(order[next]);
    left -= largest;
  }
  return order.size();
}

}  // namespace

std::vector<Solution> solve_all(std::span<const Part> parts, const GramOf& gram_of,
                                const Settings& asked, Monitor& monitor) {
  std::vector<Solution> solutions(parts.size());
  Settings settings = asked;
  if (small_together(parts, gram_of)) settings.threads = 1;
  // One of many pairs decides little by its last digits, and where all rows of all pairs are free
  // they are most of the time.
  Settings own = settings;
  own.alone = settings.alone && parts.size() == 1;
  Share share;
  const auto solve_one = [&](int64_t p, std::unique_ptr<Gram> gram) {
    Monitor follower(monitor, p);
    solutions[p] = solve(*gram, parts[p].problem, own, parts[p].start, share, follower);
  };
  std::vector<int64_t> order = largest_first(parts);
  SharedMatrices matrices = share_matrices(parts);
  const Probe probe(gram_of(parts[0].rows)->expensive());
  // A matrix that several parts use is worth computing even where one would not ask for all of it.
  if (std::ranges::all_of(matrices, [](const auto& m) { return m != nullptr; })) {
    share.small = kSmallAndFull;
  } else if (const auto first = probe.find(parts, order); first != order.end()) {
    share.small = kSmallAndSparing;
    solve_one(*first, gram_of(parts[*first].rows));
    const int64_t rows = std::ssize(parts[*first].rows);
    if (probe.share * solutions[*first].rows_asked >= rows) share.small = probe.most;
    order.erase(first);
  }
  const Classes classes(parts, gram_of, own, share.small, monitor);
  const auto solve_next = [&](int64_t p) {
    auto gram = classes.wrap(p, gram_of(parts[p].rows));
    const auto matrix = std::move(matrices[p]);  // gone with the last part that has it
    solve_one(p, matrix ? shared_gram(std::move(gram), matrix) : std::move(gram));
  };
  own.cache_bytes -= classes.bytes();
  const size_t next = solve_uneven(parts, order, share.small, settings, solve_next);
  if (next < order.size()) {
    own.threads = 1;
    share.problems = side_by_side(cost(parts[order[next]]), share.small, settings);
    parallel_for(
        static_cast<int64_t>(order.size() - next), share.problems,
        [&](int64_t k) { solve_next(order[next + k]); },
        [&] {
          monitor.stop();
          return false;  // those that are left over are certified, not left out
        });
  }
  // What was computed for all counts for the first.
  solutions[0].work += monitor.work;
  solutions[0].flops += monitor.work.flops(gram_of(parts[0].rows)->row_length());
  return solutions;
}

}  // namespace svm
