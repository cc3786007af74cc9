// From probabilities of pairs of classes to probabilities of classes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace svm {

// Wu, Lin and Weng's second method: of r_st, the probability of class s among s and t,
//
//   minimise sum_s sum_{t != s} (r_ts p_s - r_st p_t)^2   subject to   sum_s p_s = 1.
//
// With Q_ss = sum_{t != s} r_ts^2 and Q_st = -r_ts r_st, the optimum solves Q p + b 1 = 0 with
// 1'p = 1. `pairs` has r_st of s < t, ordered by s and then t; `out` has a place for each class.
class Coupling {
 public:
  explicit Coupling(int64_t classes) : classes_(classes) {}
  void operator()(std::span<const double> pairs, double* out);

 private:
  int64_t classes_;
  std::vector<double> system_, solution_;
};

}  // namespace svm
