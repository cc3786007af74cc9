#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "linear/certificate.h"
#include "linear/cholesky.h"
#include "linear/local_rows.h"
#include "linear/solve.h"
#include "linear/subsample.h"
#include "linear/system.h"
#include "rows/largest.h"
#include "simd/rows.h"
#include "tests/check.h"
#include "tests/problem.h"

namespace {

using svm::Settings;
using svm::Status;
using svm::linear::Directions;

template <class X>
std::vector<X> normals(int64_t n, uint64_t seed) {
  test::Random random(seed);
  std::vector<X> values(n);
  for (X& v : values) v = static_cast<X>(random.normal());
  return values;
}

template <class F>
void for_each_table(F f) {
  const svm::simd::RowTable* tables[3];
  const int count = svm::simd::available(tables);
  for (int k = 0; k < count; ++k) f(*tables[k]);
}

// Rows of every length, so that every tail is met.
template <class X>
void check_row_loops() {
  for_each_table([](const svm::simd::RowTable& table) {
    for (int64_t d = 1; d < 40; ++d) {
      const auto x = normals<X>(4 * d, d);
      const auto w = normals<double>(d, 100 + d), weight = normals<double>(4, 7);
      const X* rows[4] = {x.data(), x.data() + d, x.data() + 2 * d, x.data() + 3 * d};
      double dots[4];
      std::vector<double> sum(d, 1.0), scaled(d), moved(d, 1.0);
      table.loops<X>().dots(rows, w.data(), d, dots);
      table.loops<X>().add(rows, weight.data(), d, sum.data());
      table.loops<X>().scale(rows[1], 3.0, d, scaled.data());
      table.loops<X>().axpy(rows[1], 3.0, d, moved.data());
      for (int r = 0; r < 4; ++r) {
        double exact = 0;
        for (int64_t j = 0; j < d; ++j) exact += static_cast<double>(rows[r][j]) * w[j];
        CHECK(std::abs(dots[r] - exact) < 1e-12, d);
        CHECK(std::abs(table.loops<X>().dot(rows[r], w.data(), d) - exact) < 1e-12, d);
      }
      for (int64_t j = 0; j < d; ++j) {
        double exact = 1;
        for (int r = 0; r < 4; ++r) exact += weight[r] * static_cast<double>(rows[r][j]);
        CHECK(std::abs(sum[j] - exact) < 1e-12, d);
        CHECK(scaled[j] == 3.0 * static_cast<double>(rows[1][j]), d);
        CHECK(std::abs(moved[j] - 1 - 3.0 * static_cast<double>(rows[1][j])) < 1e-12, d);
      }
    }
  });
}

// A problem on two clouds with the hinge loss.
struct Hinge {
  test::Clouds clouds;
  svm::DenseProducts<double> rows;
  svm::linear::Tube tube;
  svm::linear::Problem problem;

  Hinge(int64_t n, int64_t d, double C, svm::linear::Intercept intercept = {})
      : clouds(n, d, C),
        rows(svm::DenseRows<double>{clouds.x.data(), n, d}),
        tube(clouds.y, clouds.lower, clouds.upper, {}, 0),
        problem{{rows, clouds.index}, tube, intercept, 1} {}
};

}  // namespace

TEST(row_loops_sum_in_float64) {
  check_row_loops<float>();
  check_row_loops<double>();
}

// The largest size wherever it stands, and a number that is none wherever it stands.
template <class X>
void check_largest() {
  for (int64_t n = 0; n < 80; ++n) {
    auto values = normals<X>(n, n);
    double most = 0;
    for (const X x : values) most = std::max(most, std::abs(static_cast<double>(x)));
    CHECK(svm::largest_size(values.data(), n) == most, n);
    for (const X odd : {std::numeric_limits<X>::infinity(), -std::numeric_limits<X>::infinity(),
                        std::numeric_limits<X>::quiet_NaN()}) {
      if (n == 0) break;
      auto spoilt = values;
      spoilt[n / 3] = odd;
      CHECK(std::isnan(svm::largest_size(spoilt.data(), n)), n);
    }
  }
}

TEST(largest_sizes) {
  check_largest<float>();
  check_largest<double>();
}

