#include "svm/expansion.h"

#include <algorithm>
#include <vector>

#include "svm/tiles.h"

namespace svm {
namespace {

// out[p] += sum_k values[k] weights[k * outputs + p]
void combine(const double* values, const double* weights, int64_t count, int64_t outputs,
             double* out) {
  if (outputs == 1) {
    out[0] += simd::table().f64.dot(values, weights, count);
    return;
  }
  std::vector<double> sum(outputs, 0.0);
  for (int64_t k = 0; k < count; ++k) {
    simd::table().f64.add(weights + k * outputs, values[k], sum.data(), outputs);
  }
  for (int64_t p = 0; p < outputs; ++p) out[p] += sum[p];
}

}  // namespace

bool expand(const Expansion& e, const Points& points, std::span<const int64_t> rows, double* out,
            const Workers& workers) {
  const int64_t n = static_cast<int64_t>(rows.size());
  const int64_t m = static_cast<int64_t>(e.which.size());
  workers.monitor.work.evaluate<double>(n * m);
  std::fill_n(out, n * e.outputs, 0.0);
  constexpr int64_t kRows = 8 * simd::kTileRows;
  for (int64_t first = 0; first < m; first += kCentreChunk) {
    const int64_t count = std::min(kCentreChunk, m - first);
    const Tiles<double> centres(e.kernel, points, e.centres, e.which.subspan(first, count),
                                workers);
    const double* weights = e.weights.data() + first * e.outputs;
    const auto block = [&](int64_t b) {
      std::vector<double> values(simd::kTileRows * centres.padded());
      const int64_t stop = std::min(n, (b + 1) * kRows);
      for (int64_t i = b * kRows; i < stop; i += simd::kTileRows) {
        const int64_t group = std::min<int64_t>(simd::kTileRows, stop - i);
        centres.rows(rows.subspan(i, group), 0, count, values.data(), centres.padded());
        for (int64_t r = 0; r < group; ++r) {
          combine(values.data() + r * centres.padded(), weights, count, e.outputs,
                  out + (i + r) * e.outputs);
        }
      }
    };
    if (!workers.run((n + kRows - 1) / kRows, block)) return false;
  }
  // Values were summed less the kernel's constant: add it back, times the sum of the weights.
  for (int64_t p = 0; p < e.outputs && e.kernel.offset() != 0; ++p) {
    double total = 0;
    for (int64_t k = 0; k < m; ++k) total += e.weights[k * e.outputs + p];
    for (int64_t i = 0; i < n; ++i) out[i * e.outputs + p] += e.kernel.offset() * total;
  }
  return true;
}

bool expand_among(const Kernel& kernel, const Points& points, std::span<const int64_t> which,
                  std::span<const double> weights, double* out, const Workers& workers) {
  const int64_t m = static_cast<int64_t>(which.size());
  std::fill_n(out, m, 0.0);
  for (int64_t first = 0; first < m; first += kCentreChunk) {
    const int64_t count = std::min(kCentreChunk, m - first);
    workers.monitor.work.evaluate<double>((m - first) * count);
    const Tiles<double> centres(kernel, points, points, which.subspan(first, count), workers);
    const double* weight = weights.data() + first;
    // Of each block of rows below the chunk, what they add to the chunk's own sums.
    const int64_t blocks = (m - first + kMirrorRows - 1) / kMirrorRows;
    std::vector<double> mirrored(blocks * kCentreChunk, 0.0);
    const auto block = [&](int64_t b) {
      std::vector<double> values(simd::kTileRows * centres.padded());
      const int64_t begin = first + b * kMirrorRows, stop = std::min(m, begin + kMirrorRows);
      for (int64_t i = begin; i < stop; i += simd::kTileRows) {
        const int64_t group = std::min<int64_t>(simd::kTileRows, stop - i);
        centres.rows(which.subspan(i, group), 0, count, values.data(), centres.padded());
        for (int64_t r = 0; r < group; ++r) {
          const double* row = values.data() + r * centres.padded();
          out[i + r] += simd::table().f64.dot(row, weight, count);
          if (i + r < first + count) continue;
          simd::table().f64.add(row, weights[i + r], mirrored.data() + b * kCentreChunk, count);
        }
      }
    };
    if (!workers.run(blocks, block)) return false;
    for (int64_t b = 0; b < blocks; ++b) {
      for (int64_t k = 0; k < count; ++k) out[first + k] += mirrored[b * kCentreChunk + k];
    }
  }
  double total = 0;
  for (const double x : weights) total += x;
  for (int64_t i = 0; i < m; ++i) out[i] += kernel.offset() * total;
  return true;
}

}  // namespace svm
