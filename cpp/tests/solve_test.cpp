#include "dual/solve.h"

#include <cmath>
#include <tuple>
#include <vector>

#include "dual/interior.h"
#include "dual/newton.h"
#include "kernel/expansion.h"
#include "tests/check.h"
#include "tests/problem.h"

namespace {

svm::Solution run(const test::Clouds& data, const svm::DualProblem& problem,
                  svm::Settings settings = {.tol_violation = 1e-3},
                  const svm::Kernel* kernel = nullptr) {
  svm::Monitor monitor;
  const auto gram =
      svm::make_gram(data.points, data.index, kernel != nullptr ? *kernel : data.gaussian());
  return svm::solve(*gram, problem, settings, {}, monitor);
}

// Violation and feasibility from the definition, by a dense matrix.
void check_optimal(const test::Clouds& data, const svm::DualProblem& problem,
                   const svm::Solution& solution, const svm::Kernel& kernel, double tolerance) {
  const auto gram = svm::make_gram(data.points, data.index, kernel);
  std::vector<double> K(data.n * data.n), f(data.n);
  svm::Monitor monitor;
  gram->block(data.index, K.data(), {1, monitor});
  double sum = 0;
  for (int64_t i = 0; i < data.n; ++i) {
    f[i] = kernel.offset() * problem.sum() - problem.target[i];
    for (int64_t j = 0; j < data.n; ++j) f[i] += K[i * data.n + j] * solution.beta[j];
    sum += solution.beta[i];
    CHECK(solution.beta[i] >= problem.box.lower[i] && solution.beta[i] <= problem.box.upper[i]);
  }
  CHECK(std::abs(sum - problem.total[0]) < 1e-12 * (1 + svm::norm1(solution.beta)));
  CHECK(svm::extremes(problem.box, solution.beta.data(), f.data()).violation() <= tolerance);
}

}  // namespace

TEST(small_problems_are_solved_to_rounding) {
  for (const double C : {0.01, 1.0, 100.0, 1e6}) {
    const test::Clouds data(300, 3, C);
    const svm::Solution s = run(data, data.problem());
    CHECK(s.status == svm::Status::optimal, C);
    CHECK(s.certificate.gap < 1e-8, C, s.certificate.gap);
    check_optimal(data, data.problem(), s, data.gaussian(), 1e-9 * std::max(1.0, C));
  }
}

TEST(large_problems_are_solved_to_tolerance) {
  const test::Clouds data(2600, 3, 10);
  const svm::Solution s = run(data, data.problem());
  CHECK(s.status == svm::Status::optimal);
  check_optimal(data, data.problem(), s, data.gaussian(), 1e-3);
}

TEST(a_tolerance_below_float32_is_reached_in_float64) {
  const test::Clouds data(1500, 3, 10);
  const svm::Solution s =
      run(data, data.problem(), {.tol_violation = 1e-7, .cache_bytes = 1 << 28, .threads = 2});
  CHECK(s.status == svm::Status::optimal, s.certificate.violation, s.certificate.bound);
  check_optimal(data, data.problem(), s, data.gaussian(), 1e-7);
}

TEST(bits_do_not_depend_on_threads_or_cache) {
  const test::Clouds data(2600, 4, 5);
  const svm::Solution one =
      run(data, data.problem(), {.tol_violation = 1e-3, .cache_bytes = 1 << 28, .threads = 1});
  for (const int64_t cache : {int64_t(1), int64_t(1) << 24}) {
    const svm::Solution other =
        run(data, data.problem(), {.tol_violation = 1e-3, .cache_bytes = cache, .threads = 3});
    CHECK(one.beta == other.beta);
    CHECK(one.certificate.intercept == other.certificate.intercept);
    CHECK(one.certificate.gap == other.certificate.gap);
  }
}

TEST(absolute_values_in_the_objective_make_exact_zeros) {
  test::Clouds data(400, 2, 1.0);
  for (int64_t i = 0; i < data.n; ++i) data.lower[i] = -3, data.upper[i] = 3;
  const svm::DualProblem problem = data.problem(0.4);
  const svm::Solution s = run(data, problem);
  CHECK(s.status == svm::Status::optimal);
  check_optimal(data, problem, s, data.gaussian(), 1e-9);
  CHECK(s.certificate.support < data.n);
}

TEST(the_sum_of_the_variables_is_what_was_asked_for) {
  test::Clouds data(300, 2, 1.0);
  for (int64_t i = 0; i < data.n; ++i) data.lower[i] = 0, data.upper[i] = 1, data.y[i] = 0;
  const svm::DualProblem problem = data.problem(0, 30);
  check_optimal(data, problem, run(data, problem), data.gaussian(), 1e-9);
}

TEST(duplicates_and_low_rank_are_no_obstacle) {
  test::Clouds data(200, 3, 50);
  for (int64_t i = 100; i < 200; ++i) {
    for (int64_t k = 0; k < 3; ++k) data.x[i * 3 + k] = data.x[(i - 100) * 3 + k];
  }
  for (int64_t i = 150; i < 200; ++i) {  // some of them with the other label
    data.y[i] = -data.y[i - 100];
    data.lower[i] = std::min(0.0, 50 * data.y[i]);
    data.upper[i] = std::max(0.0, 50 * data.y[i]);
  }
  const svm::Kernel linear{svm::KernelKind::linear, 1, 0, 3};
  for (const svm::Kernel& kernel : {linear, data.gaussian()}) {
    const svm::Solution s = run(data, data.problem(), {.tol_violation = 1e-3}, &kernel);
    CHECK(s.status == svm::Status::optimal);
    check_optimal(data, data.problem(), s, kernel, 1e-8);
  }
}

