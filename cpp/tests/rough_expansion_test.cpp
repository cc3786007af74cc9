#include "kernel/rough_expansion.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "tests/check.h"
#include "tests/kernels.h"
#include "tests/problem.h"

namespace {

svm::Monitor nobody;
const svm::Workers kAlone{1, nobody};

// Rows of which a share is not zero, the last ones near-duplicates of the first.
struct Cloud {
  int64_t n, d;
  std::vector<double> dense, values;
  std::vector<int32_t> places, starts{0};

  Cloud(int64_t n, int64_t d, double scale, double share, uint64_t seed, double shift = 0)
      : n(n), d(d), dense(n * d, 0.0) {
    test::Random random(seed);
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t k = 0; k < d; ++k) {
        double& x = dense[i * d + k];
        x = random.uniform() > share ? 0 : scale * (random.normal() + shift);
        if (i >= n / 2) x = dense[(i - n / 2) * d + k] * (1 + 1e-6 * static_cast<double>(k % 5));
        if (x == 0) continue;
        values.push_back(x);
        places.push_back(static_cast<int32_t>(k));
      }
      starts.push_back(static_cast<int32_t>(values.size()));
    }
  }
  svm::DensePoints<double> dense_points() const {
    return svm::DensePoints<double>({dense.data(), n, d});
  }
  svm::CsrPoints<double, int32_t> sparse_points() const {
    return svm::CsrPoints<double, int32_t>({values.data(), places.data(), starts.data(), n, d});
  }
};

// The sums of both precisions differ by no more than the bound. Returns the largest bound.
double check_bound(const svm::Points& centres, const svm::Points& points, double gamma,
                   int64_t outputs) {
  const svm::Kernel kernel{svm::KernelKind::gaussian, gamma};
  CHECK(svm::RoughExpansion::offers(kernel));
  test::Random random(4);
  std::vector<double> weights(centres.rows() * outputs), sizes(outputs, 0.0);
  for (size_t k = 0; k < weights.size(); ++k) {
    weights[k] = 100 * random.normal();
    if (outputs == 1 && k < svm::kCentreChunk) weights[k] = std::abs(weights[k]);
    sizes[k % outputs] += std::abs(weights[k]);
  }
  const int64_t n = points.rows();
  std::vector<double> exact(n * outputs), sums(exact), again(exact), errors(n), errors_again(n);
  const svm::RoughExpansion rough(kernel, centres, weights, outputs, kAlone);
  CHECK(svm::Expansion(kernel, centres, weights, outputs, kAlone)
            .evaluate(points, exact.data(), kAlone));
  CHECK(rough.evaluate(points, sums.data(), errors.data(), kAlone));
  svm::Monitor watched;
  CHECK(rough.evaluate(points, again.data(), errors_again.data(), {3, watched}));
  CHECK(errors == errors_again, "threads");
  double largest = 0;
  for (int64_t i = 0; i < n; ++i) {
    largest = std::max(largest, errors[i]);
    if (std::isinf(errors[i])) continue;
    for (int64_t p = 0; p < outputs; ++p) {
      const int64_t at = i * outputs + p;
      CHECK(sums[at] == again[at], "threads", at);
      CHECK(std::abs(sums[at] - exact[at]) <= errors[i] * sizes[p], gamma, outputs, i);
    }
  }
  return largest;
}

}  // namespace

TEST(rough_sums_are_within_their_bound_of_exact_ones) {
  struct Case {
    int64_t n, d;
    double share, shift;
  };
  // Short rows, long ones, sparse ones, and all far from the origin; more than one chunk.
  for (const Case& c : {Case{1100, 7, 1, 0},
                        {600, 40, 0.8, 0},
                        {300, 150, 0.5, 0},
                        {700, 60, 0.1, 0},
                        {300, 12, 1, 30},
                        {300, 200, 0.3, 5}}) {
    const Cloud centres(c.n, c.d, 1, c.share, 1, c.shift),
        points(101, c.d, 1.5, c.share, 2, c.shift);
    const auto dense = centres.dense_points();
    const auto sparse = centres.sparse_points();
    const auto rows = points.dense_points();
    const auto stored = points.sparse_points();
    for (const double gamma : {1e-8, 1e-3, 0.1, 1.0, 50.0}) {
      for (const int64_t outputs : {1, 5}) {
        check_bound(dense, rows, gamma / c.d, outputs);
        check_bound(dense, stored, gamma / c.d, outputs);
        check_bound(sparse, stored, gamma / c.d, outputs);
        check_bound(sparse, rows, gamma / c.d, outputs);
      }
    }
  }
}

// Near rows are summed from differences, of rows with few entries over all columns.
TEST(rough_sums_of_near_rows_are_within_their_bound) {
  for (const int64_t d : {5, 130, 3000}) {
    const Cloud cloud(80, d, 1, 30.0 / static_cast<double>(d + 30), 1);
    const auto dense = cloud.dense_points();
    const auto sparse = cloud.sparse_points();
    const svm::Points* both[] = {&dense, &sparse};
    for (const svm::Points* centres : both) {
      for (const svm::Points* points : both) check_bound(*centres, *points, 1e5, 1);
      for (const svm::Points* points : both) check_bound(*centres, *points, 0.1, 1);
    }
  }
}

TEST(a_bound_of_rough_sums_is_a_few_roundings) {
  const Cloud centres(500, 10, 1, 1, 1), points(60, 10, 1, 1, 2);
  CHECK(check_bound(centres.dense_points(), points.dense_points(), 0.1, 1) < 40 * 0x1p-24);
  // Few centres are near: the bound is that of the constant that is left out.
  CHECK(check_bound(centres.dense_points(), points.dense_points(), 10, 1) < 4 * 0x1p-24);
}

TEST(rough_sums_outside_of_float32_have_no_bound) {
  const Cloud ordinary(60, 5, 1, 1, 1), large(60, 5, 1e19, 1, 2), huge(60, 5, 1e160, 1, 3);
  const auto points = ordinary.dense_points();
  for (const double gamma : {1e-50, 1e60}) {
    CHECK(std::isinf(check_bound(points, points, gamma, 1)), gamma);
  }
  CHECK(std::isinf(check_bound(points, large.dense_points(), 1e-38, 1)));
  CHECK(std::isinf(check_bound(huge.dense_points(), points, 1e-38, 2)));
  const Cloud tiny(60, 5, 1e-25, 1, 4);
  check_bound(tiny.dense_points(), tiny.dense_points(), 1e38, 1);
}

TEST(only_gaussians_of_whole_rows_have_rough_sums) {
  int64_t offered = 0;
  for (const svm::Kernel& kernel : test::kernels(0.2)) {
    offered += svm::RoughExpansion::offers(kernel);
  }
  CHECK(offered == 1);
}

TEST(rough_sums_without_centres_are_zero) {
  const svm::DensePoints<double> none({nullptr, 0, 3});
  const Cloud cloud(30, 3, 1, 1, 1);
  const auto points = cloud.dense_points();
  std::vector<double> sums(30, 1.0), errors(30, -1.0);
  const svm::RoughExpansion rough({svm::KernelKind::gaussian, 1.0}, none, {}, 1, kAlone);
  CHECK(rough.evaluate(points, sums.data(), errors.data(), kAlone));
  CHECK(std::all_of(sums.begin(), sums.end(), [](double sum) { return sum == 0; }));
}
