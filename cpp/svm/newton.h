// The last digits: Newton steps on the free variables of a matrix in memory.
//
// Pair steps find which variables are free but need very many to settle their values. With the sets
// known, the minimum over the free ones is one linear system, H d = -(g_i - g_r) of factor.h. Where
// the full step leaves the box, it goes to the projection of its end onto the box if that is nearly
// as good, many variables at once; otherwise up to the first bound, and on without the variable
// that met it, its row taken out of the factor, until the minimum is reached. Each lowers the
// objective, so no step is taken back. Rows without a pivot rest, or, where the objective still
// falls along the flat direction they span, run down it, mostly to a bound.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "svm/certificate.h"
#include "svm/dual.h"
#include "svm/factor.h"
#include "svm/quadratic.h"
#include "svm/workers.h"

namespace svm {

class Newton {
 public:
  // The gradient is f = constant + Kb.
  Newton(const StoredMatrix<double>& K, const Box& box, std::vector<double> constant,
         const Workers& workers)
      : K_(K),
        box_(box),
        constant_(std::move(constant)),
        workers_(workers),
        factor_(K, box, workers),
        low_(K.size()),
        high_(K.size()),
        cost_(K.size()),
        change_(K.size()) {}

  int64_t steps() const { return steps_; }
  bool concave() const { return factor_.concave(); }

  // f = constant + Kb, from the beginning.
  void gradient(const double* b, double* f) const {
    constexpr int64_t kBlock = 512;
    const int64_t n = K_.size();
    // Not run(): half a gradient is of no use, and the whole is quick.
    parallel_for((n + kBlock - 1) / kBlock, workers_.threads, [&](int64_t block) {
      const int64_t begin = block * kBlock, count = std::min(kBlock, n - begin);
      std::copy_n(constant_.data() + begin, count, f + begin);
      for (int64_t i = 0; i < n; ++i) {
        if (b[i] != 0) simd::table().f64.add(K_.row(i) + begin, b[i], f + begin, count);
      }
    });
  }

