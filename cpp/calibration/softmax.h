// Probabilities of classes that have an output each: P_k proportional to exp(a_k f_k + b_k),
// a_k >= 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace svm {

struct Softmax {
  std::vector<double> slope, offset;  // a, b

  int64_t classes() const { return static_cast<int64_t>(slope.size()); }
  void operator()(const double* outputs, double* out) const;
};

// Outputs of rows that the machine has not seen, one after the other, the number of the class of
// each row, and what it counts.
Softmax fit_softmax(std::span<const double> outputs, std::span<const int64_t> code,
                    std::span<const double> weight, int64_t classes);

}  // namespace svm
