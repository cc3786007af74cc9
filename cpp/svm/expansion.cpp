#include "svm/expansion.h"

#include <algorithm>
#include <vector>

#include "svm/tiles.h"

namespace svm {

Weights::Weights(std::span<const double> weights, int64_t outputs)
    : centres_(outputs > 0 ? static_cast<int64_t>(weights.size()) / outputs : 0),
      totals_(outputs, 0.0),
      strips_{{0, 0}} {
  for (int64_t first = 0; first < centres_; first += kStrip) {
    const int64_t last = std::min(centres_, first + kStrip);
    std::vector<bool> used(outputs, outputs == 1);
    for (int64_t k = first; k < last; ++k) {
      for (int64_t p = 0; p < outputs; ++p) {
        const double weight = weights[k * outputs + p];
        if (weight == 0) continue;
        totals_[p] += weight;
        used[p] = true;
      }
    }
    for (int64_t p = 0; p < outputs; ++p) {
      if (!used[p]) continue;
      outputs_.push_back(p);
      for (int64_t k = first; k < last; ++k) values_.push_back(weights[k * outputs + p]);
    }
    strips_.push_back(
        {static_cast<int64_t>(outputs_.size()), static_cast<int64_t>(values_.size())});
  }
}

void Weights::combine(const double* values, int64_t rows, int64_t stride, int64_t first,
                      int64_t last, double* out) const {
  if (outputs() == 1) {
    for (int64_t r = 0; r < rows; ++r) {
      out[r] += simd::table().f64.dot(values + r * stride, values_.data() + first, last - first);
    }
    return;
  }
  thread_local std::vector<double> less;  // minus the sums
  for (int64_t k = first; k < last; k += kStrip) {
    const Strip &strip = strips_[k / kStrip], &next = strips_[k / kStrip + 1];
    const int64_t depth = std::min(kStrip, last - k), width = next.outputs - strip.outputs;
    less.assign(rows * width, 0.0);
    simd::table().f64.subtract_products(values + k - first, stride, rows,
                                        values_.data() + strip.values, depth, width, depth,
                                        less.data(), width);
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t* output = outputs_.data() + strip.outputs;
      for (int64_t c = 0; c < width; ++c) {
        out[r * outputs() + output[c]] -= less[r * width + c];
      }
    }
  }
}

namespace {

// Values of a few rows, at most kTileRows, with all centres: the centres are on the left of the
// tiles, so that only the rows have to be packed. The values are the same bits.
bool expand_few(const Expansion& e, const Points& points, std::span<const int64_t> rows,
                double* out, const Workers& workers) {
  const int64_t n = static_cast<int64_t>(rows.size());
  const int64_t m = static_cast<int64_t>(e.which.size());
  const Tiles<double> packed(e.kernel, e.centres, points, rows, e.centres, workers);
  std::vector<double> tile(simd::kTileRows * packed.padded()), values(n * kCentreChunk);
  for (int64_t first = 0; first < m; first += kCentreChunk) {
    const int64_t last = std::min(m, first + kCentreChunk);
    for (int64_t k = first; k < last; k += simd::kTileRows) {
      const int64_t group = std::min<int64_t>(simd::kTileRows, last - k);
      packed.rows(e.which.subspan(k, group), 0, n, tile.data(), packed.padded());
      for (int64_t c = 0; c < group; ++c) {
        for (int64_t r = 0; r < n; ++r) {
          values[r * kCentreChunk + k - first + c] = tile[c * packed.padded() + r];
        }
      }
    }
    e.weights.combine(values.data(), n, kCentreChunk, first, last, out);
    if (workers.monitor.stop()) return false;
  }
  return true;
}

bool expand_many(const Expansion& e, const Points& points, std::span<const int64_t> rows,
                 double* out, const Workers& workers) {
  const int64_t n = static_cast<int64_t>(rows.size()), outputs = e.weights.outputs();
  const int64_t m = static_cast<int64_t>(e.which.size());
  constexpr int64_t kRows = 2 * kLeftRows;
  for (int64_t first = 0; first < m; first += kCentreChunk) {
    const int64_t last = std::min(m, first + kCentreChunk), count = last - first;
    const Tiles<double> centres(e.kernel, points, e.centres, e.which.subspan(first, count),
                                e.centres, workers);
    const auto block = [&](int64_t b) {
      std::vector<double> values(kLeftRows * centres.padded());
      const int64_t stop = std::min(n, (b + 1) * kRows);
      for (int64_t i = b * kRows; i < stop; i += kLeftRows) {
        const int64_t group = std::min<int64_t>(kLeftRows, stop - i);
        centres.rows(rows.subspan(i, group), 0, count, values.data(), centres.padded());
        e.weights.combine(values.data(), group, centres.padded(), first, last, out + i * outputs);
      }
    };
    if (!workers.run((n + kRows - 1) / kRows, block)) return false;
  }
  return true;
}

}  // namespace

bool expand(const Expansion& e, const Points& points, std::span<const int64_t> rows, double* out,
            const Workers& workers) {
  static_assert(kCentreChunk % Weights::kStrip == 0);
  const int64_t n = static_cast<int64_t>(rows.size()), outputs = e.weights.outputs();
  std::fill_n(out, n * outputs, 0.0);
  workers.monitor.work.evaluate<double>(n * static_cast<int64_t>(e.which.size()));
  const auto sum = n <= simd::kTileRows ? expand_few : expand_many;
  if (!sum(e, points, rows, out, workers)) return false;
  // Values were summed less the kernel's constant: add it back, times the sum of the weights.
  const double offset = e.kernel.offset();
  for (int64_t i = 0; i < n && offset != 0; ++i) {
    for (int64_t p = 0; p < outputs; ++p) out[i * outputs + p] += offset * e.weights.totals()[p];
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
    const Tiles<double> centres(kernel, points, points, which.subspan(first, count), points,
                                workers);
    const double* weight = weights.data() + first;
    // Of each block of rows below the chunk, what they add to the chunk's own sums.
    const int64_t blocks = (m - first + kMirrorRows - 1) / kMirrorRows;
    std::vector<double> mirrored(blocks * kCentreChunk, 0.0);
    const auto block = [&](int64_t b) {
      std::vector<double> values(kLeftRows * centres.padded());
      const int64_t begin = first + b * kMirrorRows, stop = std::min(m, begin + kMirrorRows);
      for (int64_t i = begin; i < stop; i += kLeftRows) {
        const int64_t group = std::min<int64_t>(kLeftRows, stop - i);
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
