// A working set and its block of the matrix. Most of a set is in the one before it: where variables
// are of one group, new ones take the places of those that are gone, and only these are computed.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "dual/dual.h"
#include "dual/quadratic.h"

namespace svm {

template <class T>
class SetBlock {
 public:
  // Sets are `in_order` of the variables where neighbours are of a class, and their kernel rows go
  // together.
  SetBlock(Quadratic<T>& K, bool in_order) : K_(K), in_order_(in_order), wanted_(K.size(), false) {}

  const std::vector<int64_t>& members() const { return members_; }
  // Where all variables are in the set, it is the problem itself.
  bool whole() const { return std::ssize(members_) == K_.size(); }
  const StoredMatrix<T>& matrix() const { return given_ ? *K_.stored() : block_; }

  void take(std::vector<int64_t> next, const Box& box) {
    if (exchange(next, box)) return;
    members_ = std::move(next);
    if (in_order_ || whole()) std::sort(members_.begin(), members_.end());
    std::stable_partition(members_.begin(), members_.end(),
                          [&](int64_t i) { return box.group_of(i) == 0; });
    given_ = whole() && std::is_sorted(members_.begin(), members_.end()) && K_.stored() != nullptr;
    if (given_) return;
    block_.resize(std::ssize(members_));
    K_.block(members_, block_.data());
  }

 private:
  // Members are exchanged in place where no more than one in so many is.
  static constexpr size_t kExchanged = 4;

  // Takes a set that has most of this one in it, and is not much smaller; else false.
  bool exchange(std::span<const int64_t> next, const Box& box) {
    const size_t size = members_.size(), most = size / kExchanged;
    if (in_order_ || given_ || box.groups() > 1 || next.size() > size) return false;
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
  bool in_order_, given_ = false;
  std::vector<bool> wanted_;
  std::vector<int64_t> members_;
  StoredMatrix<T> block_;
};

}  // namespace svm
