#include "stream/scores.h"

#include <algorithm>

#include "stream/rows.h"

namespace svm::stream {

bool scores(const Points& points, std::span<const double> weights,
            std::span<const double> intercepts, double* out, const Workers& workers) {
  constexpr int64_t kBlockRows = 1024;
  const int64_t n = points.rows(), outputs = static_cast<int64_t>(intercepts.size());
  const auto block = [&](int64_t b) {
    with_rows(points, [&]<class Rows>(const Rows& rows) {
      Reader<Rows> read(rows);
      for (int64_t i = b * kBlockRows; i < std::min(n, (b + 1) * kBlockRows); ++i) {
        const auto row = read(i);
        for (int64_t p = 0; p < outputs; ++p) {
          out[i * outputs + p] = dot(row, weights.data() + p * points.columns()) + intercepts[p];
        }
      }
    });
  };
  return workers.run((n + kBlockRows - 1) / kBlockRows, block);
}

}  // namespace svm::stream
