#include <cmath>
#include <vector>

#include "fuzz/harness.h"
#include "fuzz/linear_problem.h"
#include "linear/lasso.h"

namespace {

using svm::linear::Directions;
using svm::linear::Solution;

void judge(const svm::linear::Problem& problem, const Solution& found,
           const svm::Settings& settings, bool wild) {
  REQUIRE(std::ssize(found.w) == problem.sample.columns());
  REQUIRE(std::ssize(found.beta) == problem.sample.size());
  if (wild) return;
  const svm::Certificate& judged = found.certificate;
  REQUIRE(std::isfinite(judged.primal) && std::isfinite(judged.dual));
  REQUIRE(judged.primal >= judged.dual - 1e-9 * (1 + std::abs(judged.primal)));
  for (int64_t k = 0; k < problem.sample.size(); ++k) {
    REQUIRE(found.beta[k] >= problem.loss.lowest(k) && found.beta[k] <= problem.loss.highest(k));
  }
  if (found.status != svm::Status::optimal) return;
  REQUIRE(judged.gap <= settings.tol_gap || judged.violation <= judged.bound);
}

void solve(fuzz::Bytes& bytes) {
  const fuzz::LinearProblem made(bytes);
  const svm::linear::Problem& problem = made.problem();
  const svm::Settings settings = fuzz::linear_settings(bytes);
  const uint8_t method = bytes.byte() % (made.tube() ? 4 : 2);
  svm::linear::Start start{bytes.numbers(problem.sample.columns()), bytes.number(),
                           bytes.numbers(problem.sample.size())};
  const svm::linear::Start* begin = bytes.flag() ? &start : nullptr;
  fuzz::Patience patience(bytes);
  Solution found;
  if (method < 2) {
    const Directions kind = method == 0 ? Directions::matrix : Directions::products;
    found = svm::linear::newton(problem, kind, settings, patience.monitor(), begin);
  } else if (method == 2) {
    found = svm::linear::descend(problem, settings, patience.monitor(), begin);
  } else {
    const svm::linear::Problem* one = &problem;
    auto all = svm::linear::descend_all({&one, 1}, settings, patience.monitor());
    if (!all.front()) return;
    found = std::move(*all.front());
  }
  judge(problem, found, settings, bytes.wild_mode());
  svm::Monitor quiet;
  svm::linear::certify(problem, found.w, found.intercept, found.beta, {1, quiet});
  std::vector<double> out(made.data().rows());
  svm::linear::scores(made.data().products(), found.w.data(), &found.intercept, 1, out.data(),
                      {1, quiet});
}

void lasso(fuzz::Bytes& bytes) {
  const int64_t n = bytes.between(0, 8);
  std::vector<double> gram = bytes.numbers(n * n);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < i; ++j) gram[i * n + j] = gram[j * n + i];
  }
  const auto linear = bytes.numbers(n), penalty = bytes.sizes(n);
  std::vector<double> u = bytes.numbers(n);
  fuzz::Patience patience(bytes);
  svm::linear::Lasso(gram, linear, penalty, u, {1, patience.monitor()})
      .run(bytes.one_of({1e-6, 0.0, 1.0}));
}

}  // namespace

HARNESS(linear) {
  bytes.wild_numbers();
  if (bytes.byte() % 16 == 0) return lasso(bytes);
  solve(bytes);
}
