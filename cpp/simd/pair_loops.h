// The passes of a pair step (dual/pair_steps.h) over the variables of a working set that fits the
// cache.
//
// An extreme and its place come from one pass: each lane keeps its best value and the first run of
// vectors that has it; the place in the run is looked up at the end.
#pragma once

#include <limits>

#include "simd/float.h"
#include "simd/table.h"

namespace svm::simd {

template <class Isa, class T>
struct PairLoops {
  static constexpr int lanes = Isa::bytes / sizeof(T);
  typedef T V __attribute__((vector_size(Isa::bytes)));
  typedef decltype(V{} < V{}) Places;

  [[gnu::always_inline]] static inline V load(const T* p) {
    V v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
  }

  static constexpr int64_t kRun = 4 * lanes;

  struct Found {
    T value = __builtin_inf();
    int64_t place = -1;
    [[gnu::always_inline]] inline void offer(T v, int64_t at) {
      if (v < value || (v == value && at < place)) value = v, place = at;
    }
  };

  using Int = typename Float<T>::Int;

  // The smallest value of each lane, and where the first run that has it begins.
  struct Smallest {
    V value = V{} + T(__builtin_inf());
    Places run = {};

    [[gnu::always_inline]] inline void offer(V v, int64_t begin) {
      const auto less = v < value;
      value = less ? v : value;
      run = less ? Places{} + static_cast<Int>(begin) : run;
    }
  };

  // The smallest of the lanes; there are no branches, as nobody could foresee them.
  template <class U, class Vector>
  [[gnu::always_inline]] static inline U least(Vector v) {
    U values[lanes];
    __builtin_memcpy(values, &v, sizeof values);
    for (int half = lanes / 2; half > 0; half /= 2) {
      for (int l = 0; l < half; ++l) {
        values[l] = values[l] < values[l + half] ? values[l] : values[l + half];
      }
    }
    return values[0];
  }

  [[gnu::always_inline]] static inline V smaller(V a, V b) { return a < b ? a : b; }

  // The smallest of the values of k < n: many(k) computes those of a vector and one(k) a single
  // one; again(k) repeats what many(k) has found.
  [[gnu::always_inline]] static inline Found search(int64_t n, const auto& many, const auto& one,
                                                    const auto& again) {
    const int64_t runs = n / kRun * kRun, vectors = n / lanes * lanes;
    Smallest best;
    int64_t k = 0;
    for (; k < runs; k += kRun) {
      const V left = smaller(many(k), many(k + lanes));
      best.offer(smaller(left, smaller(many(k + 2 * lanes), many(k + 3 * lanes))), k);
    }
    for (; k < vectors; k += lanes) best.offer(many(k), k);
    Found found;
    if (vectors > 0) found = look_up(best, runs, again);
    for (; k < n; ++k) found.offer(one(k), k);
    return found.value < __builtin_inf() ? found : Found();
  }

  // The first place of the best value in the first run that has it.
  [[gnu::always_inline]] static inline Found look_up(const Smallest& best, int64_t runs,
                                                     const auto& again) {
    constexpr Int kNone = std::numeric_limits<Int>::max();
    const T value = least<T>(best.value);
    const int64_t run = least<Int>(best.value == value ? best.run : Places{} + kNone);
    Int lane[lanes];
    for (int l = 0; l < lanes; ++l) lane[l] = l;
    Places at, first = Places{} + kNone;
    __builtin_memcpy(&at, lane, sizeof at);
    for (int64_t k = run; k < (run < runs ? run + kRun : run + lanes); k += lanes) {
      const Places place = again(k) == value ? at : Places{} + kNone;
      first = place < first ? place : first;
      at += lanes;
    }
    return {value, run + least<Int>(first)};
  }

  static int64_t lowest(const T* f, const T* offset, int64_t n, T* value) {
    const auto many = [=](int64_t k) { return load(f + k) + load(offset + k); };
    const Found found = search(n, many, [=](int64_t k) { return f[k] + offset[k]; }, many);
    *value = found.value;
    return found.place;
  }

  static int64_t move(const T* up, const T* down, T share, T step, T* along, T* f, const T* offset,
                      int64_t n, T* value) {
    const Found found = search(
        n,
        [=](int64_t k) {
          const V turned = load(up + k) - load(down + k) + share * load(along + k);
          const V moved = load(f + k) + step * turned;
          __builtin_memcpy(along + k, &turned, sizeof turned);
          __builtin_memcpy(f + k, &moved, sizeof moved);
          return moved + load(offset + k);
        },
        [=](int64_t k) {
          along[k] = up[k] - down[k] + share * along[k];
          f[k] += step * along[k];
          return f[k] + offset[k];
        },
        [=](int64_t k) { return load(f + k) + load(offset + k); });
    *value = found.value;
    return found.place;
  }

  static int64_t partner(const PairCurvatures<T>& curvatures, const T* f, const T* offset, T low,
                         T scale, int64_t n, T* gain, T* violation) {
    return (curvatures.diagonal == nullptr
                ? &best_partner<true>
                : &best_partner<false>)(curvatures, f, offset, low, scale, n, gain, violation);
  }

 private:
  template <bool kConstant>
  static int64_t best_partner(const PairCurvatures<T>& curvatures, const T* f, const T* offset,
                              T low, T scale, int64_t n, T* gain, T* violation) {
    // Copies: stores to *gain could change what the struct refers to.
    const PairCurvatures<T> pairs = curvatures;
    V deepest = {};
    T lowest = 0;
    // Minus v and minus the curvature, so that the quotient, minus the gain, is smallest where the
    // gain is largest.
    const auto gains = [&](int64_t k) {
      V v = low - (load(f + k) + load(offset + k));
      v = smaller(v, V{});
      deepest = smaller(v, deepest);
      return v * scale * (v / curvature<kConstant, V>(pairs, k));
    };
    const Found found = search(
        n, gains,
        [&](int64_t k) {
          T v = low - (f[k] + offset[k]);
          v = v < 0 ? v : T(0);
          lowest = v < lowest ? v : lowest;
          return v * scale * (v / curvature<kConstant, T>(pairs, k));
        },
        gains);
    T values[lanes];
    __builtin_memcpy(values, &deepest, sizeof values);
    for (const T v : values) lowest = v < lowest ? v : lowest;
    *violation = -lowest;
    *gain = -found.value;
    return found.value < 0 ? found.place : -1;
  }

  template <class U>
  [[gnu::always_inline]] static inline U take(const T* p) {
    U value;
    __builtin_memcpy(&value, p, sizeof value);
    return value;
  }

  // Minus curvature_k of table.h, on a vector or a number.
  template <bool kConstant, class U>
  [[gnu::always_inline]] static inline U curvature(const PairCurvatures<T>& pairs, int64_t k) {
    const T d = pairs.diagonal_i, d_size = d < 0 ? -d : d;
    const U other = kConstant ? U{} + d : take<U>(pairs.diagonal + k);
    const U size = d_size + (other < 0 ? -other : other);
    const U least = -(kCurvatureRounding<T> * size + kSmallestCurvature<T>);
    const U exact = 2 * take<U>(pairs.row + k) - (d + other), c = exact < least ? exact : least;
    const U difference = pairs.along_i - take<U>(pairs.along + k);
    const U turned = c + difference * difference * pairs.pull, flattest = T(kLeastCurvature) * c;
    return turned < flattest ? turned : flattest;
  }
};

}  // namespace svm::simd
