#include "stream/scores.h"

#include <algorithm>
#include <vector>

#include "stream/rows.h"

namespace svm::stream {
namespace {

constexpr int64_t kBlockRows = 1024;

// Weights of up to `lanes` outputs from `first` on, feature by feature.
std::vector<double> grouped(std::span<const double> weights, int64_t features, int64_t outputs,
                            int64_t first, int lanes) {
  std::vector<double> out(features * lanes, 0.0);
  for (int64_t l = 0; l < std::min<int64_t>(lanes, outputs - first); ++l) {
    const double* from = weights.data() + (first + l) * features;
    for (int64_t k = 0; k < features; ++k) out[k * lanes + l] = from[k];
  }
  return out;
}

template <int kLanes, class Rows>
void score_rows(const Rows& rows, int64_t begin, int64_t end, const double* weights,
                const double* intercepts, int64_t used, double* out, int64_t stride) {
  Reader<Rows> read(rows);
  for (int64_t i = begin; i < end; ++i) {
    double f[kLanes];
    dot<kLanes>(read(i), weights, f);
    for (int64_t l = 0; l < used; ++l) out[i * stride + l] = f[l] + intercepts[l];
  }
}

}  // namespace

bool scores(const Points& points, std::span<const double> weights,
            std::span<const double> intercepts, double* out, const Workers& workers) {
  const int64_t n = points.rows(), outputs = static_cast<int64_t>(intercepts.size());
  const int lanes = outputs == 1 ? 1 : kGroup;
  for (int64_t first = 0; first < outputs; first += lanes) {
    const auto group = grouped(weights, points.columns(), outputs, first, lanes);
    const int64_t used = std::min<int64_t>(lanes, outputs - first);
    const auto block = [&](int64_t b) {
      const int64_t begin = b * kBlockRows, end = std::min(n, begin + kBlockRows);
      with_rows(points, [&](const auto& rows) {
        const auto score = lanes == 1 ? score_rows<1, std::decay_t<decltype(rows)>>
                                      : score_rows<kGroup, std::decay_t<decltype(rows)>>;
        score(rows, begin, end, group.data(), intercepts.data() + first, used, out + first,
              outputs);
      });
    };
    if (!workers.run((n + kBlockRows - 1) / kBlockRows, block)) return false;
  }
  return true;
}

}  // namespace svm::stream
