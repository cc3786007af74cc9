#include "dual/gradient_ledger.h"

#include <cmath>
#include <optional>
#include <vector>

#include "dual/certificate.h"
#include "dual/exact_gradient.h"
#include "kernel/expansion.h"
#include "tests/check.h"
#include "tests/problem.h"

namespace {

// A ledger that knows a point of two clouds, and another point a few moves away from it whose
// gradient is off by `kDrift` everywhere.
struct Case {
  static constexpr double kDrift = 1e-4;

  test::Clouds data{300, 3, 2.0};
  svm::DualProblem problem = data.problem();
  std::unique_ptr<svm::Gram> gram = svm::make_gram(data.points, data.index, data.gaussian());
  svm::Monitor monitor;
  svm::Workers workers{1, monitor};
  svm::GradientLedger ledger{*gram, problem, workers};
  std::vector<double> beta, f;

  Case() : beta(data.n, 0.0), f(data.n) {
    for (int64_t i = 0; i < data.n; i += 3) beta[i] = 0.5 * data.y[i];
    CHECK(ledger.begin(beta, f));
    for (const int64_t i : {0, 6, 12}) beta[i] = 0.25 * data.y[i];
    const std::vector<double> exact = gradient();
    for (int64_t i = 0; i < data.n; ++i) f[i] = exact[i] + (i % 2 == 0 ? kDrift : -kDrift);
  }

  std::vector<double> gradient() {
    std::vector<double> exact(data.n);
    CHECK(svm::exact_gradient(*gram, problem, beta, svm::all_rows(data.n), exact.data(), workers));
    return exact;
  }
};

}  // namespace

TEST(a_ledger_corrects_what_the_certificate_depends_on) {
  Case c;
  CHECK(!c.ledger.at(c.beta));
  const std::vector<double> change = c.ledger.change_to(c.beta), exact = c.gradient();
  CHECK(svm::count_support(change) == 3);
  const std::optional<double> largest = c.ledger.correct(c.beta, change, Case::kDrift, c.f);
  CHECK(largest.has_value() && std::abs(*largest - Case::kDrift) < 1e-9);
  CHECK(c.ledger.at(c.beta) && c.ledger.error() < 1e-10, c.ledger.error());
  for (int64_t i = 0; i < c.data.n; ++i) {
    const double off = std::abs(c.f[i] - exact[i]);
    CHECK(off <= c.ledger.error() || (c.beta[i] == 0 && off < 1.1 * Case::kDrift), i, off);
  }
  // The certificate, of the level that a fit takes, is that of the exact gradient, to its error.
  const auto primal = [&](const std::vector<double>& f) {
    return svm::certify(c.problem, c.beta.data(), f.data(), 0, false, svm::Level::best).primal;
  };
  const double found = primal(c.f), true_one = primal(exact);
  CHECK(std::abs(found - true_one) < 1e-9 * std::abs(true_one), found, true_one);
}

TEST(a_ledger_keeps_what_a_step_has_left_exact_until_the_next_one) {
  Case c;
  const std::vector<double> exact = c.gradient();
  const std::vector<double> change = c.ledger.change_to(c.beta);
  const std::vector<int64_t> set{0, 6, 12, 7};
  std::vector<double> product;
  CHECK(svm::exact_product(*c.gram, change, set, product, c.workers));
  c.ledger.record_step(set, product, c.beta, c.f);
  for (const int64_t v : set) CHECK(std::abs(c.f[v] - exact[v]) < 1e-12, v);
  const double before = c.ledger.error_after(0);
  c.ledger.forget_unless_at(c.beta);
  CHECK(c.ledger.error_after(0) == before);
  c.beta[1] += 1e-3;
  c.ledger.forget_unless_at(c.beta);
  CHECK(c.ledger.error_after(0) < before);
}

TEST(a_ledger_that_is_stopped_says_so) {
  Case c;
  svm::Monitor stopped([](const svm::TraceRow&) { return true; });
  while (!stopped.stop()) {
  }
  const svm::Workers nobody{1, stopped};
  svm::GradientLedger ledger(*c.gram, c.problem, nobody);
  CHECK(!ledger.begin(c.beta, c.f));
}
