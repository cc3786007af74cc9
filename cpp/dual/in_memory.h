// Problems whose matrix is in memory: pair steps and Newton steps in turn, to rounding.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "dual/dual.h"
#include "dual/fit.h"
#include "dual/newton.h"
#include "dual/quadratic.h"

namespace svm {

// Up to here an interior-point step costs less than a stage of pair steps, and its factor is small.
inline constexpr int64_t kLargestInterior = 3072;
// Newton steps after which a system that was to be quick is not.
inline constexpr int64_t kQuickSteps = 4;

// A problem of a few thousand variables at most: the `whole` one that is fitted, or the free
// variables of a larger one and those around them.
class InMemory {
 public:
  // The gradient is f = constant + K beta; both beta and f are moved in place.
  InMemory(Fit& fit, StoredMatrix<double>& K, const Box& box, std::vector<double> constant,
           std::span<const double> ridge, double* beta, double* f, bool whole);

  void renew_gradient() { newton_.gradient(beta_, f_); }
  // Pair steps and Newton steps in turn until the violation is at most `tolerance` or rounding, or
  // three rounds bring neither half of it nor a billionth of the objective.
  void alternate(double tolerance);
  // A few Newton steps only.
  void run_quickly(double target) { newton_.run(beta_, f_, target, kQuickSteps); }
  // Goes on from the end of an interior-point method, if that leads to a better objective.
  void try_interior_point(double target);
  // Tells the fit how many Newton steps there were, and whether they met negative curvature.
  void conclude();

 private:
  double violation() const { return extremes(box_, beta_, f_).violation(); }
  // What there is to reach: the tolerance, or rounding where that is more.
  double target() const;
  void descend(int round);
  // At most `most` pair steps down to a violation of tol, and the gradient from the beginning.
  void descend_stage(double tol, int64_t most);
  // Pair steps on a float32 copy of the matrix, in half the time. False, and all is as it was,
  // where its rounding makes them unreliable.
  bool descend_single(double tol);
  template <class T>
  void descend_on(StoredMatrix<T>& K, double tol);
  // Whether a round has brought the violation or the objective on.
  bool improved();
  // One more Newton step; not where it follows negative curvature away from a solution.
  void refine();

  struct Saved {
    std::vector<double> beta, f;
  };
  Saved save() const { return {{beta_, beta_ + K_.size()}, {f_, f_ + K_.size()}}; }
  void restore(const Saved& saved);

  Fit& fit_;
  StoredMatrix<double>& K_;
  const Box& box_;
  Newton newton_;
  double *beta_, *f_;
  bool whole_;
  double tolerance_ = 0, asked_ = 0, tol_ = 0;  // of alternate(), of pair steps at last, and now
  double lowest_ = kInfinity, highest_ = -kInfinity;  // violation and objective so far
  StoredMatrix<float> single_;
  bool unreliable_;  // whether float32 is too rough
};

// A small problem: the whole matrix in float64.
void solve_in_memory(Fit& fit);

}  // namespace svm
