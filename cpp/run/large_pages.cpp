#include "run/large_pages.h"

#ifdef __linux__
#include <sys/mman.h>
#elif defined(_WIN32)
#include <malloc.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <new>
#include <vector>

namespace svm {
namespace {

constexpr size_t kLine = 64, kPage = 2 << 20, kPiece = 64 << 10;
// What is kept of memory that was given back.
constexpr size_t kKept = 32 << 20;

// In large pages from half a one on, and kept from one piece on: allocators return what is larger
// to the system. Smaller arrays are their business.
bool large(size_t bytes) { return bytes >= kPage / 2; }
bool kept(size_t bytes) { return bytes >= kPiece; }

size_t unit_of(size_t bytes) { return large(bytes) ? kPage : kept(bytes) ? kPiece : kLine; }

size_t rounded(size_t bytes) {
  const size_t unit = unit_of(bytes);
  return (bytes + unit - 1) / unit * unit;
}

// Windows has functions of its own for memory that is aligned.
#ifdef _WIN32
void* take_aligned(size_t unit, size_t bytes) { return _aligned_malloc(bytes, unit); }
void free_aligned(void* memory) { _aligned_free(memory); }
#else
void* take_aligned(size_t unit, size_t bytes) { return std::aligned_alloc(unit, bytes); }
void free_aligned(void* memory) { std::free(memory); }
#endif

// Memory that nobody uses, the longest unused first. Nobody waits for its lock: whoever does not get
// it does without, so that a fork in the middle of a fit leaves the child nothing to wait for.
class SparePages {
 public:
  // Room for all pieces there may be: giving memory back must not fail.
  SparePages() { pieces_.reserve(kKept / kPiece + 1); }

  // The smallest piece of at least so many bytes that is not far too large, or nullptr.
  void* take(size_t bytes) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return nullptr;
    auto best = pieces_.end();
    for (auto piece = pieces_.begin(); piece != pieces_.end(); ++piece) {
      if (piece->bytes < bytes || piece->bytes > 2 * bytes) continue;
      if (best == pieces_.end() || piece->bytes < best->bytes) best = piece;
    }
    if (best == pieces_.end()) return nullptr;
    void* memory = best->memory;
    total_ -= best->bytes;
    pieces_.erase(best);
    return memory;
  }

  // False where it is not kept.
  bool keep(void* memory, size_t bytes) {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock() || bytes > kKept) return false;
    pieces_.push_back({memory, bytes});
    total_ += bytes;
    shrink(kKept);
    return true;
  }

  void clear() {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock.owns_lock()) shrink(0);
  }

 private:
  struct Piece {
    void* memory;
    size_t bytes;
  };

  void shrink(size_t most) {
    for (; total_ > most; pieces_.erase(pieces_.begin())) {
      total_ -= pieces_.front().bytes;
      free_aligned(pieces_.front().memory);
    }
  }

  std::mutex mutex_;
  std::vector<Piece> pieces_;
  size_t total_ = 0;
};

// Never destroyed: threads may give memory back until the process ends.
SparePages& spare_pages() {
  static SparePages& pages = *new SparePages;
  return pages;
}

}  // namespace

void* take_pages(size_t bytes) {
  if (bytes == 0) return nullptr;
  const size_t size = rounded(bytes);
  void* memory = kept(bytes) ? spare_pages().take(size) : nullptr;
  if (memory != nullptr) return memory;
  // What a small fit has left is of no use to one that takes this much.
  if (size >= kKept / 2) return_spare_pages();
  memory = take_aligned(large(bytes) ? kPage : kLine, size);
  if (memory == nullptr) throw std::bad_alloc();
#ifdef __linux__
  if (large(bytes)) madvise(memory, size, MADV_HUGEPAGE);
#endif
  return memory;
}

void return_spare_pages() { spare_pages().clear(); }

void give_back_pages(void* memory, size_t bytes) {
  if (kept(bytes) && spare_pages().keep(memory, rounded(bytes))) return;
  free_aligned(memory);
}

}  // namespace svm
