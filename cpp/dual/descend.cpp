#include "dual/descend.h"

#include <algorithm>
#include <utility>

namespace svm {
namespace {

// A set is solved to this share of the present violation, and no further than this share of what is
// to be reached: the moves change the gradient of all others.
constexpr double kSetShare = 0.1, kBelow = 0.5;

}  // namespace

template <class T>
std::optional<int64_t> Descent<T>::solve(std::vector<int64_t> set, const Box& box, double* beta,
                                         double* f, double tol, Budget& budget) {
  block_.take(std::move(set), box);
  if (budget.monitor.stopped()) return std::nullopt;  // half of the block may be missing
  const std::vector<int64_t>& W = block_.members();
  inner_.take(W, box, beta, f);
  inner_.solve(block_.matrix(), tol, budget);
  moved_.clear(), step_.clear(), before_.clear();
  for (size_t k = 0; k < W.size(); ++k) {
    double& x = beta[W[k]];
    if (inner_.beta(k) == x) continue;
    moved_.push_back(W[k]);
    step_.push_back(inner_.beta(k) - x);
    before_.push_back(std::exchange(x, inner_.beta(k)));
  }
  if (moved_.empty() || K_.accumulate(moved_, step_, f)) return std::ssize(moved_);
  for (size_t k = 0; k < moved_.size(); ++k) beta[moved_[k]] = before_[k];
  return std::nullopt;
}

template <class T>
void Descent<T>::run(const Box& box, double* beta, double* f, const Size& size, double tol,
                     Budget& budget, const GoOn& go_on) {
  std::optional<int64_t> moved = K_.size();
  while (!budget.over() && moved && *moved > 0) {
    const Levels now = levels(box, beta, f);
    const Extremes& worst = now.extremes;
    if (!go_on(now) || worst.violation() <= tol) return;
    set_.select(size(*moved, now.all_free()), box, beta, f, worst);
    const bool whole = std::ssize(set_.members()) == K_.size();
    const double tol_set = std::max(kBelow * tol, kSetShare * worst.violation());
    moved = solve(set_.members(), box, beta, f, whole ? tol : tol_set, budget);
  }
}

template <class T>
void Descent<T>::sweep(std::span<const std::vector<int64_t>> sets, const Box& box, double* beta,
                       double* f, double tol, Budget& budget, const GoOn& go_on) {
  for (const std::vector<int64_t>& set : sets) {
    if (budget.over() || !go_on(levels(box, beta, f))) return;
    if (!solve(set, box, beta, f, tol, budget)) return;
  }
}

template class Descent<float>;
template class Descent<double>;

}  // namespace svm
