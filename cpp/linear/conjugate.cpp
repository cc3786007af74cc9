// Newton's direction without a matrix: conjugate gradients on products with the active rows, scaled
// by the diagonal of H. For many features.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "linear/system.h"

namespace svm::linear {
namespace {

class Conjugate : public System {
 public:
  explicit Conjugate(RowPasses& rows) : rows_(rows), intercept_(rows.shape().intercept) {}

  bool update() override {
    const std::vector<double> before = squares_;
    if (!rows_.squares(squares_)) return false;
    // The same rows have a curvature as before: the model is the loss itself.
    settled_ = !rows_.shape().kinked && squares_ == before;
    return true;
  }

  bool solve(double factor, const std::vector<double>& gradient, std::vector<double>& direction,
             const Workers&) override {
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
    const double share = settled_ ? kSettledShare : kShare;
    for (int round = 0; round < kMostProducts && rho > share * share * size; ++round) {
      if (!multiply_by(factor, search, product)) return false;
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
  // Residuals are reduced to this share, in the norm of the scaling: further where the step leads to
  // the optimum itself.
  static constexpr double kShare = 0.03, kSettledShare = 1e-5;

  double penalty(size_t j) const {
    return j < static_cast<size_t>(rows_.shape().columns) ? 1 : intercept_.penalty;
  }
  // A free intercept without any active row has no curvature of its own.
  double idle_curvature(double factor) const {
    return 1e-4 * factor * static_cast<double>(rows_.shape().rows);
  }

  bool multiply_by(double factor, const std::vector<double>& v, std::vector<double>& out) {
    if (!rows_.product(v, product_)) return false;
    for (size_t j = 0; j < v.size(); ++j) out[j] = penalty(j) * v[j] + product_[j];
    const bool idle = v.size() == squares_.size() && squares_.back() == 0;
    if (idle && intercept_.penalty == 0) out.back() = idle_curvature(factor) * v.back();
    return true;
  }

  RowPasses& rows_;
  Intercept intercept_;
  bool settled_ = false;
  std::vector<double> squares_, product_;
};

}  // namespace

std::unique_ptr<System> product_system(RowPasses& rows) {
  return std::make_unique<Conjugate>(rows);
}

}  // namespace svm::linear
