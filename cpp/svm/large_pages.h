// Memory for large arrays, in large pages where the system has them: small ones cost more to get
// than to fill, and more to find in random order.
#pragma once

#ifdef __linux__
#include <sys/mman.h>
#endif

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

namespace svm {

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

// Room for `count` values, which are not set.
template <class T>
std::unique_ptr<T[], Free> large_pages(size_t count) {
  constexpr size_t kLine = 64, kPage = 2 << 20;
  const size_t unit = count * sizeof(T) < kPage / 2 ? kLine : kPage;
  const size_t bytes = (count * sizeof(T) + unit - 1) / unit * unit;
  std::unique_ptr<T[], Free> memory(static_cast<T*>(std::aligned_alloc(unit, bytes)));
  if (!memory && bytes > 0) throw std::bad_alloc();
#ifdef __linux__
  if (unit == kPage) madvise(memory.get(), bytes, MADV_HUGEPAGE);
#endif
  return memory;
}

}  // namespace svm
