// Venn-Abers intervals: what isotonic regression says of a new row, whichever class it has.
#pragma once

#include <span>
#include <vector>

namespace svm {

struct VennAbers {
  std::vector<double> low, high;
};

// Of m distinct scores in ascending order, what rows count that have at most the first j of them:
// all, and the positive ones alone; m + 1 sums each, the first 0. The new row counts 1. Its place is
// 2 j below the score j and above those before it, and 2 j + 1 at the score j: 2 m + 1 places.
VennAbers venn_abers(std::span<const double> all, std::span<const double> positive);

}  // namespace svm
