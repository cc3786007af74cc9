#include "dual/large.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include "dual/active_set.h"
#include "dual/cached_kernel.h"
#include "dual/cells.h"
#include "dual/gradient_ledger.h"
#include "dual/polish.h"

namespace svm {
namespace {

// Where the tolerance is this far below the first violation, pair steps go down to kCoarseShare of
// that violation, and Newton steps from an exact gradient find the digits that follow.
constexpr double kCoarseShare = 1e-4, kFarBelow = 4;
// Newton steps take over where pair steps end below this share of the first violation: above it
// most variables have still to find their bounds.
constexpr double kHandoverShare = 0.01;
// Where a round has not halved the violation, pair steps of the next go down to a tenth of it.
constexpr double kFiner = 0.1;
// Corrections of the float32 gradient above this share of the handover: its noise would lead steps.
constexpr double kNoiseShare = 0.2;
// Float32 tells violations apart down to this share of epsilon, which its gradient is measured
// from.
constexpr double kSingleDigits = 0x1p-21;
// Pair steps for each variable after which they crawl, and how often they may before Newton steps
// follow in any case. Each round may take twice as many as the last.
constexpr int64_t kStageEach = 100, kMostCrawls = 2;
// A fit begins with a sweep over sets of rows that are near one another, each solved to this share
// of the first violation, where there are at least so many sets and rows have this many times as
// much in common with their neighbours as with others.
constexpr double kSweepShare = 0.05, kLocal = 2;
constexpr int64_t kLeastSets = 4;
// Where a gap is asked for, there is no end by the violation before this share of the first. The
// gap is proven when the steps see this share of what was asked for; and on the way whenever they
// see it halved and the proof costs at most this share of the work since the last one.
constexpr double kFinestShare = 1e-9, kSeenShare = 0.9, kProofShare = 0.2;

template <class T>
std::unique_ptr<KernelSource<T>> make_source(const Fit& fit) {
  if constexpr (std::is_same_v<T, float>) {
    return fit.gram.single(fit.workers);
  } else {
    return fit.gram.exact(fit.workers);
  }
}

// Rounds in one precision. A round is pair steps down to `coarse_`, in a stage that is bounded, and
// Newton steps once the active set is identified, once the stage has ended below `handover_`, or
// where pair steps crawl; then the certificate.
template <class T>
class Rounds {
 public:
  Rounds(Fit& fit, GradientLedger& ledger, ActiveSet& active_set)
      : fit_(fit),
        ledger_(ledger),
        active_set_(active_set),
        source_(make_source<T>(fit)),
        K_(cached_kernel(*source_, fit.problem, !fit.gram.expensive(), fit.row_bytes(),
                         fit.share.memory, fit.workers)),
        finest_(kBelowTolerance * fit.settings.tol_violation),
        goal_(kSeenShare * fit.settings.tol_gap),
        stage_(kStageEach * fit.problem.size()) {
    const double first = fit.violation();
    if (fit.to_gap()) finest_ = kFinestShare * first;
    handover_ = std::max(finest_, kHandoverShare * first);
    coarse_ = kCoarseShare * first > kFarBelow * finest_ ? kCoarseShare * first : finest_;
  }

  // True when the fit is over; false when this precision has nothing more to give.
  bool run() {
    sweep();
    while (round()) stage_ *= 2;
    fit_.solution.rows_computed += K_->rows_computed();
    fit_.solution.rows_asked = std::max(fit_.solution.rows_asked, K_->rows_asked());
    return decided() || enough_ || std::is_same_v<T, double>;
  }

 private:
  bool decided() const { return fit_.solution.status != Status::precision; }

  // Where nothing has moved yet, and the kernel is one of a distance and local.
  void sweep() {
    const int64_t n = fit_.problem.size(), largest = fit_.largest_set();
    const double offset = fit_.gram.offset();
    if (!std::is_same_v<T, float> || !fit_.settings.alone || offset == 0) return;
    if (n != fit_.gram.size() || fit_.problem.box.groups() > 1 || n < kLeastSets * largest) return;
    if (count_support(fit_.solution.beta) > 0) return;
    const Cells cells = find_cells(*source_, offset, largest, fit_.workers);
    if (cells.likeness < kLocal) return;
    fit_.sweep<T>(*K_, cells.sets, kSweepShare * fit_.violation(), [this](const Levels& now) {
      fit_.observe(fit_.beta(), fit_.f.data(), now);
      return true;
    });
  }

  // Whether the gap that the steps see is worth a proof.
  bool worth_proof(const Certificate& seen) const {
    if (!fit_.to_gap()) return false;
    const double support = static_cast<double>(seen.support),
                 n = static_cast<double>(fit_.f.size());
    const double work = static_cast<double>(fit_.monitor.work.kernel_entries - proven_at_);
    return seen.gap <= goal_ ||
           (seen.gap <= 0.5 * proven_ && 2 * support * n <= kProofShare * work);
  }

  // True when another round may bring more.
  bool round() {
    // Newton steps to digits that pair steps do not reach start from an exact gradient.
    const bool digits = coarse_ > finest_;
    const bool identified = descend(!digits || last_ < kInfinity);
    const std::optional<double> first = digits ? certify() : 0.0;
    const bool done = digits && decided();
    if (!done && (identified || fit_.violation() <= handover_ || crawls_ > 0)) {
      polish(fit_, ledger_, *K_, finest_,
             identified || crawls_ > kMostCrawls ? kInfinity : handover_,
             digits ? Effort::once : Effort::thorough);
    }
    const std::optional<double> second = certify();
    return goes_on(second ? std::optional(std::max(first.value_or(0), *second)) : std::nullopt);
  }

