// The passes of a pair step (svm/smo.h) over the variables of a working set that fits the cache.
//
// An extreme and its place come from one pass: each lane keeps the first of its own best values.
#pragma once

#include "simd/float.h"
#include "simd/table.h"

namespace svm::simd {

template <class Isa, class T>
struct PairLoops {
  static constexpr int lanes = Isa::bytes / 8;

  template <class Real>
  struct Of {
    typedef Real Vector __attribute__((vector_size(lanes * sizeof(Real))));
    typedef decltype(Vector{} < Vector{}) Mask;

    [[gnu::always_inline]] static inline Vector load(const Real* p) {
      Vector v;
      __builtin_memcpy(&v, p, sizeof v);
      return v;
    }
  };
  typedef typename Of<double>::Vector D;
  typedef typename Of<T>::Vector V;

  [[gnu::always_inline]] static inline D widen(const T* p) {
    return __builtin_convertvector(Of<T>::load(p), D);
  }

  struct Found {
    double value = __builtin_inf();
    int64_t place = -1;
    [[gnu::always_inline]] inline void offer(double v, int64_t at) {
      if (v < value || (v == value && at < place)) value = v, place = at;
    }
  };

  // The smallest value of each lane, and the first place that has it.
  template <class Real>
  struct Smallest {
    typename Of<Real>::Vector value = typename Of<Real>::Vector{} + Real(__builtin_inf());
    typename Of<Real>::Mask place = typename Of<Real>::Mask{};

    [[gnu::always_inline]] inline void offer(typename Of<Real>::Vector v,
                                             typename Of<Real>::Mask at) {
      const auto less = v < value;
      value = less ? v : value;
      place = less ? at : place;
    }
    [[gnu::always_inline]] inline void hand_over(Found& found) const {
      Real values[lanes];
      typename Float<Real>::Int places[lanes];
      __builtin_memcpy(values, &value, sizeof values);
      __builtin_memcpy(places, &place, sizeof places);
      for (int l = 0; l < lanes; ++l) found.offer(values[l], places[l]);
    }
  };

  // The smallest of the values of k < n: many(k) computes those of a vector, one(k) a single one.
  template <class Real>
  [[gnu::always_inline]] static inline Found search(int64_t n, const auto& many, const auto& one) {
    typename Float<Real>::Int first[lanes];
    for (int l = 0; l < lanes; ++l) first[l] = l;
    typename Of<Real>::Mask at;
    __builtin_memcpy(&at, first, sizeof at);
    Smallest<Real> even, odd;
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

  static int64_t lowest(const double* f, const double* offset, int64_t n, double* value) {
    const Found found = search<double>(
        n, [=](int64_t k) { return Of<double>::load(f + k) + Of<double>::load(offset + k); },
        [=](int64_t k) { return f[k] + offset[k]; });
    *value = found.value;
    return found.place;
  }

  static int64_t move(const T* up, const T* down, double step, double* f, const double* offset,
                      int64_t n, double* value) {
    const Found found = search<double>(
        n,
        [=](int64_t k) {
          const D moved = Of<double>::load(f + k) + step * (widen(up + k) - widen(down + k));
          __builtin_memcpy(f + k, &moved, sizeof moved);
          return moved + Of<double>::load(offset + k);
        },
        [=](int64_t k) {
          f[k] += step * (static_cast<double>(up[k]) - static_cast<double>(down[k]));
          return f[k] + offset[k];
        });
    *value = found.value;
    return found.place;
  }

  static int64_t partner(const T* row, const T* diagonal, T diagonal_i, const double* f,
                         const double* offset, double low, double scale, int64_t n, double* gain,
                         double* violation) {
    D most = {};
    double largest = 0;
    const V none = {};
    // Gains with their sign turned: the smallest is wanted.
    const Found found = search<T>(
        n,
        [&](int64_t k) {
          const D v = (Of<double>::load(f + k) + Of<double>::load(offset + k) - low) * scale;
          most = v > most ? v : most;
          const V w = __builtin_convertvector(v, V);
          const V bend = curvatures(diagonal_i, Of<T>::load(diagonal + k), Of<T>::load(row + k));
          return w > none ? -w * (w / bend) : none;
        },
        [&](int64_t k) {
          const double v = (f[k] + offset[k] - low) * scale;
          largest = v > largest ? v : largest;
          const T w = static_cast<T>(v);
          const T bend = static_cast<T>(curvature(diagonal_i, diagonal[k], row[k]));
          return w > 0 ? -w * (w / bend) : T(0);
        });
    double values[lanes];
    __builtin_memcpy(values, &most, sizeof values);
    for (const double v : values) largest = v > largest ? v : largest;
    *violation = largest / scale;
    *gain = -found.value;
    return found.value < 0 ? found.place : -1;
  }

  // curvature() of table.h on vectors.
  [[gnu::always_inline]] static inline V curvatures(T k_ii, V k_jj, V k_ij) {
    const V size =
        (k_ii < 0 ? -k_ii : k_ii) + (k_jj < 0 ? -k_jj : k_jj) + (k_ij < 0 ? -k_ij : k_ij);
    const V exact = k_ii + k_jj - 2 * k_ij;
    const V least = kCurvatureRounding<T> * size + kSmallestCurvature<T>;
    return exact > least ? exact : least;
  }
};

}  // namespace svm::simd
