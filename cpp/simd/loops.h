// Generic bodies of the loops in table.h, templated on an instruction set `Isa` with its vector
// length in bytes. Each instruction set has its own tag type, so that no two files emit the same
// symbol; no std template is used here for the same reason.
#pragma once

#include "simd/float.h"
#include "simd/pair_loops.h"
#include "simd/table.h"

namespace svm::simd {

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

  static V least(V a, V b) { return a < b ? a : b; }
  static V most(V a, V b) { return a > b ? a : b; }

  // Terms of the sums over features that values start from.
  struct Product {
    static V term(V a, V b) { return a * b; }
  };
  struct Square {
    static V term(V a, V b) { return (a - b) * (a - b); }
  };
  struct Absolute {
    static V term(V a, V b) { return most(a - b, b - a); }
  };
  struct Chi2 {
    // The quotient first: no overflow. Two zeros differ by nothing.
    static V term(V a, V b) {
      const V d = a - b, s = a + b;
      return d * (d / (s > T(0) ? s : V{} + T(1)));
    }
  };

  // kTileRows x 2 accumulators stay in registers over the whole depth: compilers see that only once
  // the loops over the rows are unrolled.
  template <class Term>
  static void tile(const T* left, const T* right, int64_t depth, T* out, int64_t stride) {
    V sum[kTileRows][2] = {};
    for (int64_t k = 0; k < depth; ++k) {
      const V b0 = load(right + k * width), b1 = load(right + k * width + lanes);
#pragma GCC unroll 6
      for (int r = 0; r < kTileRows; ++r) {
        // Less zero: that is one broadcast, where 0 + x costs an addition for the sign of zero.
        const V a = left[k * kTileRows + r] - V{};
        sum[r][0] += Term::term(a, b0);
        sum[r][1] += Term::term(a, b1);
      }
    }
#pragma GCC unroll 6
    for (int r = 0; r < kTileRows; ++r) {
      store(out + r * stride, sum[r][0]);
      store(out + r * stride + lanes, sum[r][1]);
    }
  }