TEST(outer_tiles_add_and_take_away) {
  constexpr int kSide = svm::simd::kOuterTile;
  for_each_table([](const svm::simd::RowTable& table) {
    const int64_t depth = 13;
    const auto left = normals<double>(depth * kSide, 1), right = normals<double>(depth * kSide, 2);
    std::vector<double> out(kSide * kSide, 0.5);
    table.outer(left.data(), kSide, right.data(), kSide, depth, -2.0, out.data(), kSide);
    for (int i = 0; i < kSide; ++i) {
      for (int j = 0; j < kSide; ++j) {
        double exact = 0;
        for (int64_t k = 0; k < depth; ++k) exact += left[k * kSide + i] * right[k * kSide + j];
        CHECK(std::abs(out[i * kSide + j] - (0.5 - 2 * exact)) < 1e-12);
      }
    }
  });
}

TEST(losses_are_the_same_in_every_table) {
  const int64_t n = 37;
  const auto s = normals<double>(n, 1), delta = normals<double>(n, 2),
             centre = normals<double>(n, 3);
  std::vector<double> y(n), lower(n), upper(n), C(n, 0.7);
  for (int64_t k = 0; k < n; ++k) {
    y[k] = k % 2 == 0 ? 1 : -1;
    lower[k] = std::min(0.0, y[k]);
    upper[k] = std::max(0.0, y[k]);
  }
  const svm::simd::TubeRows rows{y.data(), lower.data(), upper.data(), centre.data(),
                                 nullptr,  0.4,          0.1};
  for_each_table([&](const svm::simd::RowTable& table) {
    std::vector<double> b(n), curvature(n);
    double terms[3], sums[2];
    table.tube_slopes(rows, n, s.data(), b.data(), curvature.data(), terms);
    const std::vector<double> zero(n);
    double first = 0, second = 0, logistic = 0;
    for (int64_t k = 0; k < n; ++k) {
      const auto at = [&](double score) {
        const double r = y[k] - score + centre[k] / 0.4;
        const double e = r > 0.1 ? r - 0.1 : (r < -0.1 ? r + 0.1 : 0);
        return std::clamp(0.4 * e, lower[k], upper[k]);
      };
      CHECK(std::abs(b[k] - at(s[k])) < 1e-14, k);
      CHECK((curvature[k] == 1) == (b[k] != 0 && b[k] > lower[k] && b[k] < upper[k]), k);
      const double moved = at(s[k] + 0.3 * delta[k]);
      first += moved * delta[k];
      if (moved != 0 && moved > lower[k] && moved < upper[k]) second += 0.4 * delta[k] * delta[k];
      logistic += y[k] * C[k] / (1 + std::exp(y[k] * (s[k] + 0.3 * delta[k]))) * delta[k];
    }
    table.tube_along(rows, n, s.data(), zero.data(), delta.data(), 0.3, sums);
    CHECK(std::abs(sums[0] - first) < 1e-13 && std::abs(sums[1] - second) < 1e-13);
    table.logistic_along(y.data(), C.data(), n, s.data(), zero.data(), delta.data(), 0.3, sums);
    CHECK(std::abs(sums[0] - logistic) < 1e-13);
  });
}

TEST(terms_of_any_b_are_the_same_in_every_table) {
  const int64_t n = 37;
  const auto s = normals<double>(n, 1), shares = normals<double>(n, 2);
  std::vector<double> y(n), lower(n), upper(n), b(n), ridge(n, 0.25), errors(n);
  for (int64_t k = 0; k < n; ++k) {
    y[k] = k % 2 == 0 ? 1 : -1;
    lower[k] = std::min(0.0, y[k]);
    upper[k] = std::max(0.0, y[k]);
    b[k] = std::clamp(shares[k], lower[k], upper[k]);
    errors[k] = 1e-3 * static_cast<double>(k % 4);
  }
  for (const bool kinked : {true, false}) {
    const svm::simd::TubeRows rows{
        y.data(), lower.data(), upper.data(), nullptr, kinked ? nullptr : ridge.data(), 1, 0.1};
    double loss = 0, dual = 0;
    for (int64_t k = 0; k < n; ++k) {
      const double r = y[k] - s[k], e = r > 0.1 ? r - 0.1 : (r < -0.1 ? r + 0.1 : 0);
      const double q = kinked ? 0 : ridge[k];
      const double slope = kinked ? (e > 0 ? upper[k] : lower[k]) : e / q;
      const double own = std::clamp(slope, lower[k], upper[k]);
      loss += e * own - q * own * own / 2;
      dual += y[k] * b[k] - 0.1 * std::abs(b[k]) - q * b[k] * b[k] / 2;
    }
    double cross = 0;  // the difference is loss - dual + s'b
    for (int64_t k = 0; k < n; ++k) cross += s[k] * b[k];
    for_each_table([&](const svm::simd::RowTable& table) {
      double terms[4];
      table.tube_compare(rows, n, s.data(), b.data(), terms);
      CHECK(std::abs(terms[0] - loss) < 1e-12 && std::abs(terms[1] - dual) < 1e-12);
      CHECK(std::abs(terms[2] - (loss - dual + cross)) < 1e-12);
      CHECK(terms[3] > 0 && terms[3] < 1e-13);
      double one_by_one = 0;
      for (int64_t k = 0; k < n; ++k) {
        const svm::simd::TubeRows row{
            &y[k], &lower[k], &upper[k], nullptr, kinked ? nullptr : &ridge[k], 1, 0.1};
        one_by_one += table.tube_rounding(row, 1, &s[k], &b[k], &errors[k]);
      }
      const double all = table.tube_rounding(rows, n, s.data(), b.data(), errors.data());
      CHECK(all > 0 && std::abs(all - one_by_one) < 1e-12 * all);
    });
  }
}

