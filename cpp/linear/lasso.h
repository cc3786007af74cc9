// The quadratic model of an L1 problem: minimise 1/2 u'Gu - q'u + sum_j penalty_j |u_j|.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "linear/cholesky.h"
#include "run/workers.h"

namespace svm::linear {

// Coordinate descent finds the signs of u and, where G is nearly singular, hardly anything else:
// once a sweep leaves them as they were, the system of that face gives the values.
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
        residual_(u.size()) {}

  // Until no step of a sweep changes the model by more than `tol` of the largest so far.
  void run(double tol) {
    constexpr int kMostSweeps = 1000;
    constexpr int kBetweenFaces = 8;  // a factor costs about as much as these sweeps
    refresh();
    double largest = 0;
    for (int sweep = 0, last = 0; sweep < kMostSweeps && !workers_.monitor.stop(); ++sweep) {
      const double gain = descend();
      largest = std::max(largest, gain);
      if (gain <= tol * largest) return;
      if (same_signs_ && sweep >= last + kBetweenFaces) {
        if (!solve_face()) return;
        refresh();
        last = sweep;
      }
    }
  }

 private:
  // residual = q - Gu
  void refresh() {
    for (int64_t i = 0; i < n_; ++i) {
      double sum = linear_[i];
      for (int64_t j = 0; j < n_; ++j) sum -= gram_[i * n_ + j] * u_[j];
      residual_[i] = sum;
    }
  }

  // One sweep; returns the largest change of the model by a step.
  double descend() {
    double gain = 0;
    same_signs_ = true;
    for (int64_t i = 0; i < n_; ++i) {
      const double curve = gram_[i * n_ + i];
      if (!(curve > 0)) continue;
      const double v = residual_[i] + curve * u_[i];
      const double next = (v - std::clamp(v, -penalty_[i], penalty_[i])) / curve;
      const double delta = next - u_[i];
      if (delta == 0) continue;
      if (penalty_[i] > 0 && sign(next) != sign(u_[i])) same_signs_ = false;
      u_[i] = next;
      for (int64_t j = 0; j < n_; ++j) residual_[j] -= delta * gram_[i * n_ + j];
      gain = std::max(gain, curve * delta * delta);
    }
    return gain;
  }

  // Goes to the minimum among points of these signs, G_FF v = q_F - penalty_F sign(u_F) on the
  // nonzero F, or as far towards it as no sign changes. False when the monitor stopped it.
  bool solve_face() {
    std::vector<int64_t> face;
    for (int64_t i = 0; i < n_; ++i) {
      if ((u_[i] != 0 || penalty_[i] == 0) && gram_[i * n_ + i] > 0) face.push_back(i);
    }
    const int64_t m = static_cast<int64_t>(face.size());
    const int64_t stride = (m + simd::kOuterTile - 1) / simd::kOuterTile * simd::kOuterTile;
    std::vector<double> factor(stride * stride), v(stride);
    for (int64_t i = 0; i < stride; ++i) factor[i * stride + i] = 1;
    for (int64_t i = 0; i < m; ++i) {
      v[i] = linear_[face[i]] - penalty_[face[i]] * sign(u_[face[i]]);
      for (int64_t j = i; j < m; ++j) factor[i * stride + j] = gram_[face[i] * n_ + face[j]];
    }
    if (!factorize(factor.data(), stride, stride, workers_)) return false;
    solve_factored(factor.data(), stride, stride, v.data());
    double step = 1;
    for (int64_t i = 0; i < m; ++i) {
      if (crosses(face[i], v[i])) step = std::min(step, u_[face[i]] / (u_[face[i]] - v[i]));
    }
    for (int64_t i = 0; i < m; ++i) {
      double& u = u_[face[i]];
      const bool ends = crosses(face[i], v[i]) && u / (u - v[i]) <= step;
      u = ends ? 0 : u + step * (v[i] - u);
    }
    return true;
  }

  bool crosses(int64_t i, double next) const { return penalty_[i] > 0 && next * u_[i] <= 0; }

  static double sign(double value) { return (value > 0) - (value < 0); }

  std::span<const double> gram_, linear_, penalty_;
  std::span<double> u_;
  const Workers& workers_;
  int64_t n_;
  std::vector<double> residual_;
  bool same_signs_ = false;
};

}  // namespace svm::linear
