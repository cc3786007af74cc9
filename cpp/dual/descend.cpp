#include "dual/descend.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dual/pair_steps.h"
#include "dual/working_set.h"

namespace svm {
namespace {

// A set is solved to this share of the present violation, and no further than this share of what is
// to be reached: the moves change the gradient of all others.
constexpr double kSetShare = 0.1, kBelow = 0.5;
// Members are exchanged in place where no more than one in so many is.
constexpr size_t kExchanged = 4;

// The problem on a working set: its own copy of the box and of the point.
class SetProblem {
 public:
  void take(std::span<const int64_t> set, const Box& box, const double* beta, const double* f) {
    lower_.clear(), upper_.clear(), group_.clear(), beta_.clear(), f_.clear();
    epsilon_ = box.epsilon;
    for (const int64_t i : set) {
      lower_.push_back(box.lower[i]), upper_.push_back(box.upper[i]);
      beta_.push_back(beta[i]), f_.push_back(f[i]);
      if (!box.group.empty()) group_.push_back(box.group[i]);
    }
  }

  template <class T>
  void solve(const StoredMatrix<T>& K, double tol, Budget& budget) {
    const Stopwatch watch(budget.monitor.work.pair_seconds);
    const Box box{lower_, upper_, epsilon_, group_};
    take_pair_steps(K, box, beta_.data(), f_.data(), tol, budget);
  }

  double beta(size_t k) const { return beta_[k]; }

 private:
  double epsilon_ = 0;
  std::vector<double> lower_, upper_, beta_, f_;
  std::vector<uint8_t> group_;
};

// A working set and its block of the matrix. Most of a set is in the one before it: where variables
// are of one group, new ones take the places of those that are gone, and only these are computed.
template <class T>
class SetBlock {
 public:
  // Sets are `in_order` of the variables where neighbours are of a class, and their kernel rows go
  // together.
  SetBlock(Quadratic<T>& K, const Box& box, bool in_order)
      : K_(K), box_(box), in_order_(in_order), wanted_(K.size(), false) {}

  const std::vector<int64_t>& members() const { return members_; }
  // Where all variables are in the set, it is the problem itself.
  bool whole() const { return std::ssize(members_) == K_.size(); }
  const StoredMatrix<T>& matrix() const { return given_ ? *K_.stored() : block_; }

  void take(std::vector<int64_t> next) {
    if (exchange(next)) return;
    members_ = std::move(next);
    if (in_order_ || whole()) std::sort(members_.begin(), members_.end());
    std::stable_partition(members_.begin(), members_.end(),
                          [&](int64_t i) { return box_.group_of(i) == 0; });
    given_ = whole() && std::is_sorted(members_.begin(), members_.end()) && K_.stored() != nullptr;
    if (given_) return;
    block_.resize(std::ssize(members_));
    K_.block(members_, block_.data());
  }

 private:
  // Takes a set that has most of this one in it, and is not much smaller; else false.
  bool exchange(std::span<const int64_t> next) {
    const size_t size = members_.size(), most = size / kExchanged;
    if (in_order_ || given_ || box_.groups() > 1 || next.size() > size) return false;
    for (const int64_t i : next) wanted_[i] = true;
    std::vector<int64_t> places, fresh;
    for (size_t k = 0; k < size; ++k) {
      if (!wanted_[members_[k]]) places.push_back(static_cast<int64_t>(k));
      wanted_[members_[k]] = false;
    }
    for (const int64_t i : next) {
      if (wanted_[i]) fresh.push_back(i);
      wanted_[i] = false;
    }
    if (places.size() > most) return false;
    places.resize(fresh.size());
    const std::vector<int64_t> before = members_;
    for (size_t k = 0; k < fresh.size(); ++k) members_[places[k]] = fresh[k];
    if (fresh.empty() || K_.renew(members_, places, block_.data())) return true;
    members_ = before;
    return false;
  }

  Quadratic<T>& K_;
  const Box& box_;
  bool in_order_, given_ = false;
  std::vector<bool> wanted_;
  std::vector<int64_t> members_;
  StoredMatrix<T> block_;
};

}  // namespace

template <class T>
void descend(Quadratic<T>& K, const Box& box, double* beta, double* f,
             const std::function<int64_t(int64_t)>& size, double tol, Budget& budget,
             const std::function<bool()>& go_on, bool in_order) {
  WorkingSet set(K.size());
  SetBlock<T> block(K, box, in_order);
  SetProblem inner;
  std::vector<int64_t> moved;
  std::vector<double> step, before;
  int64_t count = K.size();
  while (!budget.over()) {
    const bool more = go_on();
    const Extremes worst = extremes(box, beta, f);
    if (!more || worst.violation() <= tol) return;
    set.select(size(count), box, beta, f, worst);
    block.take(set.members());
    if (budget.monitor.stopped()) return;  // half of the block may be missing
    const std::vector<int64_t>& W = block.members();
    inner.take(W, box, beta, f);
    const double tol_set =
        block.whole() ? tol : std::max(kBelow * tol, kSetShare * worst.violation());
    inner.solve(block.matrix(), tol_set, budget);
    moved.clear(), step.clear(), before.clear();
    for (size_t k = 0; k < W.size(); ++k) {
      double& x = beta[W[k]];
      if (inner.beta(k) == x) continue;
      moved.push_back(W[k]);
      step.push_back(inner.beta(k) - x);
      before.push_back(std::exchange(x, inner.beta(k)));
    }
    if (moved.empty()) return;
    count = static_cast<int64_t>(moved.size());
    if (!K.accumulate(moved, step, f)) {
      for (size_t k = 0; k < moved.size(); ++k) beta[moved[k]] = before[k];
      return;
    }
  }
}

template void descend(Quadratic<float>&, const Box&, double*, double*,
                      const std::function<int64_t(int64_t)>&, double, Budget&,
                      const std::function<bool()>&, bool);
template void descend(Quadratic<double>&, const Box&, double*, double*,
                      const std::function<int64_t(int64_t)>&, double, Budget&,
                      const std::function<bool()>&, bool);

}  // namespace svm
