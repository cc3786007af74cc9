// Kernel expansions at rows of which some features are taken from other rows.
//
//   k(x', c) = P(u + u'_g - u_g) exp(-(e - e_g)) exp(-e'_g)
//
// for a term (explain/product_term.h) and a group g of features, of which x' has the values of
// another row. The first exponential is that of the row without the group, the second that of the
// other row's group: each is computed once for all shuffles, which then cost a product a value.
//
// e - e_g is a difference of sums; where its rounding could matter, the sum is made again without g.
#pragma once

#include <cstdint>
#include <span>

#include "explain/product_term.h"
#include "rows/points.h"
#include "run/workers.h"

namespace svm {

struct Groups {
  std::span<const int64_t> columns,
      starts;  // group g: columns[starts[g]] .. columns[starts[g + 1]]
  int64_t size() const { return static_cast<int64_t>(starts.size()) - 1; }
  std::span<const int64_t> operator[](int64_t g) const {
    return columns.subspan(starts[g], starts[g + 1] - starts[g]);
  }
};

// out[((g * shuffles + s) * rows + i) * outputs + p] = output p at row i with group g of row
// orders[s * rows + i]. The same bits for any number of threads; false when the monitor stopped it.
bool shuffled_outputs(std::span<const ProductTerm> terms, const Points& points,
                      const Points& centres, std::span<const double> weights, int64_t outputs,
                      const Groups& groups, std::span<const int64_t> orders, double* out,
                      const Workers& workers);

}  // namespace svm