// (1 + gamma u v)^2 is the same for u = -v where 1 is below the last digit of gamma u v, and so is the
// ridge: along that pair there is no end, but no negative curvature either.
TEST(rows_that_float64_does_not_tell_apart_are_no_negative_curvature) {
  const std::vector<double> x{-1e28, 0, -1e28, 1e28, 0, -1e28}, y{-1, 1, -1, 1, 1, -1};
  const std::vector<double> lower{-svm::kInfinity, 0, -svm::kInfinity, 0, 0, -svm::kInfinity};
  const std::vector<double> upper{0, svm::kInfinity, 0, svm::kInfinity, svm::kInfinity, 0};
  const std::vector<double> ridge(x.size(), 0.5);
  const svm::DensePoints<double> points(svm::DenseRows<double>{x.data(), std::ssize(x), 1});
  const svm::Kernel kernel{svm::KernelKind::polynomial, 1e-3, 1, 2};
  svm::Monitor monitor;
  const std::vector<int64_t> rows = svm::all_rows(std::ssize(x));
  const auto gram = svm::make_gram(points, rows, kernel);
  const svm::Solution found = svm::solve(*gram, {y, {lower, upper, 0, {}}, {}, ridge},
                                         {.tol_violation = 1e-3}, {}, monitor);
  CHECK(found.status == svm::Status::precision && found.certificate.convex, int(found.status));
  CHECK(std::isfinite(found.certificate.primal) && found.certificate.gap <= 1,
        found.certificate.primal);
}

TEST(a_step_limit_ends_a_fit_with_its_certificate) {
  for (const int64_t n : {400, 2600}) {
    const test::Clouds data(n, 3, 1e4);
    const svm::Solution s = run(data, data.problem(), {.tol_violation = 1e-3, .max_steps = 50});
    CHECK(s.status == svm::Status::max_iterations, n);
    CHECK(s.steps == 50 && s.certificate.violation > 1e-3);
    check_optimal(data, data.problem(), s, data.gaussian(), s.certificate.violation + 1e-9);
  }
}

TEST(a_stopped_fit_keeps_a_certified_point) {
  const test::Clouds data(3000, 5, 1e4);
  int asked = 0;
  svm::Monitor monitor([&](const svm::TraceRow&) { return ++asked == 3; });
  const auto gram = svm::make_gram(data.points, data.index, data.gaussian());
  const svm::Solution s =
      svm::solve(*gram, data.problem(),
                 {.tol_violation = 1e-9, .cache_bytes = 1 << 28, .threads = 2}, {}, monitor);
  CHECK(s.status == svm::Status::stopped);
  check_optimal(data, data.problem(), s, data.gaussian(),
                s.certificate.violation + s.certificate.bound);
}

TEST(a_start_is_continued_from) {
  const test::Clouds data(500, 3, 10);
  const svm::Solution cold = run(data, data.problem());
  svm::Monitor monitor;
  const auto gram = svm::make_gram(data.points, data.index, data.gaussian());
  const svm::Solution warm =
      svm::solve(*gram, data.problem(), {.tol_violation = 1e-3}, cold.beta, monitor);
  CHECK(warm.steps <= 1);
  CHECK(std::abs(warm.certificate.dual - cold.certificate.dual) < 1e-9);
}

TEST(certificates_of_any_point_bound_the_optimum) {
  const test::Clouds data(300, 3, 2);
  const svm::Solution s = run(data, data.problem());
  svm::Monitor monitor;
  const auto gram = svm::make_gram(data.points, data.index, data.gaussian());
  std::vector<double> half(s.beta);
  for (double& b : half) b *= 0.5;
  const svm::Certificate c = svm::certify(*gram, data.problem(), half, 1, monitor);
  CHECK(c.dual < s.certificate.dual && c.primal > s.certificate.primal);
  CHECK(c.gap > 0 && c.violation > 0.1);
}

// Of low rank, and positive semidefinite only together with its offset.
TEST(an_interior_point_solves_every_kernel) {
  svm::Monitor monitor;
  const svm::Workers alone{1, monitor};
  for (const auto& [epsilon, C, gaussian] : {std::tuple(0.0, 1.0, false),
                                             {0.0, 1e6, false},
                                             {0.1, 1.0, false},
                                             {0.1, 1e6, false},
                                             {0.0, 1e3, true},
                                             {0.1, 1e3, true}}) {
    const test::Clouds data(400, 3, C);
    const svm::Kernel kernel = gaussian ? data.gaussian() : svm::Kernel{svm::KernelKind::linear};
    std::vector<double> lower(data.n, -C), upper(data.n, C), constant, f(data.n);
    for (const double y : data.y) constant.push_back(-y);
    const svm::Box box =
        epsilon > 0 ? svm::Box{lower, upper, epsilon} : svm::Box{data.lower, data.upper};
    svm::StoredMatrix<double> K(data.n);
    svm::make_gram(data.points, data.index, kernel)->block(data.index, K.data(), alone);
    const std::vector<double> zero(data.n, 0.0);
    auto found = svm::interior_point(K, kernel.offset(), box, constant, zero, alone);
    CHECK(found.has_value(), epsilon, C);
    std::vector<double>& b = *found;
    CHECK(std::abs(std::accumulate(b.begin(), b.end(), 0.0)) < 1e-9 * svm::norm1(b), C);
    for (int64_t i = 0; i < data.n; ++i) CHECK(b[i] >= box.lower[i] && b[i] <= box.upper[i]);
    svm::Newton newton(K, box, constant, {}, alone);
    newton.gradient(b.data(), f.data());
    newton.run(b.data(), f.data(), 1e-10 * C);
    const double violation = svm::extremes(box, b.data(), f.data()).violation();
    CHECK(violation <= 1e-9 * C, epsilon, C, violation);
  }
}
