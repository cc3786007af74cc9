#include "dual/certificate.h"

#include <limits>
#include <vector>

#include "tests/check.h"

TEST(a_gradient_that_is_not_finite_is_noticed_even_where_a_variable_is_zero) {
  const std::vector<double> lower(3, 0.0), upper(3, 1.0), target(3, 0.0), b(3, 0.0);
  const svm::DualProblem problem{target, svm::Box{lower, upper}};
  std::vector<double> f(3, 0.5);
  CHECK(svm::certify(problem, b.data(), f.data(), 0).violation == 0);
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), svm::kInfinity}) {
    f[1] = bad;
    CHECK(svm::certify(problem, b.data(), f.data(), 0).violation == svm::kInfinity, bad);
  }
}
