#include "selection/grid.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "dual/dual.h"
#include "dual/solve.h"
#include "selection/path.h"
#include "selection/split_matrix.h"

namespace svm {
namespace {

// The order of the rows in the matrices: those of the same parts and splits are neighbours, so that
// what a problem looks at are a few long runs.
class RowOrder {
 public:
  explicit RowOrder(const Grid& grid) : key_(grid.rows, 0), place_(grid.rows, -1) {
    std::vector<int64_t> state(grid.rows);
    for (const GridSplit& split : grid.splits) {
      std::fill(state.begin(), state.end(), 0);
      for (int64_t i = 0; i < grid.rows; ++i) state[i] = split.penalty[i] > 0 ? 2 : 0;
      for (const int64_t row : split.test) state[row] |= 1;
      refine(state);
    }
    for (const GridPart& part : grid.parts) {
      std::fill(state.begin(), state.end(), 1);
      for (const int64_t row : part.rows) state[row] = 0;
      refine(state);
    }
    rows_.resize(grid.rows);
    std::iota(rows_.begin(), rows_.end(), 0);
    std::stable_sort(rows_.begin(), rows_.end(),
                     [&](int64_t i, int64_t j) { return key_[i] < key_[j]; });
    for (size_t k = 0; k < rows_.size(); ++k) place_[rows_[k]] = static_cast<int64_t>(k);
    for (size_t k = 1; k <= rows_.size(); ++k) {
      if (k == rows_.size() || key_[rows_[k]] != key_[rows_[k - 1]]) {
        groups_.push_back(static_cast<int64_t>(k));
      }
    }
    if (std::ssize(groups_) > kMostGroups) groups_.clear();
  }

  // Where groups of rows that are in the same parts and splits end; none where they are too many.
  std::span<const int64_t> groups() const { return groups_; }
  int64_t group_of(int64_t place) const {
    return std::upper_bound(groups_.begin(), groups_.end(), place) - groups_.begin();
  }

  std::span<const int64_t> rows() const { return rows_; }

  // The places of some rows, and which of them each is.
  Places places(std::span<const int64_t> rows, std::vector<int64_t>* which) const {
    std::vector<int64_t> by_place(rows.size());
    std::iota(by_place.begin(), by_place.end(), 0);
    std::sort(by_place.begin(), by_place.end(),
              [&](int64_t a, int64_t b) { return place_[rows[a]] < place_[rows[b]]; });
    Places places;
    for (const int64_t k : by_place) places.add(place_[rows[k]]);
    *which = std::move(by_place);
    return places;
  }

 private:
  // Splits each group of rows by their state.
  void refine(const std::vector<int64_t>& state) {
    std::map<std::pair<int64_t, int64_t>, int64_t> number;
    for (size_t i = 0; i < key_.size(); ++i) number[{key_[i], state[i]}] = 0;
    int64_t next = 0;
    for (auto& [key, value] : number) value = next++;
    for (size_t i = 0; i < key_.size(); ++i) key_[i] = number[{key_[i], state[i]}];
  }

  // Beyond, their sums take more than they save.
  static constexpr int64_t kMostGroups = 512;

