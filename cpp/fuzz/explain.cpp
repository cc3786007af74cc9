#include <cmath>
#include <numeric>
#include <vector>

#include "explain/shapley.h"
#include "explain/shuffled.h"
#include "fuzz/data.h"
#include "fuzz/harness.h"

namespace {

svm::ProductTerm make_term(fuzz::Bytes& bytes, int64_t columns) {
  svm::ProductTerm term{bytes.numbers(bytes.between(1, 4)), std::vector<uint8_t>(columns),
                        bytes.sizes(3 * columns)};
  for (uint8_t& one : term.dotted) one = bytes.flag();
  return term;
}

// The sum over the centres at one row, as the formulas have it.
double value(const std::vector<svm::ProductTerm>& terms, const double* x, const fuzz::Data& centres,
             const std::vector<double>& weights, int64_t outputs) {
  const int64_t d = centres.columns();
  std::vector<double> z(d);
  double sum = 0;
  for (int64_t k = 0; k < centres.rows(); ++k) {
    std::fill(z.begin(), z.end(), 0.0);
    centres.points().scatter_row(k, z.data(), 1);
    for (const svm::ProductTerm& term : terms) {
      double e = 0, u = 0;
      for (int64_t j = 0; j < d; ++j) {
        e += term.exponent(j, x[j], z[j]), u += term.product(j, x[j], z[j]);
      }
      sum += weights[k * outputs] * term.value(u) * std::exp(-e);
    }
  }
  return sum;
}

}  // namespace

// Shapley values, and outputs at shuffled rows: no shuffle leaves the outputs as they are.
HARNESS(explain) {
  const bool wild = bytes.wild_numbers();
  const int64_t d = bytes.between(0, 6), outputs = bytes.between(1, 3);
  const fuzz::Data centres{bytes, bytes.between(0, 6), d}, points{bytes, bytes.between(0, 5), d},
      background{bytes, bytes.between(1, 3), d};
  const int64_t n = points.rows();
  std::vector<svm::ProductTerm> terms;
  for (int64_t k = bytes.between(0, 2); k > 0; --k) terms.push_back(make_term(bytes, d));
  const auto weights = bytes.numbers(centres.rows() * outputs);
  fuzz::Patience patience(bytes);
  const svm::Workers workers{1, patience.monitor()};
  std::vector<double> values(n * d * outputs);
  svm::product_shapley(terms, points.points(), centres.points(), weights, outputs,
                       bytes.flag() ? &background.points() : nullptr, values.data(), workers);
  std::vector<int64_t> columns(d), starts{0}, orders(n);
  std::iota(columns.begin(), columns.end(), 0);
  if (d > 0) starts.push_back(bytes.between(0, d));
  starts.push_back(d);
  const bool still = bytes.flag();
  for (int64_t i = 0; i < n; ++i) orders[i] = still ? i : bytes.between(0, n - 1);
  const svm::Groups groups{columns, starts};
  std::vector<double> out(groups.size() * n * outputs);
  const bool all = svm::shuffled_outputs(terms, points.points(), centres.points(), weights, outputs,
                                         groups, orders, out.data(), workers);
  if (wild || !all || !still) return;
  std::vector<double> x(d);
  for (int64_t i = 0; i < n; ++i) {
    std::fill(x.begin(), x.end(), 0.0);
    points.points().scatter_row(i, x.data(), 1);
    const double expected = value(terms, x.data(), centres, weights, outputs);
    for (int64_t g = 0; g < groups.size(); ++g) {
      REQUIRE(
          !(std::abs(out[(g * n + i) * outputs] - expected) > 1e-6 * (1e6 + std::abs(expected))));
    }
  }
}
