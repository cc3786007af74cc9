#include "linear/passes.h"

namespace svm::linear {
namespace {

// Whether blocks of rows have sums of their own in X'weight, which shortens the chains of additions
// and costs little where rows are not much sparser than the sum.
bool own_blocks(const Sample& sample) {
  return !sample.rows.sparse() || sample.columns() <= 4 * kPassBlock;
}

// Strips of rows with sums of their own, as many as pay.
int64_t strip_count(const Sample& sample) {
  const int64_t n = sample.size(), blocks = (n + kPassBlock - 1) / kPassBlock;
  const int64_t pay = n / std::max<int64_t>(1, sample.columns() / 8);
  return std::clamp<int64_t>(sample.rows.sparse() ? std::min(blocks, pay) : blocks, 1, 16);
}

}  // namespace

bool multiply(const Sample& sample, const double* w, double intercept, double* out,
              const Workers& workers) {
  return in_blocks(sample.size(), kPassBlock, workers, [&](int64_t begin, int64_t end) {
    sample.rows.multiply(sample.index.subspan(begin, end - begin), w, out + begin);
    for (int64_t k = begin; k < end; ++k) out[k] += intercept;
  });
}

bool scores(const RowProducts& rows, const double* coef, const double* intercepts, int64_t outputs,
            double* out, const Workers& workers) {
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

int64_t combine_additions(const Sample& sample) {
  const int64_t rows = sample.size() / strip_count(sample) + kPassBlock;
  return (own_blocks(sample) ? kPassBlock + rows / kPassBlock : rows) + 16;
}

bool combine(const Sample& sample, const double* weight, std::vector<double>& out,
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
