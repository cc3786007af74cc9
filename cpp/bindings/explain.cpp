#include "bindings/explain.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <utility>
#include <vector>

#include "bindings/arrays.h"
#include "bindings/data.h"
#include "bindings/watch.h"
#include "explain/shapley.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace bindings {
namespace {

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
}

}  // namespace bindings
