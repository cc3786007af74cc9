// Random numbers for the order of coordinate descent.
#pragma once

#include <cstdint>

namespace svm::linear {

// The same sequence on every platform.
class Random {
 public:
  // For n up to 2^31.
  int64_t below(int64_t n) {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<int64_t>(((state_ >> 32) * static_cast<uint64_t>(n)) >> 32);
  }

 private:
  uint64_t state_ = 42;
};

}  // namespace svm::linear
