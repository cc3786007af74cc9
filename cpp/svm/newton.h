// The last digits: Newton steps on the free variables of a small problem.
//
// Pair steps find which variables are free but need very many to settle their values. With the sets
// known, the minimum over the free ones is one linear system. Writing every free variable's change
// against a reference r, d_r = -sum d_i, removes the equality constraint and leaves
//
//   H d = -(g_i - g_r),   H_ij = K_ij - K_ir - K_rj + K_rr,
//
// which is the Gram matrix of the differences phi_i - phi_r: positive semidefinite wherever K is,
// and without the cancellation of a nearly constant K. Where the full step leaves the box, the
// better of two shorter ones is taken: towards the projection of its end onto the box, many
// variables at once, or up to the first bound. Both lower the objective, so no step is taken back.
// Rows that nearly depend on others (duplicates, low rank) have no pivot: they rest, or, where the
// objective still falls along the flat direction they span, they run down it, mostly to a bound.
// What counts as "nearly" decides how large C may be: solving through pivots close to rounding
// gives directions that are noise times 1/pivot.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "svm/certificate.h"
#include "svm/dual.h"
#include "svm/smo.h"

namespace svm {

class Newton {
 public:
  Newton(const StoredMatrix<double>& K, const DualProblem& problem, double shift, Monitor& monitor)
      : K_(K), problem_(problem), box_(problem.box), shift_(shift), monitor_(monitor) {}

  int64_t steps() const { return steps_; }

  // f = Kb - t, from the beginning.
  void gradient(const double* b, double* f) const {
    for (int64_t i = 0; i < K_.size(); ++i) f[i] = shift_ - problem_.target[i];
    for (int64_t i = 0; i < K_.size(); ++i) {
      if (b[i] != 0) simd::table().f64.add(K_.row(i), b[i], f, K_.size());
    }
  }

