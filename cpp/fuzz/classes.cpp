#include <cmath>
#include <vector>

#include "fuzz/harness.h"
#include "fuzz/linear_problem.h"
#include "linear/crammer_singer.h"

// Crammer and Singer's machine.
HARNESS(classes) {
  namespace machine = svm::linear::crammer_singer;
  const bool wild = bytes.wild_numbers();
  const fuzz::Data data{bytes, bytes.between(1, 10), bytes.between(0, 5)};
  const int64_t classes = bytes.between(1, 4), n = data.rows();
  const auto index = svm::all_rows(n), label = bytes.places(n, classes);
  const auto C = bytes.sizes(n);
  const machine::Problem problem{data.points(), {data.products(), index},
                                 label,         C,
                                 classes,       {bytes.flag(), bytes.flag() ? bytes.size() : 0}};
  const svm::Settings settings = fuzz::linear_settings(bytes);
  fuzz::Patience patience(bytes);
  const machine::Solution found = machine::solve(problem, settings, patience.monitor());
  REQUIRE(std::ssize(found.primal.w) == classes * data.columns());
  REQUIRE(std::ssize(found.primal.b) == classes && std::ssize(found.share) == n * classes);
  svm::Monitor quiet;
  machine::certify(problem, found.primal, found.share, {1, quiet});
  machine::reflect(problem, machine::exact_beta(problem, found.share));
  if (wild) return;
  const svm::Certificate& judged = found.certificate;
  REQUIRE(std::isfinite(judged.primal) && std::isfinite(judged.dual));
  REQUIRE(judged.primal >= judged.dual - 1e-9 * (1 + std::abs(judged.primal)));
  for (int64_t i = 0; i < n; ++i) {
    double sum = 0;
    for (int64_t c = 0; c < classes; ++c) {
      REQUIRE(found.share[i * classes + c] >= 0);
      sum += found.share[i * classes + c];
    }
    REQUIRE(std::abs(sum - C[i]) <= 1e-9 * (1 + C[i]));
  }
}
