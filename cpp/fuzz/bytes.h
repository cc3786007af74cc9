// What a fuzzer's bytes mean: numbers, and lists of them. Where the bytes end, zeros follow. Several
// that are taken in one call stand in braces: arguments in parentheses have no order.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

namespace fuzz {

class Bytes {
 public:
  Bytes(const uint8_t* data, size_t size) : left_(data, size) {}

  size_t left() const { return left_.size(); }
  uint8_t byte() {
    if (left_.empty()) return 0;
    const uint8_t first = left_.front();
    left_ = left_.subspan(1);
    return first;
  }
  bool flag() { return (byte() & 1) != 0; }
  int64_t between(int64_t least, int64_t most) { return least + byte() % (most - least + 1); }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[byte() % values.size()];
  }
  std::string_view text() {
    const std::string_view all(reinterpret_cast<const char*>(left_.data()), left_.size());
    left_ = {};
    return all;
  }

  // A sixteenth of an integer, from -8 to 8: data as they should be.
  double tame() { return (byte() % 257 - 128) / 16.0; }
  // Any number: a tame one, one at the edge of what there is, or eight bytes.
  double wild() {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    constexpr double kEdges[] = {0,
                                 -0.0,
                                 1,
                                 -1,
                                 1e300,
                                 -1e300,
                                 1e-300,
                                 1e150,
                                 1e-150,
                                 1e10,
                                 1e-10,
                                 1e38,
                                 -4e38,
                                 1e-45,
                                 1e308,
                                 5e-324,
                                 kInfinity,
                                 -kInfinity,
                                 std::numeric_limits<double>::quiet_NaN()};
    const uint8_t kind = byte();
    if (kind < 128) return (kind - 64) / 8.0;
    if (kind < 240) return kEdges[kind % std::size(kEdges)];
    double value;
    uint8_t bits[sizeof value];
    for (uint8_t& one : bits) one = byte();
    std::memcpy(&value, bits, sizeof value);
    return value;
  }
  double number() { return wild_ ? wild() : tame(); }
  // Not below zero.
  double size() {
    const double value = std::abs(number());
    return std::isnan(value) ? 1 : value;
  }
  std::vector<double> numbers(int64_t count) {
    std::vector<double> values(count);
    for (double& value : values) value = number();
    return values;
  }
  std::vector<double> sizes(int64_t count) {
    std::vector<double> values(count);
    for (double& value : values) value = size();
    return values;
  }
  std::vector<int64_t> places(int64_t count, int64_t below) {
    std::vector<int64_t> values(count);
    for (int64_t& value : values) value = between(0, below - 1);
    return values;
  }

  // Whether numbers are any at all from here on.
  bool wild_numbers() { return wild_ = flag(); }
  bool wild_mode() const { return wild_; }

 private:
  std::span<const uint8_t> left_;
  bool wild_ = false;
};

}  // namespace fuzz
