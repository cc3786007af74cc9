// The last digits: Newton steps on the free variables of a matrix in memory.
//
// Pair steps find which variables are free but need very many to settle their values. With the sets
// known, the minimum over the free ones is one linear system, H d = -(g_i - g_r) of factor.h. Where
// the full step leaves the box, variables stop at the bounds they meet on the way, and the way ends
// where the objective is lowest: every step lowers it. Rows without a pivot rest, or, where the
// objective still falls along the flat direction they span, run down it, mostly to a bound.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "dual/certificate.h"
#include "dual/dual.h"
#include "dual/factor.h"
#include "dual/quadratic.h"
#include "run/workers.h"

namespace svm {

class Newton {
 public:
  static constexpr int64_t kNoLimit = std::numeric_limits<int64_t>::max();

  // The gradient is f = constant + Kb.
  Newton(const StoredMatrix<double>& K, const Box& box, std::vector<double> constant,
         std::span<const double> ridge, const Workers& workers)
      : K_(K),
        box_(box),
        constant_(std::move(constant)),
        workers_(workers),
        factor_(K, box, ridge, workers),
        low_(K.size()),
        high_(K.size()),
        cost_(K.size()),
        change_(K.size()) {}

  int64_t steps() const { return steps_; }
  bool concave() const { return factor_.concave(); }
  std::span<const double> constant() const { return constant_; }

  // f = constant + Kb, from the beginning.
  void gradient(const double* b, double* f) const {
    std::copy(constant_.begin(), constant_.end(), f);
    K_.multiply_add(b, f, workers_.threads);
  }

  // Steps until the violation is at most `target`, or a few in a row improve neither it nor the
  // objective by much: then it is for pair steps to say which variables are free. The first is for
  // the free variables alone: those that are called once they have settled are few, while many look
  // as if they were before, such as copies of free ones.
  void run(double* b, double* f, double target, int64_t most = kNoLimit) {
    const Stopwatch watch(workers_.monitor.work.newton_seconds);
    const int64_t n = K_.size();
    std::vector<double> best_b(b, b + n), best_f(f, f + n);
    double lowest = extremes(box_, b, f).violation(), highest = value(b, f);
    int stale = 0;
    for (int64_t k = 0; k < most && stale < kPatience && lowest > target; ++k, ++stale) {
      if (workers_.monitor.stop() || !step(b, f, k == 0 ? kInfinity : target / 2)) break;
      ++steps_;
      gradient(b, f);
      const double dual = value(b, f), violation = extremes(box_, b, f).violation();
      const double noise = 1e-12 * std::abs(highest);
      if (dual <= highest + noise && violation >= lowest) continue;
      if (dual > highest + kLittle * std::abs(highest) || violation < 0.9 * lowest) stale = -1;
      lowest = violation;
      highest = std::max(highest, dual);
      best_b.assign(b, b + n);
      best_f.assign(f, f + n);
    }
    std::copy_n(best_b.data(), n, b);
    std::copy_n(best_f.data(), n, f);
  }

  // The dual objective -(1/2 b'Kb + constant'b + epsilon |b|_1).
  double value(const double* b, const double* f) const {
    double sum = 0;
    for (int64_t i = 0; i < K_.size(); ++i) {
      sum -= b[i] * (f[i] + constant_[i]) / 2 + box_.epsilon * std::abs(b[i]);
    }
    return sum;
  }

 private:
  static constexpr int kPatience = 4;
  static constexpr double kLittle = 1e-9;  // of the objective

  bool step(double* b, const double* f, double slack) {
    collect(b, f, slack);
    if (movers_.size() < 2) collect(b, f, 0);
    if (!renew_factor(b)) return false;
    settle();
    return run_flat(b) || descend(b);
  }

  // To the minimum over the movers; those that meet an end on the way stay there.
  bool descend(double* b) {
    bool moved = false;
    for (size_t left = few(factor_.kept().size()); !workers_.monitor.stop(); solve()) {
      moved |= follow(b);
      const size_t ended = erase_ended(b, left);
      if (ended == 0 || ended > left) break;
      left -= ended;
    }
    return moved;
  }

  // Takes the variables at an end out of the factor, unless there are more than `most`, and tells
  // how many they are.
  size_t erase_ended(const double* b, size_t most) {
    std::vector<size_t> places;
    for (size_t k = factor_.kept().size(); k-- > 0;) {
      const int64_t i = factor_.kept()[k];
      if (b[i] == low_[i] || b[i] == high_[i]) places.push_back(k);
    }
    if (places.size() <= most) {
      for (const size_t k : places) factor_.erase(k);
    }
    return places.size();
  }

  // Taking rows out of the factor one by one is worth it for a few; for more it is made anew.
  static size_t few(size_t rows) { return 16 + rows / 32; }

