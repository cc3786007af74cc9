#include <cstdio>
#include <string_view>

#include "tests/check.h"

namespace {

// `-NAME` leaves one test out; of other arguments, if there are any, a name must have a part.
bool chosen(std::string_view name, int count, char** arguments) {
  bool named = false, parts = false;
  for (int k = 1; k < count; ++k) {
    const std::string_view argument = arguments[k];
    if (argument.starts_with('-')) {
      if (argument.substr(1) == name) return false;
      continue;
    }
    parts = true;
    named = named || name.find(argument) != std::string_view::npos;
  }
  return named || !parts;
}

}  // namespace

int main(int count, char** arguments) {
  int passed = 0, failed = 0, left_out = 0;
  for (const auto& [name, body] : test::all()) {
    if (!chosen(name, count, arguments)) {
      ++left_out;
      continue;
    }
    try {
      body();
      ++passed;
    } catch (const std::exception& error) {
      std::printf("FAILED %s\n  %s\n", name.c_str(), error.what());
      ++failed;
    }
  }
  std::printf("%d passed, %d failed, %d left out\n", passed, failed, left_out);
  return failed == 0 ? 0 : 1;
}
