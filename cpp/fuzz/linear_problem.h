// Linear problems from bytes.
#pragma once

#include <memory>
#include <vector>

#include "fuzz/data.h"
#include "kernel/expansion.h"
#include "linear/solve.h"

namespace fuzz {

class LinearProblem {
 public:
  explicit LinearProblem(Bytes& bytes)
      : data_{bytes, bytes.between(1, 12), bytes.between(0, 6)},
        index_(bytes.flag() ? svm::all_rows(data_.rows())
                            : bytes.places(bytes.between(1, 8), data_.rows())) {
    const int64_t n = std::ssize(index_);
    const uint8_t kind = bytes.byte() % 4;
    const double epsilon = bytes.flag() ? bytes.size() : 0;
    target_ = bytes.numbers(n), lower_.resize(n), upper_.resize(n);
    for (int64_t k = 0; k < n; ++k) {
      const double C = bytes.size();
      const uint8_t side = bytes.byte() % 3;
      if (kind == 0) target_[k] = target_[k] < 0 ? -1 : 1, upper_[k] = C;
      if (kind == 0) continue;
      const double bound = kind == 1 ? svm::kInfinity : C;
      lower_[k] = side == 0 ? 0 : -bound, upper_[k] = side == 1 ? 0 : bound;
      if (kind == 1) ridge_.push_back(1 / (2 * (C > 0 ? C : 1)));
    }
    if (kind == 0) {
      loss_ = std::make_unique<svm::linear::Logistic>(target_, upper_);
    } else {
      loss_ = std::make_unique<svm::linear::Tube>(target_, lower_, upper_, ridge_, epsilon);
    }
    tube_ = kind != 0;
    const svm::linear::Intercept intercept{bytes.flag(), bytes.flag() ? bytes.size() : 0};
    problem_ = std::make_unique<svm::linear::Problem>(svm::linear::Problem{
        {data_.products(), index_}, *loss_, intercept, bytes.flag() ? bytes.size() : 1});
  }

  const Data& data() const { return data_; }
  const svm::linear::Problem& problem() const { return *problem_; }
  bool tube() const { return tube_; }  // what coordinate descent is for

 private:
  Data data_;
  std::vector<int64_t> index_;
  std::vector<double> target_, lower_, upper_, ridge_;
  std::unique_ptr<svm::linear::Loss> loss_;
  std::unique_ptr<svm::linear::Problem> problem_;
  bool tube_;
};

inline svm::Settings linear_settings(Bytes& bytes) {
  return {.tol_gap = bytes.one_of({1e-3, 1e-10, 0.0, 1e300}),
          .tol_violation = bytes.one_of({svm::kInfinity, 1e-6, 0.0}),
          .max_steps = bytes.one_of<std::optional<int64_t>>({{}, 0, 1, 7, 1000}),
          .threads = 1};
}

}  // namespace fuzz
