// The state of one fit: the point and its gradient, what the fit may still cost, and how good the
// point is. The stages of a fit (in_memory.h, large.h) move the point; they all end in certify().
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/settings.h"
#include "core/trace.h"
#include "dual/budget.h"
#include "dual/certificate.h"
#include "dual/dual.h"
#include "dual/quadratic.h"
#include "dual/share.h"
#include "dual/solution.h"
#include "kernel/gram.h"
#include "run/workers.h"

namespace svm {

// Steps go half-way below the tolerance, so that the certificate's own error has room.
inline constexpr double kBelowTolerance = 0.5;

struct Fit {
  const Gram& gram;
  const DualProblem& problem;
  const Settings& settings;
  Share& share;
  Monitor& monitor;
  Workers workers;
  Trace trace;
  Budget budget;
  Solution solution;      // the point beta among others
  std::vector<double> f;  // its gradient (K + R)beta - t

  Fit(const Gram& gram, const DualProblem& problem, const Settings& settings, Share& share,
      Monitor& monitor);

  double* beta() { return solution.beta.data(); }
  double violation() const;

  // From `start`, or from zero where that is feasible, or else by filling the variables in order
  // until the sums are met.
  void begin(std::span<const double> start);
  // Where the monitor stopped the fit before anything was known about its first point: back to the
  // formulation's own, whose gradient is -t or cheap.
  void restart();

  // Pair steps on working sets down to a violation of tol, or until go_on() says no.
  template <class T>
  void descend(Quadratic<T>& K, const Box& box, double* beta, double* f, double tol,
               const std::function<bool(const Levels&)>& go_on);
  // The same on each of these sets once.
  template <class T>
  void sweep(Quadratic<T>& K, std::span<const std::vector<int64_t>> sets, double tol,
             const std::function<bool(const Levels&)>& go_on);
  // Most variables of a working set.
  int64_t largest_set() const;
  // Memory for rows: sets that are larger than usual have theirs from the same.
  int64_t row_bytes() const;
  // Takes down where the fit is, by what it knows of its gradient.
  Certificate observe(const double* beta, const double* f, const Levels& now);

  // The float64 matrix of some variables (where they are as many as the rows, of all in order), the
  // ridge included, until the next is asked for;
  // incomplete where the monitor stops.
  StoredMatrix<double>& block(std::span<const int64_t> variables);
  void release_block() { block_.release(); }

  // A violation that rounding alone may cause.
  double rounding(std::span<const double> beta) const;
  // Makes the sums of the groups hold again, to rounding: what is missing goes onto the free
  // variables, those with most room first. How far they move.
  double restore_totals();
  // The certificate of the point, and the status that it means. `error` bounds the error of each
  // f_i; `estimate` says that f is the solver's own.
  void certify(double error, bool estimate = false);
  // Whether a gap is asked for, however large the violation.
  bool to_gap() const { return std::isfinite(settings.tol_gap); }
  // Keeps the point that certify() has judged, if its gap is the smallest so far; and goes back to
  // the one that was kept, if it is better than what the fit has ended with.
  void keep_proven();
  void fall_back();

 private:
  struct Proven {
    std::vector<double> beta, f;
    Certificate certificate;
  };

  int64_t set_size(int64_t variables, int64_t moved, int64_t free);

  bool large_sets() const;

  int64_t set_size_;  // of the last working set
  std::optional<Proven> proven_;
  StoredMatrix<double> block_;
};

}  // namespace svm
