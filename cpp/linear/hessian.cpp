// Newton's direction from the matrix H itself, for up to a few thousand features.
#include <cstdint>
#include <memory>
#include <vector>

#include "linear/cholesky.h"
#include "linear/system.h"
#include "rows/products.h"

namespace svm::linear {
namespace {

class Hessian : public System {
 public:
  explicit Hessian(RowPasses& rows)
      : rows_(rows),
        intercept_(rows.shape().intercept),
        d_(rows.shape().columns),
        order_(gram_order(d_, intercept_.present)) {}

  bool update() override {
    sum_ = rows_.gram();
    return sum_ != nullptr;
  }

  bool solve(double factor, const std::vector<double>& gradient, std::vector<double>& direction,
             const Workers& workers) override {
    matrix_.resize(order_ * order_);
    for (int64_t i = 0; i < order_; ++i) {
      for (int64_t j = i; j < order_; ++j) {
        matrix_[i * order_ + j] = factor * (*sum_)[i * order_ + j];
      }
      matrix_[i * order_ + i] += i < d_ ? 1 : (i > d_ || !intercept_.present ? 1 : 0);
    }
    direction.assign(order_, 0.0);
    for (size_t i = 0; i < gradient.size(); ++i) direction[i] = -gradient[i];
    const double g = intercept_.present ? direction[d_] : 0;
    double pivot = 0;
    if (intercept_.present) {
      pivot = eliminate_intercept(factor);
      for (int64_t i = 0; i < d_; ++i) direction[i] -= column_[i] * g / pivot;
      direction[d_] = 0;
    }
    if (!factorize(matrix_.data(), order_, order_, workers)) return false;
    solve_factored(matrix_.data(), order_, order_, direction.data());
    if (intercept_.present) {
      double sum = g;
      for (int64_t i = 0; i < d_; ++i) sum -= column_[i] * direction[i];
      direction[d_] = sum / pivot;
    }
    direction.resize(gradient.size());
    return true;
  }

 private:
  // Column d of the matrix goes to column_, its pivot is returned, and what remains is the Schur
  // complement, which is at least the identity. Without any active row a free intercept has no
  // curvature of its own: it gets that of a row in ten thousand.
  double eliminate_intercept(double factor) {
    double pivot = matrix_[d_ * order_ + d_] + intercept_.penalty;
    if (!(pivot > 0)) pivot = 1e-4 * factor * static_cast<double>(rows_.shape().rows);
    column_.resize(d_);
    for (int64_t i = 0; i < d_; ++i) {
      column_[i] = matrix_[i * order_ + d_];
      matrix_[i * order_ + d_] = 0;
    }
    for (int64_t i = 0; i < d_; ++i) {
      const double scaled = column_[i] / pivot;
      for (int64_t j = i; j < d_; ++j) matrix_[i * order_ + j] -= scaled * column_[j];
    }
    matrix_[d_ * order_ + d_] = 1;
    return pivot;
  }

  RowPasses& rows_;
  Intercept intercept_;
  int64_t d_, order_;
  const std::vector<double>* sum_ = nullptr;
  std::vector<double> matrix_, column_;
};

}  // namespace

std::unique_ptr<System> matrix_system(RowPasses& rows) { return std::make_unique<Hessian>(rows); }

}  // namespace svm::linear
