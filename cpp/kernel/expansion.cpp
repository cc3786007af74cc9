#include "kernel/expansion.h"

#include <algorithm>
#include <numeric>
#include <type_traits>
#include <vector>

namespace svm {

Weights::Weights(std::span<const double> weights, int64_t outputs)
    : centres_(outputs > 0 ? static_cast<int64_t>(weights.size()) / outputs : 0),
      totals_(outputs, 0.0),
      strips_{{0, 0}} {
  const int64_t width = outputs == 1 ? 1 : simd::table().f64.width;
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
      if (used[p]) outputs_.push_back(p);
    }
    const int64_t begin = strips_.back().outputs, end = static_cast<int64_t>(outputs_.size());
    for (int64_t panel = begin; panel < end; panel += width) {
      for (int64_t k = first; k < last; ++k) {
        for (int64_t c = panel; c < panel + width; ++c) {
          values_.push_back(c < end ? weights[k * outputs + outputs_[c]] : 0);
        }
      }
    }
    strips_.push_back({end, static_cast<int64_t>(values_.size())});
  }
}

template <class T>
void Weights::combine(const T* values, int64_t rows, int64_t stride, int64_t first, int64_t last,
                      double* out) const {
  if (outputs() == 1) {
    for (int64_t r = 0; r < rows; ++r) {
      out[r] +=
          simd::table().loops<T>().dot(values + r * stride, values_.data() + first, last - first);
    }
    return;
  }
  const int64_t lanes = simd::table().f64.width;
  thread_local std::vector<double> sums, wide;
  for (int64_t k = first; k < last; k += kStrip) {
    const Strip &strip = strips_[k / kStrip], &next = strips_[k / kStrip + 1];
    const int64_t depth = std::min(kStrip, last - k), width = next.outputs - strip.outputs;
    const int64_t panels = (width + lanes - 1) / lanes, room = panels * lanes;
    sums.resize(std::max<size_t>(sums.size(), rows * room));
    const double* from = nullptr;
    int64_t apart = stride;
    if constexpr (std::is_same_v<T, double>) {
      from = values + k - first;
    } else {
      wide.resize(std::max<size_t>(wide.size(), rows * kStrip));
      for (int64_t r = 0; r < rows; ++r) {
        std::copy_n(values + r * stride + k - first, depth, wide.data() + r * kStrip);
      }
      from = wide.data(), apart = kStrip;
    }
    simd::table().f64.weigh(from, apart, rows, values_.data() + strip.values, depth, panels,
                            sums.data(), room);
    const int64_t* output = outputs_.data() + strip.outputs;
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t c = 0; c < width; ++c) out[r * outputs() + output[c]] += sums[r * room + c];
    }
  }
}

template void Weights::combine(const float*, int64_t, int64_t, int64_t, int64_t, double*) const;
template void Weights::combine(const double*, int64_t, int64_t, int64_t, int64_t, double*) const;

std::vector<int64_t> all_rows(int64_t count) {
  std::vector<int64_t> index(count);
  std::iota(index.begin(), index.end(), 0);
  return index;
}

namespace {

// Adds what the centres from `first` on, those of the tiles from `begin` on, have for all rows.
bool add_chunk(const Tiles<double>& tiles, int64_t begin, const Weights& weights, int64_t first,
               std::span<const int64_t> rows, double* out, const Workers& workers) {
  const int64_t n = static_cast<int64_t>(rows.size());
  const int64_t count = std::min(kCentreChunk, tiles.size() - begin);
  return workers.run((n + kLeftRows - 1) / kLeftRows, [&](int64_t b) {
    thread_local std::vector<double> values(kLeftRows * kCentreChunk);
    const int64_t i = b * kLeftRows, group = std::min<int64_t>(kLeftRows, n - i);
    tiles.rows(rows.subspan(i, group), begin, begin + count, values.data(), kCentreChunk);
    weights.combine(values.data(), group, kCentreChunk, first, first + count,
                    out + i * weights.outputs());
  });
}

// Values were summed less the kernel's constant: add it back, times the sum of the weights.
void add_offset(const Kernel& kernel, const Weights& weights, int64_t rows, double* out) {
  const double offset = kernel.offset();
  if (offset == 0) return;
  for (int64_t i = 0; i < rows; ++i) {
    for (const double total : weights.totals()) *out++ += offset * total;
  }
}

}  // namespace

