// The few hot loops of the library, compiled once per instruction set.
//
// A kernel value starts as a sum over the features of two rows: of products, of squared or absolute
// differences, or of chi2's terms. Each is computed in register tiles: kTileRows rows on the left,
// one panel of `width` rows on the right, summed over the features in one fixed order, so that a
// value does not depend on the tile it was computed in.
#pragma once

#include <cstdint>

namespace svm::simd {

inline constexpr int kTileRows = 6;
// Rows on the left of a sparse tile come in whole vectors of this many, up to three of them.
inline constexpr int kSparseLanes = 8;
// Rows on its right have a multiple of this many entries, zeros at their ends: whether there are
// thirteen or fifteen no machine can predict.
inline constexpr int kSparseRun = 4;
// Systems with a triangular matrix are solved for so many right-hand sides at a time.
inline constexpr int kSystems = 48;
// A difference of norms below this share of them has lost too many digits.
inline constexpr double kNear = 0.125;
// The same where a few more may be lost: prediction asks for no bound of 1e-15.
inline constexpr double kVeryNear = 0x1p-8;
template <class T>
[[gnu::always_inline]] inline bool far(T difference, T norms, double share = kNear) {
  return difference - T(share) * norms >= T(0);  // false where the norms are infinite
}
// Squared distances of dense rows this long come from norms and dot products, half the arithmetic
// of differences; the near ones come from differences as those of shorter rows do.
inline constexpr int64_t kLongRow = 128;

// The curvature of a pair, K_ii + K_jj - 2 K_ij, where it is more than the rounding of its terms,
// which are alike where it is small; a flatter (or concave) pair gets that rounding instead and so
// runs to its bound.
// Always inlined: a copy of its own would be shared between the instruction sets.
template <class T>
inline constexpr T kCurvatureRounding = sizeof(T) == sizeof(float) ? T(1.8e-7) : T(3.3e-16);
template <class T>
inline constexpr T kSmallestCurvature = sizeof(T) == sizeof(float) ? T(1e-37) : T(1e-300);
template <class T>
[[gnu::always_inline]] inline T curvature(T k_ii, T k_jj, T k_ij) {
  const T size = (k_ii < 0 ? -k_ii : k_ii) + (k_jj < 0 ? -k_jj : k_jj);
  const T exact = k_ii + k_jj - 2 * k_ij,
          least = kCurvatureRounding<T> * size + kSmallestCurvature<T>;
  return exact > least ? exact : least;
}

// What the curvatures of the pairs (i, k) are made of: row i, and how much flatter they are when
// turned to be conjugate to the last direction p of descent,
//
//   curvature_k = c_k - pull (along_i - along_k)^2,   c_k = K_ii + K_kk - 2 K_ik,   along = K p,
//
// with pull = 1 / p'Kp, or 0 where there is no such direction. What is left is noise where it is
// below kLeastCurvature of c_k.
template <class T>
struct PairCurvatures {
  const T *row, *diagonal;  // no diagonal: all of it is diagonal_i
  T diagonal_i;
  const T* along;
  T along_i, pull;
};
inline constexpr double kLeastCurvature = 1e-3;

inline constexpr int kSummedRows = 4;

template <class T>
struct Loops {
  int width;  // rows in a right-hand panel

  // out[r * stride + c] = sum_k term(left[k * kTileRows + r], right[k * width + c]) with the term
  //   dots  a b     squares  (a - b)^2     absolutes  |a - b|     chi2  (a - b)^2 / (a + b)
  using Tile = void (*)(const T* left, const T* right, int64_t depth, T* out, int64_t stride);
  Tile dots, squares, absolutes, chi2;
  // dots over some of the features only, left[k * kTileRows + r] being that of features[k]: where
  // all others are zero on the left, these are the same bits.
  using Listed = void (*)(const T* left, const int32_t* features, int64_t count, const T* right,
                          T* out, int64_t stride);
  Listed listed_dots;
  // One row with several panels, one after the other: out[p * width + c] = sum_k term(left[k],
  // right[(p * depth + features[k]) * width + c]), the same bits as those of a tile.
  using Row = void (*)(const T* left, const int32_t* features, int64_t count, const T* right,
                       int64_t depth, int64_t panels, T* out);
  Row row_dots, row_squares, row_absolutes, row_chi2;
  // out[r * stride + p * width + c] = sum_k values[r * values_stride + k] * weights[(p * depth + k)
  // * width + c] for k < depth, r < rows and p < panels
  void (*weigh)(const T* values, int64_t values_stride, int64_t rows, const T* weights,
                int64_t depth, int64_t panels, T* out, int64_t stride);

