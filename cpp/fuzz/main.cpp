// libFuzzer's entry: the environment variable HARNESS names what is fuzzed.
#include <cstdio>
#include <cstdlib>

#include "fuzz/harness.h"

static fuzz::Harness chosen = nullptr;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* name = std::getenv("HARNESS");
  const auto found = fuzz::harnesses().find(name != nullptr ? name : "");
  if (found == fuzz::harnesses().end()) {
    std::fprintf(stderr, "HARNESS must be one of:\n");
    for (const auto& [known, run] : fuzz::harnesses())
      std::fprintf(stderr, "  %s\n", known.c_str());
    std::exit(2);
  }
  chosen = found->second;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  fuzz::run(chosen, data, size);
  return 0;
}
