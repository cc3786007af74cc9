// One problem for growing C on a matrix in memory: the solution for one C is where the next begins.
//
//   box of beta_i = C [lower_i, upper_i],  sum of beta = 0
//
// From C to C' = s C the point s beta is feasible, its gradient is s (f + t) - t, and what was at a
// bound is at the new one. The free variables mostly want to stay where they were; how far they go
// back is found by an exact search along a line. Then pair steps and Newton steps as in dual/, on
// working sets that are kept from C to C.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/certificate.h"
#include "dual/budget.h"
#include "dual/descend.h"
#include "dual/dual.h"
#include "dual/quadratic.h"
#include "dual/solution.h"
#include "kernel/gram.h"
#include "run/workers.h"
#include "selection/split_matrix.h"

namespace svm {

struct PathProblem {
  Places places;                             // of the rows in the matrix, one variable each
  std::vector<double> target, lower, upper;  // the box for C = 1
  double epsilon = 0;
  // The groups of the matrix's rows that it is made of, where each has one target and one box.
  std::vector<int64_t> groups = {};
};

// How wrong entries of the matrix may be, and how large they are.
struct EntryBounds {
  double error, largest;
};

class Path {
 public:
  // The engine of dual/, from a point that is near, for what is beyond this one.
  using Rescue = std::function<Solution(const DualProblem&, std::span<const double> start)>;

  Path(const SplitMatrix& K, const PathProblem& problem, const EntryBounds& bounds, double tol,
       Rescue rescue, Monitor& monitor);

  // Goes on to the solution for C, larger than the last one. False where the monitor stopped it.
  bool solve(double C);

  // Whether a larger C changes nothing, because no variable is at a bound that grows.
  bool settled() const { return settled_; }
  std::span<const double> beta() const { return beta_; }
  const Certificate& certificate() const { return certificate_; }

 private:
  // The part of the matrix that has the problem's rows.
  class Block final : public Quadratic<float> {
   public:
    Block(const SplitMatrix& K, const Places& places) : K_(K), places_(places) {}
    int64_t size() const override { return places_.size(); }
    void block(std::span<const int64_t> which, float* out) override;
    bool renew(std::span<const int64_t> which, std::span<const int64_t> places,
               float* out) override;
    bool accumulate(std::span<const int64_t> which, std::span<const double> step,
                    double* f) override;

    // Additions to f so far, and the sizes of what was added.
    int64_t additions = 0;
    double added = 0;

   private:
    const SplitMatrix& K_;
    const Places& places_;
  };

  DualProblem stated() const {
    return {problem_.target, {lower_, upper_, problem_.epsilon, {}}, {}, {}};
  }
  Box box() const { return {lower_, upper_, problem_.epsilon, {}}; }
  int64_t size() const { return problem_.places.size(); }
  double violation() const;
  int64_t count_free() const;

  // From the solution for the last C to a feasible point for this one.
  void rescale(double C);
  // Where all of the smaller side is at its bound, which is the solution for a small C, or at zero.
  void begin();
  struct Sides {
    std::array<std::vector<int64_t>, 2> variables;  // that go down, and up
    std::array<double, 2> sums = {};                // of their bounds
  };
  Sides sides() const;
  // The gradient where all of a side have the same share of their bounds, from sums of groups.
  std::vector<double> even_gradient(const Sides& sides, double sum) const;
  // The free variables back towards where they were before, to the lowest point on the way.
  void pull_back();
  // Pair steps, and Newton steps once they are cheaper, down to a violation of tol.
  void descend(double tol);
  void descend_whole(double tol);
  // A few Newton steps on the free variables and the nearest others; false where nothing moves.
  bool newton(double target);
  std::vector<int64_t> nearest() const;
  // Adds what the low part of the matrix makes of the moves since the last time.
  void correct();
  // The gradient from the beginning, with or without the low part.
  void renew();
  void add_support();
  bool certify();

  const SplitMatrix& K_;
  const PathProblem& problem_;
  EntryBounds bounds_;
  double tol_;
  Rescue rescue_;
  Monitor& monitor_;
  Block block_;
  Descent<float> descent_;
  StoredMatrix<float> whole_;  // of a small problem
  Budget budget_;
  double C_ = 0;
  bool settled_ = false;
  std::vector<double> lower_, upper_, beta_, f_;
  std::vector<double> known_;  // the point up to which f has the low part of the matrix
  Certificate certificate_;
};

}  // namespace svm
