// A test is a function registered by name; a failed check throws with its place.
#pragma once

#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace test {

inline std::vector<std::pair<std::string, std::function<void()>>>& all() {
  static std::vector<std::pair<std::string, std::function<void()>>> tests;
  return tests;
}

struct Register {
  Register(std::string name, std::function<void()> body) {
    all().emplace_back(std::move(name), std::move(body));
  }
};

template <class... Values>
void check(bool condition, const char* text, const char* file, int line, const Values&... values) {
  if (condition) return;
  std::ostringstream message;
  message << file << ":" << line << ": " << text;
  ((message << " | " << values), ...);
  throw std::runtime_error(message.str());
}

}  // namespace test

#define TEST(name)                                          \
  static void name();                                       \
  static const test::Register register_##name(#name, name); \
  static void name()
#define CHECK(condition, ...) \
  test::check((condition), #condition, __FILE__, __LINE__ __VA_OPT__(, ) __VA_ARGS__)
