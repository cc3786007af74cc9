#include "dual/pair_steps.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "tests/check.h"
#include "tests/problem.h"

namespace {

// The matrix of two clouds in memory, and the point where all variables are zero.
struct Small {
  explicit Small(double C) : data(150, 4, C), K(data.n), beta(data.n, 0.0), f(data.n) {
    svm::Monitor nobody;
    const auto gram = svm::make_gram(data.points, data.index, data.gaussian());
    gram->block(data.index, K.data(), {1, nobody});
    for (int64_t i = 0; i < data.n; ++i) f[i] = -data.y[i];
  }

  double violation() const {
    std::vector<double> gradient(data.n);
    for (int64_t i = 0; i < data.n; ++i) {
      gradient[i] = std::inner_product(beta.begin(), beta.end(), K.row(i), -data.y[i]);
    }
    return svm::extremes(data.problem().box, beta.data(), gradient.data()).violation();
  }

  test::Clouds data;
  svm::StoredMatrix<double> K;
  std::vector<double> beta, f;
};

// How many steps of (e_i - e_j) alone are needed, pairs chosen in the same way.
int64_t plain_steps(Small& small, double tol) {
  const svm::Box box = small.data.problem().box;
  for (int64_t steps = 0;; ++steps) {
    const auto curvature = [&](int64_t i, int64_t j) {
      return small.K.row(i)[i] + small.K.row(j)[j] - 2 * small.K.row(i)[j];
    };
    int64_t i = -1, j = -1;
    double low = INFINITY, worst = 0, best = 0;
    for (int64_t k = 0; k < box.size(); ++k) {
      const double up = small.f[k] + box.up_offset(k, small.beta[k]);
      if (up < low) low = up, i = k;
    }
    for (int64_t k = 0; k < box.size(); ++k) {
      const double v = small.f[k] + box.down_offset(k, small.beta[k]) - low;
      worst = std::max(worst, v);
      if (v > 0 && v * v / curvature(i, k) > best) best = v * v / curvature(i, k), j = k;
    }
    if (worst <= tol) return steps;
    const double step = std::min({(small.f[j] - small.f[i]) / curvature(i, j),
                                  box.upper[i] - small.beta[i], small.beta[j] - box.lower[j]});
    small.beta[i] += step, small.beta[j] -= step;
    for (int64_t k = 0; k < box.size(); ++k) {
      small.f[k] += step * (small.K.row(i)[k] - small.K.row(j)[k]);
    }
  }
}

}  // namespace

TEST(conjugate_steps_are_fewer_than_plain_ones) {
  for (const double C : {10.0, 1000.0}) {
    const double tol = 1e-3;
    Small small(C), plain(C);
    svm::Monitor nobody;
    svm::Budget budget{.monitor = nobody};
    const svm::Box box = small.data.problem().box;
    double last = INFINITY;
    // Eight steps per variable at a time, each from an exact gradient.
    while (small.violation() > 2 * tol && small.violation() < last) {
      last = small.violation();
      svm::take_pair_steps(small.K, box, small.beta.data(), small.f.data(), tol, budget);
      for (int64_t i = 0; i < small.data.n; ++i) {
        small.f[i] = std::inner_product(small.beta.begin(), small.beta.end(), small.K.row(i),
                                        -small.data.y[i]);
      }
    }
    CHECK(small.violation() <= 2 * tol, C, small.violation());
    for (int64_t i = 0; i < small.data.n; ++i) {
      CHECK(small.beta[i] >= box.lower[i] && small.beta[i] <= box.upper[i], i);
    }
    CHECK(std::abs(std::accumulate(small.beta.begin(), small.beta.end(), 0.0)) < 1e-12 * C * 150);
    CHECK(4 * budget.steps < 3 * plain_steps(plain, tol), C, budget.steps);
  }
}

TEST(a_direction_takes_up_sixteen_variables) {
  svm::Direction direction(0, 1);
  direction = direction.turn(2, 0, 0.5);
  // (e_2 - e_0) + 0.5 (e_0 - e_1)
  const double expected[] = {-0.5, -0.5, 1};
  CHECK(direction.parts().size() == 3);
  for (const auto& [variable, change] : direction.parts()) CHECK(change == expected[variable]);
  for (int64_t i = 3; i < 15; i += 2) {
    CHECK(direction.open(), i);
    direction = direction.turn(i, i + 1, 0.5);
  }
  CHECK(direction.parts().size() == 15 && !direction.open() && !svm::Direction().open());
}
