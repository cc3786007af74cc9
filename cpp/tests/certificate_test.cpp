#include "dual/certificate.h"

#include <algorithm>
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

namespace {

// Three rows of the second class and one of the first.
struct Uneven {
  std::vector<double> lower{0, -1, -1, -1}, upper{1, 0, 0, 0}, target{1, -1, -1, -1};
  svm::DualProblem problem{target, svm::Box{lower, upper}};
};

}  // namespace

TEST(without_a_step_the_more_frequent_class_is_the_likelier_one) {
  const Uneven uneven;
  const std::vector<double> beta(4, 0.0), f{-1, 1, 1, 1};
  const auto certify = [&](svm::Level level) {
    return svm::certify(uneven.problem, beta.data(), f.data(), 0, false, level);
  };
  CHECK(certify(svm::Level::dual).intercept[0] == 0);
  CHECK(certify(svm::Level::best).intercept[0] == -0.5);
  CHECK(certify(svm::Level::best).primal < certify(svm::Level::dual).primal);
}

TEST(far_from_the_optimum_the_intercept_is_that_of_the_least_primal) {
  const Uneven uneven;
  const std::vector<double> beta{1, -1, 0, 0}, f{1.5, -0.5, 0.25, 2};
  double least = svm::kInfinity;
  const auto best = svm::certify(uneven.problem, beta.data(), f.data(), 0, false, svm::Level::best);
  for (double b = -4; b <= 4; b += 0.0625) {
    double primal = 0;
    for (size_t i = 0; i < 4; ++i) {
      primal += svm::loss_slope(-f[i] - b, uneven.lower[i], uneven.upper[i], 0, 0) * (-f[i] - b);
    }
    least = std::min(least, primal);
  }
  double found = 0;
  for (size_t i = 0; i < 4; ++i) {
    const double r = -f[i] - best.intercept[0];
    found += svm::loss_slope(r, uneven.lower[i], uneven.upper[i], 0, 0) * r;
  }
  CHECK(best.violation > 1);
  CHECK(found <= least + 1e-12, found);
}
