// What fuzzers have found is run again: inputs that reach far, and those that once broke something.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <vector>

#include "fuzz/harness.h"
#include "tests/check.h"

namespace {

std::set<std::filesystem::path> listed(const std::filesystem::path& folder) {
  return {std::filesystem::directory_iterator(folder), {}};
}

}  // namespace

TEST(every_harness_has_a_corpus_and_holds_on_it) {
  for (const auto& [name, harness] : fuzz::harnesses()) {
    const auto files = listed(std::filesystem::path(MAXMARGIN_CORPORA) / name);
    CHECK(!files.empty(), name);
    for (const auto& path : files) {
      std::ifstream file(path, std::ios::binary);
      const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
      fuzz::run(harness, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    }
  }
}