bool expand(const Kernel& kernel, const Points& centres, std::span<const int64_t> which,
            const Weights& weights, const Points& points, std::span<const int64_t> rows,
            double* out, const Workers& workers) {
  const int64_t n = static_cast<int64_t>(rows.size()), m = static_cast<int64_t>(which.size());
  std::fill_n(out, n * weights.outputs(), 0.0);
  workers.monitor.work.evaluate<double>(n * m);
  for (int64_t first = 0; first < m; first += kCentreChunk) {
    const int64_t count = std::min(kCentreChunk, m - first);
    const Tiles<double> tiles(kernel, points, centres, which.subspan(first, count),
                              centres.nearly_dense(), workers);
    if (!add_chunk(tiles, 0, weights, first, rows, out, workers)) return false;
  }
  add_offset(kernel, weights, n, out);
  return true;
}

Expansion::Expansion(const Kernel& kernel, const Points& centres, std::span<const double> weights,
                     int64_t outputs, const Workers& workers)
    : kernel_(kernel),
      weights_(weights, outputs),
      packed_(kernel, centres, centres, all_rows(centres.rows()), centres.nearly_dense(), workers,
              Purpose::prediction) {
  for (int64_t k = 0; k < centres.rows(); ++k) entries_ += centres.entries(k);
}

bool Expansion::evaluate(const Points& points, double* out, const Workers& workers) const {
  static_assert(kCentreChunk % Weights::kStrip == 0);
  const int64_t n = points.rows(), m = packed_.size();
  if (n == 0) return true;
  const std::vector<int64_t> rows = all_rows(n);
  const Tiles<double> tiles(packed_, points);
  std::fill_n(out, n * outputs(), 0.0);
  if (n <= kLeftRows) {
    if (!add_few(tiles, rows, out, workers)) return false;
  } else {
    for (int64_t first = 0; first < m; first += kCentreChunk) {
      if (!add_chunk(tiles, first, weights_, first, rows, out, workers)) return false;
    }
  }
  add_offset(kernel_, weights_, n, out);
  return true;
}

// A few rows: threads share the centres. The sums are made in the same order as for many.
bool Expansion::add_few(const Tiles<double>& tiles, std::span<const int64_t> rows, double* out,
                        const Workers& workers) const {
  constexpr int64_t kAlone = 1 << 21;  // products: for fewer, waking a thread takes too long
  const int64_t n = static_cast<int64_t>(rows.size()), m = tiles.size();
  const int64_t stride = tiles.padded(), chunks = (m + kCentreChunk - 1) / kCentreChunk;
  const int64_t room = (n + simd::kTileRows - 1) / simd::kTileRows * simd::kTileRows;
  std::vector<double> values(room * stride);
  const Workers team{n * entries_ < kAlone ? 1 : workers.threads, workers.monitor};
  const bool done = team.run(chunks, [&](int64_t b) {
    const int64_t first = b * kCentreChunk, last = std::min(m, first + kCentreChunk);
    tiles.rows(rows, first, last, values.data() + first, stride);
  });
  for (int64_t first = 0; first < m && done; first += kCentreChunk) {
    const int64_t last = std::min(m, first + kCentreChunk);
    weights_.combine(values.data() + first, n, stride, first, last, out);
  }
  return done;
}

bool expand_among(const Kernel& kernel, const Points& points, std::span<const int64_t> which,
                  std::span<const double> weights, double* out, const Workers& workers) {
  const int64_t m = static_cast<int64_t>(which.size());
  std::fill_n(out, m, 0.0);
  for (int64_t first = 0; first < m; first += kCentreChunk) {
    const int64_t count = std::min(kCentreChunk, m - first);
    workers.monitor.work.evaluate<double>((m - first) * count);
    const Tiles<double> centres(kernel, points, points, which.subspan(first, count),
                                points.nearly_dense(), workers);
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
