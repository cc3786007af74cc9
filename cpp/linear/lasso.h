// The quadratic model of an L1 problem: minimise 1/2 u'Gu - q'u + sum_j penalty_j |u_j|.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/settings.h"
#include "linear/cholesky.h"
#include "run/workers.h"
#include "simd/rows.h"

namespace svm::linear {

// Coordinate descent finds the signs of u and, where G is nearly singular, hardly anything else. So
// every few sweeps the system of the nonzero u, with their signs, gives a direction, and u goes as
// far along it as the model falls, past changes of sign.
class Lasso {
 public:
  // G is symmetric, of order u.size(), row-major. Works on u in place.
  Lasso(std::span<const double> gram, std::span<const double> linear,
        std::span<const double> penalty, std::span<double> u, const Workers& workers)
      : gram_(gram),
        linear_(linear),
        penalty_(penalty),
        u_(u),
        workers_(workers),
        n_(static_cast<int64_t>(u.size())),
        inverse_(u.size()),
        residual_(u.size()) {
    for (int64_t i = 0; i < n_; ++i) inverse_[i] = 1 / gram_[i * n_ + i];
  }

  // Until no step of a sweep changes the model by more than `tol` of the largest so far, or by more
  // than rounding does.
  void run(double tol) {
    constexpr int kMostSweeps = 1000;
    // A factor of this order costs about as much as so many sweeps.
    const int64_t between = 4 + n_ / 24;
    refresh();
    const double least = rounding();
    double largest = 0;
    for (int sweep = 1; sweep <= kMostSweeps && !workers_.monitor.stop(); ++sweep) {
      const double gain = descend();
      largest = std::max(largest, gain);
      if (gain <= std::max(tol * largest, least)) return;
      if (sweep % between == 0) {
        if (!follow_face()) return;
        refresh();
      }
    }
  }

 private:
  // What a step changes that only follows the last digits of a residual.
  double rounding() const {
    constexpr double kDigits = 1e-15;
    double most = 0;
    for (int64_t i = 0; i < n_; ++i) {
      const double noise = kDigits * (std::abs(linear_[i]) + penalty_[i]),
                   curve = gram_[i * n_ + i];
      if (curve > 0) most = std::max(most, noise * noise / curve);
    }
    return most;
  }

  // residual = q - Gu
  void refresh() {
    for (int64_t i = 0; i < n_; ++i) {
      residual_[i] = linear_[i] - loops_.dot(gram_.data() + i * n_, u_.data(), n_);
    }
  }

  // One sweep; returns the largest change of the model by a step.
  double descend() {
    double gain = 0;
    for (int64_t i = 0; i < n_; ++i) {
      const double curve = gram_[i * n_ + i];
      if (!(curve > 0)) continue;
      const double v = residual_[i] + curve * u_[i];
      const double next = (v - std::clamp(v, -penalty_[i], penalty_[i])) * inverse_[i];
      const double delta = next - u_[i];
      if (delta == 0) continue;
      u_[i] = next;
      loops_.axpy(gram_.data() + i * n_, -delta, n_, residual_.data());
      gain = std::max(gain, curve * delta * delta);
    }
    return gain;
  }

  // Towards the minimum among points of these signs, G_FF v = q_F - penalty_F sign(u_F) on the
  // nonzero F, as far as the model falls. False when the monitor stopped it.
  bool follow_face() {
    std::vector<int64_t> face;
    for (int64_t i = 0; i < n_; ++i) {
      if ((u_[i] != 0 || penalty_[i] == 0) && gram_[i * n_ + i] > 0) face.push_back(i);
    }
    const int64_t m = static_cast<int64_t>(face.size());
    const int64_t stride = (m + simd::kOuterTile - 1) / simd::kOuterTile * simd::kOuterTile;
    std::vector<double> factor(stride * stride), way(stride);
    for (int64_t i = 0; i < stride; ++i) factor[i * stride + i] = 1;
    for (int64_t i = 0; i < m; ++i) {
      way[i] = downhill(face[i]);
      for (int64_t j = i; j < m; ++j) factor[i * stride + j] = gram_[face[i] * n_ + face[j]];
    }
    if (!factorize(factor.data(), stride, stride, workers_)) return false;
    solve_factored(factor.data(), stride, stride, way.data());
    const double step = fall(face, way);
    for (int64_t i = 0; i < m; ++i) {
      double& u = u_[face[i]];
      u = crossing(face[i], way[i]) == step ? 0 : u + step * way[i];
    }
    return true;
  }

  // How far the model falls along a way of the nonzero u: its derivative there,
  //   slope + t curve + sum of 2 penalty_i |way_i| over signs that have changed before t,
  // grows, and jumps where signs change.
  double fall(const std::vector<int64_t>& face, const std::vector<double>& way) const {
    struct Change {
      double step, jump;
    };
    std::vector<Change> changes;
    double curve = 0;
    for (size_t i = 0; i < face.size(); ++i) {
      curve += downhill(face[i]) * way[i];
      const double step = crossing(face[i], way[i]);
      if (step < 1) changes.push_back({step, 2 * penalty_[face[i]] * std::abs(way[i])});
    }
    // The way leads to the minimum but for the signs: there slope + curve = 0.
    std::sort(changes.begin(), changes.end(),
              [](const Change& a, const Change& b) { return a.step < b.step; });
    double slope = -curve;
    for (const Change& change : changes) {
      if (slope + change.step * curve >= 0) break;
      slope += change.jump;
      if (slope + change.step * curve >= 0) return change.step;
    }
    return curve > 0 ? std::clamp(-slope / curve, 0.0, 1.0) : 0;
  }

  // Minus the derivative of the model where u_i has its sign.
  double downhill(int64_t i) const { return residual_[i] - penalty_[i] * sign(u_[i]); }

  // Where u_i is zero on its way; never if it moves away from it.
  double crossing(int64_t i, double way) const {
    return penalty_[i] > 0 && way * u_[i] < 0 ? -u_[i] / way : kInfinity;
  }

  static double sign(double value) { return (value > 0) - (value < 0); }

  std::span<const double> gram_, linear_, penalty_;
  std::span<double> u_;
  const Workers& workers_;
  int64_t n_;
  const simd::RowLoops<double>& loops_ = simd::row_table().loops<double>();
  std::vector<double> inverse_, residual_;
};

}  // namespace svm::linear
