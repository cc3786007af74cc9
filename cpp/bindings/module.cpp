// The Python module: arrays in, arrays out. No algorithm lives here; only this folder knows Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/arrays.h"
#include "bindings/data.h"
#include "bindings/linear.h"
#include "bindings/stream.h"
#include "bindings/text.h"
#include "bindings/watch.h"
#include "simd/table.h"
#include "svm/expansion.h"
#include "svm/gram.h"
#include "svm/parallel.h"
#include "svm/solve.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace bindings;

svm::DualProblem make_problem(const Doubles& target, const Doubles& lower, const Doubles& upper,
                              double epsilon, double total, size_t rows) {
  if (target.size() != rows || lower.size() != rows || upper.size() != rows) {
    throw nb::value_error("index, target, lower and upper must have the same length");
  }
  return {view<double>(target), {view<double>(lower), view<double>(upper), epsilon}, total};
}

// The solution, and the exception that ended it early or None.
nb::tuple solve(const Data& data, const svm::Kernel& kernel, const Indices& index,
                const Doubles& target, const Doubles& lower, const Doubles& upper, double epsilon,
                double total, const std::optional<Doubles>& start, double tol, int64_t max_steps,
                int64_t cache_bytes, int threads, nb::object hook) {
  const auto problem = make_problem(target, lower, upper, epsilon, total, index.size());
  if (start && start->size() != index.size()) throw nb::value_error("start has the wrong length");
  const auto gram = data.gram(kernel, view<int64_t>(index));
  const auto first = start ? view<double>(*start) : std::span<const double>();
  Watch watch(std::move(hook));
  svm::Solution solution;
  {
    const nb::gil_scoped_release release;
    solution =
        svm::solve(*gram, problem, {tol, max_steps, cache_bytes, threads}, first, watch.monitor());
  }
  return nb::make_tuple(std::move(solution), watch.error());
}

svm::Certificate certify(const Data& data, const svm::Kernel& kernel, const Indices& index,
                         const Doubles& target, const Doubles& lower, const Doubles& upper,
                         double epsilon, double total, const Doubles& b, int threads) {
  const auto problem = make_problem(target, lower, upper, epsilon, total, index.size());
  if (b.size() != index.size()) throw nb::value_error("b has the wrong length");
  const auto gram = data.gram(kernel, view<int64_t>(index));
  Watch watch{nb::none()};
  svm::Certificate certificate;
  {
    const nb::gil_scoped_release release;
    certificate = svm::certify(*gram, problem, view<double>(b), threads, watch.monitor());
  }
  watch.raise();
  return certificate;
}

nb::ndarray<nb::numpy, double> expand(const svm::Kernel& kernel, const Data& centres,
                                      const Indices& which, const Doubles2& weights,
                                      const Data& points, int threads) {
  centres.check(view<int64_t>(which));
  if (weights.shape(0) != which.size()) throw nb::value_error("weights need one row per centre");
  if (centres.points().columns() != points.points().columns()) {
    throw nb::value_error("centres and points differ in their number of features");
  }
  std::vector<int64_t> rows(points.rows());
  std::iota(rows.begin(), rows.end(), 0);
  std::vector<double> out(rows.size() * weights.shape(1));
  Watch watch{nb::none()};
  {
    const nb::gil_scoped_release release;
    svm::expand({kernel, centres.points(), view<int64_t>(which), view<double>(weights),
                 static_cast<int64_t>(weights.shape(1))},
                points.points(), rows, out.data(), {threads, watch.monitor()});
  }
  watch.raise();
  return owned(std::move(out), {rows.size(), weights.shape(1)});
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "The compiled core of maxmargin.";
  m.attr("version") = MAXMARGIN_VERSION;

  nb::enum_<svm::KernelKind>(m, "KernelKind")
      .value("linear", svm::KernelKind::linear)
      .value("polynomial", svm::KernelKind::polynomial)
      .value("gaussian", svm::KernelKind::gaussian)
      .value("sigmoid", svm::KernelKind::sigmoid);

  nb::class_<svm::Kernel>(m, "Kernel")
      .def(
          "__init__",
          [](svm::Kernel* self, svm::KernelKind kind, double gamma, double coef0, int degree) {
            new (self) svm::Kernel{kind, gamma, coef0, degree};
          },
          "kind"_a, "gamma"_a = 1.0, "coef0"_a = 0.0, "degree"_a = 3);

  nb::class_<Data>(m, "Data")
      .def_static("dense", &Data::dense, "array"_a)
      .def_static("sparse", &Data::sparse, "values"_a, "places"_a, "starts"_a, "columns"_a)
      .def_static("chunked", &Data::chunked, "starts"_a, "columns"_a, "sparse"_a, "source"_a)
      .def_static("precomputed", &Data::precomputed, "matrix"_a)
      .def_prop_ro("rows", &Data::rows);

  nb::class_<svm::Certificate>(m, "Certificate")
      .def_ro("primal", &svm::Certificate::primal)
      .def_ro("dual", &svm::Certificate::dual)
      .def_ro("gap", &svm::Certificate::gap)
      .def_ro("violation", &svm::Certificate::violation)
      .def_ro("bound", &svm::Certificate::bound)
      .def_ro("intercept", &svm::Certificate::intercept);

  nb::enum_<svm::Status>(m, "Status")
      .value("optimal", svm::Status::optimal)
      .value("precision", svm::Status::precision)
      .value("max_iterations", svm::Status::max_iterations)
      .value("stopped", svm::Status::stopped);

  nb::class_<svm::Solution>(m, "Solution")
      .def_prop_ro(
          "b", [](const svm::Solution& s) { return owned(std::vector<double>(s.b), {s.b.size()}); },
          nb::rv_policy::move)
      .def_ro("certificate", &svm::Solution::certificate)
      .def_ro("status", &svm::Solution::status)
      .def_ro("steps", &svm::Solution::steps)
      .def_ro("newton_steps", &svm::Solution::newton_steps)
      .def_ro("rows_computed", &svm::Solution::rows_computed)
      .def_ro("seconds", &svm::Solution::seconds)
      .def_ro("certificate_seconds", &svm::Solution::certificate_seconds)
      .def_prop_ro(
          "trace", [](const svm::Solution& s) { return trace_array(s.trace); },
          nb::rv_policy::move);

  m.def("solve", &solve, "data"_a, "kernel"_a, "index"_a, "target"_a, "lower"_a, "upper"_a,
        "epsilon"_a, "total"_a, "start"_a.none(), "tol"_a, "max_steps"_a, "cache_bytes"_a,
        "threads"_a, "hook"_a.none());
  m.def("certify", &certify, "data"_a, "kernel"_a, "index"_a, "target"_a, "lower"_a, "upper"_a,
        "epsilon"_a, "total"_a, "b"_a, "threads"_a);
  m.def("expand", &expand, "kernel"_a, "centres"_a, "which"_a, "weights"_a, "points"_a,
        "threads"_a);
  bindings::bind_linear(m);
  bindings::bind_stream(m);
  bind_text(m);
  m.def("usable_cores", &svm::usable_cores);
  m.def("instruction_set", [] { return std::string(svm::simd::table().name); });
}
