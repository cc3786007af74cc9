// Sequential minimal optimisation on nested working sets.
//
// descend() picks a working set, takes its square block of the matrix, solves that smaller problem
// to a tenth of the present violation, and charges the change to the gradient of all variables. The
// smaller problem is solved by descend() again, until a set fits the cache: there solve_pairs()
// moves two variables at a time, chosen by second-order gain (Fan, Chen, Lin 2005).
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "svm/dual.h"
#include "svm/monitor.h"
#include "svm/quadratic.h"
#include "svm/working_set.h"

namespace svm {

struct Budget {
  int64_t steps = 0;                                    // pair steps taken so far
  int64_t limit = std::numeric_limits<int64_t>::max();  // and how many there may be
  Monitor& monitor;

  bool over() const { return steps >= limit || monitor.stop(); }
};

// Moves pairs until the violation is at most tol, nothing moves, or eight steps a variable are
// done: then it is time to look at the other variables again.
template <class T>
void solve_pairs(const StoredMatrix<T>& K, const Box& box, double* b, double* f, double tol,
                 Budget& budget) {
  const int64_t n = K.size();
  const simd::Loops<T>& loops = simd::table().loops<T>();
  std::vector<double> up(n), down(n), gain(n);
  std::vector<T> diagonal(n);
  for (int64_t i = 0; i < n; ++i) {
    up[i] = box.up_offset(i, b[i]);
    down[i] = box.down_offset(i, b[i]);
    diagonal[i] = K.row(i)[i];
  }
  const int64_t enough = std::min(budget.limit, budget.steps + 8 * n);

  for (; budget.steps < enough; ++budget.steps) {
    if (budget.steps % 2048 == 0 && budget.monitor.stop()) return;
    double low, violation;
    const int64_t i = loops.lowest(f, up.data(), n, &low);
    if (i < 0 || low == kInfinity) return;
    const int64_t j = loops.partner(K.row(i), diagonal.data(), diagonal[i], f, down.data(), low, n,
                                    gain.data(), &violation);
    if (j < 0 || violation <= tol) return;
    // The step along (+1, -1) that minimises the pair's parabola, cut at the first bound or kink.
    const double curvature = simd::curvature(diagonal[i], diagonal[j], K.row(i)[j]);
    const double room_i = box.up_end(i, b[i]) - b[i], room_j = b[j] - box.down_end(j, b[j]);
    const double step = std::min({(f[j] + down[j] - low) / curvature, room_i, room_j});
    const double b_i = b[i], b_j = b[j];
    b[i] = step == room_i ? box.up_end(i, b_i) : b_i + step;
    b[j] = step == room_j ? box.down_end(j, b_j) : b_j - step;
    if (b[i] == b_i && b[j] == b_j) return;  // below rounding: nothing moves any more
    loops.move(K.row(i), K.row(j), step, f, n);
    up[i] = box.up_offset(i, b[i]);
    down[i] = box.down_offset(i, b[i]);
    up[j] = box.up_offset(j, b[j]);
    down[j] = box.down_offset(j, b[j]);
  }
}

// Descends until the violation is at most tol, nothing moves, or the budget is over. `sizes` are
// the working-set sizes, largest first; the last one is solved by pairs. observe() is called before
// each working set.
template <class T>
void descend(Quadratic<T>& K, const Box& box, double* b, double* f, std::span<const int64_t> sizes,
             double tol, Budget& budget, const std::function<void()>& observe = {}) {
  WorkingSet set(K.size(), sizes.front());
  std::vector<double> lower, upper, b_set, f_set, step, before;
  std::vector<int64_t> moved;
  // A working set of a larger problem is left after a while, solved or not, so that what it has
  // gained is charged to all variables: an interrupted fit then loses little.
  const int64_t rounds = observe ? std::numeric_limits<int64_t>::max() : 64;
  for (int64_t round = 0; round < rounds && !budget.over(); ++round) {
    if (observe) observe();
    const Extremes worst = extremes(box, b, f);
    if (worst.violation() <= tol) return;
    set.select(box, b, f, worst);
    const std::vector<int64_t>& W = set.members();
    const int64_t q = static_cast<int64_t>(W.size());
    StoredMatrix<T> block(q);
    K.block(W, block.data());
    lower.resize(q), upper.resize(q), b_set.resize(q), f_set.resize(q);
    for (int64_t k = 0; k < q; ++k) {
      lower[k] = box.lower[W[k]], upper[k] = box.upper[W[k]];
      b_set[k] = b[W[k]], f_set[k] = f[W[k]];
    }
    const Box box_set{lower, upper, box.epsilon};
    const double tol_set = std::max(0.5 * tol, 0.1 * worst.violation());
    if (sizes.size() == 1) {
      solve_pairs(block, box_set, b_set.data(), f_set.data(), tol_set, budget);
    } else {
      descend<T>(block, box_set, b_set.data(), f_set.data(), sizes.subspan(1), tol_set, budget);
    }
    moved.clear(), step.clear(), before.clear();
    for (int64_t k = 0; k < q; ++k) {
      if (b_set[k] == b[W[k]]) continue;
      moved.push_back(W[k]);
      step.push_back(b_set[k] - b[W[k]]);
      before.push_back(b[W[k]]);
      b[W[k]] = b_set[k];
    }
    if (moved.empty()) return;
    if (!K.accumulate(moved, step, f)) {
      for (size_t k = 0; k < moved.size(); ++k) b[moved[k]] = before[k];
      return;
    }
  }
}

}  // namespace svm
