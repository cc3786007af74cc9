#include "bindings/explain.h"

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "bindings/arrays.h"
#include "bindings/data.h"
#include "bindings/watch.h"
#include "explain/shapley.h"
#include "explain/shuffled.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace bindings {
namespace {

using IndexTable = nb::ndarray<const int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Array = nb::ndarray<nb::numpy, double>;

svm::ProductTerm product_term(const Doubles& polynomial, const Groups& dotted,
                              const Doubles2& rates) {
  if (polynomial.size() == 0 || rates.shape(0) != 3 || rates.shape(1) != dotted.size()) {
    throw nb::value_error("a term needs coefficients and three rates a column");
  }
  const auto coefficients = view<double>(polynomial), all = view<double>(rates);
  const auto columns = view<uint8_t>(dotted);
  return {{coefficients.begin(), coefficients.end()},
          {columns.begin(), columns.end()},
          {all.begin(), all.end()}};
}

void check(const std::vector<svm::ProductTerm>& terms, const Data& rows, int64_t columns) {
  if (rows.points().columns() != columns) {
    throw nb::value_error("rows differ in their number of features");
  }
  for (const svm::ProductTerm& term : terms) {
    if (term.columns() != columns) throw nb::value_error("a term has other columns than the rows");
  }
}

void check(const Doubles2& weights, const Data& centres) {
  if (static_cast<int64_t>(weights.shape(0)) != centres.rows() || weights.shape(1) == 0) {
    throw nb::value_error("weights need one row per centre and an output or more");
  }
}

Array product_shapley(const std::vector<svm::ProductTerm>& terms, const Data& points,
                      const Data& centres, const Doubles2& weights, const Data* background,
                      int threads) {
  const int64_t columns = centres.points().columns();
  check(terms, points, columns);
  check(weights, centres);
  if (background != nullptr) {
    check(terms, *background, columns);
    if (background->rows() == 0) throw nb::value_error("the background has no rows");
  }
  const size_t n = points.rows(), d = columns, outputs = weights.shape(1);
  std::vector<double> out(n * d * outputs);
  watched(threads, [&](const svm::Workers& workers) {
    svm::product_shapley(terms, points.points(), centres.points(), view<double>(weights),
                         static_cast<int64_t>(outputs),
                         background ? &background->points() : nullptr, out.data(), workers);
  });
  return owned(std::move(out), {n, d, outputs});
}

Array shuffled_outputs(const std::vector<svm::ProductTerm>& terms, const Data& points,
                       const Data& centres, const Doubles2& weights, const Indices& columns,
                       const Indices& starts, const IndexTable& orders, int threads) {
  const int64_t width = centres.points().columns();
  check(terms, points, width);
  check(weights, centres);
  const svm::Groups groups{view<int64_t>(columns), view<int64_t>(starts)};
  const bool whole = starts.size() > 0 && groups.starts[0] == 0 &&
                     groups.starts.back() == static_cast<int64_t>(columns.size()) &&
                     std::is_sorted(groups.starts.begin(), groups.starts.end());
  if (!whole) throw nb::value_error("starts must go from 0 to the number of columns");
  for (const int64_t j : groups.columns) {
    if (j < 0 || j >= width) throw nb::index_error("column outside the data");
  }
  if (static_cast<int64_t>(orders.shape(1)) != points.rows()) {
    throw nb::value_error("orders need a place for each row");
  }
  points.check(view<int64_t>(orders));
  const size_t outputs = weights.shape(1), shuffles = orders.shape(0), n = points.rows();
  const size_t count = groups.size();
  std::vector<double> out(count * shuffles * n * outputs);
  watched(threads, [&](const svm::Workers& workers) {
    svm::shuffled_outputs(terms, points.points(), centres.points(), view<double>(weights),
                          static_cast<int64_t>(outputs), groups, view<int64_t>(orders), out.data(),
                          workers);
  });
  return owned(std::move(out), {count, shuffles, n, outputs});
}

}  // namespace

void bind_explain(nb::module_& m) {
  nb::class_<svm::ProductTerm>(m, "ProductTerm")
      .def(
          "__init__",
          [](svm::ProductTerm* self, const Doubles& polynomial, const Groups& dotted,
             const Doubles2& rates) {
            new (self) svm::ProductTerm(product_term(polynomial, dotted, rates));
          },
          "polynomial"_a, "dotted"_a, "rates"_a);
  m.def("product_shapley", &product_shapley, "terms"_a, "points"_a, "centres"_a, "weights"_a,
        "background"_a.none(), "threads"_a);
  m.def("shuffled_outputs", &shuffled_outputs, "terms"_a, "points"_a, "centres"_a, "weights"_a,
        "columns"_a, "starts"_a, "orders"_a, "threads"_a);
}

}  // namespace bindings
