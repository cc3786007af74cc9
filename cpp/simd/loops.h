// Generic bodies of the loops in table.h, templated on an instruction set `Isa` with its vector
// length in bytes. Each instruction set has its own tag type, so that no two files emit the same
// symbol; no std template is used here for the same reason.
#pragma once

#include "simd/table.h"

namespace svm::simd {

template <class T>
struct Float;

template <>
struct Float<float> {
  using Int = int32_t;
  static constexpr int mantissa = 23;
  static constexpr Int bias = 127;
  static constexpr float round = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
  static constexpr float lowest = -87.0F;      // below, exp(x) - 1 = -1 in this precision
  static constexpr float log2e = 1.44269504F;
  static constexpr float ln2_high = 0.693359375F, ln2_low = -2.12194440e-4F;
  static constexpr int terms = 7;
};

template <>
struct Float<double> {
  using Int = int64_t;
  static constexpr int mantissa = 52;
  static constexpr Int bias = 1023;
  static constexpr double round = 6755399441055744.0;  // 1.5 * 2^52
  static constexpr double lowest = -708.0;
  static constexpr double log2e = 1.4426950408889634;
  static constexpr double ln2_high = 0.693147180369123816490, ln2_low = 1.90821492927058770002e-10;
  static constexpr int terms = 13;
};

template <class Isa, class T>
struct Vector {
  static constexpr int lanes = Isa::bytes / static_cast<int>(sizeof(T));
  static constexpr int width = 2 * lanes;
  typedef T V __attribute__((vector_size(Isa::bytes)));
  typedef typename Float<T>::Int I __attribute__((vector_size(Isa::bytes)));

  static V load(const T* p) {
    V v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
  }
  static void store(T* p, V v) { __builtin_memcpy(p, &v, sizeof v); }

  // kTileRows x 2 accumulators stay in registers over the whole depth.
  template <bool kDistance>
  static void tile(const T* left, const T* right, int64_t depth, T* out, int64_t stride) {
    V sum[kTileRows][2] = {};
    for (int64_t k = 0; k < depth; ++k) {
      const V b0 = load(right + k * width), b1 = load(right + k * width + lanes);
      for (int r = 0; r < kTileRows; ++r) {
        const V a = V{} + left[k * kTileRows + r];
        if constexpr (kDistance) {
          const V d0 = a - b0, d1 = a - b1;
          sum[r][0] += d0 * d0;
          sum[r][1] += d1 * d1;
        } else {
          sum[r][0] += a * b0;
          sum[r][1] += a * b1;
        }
      }
    }
    for (int r = 0; r < kTileRows; ++r) {
      store(out + r * stride, sum[r][0]);
      store(out + r * stride + lanes, sum[r][1]);
    }
  }

  static void sparse(const T* left, const T* values, const int32_t* columns, const int64_t* starts,
                     int64_t rows, T* out, int64_t stride) {
    typedef T Lanes __attribute__((vector_size(kSparseLanes * sizeof(T))));
    for (int64_t c = 0; c < rows; ++c) {
      Lanes sum = {};
      for (int64_t e = starts[c]; e < starts[c + 1]; ++e) {
        Lanes a;
        __builtin_memcpy(&a, left + static_cast<int64_t>(columns[e]) * kSparseLanes, sizeof a);
        sum += a * values[e];
      }
      for (int r = 0; r < kTileRows; ++r) out[r * stride + c] = sum[r];
    }
  }

  // exp(x) - 1 = 2^m (e^r - 1) + (2^m - 1) with x = m ln 2 + r, |r| <= ln(2)/2. The polynomial is
  // of e^r - 1, so small |x| keeps its full relative precision.
  static V expm1(V x) {
    using F = Float<T>;
    x = x < F::lowest ? V{} + F::lowest : x;
    const V shifted = x * F::log2e + F::round;
    const V m = shifted - F::round;
    const V r = (x - m * F::ln2_high) - m * F::ln2_low;
    V p = V{} + T(1) / factorial(F::terms);
    for (int k = F::terms - 1; k >= 2; --k) p = p * r + T(1) / factorial(k);
    p = p * r * r + r;
    const V scale = (V)(((I)shifted + F::bias) << F::mantissa);
    return scale * p + (scale - T(1));
  }