  // Steps until the violation is at most `target`, or neither it nor the objective improves any
  // more.
  void run(double* b, double* f, double target) {
    const int64_t n = K_.size();
    std::vector<double> best_b(b, b + n), best_f(f, f + n);
    double lowest = extremes(box_, b, f).violation(), highest = value(b, f);
    int stale = 0;
    for (int64_t k = 0; k < 200 + n && stale < kPatience && lowest > target; ++k, ++stale) {
      if (monitor_.stop() || !step(b, f)) break;
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

  // The dual objective t'b - 1/2 b'Kb - epsilon |b|_1.
  double value(const double* b, const double* f) const {
    double sum = 0;
    for (int64_t i = 0; i < K_.size(); ++i) {
      sum += b[i] * (problem_.target[i] - f[i]) / 2 - box_.epsilon * std::abs(b[i]);
    }
    return sum;
  }

 private:
  static constexpr int kPatience = 12;
  static constexpr double kSmallestPivot = 1e-7;  // relative to the diagonal

  // A variable that may move, with the smooth piece of the box it is in.
  struct Mover {
    int64_t i;
    double low, high;  // ends of the piece
    double cost;       // derivative of the objective on it
    bool resting;      // sits at an end
  };

  bool step(double* b, const double* f) {
    collect(b, f);
    // A resting variable that would leave its piece at once is not a mover after all.
    for (;;) {
      if (movers_.size() < 2 || monitor_.stop()) return false;
      factorise();
      if (run_flat(b)) return true;
      solve();
      if (take_step(b)) return true;
      const size_t before = movers_.size();
      std::erase_if(movers_, [&](const Mover& m) {
        const double d = change_[&m - movers_.data()];
        return m.resting && ((d < 0 && b[m.i] == m.low) || (d > 0 && b[m.i] == m.high));
      });
      if (movers_.size() == before) return false;
    }
  }

  // Free variables, the most interior first, then those whose sign of derivative calls them away
  // from a bound or kink.
  void collect(const double* b, const double* f) {
    movers_.clear();
    const double level = -intercept(box_, b, f);
    for (int64_t i = 0; i < box_.size(); ++i) {
      if (!box_.free(i, b[i])) continue;
      movers_.push_back(
          {i, box_.down_end(i, b[i]), box_.up_end(i, b[i]), f[i] + box_.up_offset(i, b[i]), false});
    }
    std::stable_sort(movers_.begin(), movers_.end(), [&](const Mover& m, const Mover& o) {
      return std::min(b[m.i] - m.low, m.high - b[m.i]) > std::min(b[o.i] - o.low, o.high - b[o.i]);
    });
    for (int64_t i = 0; i < box_.size(); ++i) {
      if (box_.free(i, b[i])) continue;
      const double up = f[i] + box_.up_offset(i, b[i]), down = f[i] + box_.down_offset(i, b[i]);
      if (up < level) {
        movers_.push_back({i, b[i], box_.up_end(i, b[i]), up, true});
      } else if (down > level) {
        movers_.push_back({i, box_.down_end(i, b[i]), b[i], down, true});
      }
    }
  }

  double difference(int64_t i, int64_t j) const {
    const int64_t r = movers_[0].i;
    return K_.row(i)[j] - K_.row(i)[r] - K_.row(r)[j] + K_.row(r)[r];
  }

  // Cholesky of H by rows, leaving out rows without a pivot.
  void factorise() {
    const int64_t m = static_cast<int64_t>(movers_.size());
    kept_.clear(), dropped_.clear();
    factor_.assign(m * m, 0.0);
    stride_ = m;
    std::vector<double> row(m);
    for (int64_t a = 1; a < m; ++a) {
      if (a % 16 == 0 && monitor_.stop()) return;
      eliminate(a, row.data());
      const int64_t k = static_cast<int64_t>(kept_.size());
      const double size = difference(movers_[a].i, movers_[a].i);
      const double pivot = size - simd::table().f64.dot(row.data(), row.data(), k);
      if (!(pivot > kSmallestPivot * std::abs(size))) {
        dropped_.push_back(a);
        continue;
      }
      std::copy_n(row.data(), k, factor_.data() + k * stride_);
      factor_[k * stride_ + k] = std::sqrt(pivot);
      kept_.push_back(a);
    }
  }

  // row = L^-1 H(kept, a)
  void eliminate(int64_t a, double* row) const {
    for (size_t k = 0; k < kept_.size(); ++k) {
      const double* L = factor_.data() + k * stride_;
      const double known = simd::table().f64.dot(L, row, static_cast<int64_t>(k));
      row[k] = (difference(movers_[kept_[k]].i, movers_[a].i) - known) / L[k];
    }
  }

  // x = L'^-1 y in place
  void back_substitute(std::vector<double>& y) const {
    for (size_t k = kept_.size(); k-- > 0;) {
      const double* L = factor_.data() + k * stride_;
      y[k] /= L[k];
      simd::table().f64.add(L, -y[k], y.data(), static_cast<int64_t>(k));
    }
  }

  // change_ = the Newton step, in the order of movers_.
  void solve() {
    std::vector<double> y(kept_.size());
    for (size_t k = 0; k < kept_.size(); ++k) {
      const double* L = factor_.data() + k * stride_;
      const double right = movers_[0].cost - movers_[kept_[k]].cost;
      y[k] = (right - simd::table().f64.dot(L, y.data(), static_cast<int64_t>(k))) / L[k];
    }
    back_substitute(y);
    spread(y);
  }

  // change_ from the changes of the kept variables; the reference balances them.
  void spread(const std::vector<double>& kept_changes) {
    change_.assign(movers_.size(), 0.0);
    for (size_t k = 0; k < kept_.size(); ++k) {
      change_[kept_[k]] = kept_changes[k];
      change_[0] -= kept_changes[k];
    }
  }

  // Along v = e_a - H^-1 H(., a) of a dropped row the objective is linear. True when it was worth
  // following one such direction to the first bound.
  bool run_flat(double* b) {
    double cost = 0, dearest = 0;
    for (const Mover& m : movers_) dearest = std::max(dearest, std::abs(m.cost - movers_[0].cost));
    std::vector<double> row(movers_.size());
    for (const int64_t a : dropped_) {
      if (monitor_.stop()) return false;
      eliminate(a, row.data());
      std::vector<double> v(row.begin(), row.begin() + static_cast<int64_t>(kept_.size()));
      back_substitute(v);
      for (double& x : v) x = -x;
      spread(v);
      change_[a] = 1;
      change_[0] -= 1;
      cost = slope();
      if (std::abs(cost) <= 1e-3 * dearest) continue;
      if (cost > 0) {
        for (double& x : change_) x = -x;
      }
      const double bend = curvature(change_), longest = first_bound(b);
      const double length = bend > 0 ? std::min(longest, std::abs(cost) / bend) : longest;
      if (!(length > 0) || length == kInfinity) continue;
      move(b, length);
      return true;
    }
    return false;
  }

  double slope() const {
    double sum = 0;
    for (size_t k = 0; k < movers_.size(); ++k) sum += movers_[k].cost * change_[k];
    return sum;
  }

  double curvature(std::span<const double> d) const {
    double sum = 0;
    for (size_t k = 0; k < movers_.size(); ++k) {
      if (d[k] == 0) continue;
      double row = 0;
      for (size_t l = 0; l < movers_.size(); ++l) row += K_.row(movers_[k].i)[movers_[l].i] * d[l];
      sum += d[k] * row;
    }
    return sum;
  }

  // The longest multiple of change_ inside the box.
  double first_bound(const double* b) const {
    double length = kInfinity;
    for (size_t k = 0; k < movers_.size(); ++k) {
      const Mover& m = movers_[k];
      if (change_[k] > 0) length = std::min(length, (m.high - b[m.i]) / change_[k]);
      if (change_[k] < 0) length = std::min(length, (m.low - b[m.i]) / change_[k]);
    }
    return length;
  }

  // b += length change_, exactly onto a bound where one is reached.
  void move(double* b, double length) const {
    for (size_t k = 0; k < movers_.size(); ++k) {
      const Mover& m = movers_[k];
      b[m.i] = std::clamp(b[m.i] + length * change_[k], m.low, m.high);
      if (change_[k] > 0 && (m.high - b[m.i]) <= 1e-15 * length * change_[k]) b[m.i] = m.high;
      if (change_[k] < 0 && (m.low - b[m.i]) >= 1e-15 * length * change_[k]) b[m.i] = m.low;
    }
  }

  bool take_step(double* b) {
    const double along = slope(), length = std::min(1.0, first_bound(b));
    if (length == 1) {
      move(b, 1);
      return true;
    }
    // Newton's own direction: curvature = -slope.
    const double gain_short = -along * (length - length * length / 2);
    const std::vector<double> whole = change_;
    project(b);
    const double slope_projected = slope();
    double reach = 0, gain_projected = 0;
    if (slope_projected < 0) {
      const double bend = curvature(change_);
      reach = bend > 0 ? std::min(1.0, -slope_projected / bend) : 1.0;
      gain_projected = -(reach * slope_projected + reach * reach * bend / 2);
    }
    if (gain_projected > gain_short) {
      move(b, reach);
      return true;
    }
    change_ = whole;
    if (!(gain_short > 0)) return false;
    move(b, length);
    return true;
  }

  // change_ := projection of b + change_ onto the pieces and the plane of constant sum, minus b:
  // every variable is shifted by the same amount and clipped, the amount found by bisection.
  void project(const double* b) {
    double reach = 0;
    for (size_t k = 0; k < movers_.size(); ++k) {
      const Mover& m = movers_[k];
      const double end = b[m.i] + change_[k];
      reach = std::max({reach, std::abs(end - m.low), std::abs(end - m.high)});
    }
    const auto clipped = [&](size_t k, double shift) {
      const Mover& m = movers_[k];
      return std::clamp(b[m.i] + change_[k] + shift, m.low, m.high) - b[m.i];
    };
    double left = -reach, right = reach;
    for (int halving = 0; halving < 100; ++halving) {
      const double middle = (left + right) / 2;
      double sum = 0;
      for (size_t k = 0; k < movers_.size(); ++k) sum += clipped(k, middle);
      (sum > 0 ? right : left) = middle;
    }
    for (size_t k = 0; k < movers_.size(); ++k) change_[k] = clipped(k, (left + right) / 2);
  }

  const StoredMatrix<double>& K_;
  const DualProblem& problem_;
  const Box& box_;
  double shift_;  // what a constant in the kernel adds to the gradient
  Monitor& monitor_;
  int64_t steps_ = 0;

  std::vector<Mover> movers_;
  std::vector<int64_t> kept_, dropped_;  // places in movers_
  std::vector<double> factor_, change_;
  int64_t stride_ = 0;
};

}  // namespace svm
