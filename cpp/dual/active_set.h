// Whether the active set is identified: when Newton steps are quicker than more pair steps.
//
// Pair steps find out which variables are free; once they hardly change that, one linear system has
// the values that they would take very many steps to reach. It is worth its price as soon as pair
// steps have cost as much: then the two together are at most twice the better one.
#pragma once

#include <cstdint>
#include <vector>

#include "dual/dual.h"

namespace svm {

// What a Newton system of f free variables out of n costs, in variables that a pair step touches:
//
//   f^3 / 64         for its factor,
//   f^2 value_cost   for its matrix,
//   n (f / 4 + 8)    for adding the step to the gradient of all variables.
inline double newton_price(int64_t variables, int64_t free, double value_cost) {
  const double n = static_cast<double>(variables), f = static_cast<double>(free);
  return f * f * f / 64 + f * f * value_cost + n * (f / 4 + 8);
}

class ActiveSet {
 public:
  // `row_cost` is that of a kernel value, in features.
  ActiveSet(const Box& box, double row_cost)
      : box_(box), row_cost_(row_cost), free_((box.size() + 7) / 8, 0) {}

  // Asked before each working set, when so many variables are free and pair steps have touched so
  // many of their sets in all. Where it says yes, that is the price of a system, and the next one
  // costs as much again.
  bool identified(const double* beta, int64_t free, int64_t touched) {
    // Groups make no difference to what is free, and no gradient is asked for.
    const int64_t changed =
        simd::variable_table().changes(variables_of(box_, beta, beta), free_.data());
    const bool before = stable_;
    stable_ = free > 1 && changed <= kFew + free / kMany;
    // Once is a guess, and fair only where the price is small.
    const double spent = static_cast<double>(touched - paid_) / (before ? 1 : kGuess);
    if (!stable_ || spent < newton_price(box_.size(), free, 8 + row_cost_ / 4)) return false;
    paid_ = touched;
    return true;
  }

 private:
  // The set is stable where no more than a few variables, or one of many, have changed; a guess has
  // to be this many times as cheap.
  static constexpr int64_t kFew = 2, kMany = 256, kGuess = 8;

  const Box& box_;
  double row_cost_;
  std::vector<uint8_t> free_;  // a bit for each variable, when last asked
  bool stable_ = false;        // when last asked
  int64_t paid_ = 0;
};

}  // namespace svm
