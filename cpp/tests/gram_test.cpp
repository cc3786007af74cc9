#include "kernel/gram.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "dual/cached_kernel.h"
#include "dual/row_cache.h"
#include "kernel/expansion.h"
#include "tests/check.h"
#include "tests/kernels.h"
#include "tests/problem.h"

namespace {

svm::Monitor nobody;
const svm::Workers kAlone{1, nobody};

// Rows with many zeros and some near-duplicates, dense and compressed.
struct Rows {
  int64_t n, d;
  std::vector<double> dense, values;
  std::vector<int32_t> places;
  std::vector<int32_t> starts{0};
  std::vector<int64_t> index;

  explicit Rows(bool positive, double scale = 1, double share = 0.5, int64_t d = 7, int64_t n = 61)
      : n(n), d(d), dense(n * d, 0.0) {
    test::Random random(9);
    for (int64_t i = 0; i < n; ++i) {
      index.push_back(i);
      for (int64_t k = 0; k < d; ++k) {
        const double v = scale * random.normal();
        double& x = dense[i * d + k];
        x = random.uniform() > share ? 0 : positive ? std::abs(v) : v;
        if (i >= 40 && i < 50) x = dense[(i - 40) * d + k];
        if (i >= 50) x = dense[(i - 50) * d + k] * (1 + 1e-9 * k);
        if (x == 0) continue;
        values.push_back(x);
        places.push_back(static_cast<int32_t>(k));
      }
      starts.push_back(static_cast<int32_t>(values.size()));
    }
  }
  svm::DensePoints<double> dense_points() const {
    return svm::DensePoints<double>({dense.data(), n, d});
  }
  svm::CsrPoints<double, int32_t> sparse_points() const {
    return svm::CsrPoints<double, int32_t>({values.data(), places.data(), starts.data(), n, d});
  }
  std::vector<test::Long> row(int64_t i) const {
    return {dense.begin() + i * d, dense.begin() + (i + 1) * d};
  }
};

// Entries of the source are within `error` of the true ones, and those within the gram's bound.
template <class T>
void check_entries(const Rows& rows, const svm::Gram& gram, const svm::Kernel& kernel,
                   const svm::KernelSource<T>& source, double error) {
  if (error == svm::kInfinity) return;  // not to be used in this type
  std::vector<T> block(rows.n * rows.n);
  source.block(rows.index, block.data(), kAlone);
  for (int64_t i = 0; i < rows.n; ++i) {
    for (int64_t j = 0; j < rows.n; ++j) {
      const test::Long exact = test::reference(kernel, rows.row(i), rows.row(j));
      const test::Long found = block[i * rows.n + j];
      const int kind = static_cast<int>(kernel.kind);
      CHECK(std::abs(found - exact) <= error, kind, kernel.gamma, i, j, found, exact, error);
      CHECK(std::abs(exact) <= gram.largest_entry() * (1 + 1e-12), kind, kernel.gamma, i, j);
      CHECK(block[i * rows.n + j] == block[j * rows.n + i], "not symmetric");
    }
  }
}

}  // namespace

TEST(blocks_and_rows_hold_the_kernel) {
  for (const bool positive : {false, true}) {
    const Rows data(positive);
    const auto dense = data.dense_points();
    const auto sparse = data.sparse_points();
    for (const svm::Kernel& kernel : test::kernels(0.2)) {
      if (test::needs_positive(kernel) && !positive) continue;
      for (const svm::Points* points :
           {static_cast<const svm::Points*>(&dense), static_cast<const svm::Points*>(&sparse)}) {
        const auto gram = svm::make_gram(*points, data.index, kernel);
        const auto source = gram->exact(kAlone);
        std::vector<double> block(data.n * data.n), whole(block.size());
        source->block(data.index, block.data(), kAlone);
        gram->block(data.index, whole.data(), kAlone);
        CHECK(block == whole);
        std::vector<double> rows(svm::simd::kTileRows * svm::kBlockColumns);
        const int64_t which[] = {3, 58};
        source->rows(which)->columns(0, data.n, rows.data(), svm::kBlockColumns);
        for (int64_t i = 0; i < data.n; ++i) {
          // The lower triangle is a mirror image: rows are the same bits as columns.
          CHECK(rows[i] == block[3 * data.n + i]);
          CHECK(rows[svm::kBlockColumns + i] == block[58 * data.n + i]);
        }
      }
    }
  }
}

