// The few hot loops of the library, compiled once per instruction set.
//
// A kernel value starts as a dot product or a squared distance of two rows. Both are computed in
// register tiles: kTileRows rows on the left, one panel of `width` rows on the right, summed over
// the features in one fixed order, so that a value does not depend on the tile it was computed in.
#pragma once

#include <cstdint>

namespace svm::simd {

inline constexpr int kTileRows = 6;
// Sparse tiles have their rows on the left padded to a whole vector.
inline constexpr int kSparseLanes = 8;

// The curvature of a pair, K_ii + K_jj - 2 K_ij, where it is more than the rounding of its terms;
// a flatter (or concave) pair gets that rounding instead and so runs to its bound.
// Always inlined: a copy of its own would be shared between the instruction sets.
template <class T>
[[gnu::always_inline]] inline double curvature(T k_ii, T k_jj, T k_ij) {
  constexpr T kRounding = sizeof(T) == sizeof(float) ? T(1.2e-7) : T(2.2e-16);
  constexpr T kSmallest = sizeof(T) == sizeof(float) ? T(1e-37) : T(1e-300);
  const T size = (k_ii < 0 ? -k_ii : k_ii) + (k_jj < 0 ? -k_jj : k_jj) + (k_ij < 0 ? -k_ij : k_ij);
  const T exact = k_ii + k_jj - 2 * k_ij, least = kRounding * size + kSmallest;
  return exact > least ? exact : least;
}

template <class T>
struct Loops {
  int width;  // rows in a right-hand panel

  // out[r * stride + c] = sum_k left[k * kTileRows + r] * right[k * width + c]
  void (*dots)(const T* left, const T* right, int64_t depth, T* out, int64_t stride);
  // out[r * stride + c] = sum_k (left[k * kTileRows + r] - right[k * width + c])^2
  void (*distances)(const T* left, const T* right, int64_t depth, T* out, int64_t stride);
  // out[r * stride + c] = sum over the entries e of row c of values[e] * left[columns[e] * 8 + r],
  // for r < kTileRows and c < rows; the entries of row c are starts[c] .. starts[c + 1] - 1
  void (*sparse)(const T* left, const T* values, const int32_t* columns, const int64_t* starts,
                 int64_t rows, T* out, int64_t stride);
  // values[i] = exp(-gamma * values[i]) - 1 for gamma * values[i] >= 0
  void (*gaussian)(T* values, int64_t n, T gamma);
  // sum[i] += weight * row[i]
  void (*add)(const T* row, double weight, double* sum, int64_t n);
  // sum of row[i] * weight[i]
  double (*dot)(const T* row, const double* weight, int64_t n);

  // The three passes of a pair step (svm/smo.h).
  // argmin of f + offset; its value goes to *value
  int64_t (*lowest)(const double* f, const double* offset, int64_t n, double* value);
  // argmax of v^2 / curvature(diagonal_i, diagonal[k], row[k]) over v = f + offset - low > 0; the
  // largest v goes to *violation; -1 where no v is positive. gain is scratch of length n.
  int64_t (*partner)(const T* row, const T* diagonal, T diagonal_i, const double* f,
                     const double* offset, double low, int64_t n, double* gain, double* violation);
  // f[k] += step * (up[k] - down[k])
  void (*move)(const T* up, const T* down, double step, double* f, int64_t n);
};

struct Table {
  const char* name;
  Loops<float> f32;
  Loops<double> f64;

  template <class T>
  const Loops<T>& loops() const {
    if constexpr (sizeof(T) == sizeof(float)) {
      return f32;
    } else {
      return f64;
    }
  }
};

// The widest table this machine runs, chosen once.
const Table& table();

// All tables this machine runs, narrowest first; the tests compare each with the first.
int available(const Table* out[3]);

}  // namespace svm::simd
