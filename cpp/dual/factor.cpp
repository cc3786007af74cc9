#include "dual/factor.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace svm {
namespace {

// A pivot is negative where it is so by more than what rounding does to it: a share of its diagonal
// entry, of the largest one so far, and of the entries of K that it is a difference of.
constexpr double kPivotRounding = 1e-6, kSizeRounding = 1e-9, kEntryRounding = 1e-12;
// What the four entries that a difference is made of are off by, as a share of them.
constexpr double kDifferenceRounding = 4 * 0x1p-52;
// A ridge above this share of the diagonal entry is not lost in it.
constexpr double kRidgeDigits = 1e-13;

}  // namespace

void Factor::reset(const References& references) {
  references_ = references;
  cholesky_.clear();
  kept_.clear();
  dropped_.clear();
  smallest_ = std::numeric_limits<double>::infinity();
}

bool Factor::retry(int64_t variable) {
  const size_t before = kept_.size();
  std::erase(dropped_, variable);
  append({&variable, 1});
  return kept_.size() > before;
}

bool Factor::append(std::span<const int64_t> variables) {
  return cholesky_.append(
      static_cast<int64_t>(variables.size()), workers_,
      [&](int64_t r, int64_t begin, int64_t end, double* out) {
        for (int64_t c = begin; c < end; ++c) *out++ = difference(variables[r], kept_[c]);
      },
      [&](int64_t r, double rest) { return take(variables[r], rest); });
}

void Factor::erase(size_t place) {
  cholesky_.erase(place);
  kept_.erase(kept_.begin() + static_cast<int64_t>(place));
}

std::vector<double> Factor::eliminate(int64_t variable) const {
  std::vector<double> x(kept_.size());
  for (size_t k = 0; k < kept_.size(); ++k) x[k] = difference(kept_[k], variable);
  cholesky_.forward_substitute(x);
  return x;
}

double Factor::difference(int64_t i, int64_t j) const {
  const int64_t r = reference(i), s = reference(j);
  return K_.row(i)[j] - K_.row(i)[s] - K_.row(r)[j] + K_.row(r)[s];
}

double Factor::take(int64_t variable, double rest) {
  const double size = difference(variable, variable), pivot = size - rest;
  // Of a duplicate of the reference, size and pivot are rounding: against the others' size, and
  // the entries' own.
  const int64_t r = reference(variable);
  const double entries = std::abs(K_.row(variable)[variable]) + std::abs(K_.row(r)[r]);
  largest_ = std::max(largest_, std::abs(size));
  // Each of the kept explains a part x^2 of the size, x = H / sqrt(its pivot): where that is small, as
  // of a near copy of the reference, the rounding of H is much of x.
  const double rounding = kDifferenceRounding * (largest_ + entries) / std::sqrt(smallest_);
  const double explained =
      2 * rounding * std::sqrt(std::abs(size) * static_cast<double>(kept_.size()));
  concave_ |= std::min(size, pivot + kPivotRounding * std::abs(size) + explained) <
              -kSizeRounding * largest_ - kEntryRounding * entries;
  const bool kept = pivot > smallest_pivot(variable, size);
  if (kept) smallest_ = std::min(smallest_, pivot);
  (kept ? kept_ : dropped_).push_back(variable);
  return kept ? pivot : 0;
}

double Factor::smallest_pivot(int64_t variable, double size) const {
  const double ridge = ridge_.empty() ? 0 : ridge_[variable];
  const double cut = kSmallestPivot * std::abs(size);
  return ridge > kRidgeDigits * std::abs(size) ? std::min(cut, 0.5 * ridge) : cut;
}

}  // namespace svm