// Blocks of several tiles, and blocks of which some rows and columns are exchanged, hold the values
// of rows.
template <class T>
static void check_renewed(const svm::Points& points, const Rows& data, const svm::Kernel& kernel) {
  const svm::Workers some{3, nobody};
  const auto gram = svm::make_gram(points, data.index, kernel);
  const auto source = [&] {
    if constexpr (std::is_same_v<T, float>) return gram->single(some);
    if constexpr (std::is_same_v<T, double>) return gram->exact(some);
  }();
  constexpr int64_t q = 330;
  std::vector<int64_t> which, places;
  for (int64_t k = 0; k < q; ++k) which.push_back(k * 7 % data.n);
  std::vector<T> block(q * q), fresh(q * q);
  source->block(which, block.data(), some);
  for (const int64_t place : {0, 5, 95, 96, 130, 200, 328}) places.push_back(place);
  for (int64_t k = 210; k < 320; ++k) places.push_back(k);  // more than go together
  for (const int64_t place : places) which[place] = (data.n - 1) - place;
  CHECK(source->renew(which, places, block.data(), some));
  source->block(which, fresh.data(), kAlone);
  CHECK(block == fresh);
  std::vector<T> row(svm::simd::kTileRows * svm::kBlockColumns);
  for (int64_t r = 0; r < q; r += 11) {
    source->rows({&which[r], 1})->columns(0, data.n, row.data(), svm::kBlockColumns);
    for (int64_t c = 0; c < q; ++c) CHECK(row[which[c]] == block[r * q + c], r, c);
  }
}

TEST(exchanged_rows_and_columns_of_a_block_are_those_of_a_new_one) {
  for (const int64_t d : {7, 160}) {
    const Rows data(true, 1, 0.5, d, 700);
    const auto dense = data.dense_points();
    const auto sparse = data.sparse_points();
    for (const svm::Kernel& kernel : test::kernels(0.2)) {
      check_renewed<float>(dense, data, kernel);
      check_renewed<double>(dense, data, kernel);
      check_renewed<float>(sparse, data, kernel);
    }
  }
}

TEST(errors_of_entries_stay_within_their_bound) {
  struct {
    double gamma, scale;
  } const cases[] = {{1e-12, 1},    {1e-3, 1},     {0.2, 1},      {30, 1},
                     {1e12, 1},     {1e-12, 1e4},  {1e-8, 1e4},   {1e-4, 1e4},
                     {1e12, 1e4},   {1e7, 1e-4},   {1, 1e-9},     {1e-50, 1e25},
                     {1e-25, 1e25}, {1e50, 1e-25}, {1e25, 1e-25}, {1e-20, 1e160}};
  for (const auto& [gamma, scale] : cases) {
    for (const bool positive : {false, true}) {
      const Rows data(positive, scale);
      const auto dense = data.dense_points();
      const auto sparse = data.sparse_points();
      for (const svm::Kernel& kernel : test::kernels(gamma)) {
        if (test::needs_positive(kernel) && !positive) continue;
        for (const svm::Points* points :
             {static_cast<const svm::Points*>(&dense), static_cast<const svm::Points*>(&sparse)}) {
          const auto gram = svm::make_gram(*points, data.index, kernel);
          check_entries(data, *gram, kernel, *gram->exact(kAlone), gram->exact_error());
          check_entries(data, *gram, kernel, *gram->single(kAlone), gram->single_error());
        }
      }
    }
  }
}

