#include "dual/solve_all.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "dual/solve.h"
#include "tests/check.h"
#include "tests/problem.h"

namespace {

svm::Settings asked(int64_t cache_bytes, int threads) {
  return {.tol_violation = 1e-3, .cache_bytes = cache_bytes, .threads = threads};
}

// Problems on the first rows of the same clouds, some of them large beside the others.
struct Several {
  test::Clouds data;
  std::vector<svm::Part> parts;

  Several(std::vector<int64_t> sizes, double C)
      : data(*std::max_element(sizes.begin(), sizes.end()), 3, C) {
    for (const int64_t size : sizes) {
      svm::DualProblem problem = data.problem();
      problem.target = problem.target.first(size);
      problem.box.lower = problem.box.lower.first(size);
      problem.box.upper = problem.box.upper.first(size);
      parts.push_back({std::span(data.index).first(size), problem});
    }
  }
  svm::GramOf gram() const {
    return [this](std::span<const int64_t> rows) {
      return svm::make_gram(data.points, rows, data.gaussian());
    };
  }
};

// Clouds cut into classes of these sizes, and every two classes a part: rows of the first class,
// then those of the second.
struct OneAgainstOne {
  test::Clouds data;
  std::vector<std::vector<int64_t>> rows;
  std::vector<std::vector<double>> targets, lowers, uppers;
  std::vector<svm::Part> parts;

  OneAgainstOne(std::vector<int64_t> sizes, int64_t columns, double C)
      : data(std::reduce(sizes.begin(), sizes.end()), columns, C) {
    std::vector<std::vector<int64_t>> classes(sizes.size());
    for (size_t c = 0, i = 0; i < data.index.size(); ++i, c = (c + 1) % sizes.size()) {
      while (std::ssize(classes[c]) == sizes[c]) c = (c + 1) % sizes.size();
      classes[c].push_back(static_cast<int64_t>(i));
    }
    for (size_t a = 0; a < sizes.size(); ++a) {
      for (size_t b = a + 1; b < sizes.size(); ++b) add(classes[a], classes[b], C);
    }
    for (size_t p = 0; p < rows.size(); ++p) {
      parts.push_back({rows[p], {targets[p], {lowers[p], uppers[p], 0, {}}}});
    }
  }
  void add(const std::vector<int64_t>& a, const std::vector<int64_t>& b, double C) {
    rows.push_back(a);
    rows.back().insert(rows.back().end(), b.begin(), b.end());
    std::vector<double> target(a.size(), 1.0), lower(a.size(), 0.0), upper(a.size(), C);
    target.resize(rows.back().size(), -1.0);
    lower.resize(target.size(), -C), upper.resize(target.size(), 0.0);
    targets.push_back(target), lowers.push_back(lower), uppers.push_back(upper);
  }
  svm::GramOf gram() const {
    return [this](std::span<const int64_t> which) {
      return svm::make_gram(data.points, which, data.gaussian());
    };
  }
};

}  // namespace

// Classes of 600 rows share values in float64 or float32, as the pairs are small or large; those of
// 130 columns are expensive enough for the latter. In a cache of 64 kB nothing is shared.
TEST(classes_in_common_change_no_bit) {
  for (const int64_t columns : {4, 130}) {
    const OneAgainstOne pairs({600, 520, 480, 700}, columns, 2);
    svm::Monitor first;
    const auto own = svm::solve_all(pairs.parts, pairs.gram(), asked(1 << 16, 1), first);
    int64_t entries = 0;
    for (const auto& solution : own) entries += solution.work.kernel_entries;
    for (const int threads : {1, 3}) {
      svm::Monitor monitor;
      const auto found =
          svm::solve_all(pairs.parts, pairs.gram(), asked(1 << 28, threads), monitor);
      int64_t fewer = 0;
      for (size_t p = 0; p < found.size(); ++p) {
        CHECK(found[p].beta == own[p].beta, columns, threads, p);
        CHECK(found[p].status == svm::Status::optimal, columns, threads, p);
        fewer += found[p].work.kernel_entries;
      }
      CHECK(fewer < entries, columns, threads);
    }
  }
}

