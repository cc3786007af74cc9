#include <cmath>
#include <vector>

#include "dual/solve.h"
#include "dual/solve_all.h"
#include "fuzz/data.h"
#include "fuzz/harness.h"
#include "kernel/expansion.h"

namespace {

// Boxes around zero as formulations have them, or any.
struct Variables {
  std::vector<double> target, lower, upper, ridge, start;
  std::vector<uint8_t> group;
  double epsilon;
  std::array<double, svm::kGroups> total = {};
  bool sane;

  Variables(fuzz::Bytes& bytes, int64_t n) : target(bytes.numbers(n)), lower(n), upper(n) {
    const uint8_t kind = bytes.byte();
    sane = !bytes.wild_mode() && (kind & 1) == 0;
    for (int64_t i = 0; i < n; ++i) {
      if ((kind & 1) == 0) {
        const double C = bytes.size();
        const uint8_t side = bytes.byte() % 3;
        lower[i] = side == 0 ? 0 : -C, upper[i] = side == 1 ? 0 : C;
      } else {
        lower[i] = bytes.number(), upper[i] = bytes.number();
        if (lower[i] > upper[i]) std::swap(lower[i], upper[i]);
      }
    }
    epsilon = (kind & 2) != 0 ? bytes.size() : 0;
    if ((kind & 4) != 0) ridge = bytes.sizes(n);
    if ((kind & 8) != 0) {
      for (int64_t i = 0; i < n; ++i) group.push_back(bytes.flag());
    }
    if ((kind & 16) != 0)
      total = {bytes.number(), group.empty() ? 0 : bytes.number()}, sane = false;
    if ((kind & 32) != 0) start = bytes.numbers(n), sane = false;
  }

  svm::DualProblem problem() const {
    return {target, {lower, upper, epsilon, group}, total, ridge};
  }
};

void judge(const Variables& v, const svm::Solution& found, double tol) {
  const int64_t n = std::ssize(v.target);
  REQUIRE(std::ssize(found.beta) == n && std::ssize(found.gradient) == n);
  if (!v.sane) return;
  std::array<double, svm::kGroups> sum = {};
  for (int64_t i = 0; i < n; ++i) {
    REQUIRE(found.beta[i] >= v.lower[i] && found.beta[i] <= v.upper[i]);
    REQUIRE(std::isfinite(found.gradient[i]) || !found.certificate.convex);
    sum[v.group.empty() ? 0 : v.group[i]] += found.beta[i];
  }
  REQUIRE(std::abs(sum[0]) < 1e-9 && std::abs(sum[1]) < 1e-9);
  if (found.status == svm::Status::optimal) REQUIRE(!(found.certificate.violation > tol));
}

}  // namespace

HARNESS(dual) {
  bytes.wild_numbers();
  const int64_t n = bytes.between(0, 12), d = bytes.between(0, 4);
  const bool given = bytes.byte() % 4 == 0, doubled = bytes.byte() % 4 == 0;
  const Variables v(bytes, doubled ? 2 * n : n);
  const svm::Settings settings{
      .tol_violation = bytes.one_of({1e-3, 1e-8, 0.0, 1e300}),
      .max_steps = bytes.one_of<std::optional<int64_t>>({{}, 0, 1, 7, 1000}),
      .cache_bytes = bytes.one_of<int64_t>({200 << 20, 0, 1000}),
      .threads = 1,
      .alone = bytes.flag()};
  const std::vector<int64_t> rows = svm::all_rows(n);
  std::vector<double> matrix;
  std::optional<fuzz::Data> data;
  const svm::Kernel kernel = given ? svm::Kernel{} : fuzz::make_kernel(bytes);
  if (given) {
    matrix = bytes.numbers(n * n);
  } else {
    kernel.check(d);
    data.emplace(bytes, n, d);
  }
  const auto gram_of = [&](std::span<const int64_t> which) {
    return given ? svm::make_gram(svm::MatrixView(matrix.data(), n, which))
                 : svm::make_gram(data->points(), which, kernel);
  };
  fuzz::Patience patience(bytes);
  if (n == 0) return;  // the caller refuses it
  const std::vector<svm::Part> parts(bytes.between(1, 2), {rows, v.problem(), v.start});
  for (const svm::Solution& found : svm::solve_all(parts, gram_of, settings, patience.monitor())) {
    judge(v, found, settings.tol_violation);
    const auto gram = gram_of(rows);
    svm::Monitor quiet;
    svm::certify(*gram, v.problem(), found.beta, 1, quiet);
    const svm::Part warm{rows, v.problem(), found.beta};
    judge(v, svm::solve_all({&warm, 1}, gram_of, settings, patience.monitor()).front(),
          settings.tol_violation);
  }
}
