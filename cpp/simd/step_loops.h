// Generic bodies of the loops in steps.h, templated on an instruction set as in loops.h.
#pragma once

#include "simd/steps.h"

namespace svm::simd {

// Several models: a vector holds one feature's weights of all of them.
template <class Isa, class X, class W, int kWidth>
struct SideBySide {
  static constexpr int whole = kWidth * static_cast<int>(sizeof(W));
  static constexpr int bytes = Isa::bytes < whole ? Isa::bytes : whole;
  static constexpr int lanes = bytes / static_cast<int>(sizeof(W)), parts = kWidth / lanes;
  typedef W V __attribute__((vector_size(bytes)));

  static V load(const W* p) {
    V v;
    __builtin_memcpy(&v, p, sizeof v);
    return v;
  }

  template <bool kDense>
  static void sum(const X* values, const int32_t* columns, int64_t count, const W* weights,
                  W* out) {
    // Two sums: the next product does not wait for the last addition.
    V even[parts] = {}, odd[parts] = {};
    const auto line = [&](int64_t e) {
      return weights + (kDense ? e : static_cast<int64_t>(columns[e])) * kWidth;
    };
    int64_t e = 0;
    for (; e + 1 < count; e += 2) {
      const W *first = line(e), *second = line(e + 1);
      const W x = static_cast<W>(values[e]), z = static_cast<W>(values[e + 1]);
      for (int p = 0; p < parts; ++p) even[p] += x * load(first + p * lanes);
      for (int p = 0; p < parts; ++p) odd[p] += z * load(second + p * lanes);
    }
    if (e < count) {
      const W x = static_cast<W>(values[e]);
      for (int p = 0; p < parts; ++p) even[p] += x * load(line(e) + p * lanes);
    }
    for (int p = 0; p < parts; ++p) {
      const V total = even[p] + odd[p];
      __builtin_memcpy(out + p * lanes, &total, sizeof total);
    }
  }

  static void scores(const X* values, const int32_t* columns, int64_t count, const W* weights,
                     W* out) {
    (columns == nullptr ? &sum<true> : &sum<false>)(values, columns, count, weights, out);
  }

  template <bool kBoth>
  static void move(const X* values, const int32_t* columns, int64_t count, const W* by, W* weights,
                   const W* other_by, W* other) {
    V steps[2][parts];
    for (int p = 0; p < parts; ++p) {
      steps[0][p] = load(by + p * lanes);
      steps[1][p] = kBoth ? load(other_by + p * lanes) : V{};
    }
    const auto shift = [](W* line, V step, W x) {
      const V moved = load(line) + step * x;
      __builtin_memcpy(line, &moved, sizeof moved);
    };
    for (int64_t e = 0; e < count; ++e) {
      const int64_t line = (columns == nullptr ? e : columns[e]) * kWidth;
      const W x = static_cast<W>(values[e]);
      for (int p = 0; p < parts; ++p) shift(weights + line + p * lanes, steps[0][p], x);
      if constexpr (kBoth) {
        for (int p = 0; p < parts; ++p) shift(other + line + p * lanes, steps[1][p], x);
      }
    }
  }
};

// One model: a vector holds several features.
template <class Isa, class X, class W>
struct Alone {
  static constexpr int lanes = Isa::bytes / static_cast<int>(sizeof(W));

  // Vectors of n lanes, for the last features shorter and shorter ones.
  template <int n>
  struct Of {
    typedef W V __attribute__((vector_size(n * sizeof(W))));
    typedef X Stored __attribute__((vector_size(n * sizeof(X))));

    static V values(const X* p) {
      Stored v;
      __builtin_memcpy(&v, p, sizeof v);
      return __builtin_convertvector(v, V);
    }
    static V load(const W* p) {
      V v;
      __builtin_memcpy(&v, p, sizeof v);
      return v;
    }

    static W sum(V total, const X* values_left, const W* weights, int64_t left) {
      if (left >= n) {
        total += values(values_left) * load(weights);
        values_left += n, weights += n, left -= n;
      }
      if constexpr (n == 1) {
        W last;
        __builtin_memcpy(&last, &total, sizeof last);
        return last;
      } else {
        typename Of<n / 2>::V halves[2];
        __builtin_memcpy(halves, &total, sizeof total);
        return Of<n / 2>::sum(halves[0] + halves[1], values_left, weights, left);
      }
    }
    static void move(const X* values_left, int64_t left, W by, W* weights) {
      if (left >= n) {
        const V moved = load(weights) + by * values(values_left);
        __builtin_memcpy(weights, &moved, sizeof moved);
        values_left += n, weights += n, left -= n;
      }
      if constexpr (n > 1) Of<n / 2>::move(values_left, left, by, weights);
    }
  };
  using Whole = Of<lanes>;

