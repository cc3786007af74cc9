// Sequential minimal optimisation on a matrix in memory: two variables of a group move at a time,
// chosen by second-order gain (Fan, Chen, Lin 2005), and with them those of the last steps, so that
// directions are conjugate (Torres-Barran, Alaiz, Dorronsoro 2021).
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "dual/budget.h"
#include "dual/dual.h"
#include "dual/quadratic.h"

namespace svm {

// A direction of descent that has few variables in it.
class Direction {
 public:
  struct Part {
    int64_t variable;
    double change;
  };

  Direction() = default;
  Direction(int64_t up, int64_t down) : parts_{{{up, 1}, {down, -1}}}, count_(2) {}

  std::span<const Part> parts() const { return {parts_.data(), count_}; }
  // Whether a pair may still be turned towards it. With longer memory steps are not fewer.
  bool open() const { return count_ > 0 && count_ + 2 <= kMost; }

  // (e_up - e_down) + share times this.
  Direction turn(int64_t up, int64_t down, double share) const {
    Direction turned = *this;
    for (size_t k = 0; k < count_; ++k) turned.parts_[k].change *= share;
    turned.add(up, 1);
    turned.add(down, -1);
    return turned;
  }

 private:
  static constexpr size_t kMost = 16;

  void add(int64_t variable, double change) {
    for (size_t k = 0; k < count_; ++k) {
      if (parts_[k].variable == variable) return void(parts_[k].change += change);
    }
    parts_[count_++] = {variable, change};
  }

  std::array<Part, kMost> parts_;
  size_t count_ = 0;
};

// Moves pairs of beta until the violation is at most tol, nothing moves, or eight steps per
// variable are done: then it is time to look at the other variables again. The variables of a group
// stand side by side; f is their gradient, and is not followed.
template <class T>
void take_pair_steps(const StoredMatrix<T>& K, const Box& box, double* beta, const double* f,
                     double tol, Budget& budget);

}  // namespace svm
