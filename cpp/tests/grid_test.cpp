#include "selection/grid.h"

#include <cmath>
#include <numeric>

#include "tests/check.h"
#include "tests/problem.h"

namespace {

// Two splits of the rows of clouds into even and odd pairs, all rows evaluated.
struct Halves {
  test::Clouds clouds;
  std::vector<double> lower, upper, first, second;
  std::vector<int64_t> rows;
  svm::Grid grid;

  explicit Halves(int64_t n) : clouds(n, 5, 1), rows(n) {
    std::iota(rows.begin(), rows.end(), 0);
    for (int64_t i = 0; i < n; ++i) {
      lower.push_back(std::min(0.0, clouds.y[i])), upper.push_back(std::max(0.0, clouds.y[i]));
      first.push_back(i / 2 % 2 == 0 ? 1 : 0), second.push_back(i / 2 % 2 == 1 ? 2 : 0);
    }
    grid.rows = n;
    grid.parts = {{rows, clouds.y, lower, upper}};
    grid.splits = {{first, rows}, {second, rows}};
    grid.Cs = {0.1, 1, 100};
  }

  std::unique_ptr<svm::Gram> gram(const svm::Kernel& kernel, std::span<const int64_t> rows) const {
    return svm::make_gram(clouds.points, rows, kernel);
  }
};

}  // namespace

TEST(every_cell_of_a_grid_is_within_the_tolerance) {
  for (const int64_t n : {120, 900}) {
    const Halves halves(n);
    svm::Monitor monitor;
    const std::vector<svm::Kernel> kernels = {{svm::KernelKind::gaussian, 0.01},
                                              {svm::KernelKind::gaussian, 1}};
    const auto gram = [&](const svm::Kernel& kernel, std::span<const int64_t> rows) {
      return halves.gram(kernel, rows);
    };
    const auto values = svm::solve_grid(halves.grid, kernels, gram, {2, monitor});
    CHECK(std::ssize(values.cells) == 12);
    for (const svm::Cell& cell : values.cells) CHECK(cell.violation <= halves.grid.tol);
    for (const double value : values.outputs) CHECK(std::isfinite(value));
  }
}

TEST(a_grid_does_not_depend_on_threads_and_memory) {
  const Halves halves(300);
  svm::Monitor monitor;
  const std::vector<svm::Kernel> kernels = {{svm::KernelKind::gaussian, 0.1},
                                            {svm::KernelKind::gaussian, 1},
                                            {svm::KernelKind::gaussian, 10}};
  const auto gram = [&](const svm::Kernel& kernel, std::span<const int64_t> rows) {
    return halves.gram(kernel, rows);
  };
  const auto one = svm::solve_grid(halves.grid, kernels, gram, {1, monitor});
  svm::Grid other = halves.grid;
  other.matrices = 2, other.sums = true;
  const auto two = svm::solve_grid(other, kernels, gram, {2, monitor});
  CHECK(one.outputs == two.outputs);
}

TEST(a_grid_that_is_stopped_says_what_it_does_not_know) {
  const Halves halves(900);
  svm::Monitor monitor([](const svm::TraceRow&) { return true; });
  std::vector<svm::Kernel> kernels(50, {svm::KernelKind::gaussian, 1});
  const auto gram = [&](const svm::Kernel& kernel, std::span<const int64_t> rows) {
    return halves.gram(kernel, rows);
  };
  const auto values = svm::solve_grid(halves.grid, kernels, gram, {2, monitor});
  CHECK(std::isnan(values.cells.back().violation));
}