TEST(rounding_of_scores_is_bounded) {
  const int64_t n = 400;
  const auto s = normals<double>(n, 1), shares = normals<double>(n, 2), e = normals<double>(n, 3);
  const std::vector<double> y(n, 1), C(n, 0.7), zero(n), endless(n, svm::kInfinity), ridge(n, 0.5);
  const svm::linear::Tube hinge(y, zero, C, {}, 0), tube(y, zero, C, {}, 0.3),
      squares(y, zero, endless, ridge, 0.3);
  const svm::linear::Logistic logistic(y, C);
  std::vector<double> beta(n), at(n), errors(n);
  for (int64_t k = 0; k < n; ++k) beta[k] = k % 5 == 0 ? 0.7 : 0.7 * std::abs(std::sin(shares[k]));
  for (const svm::linear::Loss* loss :
       std::initializer_list<const svm::linear::Loss*>{&hinge, &tube, &squares, &logistic}) {
    for (int64_t k = 0; k < n; ++k) {
      const auto difference = [&](double score) {
        at[k] = score;
        return loss->compare(k, k + 1, at.data(), beta.data()).difference;
      };
      const double error = k % 3 == 0 ? 1e-12 : std::abs(e[k]);
      errors[k] = error;
      const double bound = loss->rounding(k, k + 1, s.data(), beta.data(), errors.data());
      for (const double way : {-error, error}) {
        const double moved = std::abs(difference(s[k] + way) - difference(s[k]));
        CHECK(moved <= bound + 1e-14, k, moved, bound);
      }
    }
  }
  // At its own beta a loss is flat, but where its slope jumps.
  const auto flat = [&](double score) {
    const double own = 0.7, error = 1e-12;
    return hinge.rounding(0, 1, &score, &own, &error);
  };
  CHECK(flat(0.5) == 0 && flat(1) > 6e-13);
}

TEST(the_middle_of_a_jump) {
  const std::vector<double> target{1, -1, 0.5}, lower{0, -2, -3}, upper{2, 0, 3};
  const svm::linear::Tube hinge({target.data(), 2}, {lower.data(), 2}, {upper.data(), 2}, {}, 0.0);
  CHECK(hinge.middle(0, 5.0) == 1 && hinge.middle(1, 5.0) == -1);
  const svm::linear::Tube tube(target, lower, upper, {}, 0.1);
  CHECK(tube.middle(2, 0.0) == 1.5 && tube.middle(2, 1.0) == -1.5);
}

TEST(cholesky_solves) {
  svm::Monitor monitor;
  for (const int64_t n : {16, 64, 80, 208}) {
    const auto x = normals<double>(n * n, n);
    std::vector<double> a(n * n), right(n), solution(n);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        for (int64_t k = 0; k < n; ++k) a[i * n + j] += x[k * n + i] * x[k * n + j];
      }
      a[i * n + i] += 1;
      solution[i] = std::sin(static_cast<double>(i));
    }
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) right[i] += a[i * n + j] * solution[j];
    }
    CHECK(svm::linear::factorize(a.data(), n, n, {2, monitor}));
    svm::linear::solve_factored(a.data(), n, n, right.data());
    for (int64_t i = 0; i < n; ++i) CHECK(std::abs(right[i] - solution[i]) < 1e-9, n, i);
  }
}

