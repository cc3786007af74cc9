#include "dual/exact_gradient.h"

#include <algorithm>
#include <iterator>

namespace svm {

bool exact_product(const Gram& gram, std::span<const double> beta,
                   std::span<const int64_t> variables, std::vector<double>& product,
                   const Workers& workers) {
  std::vector<double> row_weights(gram.size(), 0.0), weights;
  for (int64_t v = 0; v < std::ssize(beta); ++v) row_weights[v % gram.size()] += beta[v];
  std::vector<int64_t> which, others;
  for (int64_t i = 0; i < gram.size(); ++i) {
    if (row_weights[i] == 0) continue;
    which.push_back(i);
    weights.push_back(row_weights[i]);
  }
  std::vector<bool> wanted(gram.size(), false);
  for (const int64_t v : variables) wanted[v % gram.size()] = true;
  // The rows that the sum is over are mostly wanted all: half of their values are the other half.
  const bool among = std::all_of(which.begin(), which.end(), [&](int64_t i) { return wanted[i]; });
  for (int64_t i = 0; i < gram.size(); ++i) {
    if (wanted[i] && !(among && row_weights[i] != 0)) others.push_back(i);
  }
  std::vector<double> some(which.size()), rest(others.size()), sums(gram.size());
  if (among && !gram.product_among(which, weights, some.data(), workers)) return false;
  if (!gram.product(others, which, weights, rest.data(), workers)) return false;
  for (size_t k = 0; k < which.size(); ++k) sums[which[k]] = some[k];
  for (size_t k = 0; k < others.size(); ++k) sums[others[k]] = rest[k];
  product.clear();
  for (const int64_t v : variables) product.push_back(sums[v % gram.size()]);
  return true;
}

bool exact_gradient(const Gram& gram, const DualProblem& problem, std::span<const double> beta,
                    std::span<const int64_t> variables, double* f, const Workers& workers) {
  std::vector<double> product;
  if (!exact_product(gram, beta, variables, product, workers)) return false;
  for (size_t k = 0; k < variables.size(); ++k) {
    const int64_t v = variables[k];
    f[v] = product[k] - problem.target[v] + problem.ridge_of(v) * beta[v];
  }
  return true;
}

}  // namespace svm
