#include "stream/scores.h"

#include <algorithm>
#include <vector>

#include "stream/rows.h"

namespace svm::stream {
namespace {

constexpr int64_t kBlockRows = 1024;
// A sum over rows is made in this many stripes, each with a sum of its own.
constexpr int64_t kStripes = 8;

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

template <int kLanes, class Rows>
void sum_rows(const Rows& rows, int64_t begin, int64_t end, const double* factors, int64_t used,
              int64_t stride, double* sum) {
  Reader<Rows> read(rows);
  for (int64_t i = begin; i < end; ++i) {
    double step[kLanes] = {};
    bool moves = false;
    for (int64_t l = 0; l < used; ++l) {
      step[l] = factors[i * stride + l];
      moves = moves || step[l] != 0;
    }
    if (moves) add<kLanes>(read(i), step, sum);
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

bool pull(const Points& points, std::span<const double> factors, int64_t outputs, double* out,
          const Workers& workers) {
  const int64_t n = points.rows(), features = points.columns();
  const int lanes = outputs == 1 ? 1 : kGroup;
  // A stripe's sum must not outweigh its rows.
  const int64_t stripes = std::clamp<int64_t>(n / (4 * features), 1, kStripes);
  const int64_t groups = (outputs + lanes - 1) / lanes;
  std::vector<std::vector<double>> sums(groups * stripes);
  const auto stripe = [&](int64_t task) {
    const int64_t first = task / stripes * lanes, s = task % stripes;
    sums[task].assign(features * lanes, 0.0);
    with_rows(points, [&](const auto& rows) {
      const auto sum = lanes == 1 ? sum_rows<1, std::decay_t<decltype(rows)>>
                                  : sum_rows<kGroup, std::decay_t<decltype(rows)>>;
      sum(rows, n * s / stripes, n * (s + 1) / stripes, factors.data() + first,
          std::min<int64_t>(lanes, outputs - first), outputs, sums[task].data());
    });
  };
  if (!workers.run(groups * stripes, stripe)) return false;
  std::fill_n(out, outputs * features, 0.0);
  for (int64_t p = 0; p < outputs; ++p) {
    for (int64_t s = 0; s < stripes; ++s) {
      const double* from = sums[p / lanes * stripes + s].data() + p % lanes;
      for (int64_t k = 0; k < features; ++k) out[p * features + k] += from[k * lanes];
    }
  }
  return true;
}

}  // namespace svm::stream
