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
void Descent<T>::run(const Box& box, double* beta, double* f,
                     const std::function<int64_t(int64_t)>& size, double tol, Budget& budget,
                     const std::function<bool()>& go_on) {
  int64_t count = K_.size();
  while (!budget.over()) {
    const bool more = go_on();
    const Extremes worst = extremes(box, beta, f);
    if (!more || worst.violation() <= tol) return;
    set_.select(size(count), box, beta, f, worst);
    block_.take(set_.members(), box);
    if (budget.monitor.stopped()) return;  // half of the block may be missing
    const std::vector<int64_t>& W = block_.members();
    inner_.take(W, box, beta, f);
    const double tol_set =
        block_.whole() ? tol : std::max(kBelow * tol, kSetShare * worst.violation());
    inner_.solve(block_.matrix(), tol_set, budget);
    moved_.clear(), step_.clear(), before_.clear();
    for (size_t k = 0; k < W.size(); ++k) {
      double& x = beta[W[k]];
      if (inner_.beta(k) == x) continue;
      moved_.push_back(W[k]);
      step_.push_back(inner_.beta(k) - x);
      before_.push_back(std::exchange(x, inner_.beta(k)));
    }
    if (moved_.empty()) return;
    count = static_cast<int64_t>(moved_.size());
    if (!K_.accumulate(moved_, step_, f)) {
      for (size_t k = 0; k < moved_.size(); ++k) beta[moved_[k]] = before_[k];
      return;
    }
  }
}

template class Descent<float>;
template class Descent<double>;

}  // namespace svm