TEST(expansions_mix_dense_and_sparse_rows) {
  const Rows data(true);
  const auto dense = data.dense_points();
  const auto sparse = data.sparse_points();
  for (const svm::Kernel& kernel : test::kernels(0.2)) {
    std::vector<double> weights(data.n, 0.5), sums(data.n);
    const svm::Points* both[] = {&dense, &sparse};
    for (const svm::Points* centres : both) {
      for (const svm::Points* points : both) {
        svm::expand(kernel, *centres, data.index, svm::Weights(weights, 1), *points, data.index,
                    sums.data(), kAlone);
        for (int64_t i = 0; i < data.n; ++i) {
          test::Long exact = 0, size = 0;
          for (int64_t j = 0; j < data.n; ++j) {
            const test::Long k = test::reference(kernel, data.row(i), data.row(j));
            exact += 0.5 * (k + kernel.offset());
            size += std::abs(k) + std::abs(kernel.offset());
          }
          CHECK(std::abs(sums[i] - exact) < 1e-14 * size, static_cast<int>(kernel.kind), i);
        }
      }
    }
  }
}

TEST(packed_expansions_hold_the_kernel_and_a_row_alone_has_the_same_bits) {
  svm::Monitor watched;
  const svm::Workers team{3, watched};
  for (const int64_t d : {7, 11}) {  // by differences, and from norms
    const Rows data(true, 1, 0.5, d);
    const auto dense = data.dense_points();
    const auto sparse = data.sparse_points();
    const svm::Points* both[] = {&dense, &sparse};
    for (const svm::Kernel& kernel : test::kernels(0.2)) {
      const std::vector<double> weights(data.n, 0.5);
      for (const svm::Points* centres : both) {
        const svm::Expansion expansion(kernel, *centres, weights, 1, kAlone);
        for (const svm::Points* points : both) {
          std::vector<double> sums(data.n), again(data.n);
          CHECK(expansion.evaluate(*points, sums.data(), kAlone));
          CHECK(expansion.evaluate(*points, again.data(), team));
          CHECK(sums == again, "threads");
          for (int64_t i = 0; i < data.n; ++i) {
            test::Long exact = 0, size = 0;
            for (int64_t j = 0; j < data.n; ++j) {
              const test::Long k = test::reference(kernel, data.row(i), data.row(j));
              exact += 0.5 * (k + kernel.offset());
              size += std::abs(k) + std::abs(kernel.offset());
            }
            CHECK(std::abs(sums[i] - exact) < 1e-14 * size, static_cast<int>(kernel.kind), d, i);
            const svm::DensePoints<double> full({data.dense.data() + i * d, 1, d});
            const svm::CsrPoints<double, int32_t> stored(
                {data.values.data(), data.places.data(), data.starts.data() + i, 1, d});
            const svm::Points& row =
                points->sparse() ? static_cast<const svm::Points&>(stored) : full;
            CHECK(expansion.evaluate(row, again.data(), kAlone));
            CHECK(again[0] == sums[i], "alone", static_cast<int>(kernel.kind), d, i);
          }
        }
      }
    }
  }
}

TEST(packed_rows_far_from_the_origin_keep_their_digits) {
  Rows data(true, 1, 0.5, 12);
  for (double& x : data.dense) x += 1000;
  const auto points = data.dense_points();
  const svm::Kernel gaussian{svm::KernelKind::gaussian, 0.1};
  const std::vector<double> weights(data.n, 1.0);
  const svm::Expansion expansion(gaussian, points, weights, 1, kAlone);
  std::vector<double> sums(data.n);
  CHECK(expansion.evaluate(points, sums.data(), kAlone));
  for (int64_t i = 0; i < data.n; ++i) {
    test::Long exact = 0;
    for (int64_t j = 0; j < data.n; ++j) {
      exact += 1 + test::reference(gaussian, data.row(i), data.row(j));
    }
    CHECK(std::abs(sums[i] - exact) < 1e-13 * data.n, i);
  }
}

