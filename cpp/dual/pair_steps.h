// Sequential minimal optimisation on working sets.
//
// descend() picks a working set, takes its square block of the matrix, solves that smaller problem
// to a tenth of the present violation, and charges the change to the gradient of all variables. On
// the set, PairSolver moves two variables of a group at a time, chosen by second-order gain (Fan,
// Chen, Lin 2005), and with them those of the last steps, so that directions are conjugate
// (Torres-Barran, Alaiz, Dorronsoro 2021).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "dual/dual.h"
#include "dual/quadratic.h"
#include "dual/working_set.h"
#include "run/monitor.h"

namespace svm {

struct Budget {
  int64_t steps = 0;                                    // pair steps taken so far
  int64_t limit = std::numeric_limits<int64_t>::max();  // and how many there may be
  Monitor& monitor;
  bool concave = false;  // a pair of negative curvature was met
  int64_t touched = 0;   // variables in the working sets of all steps

  bool over() const { return steps >= limit || monitor.stop(); }
};

// A direction of descent that has few variables in it.
class Direction {
 public:
  struct Part {
    int64_t variable;
    double change;
  };

  Direction() = default;
  Direction(int64_t up, int64_t down) : parts_{{{up, 1}, {down, -1}}}, count_(2) {}

  std::span<const Part> parts() const { return {parts_.data(), count_}; }
  // Whether a pair may still be turned towards it. With longer memory steps are not fewer.
  bool open() const { return count_ > 0 && count_ + 2 <= kMost; }

  // (e_up - e_down) + share times this.
  Direction turn(int64_t up, int64_t down, double share) const {
    Direction turned = *this;
    for (size_t k = 0; k < count_; ++k) turned.parts_[k].change *= share;
    turned.add(up, 1);
    turned.add(down, -1);
    return turned;
  }

 private:
  static constexpr size_t kMost = 16;

  void add(int64_t variable, double change) {
    for (size_t k = 0; k < count_; ++k) {
      if (parts_[k].variable == variable) return void(parts_[k].change += change);
    }
    parts_[count_++] = {variable, change};
  }

  std::array<Part, kMost> parts_;
  size_t count_ = 0;
};

// Pair steps on a matrix in memory. The variables of a group stand side by side. The gradient has
// the precision of the matrix here and is measured from the level of its group, so that rounding is
// small against violations, down to a 2^-21st of epsilon; nobody else sees it.
//
// A step that met no bound has left the gradient orthogonal to its direction p. The next one goes
// along d = (e_i - e_j) - (along_i - along_j) / p'Kp p, with along = Kp: that is conjugate to p,
// flatter than the pair alone, and no steeper, so the step is longer and gains more.
template <class T>
class PairSolver {
 public:
  PairSolver(const StoredMatrix<T>& K, const Box& box, double* b, const double* f)
      : K_(K), box_(box), b_(b), f_(K.size()), up_(K.size()), down_(K.size()), along_(K.size()) {
    const Extremes worst = extremes(box, b, f);
    worst_ = static_cast<T>(worst.violation());
    for (int64_t i = 0; i < K.size(); ++i) {
      update(i);
      diagonal_.push_back(K.row(i)[i]);
      f_[i] = narrow(f[i] - worst.level(box.group_of(i)));
    }
    constant_ = std::ranges::count(diagonal_, diagonal_[0]) == K.size();
    for (int g = 0; g < box.groups(); ++g) {
      ends_[g] = std::count_if(box.group.begin(), box.group.end(), [g](int h) { return h <= g; });
    }
    if (box.group.empty()) ends_[0] = K.size();
    for (int g = 0; g < box.groups(); ++g) {
      const auto [begin, n] = range(g);
      lowest_[g] = loops_.lowest(f_.data() + begin, up_.data() + begin, n, &low_[g]);
    }
  }

