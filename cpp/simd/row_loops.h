// Generic bodies of the loops in rows.h, templated on an instruction set as in loops.h.
#pragma once

#include "simd/loops.h"
#include "simd/rows.h"

namespace svm::simd {

template <class Isa, class X>
struct RowVector {
  static constexpr int lanes = Isa::bytes / static_cast<int>(sizeof(double));
  typedef double V __attribute__((vector_size(Isa::bytes)));
  typedef X Stored __attribute__((vector_size(lanes * sizeof(X))));

  static V load(const X* p) {
    Stored v;
    __builtin_memcpy(&v, p, sizeof v);
    return __builtin_convertvector(v, V);
  }
  // The last lanes of a row; of a shorter one all of it, behind zeros.
  static V load_last(const X* row, int64_t columns) {
    if (columns >= lanes) return load(row + columns - lanes);
    X few[lanes] = {};
    for (int64_t j = 0; j < columns; ++j) few[j - columns + lanes] = row[j];
    return load(few);
  }
  static V load_wide(const double* p) {
    V v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
  }
  static double total(V v) {
    double parts[lanes], sum = 0;
    __builtin_memcpy(parts, &v, sizeof v);
    for (int k = 0; k < lanes; ++k) sum += parts[k];
    return sum;
  }

  static void dots(const X* const* rows, const double* w, int64_t columns, double* out) {
    V even[kRowGroup] = {}, odd[kRowGroup] = {};
    int64_t j = 0;
    for (; j + 2 * lanes <= columns; j += 2 * lanes) {
      const V w0 = load_wide(w + j), w1 = load_wide(w + j + lanes);
      for (int r = 0; r < kRowGroup; ++r) {
        even[r] += load(rows[r] + j) * w0;
        odd[r] += load(rows[r] + j + lanes) * w1;
      }
    }
    if (j + lanes <= columns) {
      const V w0 = load_wide(w + j);
      for (int r = 0; r < kRowGroup; ++r) even[r] += load(rows[r] + j) * w0;
      j += lanes;
    }
    if (j < columns) {
      double last[lanes] = {};
      for (int64_t k = j; k < columns; ++k) last[k - columns + lanes] = w[k];
      const V w0 = load_wide(last);
      for (int r = 0; r < kRowGroup; ++r) odd[r] += load_last(rows[r], columns) * w0;
    }
    for (int r = 0; r < kRowGroup; ++r) out[r] = total(even[r] + odd[r]);
  }

  static void add(const X* const* rows, const double* weight, int64_t columns, double* sum) {
    int64_t j = 0;
    for (; j + lanes <= columns; j += lanes) {
      V total = load_wide(sum + j);
      for (int r = 0; r < kRowGroup; ++r) total += load(rows[r] + j) * weight[r];
      __builtin_memcpy(sum + j, &total, sizeof total);
    }
    if (j == columns) return;
    V rest = {};
    for (int r = 0; r < kRowGroup; ++r) rest += load_last(rows[r], columns) * weight[r];
    double last[lanes];
    __builtin_memcpy(last, &rest, sizeof rest);
    for (; j < columns; ++j) sum[j] += last[j - columns + lanes];
  }

  static void scale(const X* row, double factor, int64_t columns, double* out) {
    int64_t j = 0;
    for (; j + lanes <= columns; j += lanes) {
      const V v = load(row + j) * factor;
      __builtin_memcpy(out + j, &v, sizeof v);
    }
    for (; j < columns; ++j) out[j] = static_cast<double>(row[j]) * factor;
  }

  static double dot(const X* row, const double* w, int64_t columns) {
    constexpr int kChains = 4;  // of additions, so that none waits for the one before
    V sum[kChains] = {};
    int64_t j = 0;
    for (; j + kChains * lanes <= columns; j += kChains * lanes) {
      for (int k = 0; k < kChains; ++k) {
        sum[k] += load(row + j + k * lanes) * load_wide(w + j + k * lanes);
      }
    }
    for (; j + lanes <= columns; j += lanes) sum[0] += load(row + j) * load_wide(w + j);
    double rest = 0;
    for (; j < columns; ++j) rest += static_cast<double>(row[j]) * w[j];
    return total((sum[0] + sum[1]) + (sum[2] + sum[3])) + rest;
  }

