// Newton's direction without a matrix: conjugate gradients on products with the active rows, scaled
// by the diagonal of H. For many features.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "linear/passes.h"
#include "linear/system.h"

namespace svm::linear {
namespace {

class Conjugate : public System {
 public:
  Conjugate(const Sample& sample, Intercept intercept) : sample_(sample), intercept_(intercept) {}

  bool update(const std::vector<double>& curvature, bool, const Workers& workers) override {
    rows_.clear();
    weights_.clear();
    for (int64_t k = 0; k < sample_.size(); ++k) {
      if (curvature[k] == 0) continue;
      rows_.push_back(sample_.index[k]);
      weights_.push_back(curvature[k]);
    }
    threads_ = paying_threads({sample_.rows, rows_}, workers.threads);
    return squares(workers);
  }

  bool solve(double factor, const std::vector<double>& gradient, std::vector<double>& direction,
             const Workers& workers) override {
    constexpr int kMostProducts = 300;
    const size_t m = gradient.size();
    std::vector<double> residual(m), scaled(m), search(m), product(m), diagonal(m);
    for (size_t j = 0; j < m; ++j) diagonal[j] = penalty(j) + factor * squares_[j];
    if (m > squares_.size() - 1 && !(diagonal[m - 1] > 0)) {
      diagonal[m - 1] = idle_curvature(factor);
    }
    direction.assign(m, 0.0);
    double size = 0, rho = 0;
    for (size_t j = 0; j < m; ++j) {
      residual[j] = -gradient[j];
      search[j] = scaled[j] = residual[j] / diagonal[j];
      rho += residual[j] * scaled[j];
    }
    size = rho;
    for (int round = 0; round < kMostProducts && rho > kShare * kShare * size; ++round) {
      if (!multiply_by(factor, search, product, workers)) return false;
      double curve = 0;
      for (size_t j = 0; j < m; ++j) curve += search[j] * product[j];
      if (!(curve > 0)) break;
      const double step = rho / curve;
      double next = 0;
      for (size_t j = 0; j < m; ++j) {
        direction[j] += step * search[j];
        residual[j] -= step * product[j];
        scaled[j] = residual[j] / diagonal[j];
        next += residual[j] * scaled[j];
      }
      for (size_t j = 0; j < m; ++j) search[j] = scaled[j] + next / rho * search[j];
      rho = next;
    }
    return true;
  }

 private:
  // Residuals are reduced to this share, in the norm of the scaling.
  static constexpr double kShare = 0.03;

  double penalty(size_t j) const {
    return j < static_cast<size_t>(sample_.columns()) ? 1 : intercept_.penalty;
  }
  // A free intercept without any active row has no curvature of its own.
  double idle_curvature(double factor) const {
    return 1e-4 * factor * static_cast<double>(sample_.size());
  }

  bool squares(const Workers& workers) {
    squares_.assign(sample_.columns() + 1, 0.0);
    for (size_t k = 0; k < rows_.size(); ++k) {
      sample_.rows.add_squares(rows_[k], weights_[k], squares_.data());
      squares_.back() += weights_[k];
    }
    return !workers.monitor.stopped();
  }

  bool multiply_by(double factor, const std::vector<double>& v, std::vector<double>& out,
                   const Workers& workers) {
    const Sample active{sample_.rows, rows_};
    const Workers few{threads_, workers.monitor};
    const size_t d = static_cast<size_t>(sample_.columns());
    const double b = v.size() > d ? v[d] : 0;
    scores_.resize(rows_.size());
    if (!multiply(active, v.data(), b, scores_.data(), few)) return false;
    double sum = 0;
    for (size_t k = 0; k < rows_.size(); ++k) {
      scores_[k] *= factor * weights_[k];
      sum += scores_[k];
    }
    if (!combine(active, scores_.data(), combined_, few)) return false;
    for (size_t j = 0; j < d; ++j) out[j] = v[j] + combined_[j];
    if (v.size() > d) {
      out[d] = intercept_.penalty * b + sum;
      if (rows_.empty() && intercept_.penalty == 0) out[d] = idle_curvature(factor) * b;
    }
    return true;
  }

  const Sample& sample_;
  Intercept intercept_;
  int threads_ = 1;
  std::vector<int64_t> rows_;
  std::vector<double> weights_, squares_, scores_, combined_;
};

}  // namespace

std::unique_ptr<System> product_system(const Sample& sample, Intercept intercept) {
  return std::make_unique<Conjugate>(sample, intercept);
}

}  // namespace svm::linear
