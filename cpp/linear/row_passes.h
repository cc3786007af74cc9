// What Newton's method asks of the rows of a problem, in passes.
//
// Scores, dual variables and curvatures are numbers of a row and stay with the rows; the method
// (newton.cpp) sends weights and steps, and sees sums over rows only. So it does not know where the
// rows are: in this process (local_rows.h) or on other machines (remote_rows.h).
//
// A pass that returns a bool is false when the monitor stopped it; its sums are then not used.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "linear/loss.h"
#include "run/monitor.h"

namespace svm::linear {

// How the intercept enters: not at all, free, or penalised by p/2 b^2.
struct Intercept {
  bool present = true;
  double penalty = 0;
  bool free() const { return present && penalty == 0; }
};

// What does not change while a problem is solved.
struct Shape {
  int64_t rows = 0, columns = 0;
  int64_t entries = 0;    // stored ones
  double box = 0;         // the sum of the largest size that each dual variable may have
  int64_t additions = 0;  // one after the other in X'beta
  bool kinked = false;    // the loss has to be smoothed
  bool divisible = true;  // all rows are at hand, and so is a share of them
  bool remote = false;    // a pass is a round of messages
  int trials = 1;         // steps along a direction that are worth asking at once
  Intercept intercept;
  double scale = 1;  // size of a typical residual at w = 0
};

// Sums over the dual variables of a point: X'beta, 1'beta, and how many are not zero.
struct DualSums {
  std::vector<double> w;
  double sum = 0;
  int64_t support = 0;
};

// The dual point that Newton's equations foresee (newton.cpp), but for the part of X'beta that the
// method knows: X'clipped, 1'beta and the terms at the scores.
struct Foresight {
  std::vector<double> clipped;
  double sum = 0;
  Terms terms;
};

// Where dual variables may move to: the sum of their sizes, the room of all of them, and of those
// inside their interval.
struct Rooms {
  double size = 0, all = 0, inside = 0;
};

// The sum of |beta_k| |x_k|, and the largest |x_k|.
struct Reach {
  double sum = 0, largest = 0;
  Reach& operator+=(const Reach& o) {
    sum += o.sum;
    largest = std::max(largest, o.largest);
    return *this;
  }
};

// Dual points that the rows remember.
enum class Point { current, foreseen, best };

class RowPasses {
 public:
  virtual ~RowPasses() = default;
  virtual const Shape& shape() const = 0;
  // Who may stop the passes from now on.
  virtual void watch(Monitor& monitor) = 0;
  // One row of every `times`, each standing for as many.
  virtual std::unique_ptr<RowPasses> part(int64_t times) = 0;

  // s = Xw + b
  virtual bool score(const std::vector<double>& w, double b) = 0;
  // The loss is smoothed with this weight around its centre: zero, the middle of the jump next to
  // each score, or the current point.
  virtual void smooth(double sigma) = 0;
  virtual void centre_in_the_middle() = 0;
  virtual void centre_at_the_point() = 0;
  // Dual variables and curvatures at the scores: the current point.
  virtual bool slopes(Terms& terms, DualSums& dual) = 0;

  // Sums over rows with a curvature, of the point that slopes() found:
  // the upper triangle of sum curvature_k (x_k, 1)(x_k, 1)', null when stopped,
  virtual const std::vector<double>* gram() = 0;
  // its diagonal, the intercept last, and its product with a vector, times the loss's factor.
  virtual bool squares(std::vector<double>& out) = 0;
  virtual bool product(const std::vector<double>& v, std::vector<double>& out) = 0;

  // delta = X direction, the intercept's entry last; then slopes along it, and a step.
  virtual bool aim(const std::vector<double>& direction) = 0;
  virtual std::vector<Slope> along(const std::vector<double>& steps) = 0;
  virtual void advance(double step) = 0;
  virtual bool foresee(Foresight& found) = 0;

  // The best point so far is this one.
  virtual void keep(Point point) = 0;

  // The candidate: a copy of a point, which is made feasible and judged.
  virtual void consider(Point point) = 0;
  virtual void clear() = 0;  // all zero
  virtual double total() = 0;
  // Where its variables may move if their sum is to lose `rest`, and moving them by that share.
  virtual Rooms rooms(double rest) = 0;
  virtual void shift(double rest, double share, bool inside_only) = 0;
  virtual bool combine(DualSums& dual) = 0;
  // Its terms at the scores; the costs of moving from it at the scores Xw; and its reach.
  virtual Terms compare() = 0;
  virtual bool costs(const std::vector<double>& w, Costs& costs) = 0;
  virtual Reach reach() = 0;
  // What the rounding of the scores that score() has made can do to the difference of its terms.
  virtual double rounding() = 0;
  // Its dual variables, if they are here.
  virtual std::vector<double> take() = 0;
};

}  // namespace svm::linear
