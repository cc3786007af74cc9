#include "dual/in_memory.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "dual/active_set.h"
#include "dual/certificate.h"
#include "dual/interior.h"
#include "kernel/expansion.h"

namespace svm {
namespace {

// Of many problems those of at most this many variables are solved to rounding all the same: that
// costs next to nothing. Not where the tolerance is this loose: then digits are not what is wanted.
constexpr int64_t kTiny = 256;
constexpr double kLoose = 5e-3;
// A small problem is solved to rounding: however loose the tolerance is, pair steps aim for this
// share of the first violation, from where Newton steps find the same free variables again.
constexpr double kAskedShare = 2.5e-4;
// A tolerance above this share of the first violation is one stage of pair steps away.
constexpr double kOneStage = 1e-4;
// Otherwise the first stage goes down to this share, and each next one to this share of what there
// is: many pair steps are for Newton steps to save.
constexpr double kFirstShare = 0.02, kNextShare = 0.002;
// A stage of pair steps is bounded: where they crawl, Newton steps take over.
constexpr int64_t kLeastStage = 20'000, kStageEach = 50;
// Rounds that may pass without the violation halved or the objective higher by this share.
constexpr int kPatience = 3;
constexpr double kGain = 1e-9;
// A round that leaves at most this share of the violation is followed by another: an interior point
// costs as much as a dozen of them.
constexpr double kSwift = 0.1;

}  // namespace

InMemory::InMemory(Fit& fit, StoredMatrix<double>& K, const Box& box, std::vector<double> constant,
                   std::span<const double> ridge, double* beta, double* f, bool whole)
    : fit_(fit),
      K_(K),
      box_(box),
      newton_(K, box, std::move(constant), ridge, fit.workers),
      beta_(beta),
      f_(f),
      whole_(whole),
      unreliable_(!std::isfinite(fit.gram.single_error())) {
  renew_gradient();
}

void InMemory::conclude() {
  fit_.solution.newton_steps += newton_.steps();
  fit_.budget.concave |= newton_.concave();
}

double InMemory::target() const {
  return std::max(tolerance_, fit_.rounding({beta_, beta_ + K_.size()}));
}

void InMemory::alternate(double tolerance) {
  const double first = violation();
  tolerance_ = tolerance;
  asked_ = whole_ && tolerance == 0
               ? std::min(kBelowTolerance * fit_.settings.tol_violation, kAskedShare * first)
               : tolerance;
  tol_ = tolerance >= kOneStage * first ? tolerance : kFirstShare * first;
  // A part of a problem comes from pair steps: Newton steps are first.
  if (!whole_) newton_.run(beta_, f_, target());
  bool tried = K_.size() > kLargestInterior;
  for (int round = 1, stale = 0; stale < kPatience && violation() > target(); ++round, ++stale) {
    const double last = violation();
    descend(round);
    if (fit_.budget.over()) return;
    const int64_t most = whole_ && round == 1 ? kQuickSteps : Newton::kNoLimit;
    if (violation() > target()) newton_.run(beta_, f_, target(), most);
    // Digits beyond those that were asked for are worth two rounds.
    if (round == 2 && violation() <= asked_) break;
    // Where later rounds are not swift, bounds are met one after the other: an interior point sees
    // them all at once.
    if (round > 1 && !tried && violation() > std::max(target(), kSwift * last)) {
      try_interior_point(target());
      tried = true;
    }
    if (whole_) fit_.observe(beta_, f_, levels(box_, beta_, f_));
    if (fit_.monitor.stopped()) return;
    if (improved()) stale = -1;
    tol_ = std::max(std::min(tol_, violation()) * kNextShare, round == 1 ? asked_ : 0);
  }
  if (tolerance == 0) refine();
}

void InMemory::descend(int round) {
  descend_stage(std::max(tol_, target()), std::max(kLeastStage, kStageEach * K_.size()));
  if (!whole_ || round > 1) return;
  // They go on as long as all of them have cost less than a system will.
  int64_t free = 0;
  for (int64_t i = 0; i < box_.size(); ++i) free += box_.free(i, beta_[i]);
  const auto price = static_cast<int64_t>(newton_price(K_.size(), free, 1));
  descend_stage(std::max(asked_, target()), (price - fit_.budget.touched) / K_.size());
}

void InMemory::descend_stage(double tol, int64_t most) {
  if (most <= 0 || violation() <= tol) return;
  const Stage stage(fit_.budget, most);
  if (whole_ && !unreliable_ && descend_single(tol)) return;
  descend_on(K_, tol);
  renew_gradient();
}

template <class T>
void InMemory::descend_on(StoredMatrix<T>& K, double tol) {
  fit_.descend<T>(K, box_, beta_, f_, tol, [this](const Levels& now) {
    if (whole_) fit_.observe(beta_, f_, now);
    return true;
  });
}

bool InMemory::descend_single(double tol) {
  const int64_t n = K_.size();
  if (single_.size() != n) {
    // That of all rows: a problem may have two variables for each.
    const bool same = n == fit_.gram.size() && fit_.problem.ridge.empty();
    const float* kept = same ? fit_.gram.kept_single(fit_.workers) : nullptr;
    if (kept) {
      single_.refer(kept, n);
    } else {
      single_.resize(n);
      std::copy_n(K_.row(0), n * n, single_.data());
    }
  }
  const Saved before = save();
  const double value = newton_.value(beta_, f_);
  descend_on(single_, tol);
  renew_gradient();
  // Along negative curvature the way may be endless, beyond the range of float32.
  unreliable_ = !(newton_.value(beta_, f_) >= value) || fit_.budget.concave;
  if (unreliable_) restore(before);
  return !unreliable_;
}

void InMemory::try_interior_point(double target) {
  if (fit_.budget.concave || newton_.concave()) return;
  std::optional<std::vector<double>> found = interior_point(
      K_, fit_.gram.offset(), box_, newton_.constant(), {beta_, beta_ + K_.size()}, fit_.workers);
  if (!found) return;
  std::vector<double> gradient(K_.size());
  newton_.gradient(found->data(), gradient.data());
  newton_.run(found->data(), gradient.data(), target);
  if (!(newton_.value(found->data(), gradient.data()) > newton_.value(beta_, f_))) return;
  restore({std::move(*found), std::move(gradient)});
}

bool InMemory::improved() {
  const double now = violation(), dual = newton_.value(beta_, f_);
  const bool better = now < 0.5 * lowest_ || dual > highest_ + kGain * std::abs(highest_);
  lowest_ = std::min(lowest_, now);
  highest_ = std::max(highest_, dual);
  return better;
}

void InMemory::refine() {
  const Saved before = save();
  const double last = violation();
  newton_.run(beta_, f_, 0, 1);
  if (violation() > std::max(last, target())) restore(before);
}

void InMemory::restore(const Saved& saved) {
  std::copy(saved.beta.begin(), saved.beta.end(), beta_);
  std::copy(saved.f.begin(), saved.f.end(), f_);
}

void solve_in_memory(Fit& fit) {
  const int64_t n = fit.problem.size();
  StoredMatrix<double>& K = fit.block(all_rows(n));
  if (fit.monitor.stopped()) return fit.restart();
  std::vector<double> constant(n, fit.gram.offset() * fit.problem.sum());
  for (int64_t i = 0; i < n; ++i) constant[i] -= fit.problem.target[i];
  InMemory whole(fit, K, fit.problem.box, std::move(constant), fit.problem.ridge, fit.beta(),
                 fit.f.data(), true);
  const double tol = fit.settings.tol_violation;
  const bool to_rounding =
      fit.settings.alone || !std::isfinite(tol) || (n <= kTiny && tol < kLoose);
  whole.alternate(to_rounding ? 0 : kBelowTolerance * tol);
  whole.conclude();
  fit.restore_totals();
  const double before = fit.monitor.seconds();
  whole.renew_gradient();
  fit.certify(
      gradient_error(fit.gram, fit.problem, fit.solution.beta, count_support(fit.solution.beta)));
  fit.solution.certificate_seconds = fit.monitor.seconds() - before;
}

}  // namespace svm