// Columns in which more than one in 24 rows has an entry are gone through, others looked up.
TEST(columns_are_numbered_from_all_the_data) {
  using Numbers = svm::ColumnNumbers;
  const Rows data(true, 1, 0.04, 150);
  const auto points = data.sparse_points();
  const auto numbers = points.column_numbers();
  int32_t full = 0, rare = numbers->fulls;
  for (int64_t k = 0; k < data.d; ++k) {
    int64_t entries = 0;
    for (int64_t i = 0; i < data.n; ++i) entries += data.dense[i * data.d + k] != 0;
    const bool many = entries * 24 > data.n;
    CHECK(numbers->number[k] == (many ? full++ : entries > 0 ? rare++ : -1), k);
    CHECK(numbers->kind(k) == (many          ? Numbers::full
                               : entries > 0 ? Numbers::rare
                                             : Numbers::empty),
          k);
  }
  CHECK(numbers->fulls == full && full > 0);
  CHECK(numbers->rares == rare - full && rare > full && rare < data.d);
  // A view passes them on.
  const std::vector<int64_t> some{1, 3, 60, 61, 149};
  const auto seen = points.choose(some)->unit()->column_numbers();
  for (size_t k = 0; k < some.size(); ++k) CHECK(seen->kind(k) == numbers->kind(some[k]), k);
  CHECK(data.dense_points().column_numbers()->fulls == data.d);
}

TEST(sparse_values_have_the_same_bits_in_any_tile) {
  // Some columns are full and others nearly empty, some rows are twice there.
  const Rows data(true, 1, 0.04, 150);
  const auto points = data.sparse_points();
  for (const svm::Kernel& kernel : test::kernels(0.2)) {
    const auto gram = svm::make_gram(points, data.index, kernel);
    const auto whole = gram->single(kAlone);
    std::vector<float> all(data.n * data.n);
    whole->block(data.index, all.data(), kAlone);
    for (const size_t count : {1, 2, 7, 9, 17, 24}) {
      std::vector<int64_t> few;
      for (size_t k = 0; k < count; ++k) few.push_back(static_cast<int64_t>(k) * 40 % data.n);
      std::vector<float> rows(svm::kLeftRows * svm::kBlockColumns), block(count * count);
      whole->rows(few)->columns(0, data.n, rows.data(), svm::kBlockColumns);
      whole->block(few, block.data(), kAlone);
      for (size_t r = 0; r < count; ++r) {
        for (int64_t c = 0; c < data.n; ++c) {
          CHECK(rows[r * svm::kBlockColumns + c] == all[few[r] * data.n + c],
                static_cast<int>(kernel.kind), count, r, c);
        }
        for (size_t c = 0; c < count; ++c) {
          CHECK(block[r * count + c] == all[few[r] * data.n + few[c]],
                static_cast<int>(kernel.kind), count, r, c);
        }
      }
    }
  }
}

TEST(rare_columns_are_found_in_any_block_of_rows) {
  const Rows data(true, 1, 0.03, 60, 2300);
  const auto points = data.sparse_points();
  CHECK(points.column_numbers()->rares > data.d / 4);
  const std::vector<int64_t> few{0, 3, 1500, 2299};
  for (const svm::Kernel& kernel : test::kernels(0.2)) {
    if (!kernel.parts.empty()) continue;
    const auto gram = svm::make_gram(points, data.index, kernel);
    const auto source = gram->single(kAlone);
    const auto rows = source->rows(few);
    const int64_t ranges[][2] = {{0, 1024}, {1024, 2048}, {2048, 2300}, {64, 1984}, {1088, 1152}};
    for (const auto& [begin, end] : ranges) {
      const int64_t stride = 2304;
      std::vector<float> found(svm::simd::kTileRows * stride);
      rows->columns(begin, end, found.data(), stride);
      for (size_t r = 0; r < few.size(); ++r) {
        for (int64_t c = begin; c < end; c += 7) {
          const test::Long exact = test::reference(kernel, data.row(few[r]), data.row(c));
          CHECK(std::abs(found[r * stride + c - begin] - exact) <= gram->single_error(),
                static_cast<int>(kernel.kind), begin, end, r, c);
        }
      }
    }
  }
}

