// Sequential minimal optimisation on a matrix in memory: two variables of a group move at a time,
// chosen by second-order gain (Fan, Chen, Lin 2005), and with them those of the last steps, so that
// directions are conjugate (Torres-Barran, Alaiz, Dorronsoro 2021).
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dual/budget.h"
#include "dual/dual.h"
#include "dual/quadratic.h"
#include "simd/table.h"

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

// Pair steps on a matrix in memory. The variables of a group stand side by side. The gradient has
// the precision of the matrix here and is measured from the level of its group, so that rounding is
// small against violations, down to a 2^-21st of epsilon; nobody else sees it.
//
// A step that met no bound has left the gradient orthogonal to its direction p. The next one goes
// along d = (e_i - e_j) - (along_i - along_j) / p'Kp p, with along = Kp: that is conjugate to p,
// flatter than the pair alone, and no steeper, so the step is longer and gains more.
template <class T>
class PairSolver {
 public:
  PairSolver(const StoredMatrix<T>& K, const Box& box, double* beta, const double* f);

  // Moves pairs until the violation is at most tol, nothing moves, or eight steps a variable are
  // done: then it is time to look at the other variables again.
  void run(double tol, Budget& budget);

 private:
  struct Pair {
    int64_t i = -1, j = -1;  // up and down
    T violation = 0, gain = 0;
  };

  void update(int64_t i) {
    up_[i] = static_cast<T>(box_.up_offset(i, beta_[i]));
    down_[i] = static_cast<T>(box_.down_offset(i, beta_[i]));
  }

  // Finite, as the infinite ones are those that cannot move.
  static T narrow(double x);

  std::pair<int64_t, int64_t> range(int g) const {
    const int64_t begin = g == 0 ? 0 : ends_[g - 1];
    return {begin, ends_[g] - begin};
  }

  // Of each group the variable that is cheapest to move up, with the partner of the largest
  // second-order gain; then the better group. None where no violation is above tol.
  Pair select(double tol);

  // A step along a conjugate direction, or else along the pair. False when it is below rounding.
  bool move(const Pair& pair, Budget& budget);

  // The step along the pair turned towards the last direction, if that flattens it and all
  // variables stay inside; else 0, and nothing has moved.
  double move_turned(const Pair& pair, double curvature, double* share);

  // The step along (+1, -1) that minimises the pair's parabola, cut at the first bound or kink.
  double move_pair(const Pair& pair, double curvature);

  // The pair's curvature is mostly rounding.
  static bool flat(double k_ii, double k_jj, double curvature);

  // Negative by more than the rounding of the three values.
  static bool concave(double k_ii, double k_jj, double k_ij);

  const StoredMatrix<T>& K_;
  const Box& box_;
  double* beta_;
  const simd::Loops<T>& loops_ = simd::table().loops<T>();
  std::vector<T> f_, up_, down_, diagonal_;
  bool constant_;         // the diagonal
  Direction last_;        // of the last step, where that met no bound
  double curvature_ = 0;  // its curvature
  std::vector<T> along_;  // and its product with the matrix
  std::array<int64_t, kGroups> ends_ = {}, lowest_ = {-1, -1};  // of f + up_ in each group
  std::array<T, kGroups> low_ = {};
  T worst_;  // the last violation
};

}  // namespace svm
