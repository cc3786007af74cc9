#include "simd/table.h"

#include <cmath>
#include <vector>

#include "tests/check.h"
#include "tests/problem.h"

namespace {

template <class T>
std::vector<T> normals(int64_t n, uint64_t seed) {
  test::Random random(seed);
  std::vector<T> values(n);
  for (T& v : values) v = static_cast<T>(random.normal());
  return values;
}

template <class F>
void for_each_table(F f) {
  const svm::simd::Table* tables[3];
  const int count = svm::simd::available(tables);
  for (int k = 0; k < count; ++k) f(*tables[k]);
}

// Every table against sums in long double.
template <class T>
void check_tiles(double tolerance) {
  for_each_table([&](const svm::simd::Table& table) {
    const auto& loops = table.loops<T>();
    const int64_t depth = 37, stride = loops.width;
    const auto left = normals<T>(depth * svm::simd::kTileRows, 1);
    const auto right = normals<T>(depth * loops.width, 2);
    std::vector<T> dots(svm::simd::kTileRows * stride), distances(dots.size());
    loops.dots(left.data(), right.data(), depth, dots.data(), stride);
    loops.squares(left.data(), right.data(), depth, distances.data(), stride);
    for (int r = 0; r < svm::simd::kTileRows; ++r) {
      for (int c = 0; c < loops.width; ++c) {
        long double dot = 0, distance = 0;
        for (int64_t k = 0; k < depth; ++k) {
          const long double a = left[k * svm::simd::kTileRows + r], b = right[k * loops.width + c];
          dot += a * b;
          distance += (a - b) * (a - b);
        }
        CHECK(std::abs(dots[r * stride + c] - dot) < tolerance, table.name);
        CHECK(std::abs(distances[r * stride + c] - distance) < tolerance, table.name);
      }
    }
  });
}

template <class T>
void check_decay(double units) {
  for_each_table([&](const svm::simd::Table& table) {
    std::vector<T> values, arguments;
    for (double x = 1e-30; x < 200; x *= 1.003) arguments.push_back(static_cast<T>(x));
    arguments.insert(arguments.end(), {T(0), T(1e4), T(1e30)});
    values = arguments;
    table.loops<T>().decay(values.data(), static_cast<int64_t>(values.size()), T(0.7));
    for (size_t i = 0; i < values.size(); ++i) {
      const long double exact = std::expm1(-static_cast<long double>(T(0.7) * arguments[i]));
      const long double error = std::abs(values[i] - exact);
      const long double rounding = std::numeric_limits<T>::epsilon();
      // Relative to the value itself: tiny arguments keep their digits.
      CHECK(error <= units * rounding * std::abs(exact), table.name, arguments[i], values[i]);
    }
  });
}

}  // namespace

TEST(tiles_sum_products_and_squares) {
  check_tiles<float>(1e-4);
  check_tiles<double>(1e-12);
}

TEST(decay_keeps_relative_precision) {
  check_decay<float>(4);
  check_decay<double>(4);
}

TEST(pair_selection_is_the_same_in_every_table) {
  const int64_t n = 203;
  const auto f = normals<double>(n, 3), offset = normals<double>(n, 4);
  const auto row = normals<double>(n, 5);
  std::vector<double> diagonal(n, 4.0), gain(n);
  int64_t first = -1, partner = -1;
  for_each_table([&](const svm::simd::Table& table) {
    double low, violation;
    const int64_t i = table.f64.lowest(f.data(), offset.data(), n, &low);
    const int64_t j = table.f64.partner(row.data(), diagonal.data(), 4.0, f.data(), offset.data(),
                                        low, n, gain.data(), &violation);
    if (first < 0) first = i, partner = j;
    CHECK(i == first && j == partner, table.name);
    for (int64_t k = 0; k < n; ++k) {
      CHECK(f[k] + offset[k] >= low, table.name);
      CHECK(f[k] + offset[k] - low <= violation, table.name);
      CHECK(gain[k] <= gain[j], table.name);
    }
  });
}

TEST(no_partner_where_nothing_violates) {
  const double f[] = {1, 2}, closed[] = {-INFINITY, -INFINITY};
  const double row[] = {1, 0}, diagonal[] = {1, 1};
  double gain[2], violation;
  const auto& loops = svm::simd::table().f64;
  CHECK(loops.partner(row, diagonal, 1, f, closed, 0, 2, gain, &violation) == -1);
  CHECK(violation == 0);
}
