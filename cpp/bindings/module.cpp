// The Python module: arrays in, arrays out. No algorithm lives here; only this folder knows Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.h"
#include "bindings/calibration.h"
#include "bindings/data.h"
#include "bindings/dual.h"
#include "bindings/explain.h"
#include "bindings/linear.h"
#include "bindings/selection.h"
#include "bindings/stream.h"
#include "bindings/text.h"
#include "bindings/watch.h"
#include "kernel/bounds.h"
#include "kernel/expansion.h"
#include "kernel/rough_expansion.h"
#include "rows/largest.h"
#include "run/cores.h"
#include "run/memory.h"
#include "run/peak.h"
#include "simd/table.h"

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

using AnyArray = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

// The largest size of an entry, float32 or float64; not a number unless all are finite.
double largest(const AnyArray& values) {
  const auto size = static_cast<int64_t>(values.size());
  const nb::gil_scoped_release release;
  if (values.dtype() == nb::dtype<double>()) {
    return svm::largest_size(static_cast<const double*>(values.data()), size);
  }
  if (values.dtype() == nb::dtype<float>()) {
    return svm::largest_size(static_cast<const float*>(values.data()), size);
  }
  throw nb::type_error("values must be float32 or float64");
}

// Centres of kernels with their weights, packed for many calls.
template <class Packed>
class Centres {
 public:
  Centres(const svm::Kernel& kernel, const Data& centres, const Doubles2& weights, int threads)
      : columns_(centres.points().columns()) {
    if (static_cast<int64_t>(weights.shape(0)) != centres.rows() || weights.shape(1) == 0) {
      throw nb::value_error("weights need one row per centre and an output or more");
    }
    kernel.check(columns_);
    watched(threads, [&](const svm::Workers& workers) {
      packed_ = std::make_unique<const Packed>(kernel, centres.points(), view<double>(weights),
                                               weights.shape(1), workers);
    });
  }
  const Packed& packed() const { return *packed_; }

  // The sums of all outputs at each row; what else there is to a row goes to `more`.
  template <class... More>
  nb::ndarray<nb::numpy, double> at(const Data& points, int threads, More*... more) const {
    if (points.points().columns() != columns_) {
      throw nb::value_error("centres and points differ in their number of features");
    }
    const size_t rows = points.rows(), outputs = packed_->outputs();
    std::vector<double> out(rows * outputs);
    watched(threads, [&](const svm::Workers& workers) {
      packed_->evaluate(points.points(), out.data(), more..., workers);
    });
    return owned(std::move(out), {rows, outputs});
  }

 private:
  int64_t columns_;
  std::unique_ptr<const Packed> packed_;
};
using Expansion = Centres<svm::Expansion>;
using RoughExpansion = Centres<svm::RoughExpansion>;

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "The compiled core of maxmargin.";
  // A model keeps packed rows, and one that a cache holds until the interpreter ends is no leak.
  nb::set_leak_warnings(false);
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
      // Of either float type, and of either type of indices.
      .def_static("dense", &Data::dense, "array"_a,
                  nb::sig("def dense(array: numpy.typing.NDArray[numpy.floating]) -> Data"))
      .def_static("sparse", &Data::sparse, "values"_a, "places"_a, "starts"_a, "columns"_a,
                  nb::sig("def sparse(values: numpy.typing.NDArray[numpy.floating], "
                          "places: numpy.typing.NDArray[numpy.integer], "
                          "starts: numpy.typing.NDArray[numpy.integer], columns: int) -> Data"))
      .def_static("chunked", &Data::chunked, "starts"_a, "columns"_a, "sparse"_a, "source"_a)
      .def_static("precomputed", &Data::precomputed, "matrix"_a)
      .def_prop_ro("rows", &Data::rows);

  m.def("largest", &largest, "values"_a,
        nb::sig("def largest(values: numpy.typing.NDArray[numpy.floating]) -> float"));

  bind_dual(m);
  nb::class_<Expansion>(m, "Expansion")
      .def(nb::init<const svm::Kernel&, const Data&, const Doubles2&, int>(), "kernel"_a,
           "centres"_a, "weights"_a, "threads"_a, nb::keep_alive<1, 3>())
      .def(
          "at",
          [](const Expansion& sums, const Data& points, int threads) {
            return sums.at(points, threads);
          },
          "points"_a, "threads"_a);
  nb::class_<RoughExpansion>(m, "RoughExpansion")
      .def_static("offers", &svm::RoughExpansion::offers, "kernel"_a)
      .def(nb::init<const svm::Kernel&, const Data&, const Doubles2&, int>(), "kernel"_a,
           "centres"_a, "weights"_a, "threads"_a, nb::keep_alive<1, 3>())
      .def(
          "at",
          [](const RoughExpansion& sums, const Data& points, int threads) {
            const size_t rows = points.rows();
            std::vector<double> errors(rows);
            auto values = sums.at(points, threads, errors.data());
            return std::tuple(std::move(values), owned(std::move(errors), {rows}));
          },
          "points"_a, "threads"_a);
  // Of the kernel on these rows: how large its values can be, and how wrong in float64.
  m.def(
      "entry_bounds",
      [](const svm::Kernel& kernel, const Data& points) {
        std::vector<int64_t> rows(points.rows());
        std::iota(rows.begin(), rows.end(), 0);
        points.check(kernel, rows);
        const svm::Bounds found = svm::bound(kernel, points.points(), rows);
        return std::tuple(std::max(found.value, found.entry), found.exact);
      },
      "kernel"_a, "points"_a);
  bindings::bind_linear(m);
  bindings::bind_selection(m);
  bindings::bind_stream(m);
  bind_calibration(m);
  bind_explain(m);
  bind_text(m);
  m.def("usable_cores", &svm::usable_cores);
  m.def("physical_memory", &svm::physical_memory);
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
