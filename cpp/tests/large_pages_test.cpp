#include "run/large_pages.h"

#include <cstdint>
#include <thread>
#include <vector>

#include "tests/check.h"

TEST(large_memory_is_used_again) {
  constexpr size_t kLarge = 15 << 20;
  const auto place = [](const auto& memory) {
    return reinterpret_cast<std::uintptr_t>(memory.get());
  };
  auto first = svm::large_pages<char>(kLarge);
  const auto before = place(first);
  CHECK(before % (2 << 20) == 0);
  first.reset();
  // Not for a tenth of it.
  const auto tenth = svm::large_pages<char>(kLarge / 10), again = svm::large_pages<char>(kLarge);
  CHECK(place(again) == before);
  CHECK(place(svm::large_pages<double>(9)) % 64 == 0);
  CHECK(svm::large_pages<double>(0) == nullptr);
}

TEST(memory_of_small_fits_is_used_again) {
  svm::return_spare_pages();
  auto first = svm::large_pages<double>(100 * 100);
  const double* before = first.get();
  first.reset();
  CHECK(svm::large_pages<double>(100 * 100).get() == before);
}

TEST(no_two_hold_the_same_memory) {
  const auto work = [](char mark, bool* intact) {
    *intact = true;
    for (int k = 0; k < 200; ++k) {
      const size_t bytes = static_cast<size_t>(1 + k % 5) << 20;
      const auto memory = svm::large_pages<char>(bytes), other = svm::large_pages<char>(bytes);
      for (size_t i = 0; i < bytes; i += 4096)
        memory[i] = mark, other[i] = static_cast<char>(~mark);
      for (size_t i = 0; i < bytes; i += 4096) *intact &= memory[i] == mark;
    }
  };
  bool here = false, there = false;
  std::thread thread(work, 'a', &there);
  work('b', &here);
  thread.join();
  CHECK(here && there);
}