  static void axpy(const X* row, double a, int64_t columns, double* sum) {
    int64_t j = 0;
    for (; j + lanes <= columns; j += lanes) {
      const V v = load_wide(sum + j) + load(row + j) * a;
      __builtin_memcpy(sum + j, &v, sizeof v);
    }
    for (; j < columns; ++j) sum[j] += a * static_cast<double>(row[j]);
  }

  static constexpr RowLoops<X> loops() { return {&dots, &add, &scale, &dot, &axpy}; }
};

// kRows x 2 accumulators stay in registers over the whole depth.
template <class Isa>
struct OuterTile {
  using D = RowVector<Isa, double>;
  static constexpr int kRows = Isa::bytes == 64 ? 8 : 4;
  static constexpr int kColumns = 2 * D::lanes;

  static void strip(const double* left, int64_t left_stride, const double* right,
                    int64_t right_stride, int64_t depth, double sign, double* out, int64_t stride) {
    typename D::V sum[kRows][2] = {};
    for (int64_t k = 0; k < depth; ++k) {
      const double* from = right + k * right_stride;
      const typename D::V b0 = D::load(from), b1 = D::load(from + D::lanes);
      for (int r = 0; r < kRows; ++r) {
        const double a = left[k * left_stride + r];
        sum[r][0] += a * b0;
        sum[r][1] += a * b1;
      }
    }
    for (int r = 0; r < kRows; ++r) {
      double* to = out + r * stride;
      const typename D::V v0 = D::load(to) + sign * sum[r][0];
      const typename D::V v1 = D::load(to + D::lanes) + sign * sum[r][1];
      __builtin_memcpy(to, &v0, sizeof v0);
      __builtin_memcpy(to + D::lanes, &v1, sizeof v1);
    }
  }

  static void outer(const double* left, int64_t left_stride, const double* right,
                    int64_t right_stride, int64_t depth, double sign, double* out, int64_t stride) {
    for (int i = 0; i < kOuterTile; i += kRows) {
      for (int j = 0; j < kOuterTile; j += kColumns) {
        strip(left + i, left_stride, right + j, right_stride, depth, sign, out + i * stride + j,
              stride);
      }
    }
  }
};

// Losses of rows, several rows at a time. Every function is written once for vectors and for the
// single numbers of the last rows.
template <class Isa>
struct LossLoops {
  using D = RowVector<Isa, double>;
  using V = typename D::V;
  static constexpr int lanes = D::lanes;

  template <class T>
  static T load(const double* p) {
    T v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
  }
  template <class T>
  static void store(double* p, T v) {
    __builtin_memcpy(p, &v, sizeof v);
  }
  template <class T>
  static T clip(T v, T low, T high) {
    v = v < low ? low : v;
    return v > high ? high : v;
  }
  template <class T>
  static T magnitude(T v) {
    return v < T{} ? -v : v;
  }
  // sign(r) max(0, |r| - epsilon)
  template <class T>
  static T shrink(T r, double epsilon) {
    return r - clip(r, T{} - epsilon, T{} + epsilon);
  }

  template <class T, bool kSmoothed>
  struct Value {
    T b, curvature;  // a smoothed loss has its curvature divided by sigma

    Value(const TubeRows& rows, int64_t k, T s) {
      const T lower = load<T>(rows.lower + k), upper = load<T>(rows.upper + k);
      T r = load<T>(rows.target + k) - s, stiffness = T{} + 1;
      if constexpr (kSmoothed) {
        r += load<T>(rows.centre + k) * (1 / rows.sigma);
      } else {
        stiffness = 1 / load<T>(rows.ridge + k);
      }
      const T v = (kSmoothed ? T{} + rows.sigma : stiffness) * shrink(r, rows.epsilon);
      b = clip(v, lower, upper);
      const T none = T{};
      curvature = v > lower ? stiffness : none;
      curvature = v < upper ? curvature : none;
      curvature = v == none ? none : curvature;
    }
  };

