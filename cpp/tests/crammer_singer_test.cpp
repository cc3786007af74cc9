#include "linear/crammer_singer.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "linear/certificate.h"
#include "linear/class_weights.h"
#include "linear/simplex.h"
#include "rows/products.h"
#include "tests/check.h"
#include "tests/problem.h"

namespace {

namespace cs = svm::linear::crammer_singer;
using svm::Settings;
using svm::Status;
using svm::linear::Intercept;

// Overlapping clouds, one for each class.
struct Machine {
  int64_t n, d, classes;
  std::vector<double> x, C;
  std::vector<int64_t> label, index;
  svm::DensePoints<double> points;
  svm::DenseProducts<double> products;
  cs::Problem problem;

  Machine(int64_t n, int64_t d, int64_t classes, double C, Intercept intercept = {})
      : n(n),
        d(d),
        classes(classes),
        x(n * d),
        C(n, C),
        label(n),
        index(n),
        points(svm::DenseRows<double>{x.data(), n, d}),
        products(svm::DenseRows<double>{x.data(), n, d}),
        problem{points, {products, index}, label, this->C, classes, intercept} {
    test::Random random(3);
    std::vector<double> centre(classes * d);
    for (double& v : centre) v = 2 * random.normal();
    for (int64_t i = 0; i < n; ++i) {
      index[i] = i;
      label[i] = i % classes;
      for (int64_t j = 0; j < d; ++j) x[i * d + j] = random.normal() + centre[label[i] * d + j];
    }
  }
  Machine(const Machine&) = delete;

  void check_feasible(const std::vector<double>& share) const {
    for (int64_t i = 0; i < n; ++i) {
      double sum = 0;
      for (int64_t c = 0; c < classes; ++c) {
        CHECK(share[i * classes + c] >= 0, i, c);
        sum += share[i * classes + c];
      }
      CHECK(std::abs(sum - C[i]) <= 1e-14 * C[i], i, sum);
    }
    if (!problem.free_intercept()) return;
    for (const double sum : cs::sums(problem, cs::exact_beta(problem, share))) {
      CHECK(std::abs(sum) <= 1e-13 * static_cast<double>(n) * C[0], sum);
    }
  }
};

const Intercept kIntercepts[] = {{}, {true, 0.5}, {false, 0.0}};

}  // namespace

TEST(the_nearest_point_of_a_simplex) {
  test::Random random(1);
  std::vector<int32_t> places(12);
  for (int trial = 0; trial < 2000; ++trial) {
    const int64_t n = 1 + trial % 12;
    const double C = std::exp(4 * random.normal());
    std::vector<double> u(n), point;
    for (double& v : u) v = random.normal() * (trial % 3 == 0 ? 1e6 : 1);
    if (trial % 5 == 0) u[n - 1] = u[0];
    point = u;
    const int64_t count = svm::linear::project_simplex(point.data(), n, C, places.data());
    CHECK(std::abs(svm::linear::total(point) - C) <= 1e-9 * std::max(C, std::abs(u[0]) * 1e-6));
    CHECK(count == std::count_if(point.begin(), point.end(), [](double v) { return v > 0; }));
    // Where it is positive the distance is the same, elsewhere it is not less.
    const double tau = u[places[0]] - point[places[0]];
    for (int64_t m = 0; m < n; ++m) {
      CHECK(point[m] >= 0 && point[m] <= C);
      if (point[m] > 0) CHECK(std::abs(u[m] - point[m] - tau) <= 1e-9 * (1 + std::abs(tau)));
      if (point[m] == 0) CHECK(u[m] <= tau + 1e-9 * (1 + std::abs(tau)));
    }
  }
}

