#include <cstdio>
#include <cstring>

#include "tests/check.h"

// Runs all tests, or those that have the argument in their name.
int main(int count, char** arguments) {
  int passed = 0, failed = 0;
  for (const auto& [name, body] : test::all()) {
    if (count > 1 && std::strstr(name.c_str(), arguments[1]) == nullptr) continue;
    try {
      body();
      ++passed;
    } catch (const std::exception& error) {
      std::printf("FAILED %s\n  %s\n", name.c_str(), error.what());
      ++failed;
    }
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 ? 0 : 1;
}
