// What problems that are solved side by side share: the cache, and the room for Newton systems.
#pragma once

#include <cstdint>
#include <mutex>

#include "core/settings.h"
#include "run/slabs.h"

namespace svm {

// Problems of at most this many rows are small: their whole matrix is computed. Of many those of at
// most kSmallAndSparing are; but of many that ask for most of their rows those of at most kSmall, or
// kSmallAndFull where values are expensive.
inline constexpr int64_t kSmall = 1024, kSmallAndSparing = 256, kSmallAndFull = 1536;

struct Share {
  int problems = 1;         // that are solved side by side
  int64_t small = kSmall;   // rows of those that are solved on the whole matrix
  Slabs memory;             // of cached rows
  std::mutex large_system;  // of Newton systems that take more than a share, one at a time

  // Many have half the cache for their rows. Of the rest, a quarter of the cache is for the Newton
  // systems of all, and a quarter for one that is larger than a share of that.
  int64_t row_bytes(const Settings& settings) const {
    return (settings.alone ? settings.cache_bytes : settings.cache_bytes / 2) / problems;
  }
  static int64_t system_bytes(const Settings& settings) {
    return settings.alone ? settings.cache_bytes : settings.cache_bytes / 4;
  }
};

}  // namespace svm
