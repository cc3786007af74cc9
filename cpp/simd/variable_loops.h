// Generic bodies of the loops in variables.h, templated on an instruction set as in loops.h.
#pragma once

#include <limits>

#include "simd/float.h"
#include "simd/variables.h"

namespace svm::simd {

// A vector of T is a type that depends on the template where T does.
template <class Isa, class T>
struct VariableLoops {
  static constexpr int lanes = Isa::bytes / static_cast<int>(sizeof(T));
  static constexpr T kNone = std::numeric_limits<T>::infinity();
  typedef T V __attribute__((vector_size(Isa::bytes)));
  typedef decltype(V{} < V{}) Places;  // -1 where it holds
  using Int = typename Float<T>::Int;

  // The first `count` of the lanes, the others zero.
  [[gnu::always_inline]] static inline V load(const T* p, int count = lanes) {
    V v = {};
    __builtin_memcpy(&v, p, count * sizeof(T));
    return v;
  }
  template <class U, class Vector>
  [[gnu::always_inline]] static inline U total(Vector v) {
    U values[lanes];
    __builtin_memcpy(values, &v, sizeof values);
    for (int half = lanes / 2; half > 0; half /= 2) {
      for (int l = 0; l < half; ++l) values[l] += values[l + half];
    }
    return values[0];
  }

  // The variables from the k-th on, as many as there are lanes. What is missing in the last block
  // cannot move, and adds nothing.
  struct Block {
    V lower, upper, beta, f;

    [[gnu::always_inline]] Block(const Variables& v, int64_t k, int count)
        : lower(load(v.lower + k, count)),
          upper(load(v.upper + k, count)),
          beta(load(v.beta + k, count)),
          f(load(v.f + k, count)) {}
    // What it costs to move up and what moving down gives back.
    [[gnu::always_inline]] inline V up(double epsilon) const {
      const V none = V{} + kNone, gap = V{} + epsilon;
      return f + (beta < upper ? (beta >= 0 ? gap : -gap) : none);
    }
    [[gnu::always_inline]] inline V down(double epsilon) const {
      const V none = V{} - kNone, gap = V{} + epsilon;
      return f + (beta > lower ? (beta > 0 ? gap : -gap) : none);
    }
    [[gnu::always_inline]] inline Places free(double epsilon) const {
      const Places inside = (beta > lower) & (beta < upper);
      return epsilon == 0 ? inside : inside & (beta != 0);
    }
  };

  // Calls each(block, place, count) for all variables.
  [[gnu::always_inline]] static inline void for_each(const Variables v, const auto& each) {
    int64_t k = 0;
    for (; k + lanes <= v.size; k += lanes) each(Block(v, k, lanes), k, lanes);
    const int left = static_cast<int>(v.size - k);
    if (left > 0) each(Block(v, k, left), k, left);
  }

  static VariableLevels levels(const Variables& v) {
    V up = V{} + kNone, down = V{} - kNone, sum = {};
    Places count = {};
    const double epsilon = v.epsilon;
    for_each(v, [&](const Block& block, int64_t, int) {
      const V rise = block.up(epsilon), fall = block.down(epsilon);
      const Places free = block.free(epsilon);
      up = rise < up ? rise : up;
      down = fall > down ? fall : down;
      sum += free ? rise : V{};
      count -= free;
    });
    T ups[lanes], downs[lanes];
    __builtin_memcpy(ups, &up, sizeof ups);
    __builtin_memcpy(downs, &down, sizeof downs);
    VariableLevels found{kNone, -kNone, total<T>(sum), total<Int>(count)};
    for (int l = 0; l < lanes; ++l) {
      found.up = ups[l] < found.up ? ups[l] : found.up;
      found.down = downs[l] > found.down ? downs[l] : found.down;
    }
    return found;
  }

  static int64_t sums(const Variables& v, const double* target, double intercept, double* sums) {
    V quadratic = {}, linear = {}, difference = {}, size = {}, beta = {};
    Places support = {};
    const double epsilon = v.epsilon;
    for_each(v, [&](const Block& block, int64_t k, int count) {
      const V t = load(target + k, count), b = block.beta, zero = {};
      const V r = -block.f - intercept, own = b < 0 ? -b : b, beyond = (r < 0 ? -r : r) - epsilon;
      // The slope of the loss at r: within the tube the value nearest to zero.
      const V nearest = block.lower > 0 ? block.lower : block.upper < 0 ? block.upper : zero;
      const V slope = beyond > 0 ? (r > 0 ? block.upper : block.lower) : nearest;
      const V gain = (slope - b) * r - epsilon * ((slope < 0 ? -slope : slope) - own);
      quadratic += b * (block.f + t);
      linear += t * b - epsilon * own;
      difference += gain > 0 ? gain : zero;
      size += own;
      beta += b;
      support -= b != 0;
    });
    sums[0] = total<T>(quadratic), sums[1] = total<T>(linear), sums[2] = total<T>(difference);
    sums[3] = total<T>(size), sums[4] = total<T>(beta);
    return total<Int>(support);
  }

  // Calls each(bytes, place) for every eight variables: in bit i % 8 of bytes[q] whether variable i
  // is among the Places q of its block.
  template <int kinds>
  [[gnu::always_inline]] static inline void for_each_byte(const Variables& v, const auto& which,
                                                          const auto& each) {
    Int bit[lanes];
    for (int l = 0; l < lanes; ++l) bit[l] = Int{1} << l;
    Places bits;
    __builtin_memcpy(&bits, bit, sizeof bits);
    uint8_t bytes[kinds] = {};
    for_each(v, [&](const Block& block, int64_t k, int) {
      const int shift = static_cast<int>(k % 8);
      Places found[kinds];
      which(block, found);
      for (int q = 0; q < kinds; ++q) {
        bytes[q] |= static_cast<uint8_t>(total<Int>(found[q] & bits) << shift);
      }
      if (shift + lanes < 8 && k + lanes < v.size) return;
      each(bytes, k / 8);
      for (uint8_t& byte : bytes) byte = 0;
    });
  }

  static int64_t changes(const Variables& v, uint8_t* free) {
    int64_t changed = 0;
    for_each_byte<1>(
        v, [&](const Block& block, Places* found) { found[0] = block.free(v.epsilon); },
        [&](const uint8_t* bytes, int64_t k) {
          changed += __builtin_popcount(bytes[0] ^ free[k]);
          free[k] = bytes[0];
        });
    return changed;
  }

  static void violators(const Variables& v, double most, double least, uint8_t* rises,
                        uint8_t* falls) {
    for_each_byte<2>(
        v,
        [&](const Block& block, Places* found) {
          const V rise = block.up(v.epsilon), fall = block.down(v.epsilon);
          found[0] = rise < most;
          found[1] = fall > least;
        },
        [&](const uint8_t* bytes, int64_t k) { rises[k] = bytes[0], falls[k] = bytes[1]; });
  }
};

template <class Isa>
constexpr VariableTable make_variable_table() {
  using Loops = VariableLoops<Isa, double>;
  return {&Loops::levels, &Loops::sums, &Loops::changes, &Loops::violators};
}

}  // namespace svm::simd