  template <class T, bool kSmoothed>
  static void slopes_at(const TubeRows& rows, int64_t k, const double* s, double* b,
                        double* curvature, T terms[3]) {
    const T score = load<T>(s + k), target = load<T>(rows.target + k), none = T{};
    const Value<T, kSmoothed> value(rows, k, score);
    store(b + k, value.b);
    store(curvature + k, value.curvature);
    const T r = target - score, e = shrink(r, rows.epsilon);
    // The loss itself: its slope at r is b where it is not smoothed, and a bound where it is.
    const T bound = e > none ? load<T>(rows.upper + k) : load<T>(rows.lower + k);
    const T best = kSmoothed ? bound : value.b;
    T loss = best * e, conjugate = magnitude(value.b) * rows.epsilon;
    if constexpr (!kSmoothed) {
      const T half = load<T>(rows.ridge + k) * value.b * value.b * 0.5;
      loss -= half;
      conjugate += half;
    }
    loss = e == none ? none : loss;
    const T difference = loss + conjugate - r * value.b;
    terms[0] += loss;
    terms[1] += target * value.b - conjugate;
    terms[2] += difference > none ? difference : none;
  }

  template <bool kSmoothed>
  static void slopes(const TubeRows& rows, int64_t n, const double* s, double* b, double* curvature,
                     double* terms) {
    V wide[3] = {};
    double rest[3] = {};
    int64_t k = 0;
    for (; k + lanes <= n; k += lanes) slopes_at<V, kSmoothed>(rows, k, s, b, curvature, wide);
    for (; k < n; ++k) slopes_at<double, kSmoothed>(rows, k, s, b, curvature, rest);
    for (int i = 0; i < 3; ++i) terms[i] = D::total(wide[i]) + rest[i];
  }

  static void tube_slopes(const TubeRows& rows, int64_t n, const double* s, double* b,
                          double* curvature, double* terms) {
    (rows.centre != nullptr ? &slopes<true> : &slopes<false>)(rows, n, s, b, curvature, terms);
  }

  // Terms of b as it is given, at scores s. The last one is what rounding of the scores can do.
  template <class T, bool kKinked>
  static void compare_at(const TubeRows& rows, int64_t k, const double* s, const double* b,
                         T terms[4]) {
    const T score = load<T>(s + k), target = load<T>(rows.target + k), given = load<T>(b + k);
    const T lower = load<T>(rows.lower + k), upper = load<T>(rows.upper + k), none = T{};
    const T r = target - score, e = shrink(r, rows.epsilon);
    const T error = (magnitude(target) + magnitude(score)) * 0x1p-52;
    T loss, steepest, conjugate = magnitude(given) * rows.epsilon;
    if constexpr (kKinked) {
      loss = e * (e > none ? upper : lower);
      steepest = upper > -lower ? upper : -lower;
    } else {
      const T ridge = load<T>(rows.ridge + k), own = clip(e / ridge, lower, upper);
      const T farthest = (magnitude(e) + error) / ridge;
      const T up = clip(farthest, lower, upper), down = -clip(-farthest, lower, upper);
      loss = e * own - ridge * own * own * 0.5;
      steepest = up > down ? up : down;
      conjugate += ridge * given * given * 0.5;
    }
    loss = e == none ? none : loss;
    steepest = magnitude(e) + error > none ? steepest : none;
    const T difference = loss + conjugate - r * given;
    terms[0] += loss;
    terms[1] += target * given - conjugate;
    terms[2] += difference > none ? difference : none;
    terms[3] += error * steepest;
  }

  template <bool kKinked>
  static void compare(const TubeRows& rows, int64_t n, const double* s, const double* b,
                      double* terms) {
    V wide[4] = {};
    double rest[4] = {};
    int64_t k = 0;
    for (; k + lanes <= n; k += lanes) compare_at<V, kKinked>(rows, k, s, b, wide);
    for (; k < n; ++k) compare_at<double, kKinked>(rows, k, s, b, rest);
    for (int i = 0; i < 4; ++i) terms[i] = D::total(wide[i]) + rest[i];
  }

  static void tube_compare(const TubeRows& rows, int64_t n, const double* s, const double* b,
                           double* terms) {
    (rows.ridge == nullptr ? &compare<true> : &compare<false>)(rows, n, s, b, terms);
  }

  // What errors of the scores can do: the derivative of a term in the score is b less the own one,
  // which is monotone, and largest at an end of the interval of scores.
  template <class T, bool kKinked>
  static T rounding_at(const TubeRows& rows, int64_t k, const double* s, const double* b,
                       const double* errors) {
    const T r = load<T>(rows.target + k) - load<T>(s + k), given = load<T>(b + k), none = T{};
    const T lower = load<T>(rows.lower + k), upper = load<T>(rows.upper + k);
    const T error = load<T>(errors + k) + magnitude(r) * 0x1p-53;
    const auto distance = [&](T at) {
      const T e = shrink(at, rows.epsilon);
      T own;
      if constexpr (kKinked) {
        own = e > none ? upper : lower;
      } else {
        own = clip(e / load<T>(rows.ridge + k), lower, upper);
      }
      return magnitude(given - (e == none ? none : own));
    };
    const T above = distance(r + error), below = distance(r - error);
    return error * (above > below ? above : below);
  }

