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
bool multiply(const Sample& sample, const double* w, double intercept, double* out,
              const Workers& workers);

// out[i, p] = x_i'coef_p + intercept_p for all rows and outputs
bool scores(const RowProducts& rows, const double* coef, const double* intercepts, int64_t outputs,
            double* out, const Workers& workers);

// Additions one after the other in X'weight.
int64_t combine_additions(const Sample& sample);

// X'weight
bool combine(const Sample& sample, const double* weight, std::vector<double>& out,
             const Workers& workers);

}  // namespace svm::linear
