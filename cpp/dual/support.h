// The support vectors that solutions have in common: the rows that any of them uses.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "run/large_pages.h"

namespace svm {

// Solutions one after the other: solution p is of the rows index[starts[p]] .. index[starts[p + 1]
// - 1] and has one variable for each of them, or two, the second ones after all first ones.
struct SolvedRows {
  std::span<const int64_t> index, starts;
  std::span<const double> beta, lower, upper;

  int64_t count() const { return static_cast<int64_t>(starts.size()) - 1; }
};

// What a support vector is to a solution: no row of it or zero, off its bounds, or at one.
enum class SupportStatus : int8_t { zero, free, at_bound };

// Rows in their order or, where each row of the data has a code, class after class; of each row and
// solution the sum of its variables, and what it is to it, row by row.
struct Support {
  std::vector<int64_t> rows;
  std::unique_ptr<double[], Free> weights;
  std::unique_ptr<SupportStatus[], Free> status;
};

Support support_of(const SolvedRows& solved, std::span<const int64_t> codes);

}  // namespace svm