  // How far a free variable is from the ends of its piece; negative for the others.
  double interior(int64_t i, const double* b) const {
    if (!box_.free(i, b[i])) return -1;
    return std::min(b[i] - box_.down_end(i, b[i]), box_.up_end(i, b[i]) - b[i]);
  }

  // The variables that may move, each with the smooth piece of the box it is in and its derivative
  // there: the free ones, the most interior first, then those whose derivative calls them away from
  // a bound or kink by more than `slack`.
  void collect(const double* b, const double* f, double slack) {
    movers_.clear();
    const auto level = intercepts(box_, b, f);
    for (int64_t i = 0; i < box_.size(); ++i) {
      const double up = f[i] + box_.up_offset(i, b[i]), down = f[i] + box_.down_offset(i, b[i]);
      const bool free = box_.free(i, b[i]);
      low_[i] = high_[i] = b[i];
      const double even = -level[box_.group_of(i)];
      if (free || up < even - slack) {
        high_[i] = box_.up_end(i, b[i]);
        cost_[i] = up;
      } else if (down > even + slack) {
        cost_[i] = down;
      } else {
        continue;
      }
      if (free || cost_[i] == down) low_[i] = box_.down_end(i, b[i]);
      movers_.push_back(i);
    }
    std::stable_sort(movers_.begin(), movers_.end(),
                     [&](int64_t i, int64_t j) { return interior(i, b) > interior(j, b); });
  }

  // Brings the factor to the present movers: changed where little has changed, else made anew.
  bool renew_factor(const double* b) {
    Factor::References references = factor_.references();
    for (int g = 0; g < box_.groups(); ++g) {
      const auto first = std::find_if(movers_.begin(), movers_.end(),
                                      [&](int64_t i) { return box_.group_of(i) == g; });
      if (first == movers_.end()) {
        references[g] = -1;
      } else if (references[g] < 0 || interior(references[g], b) <= 0.1 * interior(*first, b)) {
        references[g] = *first;
      }
    }
    std::vector<uint8_t> state(K_.size(), kIdle);
    for (const int64_t i : movers_) state[i] = kWanted;
    size_t gone = 0;
    for (const int64_t i : factor_.kept()) gone += state[i] == kIdle;
    if (references != factor_.references() || gone > few(factor_.kept().size())) {
      factor_.reset(references);
    }
    for (size_t k = factor_.kept().size(); k-- > 0;) {
      const int64_t i = factor_.kept()[k];
      if (state[i] == kIdle) factor_.erase(k);
      state[i] = kKnown;
    }
    factor_.forget_dropped([&](int64_t i) { return state[i] == kIdle; });
    for (const int64_t i : factor_.dropped()) state[i] = kKnown;
    std::vector<int64_t> wanted;
    for (const int64_t i : movers_) {
      if (state[i] == kWanted && factor_.reference(i) != i) wanted.push_back(i);
    }
    return factor_.append(wanted) && movers_.size() >= 2;
  }
  enum State : uint8_t { kIdle, kWanted, kKnown };

  // change_ = the Newton step.
  void solve() {
    const std::vector<int64_t>& kept = factor_.kept();
    std::vector<double> y(kept.size());
    for (size_t k = 0; k < kept.size(); ++k) {
      y[k] = cost_[factor_.reference(kept[k])] - cost_[kept[k]];
    }
    factor_.forward_substitute(y);
    factor_.back_substitute(y);
    spread(y);
  }

  // change_ from the changes of the kept variables; the references balance them.
  void spread(const std::vector<double>& kept_changes) {
    std::fill(change_.begin(), change_.end(), 0.0);
    const std::vector<int64_t>& kept = factor_.kept();
    for (size_t k = 0; k < kept.size(); ++k) set_change(kept[k], kept_changes[k]);
  }
  void set_change(int64_t i, double value) {
    change_[i] = value;
    change_[factor_.reference(i)] -= value;
  }

  // change_ = the Newton step, dropped rows that it leaves a cost to taken in where they have a
  // pivot by now. steepest_ is the one with the largest cost left, or -1.
  void settle() {
    double dearest = 0;
    for (const int64_t i : movers_) {
      dearest = std::max(dearest, std::abs(cost_[i] - cost_[factor_.reference(i)]));
    }
    for (solve();; solve()) {
      double largest = 1e-3 * dearest;
      steepest_ = -1;
      for (const int64_t i : factor_.dropped()) {
        const int64_t r = factor_.reference(i);
        const double left = std::abs(cost_[i] - cost_[r] + product(i) - product(r));
        if (left <= largest) continue;
        largest = left;
        steepest_ = i;
      }
      if (steepest_ < 0 || !factor_.retry(steepest_)) return;
    }
  }

