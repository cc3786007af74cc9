// The core through C, natively: plain SMO and the engine end in the same optimum, grids and
// decisions agree, and errors come back as messages.
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "lab/lab.h"
#include "tests/check.h"

namespace {

constexpr int32_t kRows = 24;

// Two classes that overlap, and the dual of their soft margin.
struct Classes {
  std::vector<double> x, target, lower, upper;
  double total = 0;

  explicit Classes(double C) {
    for (int32_t i = 0; i < kRows; ++i) {
      const double y = i % 2 == 0 ? 1 : -1;
      x.push_back(std::sin(7.0 * i) + 0.6 * y);
      x.push_back(std::cos(5.0 * i) - 0.3 * y);
      target.push_back(y);
      lower.push_back(std::min(0.0, C * y));
      upper.push_back(std::max(0.0, C * y));
    }
  }
};

// kind, gamma, coef0, degree
constexpr std::array<double, 4> kGaussian = {2, 0.7, 0, 3}, kPolynomial = {1, 0.5, 1, 3},
                                kSigmoid = {3, 0.1, 0, 3};

struct Fit {
  std::vector<double> beta = std::vector<double>(kRows), gradient = std::vector<double>(kRows);
  std::array<double, LAB_NUMBERS> numbers = {};

  Fit(const Classes& data, const double* kernel) {
    std::vector<double> trace(64 * LAB_TRACE_COLUMNS);
    CHECK(lab_solve(data.x.data(), kRows, 2, kernel, kRows, data.target.data(), data.lower.data(),
                    data.upper.data(), 0, nullptr, &data.total, nullptr, 1e-10, -1, nullptr,
                    beta.data(), gradient.data(), numbers.data(), trace.data(), 64) == 0);
  }
};

}  // namespace

TEST(lab_plain_smo_ends_in_the_engines_optimum) {
  const Classes data(2);
  const Fit fit(data, kGaussian.data());
  for (const int32_t second_order : {0, 1}) {
    constexpr int32_t kMost = 5000;
    std::vector<double> steps((kMost + 1) * LAB_PAIR_COLUMNS), states((kMost + 1) * 3 * kRows);
    int32_t count = 0;
    double left = 0;
    CHECK(lab_pair_steps(data.x.data(), kRows, 2, kGaussian.data(), kRows, data.target.data(),
                         data.lower.data(), data.upper.data(), 0, nullptr, &data.total, nullptr,
                         second_order, 1e-8, kMost, nullptr, steps.data(), states.data(), &count,
                         &left) == 0);
    CHECK(count > 0 && count < kMost && left <= 1e-8);
    const double dual = steps[count * LAB_PAIR_COLUMNS + LAB_PAIR_DUAL];
    CHECK(std::abs(dual - fit.numbers[LAB_DUAL]) < 1e-7);
  }
}

TEST(lab_grids_are_decisions) {
  const Classes data(2);
  for (const auto& kernel : {kGaussian, kPolynomial, kSigmoid}) {
    const Fit fit(data, kernel.data());
    std::vector<float> grid(6);
    CHECK(lab_grid(data.x.data(), fit.beta.data(), kRows, kernel.data(), 0.5, -1, 1, 3, 0, 2, 2,
                   grid.data()) == 0);
    const std::vector<double> points = {-1, 0, 0, 0, 1, 0, -1, 2, 0, 2, 1, 2};
    std::vector<double> values(6);
    CHECK(lab_decision(data.x.data(), fit.beta.data(), kRows, 2, kernel.data(), 0.5, points.data(),
                       6, values.data()) == 0);
    for (size_t k = 0; k < values.size(); ++k) CHECK(std::abs(grid[k] - values[k]) < 1e-5);
  }
}

TEST(lab_linear_methods_meet) {
  const Classes data(0.5);
  std::array<double, 2> w = {}, other = {};
  std::vector<double> beta(kRows);
  std::array<double, LAB_NUMBERS> newton = {}, descent = {};
  for (const bool by_newton : {true, false}) {
    CHECK(lab_linear(data.x.data(), kRows, 2, data.target.data(), data.lower.data(),
                     data.upper.data(), nullptr, 0, 1, 0, by_newton, 1e-10, -1,
                     (by_newton ? w : other).data(), beta.data(),
                     (by_newton ? newton : descent).data()) == 0);
  }
  CHECK(std::abs(newton[LAB_DUAL] - descent[LAB_DUAL]) < 1e-8);
  CHECK(std::abs(w[0] - other[0]) < 1e-5 && std::abs(w[1] - other[1]) < 1e-5);
}

TEST(lab_says_what_is_wrong) {
  const std::array<double, 4> none = {99, 1, 0, 3};
  const std::array<double, 2> x = {0, 1};
  double out[4];
  CHECK(lab_gram(x.data(), 2, 1, none.data(), out) == 1);
  CHECK(std::string(lab_message()).find("no kernel") != std::string::npos);
}
