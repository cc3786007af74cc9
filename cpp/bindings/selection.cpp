#include "bindings/selection.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.h"
#include "bindings/data.h"
#include "bindings/watch.h"
#include "kernel/expansion.h"
#include "selection/grid.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace bindings {
namespace {

// Lists of rows, one after the other in the same array: list p is index[starts[p]] ..
// index[starts[p + 1] - 1].
void check_lists(const Data& data, const Indices& index, const Indices& starts) {
  const auto at = view<int64_t>(starts);
  if (at.size() < 2 || at.front() != 0 || at.back() != static_cast<int64_t>(index.size()) ||
      !std::is_sorted(at.begin(), at.end())) {
    throw nb::value_error("starts must ascend from 0 to the number of rows");
  }
  data.check(view<int64_t>(index));
}

// Outputs of shape (kernels, Cs, test rows, outputs), winners (kernels, Cs, test rows), cells
// (kernels, splits, Cs, 3) with violation, seconds and support vectors; and what ended it early.
using Found = std::tuple<nb::ndarray<nb::numpy, double>, nb::ndarray<nb::numpy, int32_t>,
                         nb::ndarray<nb::numpy, double>, Error>;

Found solve_grid(const Data& data, const std::vector<svm::Kernel>& kernels, const Indices& index,
                 const Indices& starts, const Doubles& target, const Doubles& lower,
                 const Doubles& upper, const Doubles2& penalty, const Indices& test,
                 const Indices& test_starts, const Doubles& Cs, const Doubles& epsilon,
                 int64_t classes, double tol, int64_t matrices, bool sums, int threads, Hook hook) {
  check_lists(data, index, starts);
  check_lists(data, test, test_starts);
  for (const svm::Kernel& kernel : kernels) data.check(kernel, {});
  const size_t n = index.size(), splits = test_starts.size() - 1;
  if (target.size() != n || lower.size() != n || upper.size() != n) {
    throw nb::value_error("target, lower and upper need one value for each row of the parts");
  }
  if (penalty.shape(0) != splits || static_cast<int64_t>(penalty.shape(1)) != data.rows()) {
    throw nb::value_error("penalty needs one row per split and one column per row of the data");
  }
  if (epsilon.size() != splits) throw nb::value_error("epsilon needs one value per split");
  const auto penalties = view<double>(Cs);
  if (penalties.empty() || !(penalties[0] > 0) ||
      !std::is_sorted(penalties.begin(), penalties.end())) {
    throw nb::value_error("Cs must be positive and ascend");
  }
  if (matrices < 1) throw nb::value_error("matrices must be at least 1");
  const int64_t pairs = classes * (classes - 1) / 2;
  svm::Grid grid{
      .rows = data.rows(), .parts = {}, .splits = {}, .Cs = {penalties.begin(), penalties.end()}};
  grid.classes = classes, grid.tol = tol, grid.matrices = matrices;
  grid.sums = sums;
  for (size_t p = 0; p + 1 < starts.size(); ++p) {
    const size_t first = starts.data()[p], count = starts.data()[p + 1] - first;
    grid.parts.push_back(
        {view<int64_t>(index).subspan(first, count), view<double>(target).subspan(first, count),
         view<double>(lower).subspan(first, count), view<double>(upper).subspan(first, count)});
  }
  if (classes != 0 && std::ssize(grid.parts) != pairs) {
    throw nb::value_error("classes that vote need one part per pair");
  }
  for (size_t s = 0; s < splits; ++s) {
    const size_t first = test_starts.data()[s], count = test_starts.data()[s + 1] - first;
    grid.splits.push_back({view<double>(penalty).subspan(s * data.rows(), data.rows()),
                           view<int64_t>(test).subspan(first, count), epsilon.data()[s]});
  }
  svm::GridValues values;
  Error error = watched(std::move(hook), threads, [&](const svm::Workers& workers) {
    for (const svm::Kernel& kernel : kernels) data.prepare(kernel, workers);
    const auto gram = [&](const svm::Kernel& kernel, std::span<const int64_t> rows) {
      return data.gram(kernel, rows);
    };
    values = svm::solve_grid(grid, kernels, gram, workers);
  });
  const size_t K = kernels.size(), c = penalties.size(), rows = test.size();
  const size_t winners = classes > 0 ? rows : 0, outputs = grid.outputs();
  std::vector<double> cells;
  for (const svm::Cell& cell : values.cells) {
    cells.insert(cells.end(), {cell.violation, cell.seconds, static_cast<double>(cell.support)});
  }
  return {owned(std::move(values.outputs), {K, c, rows, outputs}),
          owned(std::move(values.winners), {K, c, winners}),
          owned(std::move(cells), {K, splits, c, 3}), std::move(error)};
}

// The values of a kernel for each pair of rows, and what ended it early.
std::tuple<nb::ndarray<nb::numpy, double>, Error> kernel_matrix(const Data& data,
                                                                const svm::Kernel& kernel,
                                                                int threads, Hook hook) {
  data.check(kernel, {});
  const size_t n = data.rows();
  std::vector<double> values(n * n);
  Error error = watched(std::move(hook), threads, [&](const svm::Workers& workers) {
    data.prepare(kernel, workers);
    const std::vector<int64_t> rows = svm::all_rows(data.rows());
    data.gram(kernel, rows)->block(rows, values.data(), workers);
  });
  return {owned(std::move(values), {n, n}), std::move(error)};
}

}  // namespace

void bind_selection(nb::module_& m) {
  m.def("kernel_matrix", &kernel_matrix, "data"_a, "kernel"_a, "threads"_a, "hook"_a.none());
  m.def("solve_grid", &solve_grid, "data"_a, "kernels"_a, "index"_a, "starts"_a, "target"_a,
        "lower"_a, "upper"_a, "penalty"_a, "test"_a, "test_starts"_a, "Cs"_a, "epsilon"_a,
        "classes"_a, "tol"_a, "matrices"_a, "sums"_a, "threads"_a, "hook"_a.none());
}

}  // namespace bindings
