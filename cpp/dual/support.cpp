#include "dual/support.h"

#include <algorithm>
#include <cstddef>

namespace svm {
namespace {

// Calls use(row, solution, value, at_bound) for every row whose variables do not sum to zero.
template <class Use>
void each_used(const SolvedRows& solved, const Use& use) {
  const size_t each = solved.beta.size() / std::max<size_t>(solved.index.size(), 1);
  for (int64_t p = 0; p < solved.count(); ++p) {
    const auto first = static_cast<size_t>(solved.starts[p]);
    const size_t n = static_cast<size_t>(solved.starts[p + 1]) - first;
    for (size_t k = 0; k < n; ++k) {
      double value = 0;
      bool at_bound = false;
      for (size_t v = each * first + k; v < each * (first + n); v += n) {
        const double beta = solved.beta[v];
        value += beta;
        at_bound |= beta != 0 && (beta == solved.lower[v] || beta == solved.upper[v]);
      }
      if (value != 0) use(solved.index[first + k], p, value, at_bound);
    }
  }
}

}  // namespace

Support support_of(const SolvedRows& solved, std::span<const int64_t> codes) {
  constexpr int64_t kUnused = -1, kUsed = 0;
  int64_t last = -1;
  for (const int64_t row : solved.index) last = std::max(last, row);
  std::vector<int64_t> place(static_cast<size_t>(last + 1), kUnused);
  each_used(solved, [&](int64_t row, int64_t, double, bool) { place[row] = kUsed; });
  Support support;
  for (int64_t row = 0; row <= last; ++row) {
    if (place[row] == kUsed) support.rows.push_back(row);
  }
  if (!codes.empty()) {
    std::ranges::stable_sort(support.rows, {}, [&](int64_t row) { return codes[row]; });
  }
  for (size_t k = 0; k < support.rows.size(); ++k) {
    place[support.rows[k]] = static_cast<int64_t>(k);
  }
  const size_t cells = support.rows.size() * static_cast<size_t>(solved.count());
  support.weights = large_pages<double>(cells);
  support.status = large_pages<SupportStatus>(cells);
  std::fill_n(support.weights.get(), cells, 0.0);
  std::fill_n(support.status.get(), cells, SupportStatus::zero);
  each_used(solved, [&](int64_t row, int64_t p, double value, bool at_bound) {
    const int64_t cell = place[row] * solved.count() + p;
    support.weights[cell] = value;
    support.status[cell] = at_bound ? SupportStatus::at_bound : SupportStatus::free;
  });
  return support;
}

}  // namespace svm
