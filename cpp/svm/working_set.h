// Which variables to solve for next: the free ones of the last set, then the worst violators of
// both sides in turn. The worst pair is always among them, which is what convergence rests on;
// keeping free variables prevents zigzagging between sets.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "svm/dual.h"

namespace svm {

class WorkingSet {
 public:
  explicit WorkingSet(int64_t variables) : chosen_(variables, false) {}

  const std::vector<int64_t>& members() const { return members_; }

  void select(int64_t size, const Box& box, const double* b, const double* f,
              const Extremes& worst) {
    size_ = size;
    std::vector<int64_t> next;
    next.reserve(size_);
    std::fill(chosen_.begin(), chosen_.end(), false);
    for (auto i = members_.rbegin(); i != members_.rend(); ++i) {
      if (static_cast<int64_t>(next.size()) >= size_ / 2) break;
      if (box.free(*i, b[*i])) take(*i, next);
    }
    // Ups and downs of each group in turn: among many ties one side would crowd out its partners.
    std::array<std::vector<Candidate>, 2 * kGroups> sides;
    for (int64_t i = 0; i < box.size(); ++i) {
      if (chosen_[i]) continue;
      const int g = box.group_of(i);
      const double up = f[i] + box.up_offset(i, b[i]), down = f[i] + box.down_offset(i, b[i]);
      if (up < worst.down[g]) sides[2 * g].push_back({up - worst.down[g], scatter(i), i});
      if (down > worst.up[g]) sides[2 * g + 1].push_back({worst.up[g] - down, scatter(i), i});
    }
    size_t longest = 0;
    for (auto& side : sides) {
      keep_best(side);
      longest = std::max(longest, side.size());
    }
    for (size_t k = 0; k < longest; ++k) {
      for (const auto& side : sides) {
        if (k < side.size()) take(side[k].variable, next);
      }
    }
    members_ = std::move(next);
  }

 private:
  struct Candidate {
    double cost;     // minus its violation against the worst of the other side
    uint64_t order;  // ties are common at the start: break them all over the data, not by place
    int64_t variable;
    bool operator<(const Candidate& other) const {
      return cost != other.cost ? cost < other.cost : order < other.order;
    }
  };

  static uint64_t scatter(int64_t i) {
    uint64_t z = static_cast<uint64_t>(i) + 0x9e3779b97f4a7c15ULL;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
  void keep_best(std::vector<Candidate>& candidates) const {
    const size_t keep = std::min<size_t>(candidates.size(), size_);
    std::partial_sort(candidates.begin(), candidates.begin() + keep, candidates.end());
    candidates.resize(keep);
  }
  void take(int64_t i, std::vector<int64_t>& next) {
    if (chosen_[i] || static_cast<int64_t>(next.size()) >= size_) return;
    chosen_[i] = true;
    next.push_back(i);
  }

  int64_t size_ = 0;
  std::vector<bool> chosen_;
  std::vector<int64_t> members_;
};

}  // namespace svm