  template <bool kKinked>
  static double rounding(const TubeRows& rows, int64_t n, const double* s, const double* b,
                         const double* errors) {
    V wide = {};
    double rest = 0;
    int64_t k = 0;
    for (; k + lanes <= n; k += lanes) wide += rounding_at<V, kKinked>(rows, k, s, b, errors);
    for (; k < n; ++k) rest += rounding_at<double, kKinked>(rows, k, s, b, errors);
    return D::total(wide) + rest;
  }

  static double tube_rounding(const TubeRows& rows, int64_t n, const double* s, const double* b,
                              const double* errors) {
    return (rows.ridge == nullptr ? &rounding<true> : &rounding<false>)(rows, n, s, b, errors);
  }

  template <class T, bool kSmoothed>
  static void along_at(const TubeRows& rows, int64_t k, const double* s, const double* b,
                       const double* delta, double step, T sums[2]) {
    const T d = load<T>(delta + k);
    const Value<T, kSmoothed> value(rows, k, load<T>(s + k) + step * d);
    sums[0] += (value.b - load<T>(b + k)) * d;
    sums[1] += value.curvature * d * d;
  }

  template <bool kSmoothed>
  static void along(const TubeRows& rows, int64_t n, const double* s, const double* b,
                    const double* delta, double step, double* sums) {
    V wide[2] = {};
    double rest[2] = {};
    int64_t k = 0;
    for (; k + lanes <= n; k += lanes) along_at<V, kSmoothed>(rows, k, s, b, delta, step, wide);
    for (; k < n; ++k) along_at<double, kSmoothed>(rows, k, s, b, delta, step, rest);
    sums[0] = D::total(wide[0]) + rest[0];
    sums[1] = (D::total(wide[1]) + rest[1]) * (kSmoothed ? rows.sigma : 1);
  }

  static void tube_along(const TubeRows& rows, int64_t n, const double* s, const double* b,
                         const double* delta, double step, double* sums) {
    (rows.centre != nullptr ? &along<true> : &along<false>)(rows, n, s, b, delta, step, sums);
  }

  // p = 1 / (1 + exp(z)) from e = exp(-|z|)
  static void logistic_group(const double* y, const double* C, const double* s, const double* b,
                             const double* delta, double step, V sums[2]) {
    const V label = load<V>(y), d = load<V>(delta), none = V{};
    const V z = label * (load<V>(s) + step * d);
    const V e = Vector<Isa, double>::template exponential<false>(z > none ? -z : z), sum = 1.0 + e;
    const V share = (z > none ? e : none + 1.0) / sum;
    const V c = load<V>(C);
    sums[0] += (label * c * share - load<V>(b)) * d;
    sums[1] += c * e / (sum * sum) * d * d;
  }

  static void logistic_along(const double* y, const double* C, int64_t n, const double* s,
                             const double* b, const double* delta, double step, double* sums) {
    V wide[2] = {};
    int64_t k = 0;
    for (; k + lanes <= n; k += lanes) {
      logistic_group(y + k, C + k, s + k, b + k, delta + k, step, wide);
    }
    if (k < n) {  // rows that are not there have C = 0
      double last[5][lanes] = {};
      const double* from[5] = {y, C, s, b, delta};
      for (int a = 0; a < 5; ++a) {
        for (int64_t i = k; i < n; ++i) last[a][i - k] = from[a][i];
      }
      logistic_group(last[0], last[1], last[2], last[3], last[4], step, wide);
    }
    sums[0] = D::total(wide[0]);
    sums[1] = D::total(wide[1]);
  }
};

template <class Isa>
constexpr RowTable make_row_table() {
  using L = LossLoops<Isa>;
  return {RowVector<Isa, float>::loops(),
          RowVector<Isa, double>::loops(),
          &OuterTile<Isa>::outer,
          &L::tube_slopes,
          &L::tube_compare,
          &L::tube_rounding,
          &L::tube_along,
          &L::logistic_along};
}

}  // namespace svm::simd
