// The problem on a working set: its own copy of the box and of the point.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dual/budget.h"
#include "dual/dual.h"
#include "dual/pair_steps.h"
#include "dual/quadratic.h"

namespace svm {

class SetProblem {
 public:
  void take(std::span<const int64_t> set, const Box& box, const double* beta, const double* f) {
    lower_.clear(), upper_.clear(), group_.clear(), beta_.clear(), f_.clear();
    epsilon_ = box.epsilon;
    for (const int64_t i : set) {
      lower_.push_back(box.lower[i]), upper_.push_back(box.upper[i]);
      beta_.push_back(beta[i]), f_.push_back(f[i]);
      if (!box.group.empty()) group_.push_back(box.group[i]);
    }
  }

  template <class T>
  void solve(const StoredMatrix<T>& K, double tol, Budget& budget) {
    const Stopwatch watch(budget.monitor.work.pair_seconds);
    const Box box{lower_, upper_, epsilon_, group_};
    take_pair_steps(K, box, beta_.data(), f_.data(), tol, budget);
  }

  double beta(size_t k) const { return beta_[k]; }

 private:
  double epsilon_ = 0;
  std::vector<double> lower_, upper_, beta_, f_;
  std::vector<uint8_t> group_;
};

}  // namespace svm