  // Pair steps, and quick Newton steps where `polished`, as long as the stage lasts. Whether the
  // active set was identified when they ended.
  bool descend(bool polished) {
    const Stage stage(fit_.budget, stage_);
    bool identified = false, seen_enough = false;
    const auto go_on = [&](const Levels& now) {
      const Certificate seen = fit_.observe(fit_.beta(), fit_.f.data(), now);
      seen_ = seen.gap;
      identified = active_set_.identified(fit_.beta(), now.all_free(), fit_.budget.touched);
      if (worth_proof(seen)) identified = false, seen_enough = true;
      return !identified && !seen_enough;
    };
    const auto steps = [&] {
      identified = false;
      fit_.descend<T>(*K_, fit_.problem.box, fit_.beta(), fit_.f.data(), coarse_, go_on);
    };
    for (steps(); identified && polished; steps()) {
      polish(fit_, ledger_, *K_, finest_, kInfinity, Effort::quick);
    }
    crawls_ += fit_.budget.used_up();
    return identified;
  }

  // Makes the gradient exact where it has to be, and the certificate of it. The largest correction;
  // nothing when stopped half-way.
  std::optional<double> certify() {
    const Gram& gram = fit_.gram;
    const double before = fit_.monitor.seconds(), largest_entry = gram.largest_entry();
    ledger_.forget_unless_at(fit_.solution.beta);
    const double balanced = fit_.restore_totals() * largest_entry;
    ledger_.widen(balanced);
    const std::vector<double> change = ledger_.change_to(fit_.solution.beta);
    // Moves have added rows that are always the same: their errors times the change, and roundings.
    const double entry = std::is_same_v<T, float> ? gram.single_error() : gram.exact_error();
    const double moved = norm1(change);
    const double drift = moved * entry + K_->rounding(largest_entry) + balanced;
    std::optional<double> largest;
    if (!(moved > 0)) {
      largest = 0;
    } else if (!fit_.monitor.stopped()) {
      largest = ledger_.correct(fit_.solution.beta, change, drift, fit_.f);
    }
    if (largest) {
      fit_.certify(ledger_.error());
      if (fit_.to_gap()) record_proof();
    } else {
      fit_.certify(ledger_.error_after(drift), true);
    }
    fit_.solution.certificate_seconds += fit_.monitor.seconds() - before;
    return largest;
  }

  // A gap that was seen but is not proven is asked for twice as small.
  void record_proof() {
    fit_.keep_proven();
    const double gap = fit_.solution.certificate.gap;
    if (gap > fit_.settings.tol_gap && fit_.monitor.work.kernel_entries > proven_at_) {
      fit_.trace.observe(fit_.solution.certificate, fit_.budget.steps);
    }
    if (gap > fit_.settings.tol_gap && seen_ <= goal_) goal_ /= 2;
    proven_ = std::min(proven_, gap);
    proven_at_ = fit_.monitor.work.kernel_entries;
  }

  // Whether there is another round after one that ended with corrections of this size.
  bool goes_on(const std::optional<double>& noise) {
    const double violation = fit_.solution.certificate.violation;
    const bool halved = std::isfinite(violation) && violation < 0.5 * last_;
    const bool lost =
        std::is_same_v<T, float> && ((noise && *noise > kNoiseShare * handover_) ||
                                     coarse_ < kSingleDigits * fit_.problem.box.epsilon);
    const bool at_end = !halved && (coarse_ <= finest_ || !std::isfinite(violation));
    // What is missing then is only the certificate's own error.
    enough_ = noise && violation <= finest_;
    if (!halved) coarse_ = std::max(finest_, kFiner * std::min(coarse_, violation));
    last_ = violation;
    return !(decided() || enough_ || at_end || lost);
  }

  Fit& fit_;
  GradientLedger& ledger_;
  ActiveSet& active_set_;
  std::unique_ptr<KernelSource<T>> source_;
  std::unique_ptr<CachedKernel<T>> K_;
  double finest_, handover_, coarse_;
  double goal_, seen_ = kInfinity;  // a gap at which it is to be proven; the last that was seen
  double proven_ = 1;               // the smallest that was, and the kernel values until then
  int64_t proven_at_ = 0;
  double last_ = kInfinity;  // violation of the last round
  int64_t stage_, crawls_ = 0;
  bool enough_ = false;
};

}  // namespace

void solve_large(Fit& fit) {
  GradientLedger ledger(fit.gram, fit.problem, fit.workers);
  if (!ledger.begin(fit.solution.beta, fit.f)) return fit.restart();
  ActiveSet active_set(fit.problem.box, fit.gram.row_cost());
  // Values beyond the range of float32 would be infinite there.
  const bool fits = std::isfinite(fit.gram.single_error());
  if (!fits || !Rounds<float>(fit, ledger, active_set).run()) {
    Rounds<double>(fit, ledger, active_set).run();
  }
  if (fit.to_gap()) fit.fall_back();
}

}  // namespace svm
