// Kernel rows kept under a hard budget of bytes; the least recently used row goes first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <utility>
#include <vector>

#include "run/slabs.h"

namespace svm {

template <class T>
class RowCache {
 public:
  // Room for `capacity` rows of `length` values; memory is taken as rows come.
  RowCache(int64_t capacity, int64_t length, Slabs& memory)
      : capacity_(capacity), length_(length), memory_(memory) {}
  ~RowCache() { clear(); }
  RowCache(const RowCache&) = delete;
  RowCache& operator=(const RowCache&) = delete;

  int64_t capacity() const { return capacity_; }
  // Of memory that is held.
  int64_t bytes() const {
    size_t sum = 0;
    for (const Slab& slab : slabs_) sum += slab.bytes;
    return static_cast<int64_t>(sum);
  }

  // The row's memory, and whether its values are already there. A caller may hold at most
  // capacity() rows at a time.
  std::pair<T*, bool> get(int64_t row) {
    const auto found = places_.find(row);
    if (found != places_.end()) {
      entries_.splice(entries_.begin(), entries_, found->second);
      return {found->second->values, true};
    }
    if (static_cast<int64_t>(entries_.size()) < capacity_) {
      entries_.push_front({row, new_row()});
    } else {
      entries_.splice(entries_.begin(), entries_, std::prev(entries_.end()));
      places_.erase(entries_.front().row);
      entries_.front().row = row;
    }
    places_[row] = entries_.begin();
    return {entries_.front().values, false};
  }

  // The row's values, or nullptr; does not count as a use.
  const T* peek(int64_t row) const {
    const auto found = places_.find(row);
    return found == places_.end() ? nullptr : found->second->values;
  }

  // Forgets all rows: their values were not completed.
  void clear() {
    entries_.clear();
    places_.clear();
    for (Slab& slab : slabs_) memory_.give_back(std::move(slab));
    slabs_.clear();
    left_ = 0;
  }

  // Forgets all rows, and their memory is there for others.
  void release() {
    clear();
    memory_.release();
  }

 private:
  struct Entry {
    int64_t row;
    T* values;
  };
  static constexpr size_t kSmallest = 256 << 10, kLargest = 32 << 20;

  // Rows stand side by side in slabs, each larger than the one before it. Large slabs are of large
  // pages: small ones cost more to get than to fill. Small slabs are memory that was used before.
  T* new_row() {
    if (left_ == 0) {
      const size_t bytes = sizeof(T) * static_cast<size_t>(length_);
      const size_t most =
          bytes * static_cast<size_t>(capacity_ - static_cast<int64_t>(entries_.size()));
      const size_t wanted = std::min(kLargest, kSmallest << std::min<size_t>(slabs_.size(), 16));
      slabs_.push_back(
          memory_.take(bytes, std::min(most, std::max<size_t>(1, wanted / bytes) * bytes)));
      left_ = static_cast<int64_t>(slabs_.back().bytes / bytes);
      next_ = reinterpret_cast<T*>(slabs_.back().memory.get());
    }
    --left_;
    return std::exchange(next_, next_ + length_);
  }

  int64_t capacity_, length_;
  Slabs& memory_;
  std::vector<Slab> slabs_;
  T* next_ = nullptr;  // place for the next row
  int64_t left_ = 0;   // rows that the last slab still has room for
  std::list<Entry> entries_;
  std::unordered_map<int64_t, typename std::list<Entry>::iterator> places_;
};

}  // namespace svm