  // Rows on the left against panels on the right that lie `apart`, over `count` of their lines:
  // line(k) says which. Entry k of row r on the left is left[k * step + r * row_step].
  template <class Term, int kRows, int kPanels, class Line>
  [[gnu::always_inline]] static inline void lines_tile(const T* left, int64_t step,
                                                       int64_t row_step, int64_t count, Line line,
                                                       const T* right, int64_t apart, T* out,
                                                       int64_t stride) {
    constexpr int kVectors = 2 * kPanels;
    V sum[kRows][kVectors] = {};
    for (int64_t k = 0; k < count; ++k) {
      const T* from = right + line(k) * width;
      V b[kVectors];
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) b[v] = load(from + v / 2 * apart + v % 2 * lanes);
#pragma GCC unroll 6
      for (int r = 0; r < kRows; ++r) {
        const V a = left[k * step + r * row_step] - V{};
#pragma GCC unroll 8
        for (int v = 0; v < kVectors; ++v) sum[r][v] += Term::term(a, b[v]);
      }
    }
#pragma GCC unroll 6
    for (int r = 0; r < kRows; ++r) {
#pragma GCC unroll 8
      for (int v = 0; v < kVectors; ++v) store(out + r * stride + v * lanes, sum[r][v]);
    }
  }
  static void listed_dots(const T* left, const int32_t* features, int64_t count, const T* right,
                          T* out, int64_t stride) {
    const auto line = [=](int64_t k) { return static_cast<int64_t>(features[k]); };
    lines_tile<Product, kTileRows, 1>(left, kTileRows, 1, count, line, right, 0, out, stride);
  }

  // One row, four panels at a time: enough sums that none waits for its last addition.
  template <class Term, class Line>
  [[gnu::always_inline]] static inline void lines_row(const T* left, int64_t count, Line line,
                                                      const T* right, int64_t apart, int64_t panels,
                                                      T* out) {
    int64_t p = 0;
    for (; p + 4 <= panels; p += 4) {
      lines_tile<Term, 1, 4>(left, 1, 0, count, line, right + p * apart, apart, out + p * width, 0);
    }
    for (; p < panels; ++p) {
      lines_tile<Term, 1, 1>(left, 1, 0, count, line, right + p * apart, apart, out + p * width, 0);
    }
  }
  template <class Term>
  static void row(const T* left, const int32_t* features, int64_t count, const T* right,
                  int64_t depth, int64_t panels, T* out) {
    const auto line = [=](int64_t k) { return static_cast<int64_t>(features[k]); };
    lines_row<Term>(left, count, line, right, depth * width, panels, out);
  }

  static void weigh(const T* values, int64_t values_stride, int64_t rows, const T* weights,
                    int64_t depth, int64_t panels, T* out, int64_t stride) {
    const int64_t apart = depth * width;
    const auto line = [](int64_t k) { return k; };
    int64_t r = 0;
    for (; r + kTileRows <= rows; r += kTileRows) {
      for (int64_t p = 0; p < panels; ++p) {
        lines_tile<Product, kTileRows, 1>(values + r * values_stride, 1, values_stride, depth, line,
                                          weights + p * apart, 0, out + r * stride + p * width,
                                          stride);
      }
    }
    for (; r < rows; ++r) {
      lines_row<Product>(values + r * values_stride, depth, line, weights, apart, panels,
                         out + r * stride);
    }
  }

  // Terms of what two sparse rows have in common. Each is the same bits with a and b exchanged.
  // The rows on the left fill whole registers, never a wider vector: compilers spill those.
  static constexpr int part_bytes = Isa::bytes < static_cast<int>(kSparseLanes * sizeof(T))
                                        ? Isa::bytes
                                        : static_cast<int>(kSparseLanes * sizeof(T));
  static constexpr int part_lanes = part_bytes / static_cast<int>(sizeof(T));
  static constexpr int parts = kSparseLanes / part_lanes;
  typedef T Part __attribute__((vector_size(part_bytes)));
  struct SparseProduct {
    static void add(Part& sum, Part a, T b) { sum += a * b; }
    static void add_one(T& sum, T a, T b) { sum += a * b; }
  };
  struct SparseOverlap {
    static void add(Part& sum, Part a, T b) {
      const Part c = Part{} + b, low = a < c ? a : c, high = a < c ? c : a;
      sum += (low > T(0) ? low : Part{}) - (high < T(0) ? high : Part{});
    }
    static void add_one(T& sum, T a, T b) {
      const T low = a < b ? a : b, high = a < b ? b : a;
      sum += (low > T(0) ? low : T(0)) - (high < T(0) ? high : T(0));
    }
  };
  struct SparseHarmonic {
    static void add(Part& sum, Part a, T b) {
      const Part c = Part{} + b, low = a < c ? a : c, high = a < c ? c : a;
      sum += low * (high / (high > T(0) ? low + high : Part{} + T(1)));
    }
    static void add_one(T& sum, T a, T b) {
      const T low = a < b ? a : b, high = a < b ? b : a;
      sum += low * (high / (high > T(0) ? low + high : T(1)));
    }
  };

  template <class Term>
  static void sparse(const T* left, int64_t group, const T* values, const int32_t* columns,
                     const int64_t* starts, int64_t rows, T* out, int64_t stride) {
    if (group <= kSparseLanes) {
      sparse_tile<Term, 1>(left, group, values, columns, starts, rows, out, stride);
    } else if (group <= 2 * kSparseLanes) {
      sparse_tile<Term, 2>(left, group, values, columns, starts, rows, out, stride);
    } else {
      sparse_tile<Term, 3>(left, group, values, columns, starts, rows, out, stride);
    }
  }

  // What one row on the right has in common with those on the left.
  template <int kParts>
  struct SparseSums {
    Part sum[kParts] = {};

    template <class Term>
    [[gnu::always_inline]] void add(const T* left, int32_t column, T value) {
      const T* line = left + static_cast<int64_t>(column) * kParts * part_lanes;
#pragma GCC unroll 12
      for (int p = 0; p < kParts; ++p) {
        Part a;
        __builtin_memcpy(&a, line + p * part_lanes, sizeof a);
        Term::add(sum[p], a, value);
      }
    }
    [[gnu::always_inline]] void store(T* to) const {
#pragma GCC unroll 12
      for (int p = 0; p < kParts; ++p) {
        __builtin_memcpy(to + p * part_lanes, &sum[p], sizeof sum[p]);
      }
    }
  };

  template <class Term, int kVectors>
  static void sparse_tile(const T* left, int64_t group, const T* values, const int32_t* columns,
                          const int64_t* starts, int64_t rows, T* out, int64_t stride) {
    constexpr int kParts = kVectors * parts, kLanes = kVectors * kSparseLanes;
    constexpr int64_t kTurned = 16;  // rows on the right whose sums are written together
    alignas(64) T all[kTurned][kLanes];
    for (int64_t first = 0; first < rows; first += kTurned) {
      const int64_t count = rows - first < kTurned ? rows - first : kTurned;
      // Two rows at a time: an addition does not wait for the one before it.
      for (int64_t c = 0; c < count; c += 2) {
        SparseSums<kParts> one, two;
        int64_t e = starts[first + c], f = starts[first + c + 1];
        const int64_t e_end = f, f_end = c + 1 < count ? starts[first + c + 2] : f;
        for (; e < e_end && f < f_end; e += kSparseRun, f += kSparseRun) {
#pragma GCC unroll 4
          for (int k = 0; k < kSparseRun; ++k) {
            one.template add<Term>(left, columns[e + k], values[e + k]);
            two.template add<Term>(left, columns[f + k], values[f + k]);
          }
        }
        for (; e < e_end; ++e) one.template add<Term>(left, columns[e], values[e]);
        for (; f < f_end; ++f) two.template add<Term>(left, columns[f], values[f]);
        one.store(all[c]), two.store(all[c + 1]);
      }
      transpose(all[0], kLanes, count, group, out + first, stride);
    }
  }

  template <class Term>
  static void scatter(T value, const T* values, const int32_t* rows, int64_t entries, T* out) {
    for (int64_t e = 0; e < entries; ++e) Term::add_one(out[rows[e]], value, values[e]);
  }

  // An infinite sum is near too: infinity less infinity is no number.
  template <bool kQuick>
  static int64_t differences(T* values, const T* norms, T norm, T factor, int64_t n) {
    constexpr T kShare = kQuick ? T(kVeryNear) : T(kNear);
    I counts = {};
    int64_t i = 0;
    for (; i + lanes <= n; i += lanes) {
      const V sum = load(norms + i) + norm;
      const V difference = most(sum - factor * load(values + i), V{});
      store(values + i, difference);
      counts += 1 + (difference - kShare * sum >= T(0));  // true is -1
    }
    int64_t near = 0;
    for (int k = 0; k < lanes; ++k) near += counts[k];
    for (; i < n; ++i) {
      const T sum = norms[i] + norm, difference = sum - factor * values[i];
      values[i] = difference > T(0) ? difference : T(0);
      near += !(values[i] - kShare * sum >= T(0));
    }
    return near;
  }

  // exp(x) = 2^m e^r with x = m ln 2 + r, |r| <= ln(2)/2, for x <= 0. The polynomial is of e^r - 1,
  // so that exp(x) - 1 = 2^m (e^r - 1) + (2^m - 1) has its full relative precision at small |x|.
  // What is no number (a gamma too small for T times a distance too large for it) counts as far
  // away.
  template <bool kLessOne>
  static V exponential(V x) {
    using F = Float<T>;
    x = x > F::lowest ? x : V{} + F::lowest;
    const V shifted = x * F::log2e + F::round;
    const V m = shifted - F::round;
    const V r = (x - m * F::ln2_high) - m * F::ln2_low;
    constexpr Reciprocals series;
    V p = V{} + series.factorial[F::terms];
#pragma GCC unroll 16
    for (int k = F::terms - 1; k >= 2; --k) p = p * r + series.factorial[k];
    p = p * r * r + r;
    const V scale = (V)(((I)shifted + F::bias) << F::mantissa);
    return scale * p + (kLessOne ? scale - T(1) : scale);
  }

  // 1 / k!, as constants: compilers leave a chain of factors and a division in the loop otherwise.
  struct Reciprocals {
    T factorial[Float<T>::terms + 1] = {};
    constexpr Reciprocals() {
      T product = 1;
      for (int k = 0; k <= Float<T>::terms; ++k, product *= T(k)) factorial[k] = T(1) / product;
    }
  };

  // values[i] = f(values[i])
  template <class F>
  static void each(T* values, int64_t n, F f) {
    int64_t i = 0;
    for (; i + lanes <= n; i += lanes) store(values + i, f(load(values + i)));
    if (i < n) {
      T rest[lanes] = {};
      for (int64_t k = i; k < n; ++k) rest[k - i] = values[k];
      store(rest, f(load(rest)));
      for (int64_t k = i; k < n; ++k) values[k] = rest[k - i];
    }
  }

  static void decay(T* values, int64_t n, T gamma) {
    each(values, n, [gamma](V v) { return exponential<true>(v * -gamma); });
  }

  // matern(t) = P(t) exp(-t) - 1 with P of degree `kOrder`. Below t = 1, where that cancels, its
  // Taylor series: (-t)^k / k! times the coefficient below, from k = 2.
  template <int kOrder>
  struct Matern {
    static constexpr int terms = sizeof(T) == sizeof(float) ? 12 : 20;
    T coefficient[terms + 1] = {};
    constexpr Matern() {
      double factor = 1;
      for (int k = 2; k <= terms; ++k) {
        factor /= -k;
        const double c = kOrder == 1 ? k - 1 : -(k - 1) * (k - 3) / 3.0;
        coefficient[k] = static_cast<T>(c * factor);
      }
    }
  };
  template <int kOrder>
  static void matern(T* values, int64_t n, T gamma) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) values[i] = gamma * root(values[i]);
    each(values, n, [](V t) {
      if constexpr (kOrder == 0) {
        return exponential<true>(-t);
      } else {
        constexpr Matern<kOrder> series;
        t = least(t, V{} - Float<T>::lowest);
        V near = V{};
        for (int k = series.terms; k >= 2; --k) near = near * t + series.coefficient[k];
        const V p = kOrder == 1 ? T(1) + t : T(1) + t + t * t / T(3);
        return t < T(1) ? near * t * t : p * exponential<false>(-t) - T(1);
      }
    });
  }
  static float root(float x) { return __builtin_sqrtf(x); }
  static double root(double x) { return __builtin_sqrt(x); }

  static void power(T* values, int64_t n, T gamma, T coef0, int degree) {
    each(values, n, [=](V v) {
      V base = v * gamma + coef0, result = V{} + T(1);
      for (int left = degree; left > 0; left /= 2, base *= base) {
        if (left % 2 == 1) result *= base;
      }
      return result;
    });
  }

  // tanh(x) = -e / (e + 2) with e = exp(-2 x) - 1 for x >= 0, and tanh(-x) = -tanh(x).
  static void tanh(T* values, int64_t n, T gamma, T coef0) {
    each(values, n, [=](V v) {
      const V x = v * gamma + coef0;
      const V e = exponential<true>(T(-2) * most(x, -x));
      return (x < T(0) ? e : -e) / (e + T(2));
    });
  }

  static void scale(T* values, int64_t n, T weight) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) values[i] *= weight;
  }

  static void plus(T* values, const T* other, int64_t n) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) values[i] += other[i];
  }

  static void times(T* values, T constant, const T* other, T other_constant, int64_t n) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) {
      values[i] = values[i] * (other[i] + other_constant) + constant * other[i];
    }
  }

  // Places of a register in two of them, exchanged in steps of kStep: of the first where bit
  // kStep of a place is 0, of the second where it is 1, with the other half behind.
  template <int... k>
  struct Places {};
  template <int kCount, int... k>
  struct Counted : Counted<kCount - 1, kCount - 1, k...> {};
  template <int... k>
  struct Counted<0, k...> {
    using All = Places<k...>;
  };
  template <int kStep, int... k>
  static void exchange(V& a, V& b, Places<k...>) {
    const V low = __builtin_shufflevector(a, b, (k & kStep ? lanes + k - kStep : k)...);
    b = __builtin_shufflevector(a, b, (k & kStep ? lanes + k : k + kStep)...);
    a = low;
  }
  // A square of registers is transposed by exchanging its quarters, then theirs, down to values.
  template <int kStep>
  [[gnu::always_inline]] static inline void exchange_quarters(V* rows) {
    if constexpr (kStep > 0) {
#pragma GCC unroll 16
      for (int r = 0; r < lanes; ++r) {
        if ((r & kStep) == 0) {
          exchange<kStep>(rows[r], rows[r + kStep], typename Counted<lanes>::All());
        }
      }
      exchange_quarters<kStep / 2>(rows);
    }
  }

  static void transpose(const T* in, int64_t in_stride, int64_t rows, int64_t columns, T* out,
                        int64_t out_stride) {
    int64_t r = 0;
    for (; r + lanes <= rows; r += lanes) {
      int64_t c = 0;
      for (; c + lanes <= columns; c += lanes) {
        V square[lanes];
#pragma GCC unroll 16
        for (int k = 0; k < lanes; ++k) square[k] = load(in + (r + k) * in_stride + c);
        exchange_quarters<lanes / 2>(square);
#pragma GCC unroll 16
        for (int k = 0; k < lanes; ++k) store(out + (c + k) * out_stride + r, square[k]);
      }
      for (; c < columns; ++c) {
        for (int k = 0; k < lanes; ++k) out[c * out_stride + r + k] = in[(r + k) * in_stride + c];
      }
    }
    for (; r < rows; ++r) {
      for (int64_t c = 0; c < columns; ++c) out[c * out_stride + r] = in[r * in_stride + c];
    }
  }

  static void halve(const T* values, int64_t n, float* high, float* low) {
    constexpr T most = T(__FLT_MAX__);
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) {
      const T above = values[i] < -most ? -most : values[i], value = above > most ? most : above;
      high[i] = static_cast<float>(value);
      low[i] = static_cast<float>(value - static_cast<T>(high[i]));
    }
  }

  static void add(const T* row, double weight, double* sum, int64_t n) {
#pragma omp simd
    for (int64_t i = 0; i < n; ++i) sum[i] += weight * static_cast<double>(row[i]);
  }

  // As many values at a time as a register has doubles: compilers do not find that by themselves.
  static constexpr int doubles = Isa::bytes / static_cast<int>(sizeof(double));
  typedef double D __attribute__((vector_size(Isa::bytes)));
  typedef T Narrow __attribute__((vector_size(doubles * sizeof(T))));

  static void add_four(const T* const* rows, const double* weights, double* sum, int64_t n) {
    int64_t i = 0;
    for (; i + doubles <= n; i += doubles) {
      D s;
      __builtin_memcpy(&s, sum + i, sizeof s);
#pragma GCC unroll 4
      for (int r = 0; r < kSummedRows; ++r) s += weights[r] * widened(rows[r] + i);
      __builtin_memcpy(sum + i, &s, sizeof s);
    }
    for (int r = 0; r < kSummedRows; ++r) add(rows[r] + i, weights[r], sum + i, n - i);
  }

  // Eight sums, each a register: an addition does not wait for the one before it.
  static double dot(const T* row, const double* weight, int64_t n) {
    constexpr int kSums = 8;
    D sums[kSums] = {};
    int64_t i = 0;
    for (; i + kSums * doubles <= n; i += kSums * doubles) {
#pragma GCC unroll 8
      for (int s = 0; s < kSums; ++s) sums[s] += product(row, weight, i + s * doubles);
    }
    for (; i + doubles <= n; i += doubles) sums[0] += product(row, weight, i);
#pragma GCC unroll 4
    for (int s = 0; s < kSums / 2; ++s) sums[s] += sums[s + kSums / 2];
    sums[0] = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    double sum = 0, all[doubles];
    __builtin_memcpy(all, &sums[0], sizeof all);
    for (; i < n; ++i) sum += weight[i] * static_cast<double>(row[i]);
    for (int l = 0; l < doubles; ++l) sum += all[l];
    return sum;
  }

  [[gnu::always_inline]] static inline D product(const T* row, const double* weight, int64_t i) {
    D w;
    __builtin_memcpy(&w, weight + i, sizeof w);
    return w * widened(row + i);
  }

  [[gnu::always_inline]] static inline D widened(const T* p) {
    Narrow x;
    __builtin_memcpy(&x, p, sizeof x);
    return __builtin_convertvector(x, D);
  }

  static void without_each(const T* base, const T* slope, int64_t n, const T* nodes,
                           const T* weights, int64_t count, T* room, T* out) {
    T* behind = room + n * count;
    for (int64_t q = 0; q < count; ++q) behind[q] = T(1);
    for (int64_t l = 0; l < n; ++l) {
      T* before = room + l * count;
      const T a = base[l], b = slope[l];
#pragma omp simd
      for (int64_t q = 0; q < count; ++q) {
        before[q] = behind[q];
        behind[q] *= a + b * nodes[q];
      }
    }
    for (int64_t q = 0; q < count; ++q) behind[q] = weights[q];
    for (int64_t l = n - 1; l >= 0; --l) {
      const T* before = room + l * count;
      const T a = base[l], b = slope[l];
      T sum = 0;
#pragma omp simd reduction(+ : sum)
      for (int64_t q = 0; q < count; ++q) {
        sum += before[q] * behind[q];
        behind[q] *= a + b * nodes[q];
      }
      out[l] = sum;
    }
  }

  static void solve(const T* lower, int64_t stride, int64_t n, T* x) {
    constexpr int kVectors = kSystems / lanes;
    static_assert(kSystems % lanes == 0);
    for (int64_t c = 0; c < n; ++c) {
      const T* row = lower + c * stride;
      V rest[kVectors];
      for (int v = 0; v < kVectors; ++v) rest[v] = load(x + c * kSystems + v * lanes);
      for (int64_t k = 0; k < c; ++k) {
        const V l = row[k] - V{};
#pragma GCC unroll 24
        for (int v = 0; v < kVectors; ++v) rest[v] -= l * load(x + k * kSystems + v * lanes);
      }
      for (int v = 0; v < kVectors; ++v) store(x + c * kSystems + v * lanes, rest[v] / row[c]);
    }
  }

  static int64_t multiply_adds(int64_t rounds, T* sum) {
    constexpr int kChains = 10;
    V s[kChains] = {};
    const V a = V{} + T(0.999), b = V{} + T(1e-3);
    for (int64_t k = 0; k < rounds; ++k) {
      for (int c = 0; c < kChains; ++c) s[c] = s[c] * a + b;
    }
    for (int c = 1; c < kChains; ++c) s[0] += s[c];
    *sum = 0;
    for (int l = 0; l < lanes; ++l) *sum += s[0][l];
    return 2 * kChains * lanes * rounds;
  }

  static constexpr Loops<T> loops() {
    return {
        .width = width,
        .dots = &tile<Product>,
        .squares = &tile<Square>,
        .absolutes = &tile<Absolute>,
        .chi2 = &tile<Chi2>,
        .listed_dots = &listed_dots,
        .row_dots = &row<Product>,
        .row_squares = &row<Square>,
        .row_absolutes = &row<Absolute>,
        .row_chi2 = &row<Chi2>,
        .weigh = &weigh,
        .sparse_dots = &sparse<SparseProduct>,
        .sparse_overlaps = &sparse<SparseOverlap>,
        .sparse_harmonics = &sparse<SparseHarmonic>,
        .scatter_dots = &scatter<SparseProduct>,
        .scatter_overlaps = &scatter<SparseOverlap>,
        .scatter_harmonics = &scatter<SparseHarmonic>,
        .differences = &differences<false>,
        .quick_differences = &differences<true>,
        .decay = &decay,
        .matern12 = &matern<0>,
        .matern32 = &matern<1>,
        .matern52 = &matern<2>,
        .power = &power,
        .tanh = &tanh,
        .scale = &scale,
        .plus = &plus,
        .times = &times,
        .transpose = &transpose,
        .halve = &halve,
        .add = &add,
        .add_four = &add_four,
        .dot = &dot,
        .without_each = &without_each,
        .solve = &solve,
        .multiply_adds = &multiply_adds,
        .lowest = &PairLoops<Isa, T>::lowest,
        .partner = &PairLoops<Isa, T>::partner,
        .move = &PairLoops<Isa, T>::move,
    };
  }
};

template <class Isa>
constexpr Table make_table(const char* name) {
  return {name, Vector<Isa, float>::loops(), Vector<Isa, double>::loops()};
}

}  // namespace svm::simd
