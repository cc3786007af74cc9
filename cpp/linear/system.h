// The second derivative of 1/2 |w|^2 + p/2 b^2 + sum_k h_k(x_k'w + b), and Newton's direction.
//
//   H = diag(1, .., 1, p) + factor * sum over rows of curvature_k (x_k, 1)(x_k, 1)'
#pragma once

#include <memory>
#include <vector>

#include "linear/row_passes.h"
#include "run/workers.h"

namespace svm::linear {

class System {
 public:
  virtual ~System() = default;
  // Takes over the curvatures of the rows. False when the monitor stopped it.
  virtual bool update() = 0;
  // Solves H direction = -gradient, exactly or to a small residual; both have the intercept last.
  virtual bool solve(double factor, const std::vector<double>& gradient,
                     std::vector<double>& direction, const Workers& workers) = 0;
};

// From the matrix H itself, for up to a few thousand features (hessian.cpp).
std::unique_ptr<System> matrix_system(RowPasses& rows);
// By conjugate gradients on products with the rows, for many features (conjugate.cpp).
std::unique_ptr<System> product_system(RowPasses& rows);

}  // namespace svm::linear