  std::vector<int64_t> key_, place_, rows_, groups_;
};

// What a split and a part make a path of.
struct Task {
  PathProblem problem;
  Places test;
  std::vector<int64_t> order;  // of the test rows
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class Solver {
 public:
  Solver(const Grid& grid, std::span<const Kernel> kernels, const KernelGram& gram_of,
         const Workers& workers)
      : grid_(grid), kernels_(kernels), gram_of_(gram_of), workers_(workers), order_(grid) {
    starts_.push_back(0);
    for (const GridSplit& split : grid.splits) {
      starts_.push_back(starts_.back() + std::ssize(split.test));
    }
    for (const GridSplit& split : grid.splits) {
      for (const GridPart& part : grid.parts) tasks_.push_back(task(split, part));
    }
    const int64_t cells = std::ssize(kernels) * std::ssize(grid.splits) * std::ssize(grid.Cs);
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    values_.cells.assign(cells, {kUnknown, 0, 0});
    const int64_t rows = std::ssize(kernels) * std::ssize(grid.Cs) * starts_.back();
    values_.outputs.assign(rows * grid.outputs(), kUnknown);
    if (grid.classes > 0) values_.winners.assign(rows, -1);
  }

  GridValues run() {
    compute_sums();
    const int64_t kernels = std::ssize(kernels_);
    for (int64_t first = 0; first < kernels && !workers_.monitor.stopped();) {
      const int64_t count = std::min(grid_.matrices, kernels - first);
      run(first, count);
      first += count;
    }
    return std::move(values_);
  }

 private:
  Task task(const GridSplit& split, const GridPart& part) const {
    Task task;
    std::vector<int64_t> learnt, which;
    for (size_t k = 0; k < part.rows.size(); ++k) {
      if (split.penalty[part.rows[k]] > 0) learnt.push_back(static_cast<int64_t>(k));
    }
    std::vector<int64_t> rows;
    for (const int64_t k : learnt) rows.push_back(part.rows[k]);
    task.problem.epsilon = grid_.epsilon;
    task.problem.places = order_.places(rows, &which);
    for (const int64_t w : which) {
      const int64_t k = learnt[w];
      const double penalty = split.penalty[part.rows[k]];
      task.problem.target.push_back(part.target[k]);
      task.problem.lower.push_back(penalty * part.lower[k]);
      task.problem.upper.push_back(penalty * part.upper[k]);
    }
    task.problem.groups = even_groups(task.problem);
    task.test = order_.places(split.test, &task.order);
    return task;
  }

  void compute_sums() {
    const auto same = [&](const Kernel& kernel) { return kernel.same_sums(kernels_[0]); };
    if (!grid_.sums || kernels_.size() < 2 || !std::ranges::all_of(kernels_, same)) return;
    Kernel bare = kernels_[0];
    bare.bare = true;
    const auto gram = gram_of_(bare, order_.rows());
    if (gram->row_length() == 0) return;  // a matrix of values already
    sums_ = large_pages<double>(static_cast<size_t>(grid_.rows * grid_.rows));
    gram->block(all_rows(grid_.rows), sums_.get(), workers_);
  }

  // The groups of a problem's rows; none where one of them has several boxes or targets.
  std::vector<int64_t> even_groups(const PathProblem& problem) const {
    std::vector<int64_t> groups;
    if (order_.groups().empty()) return groups;
    for (int64_t i = 0; i < problem.places.size(); ++i) {
      const int64_t group = order_.group_of(problem.places.each[i]);
      if (groups.empty() || groups.back() != group) {
        groups.push_back(group);
      } else if (problem.target[i] != problem.target[i - 1] ||
                 problem.lower[i] != problem.lower[i - 1] ||
                 problem.upper[i] != problem.upper[i - 1]) {
        return {};
      }
    }
    return groups;
  }

  // What the paths of one kernel have found, until all parts of a split are done.
  struct Found {
    std::vector<double> outputs;   // of each split and C, part after part, test row after test row
    std::vector<Cell> cells;       // of each split, part and C
    std::vector<uint8_t> support;  // of each split and C, whether a place is a support vector
  };

  void run(int64_t first, int64_t count) {
    std::vector<std::unique_ptr<Gram>> grams;
    for (int64_t k = 0; k < count; ++k) {
      grams.push_back(gram_of_(kernels_[first + k], order_.rows()));
      if (k == std::ssize(matrices_)) matrices_.emplace_back(grid_.rows, order_.groups());
      if (sums_) {
        matrices_[k].compute(sums_.get(), kernels_[first + k], workers_);
      } else {
        matrices_[k].compute(*grams.back(), workers_);
      }
      if (workers_.monitor.stop()) return;
    }
    std::vector<Found> found(count);
    for (Found& each : found) {
      each.outputs.resize(std::ssize(grid_.Cs) * starts_.back() * std::ssize(grid_.parts));
      each.cells.resize(std::ssize(tasks_) * std::ssize(grid_.Cs));
      each.support.resize(std::ssize(grid_.splits) * std::ssize(grid_.Cs) * grid_.rows);
    }
    const int64_t tasks = std::ssize(tasks_);
    workers_.run(count * tasks, [&](int64_t t) {
      const int64_t k = t / tasks;
      follow(*grams[k], matrices_[k], first + k, t % tasks, found[k]);
    });
    if (workers_.monitor.stopped()) return;
    workers_.run(count * std::ssize(grid_.splits), [&](int64_t t) {
      gather(first + t / std::ssize(grid_.splits), t % std::ssize(grid_.splits),
             found[t / std::ssize(grid_.splits)]);
    });
  }

  // One path: of a kernel, a split and a part.
  void follow(const Gram& gram, const SplitMatrix& K, int64_t kernel, int64_t t, Found& found) {
    const Task& task = tasks_[t];
    const int64_t parts = std::ssize(grid_.parts), Cs = std::ssize(grid_.Cs);
    const int64_t split = t / parts, part = t % parts, tests = task.test.size();
    Monitor monitor(workers_.monitor, kernel);
    const EntryBounds bounds{gram.largest_entry() > std::numeric_limits<float>::max()
                                 ? kInfinity  // which the matrix does not hold
                                 : gram.exact_error(),
                             gram.largest_entry()};
    const auto rescue = [&](const DualProblem& problem, std::span<const double> start) {
      std::vector<int64_t> rows;
      for (const int64_t place : task.problem.places.each) rows.push_back(order_.rows()[place]);
      const Settings settings{.tol_violation = grid_.tol, .alone = false};
      return svm::solve(*gram_of_(kernels_[kernel], rows), problem, settings, start, monitor);
    };
    Path path(K, task.problem, bounds, grid_.tol, rescue, monitor);
    for (int64_t c = 0; c < Cs; ++c) {
      const auto start = std::chrono::steady_clock::now();
      const bool same = path.settled();  // as for the last C
      if (!path.solve(grid_.Cs[c])) return;
      double* out =
          found.outputs.data() + ((starts_[split] * Cs + c * tests) * parts + part * tests);
      if (same) {
        std::copy_n(out - tests * parts, tests, out);
      } else {
        path.outputs(task.test, out);
      }
      const Certificate& certificate = path.certificate();
      found.cells[t * Cs + c] = {certificate.violation + certificate.bound, seconds_since(start),
                                 0};
      // Paths of other parts may say the same of the same row at the same time.
      uint8_t* support = found.support.data() + (split * Cs + c) * grid_.rows;
      for (int64_t i = 0; i < task.problem.places.size(); ++i) {
        if (path.beta()[i] == 0) continue;
        std::atomic_ref(support[task.problem.places.each[i]]).store(1, std::memory_order_relaxed);
      }
    }
    monitor.report({.steps = ++done_});
  }

  // From the parts to the models of one kernel and split.
  void gather(int64_t kernel, int64_t split, const Found& found) {
    const int64_t parts = std::ssize(grid_.parts), Cs = std::ssize(grid_.Cs);
    const int64_t tests = starts_[split + 1] - starts_[split], outputs = grid_.outputs();
    const std::vector<int64_t>& order = tasks_[split * parts].order;
    std::vector<double> values(parts);
    for (int64_t c = 0; c < Cs; ++c) {
      Cell& cell = values_.cells[(kernel * std::ssize(grid_.splits) + split) * Cs + c];
      cell = {0, 0, 0};
      for (int64_t p = 0; p < parts; ++p) {
        const Cell& one = found.cells[(split * parts + p) * Cs + c];
        cell.violation = std::max(cell.violation, one.violation);
        cell.seconds += one.seconds;
      }
      const auto support = found.support.begin() + (split * Cs + c) * grid_.rows;
      cell.support = std::count(support, support + grid_.rows, 1);
      const double* from = found.outputs.data() + (starts_[split] * Cs + c * tests) * parts;
      const int64_t to = (kernel * Cs + c) * starts_.back() + starts_[split];
      for (int64_t r = 0; r < tests; ++r) {
        for (int64_t p = 0; p < parts; ++p) values[p] = from[p * tests + r];
        double* out = values_.outputs.data() + (to + order[r]) * outputs;
        if (grid_.classes == 0) {
          std::copy(values.begin(), values.end(), out);
        } else {
          values_.winners[to + order[r]] = vote(values, out);
        }
      }
    }
  }

  // The scores of the classes, and who wins; as models/classes.py has it.
  int32_t vote(std::span<const double> values, double* scores) const {
    const int64_t k = grid_.classes;
    std::vector<double> sums(k, 0.0);
    std::vector<int32_t> votes(k, 0);
    std::fill_n(scores, k, 0.0);
    const double* value = values.data();
    for (int64_t a = 0; a < k; ++a) {
      for (int64_t b = a + 1; b < k; ++b, ++value) {
        ++votes[*value > 0 ? a : b];
        ++scores[*value >= 0 ? a : b];
        sums[a] += *value, sums[b] -= *value;
      }
    }
    for (int64_t a = 0; a < k; ++a) scores[a] += sums[a] / (3 * (std::abs(sums[a]) + 1));
    return static_cast<int32_t>(std::max_element(votes.begin(), votes.end()) - votes.begin());
  }

  const Grid& grid_;
  std::span<const Kernel> kernels_;
  const KernelGram& gram_of_;
  const Workers& workers_;
  RowOrder order_;
  std::vector<int64_t> starts_;           // of the test rows of each split
  std::vector<Task> tasks_;               // of each split and part
  std::unique_ptr<double[], Free> sums_;  // over the features, that all kernels are functions of
  std::vector<SplitMatrix> matrices_;     // their memory is used again
  GridValues values_;
  std::atomic<int64_t> done_ = 0;
};

}  // namespace

GridValues solve_grid(const Grid& grid, std::span<const Kernel> kernels, const KernelGram& gram_of,
                      const Workers& workers) {
  return Solver(grid, kernels, gram_of, workers).run();
}

}  // namespace svm
