// Some columns of the rows of a problem, copied: rows of their own, to go through again and again.
#pragma once

#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "linear/passes.h"
#include "rows/points.h"

namespace svm::linear {

class ChosenColumns {
 public:
  // Columns ascending. What was copied is not to be used if the monitor has stopped it.
  ChosenColumns(const Points& points, std::span<const int64_t> rows, std::vector<int64_t> columns,
                const Workers& workers)
      : columns_(std::move(columns)), index_(rows.size()) {
    std::iota(index_.begin(), index_.end(), 0);
    const auto n = static_cast<int64_t>(rows.size()), m = static_cast<int64_t>(columns_.size());
    const std::unique_ptr<Points> view = points.choose(columns_);
    starts_.assign(n + 1, 0);
    for_rows(n, workers, [&](int64_t k) { starts_[k + 1] = view->entries(rows[k]); });
    std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
    const auto size = static_cast<double>(n) * static_cast<double>(m);
    if (kEntryCost * static_cast<double>(starts_[n]) >= size) {
      values_.resize(n * m);
      for_rows(n, workers,
               [&](int64_t k) { view->scatter_row(rows[k], values_.data() + k * m, 1); });
      products_ = std::make_unique<DenseProducts<double>>(DenseRows<double>{values_.data(), n, m});
      return;
    }
    values_.resize(starts_[n]);
    places_.resize(starts_[n]);
    for_rows(n, workers, [&](int64_t k) {
      std::vector<int32_t> places(starts_[k + 1] - starts_[k]);
      view->list_row(rows[k], values_.data() + starts_[k], places.data());
      std::copy(places.begin(), places.end(), places_.begin() + starts_[k]);
    });
    products_ = std::make_unique<CsrProducts<double, int64_t>>(
        CsrRows<double, int64_t>{values_.data(), places_.data(), starts_.data(), n, m});
  }
  ChosenColumns(const ChosenColumns&) = delete;

  Sample sample() const { return {*products_, index_}; }
  int64_t size() const { return static_cast<int64_t>(columns_.size()); }
  const std::vector<int64_t>& columns() const { return columns_; }

 private:
  std::vector<int64_t> columns_, index_;
  std::vector<double> values_;
  std::vector<int64_t> places_, starts_;  // of sparse ones
  std::unique_ptr<RowProducts> products_;
};

}  // namespace svm::linear