  // Moves pairs until the violation is at most tol, nothing moves, or eight steps a variable are
  // done: then it is time to look at the other variables again.
  void run(double tol, Budget& budget) {
    const int64_t enough = std::min(budget.limit, budget.steps + 8 * K_.size());
    for (; budget.steps < enough; ++budget.steps, budget.touched += K_.size()) {
      if (budget.steps % 2048 == 0 && budget.monitor.stop()) return;
      const Pair pair = select(tol);
      if (pair.i < 0 || !move(pair, budget)) return;
    }
  }

 private:
  struct Pair {
    int64_t i = -1, j = -1;  // up and down
    T violation = 0, gain = 0;
  };

  void update(int64_t i) {
    up_[i] = static_cast<T>(box_.up_offset(i, b_[i]));
    down_[i] = static_cast<T>(box_.down_offset(i, b_[i]));
  }

  // Finite, as the infinite ones are those that cannot move.
  static T narrow(double x) {
    constexpr double most = std::numeric_limits<T>::max() / 1024;
    return static_cast<T>(std::clamp(x, -most, most));
  }

  std::pair<int64_t, int64_t> range(int g) const {
    const int64_t begin = g == 0 ? 0 : ends_[g - 1];
    return {begin, ends_[g] - begin};
  }

  // Of each group the variable that is cheapest to move up, with the partner of the largest
  // second-order gain; then the better group. None where no violation is above tol.
  Pair select(double tol) {
    Pair best;
    const T scale = 1 / std::max(worst_, simd::kSmallestCurvature<T>);
    worst_ = 0;
    for (int g = 0; g < box_.groups(); ++g) {
      const auto [begin, n] = range(g);
      const int64_t i = begin + lowest_[g];
      if (lowest_[g] < 0) continue;
      const simd::PairBends<T> bends{
          K_.row(i) + begin, constant_ ? nullptr : diagonal_.data() + begin,
          diagonal_[i],      along_.data() + begin,
          along_[i],         static_cast<T>(last_.open() ? 1 / bend_ : 0)};
      T gain, violation;
      const int64_t j = loops_.partner(bends, f_.data() + begin, down_.data() + begin, low_[g],
                                       scale, n, &gain, &violation);
      if (j < 0) continue;
      worst_ = std::max(worst_, violation);
      if (!(gain > best.gain)) continue;
      best = {i, begin + j, f_[begin + j] + down_[begin + j] - low_[g], gain};
    }
    return worst_ > tol ? best : Pair();
  }

  // A step along a conjugate direction, or else along the pair. False when it is below rounding.
  bool move(const Pair& pair, Budget& budget) {
    const int64_t i = pair.i, j = pair.j;
    const double bend = simd::curvature(diagonal_[i], diagonal_[j], K_.row(i)[j]);
    budget.concave |= concave(diagonal_[i], diagonal_[j], K_.row(i)[j]);
    const double b_i = b_[i], b_j = b_[j];
    double share = 0;
    double step = move_turned(pair, bend, &share);
    if (step == 0) step = move_pair(pair, bend);
    if (b_[i] == b_i && b_[j] == b_j) return false;
    update(i);
    update(j);
    for (int g = 0; g < box_.groups(); ++g) {
      const auto [begin, n] = range(g);
      lowest_[g] =
          loops_.move(K_.row(i) + begin, K_.row(j) + begin, narrow(share), narrow(step),
                      along_.data() + begin, f_.data() + begin, up_.data() + begin, n, &low_[g]);
    }
    return true;
  }

  // The step along the pair turned towards the last direction, if that flattens it and all
  // variables stay inside; else 0, and nothing has moved.
  double move_turned(const Pair& pair, double bend, double* share) {
    if (!last_.open()) return 0;
    const double difference = static_cast<double>(along_[pair.i]) - along_[pair.j];
    const double turned = bend - difference * difference / bend_;
    if (!(turned > simd::kLeastBend * bend)) return 0;
    const double step = pair.violation / turned;
    const Direction next = last_.turn(pair.i, pair.j, -difference / bend_);
    for (const auto& [i, change] : next.parts()) {
      const double x = b_[i] + step * change;
      if (!(x > box_.down_end(i, b_[i]) && x < box_.up_end(i, b_[i]))) return 0;
    }
    for (const auto& [i, change] : next.parts()) b_[i] += step * change;
    *share = -difference / bend_;
    last_ = next;
    bend_ = turned;
    return step;
  }