TEST(whole_numbers_have_the_bits_they_have_among_others) {
  Rows whole(true, 3);
  for (double& v : whole.values) v = std::ceil(v);
  for (double& v : whole.dense) v = std::ceil(v);
  Rows others = whole;
  others.values.back() += 0.25;
  const auto points = whole.sparse_points(), other_points = others.sparse_points();
  const size_t last = static_cast<size_t>(whole.n - 1);
  for (const svm::Kernel& kernel : test::kernels(0.02)) {
    const auto gram = svm::make_gram(points, whole.index, kernel);
    const auto other_gram = svm::make_gram(other_points, whole.index, kernel);
    const auto source = gram->single(kAlone);
    check_entries<float>(whole, *gram, kernel, *source, gram->single_error());
    std::vector<float> all(whole.n * whole.n), among(all);
    source->block(whole.index, all.data(), kAlone);
    other_gram->single(kAlone)->block(whole.index, among.data(), kAlone);
    for (size_t i = 0; i < last; ++i) {
      for (size_t j = 0; j < last; ++j) {
        CHECK(all[i * whole.n + j] == among[i * whole.n + j], static_cast<int>(kernel.kind), i, j);
      }
    }
  }
}

TEST(a_sparse_row_alone_has_the_bits_it_has_among_others) {
  // The centres have full columns of their own, which those of the rows are not.
  const Rows data(true, 1, 0.04, 150);
  const auto points = data.sparse_points();
  std::vector<float> ones(data.n, 1.0F);
  std::vector<int32_t> places(data.n), starts(data.n + 1);
  std::iota(places.begin(), places.end(), 0);
  std::iota(starts.begin(), starts.end(), 0);
  const svm::CsrPoints<float, int32_t> other(
      {ones.data(), places.data(), starts.data(), data.n, data.d});
  CHECK(other.column_numbers()->fulls == 0);
  const std::vector<double> weights(data.n, 0.5);
  for (const svm::Kernel& kernel : test::kernels(0.2)) {
    const svm::Expansion expansion(kernel, points, weights, 1, kAlone);
    std::vector<double> all(data.n);
    CHECK(expansion.evaluate(other, all.data(), kAlone));
    for (int64_t i = 0; i < data.n; i += 7) {
      const svm::CsrPoints<float, int32_t> row(
          {ones.data() + i, places.data() + i, starts.data(), 1, data.d});
      double alone = 0;
      CHECK(expansion.evaluate(row, &alone, kAlone));
      CHECK(alone == all[i], static_cast<int>(kernel.kind), i);
    }
  }
}

TEST(kernels_on_columns_that_are_not_there_are_refused) {
  for (const std::vector<int64_t>& columns : {std::vector<int64_t>{7}, {-1}, {2, 2}, {3, 1}}) {
    const svm::Kernel kernel = test::on({svm::KernelKind::linear}, columns);
    bool refused = false;
    try {
      test::combined(svm::KernelKind::sum, {kernel}).check(7);
    } catch (const std::invalid_argument&) {
      refused = true;
    }
    CHECK(refused);
  }
  test::on(test::on({svm::KernelKind::linear}, {4}), {0, 2, 3, 5, 6}).check(7);
}