  // Steps until the violation is at most `target`, or neither it nor the objective improves any
  // more.
  void run(double* b, double* f, double target) {
    const int64_t n = K_.size();
    std::vector<double> best_b(b, b + n), best_f(f, f + n);
    double lowest = extremes(box_, b, f).violation(), highest = value(b, f);
    int stale = 0;
    for (int64_t k = 0; k < 200 + n && stale < kPatience && lowest > target; ++k, ++stale) {
      if (workers_.monitor.stop() || !step(b, f)) break;
      ++steps_;
      gradient(b, f);
      const double dual = value(b, f), violation = extremes(box_, b, f).violation();
      const double noise = 1e-12 * std::abs(highest);
      if (dual <= highest + noise && violation >= lowest) continue;
      if (dual > highest + noise || violation < 0.9 * lowest) stale = -1;
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
  static constexpr int kPatience = 12;

  bool step(double* b, const double* f) {
    collect(b, f);
    if (!renew_factor(b)) return false;
    if (run_flat(b)) return true;
    solve();
    if (first_bound(b) < 1 && take_projected(b)) return true;
    // Towards the minimum over the movers; those that meet an end on the way stay there.
    bool moved = false;
    while (!factor_.kept().empty() && !workers_.monitor.stop()) {
      const double length = std::min(1.0, first_bound(b));
      move(b, length);
      moved |= length > 0;
      if (length == 1 || !leave_behind(b, length)) break;
      solve();
    }
    return moved;
  }

  // How far a free variable is from the ends of its piece; negative for the others.
  double interior(int64_t i, const double* b) const {
    if (!box_.free(i, b[i])) return -1;
    return std::min(b[i] - box_.down_end(i, b[i]), box_.up_end(i, b[i]) - b[i]);
  }

  // The variables that may move, each with the smooth piece of the box it is in and its derivative
  // there: the free ones, the most interior first, then those whose sign of derivative calls them
  // away from a bound or kink.
  void collect(const double* b, const double* f) {
    movers_.clear();
    const auto level = intercepts(box_, b, f);
    for (int64_t i = 0; i < box_.size(); ++i) {
      const double up = f[i] + box_.up_offset(i, b[i]), down = f[i] + box_.down_offset(i, b[i]);
      const bool free = box_.free(i, b[i]);
      low_[i] = high_[i] = b[i];
      if (free || up < -level[box_.group_of(i)]) {
        high_[i] = box_.up_end(i, b[i]);
        cost_[i] = up;
      } else if (down > -level[box_.group_of(i)]) {
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
      if (references[g] >= 0 && interior(references[g], b) > 0) continue;
      const auto first = std::find_if(movers_.begin(), movers_.end(),
                                      [&](int64_t i) { return box_.group_of(i) == g; });
      references[g] = first == movers_.end() ? -1 : *first;
    }
    std::vector<uint8_t> state(K_.size(), kIdle);
    for (const int64_t i : movers_) state[i] = kWanted;
    size_t gone = 0;
    for (const int64_t i : factor_.kept()) gone += state[i] == kIdle;
    if (references != factor_.references() || gone > 8 + factor_.kept().size() / 16) {
      factor_.reset(references);
    }
    for (size_t k = factor_.kept().size(); k-- > 0;) {
      const int64_t i = factor_.kept()[k];
      if (state[i] == kIdle) {
        factor_.erase(k);
      } else {
        state[i] = kKept;
      }
    }
    std::vector<int64_t> wanted;
    for (const int64_t i : movers_) {
      if (state[i] == kWanted && factor_.reference(i) != i) wanted.push_back(i);
    }
    return factor_.append(wanted) && movers_.size() >= 2;
  }
  enum State : uint8_t { kIdle, kWanted, kKept };

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

  // Along v = e_a - H^-1 H(., a) of a dropped row the objective is linear. True when it was worth
  // following one such direction to the first bound.
  bool run_flat(double* b) {
    double dearest = 0;
    for (const int64_t i : movers_) {
      dearest = std::max(dearest, std::abs(cost_[i] - cost_[factor_.reference(i)]));
    }
    for (const int64_t a : factor_.dropped()) {
      if (workers_.monitor.stop()) return false;
      std::vector<double> v = factor_.eliminate(a);
      factor_.back_substitute(v);
      for (double& x : v) x = -x;
      spread(v);
      set_change(a, 1);
      const double cost = slope();
      if (std::abs(cost) <= 1e-3 * dearest) continue;
      if (cost > 0) {
        for (const int64_t i : movers_) change_[i] = -change_[i];
      }
      const double bend = curvature(), longest = first_bound(b);
      const double length = bend > 0 ? std::min(longest, std::abs(cost) / bend) : longest;
      if (!(length > 0) || length == kInfinity) continue;
      move(b, length);
      return true;
    }
    return false;
  }

  double slope() const {
    double sum = 0;
    for (const int64_t i : movers_) sum += cost_[i] * change_[i];
    return sum;
  }

  double curvature() const {
    double sum = 0;
    for (const int64_t i : movers_) {
      if (change_[i] != 0) {
        sum += change_[i] * simd::table().f64.dot(K_.row(i), change_.data(), K_.size());
      }
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

  // Moves to the projection of the Newton step's end if that brings half of what the whole step
  // would: many variables reach their ends at once. Leaves change_ as it was otherwise.
  bool take_projected(double* b) {
    const double wanted = -slope() / 4;
    std::vector<double> whole = change_;
    for (int g = 0; g < box_.groups(); ++g) project(b, g);
    const double along = slope();
    if (along < 0) {
      const double bend = curvature();
      const double length = bend > 0 ? std::min(1.0, -along / bend) : 1.0;
      if (-length * (along + length * bend / 2) >= wanted) {
        move(b, length);
        return true;
      }
    }
    change_ = std::move(whole);
    return false;
  }

  // change_ := projection of b + change_ onto the pieces and the plane of constant sum, minus b:
  // every variable of the group is shifted by the same amount and clipped, the amount found by
  // bisection.
  void project(const double* b, int group) {
    double reach = 0;
    for (const int64_t i : movers_) reach = std::max(reach, std::abs(change_[i]));
    const auto clipped = [&](int64_t i, double shift) {
      return std::clamp(b[i] + change_[i] + shift, low_[i], high_[i]) - b[i];
    };
    double left = -reach, right = reach;
    for (int halving = 0; halving < 100; ++halving) {
      const double middle = (left + right) / 2;
      double sum = 0;
      for (const int64_t i : movers_) sum += box_.group_of(i) == group ? clipped(i, middle) : 0;
      (sum > 0 ? right : left) = middle;
    }
    for (const int64_t i : movers_) {
      if (box_.group_of(i) == group) change_[i] = clipped(i, (left + right) / 2);
    }
  }

  // Takes the movers that have met an end out of the system, after a step of `length` < 1 along the
  // Newton direction, which leaves the share 1 - length of every difference of costs. False when a
  // reference itself is at an end.
  bool leave_behind(const double* b, double length) {
    const auto ended = [&](int64_t i) {
      return (change_[i] > 0 && b[i] == high_[i]) || (change_[i] < 0 && b[i] == low_[i]);
    };
    for (int g = 0; g < box_.groups(); ++g) {
      const int64_t reference = factor_.references()[g];
      if (reference >= 0 && ended(reference)) return false;
    }
    for (size_t k = factor_.kept().size(); k-- > 0;) {
      const int64_t i = factor_.kept()[k];
      const double level = cost_[factor_.reference(i)];
      cost_[i] = level + (1 - length) * (cost_[i] - level);
      if (ended(i)) factor_.erase(k);
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
  std::vector<double> low_, high_, cost_, change_;  // of the movers, by variable
};

}  // namespace svm
