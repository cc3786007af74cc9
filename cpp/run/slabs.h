// Memory for kernel rows in large pieces. What one problem gives back is there for the next one:
// memory that is new to the process costs more than the values that are written to it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "run/large_pages.h"

namespace svm {

struct Slab {
  std::unique_ptr<std::byte[], Free> memory;
  size_t bytes = 0;
};

class Slabs {
 public:
  // At least `least` bytes: the smallest spare slab with `wanted`, or else the largest there is, or
  // else a new one of `wanted`.
  Slab take(size_t least, size_t wanted) {
    const std::lock_guard lock(mutex_);
    const auto enough = std::find_if(spare_.begin(), spare_.end(),
                                     [&](const Slab& slab) { return slab.bytes >= wanted; });
    const auto found = enough == spare_.end() && !spare_.empty() ? spare_.end() - 1 : enough;
    if (found == spare_.end() || found->bytes < least) {
      spare_.clear();  // too short for these rows: not to be held beside the new one
      return {large_pages<std::byte>(wanted), wanted};
    }
    Slab slab = std::move(*found);
    spare_.erase(found);
    return slab;
  }

  void give_back(Slab slab) {
    const std::lock_guard lock(mutex_);
    const auto smaller = [](const Slab& a, const Slab& b) { return a.bytes < b.bytes; };
    spare_.insert(std::upper_bound(spare_.begin(), spare_.end(), slab, smaller), std::move(slab));
  }

  // Returns the spare ones to the system.
  void release() {
    const std::lock_guard lock(mutex_);
    spare_.clear();
    return_spare_pages();
  }

 private:
  std::mutex mutex_;
  std::vector<Slab> spare_;  // the smallest first
};

}  // namespace svm
