// The gradient in float64, of all variables or of those that a certificate depends on, and what is
// known of it between two such passes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <span>
#include <vector>

#include "dual/dual.h"
#include "kernel/gram.h"
#include "run/workers.h"

namespace svm {

// product[k] = (Kb)_v in float64, for the k-th of some variables. False when stopped half-way.
inline bool exact_product(const Gram& gram, std::span<const double> b,
                          std::span<const int64_t> variables, std::vector<double>& product,
                          const Workers& workers) {
  std::vector<double> row_weights(gram.size(), 0.0), weights;
  for (int64_t v = 0; v < std::ssize(b); ++v) row_weights[v % gram.size()] += b[v];
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

// f_v = ((K + R)b - t)_v in float64, for some variables. False, and f as it was, when stopped
// half-way.
inline bool exact_gradient(const Gram& gram, const DualProblem& problem, std::span<const double> b,
                           std::span<const int64_t> variables, double* f, const Workers& workers) {
  std::vector<double> product;
  if (!exact_product(gram, b, variables, product, workers)) return false;
  for (size_t k = 0; k < variables.size(); ++k) {
    const int64_t v = variables[k];
    f[v] = product[k] - problem.target[v] + problem.ridge_of(v) * b[v];
  }
  return true;
}

// What is known of a gradient: at a point, each f_i and how wrong it is at most. Those that are off
// by at most `error` are exact.
struct Known {
  std::vector<double> b, f, errors;
  double error = 0;

  bool exact(int64_t v) const { return errors[v] <= error; }
};

// Some f_i that a Newton step has left exact at a point.
struct Charged {
  std::vector<int64_t> variables;
  std::vector<double> b;
  double error = 0;
};

}  // namespace svm
