#include <cmath>
#include <vector>

#include "explain/quadrature.h"
#include "explain/shapley.h"
#include "explain/shuffled.h"
#include "rows/points.h"
#include "simd/table.h"
#include "tests/check.h"

namespace {

constexpr int64_t kColumns = 5;

std::vector<double> values(int64_t rows, double phase) {
  std::vector<double> x(rows * kColumns);
  for (size_t i = 0; i < x.size(); ++i) x[i] = 1 + std::sin(phase + 3.7 * static_cast<double>(i));
  return x;
}

svm::DensePoints<double> points(const std::vector<double>& x) {
  return svm::DensePoints<double>({x.data(), static_cast<int64_t>(x.size()) / kColumns, kColumns});
}

// A term with all three rates and a polynomial of u.
svm::ProductTerm term(std::vector<double> polynomial) {
  std::vector<double> rates(3 * kColumns);
  for (int64_t j = 0; j < kColumns; ++j) {
    rates[j] = 0.3, rates[kColumns + j] = 0.1 * j, rates[2 * kColumns + j] = 0.2;
  }
  return {std::move(polynomial), std::vector<uint8_t>(kColumns, 1), std::move(rates)};
}

// The term with the features in `set` as in x and the others as in z, or removed.
double value(const svm::ProductTerm& term, const double* x, const double* z, const double* c,
             unsigned set) {
  double e = 0, u = 0;
  for (int64_t j = 0; j < kColumns; ++j) {
    const bool known = set >> j & 1;
    if (!known && z == nullptr) continue;
    const double at = known ? x[j] : z[j];
    e += term.exponent(j, at, c[j]);
    u += term.product(j, at, c[j]);
  }
  return term.value(u) * std::exp(-e);
}

double shapley(const svm::ProductTerm& term, const double* x, const double* z, const double* c,
               int64_t j) {
  double sum = 0;
  for (unsigned set = 0; set < 1u << kColumns; ++set) {
    if (set >> j & 1) continue;
    const int size = __builtin_popcount(set);
    const double share =
        std::tgamma(size + 1) * std::tgamma(kColumns - size) / std::tgamma(kColumns + 1);
    sum += share * (value(term, x, z, c, set | 1u << j) - value(term, x, z, c, set));
  }
  return sum;
}

}  // namespace

TEST(nodes_integrate_polynomials) {
  for (const int64_t n : {1, 2, 3, 4, 17, 64, 300}) {
    const svm::Quadrature rule(n);
    for (const int64_t power : {int64_t(0), n, 2 * n - 1}) {
      double sum = 0;
      for (int64_t q = 0; q < n; ++q) {
        sum += rule.weights[q] * std::pow(rule.nodes[q], static_cast<double>(power));
      }
      CHECK(std::abs(sum * static_cast<double>(power + 1) - 1) < 1e-11, n, power, sum);
    }
  }
  const svm::Quadratures rules(1000);
  for (int64_t degree = 0; degree <= 1000; ++degree) {
    CHECK(2 * static_cast<int64_t>(rules.of_degree(degree).nodes.size()) - 1 >= degree, degree);
  }
}

TEST(products_without_each_factor) {
  const std::vector<double> base{0.5, 0.0, 2.0, 1.0}, slope{0.1, 1.0, -2.0, 0.0};
  const std::vector<double> nodes{0.1, 0.3, 0.5, 0.9}, weights{1.0, 2.0, 3.0, 4.0};
  const svm::simd::Table* tables[3];
  const int count = svm::simd::available(tables);
  for (int k = 0; k < count; ++k) {
    std::vector<double> room(20), out(4);
    tables[k]->f64.without_each(base.data(), slope.data(), 4, nodes.data(), weights.data(), 4,
                                room.data(), out.data());
    for (int l = 0; l < 4; ++l) {
      double sum = 0;
      for (int q = 0; q < 4; ++q) {
        double product = weights[q];
        for (int j = 0; j < 4; ++j) product *= j == l ? 1 : base[j] + nodes[q] * slope[j];
        sum += product;
      }
      CHECK(std::abs(out[l] - sum) < 1e-14, k, l, out[l], sum);
    }
  }
}

TEST(shapley_values_by_their_definition) {
  const std::vector<double> x = values(3, 0), c = values(40, 1), z = values(4, 2);
  std::vector<double> weights(40);
  for (int k = 0; k < 40; ++k) weights[k] = std::cos(k);
  const auto rows = points(x), centres = points(c), others = points(z);
  for (const auto& polynomial : {std::vector<double>{2}, {0.0, 1.0}, {1.0, 0.5, 0.25}}) {
    const std::vector<svm::ProductTerm> terms{term(polynomial)};
    for (const bool removed : {true, false}) {
      std::vector<double> first, out(3 * kColumns);
      for (const int threads : {1, 3}) {
        svm::Monitor monitor;
        CHECK(svm::product_shapley(terms, rows, centres, weights, 1, removed ? nullptr : &others,
                                   out.data(), {threads, monitor}));
        if (threads == 1) first = out;
      }
      CHECK(out == first);
      for (int64_t i = 0; i < 3; ++i) {
        for (int64_t j = 0; j < kColumns; ++j) {
          double sum = 0;
          for (int64_t k = 0; k < 40; ++k) {
            for (int64_t r = 0; r < (removed ? 1 : 4); ++r) {
              const double* away = removed ? nullptr : &z[r * kColumns];
              sum += weights[k] / (removed ? 1 : 4) *
                     shapley(terms[0], &x[i * kColumns], away, &c[k * kColumns], j);
            }
          }
          const double found = out[i * kColumns + j];
          CHECK(std::abs(found - sum) < 1e-12, removed, i, j, found, sum);
        }
      }
    }
  }
}

TEST(shuffled_outputs_are_those_of_shuffled_rows) {
  const std::vector<double> x = values(6, 0), c = values(40, 1);
  std::vector<double> weights(80);
  for (int k = 0; k < 80; ++k) weights[k] = k % 3 == 0 ? 0 : std::cos(k);
  const auto rows = points(x), centres = points(c);
  const std::vector<int64_t> columns{2, 0, 4}, starts{0, 1, 3};
  const std::vector<int64_t> orders{1, 2, 3, 4, 5, 0, 5, 4, 3, 2, 1, 0};
  const svm::Groups groups{columns, starts};
  const std::vector<svm::ProductTerm> terms{term({2}), term({1.0, 0.5})};
  std::vector<double> first, out(2 * 2 * 6 * 2);
  for (const int threads : {1, 3}) {
    svm::Monitor monitor;
    CHECK(svm::shuffled_outputs(terms, rows, centres, weights, 2, groups, orders, out.data(),
                                {threads, monitor}));
    if (threads == 1) first = out;
  }
  CHECK(out == first);
  for (int64_t g = 0; g < 2; ++g) {
    for (int64_t s = 0; s < 2; ++s) {
      for (int64_t i = 0; i < 6; ++i) {
        std::vector<double> row(&x[i * kColumns], &x[i * kColumns] + kColumns);
        for (const int64_t j : groups[g]) row[j] = x[orders[s * 6 + i] * kColumns + j];
        for (int64_t p = 0; p < 2; ++p) {
          double sum = 0;
          for (int64_t k = 0; k < 40; ++k) {
            for (const auto& part : terms) {
              sum += weights[k * 2 + p] * value(part, row.data(), nullptr, &c[k * kColumns], 31);
            }
          }
          const double found = out[((g * 2 + s) * 6 + i) * 2 + p];
          CHECK(std::abs(found - sum) < 1e-12, g, s, i, p, found, sum);
        }
      }
    }
  }
}
