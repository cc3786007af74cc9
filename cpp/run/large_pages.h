// Memory for large arrays, in large pages where the system has them: small ones cost more to get
// than to fill, and more to find in random order. Some of what is given back is kept for the next
// fit, because the system clears pages that are new to a process.
#pragma once

#include <cstddef>
#include <memory>

namespace svm {

// The memory of an array of this many bytes, or nullptr.
void* take_pages(size_t bytes);
void give_back_pages(void* memory, size_t bytes);

// Returns to the system what is kept: within a fit, memory of one use makes room for another.
void return_spare_pages();

struct Free {
  size_t bytes = 0;
  void operator()(void* memory) const { give_back_pages(memory, bytes); }
};

// Room for `count` values, which are not set.
template <class T>
std::unique_ptr<T[], Free> large_pages(size_t count) {
  const size_t bytes = count * sizeof(T);
  return {static_cast<T*>(take_pages(bytes)), Free{bytes}};
}

}  // namespace svm
