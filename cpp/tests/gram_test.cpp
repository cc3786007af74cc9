#include "svm/gram.h"

#include <cmath>
#include <vector>

#include "svm/quadratic.h"
#include "tests/check.h"
#include "tests/problem.h"

namespace {

double reference(const svm::Kernel& k, const double* a, const double* b, int64_t d) {
  double dot = 0, distance = 0;
  for (int64_t j = 0; j < d; ++j) dot += a[j] * b[j], distance += (a[j] - b[j]) * (a[j] - b[j]);
  switch (k.kind) {
    case svm::KernelKind::linear:
      return dot;
    case svm::KernelKind::polynomial:
      return std::pow(k.gamma * dot + k.coef0, k.degree);
    case svm::KernelKind::sigmoid:
      return std::tanh(k.gamma * dot + k.coef0);
    default:
      return std::expm1(-k.gamma * distance);
  }
}

svm::Monitor nobody;
const svm::Workers kAlone{1, nobody};

const svm::Kernel kKernels[] = {
    {svm::KernelKind::linear, 1, 0, 3},
    {svm::KernelKind::polynomial, 0.3, 1, 5},
    {svm::KernelKind::gaussian, 0.2, 0, 3},
    {svm::KernelKind::sigmoid, 0.1, -0.2, 3},
};

// The same rows with most entries zero, dense and compressed.
struct SparsePair {
  int64_t n = 61, d = 40;
  std::vector<double> dense, values;
  std::vector<int32_t> places;
  std::vector<int32_t> starts{0};
  std::vector<int64_t> index;

  SparsePair() : dense(n * d, 0.0) {
    test::Random random(9);
    for (int64_t i = 0; i < n; ++i) {
      index.push_back(i);
      for (int64_t k = 0; k < d; ++k) {
        if (random.uniform() > 0.2) continue;
        dense[i * d + k] = random.normal();
        values.push_back(dense[i * d + k]);
        places.push_back(static_cast<int32_t>(k));
      }
      starts.push_back(static_cast<int32_t>(values.size()));
    }
  }
};

}  // namespace

TEST(blocks_and_rows_hold_the_kernel) {
  const test::Clouds data(83, 7, 1.0);
  for (const svm::Kernel& kernel : kKernels) {
    const svm::DataGram gram(data.points, data.index, kernel);
    const auto source = gram.exact(kAlone);
    std::vector<double> block(data.n * data.n);
    source->block(data.index, block.data(), kAlone);
    std::vector<double> rows(svm::simd::kTileRows * svm::kBlockColumns);
    const int64_t which[] = {3, 80};
    source->rows(which, 0, data.n, rows.data(), svm::kBlockColumns);
    for (int64_t i = 0; i < data.n; ++i) {
      for (int64_t j = 0; j < data.n; ++j) {
        const double exact = reference(kernel, &data.x[i * 7], &data.x[j * 7], 7);
        CHECK(std::abs(block[i * data.n + j] - exact) < 1e-12 * (1 + std::abs(exact)));
        CHECK(block[i * data.n + j] == block[j * data.n + i], "not symmetric");
      }
      CHECK(rows[i] == block[3 * data.n + i] &&
            rows[svm::kBlockColumns + i] == block[80 * data.n + i]);
    }
  }
}

TEST(sparse_rows_give_the_same_values_as_dense_ones) {
  const SparsePair data;
  const svm::DensePoints<double> dense({data.dense.data(), data.n, data.d});
  const svm::CsrPoints<double, int32_t> sparse(
      {data.values.data(), data.places.data(), data.starts.data(), data.n, data.d});
  for (const svm::Kernel& kernel : kKernels) {
    std::vector<double> a(data.n * data.n), b(a.size());
    svm::DataGram(dense, data.index, kernel).block(data.index, a.data(), kAlone);
    svm::DataGram(sparse, data.index, kernel).block(data.index, b.data(), kAlone);
    for (size_t k = 0; k < a.size(); ++k) CHECK(std::abs(a[k] - b[k]) < 1e-12, k);
    // Dense rows against sparse centres.
    std::vector<double> weights(data.n, 0.5), left(data.n), right(data.n);
    svm::expand({kernel, sparse, data.index, weights, 1}, dense, data.index, left.data(), kAlone);
    svm::expand({kernel, dense, data.index, weights, 1}, sparse, data.index, right.data(), kAlone);
    for (int64_t i = 0; i < data.n; ++i) CHECK(std::abs(left[i] - right[i]) < 1e-11);
  }
}

TEST(errors_of_entries_stay_within_their_bound) {
  const test::Clouds data(50, 7, 1.0);
  for (const svm::Kernel& kernel : kKernels) {
    const svm::DataGram gram(data.points, data.index, kernel);
    std::vector<float> block(data.n * data.n);
    gram.single(kAlone)->block(data.index, block.data(), kAlone);
    for (int64_t i = 0; i < data.n; ++i) {
      for (int64_t j = 0; j < data.n; ++j) {
        const double exact = reference(kernel, &data.x[i * 7], &data.x[j * 7], 7);
        CHECK(std::abs(block[i * data.n + j] - exact) <= gram.single_error());
        CHECK(std::abs(exact) <= gram.largest_entry() * (1 + 1e-12));
      }
    }
  }
}

TEST(cached_rows_add_up_like_fresh_ones) {
  const test::Clouds data(2500, 3, 1.0);
  const svm::DataGram gram(data.points, data.index, data.gaussian());
  const auto source = gram.single(kAlone);
  const svm::Workers two{2, nobody};
  const svm::DualProblem problem = data.problem();
  svm::CachedKernel<float> tiny(*source, problem, 1, kAlone), large(*source, problem, 1 << 28, two);
  std::vector<int64_t> which;
  std::vector<double> step;
  for (int64_t i = 0; i < 40; ++i) which.push_back(i * 61), step.push_back(0.1 * i - 2);
  std::vector<double> f(data.n, 1.0), g(data.n, 1.0);
  for (int repeat = 0; repeat < 2; ++repeat) {
    tiny.accumulate(which, step, f.data());
    large.accumulate(which, step, g.data());
  }
  for (int64_t i = 0; i < data.n; ++i) CHECK(f[i] == g[i], i);
  CHECK(large.rows_computed() == 40 && tiny.rows_computed() == 80);
}
