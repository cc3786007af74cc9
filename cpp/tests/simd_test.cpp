#include "simd/steps.h"
#include "simd/table.h"
#include "simd/variables.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/check.h"
#include "tests/kernels.h"
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
    for (const bool positive : {false, true}) {
      auto left = normals<T>(depth * svm::simd::kTileRows, 1);
      auto right = normals<T>(depth * loops.width, 2);
      left[0] = right[0] = 0;
      for (T& v : left) v = positive ? std::abs(v) : v;
      for (T& v : right) v = positive ? std::abs(v) : v;
      std::vector<T> dots(svm::simd::kTileRows * stride), squares(dots), absolutes(dots),
          chi2(dots);
      loops.dots(left.data(), right.data(), depth, dots.data(), stride);
      loops.squares(left.data(), right.data(), depth, squares.data(), stride);
      loops.absolutes(left.data(), right.data(), depth, absolutes.data(), stride);
      loops.chi2(left.data(), right.data(), depth, chi2.data(), stride);
      for (int r = 0; r < svm::simd::kTileRows; ++r) {
        for (int c = 0; c < loops.width; ++c) {
          long double sums[4] = {};
          for (int64_t k = 0; k < depth; ++k) {
            const long double a = left[k * svm::simd::kTileRows + r];
            const long double b = right[k * loops.width + c], d = a - b;
            sums[0] += a * b;
            sums[1] += d * d;
            sums[2] += std::abs(d);
            sums[3] += a + b > 0 ? d * d / (a + b) : 0;
          }
          const int64_t at = r * stride + c;
          CHECK(std::abs(dots[at] - sums[0]) < tolerance, table.name);
          CHECK(std::abs(squares[at] - sums[1]) < tolerance, table.name);
          CHECK(std::abs(absolutes[at] - sums[2]) < tolerance, table.name);
          CHECK(!positive || std::abs(chi2[at] - sums[3]) < tolerance, table.name);
        }
      }
    }
  });
}

// One row, and rows over listed features, against whole tiles: the same bits.
template <class T>
void check_rows_and_lists() {
  for_each_table([&](const svm::simd::Table& table) {
    const auto& loops = table.loops<T>();
    constexpr int64_t kDepth = 23, kPanels = 7;
    constexpr int kRows = svm::simd::kTileRows;
    auto left = normals<T>(kDepth * kRows, 3);
    auto right = normals<T>(kPanels * kDepth * loops.width, 4);
    for (T& v : left) v = std::abs(v);
    for (T& v : right) v = std::abs(v);
    std::vector<int32_t> all, some;
    std::vector<T> listed;
    for (int64_t k = 0; k < kDepth; ++k) {
      all.push_back(static_cast<int32_t>(k));
      if (k % 3 != 0) some.push_back(static_cast<int32_t>(k));
      for (int r = 0; r < kRows; ++r) {
        if (k % 3 == 0) left[k * kRows + r] = 0;
        if (k % 3 != 0) listed.push_back(left[k * kRows + r]);
      }
    }
    const int64_t stride = kPanels * loops.width;
    std::vector<T> whole(kRows * stride), found(stride);
    const auto compare = [&](auto tile, auto row) {
      for (int64_t p = 0; p < kPanels; ++p) {
        tile(left.data(), right.data() + p * kDepth * loops.width, kDepth,
             whole.data() + p * loops.width, stride);
      }
      for (int r = 0; r < kRows; ++r) {
        std::vector<T> alone(kDepth);
        for (int64_t k = 0; k < kDepth; ++k) alone[k] = left[k * kRows + r];
        row(alone.data(), all.data(), kDepth, right.data(), kDepth, kPanels, found.data());
        CHECK(std::equal(found.begin(), found.end(), whole.begin() + r * stride), table.name, r);
      }
    };
    compare(loops.squares, loops.row_squares);
    compare(loops.absolutes, loops.row_absolutes);
    compare(loops.chi2, loops.row_chi2);
    compare(loops.dots, loops.row_dots);
    std::vector<T> tile(kRows * loops.width);
    loops.listed_dots(listed.data(), some.data(), static_cast<int64_t>(some.size()), right.data(),
                      tile.data(), loops.width);
    for (int r = 0; r < kRows; ++r) {
      const auto expected = whole.begin() + r * stride;
      CHECK(std::equal(expected, expected + loops.width, tile.begin() + r * loops.width));
    }
  });
}