  // The step along (+1, -1) that minimises the pair's parabola, cut at the first bound or kink.
  double move_pair(const Pair& pair, double bend) {
    const auto [i, j, violation, gain] = pair;
    const double b_i = b_[i], b_j = b_[j];
    const double room_i = box_.up_end(i, b_i) - b_i, room_j = b_j - box_.down_end(j, b_j);
    const double step = std::min({violation / bend, room_i, room_j});
    b_[i] = step == room_i ? box_.up_end(i, b_i) : b_i + step;
    b_[j] = step == room_j ? box_.down_end(j, b_j) : b_j - step;
    const bool cut = step == room_i || step == room_j;
    last_ = cut || flat(diagonal_[i], diagonal_[j], bend) ? Direction() : Direction(i, j);
    bend_ = bend;
    return step;
  }

  // The pair's curvature is mostly rounding.
  static bool flat(double k_ii, double k_jj, double bend) {
    return bend <= 4 * simd::kCurvatureRounding<T> * (std::abs(k_ii) + std::abs(k_jj));
  }

  // Negative by more than the rounding of the three values.
  static bool concave(double k_ii, double k_jj, double k_ij) {
    constexpr double kRounding = sizeof(T) == sizeof(float) ? 1e-5 : 1e-13;
    const double size = std::abs(k_ii) + std::abs(k_jj) + std::abs(k_ij);
    return k_ii + k_jj - 2 * k_ij < -kRounding * size;
  }

  const StoredMatrix<T>& K_;
  const Box& box_;
  double* b_;
  const simd::Loops<T>& loops_ = simd::table().loops<T>();
  std::vector<T> f_, up_, down_, diagonal_;
  bool constant_;         // the diagonal
  Direction last_;        // of the last step, where that met no bound
  double bend_ = 0;       // its curvature
  std::vector<T> along_;  // and its product with the matrix
  std::array<int64_t, kGroups> ends_ = {}, lowest_ = {-1, -1};  // of f + up_ in each group
  std::array<T, kGroups> low_ = {};
  T worst_;  // the last violation
};

// The problem on a working set: its own copy of the box and of the point.
class SetProblem {
 public:
  void take(std::span<const int64_t> set, const Box& box, const double* b, const double* f) {
    lower_.clear(), upper_.clear(), group_.clear(), b_.clear(), f_.clear();
    epsilon_ = box.epsilon;
    for (const int64_t i : set) {
      lower_.push_back(box.lower[i]), upper_.push_back(box.upper[i]);
      b_.push_back(b[i]), f_.push_back(f[i]);
      if (!box.group.empty()) group_.push_back(box.group[i]);
    }
  }

  template <class T>
  void solve(const StoredMatrix<T>& K, double tol, Budget& budget) {
    const Stopwatch watch(budget.monitor.work.pair_seconds);
    const Box box{lower_, upper_, epsilon_, group_};
    PairSolver<T>(K, box, b_.data(), f_.data()).run(tol, budget);
  }

  double b(size_t k) const { return b_[k]; }

 private:
  double epsilon_ = 0;
  std::vector<double> lower_, upper_, b_, f_;
  std::vector<uint8_t> group_;
};

// A working set and its block of the matrix. Most of a set is in the one before it: where variables
// are of one group, new ones take the places of those that are gone, and only these are computed.
template <class T>
class SetBlock {
 public:
  // Sets are `in_order` of the variables where neighbours are of a class, and their kernel rows go
  // together.
  SetBlock(Quadratic<T>& K, const Box& box, bool in_order)
      : K_(K), box_(box), in_order_(in_order), wanted_(K.size(), false) {}