  // Along v = e_a - H^-1 H(., a) of a dropped row the objective is linear. True when the steepest
  // such direction was followed, mostly to the first bound; change_ is the Newton step otherwise.
  bool run_flat(double* b) {
    const int64_t a = steepest_;
    if (a < 0) return false;
    const std::vector<double> newton = change_;
    std::vector<double> v = factor_.eliminate(a);
    factor_.back_substitute(v);
    for (double& x : v) x = -x;
    spread(v);
    set_change(a, 1);
    const double cost = slope();
    if (cost > 0) {
      for (const int64_t i : movers_) change_[i] = -change_[i];
    }
    const double bend = curvature(), longest = first_bound(b);
    const double length = bend > 0 ? std::min(longest, std::abs(cost) / bend) : longest;
    if (length > 0 && length < kInfinity) {
      move(b, length);
      return true;
    }
    change_ = newton;
    return false;
  }

  // (K change_)_i
  double product(int64_t i) const {
    return simd::table().f64.dot(K_.row(i), change_.data(), K_.size());
  }

  double slope() const {
    double sum = 0;
    for (const int64_t i : movers_) sum += cost_[i] * change_[i];
    return sum;
  }

  double curvature() const {
    double sum = 0;
    for (const int64_t i : movers_) {
      if (change_[i] != 0) sum += change_[i] * product(i);
    }
    return sum;
  }

  // The longest multiple of change_ inside the box.
  double first_bound(const double* b) const {
    double length = kInfinity;
    for (const int64_t i : movers_) {
      if (change_[i] > 0) length = std::min(length, (high_[i] - b[i]) / change_[i]);
      if (change_[i] < 0) length = std::min(length, (low_[i] - b[i]) / change_[i]);
    }
    return length;
  }

  // b += length change_, exactly onto a bound where one is reached.
  void move(double* b, double length) const {
    for (const int64_t i : movers_) {
      const double change = length * change_[i];
      b[i] = std::clamp(b[i] + change, low_[i], high_[i]);
      if (change > 0 && high_[i] - b[i] <= 1e-15 * change) b[i] = high_[i];
      if (change < 0 && low_[i] - b[i] >= 1e-15 * change) b[i] = low_[i];
    }
  }

  // Follows change_ to the lowest point along it. A variable that meets an end stays there and the
  // reference of its group balances the others: the path bends, the objective is a parabola on each
  // piece, and a bend costs two rows of K. Ends early where a reference meets an end.
  bool follow(double* b) {
    std::vector<double> product(K_.size(), 0.0);
    K_.multiply_add(change_.data(), product.data(), workers_.threads);
    bool moved = false;
    for (size_t piece = 0; piece <= movers_.size(); ++piece) {
      double slope = 0, bend = 0;
      for (const int64_t i : movers_) {
        slope += cost_[i] * change_[i];
        bend += change_[i] * product[i];
      }
      // The first piece's lowest point is Newton's own: the quotient would be noise near the end.
      const double best = piece == 0 ? 1 : bend > 0 ? -slope / bend : kInfinity;
      const double first = first_bound(b);
      const double length = std::min(best, first);
      if (!(slope < 0) || length == kInfinity) break;
      move(b, length);
      for (const int64_t i : movers_) cost_[i] += length * product[i];
      moved |= length > 0;
      if (best <= first || !stop_ended(b, product)) break;
    }
    return moved;
  }

  void add_row(int64_t i, double weight, std::vector<double>& sum) const {
    if (weight != 0) simd::table().f64.add(K_.row(i), weight, sum.data(), K_.size());
  }

  // Takes the variables that have met an end out of change_, and of its product with K. False when
  // a reference is among them.
  bool stop_ended(const double* b, std::vector<double>& product) {
    for (const int64_t i : movers_) {
      const bool ended =
          (change_[i] > 0 && b[i] == high_[i]) || (change_[i] < 0 && b[i] == low_[i]);
      if (!ended) continue;
      if (i == factor_.reference(i)) return false;
      add_row(i, -std::exchange(change_[i], 0.0), product);
    }
    // Summed anew: the rounding of what was taken out would move a reference all by itself.
    for (const int64_t r : factor_.references()) {
      if (r < 0) continue;
      double rest = 0;
      for (const int64_t i : movers_) {
        if (i != r && factor_.reference(i) == r) rest += change_[i];
      }
      add_row(r, -rest - std::exchange(change_[r], -rest), product);
    }
    return true;
  }

  const StoredMatrix<double>& K_;
  const Box& box_;
  std::vector<double> constant_;
  Workers workers_;
  Factor factor_;
  int64_t steps_ = 0;
  std::vector<int64_t> movers_;
  int64_t steepest_ = -1;
  std::vector<double> low_, high_, cost_, change_;  // of the movers, by variable
};

}  // namespace svm
