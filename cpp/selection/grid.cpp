#include "selection/grid.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <thread>
#include <utility>

#include "dual/dual.h"
#include "dual/solve.h"
#include "selection/held_out.h"
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

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// What a kernel takes while its paths run; then its place is another's.
struct Slot {
  SplitMatrix matrix;
  std::unique_ptr<Gram> gram;
  std::vector<HeldOut::Found> found;  // of each split
  std::vector<Cell> cells;            // of each split, part and C
  std::vector<uint8_t> support;       // of each split and C, whether a place is a support vector
  std::atomic<int64_t> kernel = -1;   // whose they are
  std::atomic<int64_t> pieces_left = 0, splits_left = 0;
  std::vector<std::atomic<int64_t>> paths_left;  // of each split

  Slot(int64_t rows, std::span<const int64_t> groups, size_t splits)
      : matrix(rows, groups), paths_left(splits) {}
};

// Kernels one after the other, in a few slots: while the paths of one run, the matrix of the next
// is computed. All work is one list of items, which threads take in its order; what an item waits
// for has been taken before it.
class Solver {
 public:
  Solver(const Grid& grid, std::span<const Kernel> kernels, const KernelGram& gram_of,
         const Workers& workers)
      : grid_(grid),
        kernels_(kernels),
        gram_of_(gram_of),
        workers_(workers),
        parts_(std::ssize(grid.parts)),
        splits_(std::ssize(grid.splits)),
        Cs_(std::ssize(grid.Cs)),
        order_(grid) {
    starts_.push_back(0);
    for (const GridSplit& split : grid.splits) {
      starts_.push_back(starts_.back() + std::ssize(split.test));
      for (const GridPart& part : grid.parts) problems_.push_back(problem(split, part));
    }
    for (int64_t split = 0; split < splits_; ++split) {
      std::vector<const Places*> places;
      for (int64_t part = 0; part < parts_; ++part) {
        places.push_back(&problems_[split * parts_ + part].places);
      }
      test_order_.emplace_back();
      Places test = order_.places(grid.splits[split].test, &test_order_.back());
      held_out_.emplace_back(std::move(test), places, Cs_);
    }
    constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
    values_.cells.assign(std::ssize(kernels) * splits_ * Cs_, {kUnknown, 0, 0});
    const int64_t rows = std::ssize(kernels) * Cs_ * starts_.back();
    values_.outputs.assign(rows * grid.outputs(), kUnknown);
    if (grid.classes > 0) values_.winners.assign(rows, -1);
  }

  GridValues run() {
    compute_sums();
    make_slots();
    if (!sums_) build(0, 0);  // by all threads
    const std::vector<Item> items = list_items();
    workers_.run(std::ssize(items), [&](int64_t t) {
      try {
        const auto [kernel, number, is_piece] = items[t];
        is_piece ? build(kernel, number) : follow(kernel, number);
      } catch (...) {
        failed_ = true;  // nobody is to wait for it
        throw;
      }
    });
    return std::move(values_);
  }

 private:
  // A piece of a kernel's matrix, or the path of one of its problems.
  struct Item {
    int64_t kernel, number;
    bool is_piece;
  };

  static constexpr int64_t kPieceRows = 64;

  int64_t pieces() const { return sums_ ? (grid_.rows + kPieceRows - 1) / kPieceRows : 1; }
  Slot& slot(int64_t kernel) { return *slots_[kernel % std::ssize(slots_)]; }