  static constexpr T factorial(int k) { return k < 2 ? T(1) : T(k) * factorial(k - 1); }

  static void gaussian(T* values, int64_t n, T gamma) {
    int64_t i = 0;
    for (; i + lanes <= n; i += lanes) store(values + i, expm1(load(values + i) * -gamma));
    if (i < n) {
      T rest[lanes] = {};
      for (int64_t k = i; k < n; ++k) rest[k - i] = values[k];
      store(rest, expm1(load(rest) * -gamma));
      for (int64_t k = i; k < n; ++k) values[k] = rest[k - i];
    }
  }

  static void add(const T* row, double weight, double* sum, int64_t n) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) sum[i] += weight * static_cast<double>(row[i]);
  }

  typedef double Group __attribute__((vector_size(kSparseLanes * sizeof(double))));

  // Four sums of eight: an addition does not wait for the one before it.
  static double dot(const T* row, const double* weight, int64_t n) {
    constexpr int kSums = 4;
    Group sums[kSums] = {};
    int64_t i = 0;
    for (; i + kSums * kSparseLanes <= n; i += kSums * kSparseLanes) {
      for (int s = 0; s < kSums; ++s) sums[s] += product(row, weight, i + s * kSparseLanes);
    }
    for (; i + kSparseLanes <= n; i += kSparseLanes) sums[0] += product(row, weight, i);
    sums[0] += sums[1];
    sums[0] += sums[2] + sums[3];
    double sum = 0;
    for (; i < n; ++i) sum += weight[i] * static_cast<double>(row[i]);
    for (int l = 0; l < kSparseLanes; ++l) sum += sums[0][l];
    return sum;
  }

  [[gnu::always_inline]] static inline Group product(const T* row, const double* weight,
                                                     int64_t i) {
    typedef T Narrow __attribute__((vector_size(kSparseLanes * sizeof(T))));
    Narrow x;
    Group w;
    __builtin_memcpy(&x, row + i, sizeof x);
    __builtin_memcpy(&w, weight + i, sizeof w);
    return w * __builtin_convertvector(x, Group);
  }

  // Two passes, value then place, because both vectorise and a search for the place does not.
  static int64_t lowest(const double* f, const double* offset, int64_t n, double* value) {
    double low = __builtin_inf();
#pragma omp simd reduction(min : low)
    for (int64_t k = 0; k < n; ++k) {
      const double v = f[k] + offset[k];
      low = v < low ? v : low;
    }
    *value = low;
    for (int64_t k = 0; k < n; ++k) {
      if (f[k] + offset[k] == low) return k;
    }
    return -1;
  }

  static int64_t partner(const T* row, const T* diagonal, T diagonal_i, const double* f,
                         const double* offset, double low, int64_t n, double* gain,
                         double* violation) {
    double largest = 0, best = 0;
#pragma omp simd reduction(max : largest, best)
    for (int64_t k = 0; k < n; ++k) {
      const double v = f[k] + offset[k] - low;
      const double g = v > 0 ? v * v / curvature(diagonal_i, diagonal[k], row[k]) : 0;
      gain[k] = g;
      largest = v > largest ? v : largest;
      best = g > best ? g : best;
    }
    *violation = largest;
    if (!(best > 0)) return -1;
    for (int64_t k = 0; k < n; ++k) {
      if (gain[k] == best) return k;
    }
    return -1;
  }

  static void move(const T* up, const T* down, double step, double* f, int64_t n) {
#pragma omp simd
    for (int64_t k = 0; k < n; ++k) {
      f[k] += step * (static_cast<double>(up[k]) - static_cast<double>(down[k]));
    }
  }

  static constexpr Loops<T> loops() {
    return {width, &tile<false>, &tile<true>, &sparse,  &gaussian,
            &add,  &dot,         &lowest,     &partner, &move};
  }
};

template <class Isa>
constexpr Table make_table(const char* name) {
  return {name, Vector<Isa, float>::loops(), Vector<Isa, double>::loops()};
}

}  // namespace svm::simd