TEST(weights_side_by_side_are_those_of_each_class) {
  for (const int64_t classes : {3, 5, 12, 13, 20, 105}) {
    Machine machine(50, 7, classes, 1.0);
    const auto weights = svm::linear::ClassWeights::make(machine.points, classes);
    std::vector<double> w(classes * 7), back, scores(50 * classes);
    test::Random random(2);
    for (double& v : w) v = random.normal();
    weights->set(w);
    weights->get(back);
    CHECK(back == w);
    weights->scores(machine.index, scores.data());
    for (const size_t few : {size_t(1), size_t(2), size_t(3), static_cast<size_t>(classes)}) {
      std::vector<int32_t> list(few);
      std::iota(list.begin(), list.end(), static_cast<int32_t>(classes - few));
      std::vector<double> out(few), by(few, 0.5);
      weights->scores(4, list, out.data());
      for (size_t q = 0; q < few; ++q) {
        CHECK(std::abs(out[q] - scores[4 * classes + list[q]]) < 1e-12, classes, few);
      }
      weights->move(4, list, by.data());
      weights->get(back);
      for (int64_t c = 0; c < classes; ++c) {
        const bool moved = c >= classes - static_cast<int64_t>(few);
        for (int64_t j = 0; j < 7; ++j) {
          const double expected = w[c * 7 + j] + (moved ? 0.5 * machine.x[4 * 7 + j] : 0);
          CHECK(std::abs(back[c * 7 + j] - expected) < 1e-12, classes, few, c);
        }
      }
      weights->set(w);
    }
  }
}

TEST(all_classes_at_once_are_certified) {
  for (const Intercept intercept : kIntercepts) {
    for (const double C : {0.01, 1.0, 1000.0}) {
      Machine machine(300, 5, 6, C, intercept);
      svm::Monitor monitor;
      const auto found = cs::solve(machine.problem, {.tol_gap = 1e-6, .threads = 2}, monitor);
      CHECK(found.status == Status::optimal, C);
      CHECK(found.certificate.gap >= 0 && found.certificate.gap <= 1e-6, C);
      machine.check_feasible(found.share);
      const auto again = cs::certify(machine.problem, found.primal, found.share, {1, monitor});
      CHECK(again.gap == found.certificate.gap && again.primal == found.certificate.primal);
    }
  }
}

TEST(newton_steps_by_products_end_where_those_by_the_matrix_do) {
  for (const Intercept intercept : kIntercepts) {
    // The order of the matrix is above the limit for many features.
    Machine machine(200, 600, 3, 0.001, intercept);
    svm::Monitor monitor;
    svm::Trace trace(monitor);
    cs::Solution begun;
    begun.primal = {std::vector<double>(3 * 600), std::vector<double>(3)};
    begun.share = cs::first_share(machine.problem);
    begun.certificate = cs::certify(machine.problem, begun.primal, begun.share, {1, monitor});
    const Settings settings{.tol_gap = 1e-5};
    CHECK(cs::newton(machine.problem, settings, monitor, trace, begun) == Status::optimal);
    CHECK(begun.newton_steps > 0);
    const auto found = cs::solve(machine.problem, settings, monitor);
    CHECK(std::abs(found.certificate.primal - begun.certificate.primal) <=
          3e-5 * found.certificate.primal);
  }
}

TEST(shares_are_balanced_inside_their_simplex) {
  Machine machine(90, 2, 3, 2.0);
  test::Random random(5);
  std::vector<int32_t> places(3);
  std::vector<double> share(90 * 3);
  for (const double spread : {0.1, 1.0, 10.0}) {
    for (int64_t i = 0; i < 90; ++i) {
      for (int64_t c = 0; c < 3; ++c) share[3 * i + c] = spread * random.normal();
      svm::linear::project_simplex(share.data() + 3 * i, 3, 2.0, places.data());
    }
    cs::balance(machine.problem, share);
    machine.check_feasible(share);
  }
  // Nothing to share: all of C is one class's.
  std::fill(share.begin(), share.end(), 0.0);
  for (int64_t i = 0; i < 90; ++i) share[3 * i] = 2;
  cs::balance(machine.problem, share);
  machine.check_feasible(share);
}

TEST(a_stopped_fit_of_all_classes_is_feasible_and_certified) {
  for (const int polls : {0, 1, 3}) {
    Machine machine(20000, 20, 8, 1.0);
    int left = polls;
    svm::Monitor monitor([&](const svm::TraceRow&) { return left-- == 0; });
    const auto found = cs::solve(machine.problem, {.tol_gap = 1e-12, .threads = 2}, monitor);
    if (found.status == Status::optimal) continue;
    CHECK(found.status == Status::stopped);
    machine.check_feasible(found.share);
    CHECK(found.certificate.primal >= found.certificate.dual);
  }
}