  PathProblem problem(const GridSplit& split, const GridPart& part) const {
    PathProblem problem;
    std::vector<int64_t> learnt, rows, which;
    for (size_t k = 0; k < part.rows.size(); ++k) {
      if (split.penalty[part.rows[k]] == 0) continue;
      learnt.push_back(static_cast<int64_t>(k));
      rows.push_back(part.rows[k]);
    }
    problem.epsilon = split.epsilon;
    problem.places = order_.places(rows, &which);
    for (const int64_t w : which) {
      const int64_t k = learnt[w];
      const double penalty = split.penalty[part.rows[k]];
      problem.target.push_back(part.target[k]);
      problem.lower.push_back(penalty * part.lower[k]);
      problem.upper.push_back(penalty * part.upper[k]);
    }
    problem.groups = even_groups(problem);
    return problem;
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

  // One that is worked on, one that is computed meanwhile, and more where there are more threads
  // than paths of a kernel: memory that is used again is faster than memory that is new.
  void make_slots() {
    const int64_t paths = std::ssize(problems_);
    const int64_t useful = 1 + (2 * workers_.threads + paths - 1) / paths;
    const int64_t count =
        std::min({grid_.matrices, useful, static_cast<int64_t>(std::ssize(kernels_))});
    for (int64_t k = 0; k < count; ++k) {
      slots_.push_back(
          std::make_unique<Slot>(grid_.rows, order_.groups(), static_cast<size_t>(splits_)));
    }
  }

  std::vector<Item> list_items() const {
    std::vector<Item> items;
    const int64_t kernels = std::ssize(kernels_);
    const int64_t ahead = std::max<int64_t>(std::ssize(slots_) - 1, 1);
    const auto list_pieces = [&](int64_t kernel) {
      if (kernel >= kernels || (kernel == 0 && !sums_)) return;
      for (int64_t k = 0; k < pieces(); ++k) items.push_back({kernel, k, true});
    };
    for (int64_t kernel = 0; kernel < ahead; ++kernel) list_pieces(kernel);
    for (int64_t kernel = 0; kernel < kernels; ++kernel) {
      for (int64_t t = 0; t < std::ssize(problems_); ++t) items.push_back({kernel, t, false});
      list_pieces(kernel + ahead);
    }
    return items;
  }

  // False where it is no longer worth it, because another thread has stopped or failed.
  template <class Ready>
  bool wait(const Ready& ready) const {
    constexpr auto kPatience = std::chrono::microseconds(50);
    while (!ready()) {
      if (workers_.monitor.stop() || failed_) return false;
      std::this_thread::sleep_for(kPatience);
    }
    return true;
  }

  void build(int64_t kernel, int64_t piece) {
    Slot& s = slot(kernel);
    if (piece == 0) {
      if (!wait([&] { return s.splits_left == 0; })) return;
      clear(s, kernel);
    } else if (!wait([&] { return s.kernel == kernel; })) {
      return;
    }
    if (sums_) {
      const int64_t end = std::min((piece + 1) * kPieceRows, grid_.rows);
      for (int64_t i = piece * kPieceRows; i < end; ++i) {
        s.matrix.compute(i, sums_.get(), kernels_[kernel]);
      }
    } else {
      s.matrix.compute(*s.gram, workers_);
    }
    --s.pieces_left;
  }

  void clear(Slot& s, int64_t kernel) {
    s.gram = gram_of_(kernels_[kernel], order_.rows());
    s.found.clear();
    for (const HeldOut& one : held_out_) s.found.push_back(one.nothing());
    s.cells.resize(problems_.size() * static_cast<size_t>(Cs_));
    s.support.assign(static_cast<size_t>(splits_ * Cs_ * grid_.rows), 0);
    for (auto& count : s.paths_left) count = parts_;
    s.splits_left = splits_;
    s.pieces_left = pieces();
    s.kernel = kernel;
  }

  // One path: of a kernel, a split and a part. The last one of a split evaluates its models.
  void follow(int64_t kernel, int64_t t) {
    Slot& s = slot(kernel);
    if (!wait([&] { return s.kernel == kernel && s.pieces_left == 0; })) return;
    const int64_t split = t / parts_, part = t % parts_;
    Monitor monitor(workers_.monitor, kernel);
    const EntryBounds bounds{s.gram->largest_entry() > std::numeric_limits<float>::max()
                                 ? kInfinity  // which the matrix does not hold
                                 : s.gram->exact_error(),
                             s.gram->largest_entry()};
    const auto rescue = [&](const DualProblem& problem, std::span<const double> start) {
      std::vector<int64_t> rows;
      for (const int64_t place : problems_[t].places.each) rows.push_back(order_.rows()[place]);
      const Settings settings{.tol_violation = grid_.tol, .alone = false};
      return svm::solve(*gram_of_(kernels_[kernel], rows), problem, settings, start, monitor);
    };
    Path path(s.matrix, problems_[t], bounds, grid_.tol, rescue, monitor);
    for (int64_t c = 0; c < Cs_; ++c) {
      const auto start = std::chrono::steady_clock::now();
      if (!path.solve(grid_.Cs[c])) return;
      const Certificate& certificate = path.certificate();
      held_out_[split].store(part, c, path.beta(), certificate.intercept[0], s.found[split]);
      mark_support(path, problems_[t].places, s.support.data() + (split * Cs_ + c) * grid_.rows);
      s.cells[t * Cs_ + c] = {certificate.violation + certificate.bound, seconds_since(start), 0};
    }
    monitor.report({.steps = ++done_});
    if (--s.paths_left[split] > 0) return;
    gather(kernel, split, s);
    --s.splits_left;
  }

  // Paths of other parts may say the same of the same row at the same time.
  static void mark_support(const Path& path, const Places& places, uint8_t* support) {
    for (int64_t i = 0; i < places.size(); ++i) {
      if (path.beta()[i] == 0) continue;
      std::atomic_ref(support[places.each[i]]).store(1, std::memory_order_relaxed);
    }
  }

  // From the parts to the models of one kernel and split.
  void gather(int64_t kernel, int64_t split, const Slot& s) {
    for (int64_t c = 0; c < Cs_; ++c) {
      Cell& cell = values_.cells[(kernel * splits_ + split) * Cs_ + c];
      cell = {0, 0, 0};
      for (int64_t p = 0; p < parts_; ++p) {
        const Cell& one = s.cells[(split * parts_ + p) * Cs_ + c];
        cell.violation = std::max(cell.violation, one.violation);
        cell.seconds += one.seconds;
      }
      const auto support = s.support.begin() + (split * Cs_ + c) * grid_.rows;
      cell.support = std::count(support, support + grid_.rows, 1);
    }
    const HeldOut& held_out = held_out_[split];
    held_out.evaluate(s.matrix, s.found[split],
                      [&](int64_t first, int64_t count, const double* out) {
                        for (int64_t r = 0; r < count; ++r, out += held_out.columns()) {
                          settle(kernel, starts_[split] + test_order_[split][first + r], out);
                        }
                      });
  }

  // The outputs of a test row for all Cs, from those of the parts.
  void settle(int64_t kernel, int64_t row, const double* parts) {
    std::vector<double> values(parts_);
    for (int64_t c = 0; c < Cs_; ++c) {
      for (int64_t p = 0; p < parts_; ++p) values[p] = parts[p * Cs_ + c];
      const int64_t place = (kernel * Cs_ + c) * starts_.back() + row;
      double* out = values_.outputs.data() + place * grid_.outputs();
      if (grid_.classes == 0) {
        std::copy(values.begin(), values.end(), out);
      } else {
        values_.winners[place] = vote(values, out);
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
  int64_t parts_, splits_, Cs_;
  RowOrder order_;
  std::vector<int64_t> starts_;                   // of the test rows of each split
  std::vector<PathProblem> problems_;             // of each split and part
  std::vector<HeldOut> held_out_;                 // of each split
  std::vector<std::vector<int64_t>> test_order_;  // of its test rows
  std::unique_ptr<double[], Free> sums_;  // over the features, that all kernels are functions of
  std::vector<std::unique_ptr<Slot>> slots_;
  GridValues values_;
  std::atomic<int64_t> done_ = 0;
  std::atomic<bool> failed_ = false;
};

}  // namespace

GridValues solve_grid(const Grid& grid, std::span<const Kernel> kernels, const KernelGram& gram_of,
                      const Workers& workers) {
  return Solver(grid, kernels, gram_of, workers).run();
}

}  // namespace svm
