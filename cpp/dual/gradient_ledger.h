// What is known of the gradient f = (K + R)beta - t between two exact passes.
//
// Pair steps follow f in float32, and its error grows with every step. A pass in float64 over all
// rows would cost as much as a round of steps; but a certificate depends only on some f_i, and
// where few variables have moved since they were known, only the change has to be added:
//
//   f_i(beta) = f_i(known) + ((K + R)(beta - known))_i.
//
// The ledger keeps the last known point, each f_i there with a bound of its error, and the f_i that
// a Newton step from there has left exact.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "dual/dual.h"
#include "kernel/gram.h"
#include "run/workers.h"

namespace svm {

class GradientLedger {
 public:
  GradientLedger(const Gram& gram, const DualProblem& problem, const Workers& workers)
      : gram_(gram), problem_(problem), workers_(workers) {}

  // The exact gradient of all variables. False when stopped half-way.
  bool begin(const std::vector<double>& beta, std::vector<double>& f);

  // Whether this is the last known point, and how far another one is from it.
  bool at(const std::vector<double>& beta) const { return known_.beta == beta; }
  std::vector<double> change_to(std::span<const double> beta) const;

  // After a step of some variables from the known point to beta: exact f of these, by how much they
  // have changed in float64.
  void record_step(std::span<const int64_t> variables, std::span<const double> changes,
                   const std::vector<double>& beta, std::vector<double>& f);
  // Forgets such a step where there were others since.
  void forget_unless_at(const std::vector<double>& beta);
  // What the step has left exact is off by this much more.
  void widen(double error) { step_.error += error; }

  // Makes f exact where the certificate of beta depends on it: for all variables that are not zero,
  // and for those whose loss may be another slope within the error of their f, which has grown by
  // `drift` since it was known. The others have no loss and do not violate anything, wherever in
  // that range their f is. The largest correction; nothing when stopped half-way.
  std::optional<double> correct(const std::vector<double>& beta, std::span<const double> change,
                                double drift, std::vector<double>& f);

  // Bounds on the error of f at the known point where the certificate depends on it, and of all f_i
  // at a point that has drifted away.
  double error() const { return known_.error; }
  double error_after(double drift) const;

 private:
  struct Known {
    std::vector<double> beta, f, errors;
    double error = 0;  // of those that are exact
    bool exact(int64_t v) const { return errors[v] <= error; }
  };
  struct Step {
    std::vector<int64_t> variables;
    std::vector<double> beta;
    double error = 0;
  };

  // The variables whose f has to be made exact and is not: those to be followed from what is known,
  // and those to be summed afresh. They are marked as exact.
  struct Needed {
    std::vector<int64_t> followed, fresh;
  };
  Needed find_needed(std::span<const double> beta, std::span<const double> f,
                     std::span<const double> errors, bool follow, std::vector<bool>& exact) const;
  // f_v = known f_v + ((K + R) change)_v, for some variables. False when stopped half-way.
  bool follow(std::span<const double> change, std::span<const int64_t> variables, double* f) const;
  // The error of that, where products were added one after the other.
  double followed_error(std::span<const double> change, int64_t additions) const;

  const Gram& gram_;
  const DualProblem& problem_;
  const Workers& workers_;
  Known known_;
  Step step_;
};

}  // namespace svm