// All rows are far from each other and all of them support vectors: the first pair tells, and the
// others are solved on the whole matrix.
TEST(of_many_pairs_that_need_all_their_rows_the_whole_matrix_is_used) {
  const OneAgainstOne pairs(std::vector<int64_t>(5, 515), 130, 2);
  const svm::Kernel narrow{svm::KernelKind::gaussian, 0.05, 0, 3};
  const auto gram = [&](std::span<const int64_t> rows) {
    return svm::make_gram(pairs.data.points, rows, narrow);
  };
  svm::Monitor first, second;
  const auto alone = svm::solve_all(pairs.parts, gram, asked(1 << 28, 1), first);
  const auto beside = svm::solve_all(pairs.parts, gram, asked(1 << 28, 2), second);
  for (size_t p = 0; p < pairs.parts.size(); ++p) {
    CHECK(alone[p].beta == beside[p].beta && alone[p].status == svm::Status::optimal, p);
    CHECK((alone[p].rows_computed == 0) == (p > 0), p);
  }
}

TEST(parts_are_solved_as_if_there_were_no_others_beside_them) {
  const Several several({40, 1300, 90, 200, 41, 7, 350, 60}, 5);
  svm::Settings one_of_many = asked(1 << 28, 1);
  one_of_many.alone = false;
  for (const int threads : {1, 2, 3}) {
    for (const int64_t cache : {int64_t(1) << 16, int64_t(1) << 28}) {
      svm::Monitor monitor;
      const auto found =
          svm::solve_all(several.parts, several.gram(), asked(cache, threads), monitor);
      for (size_t p = 0; p < found.size(); ++p) {
        svm::Monitor own;
        const svm::Part& part = several.parts[p];
        const svm::Solution alone =
            svm::solve(*several.gram()(part.rows), part.problem, one_of_many, {}, own);
        CHECK(found[p].beta == alone.beta, threads, p);
        CHECK(found[p].status == svm::Status::optimal, threads, p);
        CHECK(found[p].certificate.gap == alone.certificate.gap, threads, p);
      }
    }
  }
}

TEST(of_many_parts_those_of_a_few_hundred_rows_are_solved_to_tol) {
  const Several several({350, 200, 350}, 5);
  svm::Monitor monitor;
  const auto many = svm::solve_all(several.parts, several.gram(), asked(1 << 28, 1), monitor);
  const auto one =
      svm::solve_all(std::span(several.parts).first(1), several.gram(), asked(1 << 28, 1), monitor);
  for (const size_t p : {0, 2}) {
    CHECK(many[p].certificate.violation <= 1e-3 && many[p].newton_steps == 0, p);
    CHECK(many[p].certificate.violation > 1e-9, p);
  }
  CHECK(many[1].certificate.violation < 1e-12);
  CHECK(one[0].certificate.violation < 1e-12);
}

TEST(parts_that_were_not_begun_are_certified) {
  const Several several(std::vector<int64_t>(60, 900), 1e5);
  for (const int threads : {1, 2}) {
    const auto caller = std::this_thread::get_id();
    svm::Monitor monitor([&](const svm::TraceRow& row) {
      CHECK(std::this_thread::get_id() == caller);
      CHECK(row.part >= 0 && row.part < 60);
      return true;
    });
    const auto found =
        svm::solve_all(several.parts, several.gram(), asked(1 << 28, threads), monitor);
    const svm::Solution& last = found.back();
    CHECK(last.status == svm::Status::stopped && last.steps == 0, threads);
    CHECK(last.certificate.primal == 900 * 1e5 && last.certificate.violation == 2, threads);
    CHECK(std::all_of(last.beta.begin(), last.beta.end(), [](double b) { return b == 0; }));
  }
}

TEST(a_part_that_cannot_be_solved_is_an_error_of_all) {
  Several several({20, 30, 40}, 1);
  several.data.x[2] = 1e300;
  const svm::Kernel linear{svm::KernelKind::linear, 1, 0, 3};
  const auto gram = [&](std::span<const int64_t> rows) {
    return svm::make_gram(several.data.points, rows, linear);
  };
  for (const int threads : {1, 2}) {
    bool refused = false;
    svm::Monitor monitor;
    try {
      svm::solve_all(several.parts, gram, asked(1 << 28, threads), monitor);
    } catch (const std::invalid_argument&) {
      refused = true;
    }
    CHECK(refused, threads);
  }
}
