// The Python module: arrays in, arrays out. No algorithm lives here; only this folder knows Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <numeric>
#include <optional>
#include <string>
#include <tuple>
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
#include "svm/peak.h"
#include "svm/solve.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using namespace bindings;

// The kernel on some columns. One that already has columns means places among these.
svm::Kernel on(const svm::Kernel& kernel, std::vector<int64_t> columns) {
  svm::Kernel view = kernel;
  if (kernel.columns != nullptr) {
    view = {svm::KernelKind::sum};
    view.parts = {kernel};
  }
  view.columns = std::make_shared<const std::vector<int64_t>>(std::move(columns));
  return view;
}

// One dual problem: its rows, and the arrays behind the core's views.
struct Problem {
  const Data& data;
  svm::Kernel kernel;
  Indices index;
  Doubles target, lower, upper;
  double epsilon;
  Doubles total;
  std::optional<Groups> group;
  std::optional<Doubles> ridge;

  void check() const {
    const size_t n = target.size();
    if (index.size() == 0 || n % index.size() != 0) {
      throw nb::value_error("target must have one value, or two, for each row");
    }
    if (lower.size() != n || upper.size() != n || (group && group->size() != n) ||
        (ridge && ridge->size() != n)) {
      throw nb::value_error("target, lower, upper, group and ridge must have the same length");
    }
    if (total.size() != (group ? svm::kGroups : 1)) {
      throw nb::value_error("total needs one value a group");
    }
    for (size_t i = 0; group && i < n; ++i) {
      if (group->data()[i] >= svm::kGroups) throw nb::value_error("group must be 0 or 1");
    }
  }
  svm::DualProblem view_dual() const {
    svm::DualProblem dual{view<double>(target),
                          {view<double>(lower), view<double>(upper), epsilon, {}}};
    std::copy_n(total.data(), total.size(), dual.total.begin());
    if (group) dual.box.group = view<uint8_t>(*group);
    if (ridge) dual.ridge = view<double>(*ridge);
    return dual;
  }
  std::unique_ptr<svm::Gram> gram() const { return data.gram(kernel, view<int64_t>(index)); }
};

// The solution, and the exception that ended it early or None.
nb::tuple solve(const Problem& problem, const std::optional<Doubles>& start, double tol,
                int64_t max_steps, int64_t cache_bytes, int threads, nb::object hook) {
  problem.check();
  if (start && start->size() != problem.target.size()) {
    throw nb::value_error("start has the wrong length");
  }
  const auto gram = problem.gram();
  const auto first = start ? view<double>(*start) : std::span<const double>();
  Watch watch(std::move(hook));
  svm::Solution solution;
  {
    const nb::gil_scoped_release release;
    solution = svm::solve(*gram, problem.view_dual(), {tol, max_steps, cache_bytes, threads}, first,
                          watch.monitor());
  }
  return nb::make_tuple(std::move(solution), watch.error());
}

svm::Certificate certify(const Problem& problem, const Doubles& b, int threads) {
  problem.check();
  if (b.size() != problem.target.size()) throw nb::value_error("b has the wrong length");
  const auto gram = problem.gram();
  Watch watch{nb::none()};
  svm::Certificate certificate;
  {
    const nb::gil_scoped_release release;
    certificate =
        svm::certify(*gram, problem.view_dual(), view<double>(b), threads, watch.monitor());
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
  kernel.check(points.points().columns());
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
      .value("sigmoid", svm::KernelKind::sigmoid)
      .value("laplacian", svm::KernelKind::laplacian)
      .value("chi2", svm::KernelKind::chi2)
      .value("cosine", svm::KernelKind::cosine)
      .value("matern12", svm::KernelKind::matern12)
      .value("matern32", svm::KernelKind::matern32)
      .value("matern52", svm::KernelKind::matern52)
      .value("sum", svm::KernelKind::sum)
      .value("product", svm::KernelKind::product);

  nb::class_<svm::Kernel>(m, "Kernel")
      .def(
          "__init__",
          [](svm::Kernel* self, svm::KernelKind kind, double gamma, double coef0, int degree,
             std::vector<svm::Kernel> parts) {
            new (self) svm::Kernel{kind, gamma, coef0, degree, 1, std::move(parts)};
          },
          "kind"_a, "gamma"_a = 1.0, "coef0"_a = 0.0, "degree"_a = 3,
          "parts"_a = std::vector<svm::Kernel>())
      .def(
          "scaled",
          [](svm::Kernel kernel, double weight) {
            kernel.weight *= weight;
            return kernel;
          },
          "weight"_a)
      .def("on", &on, "columns"_a);

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
      .def_ro("convex", &svm::Certificate::convex)
      .def_prop_ro("intercepts", [](const svm::Certificate& c) {
        return nb::make_tuple(c.intercept[0], c.intercept[1]);
      });

  nb::class_<Problem>(m, "Problem")
      .def(
          "__init__",
          [](Problem* self, const Data& data, const svm::Kernel& kernel, Indices index,
             Doubles target, Doubles lower, Doubles upper, double epsilon, Doubles total,
             std::optional<Groups> group, std::optional<Doubles> ridge) {
            new (self)
                Problem{data, kernel, index, target, lower, upper, epsilon, total, group, ridge};
          },
          "data"_a, "kernel"_a, "index"_a, "target"_a, "lower"_a, "upper"_a, "epsilon"_a, "total"_a,
          "group"_a.none(), "ridge"_a.none(), nb::keep_alive<1, 2>());

  nb::enum_<svm::Status>(m, "Status")
      .value("optimal", svm::Status::optimal)
      .value("precision", svm::Status::precision)
      .value("max_iterations", svm::Status::max_iterations)
      .value("stopped", svm::Status::stopped);

  nb::class_<svm::Work>(m, "Work")
      .def_ro("kernel_entries", &svm::Work::kernel_entries)
      .def_ro("exact_entries", &svm::Work::exact_entries)
      .def_ro("cache_hits", &svm::Work::cache_hits)
      .def_ro("bytes", &svm::Work::bytes)
      .def_ro("kernel_seconds", &svm::Work::kernel_seconds)
      .def_ro("gradient_seconds", &svm::Work::gradient_seconds)
      .def_ro("pair_seconds", &svm::Work::pair_seconds)
      .def_ro("newton_seconds", &svm::Work::newton_seconds);

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
      .def_ro("work", &svm::Solution::work)
      .def_ro("flops", &svm::Solution::flops)
      .def_prop_ro(
          "trace", [](const svm::Solution& s) { return trace_array(s.trace); },
          nb::rv_policy::move);

  m.def("solve", &solve, "problem"_a, "start"_a.none(), "tol"_a, "max_steps"_a, "cache_bytes"_a,
        "threads"_a, "hook"_a.none());
  m.def("certify", &certify, "problem"_a, "b"_a, "threads"_a);
  m.def("expand", &expand, "kernel"_a, "centres"_a, "which"_a, "weights"_a, "points"_a,
        "threads"_a);
  bindings::bind_linear(m);
  bindings::bind_stream(m);
  bind_text(m);
  m.def("usable_cores", &svm::usable_cores);
  m.def(
      "measure_peak",
      [](int threads) {
        const nb::gil_scoped_release release;
        const svm::Peak peak = svm::measure_peak(threads);
        return std::tuple(peak.flops, peak.bandwidth, peak.pair_step);
      },
      "threads"_a);
  m.def("instruction_set", [] { return std::string(svm::simd::table().name); });
}
