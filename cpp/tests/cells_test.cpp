#include "dual/cells.h"

#include <algorithm>
#include <vector>

#include "kernel/gram.h"
#include "tests/check.h"
#include "tests/problem.h"

namespace {

svm::Cells cells_of(const test::Clouds& data, double gamma, int64_t size, int threads) {
  svm::Kernel kernel = data.gaussian();
  kernel.gamma = gamma;
  svm::Monitor monitor;
  const svm::Workers workers{threads, monitor};
  const auto gram = svm::make_gram(data.points, data.index, kernel);
  return svm::find_cells(*gram->single(workers), kernel.offset(), size, workers);
}

}  // namespace

TEST(every_row_is_in_one_set_of_neighbours) {
  const test::Clouds data(2600, 3, 10);
  const svm::Cells cells = cells_of(data, 5.0, 600, 1);
  CHECK(cells.sets.size() == 5);
  std::vector<int64_t> all;
  for (const auto& set : cells.sets) {
    CHECK(set.size() <= 600);
    all.insert(all.end(), set.begin(), set.end());
  }
  std::sort(all.begin(), all.end());
  for (int64_t i = 0; i < data.n; ++i) CHECK(all[i] == i);
  CHECK(cells.sets == cells_of(data, 5.0, 600, 3).sets);
}

TEST(a_narrow_kernel_is_local_and_a_wide_one_is_not) {
  const test::Clouds data(2600, 3, 10);
  CHECK(cells_of(data, 5.0, 600, 2).likeness > 2);
  const double wide = cells_of(data, 1e-4, 600, 2).likeness;
  CHECK(wide > 0.9 && wide < 1.1, wide);
}
