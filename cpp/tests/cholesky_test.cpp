#include "dual/cholesky.h"

#include <cmath>
#include <vector>

#include "run/monitor.h"
#include "tests/check.h"
#include "tests/problem.h"

namespace {

svm::Monitor nobody;

// A positive definite matrix, its factor, and the rows that are in it.
struct Case {
  int64_t n;
  std::vector<double> matrix;
  svm::Cholesky factor;
  std::vector<int64_t> rows;

  explicit Case(int64_t n) : n(n), matrix(n * n, 0.0), factor(n) {
    test::Random random(3);
    std::vector<double> x(n * n);
    for (double& value : x) value = random.normal();
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        for (int64_t k = 0; k < n; ++k) matrix[i * n + j] += x[i * n + k] * x[j * n + k];
      }
      matrix[i * n + i] += static_cast<double>(n);
    }
  }
  void append(int64_t first, int64_t last, int threads) {
    for (int64_t i = first; i < last; ++i) rows.push_back(i);
    const int64_t known = static_cast<int64_t>(factor.size());
    const auto entry = [&](int64_t r, int64_t c) { return matrix[rows[known + r] * n + rows[c]]; };
    const auto entries = [&](int64_t r, int64_t begin, int64_t end, double* out) {
      for (int64_t c = begin; c < end; ++c) *out++ = entry(r, c);
    };
    const auto pivot = [&](int64_t r, double rest) { return entry(r, known + r) - rest; };
    factor.append(last - first, {threads, nobody}, entries, pivot);
  }
  void erase(size_t place) {
    factor.erase(place);
    rows.erase(rows.begin() + static_cast<int64_t>(place));
  }
  // The largest residual of a system of these rows.
  double residual() const {
    const size_t m = rows.size();
    std::vector<double> x(m), right(m);
    for (size_t k = 0; k < m; ++k) x[k] = right[k] = std::sin(static_cast<double>(k) + 1);
    factor.forward_substitute(x);
    factor.back_substitute(x);
    double largest = 0;
    for (size_t i = 0; i < m; ++i) {
      double sum = -right[i];
      for (size_t j = 0; j < m; ++j) sum += matrix[rows[i] * n + rows[j]] * x[j];
      largest = std::max(largest, std::abs(sum));
    }
    return largest;
  }
};

}  // namespace

TEST(a_factor_that_grows_and_loses_rows_still_solves) {
  for (const int64_t n : {1, 2, 9, 40, 210}) {
    Case all(n);
    all.append(0, n / 2, 1);
    all.append(n / 2, n, 2);
    CHECK(all.residual() < 1e-12, n);
    // From the end, the beginning, and in between: fewer rows below than are turned together, as
    // many, and more.
    for (const size_t from_end : {0, 1, 7, 8, 9, 17, 30, 150}) {
      if (from_end + 1 >= all.rows.size()) break;
      all.erase(all.rows.size() - 1 - from_end);
      CHECK(all.factor.size() == all.rows.size());
      CHECK(all.residual() < 1e-12, n, from_end);
    }
    while (all.rows.size() > 1) all.erase(0);
    CHECK(all.residual() < 1e-12, n);
  }
}
