#include <cstdio>

#include "tests/check.h"

int main() {
  int failed = 0;
  for (const auto& [name, body] : test::all()) {
    try {
      body();
    } catch (const std::exception& error) {
      std::printf("FAILED %s\n  %s\n", name.c_str(), error.what());
      ++failed;
    }
  }
  std::printf("%zu passed, %d failed\n", test::all().size() - failed, failed);
  return failed == 0 ? 0 : 1;
}
