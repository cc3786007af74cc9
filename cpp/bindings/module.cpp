// The Python module: arrays in, arrays out. No algorithm lives here; only files of this folder know
// Python.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/arrays.h"
#include "bindings/text.h"
#include "simd/table.h"
#include "svm/expansion.h"
#include "svm/gram.h"
#include "svm/parallel.h"
#include "svm/solve.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using AnyMatrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using AnyVector = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Doubles = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Doubles2 = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Groups = nb::ndarray<const uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Indices = nb::ndarray<const int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

template <class T, class Array>
std::span<const T> view(const Array& array) {
  return {array.data(), array.size()};
}

// Training or prediction data: rows of features, or a square matrix of kernel values.
class Data {
 public:
  static Data dense(AnyMatrix array) {
    Data data;
    const int64_t rows = array.shape(0), columns = array.shape(1);
    if (array.dtype() == nb::dtype<double>()) {
      data.points_ = make_dense(static_cast<const double*>(array.data()), rows, columns);
    } else if (array.dtype() == nb::dtype<float>()) {
      data.points_ = make_dense(static_cast<const float*>(array.data()), rows, columns);
    } else {
      throw nb::type_error("data must be float32 or float64");
    }
    data.rows_ = rows;
    data.kept_.push_back(nb::cast(array));
    return data;
  }

  static Data sparse(AnyVector values, AnyVector places, AnyVector starts, int64_t columns) {
    Data data;
    data.rows_ = static_cast<int64_t>(starts.size()) - 1;
    if (data.rows_ < 0 || places.size() != values.size() || places.dtype() != starts.dtype()) {
      throw nb::value_error("malformed compressed rows");
    }
    if (columns > std::numeric_limits<int32_t>::max()) {
      throw nb::value_error("more than 2^31 - 1 columns");
    }
    const auto with_index = [&](auto value, auto index) {
      using X = decltype(value);
      using Index = decltype(index);
      const svm::CsrRows<X, Index> rows{
          static_cast<const X*>(values.data()), static_cast<const Index*>(places.data()),
          static_cast<const Index*>(starts.data()), data.rows_, columns};
      check_rows(rows, static_cast<int64_t>(values.size()));
      data.points_ = std::make_unique<svm::CsrPoints<X, Index>>(rows);
    };
    const auto with_value = [&](auto value) {
      if (places.dtype() == nb::dtype<int32_t>()) {
        with_index(value, int32_t());
      } else if (places.dtype() == nb::dtype<int64_t>()) {
        with_index(value, int64_t());
      } else {
        throw nb::type_error("indices must be int32 or int64");
      }
    };
    if (values.dtype() == nb::dtype<double>()) {
      with_value(double());
    } else if (values.dtype() == nb::dtype<float>()) {
      with_value(float());
    } else {
      throw nb::type_error("data must be float32 or float64");
    }
    for (const AnyVector& array : {values, places, starts}) data.kept_.push_back(nb::cast(array));
    return data;
  }

  static Data precomputed(Doubles2 array) {
    if (array.shape(0) != array.shape(1)) throw nb::value_error("kernel matrix must be square");
    Data data;
    data.matrix_ = array.data();
    data.rows_ = static_cast<int64_t>(array.shape(0));
    data.kept_.push_back(nb::cast(array));
    return data;
  }

  int64_t rows() const { return rows_; }

  const svm::Points& points() const {
    if (!points_) throw nb::type_error("a kernel matrix has no rows of features");
    return *points_;
  }

  std::unique_ptr<svm::Gram> gram(const svm::Kernel& kernel, std::span<const int64_t> index) const {
    check(index);
    if (points_) kernel.check(points_->columns());
    if (points_) return std::make_unique<svm::DataGram>(*points_, index, kernel);
    return std::make_unique<svm::PrecomputedGram>(svm::MatrixView(matrix_, rows_, index));
  }

  void check(std::span<const int64_t> index) const {
    for (const int64_t i : index) {
      if (i < 0 || i >= rows_) throw nb::index_error("row index outside the data");
    }
  }

 private:
  template <class X>
  static std::unique_ptr<svm::Points> make_dense(const X* data, int64_t rows, int64_t columns) {
    return std::make_unique<svm::DensePoints<X>>(svm::DenseRows<X>{data, rows, columns});
  }

  // Every place a row points to must exist, in ascending order: the core does not look again.
  template <class X, class Index>
  static void check_rows(const svm::CsrRows<X, Index>& rows, int64_t entries) {
    bool good = rows.starts[0] == 0 && rows.starts[rows.rows] == entries;
    for (int64_t i = 0; i < rows.rows && good; ++i) good = rows.starts[i] <= rows.starts[i + 1];
    for (int64_t i = 0; i < rows.rows && good; ++i) {
      int64_t last = -1;
      for (int64_t k = rows.starts[i]; k < rows.starts[i + 1] && good; ++k) {
        good = rows.places[k] > last && rows.places[k] < rows.columns;
        last = rows.places[k];
      }
    }
    if (!good) throw nb::value_error("malformed compressed rows");
  }

  std::vector<nb::object> kept_;  // the arrays behind the views
  std::unique_ptr<svm::Points> points_;
  const double* matrix_ = nullptr;
  int64_t rows_ = 0;
};

// Looks after Ctrl-C and the caller's hook while the core runs without the GIL. An exception from
// either ends the run; it waits here until the core has returned.
class Watch {
 public:
  explicit Watch(nb::object hook)
      : hook_(std::move(hook)), monitor_([this](const svm::TraceRow& row) { return ask(row); }) {}

  svm::Monitor& monitor() { return monitor_; }
  nb::object error() const { return error_ ? nb::borrow(error_->value()) : nb::none(); }
  void raise() {
    if (error_) throw nb::python_error(std::move(*error_));
  }

 private:
  bool ask(const svm::TraceRow& row) {
    const nb::gil_scoped_acquire gil;
    try {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      return !hook_.is_none() && nb::cast<bool>(hook_(row.seconds, row.steps, row.primal, row.dual,
                                                      row.gap, row.violation, row.support));
    } catch (nb::python_error& error) {
      error_ = std::make_unique<nb::python_error>(std::move(error));
      return true;
    } catch (const nb::cast_error&) {
      // No exception may cross the core while its threads work.
      PyErr_SetString(PyExc_TypeError, "the hook must return True or False");
      error_ = std::make_unique<nb::python_error>();
      return true;
    }
  }

  nb::object hook_;
  svm::Monitor monitor_;
  std::unique_ptr<nb::python_error> error_;
};

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

// Columns: seconds, steps, primal, dual, gap, violation, support.
nb::ndarray<nb::numpy, double> trace_array(const svm::Solution& s) {
  std::vector<double> values;
  for (const svm::TraceRow& row : s.trace) {
    values.insert(values.end(), {row.seconds, static_cast<double>(row.steps), row.primal, row.dual,
                                 row.gap, row.violation, static_cast<double>(row.support)});
  }
  return owned(std::move(values), {s.trace.size(), 7});
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
      .def_prop_ro("trace", &trace_array, nb::rv_policy::move);

  m.def("solve", &solve, "problem"_a, "start"_a.none(), "tol"_a, "max_steps"_a, "cache_bytes"_a,
        "threads"_a, "hook"_a.none());
  m.def("certify", &certify, "problem"_a, "b"_a, "threads"_a);
  m.def("expand", &expand, "kernel"_a, "centres"_a, "which"_a, "weights"_a, "points"_a,
        "threads"_a);
  bind_text(m);
  m.def("usable_cores", &svm::usable_cores);
  m.def("instruction_set", [] { return std::string(svm::simd::table().name); });
}
