// The passes of a pair step (svm/smo.h) over the variables of a working set that fits the cache.
//
// An extreme and its place come from one pass: each lane keeps the first of its own best values.
#pragma once

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

  struct Found {
    T value = __builtin_inf();
    int64_t place = -1;
    [[gnu::always_inline]] inline void offer(T v, int64_t at) {
      if (v < value || (v == value && at < place)) value = v, place = at;
    }
  };

  // The smallest value of each lane, and the first place that has it.
  struct Smallest {
    V value = V{} + T(__builtin_inf());
    Places place = {};

    [[gnu::always_inline]] inline void offer(V v, Places at) {
      const auto less = v < value;
      value = less ? v : value;
      place = less ? at : place;
    }
    [[gnu::always_inline]] inline void hand_over(Found& found) const {
      T values[lanes];
      typename Float<T>::Int places[lanes];
      __builtin_memcpy(values, &value, sizeof values);
      __builtin_memcpy(places, &place, sizeof places);
      for (int l = 0; l < lanes; ++l) found.offer(values[l], places[l]);
    }
  };

  // The smallest of the values of k < n: many(k) computes those of a vector, one(k) a single one.
  [[gnu::always_inline]] static inline Found search(int64_t n, const auto& many, const auto& one) {
    typename Float<T>::Int first[lanes];
    for (int l = 0; l < lanes; ++l) first[l] = l;
    Places at;
    __builtin_memcpy(&at, first, sizeof at);
    Smallest even, odd;
    int64_t k = 0;
    for (; k + 2 * lanes <= n; k += 2 * lanes) {
      even.offer(many(k), at);
      odd.offer(many(k + lanes), at + lanes);
      at += 2 * lanes;
    }
    Found found;
    if (k > 0) {
      even.hand_over(found);
      odd.hand_over(found);
    }
    for (; k < n; ++k) found.offer(one(k), k);
    return found.value < __builtin_inf() ? found : Found();
  }

  static int64_t lowest(const T* f, const T* offset, int64_t n, T* value) {
    const Found found = search(
        n, [=](int64_t k) { return load(f + k) + load(offset + k); },
        [=](int64_t k) { return f[k] + offset[k]; });
    *value = found.value;
    return found.place;
  }

  static int64_t move(const T* up, const T* down, T step, T* f, const T* offset, int64_t n,
                      T* value) {
    const Found found = search(
        n,
        [=](int64_t k) {
          const V moved = load(f + k) + step * (load(up + k) - load(down + k));
          __builtin_memcpy(f + k, &moved, sizeof moved);
          return moved + load(offset + k);
        },
        [=](int64_t k) {
          f[k] += step * (up[k] - down[k]);
          return f[k] + offset[k];
        });
    *value = found.value;
    return found.place;
  }

  static int64_t partner(const T* row, const T* diagonal, T diagonal_i, const T* f, const T* offset,
                         T low, T scale, int64_t n, T* gain, T* violation) {
    V most = {};
    T largest = 0;
    const V none = {};
    // Gains with their sign turned: the smallest is wanted.
    const Found found = search(
        n,
        [&](int64_t k) {
          const V v = (load(f + k) + load(offset + k) - low) * scale;
          most = v > most ? v : most;
          const V bend = curvatures(diagonal_i, load(diagonal + k), load(row + k));
          return v > none ? -v * (v / bend) : none;
        },
        [&](int64_t k) {
          const T v = (f[k] + offset[k] - low) * scale;
          largest = v > largest ? v : largest;
          const T bend = curvature(diagonal_i, diagonal[k], row[k]);
          return v > 0 ? -v * (v / bend) : T(0);
        });
    T values[lanes];
    __builtin_memcpy(values, &most, sizeof values);
    for (const T v : values) largest = v > largest ? v : largest;
    *violation = largest / scale;
    *gain = -found.value;
    return found.value < 0 ? found.place : -1;
  }

  // curvature() of table.h on vectors.
  [[gnu::always_inline]] static inline V curvatures(T k_ii, V k_jj, V k_ij) {
    const V size = (k_ii < 0 ? -k_ii : k_ii) + (k_jj < 0 ? -k_jj : k_jj);
    const V exact = k_ii + k_jj - 2 * k_ij;
    const V least = kCurvatureRounding<T> * size + kSmallestCurvature<T>;
    return exact > least ? exact : least;
  }
};

}  // namespace svm::simd
