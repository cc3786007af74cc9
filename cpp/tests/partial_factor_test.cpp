#include "kernel/partial_factor.h"

#include <cmath>
#include <vector>

#include "tests/check.h"
#include "tests/problem.h"

namespace {

svm::Monitor nobody;

std::vector<double> matrix(const svm::Gram& gram, int64_t n) {
  std::vector<int64_t> all(n);
  for (int64_t i = 0; i < n; ++i) all[i] = i;
  std::vector<double> K(n * n);
  gram.block(all, K.data(), {1, nobody});
  for (double& value : K) value += gram.offset();
  return K;
}

std::vector<double> diagonal(const std::vector<double>& K, int64_t n) {
  std::vector<double> values(n);
  for (int64_t i = 0; i < n; ++i) values[i] = K[i * n + i];
  return values;
}

}  // namespace

TEST(a_partial_factor_leaves_what_it_says) {
  constexpr int64_t n = 1300;  // more than a block of columns
  const test::Clouds clouds(n, 3, 1.0);
  const auto gram = svm::make_gram(clouds.points, clouds.index, clouds.gaussian());
  const std::vector<double> K = matrix(*gram, n), own = diagonal(K, n);
  const auto found = svm::partial_factor(*gram, own, 60, 0, {2, nobody});
  CHECK(found && found->columns == 60 && found->left > 0 && found->left < 1);
  for (int64_t i = 0; i < n; i += 7) {
    for (int64_t j = 0; j < n; j += 11) {
      double product = 0;
      for (int64_t k = 0; k < 60; ++k)
        product += found->values[i * 60 + k] * found->values[j * 60 + k];
      CHECK(std::abs(K[i * n + j] - product) <= found->left + 1e-12, i, j);
    }
  }
  CHECK(svm::partial_factor(*gram, own, 60, 0, {1, nobody})->values == found->values);
}

TEST(a_partial_factor_has_the_rank_of_the_matrix) {
  constexpr int64_t n = 50;
  const test::Clouds clouds(n, 3, 1.0);
  const auto gram = svm::make_gram(clouds.points, clouds.index, {svm::KernelKind::linear, 0, 0, 0});
  const auto found =
      svm::partial_factor(*gram, diagonal(matrix(*gram, n), n), 20, 1e-12, {1, nobody});
  CHECK(found && found->columns == 3 && found->left <= 1e-12, found->left);
}