// Values of some rows times weights of some outputs, whole tiles of rows and single ones.
template <class T>
void check_weigh(double tolerance) {
  for_each_table([&](const svm::simd::Table& table) {
    const auto& loops = table.loops<T>();
    constexpr int64_t kRows = svm::simd::kTileRows + 2, kDepth = 19, kPanels = 5, kStride = 23;
    const int64_t width = loops.width, outputs = kPanels * width;
    const auto values = normals<T>(kRows * kStride, 5), weights = normals<T>(kDepth * outputs, 6);
    std::vector<T> out(kRows * outputs);
    loops.weigh(values.data(), kStride, kRows, weights.data(), kDepth, kPanels, out.data(),
                outputs);
    for (int64_t r = 0; r < kRows; ++r) {
      for (int64_t c = 0; c < outputs; ++c) {
        long double sum = 0;
        for (int64_t k = 0; k < kDepth; ++k) {
          sum += static_cast<long double>(values[r * kStride + k]) *
                 weights[(c / width * kDepth + k) * width + c % width];
        }
        CHECK(std::abs(out[r * outputs + c] - sum) < tolerance, table.name, r, c);
      }
    }
  });
}

// What a group of sparse rows has in common with others, whole or column by column; nothing is
// written behind the group.
template <class T>
void check_common(const svm::simd::Table& table, int group, bool positive, double tolerance) {
  constexpr int64_t kColumns = 20, kRows = 37, kStride = 40;
  const int lanes =
      (group + svm::simd::kSparseLanes - 1) / svm::simd::kSparseLanes * svm::simd::kSparseLanes;
  const auto& loops = table.loops<T>();
  auto left = normals<T>(kColumns * lanes, 6), values = normals<T>(kColumns * kRows, 7);
  for (T& v : left) v = positive ? std::abs(v) : v;
  for (T& v : values) v = positive ? std::abs(v) : v;
  std::vector<int32_t> columns, rows;
  std::vector<int64_t> starts;
  for (int64_t c = 0; c <= kRows; ++c) starts.push_back(c * kColumns);
  for (int64_t e = 0; e < kColumns * kRows; ++e) columns.push_back(e % kColumns);
  for (int64_t c = 0; c < kRows; ++c) rows.push_back(static_cast<int32_t>(c));
  for (int64_t k = 0; k < kColumns * lanes; k += 3) left[k] = 0;
  for (int64_t k = 0; k < kColumns * kRows; k += 4) values[k] = 0;
  const auto check = [&](auto sparse, auto scatter, auto term) {
    std::vector<T> out((group + 1) * kStride, T(-7));
    sparse(left.data(), group, values.data(), columns.data(), starts.data(), kRows, out.data(),
           kStride);
    for (int r = 0; r <= group; ++r) {
      std::vector<T> single(kRows, T(0)), column(kRows);
      for (int64_t k = 0; k < kColumns && r < group; ++k) {
        for (int64_t c = 0; c < kRows; ++c) column[c] = values[c * kColumns + k];
        scatter(left[k * lanes + r], column.data(), rows.data(), kRows, single.data());
      }
      for (int64_t c = 0; c < kStride; ++c) {
        const T found = out[r * kStride + c];
        if (r == group || c >= kRows) {
          CHECK(found == T(-7), table.name, group, r, c);
          continue;
        }
        long double sum = 0;
        for (int64_t k = 0; k < kColumns; ++k) {
          sum += term(static_cast<long double>(left[k * lanes + r]),
                      static_cast<long double>(values[c * kColumns + k]));
        }
        CHECK(std::abs(found - sum) < tolerance, table.name, group, r, c);
        CHECK(std::abs(single[c] - sum) < tolerance, table.name, group, r, c);
      }
    }
  };
  using Long = long double;
  check(loops.sparse_dots, loops.scatter_dots, [](Long a, Long b) { return a * b; });
  check(loops.sparse_overlaps, loops.scatter_overlaps,
        [](Long a, Long b) { return a * b > 0 ? std::min(std::abs(a), std::abs(b)) : Long(0); });
  if (!positive) return;
  check(loops.sparse_harmonics, loops.scatter_harmonics,
        [](Long a, Long b) { return a + b > 0 ? a * b / (a + b) : Long(0); });
}

