#include "selection/grid.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "fuzz/data.h"
#include "fuzz/harness.h"

// Searches: kernels, splits and Cs, of a regression or of classes that vote.
HARNESS(grid) {
  bytes.wild_numbers();
  const fuzz::Data data{bytes, bytes.between(1, 12), bytes.between(0, 4)};
  const int64_t n = data.rows();
  svm::Grid grid{.rows = n, .parts = {}, .splits = {}, .Cs = bytes.sizes(bytes.between(1, 3))};
  std::sort(grid.Cs.begin(), grid.Cs.end());
  if (!(grid.Cs.front() > 0)) return;  // the caller refuses it
  grid.classes = bytes.one_of<int64_t>({0, 2, 3});
  grid.tol = bytes.one_of({1e-3, 1e-8, 0.0});
  grid.matrices = bytes.between(1, 3), grid.sums = bytes.flag();
  const int64_t parts =
      grid.classes == 0 ? bytes.between(1, 2) : grid.classes * (grid.classes - 1) / 2;
  std::vector<std::vector<int64_t>> rows;
  std::vector<std::vector<double>> target, lower, upper, penalty;
  for (int64_t p = 0; p < parts; ++p) {
    std::vector<int64_t>& own = rows.emplace_back();
    for (int64_t i = 0; i < n; ++i) {
      if (bytes.byte() % 4 != 0) own.push_back(i);
    }
    const bool regression = grid.classes == 0 && bytes.flag();
    target.push_back(bytes.numbers(std::ssize(own)));
    lower.emplace_back(own.size(), regression ? -1 : 0), upper.emplace_back(own.size(), 1);
    for (size_t k = 0; k < own.size() && !regression; ++k) {
      const bool positive = target[p][k] > 0;
      target[p][k] = positive ? 1 : -1, lower[p][k] = positive ? 0 : -1, upper[p][k] = positive;
    }
  }
  for (int64_t p = 0; p < parts; ++p)
    grid.parts.push_back({rows[p], target[p], lower[p], upper[p]});
  const int64_t splits = bytes.between(1, 2);
  std::vector<std::vector<int64_t>> test;
  for (int64_t s = 0; s < splits; ++s) {
    penalty.push_back(bytes.sizes(n));
    test.push_back(bytes.places(bytes.between(0, 5), n));
    for (double& one : penalty.back()) {
      if (bytes.byte() % 4 == 0) one = 0;
    }
  }
  int64_t judged = 0;
  for (int64_t s = 0; s < splits; ++s) {
    grid.splits.push_back({penalty[s], test[s], grid.classes == 0 ? bytes.size() : 0});
    judged += std::ssize(test[s]);
  }
  std::vector<svm::Kernel> kernels;
  for (int64_t k = bytes.between(0, 2); k >= 0; --k) {
    kernels.push_back(fuzz::make_kernel(bytes, 1));
    kernels.back().check(data.columns());
  }
  const auto gram = [&](const svm::Kernel& kernel, std::span<const int64_t> which) {
    return svm::make_gram(data.points(), which, kernel);
  };
  fuzz::Patience patience(bytes);
  const auto values = svm::solve_grid(grid, kernels, gram, {1, patience.monitor()});
  const int64_t cells = std::ssize(kernels) * std::ssize(grid.Cs);
  REQUIRE(std::ssize(values.cells) == cells * splits);
  REQUIRE(std::ssize(values.outputs) == cells * judged * grid.outputs());
}