  const std::vector<int64_t>& members() const { return members_; }
  // Where all variables are in the set, it is the problem itself.
  bool whole() const { return std::ssize(members_) == K_.size(); }
  const StoredMatrix<T>& matrix() const { return given_ ? *K_.stored() : block_; }

  void take(std::vector<int64_t> next) {
    if (exchange(next)) return;
    members_ = std::move(next);
    if (in_order_ || whole()) std::sort(members_.begin(), members_.end());
    std::stable_partition(members_.begin(), members_.end(),
                          [&](int64_t i) { return box_.group_of(i) == 0; });
    given_ = whole() && std::is_sorted(members_.begin(), members_.end()) && K_.stored() != nullptr;
    if (given_) return;
    block_.resize(std::ssize(members_));
    K_.block(members_, block_.data());
  }

 private:
  // Takes a set that has most of this one in it, and is not much smaller; else false.
  bool exchange(std::span<const int64_t> next) {
    const size_t size = members_.size(), most = size / 4;
    if (in_order_ || given_ || box_.groups() > 1 || next.size() > size) return false;
    for (const int64_t i : next) wanted_[i] = true;
    std::vector<int64_t> places, fresh;
    for (size_t k = 0; k < size; ++k) {
      if (!wanted_[members_[k]]) places.push_back(static_cast<int64_t>(k));
      wanted_[members_[k]] = false;
    }
    for (const int64_t i : next) {
      if (wanted_[i]) fresh.push_back(i);
      wanted_[i] = false;
    }
    if (places.size() > most) return false;
    places.resize(fresh.size());
    const std::vector<int64_t> before = members_;
    for (size_t k = 0; k < fresh.size(); ++k) members_[places[k]] = fresh[k];
    if (fresh.empty() || K_.renew(members_, places, block_.data())) return true;
    members_ = before;
    return false;
  }

  Quadratic<T>& K_;
  const Box& box_;
  bool in_order_, given_ = false;
  std::vector<bool> wanted_;
  std::vector<int64_t> members_;
  StoredMatrix<T> block_;
};

// Descends by sets of size(how many the last one has moved) until the violation is at most tol,
// nothing moves, or the budget is over; or until go_on(), which is asked before each working set,
// says no.
template <class T>
void descend(Quadratic<T>& K, const Box& box, double* b, double* f,
             const std::function<int64_t(int64_t)>& size, double tol, Budget& budget,
             const std::function<bool()>& go_on, bool in_order = false) {
  WorkingSet set(K.size());
  SetBlock<T> block(K, box, in_order);
  SetProblem inner;
  std::vector<int64_t> moved;
  std::vector<double> step, before;
  int64_t count = K.size();
  while (!budget.over()) {
    const bool more = go_on();
    const Extremes worst = extremes(box, b, f);
    if (!more || worst.violation() <= tol) return;
    set.select(size(count), box, b, f, worst);
    block.take(set.members());
    const std::vector<int64_t>& W = block.members();
    inner.take(W, box, b, f);
    const double tol_set = block.whole() ? tol : std::max(0.5 * tol, 0.1 * worst.violation());
    inner.solve(block.matrix(), tol_set, budget);
    moved.clear(), step.clear(), before.clear();
    for (size_t k = 0; k < W.size(); ++k) {
      double& x = b[W[k]];
      if (inner.b(k) == x) continue;
      moved.push_back(W[k]);
      step.push_back(inner.b(k) - x);
      before.push_back(std::exchange(x, inner.b(k)));
    }
    if (moved.empty()) return;
    count = static_cast<int64_t>(moved.size());
    if (!K.accumulate(moved, step, f)) {
      for (size_t k = 0; k < moved.size(); ++k) b[moved[k]] = before[k];
      return;
    }
  }
}

}  // namespace svm
