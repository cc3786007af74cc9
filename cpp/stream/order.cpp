#include "stream/order.h"

#include <algorithm>
#include <utility>

#include "rows/reader.h"

namespace svm::stream {
namespace {

// SplitMix64 (Steele, Lea and Flood, 2014): one seed, the same numbers everywhere.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  // A number below n.
  int64_t below(int64_t n) {
    state_ += 0x9e3779b97f4a7c15ULL;
    uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    z ^= z >> 31;
    return static_cast<int64_t>((static_cast<Wide>(z) * static_cast<Wide>(n)) >> 64);
  }
  template <class T>
  void shuffle(std::span<T> values) {
    for (int64_t i = static_cast<int64_t>(values.size()) - 1; i > 0; --i) {
      std::swap(values[i], values[below(i + 1)]);
    }
  }

 private:
  __extension__ typedef unsigned __int128 Wide;
  uint64_t state_;
};

}  // namespace

std::vector<int64_t> shuffled(const Points& points, std::span<const int64_t> rows, uint64_t seed) {
  constexpr int64_t kCacheBytes = 1 << 20, kRunBytes = 4096, kWindowRuns = 64;
  Random random(seed);
  const int64_t n = static_cast<int64_t>(rows.size()), bytes = 8 * usual_entries(points);
  std::vector<int64_t> order(rows.begin(), rows.end());
  if (n * bytes <= kCacheBytes) {
    random.shuffle(std::span(order));
    return order;
  }
  const int64_t run = (kRunBytes + bytes - 1) / bytes;
  std::vector<int64_t> runs((n + run - 1) / run);
  for (size_t r = 0; r < runs.size(); ++r) runs[r] = static_cast<int64_t>(r) * run;
  random.shuffle(std::span(runs));
  int64_t filled = 0, window = 0;
  for (size_t r = 0; r < runs.size(); ++r) {
    const int64_t count = std::min(run, n - runs[r]);
    std::copy_n(rows.begin() + runs[r], count, order.begin() + filled);
    filled += count;
    if ((r + 1) % kWindowRuns == 0 || r + 1 == runs.size()) {
      random.shuffle(std::span(order).subspan(window, filled - window));
      window = filled;
    }
  }
  return order;
}

}  // namespace svm::stream
