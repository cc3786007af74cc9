// A harness is a function of bytes, registered by name. What it requires must hold for all bytes.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "fuzz/bytes.h"

namespace fuzz {

using Harness = void (*)(Bytes&);

inline std::map<std::string, Harness>& harnesses() {
  static std::map<std::string, Harness> all;
  return all;
}

struct Register {
  Register(const char* name, Harness run) { harnesses().emplace(name, run); }
};

// Arguments that make no sense are refused by this exception, and by no other.
inline void run(Harness harness, const uint8_t* data, size_t size) {
  Bytes bytes(data, size);
  try {
    harness(bytes);
  } catch (const std::invalid_argument&) {
  }
}

}  // namespace fuzz

#define HARNESS(name)                                       \
  static void name(fuzz::Bytes& bytes);                     \
  static const fuzz::Register register_##name(#name, name); \
  static void name(fuzz::Bytes& bytes)
// Ends the process, so that sanitizers and fuzzers see it.
#define REQUIRE(condition)                                                              \
  do {                                                                                  \
    if (condition) break;                                                               \
    std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
    std::abort();                                                                       \
  } while (false)
