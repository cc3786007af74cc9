#include "kernel/rough_expansion.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace svm {

namespace {

constexpr double kRounding = 0x1p-24, kExactRounding = 0x1p-53;
constexpr double kLargest = std::numeric_limits<float>::max();
constexpr double kSmallest = std::numeric_limits<float>::min();
constexpr double kFar = 88;  // beyond it exp(-t) is less than float32 has

}  // namespace

RoughExpansion::RoughExpansion(const Kernel& kernel, const Points& centres,
                               std::span<const double> weights, int64_t outputs,
                               const Workers& workers)
    : gamma_(kernel.gamma),
      weights_(weights, outputs),
      sparse_(centres.sparse() && !centres.nearly_dense()),
      by_norms_(sparse_ || centres.columns() >= simd::kLongRow),
      packed_(kernel, centres, centres, all_rows(centres.rows()), centres.nearly_dense(), workers,
              Purpose::prediction) {
  for (int64_t k = 0; k < centres.rows(); ++k) {
    terms_ = std::max(terms_, centres.entries(k));
    largest_ = std::max(largest_, centres.squared_norm(k));
  }
  if (!sparse_) terms_ = centres.columns();
  if (outputs > 1) return;
  for (size_t first = 0; first < weights.size(); first += kCentreChunk) {
    const auto chunk =
        weights.subspan(first, std::min<size_t>(kCentreChunk, weights.size() - first));
    const auto [low, high] = std::minmax_element(chunk.begin(), chunk.end());
    one_sign_.push_back(*low >= 0 || *high <= 0);
    for (const double weight : chunk) absolute_.push_back(std::abs(weight));
  }
  size_ = std::accumulate(absolute_.begin(), absolute_.end(), 0.0);
}

bool RoughExpansion::evaluate(const Points& points, double* out, double* errors,
                              const Workers& workers) const {
  const int64_t n = points.rows(), m = packed_.size();
  const std::vector<int64_t> rows = all_rows(n);
  const Tiles<float> tiles(packed_, points);
  std::fill_n(out, n * outputs(), 0.0);
  std::fill_n(errors, n, 0.0);  // at first of W - A
  for (int64_t first = 0; first < m; first += kCentreChunk) {
    const int64_t count = std::min(kCentreChunk, m - first), chunk = first / kCentreChunk;
    const bool done = workers.run((n + kLeftRows - 1) / kLeftRows, [&](int64_t b) {
      thread_local std::vector<float> values(kLeftRows * kCentreChunk);
      const int64_t i = b * kLeftRows, group = std::min<int64_t>(kLeftRows, n - i);
      tiles.rows({rows.data() + i, static_cast<size_t>(group)}, first, first + count, values.data(),
                 kCentreChunk);
      if (outputs() > 1) {
        weights_.combine(values.data(), group, kCentreChunk, first, first + count,
                         out + i * outputs());
        return;
      }
      for (int64_t r = 0; r < group; ++r) {
        const float* row = values.data() + r * kCentreChunk;
        double sum = 0;
        weights_.combine(row, 1, kCentreChunk, first, first + count, &sum);
        out[i + r] += sum;
        errors[i + r] += one_sign_[chunk]
                             ? std::abs(sum)
                             : -simd::table().f32.dot(row, absolute_.data() + first, count);
      }
    });
    if (!done) return false;
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t p = 0; p < outputs(); ++p) out[i * outputs() + p] += weights_.totals()[p];
    errors[i] = error(points, i, size_ > 0 ? 1 - errors[i] / size_ : 1);
  }
  return true;
}

// The error of t is e u. Of d squared differences e is (d + 6) t + 2 sqrt(gamma t) s, with the s
// that rows converted to float32 move by. Of norms less a dot product of d terms it is
// gamma (d + 8) (|x|^2 + |c|^2) + 4 t: d + 2 for the product, the rest for norms that are rounded
// and added.
double RoughExpansion::error(const Points& points, int64_t row, double share) const {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const double squared = points.squared_norm(row), norms = squared + largest_;
  const int64_t entries = points.entries(row);
  const double d = static_cast<double>(sparse_ ? std::min(terms_, entries) : terms_);
  const double s = std::sqrt(squared) + std::sqrt(largest_);
  const bool room = 4 * norms < kLargest && gamma_ >= kSmallest && gamma_ <= kLargest;
  if (!room) return kInfinite;

  const double lost = 4 * gamma_ * d * kSmallest / kRounding;  // terms too small for float32
  const double constant =
      lost + (by_norms_ ? gamma_ * (d + 8) * norms : gamma_ * kRounding * s * s);
  const double slope = by_norms_ ? 4 : d + 6, root = by_norms_ ? 0 : 2 * std::sqrt(gamma_) * s;
  // No value is off by more than a fiftieth, so that the sum of |w| k is A to 2 roundings of W and
  // to that, and what is of second order is left to a twentieth.
  const double most = constant + slope * kFar + root * std::sqrt(kFar) + 4;
  if (!(kRounding * most < 0.02)) return kInfinite;
  const double near = std::min(1.0, 1.03 * (std::max(share, 0.0) + 2 * kRounding));
  const double decay = std::max(1.0, -std::log(near));  // L; from 1 on A L grows with A
  const double single =
      kRounding * (near * (constant + slope * decay + root * std::sqrt(decay) + 4) + 2);

  // What Expansion itself may be wrong by, and the sums of both.
  const double longest = static_cast<double>(std::max(terms_, entries));
  const double exact =
      kExactRounding * (256 * (longest + 6) + 4 * static_cast<double>(packed_.size()) + 64);
  return 1.05 * (single + exact);
}

}  // namespace svm