  static W dense_sum(const X* values, int64_t count, const W* weights) {
    // Four sums: the next product does not wait for the last addition.
    typename Whole::V a = {}, b = {}, c = {}, d = {};
    const auto product = [&](int64_t e) {
      return Whole::values(values + e) * Whole::load(weights + e);
    };
    int64_t e = 0;
    for (; e + 4 * lanes <= count; e += 4 * lanes) {
      a += product(e);
      b += product(e + lanes);
      c += product(e + 2 * lanes);
      d += product(e + 3 * lanes);
    }
    for (; e + 2 * lanes <= count; e += 2 * lanes) {
      a += product(e);
      b += product(e + lanes);
    }
    return Whole::sum((a + b) + (c + d), values + e, weights + e, count - e);
  }
  // Four weights from four places. Of four running sums the compiler makes a loop of permutations.
  static typename Of<4>::V gather(const int32_t* columns, const W* weights) {
    return typename Of<4>::V{weights[columns[0]], weights[columns[1]], weights[columns[2]],
                             weights[columns[3]]};
  }
  static W sparse_sum(const X* values, const int32_t* columns, int64_t count, const W* weights) {
    typename Of<4>::V even = {}, odd = {};
    int64_t e = 0;
    for (; e + 8 <= count; e += 8) {
      even += Of<4>::values(values + e) * gather(columns + e, weights);
      odd += Of<4>::values(values + e + 4) * gather(columns + e + 4, weights);
    }
    if (e + 4 <= count) {
      even += Of<4>::values(values + e) * gather(columns + e, weights);
      e += 4;
    }
    const typename Of<4>::V total = even + odd;
    W sum = (total[0] + total[1]) + (total[2] + total[3]);
    for (; e < count; ++e) sum += static_cast<W>(values[e]) * weights[columns[e]];
    return sum;
  }
  static void scores(const X* values, const int32_t* columns, int64_t count, const W* weights,
                     W* out) {
    *out = columns == nullptr ? dense_sum(values, count, weights)
                              : sparse_sum(values, columns, count, weights);
  }

  static void dense_move(const X* values, int64_t count, W by, W* weights) {
    int64_t e = 0;
    for (; e + lanes <= count; e += lanes) Whole::move(values + e, lanes, by, weights + e);
    Whole::move(values + e, count - e, by, weights + e);
  }
  template <bool kBoth>
  static void move(const X* values, const int32_t* columns, int64_t count, const W* by, W* weights,
                   const W* other_by, W* other) {
    const W step = *by, other_step = kBoth ? *other_by : W(0);
    if (columns == nullptr) {
      dense_move(values, count, step, weights);
      if constexpr (kBoth) dense_move(values, count, other_step, other);
      return;
    }
    for (int64_t e = 0; e < count; ++e) {
      const W x = static_cast<W>(values[e]);
      weights[columns[e]] += step * x;
      if constexpr (kBoth) other[columns[e]] += other_step * x;
    }
  }
};

// What the numbers of steps alone decide.
template <class Isa>
struct Schedules {
  static double straight(double base, double) { return base; }
  static double gentle(double base, double) {  // base^(3/4)
    return __builtin_sqrt(base) * __builtin_sqrt(__builtin_sqrt(base));
  }
  static double any(double base, double power) { return __builtin_pow(base, power); }

  template <double (*kRaise)(double, double)>
  static void fill(const Schedule& s, int64_t first, int64_t count, const StepFactors& out) {
#pragma omp simd
    for (int64_t k = 0; k < count; ++k) {
      const double t = static_cast<double>(first + k), time = t - s.origin;
      const double own = kRaise(1 + s.decay * time, s.power);
      const double convex = 1 + s.convexity * s.eta0 * time;
      const double eta = s.eta0 / (own > convex ? own : convex);
      const double less = 1 - s.alpha * eta, kept = less > 0 ? less : 0;
      const double number = t - s.start, begun = number > 1 ? number : 1;
      const double share = number > 0 ? (1 + s.forget) / (begun + s.forget) : 0;
      out.eta[k] = eta;
      out.kept[k] = kept;
      out.back[k] = 1 / (kept > 0 ? kept : 1);
      out.share[k] = share;
      out.grow[k] = 1 / (share < 1 ? 1 - share : 1);
    }
  }
  static void steps(const Schedule& s, int64_t first, int64_t count, const StepFactors& out) {
    (s.power == 1      ? &fill<straight>
     : s.power == 0.75 ? &fill<gentle>
                       : &fill<any>)(s, first, count, out);
  }
};

template <class Isa, class X, class W>
constexpr StepLoops<X, W> make_step_loops() {
  using One = Alone<Isa, X, W>;
  using Four = SideBySide<Isa, X, W, 4>;
  using Eight = SideBySide<Isa, X, W, 8>;
  using Most = SideBySide<Isa, X, W, kMostModels>;
  return {
      {&One::scores, &Four::scores, &Eight::scores, &Most::scores},
      {&One::template move<false>, &Four::template move<false>, &Eight::template move<false>,
       &Most::template move<false>},
      {&One::template move<true>, &Four::template move<true>, &Eight::template move<true>,
       &Most::template move<true>},
  };
}

template <class Isa>
constexpr StepTable make_step_table() {
  return {make_step_loops<Isa, float, float>(), make_step_loops<Isa, double, double>(),
          make_step_loops<Isa, float, double>(), &Schedules<Isa>::steps};
}

}  // namespace svm::simd
