// Cholesky factors A = U'U of a symmetric matrix of which only the upper triangle is looked at.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "run/workers.h"
#include "simd/rows.h"

namespace svm::linear {

// Overwrites the upper triangle of `a` (order n, rows of length `stride`, both multiples of
// kOuterTile) by U. A pivot below the rounding of its diagonal entry is lifted to it: the factor is
// then that of a slightly larger matrix. False when the monitor stopped it.
inline bool factorize(double* a, int64_t n, int64_t stride, const Workers& workers) {
  constexpr double kLeast = 1e-13;
  constexpr int64_t kPanel = 64;
  const auto& table = simd::row_table();
  std::vector<double> diagonal(n);
  for (int64_t i = 0; i < n; ++i) diagonal[i] = a[i * stride + i];
  for (int64_t begin = 0; begin < n; begin += kPanel) {
    const int64_t end = std::min(n, begin + kPanel), panels = (n - begin + kPanel - 1) / kPanel;
    // Block row `begin` minus what the rows above it explain, a panel of columns each.
    const auto explain = [&](int64_t p) {
      const int64_t last = std::min(n, begin + (p + 1) * kPanel);
      for (int64_t i = begin; i < end; i += simd::kOuterTile) {
        for (int64_t j = std::max(i, begin + p * kPanel); j < last; j += simd::kOuterTile) {
          table.outer(a + i, stride, a + j, stride, begin, -1.0, a + i * stride + j, stride);
        }
      }
    };
    // U[i, j] = (A[i, j] - sum_{q < i} U[q, i] U[q, j]) / U[i, i] within the block row, a tile of
    // rows at a time: what the tiles above explain first, then the tile's own rows.
    const auto substitute = [&](int64_t p) {
      const int64_t first = begin + p * kPanel, last = std::min(n, first + kPanel);
      for (int64_t tile = begin; tile < end; tile += simd::kOuterTile) {
        for (int64_t j = std::max(tile, first); j < last; j += simd::kOuterTile) {
          table.outer(a + begin * stride + tile, stride, a + begin * stride + j, stride,
                      tile - begin, -1.0, a + tile * stride + j, stride);
        }
        for (int64_t i = tile; i < tile + simd::kOuterTile; ++i) {
          double* const own = a + i * stride;
          const int64_t from = std::max(i, first);
          for (int64_t q = tile; q < i; ++q) {
            const double* const above = a + q * stride;
            const double factor = above[i];
#pragma omp simd
            for (int64_t j = from; j < last; ++j) own[j] -= factor * above[j];
          }
          if (p == 0) {
            const double pivot = std::max(own[i], kLeast * diagonal[i]);
            own[i] = pivot > 0 ? std::sqrt(pivot) : 1;
          }
          const double inverse = 1 / own[i];
          for (int64_t j = std::max(i + 1, first); j < last; ++j) own[j] *= inverse;
        }
      }
    };
    if (!workers.run(panels, explain)) return false;
    substitute(0);
    if (!workers.run(panels - 1, [&](int64_t p) { substitute(p + 1); })) return false;
  }
  return true;
}

// Solves U'U x = x in place.
inline void solve_factored(const double* u, int64_t n, int64_t stride, double* x) {
  const auto& loops = simd::row_table().loops<double>();
  for (int64_t i = 0; i < n; ++i) {
    const double* const pivot = u + i * stride + i;
    x[i] /= *pivot;
    loops.axpy(pivot + 1, -x[i], n - i - 1, x + i + 1);
  }
  for (int64_t i = n - 1; i >= 0; --i) {
    const double* const pivot = u + i * stride + i;
    x[i] = (x[i] - loops.dot(pivot + 1, x + i + 1, n - i - 1)) / *pivot;
  }
}

}  // namespace svm::linear
