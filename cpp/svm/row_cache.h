// Kernel rows kept under a hard budget of bytes; the least recently used row goes first.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace svm {

template <class T>
class RowCache {
 public:
  // Room for `capacity` rows of `length` values; memory is taken as rows come.
  RowCache(int64_t capacity, int64_t length) : capacity_(capacity), length_(length) {}

  int64_t capacity() const { return capacity_; }

  // The row's memory, and whether its values are already there. A caller may hold at most
  // capacity() rows at a time.
  std::pair<T*, bool> get(int64_t row) {
    const auto found = places_.find(row);
    if (found != places_.end()) {
      entries_.splice(entries_.begin(), entries_, found->second);
      return {found->second->values.get(), true};
    }
    if (static_cast<int64_t>(entries_.size()) < capacity_) {
      entries_.push_front({row, std::unique_ptr<T[]>(new T[length_])});
    } else {
      entries_.splice(entries_.begin(), entries_, std::prev(entries_.end()));
      places_.erase(entries_.front().row);
      entries_.front().row = row;
    }
    places_[row] = entries_.begin();
    return {entries_.front().values.get(), false};
  }

  // The row's values, or nullptr; does not count as a use.
  const T* peek(int64_t row) const {
    const auto found = places_.find(row);
    return found == places_.end() ? nullptr : found->second->values.get();
  }

  // Forgets all rows: their values were not completed.
  void clear() {
    entries_.clear();
    places_.clear();
  }

 private:
  struct Entry {
    int64_t row;
    std::unique_ptr<T[]> values;
  };
  int64_t capacity_, length_;
  std::list<Entry> entries_;
  std::unordered_map<int64_t, typename std::list<Entry>::iterator> places_;
};

}  // namespace svm