TEST(cached_rows_add_up_like_fresh_ones) {
  const test::Clouds data(2500, 3, 1.0);
  const auto gram = svm::make_gram(data.points, data.index, data.gaussian());
  const auto source = gram->single(kAlone);
  svm::Monitor first, second, third;
  const svm::Workers one{1, first}, two{2, second}, three{3, third};
  const svm::DualProblem problem = data.problem();
  svm::Slabs memory;
  const auto tiny = svm::cached_kernel(*source, problem, false, 1, memory, one);
  const auto large = svm::cached_kernel(*source, problem, false, 1 << 28, memory, two);
  const auto cheap = svm::cached_kernel(*source, problem, true, 1 << 23, memory, three);
  std::vector<int64_t> which;
  std::vector<double> step;
  for (int64_t i = 0; i < 40; ++i) which.push_back(i * 61), step.push_back(0.1 * i - 2);
  std::vector<double> f(data.n, 1.0), g(data.n, 1.0), h(data.n, 1.0);
  for (int repeat = 0; repeat < 2; ++repeat) {
    tiny->accumulate(which, step, f.data());
    large->accumulate(which, step, g.data());
    cheap->accumulate(which, step, h.data());
  }
  for (int64_t i = 0; i < data.n; ++i) CHECK(f[i] == g[i] && f[i] == h[i], i);
  CHECK(large->rows_computed() == 40 && tiny->rows_computed() == 80);
  CHECK(second.work.kernel_entries == 40 * data.n && first.work.kernel_entries == 80 * data.n);
  CHECK(second.work.cache_hits == 40 && first.work.cache_hits == 0);
  CHECK(second.work.exact_entries == 0);
  // 40 rows written and 40 read; or all written, in batches of the 6 rows there is room for; or 40
  // written. Of the gradient and its change 40 bytes per place and batch.
  CHECK(second.work.bytes == data.n * (4 * (40 + 40) + 2 * 40));
  CHECK(first.work.bytes == data.n * (4 * 80 + 14 * 40));
  CHECK(third.work.bytes == data.n * (4 * 40 + 2 * 40));
  CHECK(third.work.kernel_entries == 80 * data.n && third.work.cache_hits == 0);
  CHECK(second.work.kernel_seconds > 0 && second.work.gradient_seconds > 0);
  std::vector<float> gathered(40 * 40), fresh(40 * 40);
  large->block(which, gathered.data());
  cheap->block(which, fresh.data());
  CHECK(gathered == fresh);
}

// The cache hits of four rounds of the first 400 rows of 1,200, where there is room for `capacity`.
std::vector<int64_t> hits_of_cheap_rows(int64_t capacity) {
  const test::Clouds data(1200, 3, 1.0);
  const auto gram = svm::make_gram(data.points, data.index, data.gaussian());
  const auto source = gram->single(kAlone);
  svm::Monitor monitor;
  const svm::Workers alone{1, monitor};
  const svm::DualProblem problem = data.problem();
  svm::Slabs memory;
  const auto cheap = svm::cached_kernel(*source, problem, true, capacity * 1200 * 4, memory, alone);
  const std::vector<double> step(400, 0.5);
  std::vector<double> f(data.n, 0.0);
  std::vector<int64_t> hits;
  for (int round = 0; round < 4; ++round) {
    const int64_t before = monitor.work.cache_hits;
    cheap->accumulate(std::span(data.index).first(400), step, f.data());
    hits.push_back(monitor.work.cache_hits - before);
  }
  return hits;
}

TEST(cheap_rows_are_kept_as_they_prove_useful) {
  // Met, then 256 kept, then these found and all others kept, then all found.
  CHECK((hits_of_cheap_rows(599) == std::vector<int64_t>{0, 0, 256, 400}));
}

TEST(cheap_rows_are_all_kept_where_half_of_them_fit) {
  CHECK((hits_of_cheap_rows(600) == std::vector<int64_t>{0, 400, 400, 400}));
}

