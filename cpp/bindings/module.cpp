// The Python module: arrays in, arrays out. No algorithm lives here; only this folder knows Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.h"
#include "bindings/data.h"
#include "bindings/dual.h"
#include "bindings/linear.h"
#include "bindings/stream.h"
#include "bindings/text.h"
#include "bindings/watch.h"
#include "simd/table.h"
#include "svm/expansion.h"
#include "svm/parallel.h"
#include "svm/peak.h"

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

nb::ndarray<nb::numpy, double> expand(const svm::Kernel& kernel, const Data& centres,
                                      const svm::Weights& weights, const Data& points,
                                      int threads) {
  if (weights.centres() != centres.rows()) throw nb::value_error("weights need one row per centre");
  if (centres.points().columns() != points.points().columns()) {
    throw nb::value_error("centres and points differ in their number of features");
  }
  kernel.check(points.points().columns());
  std::vector<int64_t> which(centres.rows()), rows(points.rows());
  std::iota(which.begin(), which.end(), 0);
  std::iota(rows.begin(), rows.end(), 0);
  const size_t outputs = weights.outputs();
  std::vector<double> out(rows.size() * outputs);
  Watch watch{nb::none()};
  {
    const nb::gil_scoped_release release;
    svm::expand({kernel, centres.points(), which, weights}, points.points(), rows, out.data(),
                {threads, watch.monitor()});
  }
  watch.raise();
  return owned(std::move(out), {rows.size(), outputs});
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

  bind_dual(m);
  nb::class_<svm::Weights>(m, "Weights")
      .def(
          "__init__",
          [](svm::Weights* self, const Doubles2& weights) {
            new (self) svm::Weights(view<double>(weights), weights.shape(1));
          },
          "weights"_a);
  m.def("expand", &expand, "kernel"_a, "centres"_a, "weights"_a, "points"_a, "threads"_a);
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
