// Some rows with their targets, and of sparse ones no columns but those that occur in them: what is
// tried on a sample of text then costs as much as the sample has entries, not features.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "rows/reader.h"
#include "stream/descent.h"

namespace svm::stream {

class Sample {
 public:
  Sample(const Points& points, const Targets& targets, std::span<const int64_t> rows)
      : points_(&points), order_(rows.begin(), rows.end()), targets_(targets) {
    single_precision(points) ? take<float>(rows) : take<double>(rows);
  }
  Sample(const Sample&) = delete;  // targets_ views its own values

  const Points& points() const { return *points_; }
  const Targets& targets() const { return targets_; }
  std::span<const int64_t> order() const { return order_; }  // of all rows of the sample

  // m_j = mean_i x_ij^2
  std::vector<double> mean_squares() const {
    return single_precision(*points_) ? squares<float>() : squares<double>();
  }

 private:
  template <class X>
  void take(std::span<const int64_t> rows) {
    with_rows<X>(*points_, [&]<class Rows>(const Rows& from) {
      if constexpr (Rows::kSparse) {
        own_ = std::make_unique<Own<X>>(from, rows);
        points_ = &own_->points();
        for (const int64_t row : rows) {
          y_.push_back(targets_.y[row]);
          weight_.push_back(targets_.weight[row]);
        }
        targets_ = {y_, weight_, targets_.codes};
        std::iota(order_.begin(), order_.end(), 0);
      }
    });
  }

  template <class X>
  std::vector<double> squares() const {
    std::vector<double> out(points_->columns(), 0.0);
    with_rows<X>(*points_, [&](const auto& rows) {
      for (const int64_t row : order_) {
        rows.visit(row, [&](int64_t j, X x) {
          const double value = static_cast<double>(x);
          out[j] += value * value / static_cast<double>(order_.size());
        });
      }
    });
    return out;
  }

  struct Owner {
    virtual ~Owner() = default;
    virtual const Points& points() const = 0;
  };

  template <class X>
  class Own final : public Owner {
   public:
    template <class Rows>
    Own(const Rows& from, std::span<const int64_t> rows) {
      std::vector<int32_t> number(from.columns, 0);
      for (const int64_t row : rows) from.visit(row, [&](int64_t j, X) { number[j] = 1; });
      int32_t columns = 0;
      for (int32_t& place : number) place = place == 0 ? -1 : columns++;
      for (const int64_t row : rows) {
        from.visit(row, [&](int64_t j, X value) {
          places_.push_back(number[j]);
          values_.push_back(value);
        });
        starts_.push_back(static_cast<int32_t>(places_.size()));
      }
      const int64_t count = static_cast<int64_t>(rows.size());
      points_ = std::make_unique<CsrPoints<X, int32_t>>(CsrRows<X, int32_t>{
          values_.data(), places_.data(), starts_.data(), count, std::max(1, columns)});
    }
    const Points& points() const override { return *points_; }

   private:
    std::vector<X> values_;
    std::vector<int32_t> places_, starts_ = {0};
    std::unique_ptr<Points> points_;
  };

  const Points* points_;
  std::unique_ptr<Owner> own_;
  std::vector<double> y_, weight_;
  std::vector<int64_t> order_;
  Targets targets_;
};

}  // namespace svm::stream