TEST(sums_among_the_centres_are_those_of_any_rows) {
  const test::Clouds data(1700, 3, 1.0);
  const auto gram = svm::make_gram(data.points, data.index, data.gaussian());
  std::vector<int64_t> which;
  std::vector<double> weights;
  test::Random random(5);
  for (int64_t i = 0; i < data.n; i += 1 + i % 2) {
    which.push_back(i), weights.push_back(random.normal());
  }
  const svm::Workers two{2, nobody};
  std::vector<double> some(which.size()), any(which.size()), again(which.size());
  gram->product_among(which, weights, some.data(), kAlone);
  gram->product_among(which, weights, again.data(), two);
  gram->product(which, which, weights, any.data(), two);
  CHECK(some == again);
  for (size_t k = 0; k < which.size(); ++k) CHECK(std::abs(some[k] - any[k]) < 1e-11, k);
}

TEST(memory_of_rows_is_used_again) {
  svm::Slabs memory;
  const float* first = nullptr;
  {
    svm::RowCache<float> cache(4, 1000, memory);
    const auto [row, known] = cache.get(7);
    CHECK(!known);
    std::fill_n(row, 1000, 1.0F);
    CHECK(cache.get(7).second && cache.peek(7) == row && cache.peek(8) == nullptr);
    first = row;
  }
  svm::RowCache<float> shorter(4, 500, memory);
  CHECK(shorter.get(1).first == first);
  svm::RowCache<float> longer(4, 1'000'000, memory);
  float* row = longer.get(1).first;
  CHECK(row != first);
  std::fill_n(row, 1'000'000, 1.0F);
}

TEST(dense_rows_lose_their_zeros_where_most_entries_are_zero) {
  const Rows few(true, 1, 0.04, 150), many(true, 1, 0.5, 150), narrow(true, 1, 0.04, 20);
  const auto dense = [](const Rows& rows) {
    return svm::DenseRows<double>{rows.dense.data(), rows.n, rows.d};
  };
  CHECK(!svm::thin(dense(many), kAlone) && !svm::thin(dense(narrow), kAlone));
  const auto thin = svm::thin(dense(few), kAlone);
  CHECK(thin.has_value());
  const svm::PointsOf<svm::ThinRows<double>> points(*thin);
  const auto stored = few.sparse_points();
  for (const svm::Kernel& kernel : test::kernels(0.2)) {
    std::vector<double> one(few.n * few.n), other(one);
    svm::make_gram(points, few.index, kernel)->block(few.index, one.data(), kAlone);
    svm::make_gram(stored, few.index, kernel)->block(few.index, other.data(), kAlone);
    CHECK(one == other, static_cast<int>(kernel.kind));
  }
}

TEST(zeros_are_left_out_by_any_number_of_threads_and_not_half_way) {
  constexpr int64_t kCount = 1000, kColumns = 130;
  std::vector<float> values(kCount * kColumns);
  for (size_t k = 0; k < values.size(); ++k) values[k] = k % 7 == 0 ? static_cast<float>(k) : 0;
  const svm::DenseRows<float> dense{values.data(), kCount, kColumns};
  const auto alone = svm::thin(dense, kAlone), together = svm::thin(dense, {3, nobody});
  CHECK(alone.has_value() && together.has_value());
  const auto entries = static_cast<size_t>(alone->starts[kCount]);
  CHECK(entries == (values.size() + 6) / 7 - 1);  // the first one is zero
  CHECK(std::equal(alone->starts, alone->starts + kCount + 1, together->starts));
  CHECK(std::equal(alone->places, alone->places + entries, together->places));
  CHECK(std::equal(alone->values, alone->values + entries, together->values));
  svm::Monitor stopping([](const svm::TraceRow&) { return true; });
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  CHECK(!svm::thin(dense, {1, stopping}));
  const svm::DensePoints<float> points(dense), unhurried(dense);
  points.keep_norms({1, stopping});
  unhurried.keep_norms({3, nobody});
  CHECK(points.squared_norm(7) == unhurried.squared_norm(7) && points.squared_norm(7) > 0);
}
