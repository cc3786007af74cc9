#include "kernel/partial_factor.h"

#include <algorithm>
#include <cmath>

#include "kernel/tiles.h"
#include "simd/table.h"

namespace svm {

std::optional<PartialFactor> partial_factor(const Gram& gram, std::span<const double> diagonal,
                                            int64_t most, double enough, const Workers& workers) {
  const int64_t n = gram.size(), blocks = (n + kBlockColumns - 1) / kBlockColumns;
  const auto source = gram.exact(workers);
  std::vector<double> left(diagonal.begin(), diagonal.end()), wide(n * most);
  int64_t k = 0;
  for (; k < most; ++k) {
    const int64_t p = std::ranges::max_element(left) - left.begin();
    if (!(left[p] > enough)) break;
    const double root = std::sqrt(left[p]);
    const std::vector<double> pivot(wide.begin() + p * most, wide.begin() + p * most + k);
    const auto row = source->rows({&p, 1});
    // G_ik = (K_ip - sum_(j < k) G_ij G_pj) / sqrt(left_p)
    const bool complete = workers.run(blocks, [&](int64_t block) {
      const int64_t begin = block * kBlockColumns, end = std::min(n, begin + kBlockColumns);
      std::vector<double> values(simd::kTileRows * kBlockColumns);
      row->columns(begin, end, values.data(), kBlockColumns);
      for (int64_t i = begin; i < end; ++i) {
        double* g = wide.data() + i * most;
        const double known = simd::table().f64.dot(g, pivot.data(), k);
        g[k] = (values[i - begin] + gram.offset() - known) / root;
        left[i] = std::max(0.0, left[i] - g[k] * g[k]);
      }
    });
    if (!complete) return std::nullopt;
    left[p] = 0;
  }
  PartialFactor found{k, std::vector<double>(n * k), n > 0 ? *std::ranges::max_element(left) : 0};
  for (int64_t i = 0; i < n; ++i) std::copy_n(&wide[i * most], k, &found.values[i * k]);
  return found;
}

}  // namespace svm
