#include "dual/support.h"

#include <algorithm>
#include <span>
#include <vector>

#include "tests/check.h"

using svm::SupportStatus;

TEST(support_vectors_are_sorted_by_class) {
  // Rows 0, 2 and 1, 2, 3 of two solutions; row 2 is free in one and at its bound in the other.
  const std::vector<int64_t> index{0, 2, 1, 2, 3}, starts{0, 2, 5}, codes{1, 1, 0, 0};
  const std::vector<double> beta{-1, 0.5, 0, 1, -0.25}, lower{-1, 0, -1, 0, -1},
      upper{0, 1, 0, 1, 0};
  const svm::Support found = svm::support_of({index, starts, beta, lower, upper}, codes);
  CHECK((found.rows == std::vector<int64_t>{2, 3, 0}));
  CHECK(std::ranges::equal(std::span(found.weights.get(), 6),
                           std::vector<double>{0.5, 1, 0, -0.25, -1, 0}));
  CHECK(std::ranges::equal(
      std::span(found.status.get(), 6),
      std::vector{SupportStatus::free, SupportStatus::at_bound, SupportStatus::zero,
                  SupportStatus::free, SupportStatus::at_bound, SupportStatus::zero}));
}

TEST(two_variables_of_a_row_are_one_weight) {
  const std::vector<int64_t> index{4, 7, 9}, starts{0, 3};
  const std::vector<double> beta{1, 0.5, 0, -1, 0, -0.5}, lower{0, 0, 0, -1, -1, -1},
      upper{1, 1, 1, 0, 0, 0};
  const svm::Support found = svm::support_of({index, starts, beta, lower, upper}, {});
  CHECK((found.rows == std::vector<int64_t>{7, 9}));  // those of row 4 cancel
  CHECK(std::ranges::equal(std::span(found.weights.get(), 2), std::vector<double>{0.5, -0.5}));
  CHECK(std::ranges::equal(std::span(found.status.get(), 2),
                           std::vector{SupportStatus::free, SupportStatus::free}));
}