  // out[r * stride + c] = sum over the entries e of row c of term(left[columns[e] * lanes + r],
  // values[e]), for r < group and c < rows; lanes is the group, at most 3 kSparseLanes, rounded up
  // to kSparseLanes, and the entries of row c are starts[c] .. starts[c + 1] - 1, a multiple of
  // kSparseRun. The terms are zero where either side is:
  //   dots  a b     overlaps  min(|a|, |b|) where a b > 0     harmonics  a b / (a + b)
  using Sparse = void (*)(const T* left, int64_t group, const T* values, const int32_t* columns,
                          const int64_t* starts, int64_t rows, T* out, int64_t stride);
  Sparse sparse_dots, sparse_overlaps, sparse_harmonics;
  // The same terms of one entry on the left with a whole column on the right:
  // out[rows[e]] += term(value, values[e]) for e < entries.
  using Scatter = void (*)(T value, const T* values, const int32_t* rows, int64_t entries, T* out);
  Scatter scatter_dots, scatter_overlaps, scatter_harmonics;
  // values[i] = max(0, norm + norms[i] - factor * values[i]): a sum of differences from what the
  // two rows have in common. Returns how many are not far(values[i], norm + norms[i]);
  // quick_differences: with kVeryNear.
  using Differences = int64_t (*)(T* values, const T* norms, T norm, T factor, int64_t n);
  Differences differences, quick_differences;

  // Kernels as functions of those sums, in place; the decaying ones less 1.
  // exp(-gamma v) - 1 for gamma v >= 0
  using Function = void (*)(T* values, int64_t n, T gamma);
  Function decay;
  // With t = gamma sqrt(v): exp(-t) - 1, (1 + t) exp(-t) - 1, (1 + t + t^2 / 3) exp(-t) - 1
  Function matern12, matern32, matern52;
  // (gamma v + coef0)^degree
  void (*power)(T* values, int64_t n, T gamma, T coef0, int degree);
  // tanh(gamma v + coef0)
  void (*tanh)(T* values, int64_t n, T gamma, T coef0);

  // Values of several kernels, each less its own constant, combined in place.
  // values[i] *= weight
  void (*scale)(T* values, int64_t n, T weight);
  // values[i] += other[i]
  void (*plus)(T* values, const T* other, int64_t n);
  // (values[i] + constant) (other[i] + other_constant) - constant other_constant
  void (*times)(T* values, T constant, const T* other, T other_constant, int64_t n);

  // out[c * out_stride + r] = in[r * in_stride + c] for r < rows and c < columns
  void (*transpose)(const T* in, int64_t in_stride, int64_t rows, int64_t columns, T* out,
                    int64_t out_stride);

  // values[i] = high[i] + low[i] in two floats; values beyond their range become its ends.
  void (*halve)(const T* values, int64_t n, float* high, float* low);

  // sum[i] += weight * row[i]
  void (*add)(const T* row, double weight, double* sum, int64_t n);
  // The same with kSummedRows rows, one after the other.
  void (*add_four)(const T* const* rows, const double* weights, double* sum, int64_t n);
  // sum of row[i] * weight[i]
  double (*dot)(const T* row, const double* weight, int64_t n);

  // out[l] = sum_q weights[q] prod_{k != l} (base[k] + nodes[q] slope[k]) for l < n, from products
  // of the factors before l and of those behind it; room for n + 1 rows of numbers as many as nodes.
  void (*without_each)(const T* base, const T* slope, int64_t n, const T* nodes, const T* weights,
                       int64_t count, T* room, T* out);

  // x = lower^-1 x for n unknowns of kSystems systems, x[c * kSystems + s] being that of system s
  void (*solve)(const T* lower, int64_t stride, int64_t n, T* x);

  // Multiply-adds on registers alone, enough at once to hide their latency: how fast this machine
  // can compute at most. Returns the number of operations; their result goes to *sum.
  int64_t (*multiply_adds)(int64_t rounds, T* sum);

  // The passes of a pair step (dual/pair_steps.h); of equal values the first is found.
  // argmin of f + offset, -1 where all are infinite; its value goes to *value
  int64_t (*lowest)(const T* f, const T* offset, int64_t n, T* value);
  // argmax of v^2 / curvature_k over v = f + offset - low > 0, -1 where no v is positive. The
  // largest v goes to *violation and the gain, times scale, to *gain: v times scale should be about
  // 1.
  int64_t (*partner)(const PairCurvatures<T>& curvatures, const T* f, const T* offset, T low,
                     T scale, int64_t n, T* gain, T* violation);
  // along[k] = up[k] - down[k] + share * along[k] and f[k] += step * along[k], and then lowest().
  int64_t (*move)(const T* up, const T* down, T share, T step, T* along, T* f, const T* offset,
                  int64_t n, T* value);
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
