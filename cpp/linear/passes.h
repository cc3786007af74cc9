// Passes over all rows of a problem: in blocks or strips whose number does not depend on the
// threads, each strip with its own sum, the sums added in order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "rows/products.h"
#include "run/workers.h"

namespace svm::linear {

inline constexpr int64_t kPassBlock = 1024;    // rows of a block of data
inline constexpr int64_t kVectorBlock = 8192;  // entries of a block of numbers

// The rows of a problem: variable k belongs to row index[k].
struct Sample {
  const RowProducts& rows;
  std::span<const int64_t> index;

  int64_t size() const { return static_cast<int64_t>(index.size()); }
  int64_t columns() const { return rows.columns(); }
  int64_t stored() const {
    if (!rows.sparse()) return size() * columns();
    int64_t sum = 0;
    for (const int64_t row : index) sum += rows.entries(row);
    return sum;
  }
};

// Threads that pay for a pass over this sample: waking them takes longer than a short pass.
inline int paying_threads(const Sample& sample, int threads) {
  constexpr int64_t kShort = 1 << 18;
  return sample.stored() <= kShort ? 1 : threads;
}

// task(begin, end) over blocks of 0 .. n - 1; false when the monitor stopped it.
template <class Task>
bool in_blocks(int64_t n, int64_t block, const Workers& workers, Task task) {
  return workers.run((n + block - 1) / block,
                     [&](int64_t k) { task(k * block, std::min(n, (k + 1) * block)); });
}

// The sum of part(begin, end) over blocks, added in order. A stopped sum is not used by anyone.
template <class Sum, class Part>
Sum sum_blocks(int64_t n, const Workers& workers, Part part) {
  const int64_t count = (n + kVectorBlock - 1) / kVectorBlock;
  std::vector<Sum> parts(count);
  workers.run(count, [&](int64_t k) {
    parts[k] = part(k * kVectorBlock, std::min(n, (k + 1) * kVectorBlock));
  });
  Sum sum{};
  for (const Sum& p : parts) sum += p;
  return sum;
}

// out[k] = x_k'w + intercept
inline bool multiply(const Sample& sample, const double* w, double intercept, double* out,
                     const Workers& workers) {
  return in_blocks(sample.size(), kPassBlock, workers, [&](int64_t begin, int64_t end) {
    sample.rows.multiply(sample.index.subspan(begin, end - begin), w, out + begin);
    for (int64_t k = begin; k < end; ++k) out[k] += intercept;
  });
}

// out[i, p] = x_i'coef_p + intercept_p for all rows and outputs
inline bool scores(const RowProducts& rows, const double* coef, const double* intercepts,
                   int64_t outputs, double* out, const Workers& workers) {
  constexpr int64_t kRows = 64;  // stay in the cache from one output to the next
  return in_blocks(rows.rows(), kRows, workers, [&](int64_t begin, int64_t end) {
    int64_t which[kRows];
    double score[kRows];
    for (int64_t i = begin; i < end; ++i) which[i - begin] = i;
    for (int64_t p = 0; p < outputs; ++p) {
      rows.multiply({which, static_cast<size_t>(end - begin)}, coef + p * rows.columns(), score);
      for (int64_t i = begin; i < end; ++i) {
        out[i * outputs + p] = score[i - begin] + intercepts[p];
      }
    }
  });
}

// Whether blocks of rows have sums of their own in X'weight, which shortens the chains of additions
// and costs little where rows are not much sparser than the sum.
inline bool own_blocks(const Sample& sample) {
  return !sample.rows.sparse() || sample.columns() <= 4 * kPassBlock;
}

// Strips of rows with sums of their own, as many as pay.
inline int64_t strip_count(const Sample& sample) {
  const int64_t n = sample.size(), blocks = (n + kPassBlock - 1) / kPassBlock;
  const int64_t pay = n / std::max<int64_t>(1, sample.columns() / 8);
  return std::clamp<int64_t>(sample.rows.sparse() ? std::min(blocks, pay) : blocks, 1, 16);
}

// Additions one after the other in X'weight.
inline int64_t combine_additions(const Sample& sample) {
  const int64_t rows = sample.size() / strip_count(sample) + kPassBlock;
  return (own_blocks(sample) ? kPassBlock + rows / kPassBlock : rows) + 16;
}

// X'weight
inline bool combine(const Sample& sample, const double* weight, std::vector<double>& out,
                    const Workers& workers) {
  const int64_t n = sample.size(), d = sample.columns();
  const int64_t blocks = (n + kPassBlock - 1) / kPassBlock;
  const int64_t strips = strip_count(sample);
  std::vector<std::vector<double>> sums(strips);
  const bool done = workers.run(strips, [&](int64_t s) {
    sums[s].assign(d, 0.0);
    std::vector<double> part(own_blocks(sample) ? d : 0);
    int64_t rows[kPassBlock];
    double weights[kPassBlock];
    for (int64_t block = blocks * s / strips; block < blocks * (s + 1) / strips; ++block) {
      size_t count = 0;  // rows of weight zero are not read
      for (int64_t k = block * kPassBlock; k < std::min(n, (block + 1) * kPassBlock); ++k) {
        rows[count] = sample.index[k];
        weights[count] = weight[k];
        count += weight[k] != 0;
      }
      if (!own_blocks(sample)) {
        sample.rows.add({rows, count}, weights, sums[s].data());
        continue;
      }
      std::fill(part.begin(), part.end(), 0.0);
      sample.rows.add({rows, count}, weights, part.data());
      for (int64_t j = 0; j < d; ++j) sums[s][j] += part[j];
    }
  });
  if (!done) return false;
  out.assign(d, 0.0);
  for (const auto& sum : sums) {
    for (int64_t j = 0; j < d; ++j) out[j] += sum[j];
  }
  return true;
}

}  // namespace svm::linear