// What sparse rows have in common, and the differences made of it.
template <class T>
void check_sparse(double tolerance) {
  for_each_table([&](const svm::simd::Table& table) {
    for (const int group : {1, 6, 8, 9, 16, 17, 24}) {
      for (const bool positive : {false, true}) check_common<T>(table, group, positive, tolerance);
    }
    std::vector<T> common{T(1), T(0.5), T(1.5)};
    const T norms[] = {1, 2, 2};
    CHECK(table.loops<T>().differences(common.data(), norms, 1, 2, 3) == 2, table.name);
    CHECK(common == (std::vector<T>{0, 2, 0}), table.name);
    common = {T(0.95), T(0.5), T(1.5)};
    CHECK(table.loops<T>().differences(common.data(), norms, 1, 2, 3) == 2, table.name);
    common = {T(0.95), T(0.5), T(1.5)};
    CHECK(table.loops<T>().quick_differences(common.data(), norms, 1, 2, 3) == 1, table.name);
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

// Matern's functions from tiny to huge arguments, relative to their size at small ones.
template <class T>
void check_matern() {
  for_each_table([&](const svm::simd::Table& table) {
    std::vector<T> distances;
    for (double x = 1e-30; x < 1e12; x *= 1.07) distances.push_back(static_cast<T>(x));
    distances.insert(distances.end(), {T(0), std::numeric_limits<T>::infinity()});
    const auto& loops = table.loops<T>();
    for (int order = 0; order < 3; ++order) {
      std::vector<T> values = distances;
      const auto loop = order == 0 ? loops.matern12 : order == 1 ? loops.matern32 : loops.matern52;
      loop(values.data(), static_cast<int64_t>(values.size()), T(0.7));
      for (size_t i = 0; i < values.size(); ++i) {
        const long double t = T(0.7) * std::sqrt(static_cast<long double>(distances[i]));
        const long double exact = !std::isfinite(t) ? -1
                                  : order == 0      ? std::expm1(-t)
                                                    : test::matern(t, order == 1 ? 0 : 1 / 3.0L);
        const long double reach = order == 0 ? t : t * t / (order == 1 ? 2 : 6);
        const long double limit = 16 * std::numeric_limits<T>::epsilon() * std::min(1.0L, reach);
        CHECK(std::abs(values[i] - exact) <= limit, table.name, order, t, values[i], exact);
      }
    }
  });
}

// Elementwise functions and combinations.
template <class T>
void check_functions() {
  const long double u = std::numeric_limits<T>::epsilon();
  for_each_table([&](const svm::simd::Table& table) {
    const auto& loops = table.loops<T>();
    const int64_t n = 103;
    const auto x = normals<T>(n, 8), z = normals<T>(n, 9);
    std::vector<T> power = x, tanh = x, scaled = x, sum = x, product = x;
    loops.power(power.data(), n, T(0.5), T(2), 5);
    loops.tanh(tanh.data(), n, T(3), T(-0.5));
    loops.scale(scaled.data(), n, T(3));
    loops.plus(sum.data(), z.data(), n);
    loops.times(product.data(), T(2), z.data(), T(-1), n);
    for (int64_t i = 0; i < n; ++i) {
      const long double a = x[i], b = z[i], p = std::pow(a / 2 + 2, 5.0L);
      CHECK(std::abs(power[i] - p) <= 8 * u * std::pow(std::abs(a) / 2 + 2, 5.0L), table.name);
      CHECK(std::abs(tanh[i] - std::tanh(3 * a - 0.5L)) <= 6 * u * (1 + std::abs(a)), table.name);
      CHECK(std::abs(scaled[i] - 3 * a) <= 2 * u * std::abs(a), table.name);
      CHECK(std::abs(sum[i] - (a + b)) <= u * (std::abs(a) + std::abs(b)), table.name);
      const long double exact = (a + 2) * (b - 1) + 2, size = (std::abs(a) + 2) * (std::abs(b) + 1);
      CHECK(std::abs(product[i] - exact) <= 2 * u * size, table.name);
    }
  });
}

}  // namespace

TEST(tiles_sum_over_the_features) {
  check_tiles<float>(1e-4);
  check_tiles<double>(1e-12);
}

TEST(rows_and_lists_of_features_are_the_bits_of_tiles) {
  check_rows_and_lists<float>();
  check_rows_and_lists<double>();
}

TEST(values_are_weighed) {
  check_weigh<float>(1e-4);
  check_weigh<double>(1e-13);
}

TEST(sparse_rows_sum_what_they_have_in_common) {
  check_sparse<float>(1e-5);
  check_sparse<double>(1e-14);
}

TEST(decay_keeps_relative_precision) {
  check_decay<float>(4);
  check_decay<double>(4);
}

TEST(matern_keeps_relative_precision) {
  check_matern<float>();
  check_matern<double>();
}

TEST(functions_and_combinations_of_values) {
  check_functions<float>();
  check_functions<double>();
}

template <class T>
void check_transpose(int64_t rows, int64_t columns) {
  const int64_t in_stride = columns + 3, out_stride = rows + 1;
  const auto in = normals<T>(rows * in_stride, 11);
  for_each_table([&](const svm::simd::Table& table) {
    std::vector<T> out(columns * out_stride, T(7));
    table.loops<T>().transpose(in.data(), in_stride, rows, columns, out.data(), out_stride);
    for (int64_t c = 0; c < columns; ++c) {
      for (int64_t r = 0; r < rows; ++r) {
        CHECK(out[c * out_stride + r] == in[r * in_stride + c], table.name, r, c);
      }
      CHECK(out[c * out_stride + rows] == T(7), table.name, c);
    }
  });
}

TEST(transposed_in_every_table) {
  for (const int64_t rows : {1, 8, 16, 21}) {
    for (const int64_t columns : {1, 7, 16, 34}) {
      check_transpose<float>(rows, columns);
      check_transpose<double>(rows, columns);
    }
  }
}

TEST(triangular_systems_are_solved_in_every_table) {
  const int64_t n = 37, stride = 40, systems = svm::simd::kSystems;
  auto lower = normals<double>(n * stride, 12);
  for (int64_t c = 0; c < n; ++c) lower[c * stride + c] = 10 + static_cast<double>(c);
  const auto right = normals<double>(n * systems, 13);
  for_each_table([&](const svm::simd::Table& table) {
    std::vector<double> x = right;
    table.f64.solve(lower.data(), stride, n, x.data());
    for (int64_t c = 0; c < n; ++c) {
      for (int64_t s = 0; s < systems; ++s) {
        double sum = -right[c * systems + s];
        for (int64_t k = 0; k <= c; ++k) sum += lower[c * stride + k] * x[k * systems + s];
        CHECK(std::abs(sum) < 1e-12, table.name, c, s);
      }
    }
  });
}

template <class T>
void check_sums_of_rows(int64_t n) {
  const auto values = normals<T>(4 * n, 8);
  const auto start = normals<double>(n, 9), weights = normals<double>(4, 10);
  const std::array<const T*, 4> rows = {values.data(), values.data() + n, values.data() + 2 * n,
                                        values.data() + 3 * n};
  for_each_table([&](const svm::simd::Table& table) {
    std::vector<double> one = start, four = start;
    for (int r = 0; r < 4; ++r) table.loops<T>().add(rows[r], weights[r], one.data(), n);
    table.loops<T>().add_four(rows.data(), weights.data(), four.data(), n);
    CHECK(one == four, table.name, n);
    for (int64_t i = 0; i < n; ++i) {
      double expected = start[i];
      for (int r = 0; r < 4; ++r) expected += weights[r] * static_cast<double>(rows[r][i]);
      CHECK(std::abs(one[i] - expected) < 1e-12, table.name, i);
    }
  });
}

TEST(four_rows_add_up_like_one_by_one_in_every_table) {
  for (const int64_t n : {1, 7, 64, 203}) {
    check_sums_of_rows<float>(n);
    check_sums_of_rows<double>(n);
  }
}

template <class T>
void check_pair_selection(int64_t n) {
  auto f = normals<T>(n, 3);
  const auto offset = normals<T>(n, 4), row = normals<T>(n, 5), other = normals<T>(n, 6);
  const std::vector<T> diagonal(n, 4.0), start = f, product = normals<T>(n, 7);
  const double rounding = sizeof(T) == sizeof(float) ? 1e-6 : 1e-14;
  int64_t first = -1, last = -1;
  for_each_table([&](const svm::simd::Table& table) {
    const auto& loops = table.loops<T>();
    T low, again, gain, violation;
    double best = 0;
    f = start;
    const int64_t i = loops.lowest(f.data(), offset.data(), n, &low);
    std::vector<T> along = product;
    const svm::simd::PairCurvatures<T> curvatures{row.data(),   diagonal.data(), 4.0,
                                                  along.data(), T(0.5),          T(0.25)};
    const int64_t j =
        loops.partner(curvatures, f.data(), offset.data(), low, 0.25, n, &gain, &violation);
    if (first < 0) first = i, last = j;
    CHECK(i == first && j == last, table.name);
    CHECK(f[i] + offset[i] == low, table.name);
    for (int64_t k = 0; k < n; ++k) {
      const double v = f[k] + offset[k] - low;
      CHECK(v >= 0 && v <= violation, table.name);
      const double flat = 8 - 2 * static_cast<double>(row[k]), turn = 0.5 - product[k];
      best = std::max(best, v * v / std::max(1e-3 * flat, flat - 0.25 * turn * turn));
    }
    CHECK(std::abs(4 * gain - best) <= 1e-5 * best, table.name, gain, best);
    const int64_t m = loops.move(row.data(), other.data(), T(0.25), 0.5, along.data(), f.data(),
                                 offset.data(), n, &again);
    T lowest = INFINITY;
    for (int64_t k = 0; k < n; ++k) {
      const double turned = static_cast<double>(row[k]) - other[k] + 0.25 * product[k];
      CHECK(std::abs(along[k] - turned) < rounding, table.name);
      CHECK(std::abs(f[k] - (start[k] + 0.5 * turned)) < rounding, table.name);
      lowest = std::min(lowest, f[k] + offset[k]);
    }
    CHECK(again == lowest && f[m] + offset[m] == lowest, table.name);
  });
}

TEST(pair_selection_is_the_same_in_every_table) {
  for (const int64_t n : {1, 3, 64, 203}) {
    check_pair_selection<float>(n);
    check_pair_selection<double>(n);
  }
}

TEST(of_equal_values_the_first_is_found) {
  std::vector<double> f(100, 2.0), offset(100, 0.0);
  for (const int64_t k : {37, 38, 70, 99}) f[k] = 1;
  for_each_table([&](const svm::simd::Table& table) {
    double low;
    CHECK(table.f64.lowest(f.data(), offset.data(), 100, &low) == 37 && low == 1, table.name);
  });
}

TEST(no_partner_where_nothing_violates) {
  const double f[] = {1, 2}, closed[] = {-INFINITY, -INFINITY};
  const double row[] = {1, 0}, diagonal[] = {1, 1}, along[] = {0, 0};
  double gain, violation;
  const auto& loops = svm::simd::table().f64;
  CHECK(loops.partner({row, diagonal, 1, along, 0, 0}, f, closed, 0, 1, 2, &gain, &violation) ==
        -1);
  CHECK(violation == 0);
}

TEST(multiply_adds_are_all_done) {
  for_each_table([](const svm::simd::Table& table) {
    float sum;
    const int64_t once = table.f32.multiply_adds(1, &sum);
    CHECK(table.f32.multiply_adds(20'000, &sum) == 20'000 * once, table.name);
    // Every chain of x = 0.999 x + 0.001 ends at 1; a round of it is two operations.
    CHECK(std::abs(sum - static_cast<float>(once) / 2) < 1e-2F * static_cast<float>(once),
          table.name);
  });
}

namespace {

// Every width of every table against plain sums, dense and sparse, and a model's bits against those
// it has in other company.
template <class X, class W>
void check_steps(double tolerance) {
  const svm::simd::StepTable* tables[3];
  const int count = svm::simd::available(tables);
  const int64_t features = 53;
  const auto x = normals<X>(features, 1);
  const auto all = normals<W>(features * svm::simd::kMostModels, 2);
  std::vector<int32_t> columns;
  for (int32_t j = 0; j < features; j += 1 + j % 3) columns.push_back(j);
  for (int t = 0; t < count; ++t) {
    const auto& loops = tables[t]->loops<X, W>();
    const int32_t* const layouts[] = {nullptr, columns.data()};
    for (const int32_t* const chosen : layouts) {
      const int64_t entries = chosen == nullptr ? features : static_cast<int64_t>(columns.size());
      std::vector<W> first(4);
      for (const int width : svm::simd::kWidths) {
        const int place = svm::simd::width_place(width);
        std::vector<W> weights(features * width), out(width), by(width), back(width);
        for (int64_t k = 0; k < features * width; ++k) {
          weights[k] = all[k / width * svm::simd::kMostModels + k % width];
        }
        for (int k = 0; k < width; ++k) by[k] = static_cast<W>(0.1 * k - 0.3), back[k] = -by[k];
        auto moved = weights, other = weights;
        loops.scores[place](x.data(), chosen, entries, weights.data(), out.data());
        loops.move_both[place](x.data(), chosen, entries, by.data(), moved.data(), back.data(),
                               other.data());
        std::vector<double> step(features, 0.0);
        for (int64_t e = 0; e < entries; ++e) step[chosen ? chosen[e] : e] = x[e];
        for (int k = 0; k < width; ++k) {
          double sum = 0;
          for (int64_t j = 0; j < features; ++j) {
            const double w = weights[j * width + k], a = by[k];
            sum += step[j] * w;
            CHECK(std::abs(moved[j * width + k] - (w + a * step[j])) < tolerance, t, width);
            CHECK(std::abs(other[j * width + k] - (w - a * step[j])) < tolerance, t, width);
          }
          CHECK(std::abs(out[k] - sum) < 50 * tolerance, t, width);
          if (width == 4) first[k] = out[k];
          if (width > 4 && k < 4) CHECK(out[k] == first[k], t, width);
        }
        loops.move[place](x.data(), chosen, entries, back.data(), moved.data(), nullptr, nullptr);
        for (size_t k = 0; k < weights.size(); ++k) {
          CHECK(std::abs(moved[k] - weights[k]) < tolerance, t, width);
        }
      }
    }
  }
}

}  // namespace

TEST(steps_of_several_models_are_those_of_each) {
  check_steps<float, float>(1e-6);
  check_steps<double, double>(1e-14);
  check_steps<float, double>(1e-14);
}

namespace {

// The passes over variables of every table against plain loops: boxes on both sides of zero, empty
// ones and such without an end, points at their bounds, inside, and at the kink.
void check_variables(int64_t n, double epsilon) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  const std::vector<double> f = normals<double>(n, 3), target = normals<double>(n, 4);
  std::vector<double> lower(n), upper(n), beta(n);
  for (int64_t i = 0; i < n; ++i) {
    lower[i] = i % 3 == 0 ? 0 : -1;
    upper[i] = i % 3 == 1 ? 0 : i % 7 == 0 ? 2 : 1;
    if (i % 11 == 10) lower[i] = upper[i] = 0;
    const double places[] = {lower[i], upper[i], (lower[i] + upper[i]) / 2, 0};
    beta[i] = places[i / 3 % 4];
  }
  double up = kNone, down = -kNone, level = 0, difference = 0, quadratic = 0;
  int64_t free = 0, support = 0;
  std::vector<double> ups(n), downs(n);
  std::vector<bool> inside(n);
  for (int64_t i = 0; i < n; ++i) {
    const double b = beta[i], r = -f[i] - 0.25, size = std::abs(r) - epsilon;
    ups[i] = b < upper[i] ? f[i] + (b >= 0 ? epsilon : -epsilon) : kNone;
    downs[i] = b > lower[i] ? f[i] + (b > 0 ? epsilon : -epsilon) : -kNone;
    up = std::min(up, ups[i]), down = std::max(down, downs[i]);
    inside[i] = b > lower[i] && b < upper[i] && (epsilon == 0 || b != 0);
    if (inside[i]) level += ups[i], ++free;
    const double v = size > 0 ? (r > 0 ? upper[i] : lower[i]) : 0;
    difference += std::max(0.0, (v - b) * r - epsilon * (std::abs(v) - std::abs(b)));
    quadratic += b * (f[i] + target[i]);
    support += b != 0;
  }
  const svm::simd::Variables all{lower.data(), upper.data(), beta.data(), f.data(), epsilon, n};
  const svm::simd::VariableTable* tables[3];
  const int count = svm::simd::available(tables);
  for (int t = 0; t < count; ++t) {
    const auto found = tables[t]->levels(all);
    CHECK(found.up == up && found.down == down && found.free == free, t, n, epsilon);
    CHECK(std::abs(found.sum - level) < 1e-12, t, n, epsilon);
    double sums[5];
    CHECK(tables[t]->sums(all, target.data(), 0.25, sums) == support, t, n, epsilon);
    CHECK(std::abs(sums[0] - quadratic) < 1e-12, t, n, epsilon);
    CHECK(std::abs(sums[2] - difference) < 1e-12, t, n, epsilon);
    std::vector<uint8_t> was((n + 7) / 8, 0), rises(was), falls(was);
    CHECK(tables[t]->changes(all, was.data()) == free, t, n, epsilon);
    CHECK(tables[t]->changes(all, was.data()) == 0, t, n, epsilon);
    tables[t]->violators(all, 0.3, -0.2, rises.data(), falls.data());
    for (int64_t i = 0; i < n; ++i) {
      const int bit = static_cast<int>(i % 8);
      CHECK((was[i / 8] >> bit & 1) == inside[i], t, n, i);
      CHECK((rises[i / 8] >> bit & 1) == (ups[i] < 0.3), t, n, i);
      CHECK((falls[i / 8] >> bit & 1) == (downs[i] > -0.2), t, n, i);
    }
  }
}

}  // namespace

TEST(passes_over_variables_are_those_of_plain_loops) {
  for (int64_t n = 1; n < 40; ++n) check_variables(n, 0), check_variables(n, 0.1);
}