TEST(directions_by_matrix_and_by_products_agree) {
  svm::Monitor monitor;
  const svm::Workers workers{2, monitor};
  for (const int64_t d : {3, 70, 150}) {
    Hinge machine(400, d, 1.0);
    svm::linear::LocalRows rows(machine.problem, 2, monitor);
    const auto matrix = svm::linear::matrix_system(rows);
    const auto products = svm::linear::product_system(rows);
    std::vector<double> w = normals<double>(d, 3), one, other;
    const auto gradient = normals<double>(d + 1, 5);
    svm::linear::Terms terms;
    svm::linear::DualSums dual;
    // The second set of active rows differs from the first in a few rows, the third in most.
    for (const double factor : {0.1, 1.01, -1.0}) {
      for (double& x : w) x *= factor;
      rows.smooth(0.5);
      CHECK(rows.score(w, 0.1) && rows.slopes(terms, dual));
      CHECK(matrix->update() && products->update());
      CHECK(matrix->solve(0.5, gradient, one, workers));
      CHECK(products->solve(0.5, gradient, other, workers));
      double size = 0, difference = 0;
      for (int64_t j = 0; j <= d; ++j) {
        size += one[j] * one[j];
        difference += (one[j] - other[j]) * (one[j] - other[j]);
      }
      CHECK(difference < 0.05 * size, d, factor, difference, size);
    }
  }
}

TEST(linear_methods_reach_the_same_certified_optimum) {
  svm::Monitor monitor;
  const Settings settings{.tol_gap = 1e-6, .threads = 2};
  for (const svm::linear::Intercept intercept :
       {svm::linear::Intercept{}, svm::linear::Intercept{true, 1.0},
        svm::linear::Intercept{false, 0.0}}) {
    Hinge machine(500, 6, 0.5, intercept);
    const auto matrix = svm::linear::newton(machine.problem, Directions::matrix, settings, monitor);
    const auto products =
        svm::linear::newton(machine.problem, Directions::products, settings, monitor);
    const auto descent = svm::linear::descend(machine.problem, settings, monitor);
    for (const auto* found : {&matrix, &products, &descent}) {
      CHECK(found->status == Status::optimal);
      CHECK(found->certificate.gap <= 1e-6);
      CHECK(std::abs(found->certificate.primal - matrix.certificate.primal) <
            1e-5 * matrix.certificate.primal);
    }
  }
}

TEST(a_stopped_linear_fit_is_feasible_and_certified) {
  for (const int polls : {0, 1, 3}) {
    Hinge machine(60000, 40, 1.0);
    int left = polls;
    svm::Monitor monitor([&](const svm::TraceRow&) { return left-- == 0; });
    const Settings settings{.tol_gap = 1e-12, .threads = 2};
    const auto found = svm::linear::newton(machine.problem, Directions::matrix, settings, monitor);
    if (found.status == Status::optimal) continue;
    CHECK(found.status == Status::stopped);
    double sum = 0, size = 1e-300;
    for (size_t k = 0; k < found.beta.size(); ++k) {
      CHECK(found.beta[k] >= machine.clouds.lower[k] && found.beta[k] <= machine.clouds.upper[k]);
      sum += found.beta[k];
      size += std::abs(found.beta[k]);
    }
    CHECK(std::abs(sum) <= 1e-12 * size);
    CHECK(found.certificate.primal >= found.certificate.dual);
  }
}

TEST(balancing_keeps_to_the_box) {
  Hinge machine(50, 2, 1.0);
  std::vector<double> b(50);
  for (int64_t k = 0; k < 50; ++k) b[k] = machine.clouds.y[k] > 0 ? 0.9 : 0.0;
  svm::linear::balance(machine.problem, b);
  CHECK(std::abs(svm::linear::total(b)) < 1e-12);
  for (int64_t k = 0; k < 50; ++k) {
    CHECK(b[k] >= machine.clouds.lower[k] && b[k] <= machine.clouds.upper[k]);
  }
}

TEST(a_subsample_has_a_row_of_every_few) {
  const Hinge hinge(103, 3, 2.0);
  const svm::linear::Subsample subsample(hinge.problem, 8);
  const auto& part = subsample.problem();
  CHECK(part.sample.size() == 12 && part.loss.size() == 12);
  for (int64_t k = 0; k < 12; ++k) {
    const int64_t row = part.sample.index[k];
    CHECK(row >= 8 * k && row < 8 * (k + 1), k);
    CHECK(part.loss.lowest(k) == 8 * hinge.tube.lowest(row), k);
    CHECK(part.loss.highest(k) == 8 * hinge.tube.highest(row), k);
  }
}

TEST(the_logistic_loss_of_a_share_of_the_rows) {
  const std::vector<double> y{1, -1, 1}, C{1, 2, 3};
  const svm::linear::Logistic whole(y, C);
  const std::vector<int64_t> which{2, 1};
  const auto part = whole.part(which, 4.0);
  CHECK(part->size() == 2);
  CHECK(part->highest(0) == 12 && part->lowest(1) == -8);
}
