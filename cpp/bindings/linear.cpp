#include "bindings/linear.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.h"
#include "bindings/data.h"
#include "bindings/watch.h"
#include "linear/crammer_singer.h"
#include "linear/l1.h"
#include "linear/lasso.h"
#include "linear/remote_rows.h"
#include "linear/solve.h"

using namespace nb::literals;

namespace bindings {
namespace {

using svm::Certificate;
using svm::Settings;
using svm::linear::Problem;
using svm::linear::Solution;
using svm::linear::Start;

enum class LossKind { tube, logistic };
enum class Method { newton, newton_cg, descent };

// A problem with the arrays it looks at, which are kept alive. Solvers smooth its loss, so that one
// object is solved by one thread at a time.
class Stated {
 public:
  Stated(nb::typed<nb::object, Data> data, Indices index, LossKind kind, Doubles target,
         Doubles lower, Doubles upper, std::optional<Doubles> ridge, double epsilon, bool intercept,
         double penalty, double scale)
      : kept_(data), index_(index), target_(target), lower_(lower), upper_(upper), ridge_(ridge) {
    const auto& rows = nb::cast<const Data&>(data);
    rows.check(view<int64_t>(index));
    const size_t n = index.size();
    if (n == 0 || target.size() != n || lower.size() != n || upper.size() != n ||
        (ridge && ridge->size() != n)) {
      throw nb::value_error("index, target, lower, upper and ridge must have the same length");
    }
    if (kind == LossKind::logistic) {
      loss_ = std::make_unique<svm::linear::Logistic>(view<double>(target), view<double>(upper));
    } else {
      const auto ridges = ridge ? view<double>(*ridge) : std::span<const double>();
      loss_ = std::make_unique<svm::linear::Tube>(view<double>(target), view<double>(lower),
                                                  view<double>(upper), ridges, epsilon);
    }
    problem_ = std::make_unique<Problem>(
        Problem{{rows.linear(), view<int64_t>(index)}, *loss_, {intercept, penalty}, scale});
  }

  const Problem& problem() const { return *problem_; }
  const svm::Points& points() const { return nb::cast<const Data&>(kept_).points(); }

 private:
  nb::object kept_;
  Indices index_;
  Doubles target_, lower_, upper_;
  std::optional<Doubles> ridge_;
  std::unique_ptr<svm::linear::Loss> loss_;
  std::unique_ptr<Problem> problem_;
};

Solution run(Method method, const Problem& problem, const Settings& settings, svm::Monitor& monitor,
             const Start* start) {
  using svm::linear::Directions;
  if (method == Method::descent) return svm::linear::descend(problem, settings, monitor, start);
  const auto kind = method == Method::newton ? Directions::matrix : Directions::products;
  return svm::linear::newton(problem, kind, settings, monitor, start);
}

// Weights, intercept and dual variables to begin with.
using Beginning = std::tuple<Doubles, double, Doubles>;

std::optional<Start> start_of(const Problem& problem, const std::optional<Beginning>& given) {
  if (!given) return std::nullopt;
  const auto& [w, b, beta] = *given;
  if (static_cast<int64_t>(w.size()) != problem.sample.columns() ||
      static_cast<int64_t>(beta.size()) != problem.sample.size()) {
    throw nb::value_error("a start must have one weight per column and one variable per row");
  }
  return Start{{w.data(), w.data() + w.size()}, b, {beta.data(), beta.data() + beta.size()}};
}

// The solution, and the exception that ended it early.
std::tuple<Solution, Error> solve(const Stated& stated, Method method, double tol, double violation,
                                  int64_t max_steps, int threads, Hook hook,
                                  std::optional<Beginning> beginning) {
  const std::optional<Start> start = start_of(stated.problem(), beginning);
  const Settings settings{.tol_gap = tol,
                          .tol_violation = violation,
                          .max_steps = limit(max_steps),
                          .threads = threads};
  Solution solution;
  Error error = watched(std::move(hook), threads, [&](const svm::Workers& workers) {
    solution = run(method, stated.problem(), settings, workers.monitor, start ? &*start : nullptr);
  });
  return {std::move(solution), std::move(error)};
}

// The same with an L1 penalty.
std::tuple<Solution, Error> solve_l1(const Stated& stated, double tol, int64_t max_steps,
                                     int threads, Hook hook, std::optional<Beginning> beginning) {
  const std::optional<Start> start = start_of(stated.problem(), beginning);
  const svm::Points& points = stated.points();
  const Settings settings{.tol_gap = tol, .max_steps = limit(max_steps), .threads = threads};
  Solution solution;
  Error error = watched(std::move(hook), threads, [&](const svm::Workers& workers) {
    solution = svm::linear::few_features(stated.problem(), points, settings, workers.monitor,
                                         start ? &*start : nullptr);
  });
  return {std::move(solution), std::move(error)};
}

// Solutions by coordinate descent, but for those that were not begun; and the exception.
std::tuple<std::vector<std::optional<Solution>>, Error> descend_all(
    const std::vector<const Stated*>& stated, double tol, int64_t max_steps, int threads,
    Hook hook) {
  const Settings settings{.tol_gap = tol, .max_steps = limit(max_steps), .threads = threads};
  std::vector<const Problem*> problems;
  for (const Stated* one : stated) problems.push_back(&one->problem());
  std::vector<std::optional<Solution>> solutions;
  Error error = watched(std::move(hook), threads, [&](const svm::Workers& workers) {
    solutions = svm::linear::descend_all(problems, settings, workers.monitor);
  });
  return {std::move(solutions), std::move(error)};
}

// The rows of a problem that are here, for a method that runs elsewhere.
class Served {
 public:
  Served(nb::typed<nb::object, Stated> stated, int threads)
      : kept_(stated), server_(nb::cast<const Stated&>(stated).problem(), threads, quiet_) {}

  svm::linear::Answer shape() const { return server_.shape(); }
  svm::linear::Answer answer(const Doubles& request) {
    const nb::gil_scoped_release release;
    return server_.answer(view<double>(request));
  }
  nb::ndarray<nb::numpy, double> variables() {
    std::vector<double> beta = server_.take();
    const size_t n = beta.size();
    return owned(std::move(beta), {n});
  }

 private:
  nb::object kept_;
  svm::Monitor quiet_;
  svm::linear::RowServer server_;
};

using Answer = svm::linear::Answer;
// Carries a request to all parts and returns the sum of their answers; while it waits, it calls the
// second argument now and then.
using Exchange = nb::typed<nb::callable,
                           Answer(nb::ndarray<nb::numpy, double>, nb::typed<nb::callable, void()>)>;

// Newton's method on rows that are elsewhere, `parts` of them with these shapes in sum. What they
// have in common: columns, whether the loss has kinks, whether there is an intercept, its penalty,
// and the scale of residuals.
std::tuple<Solution, Error> solve_remote(
    const std::tuple<int64_t, bool, bool, double, double>& common, const Answer& shapes,
    int64_t parts, Exchange exchange, Method method, double tol, int64_t max_steps, int threads,
    Hook hook) {
  const auto& [columns, kinked, intercept, penalty, scale] = common;
  if (shapes.sums.size() != 3 || shapes.largest.size() != 2 || columns < 0) {
    throw nb::value_error("shapes must be the sum of what LinearRows.shape() says");
  }
  const svm::linear::Shape shape{
      .columns = columns, .kinked = kinked, .intercept = {intercept, penalty}, .scale = scale};
  const Settings settings{.tol_gap = tol, .max_steps = limit(max_steps), .threads = threads};
  const auto directions = method == Method::newton ? svm::linear::Directions::matrix
                                                   : svm::linear::Directions::products;
  Watch watch(std::move(hook));
  Solution solution;
  watch.run(threads, [&](const svm::Workers& workers) {
    // Every request is waited for, so that all parts agree on what has been asked.
    const auto ask = [&](std::span<const double> request) {
      const nb::gil_scoped_acquire gil;
      const nb::object poll = nb::cpp_function([&workers] {
        const nb::gil_scoped_release release;
        workers.monitor.stop();
      });
      const nb::object answer = exchange(
          owned(std::vector<double>(request.begin(), request.end()), {request.size()}), poll);
      return nb::cast<Answer>(answer);
    };
    svm::linear::RemoteRows rows(shape, shapes, parts, ask, workers.monitor);
    solution = svm::linear::newton(rows, directions, settings, workers.monitor);
  });
  return {std::move(solution), watch.error()};
}

// The certificate of a point that is given, with the squared norm as the penalty or with L1.
Certificate certify(const Stated& stated, const Doubles& w, double c, const Doubles& b, int threads,
                    bool few_features) {
  const Problem& problem = stated.problem();
  if (static_cast<int64_t>(w.size()) != problem.sample.columns() ||
      static_cast<int64_t>(b.size()) != problem.sample.size()) {
    throw nb::value_error("w must have one value per column and b one per row");
  }
  const std::vector<double> weights(w.data(), w.data() + w.size());
  const std::vector<double> variables(b.data(), b.data() + b.size());
  Certificate certificate;
  watched(threads, [&](const svm::Workers& workers) {
    const auto judge = few_features ? svm::linear::certify_few : svm::linear::certify;
    certificate = judge(problem, weights, c, variables, workers);
  });
  return certificate;
}

namespace crammer_singer = svm::linear::crammer_singer;

// Crammer and Singer's problem with the arrays it looks at, which are kept alive.
class StatedClasses {
 public:
  StatedClasses(nb::typed<nb::object, Data> data, Indices index, Indices label, Doubles C,
                int64_t classes, bool intercept, double penalty)
      : kept_(data), index_(index), label_(label), C_(C) {
    const auto& rows = nb::cast<const Data&>(data);
    rows.check(view<int64_t>(index));
    const size_t n = index.size();
    if (n == 0 || label.size() != n || C.size() != n) {
      throw nb::value_error("index, label and C must have the same length");
    }
    for (const int64_t y : view<int64_t>(label)) {
      if (y < 0 || y >= classes) throw nb::index_error("label outside the classes");
    }
    problem_ = std::make_unique<crammer_singer::Problem>(
        crammer_singer::Problem{rows.points(),
                                {rows.linear(), view<int64_t>(index)},
                                view<int64_t>(label),
                                view<double>(C),
                                classes,
                                {intercept, penalty}});
  }

  const crammer_singer::Problem& problem() const { return *problem_; }

 private:
  nb::object kept_;
  Indices index_, label_;
  Doubles C_;
  std::unique_ptr<crammer_singer::Problem> problem_;
};

// What the caller is given: w and beta with a row for each class.
struct ClassesAnswer {
  crammer_singer::Solution found;
  size_t classes, rows, columns;
  std::vector<double> beta;
};

std::vector<double> transposed(const std::vector<double>& values, size_t rows, size_t columns) {
  std::vector<double> out(values.size());
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < columns; ++j) out[j * rows + i] = values[i * columns + j];
  }
  return out;
}

std::tuple<ClassesAnswer, Error> solve_classes(const StatedClasses& stated, double tol,
                                               int64_t max_steps, int threads, Hook hook) {
  const Settings settings{.tol_gap = tol, .max_steps = limit(max_steps), .threads = threads};
  const crammer_singer::Problem& problem = stated.problem();
  ClassesAnswer answer{{},
                       static_cast<size_t>(problem.classes),
                       static_cast<size_t>(problem.size()),
                       static_cast<size_t>(problem.columns()),
                       {}};
  Error error = watched(std::move(hook), threads, [&](const svm::Workers& workers) {
    answer.found = crammer_singer::solve(problem, settings, workers.monitor);
    answer.beta = transposed(crammer_singer::exact_beta(problem, answer.found.share), answer.rows,
                             answer.classes);
  });
  return {std::move(answer), std::move(error)};
}

Certificate certify_classes(const StatedClasses& stated, const Doubles2& w, const Doubles& c,
                            const Doubles2& b, int threads) {
  const crammer_singer::Problem& problem = stated.problem();
  const auto classes = static_cast<size_t>(problem.classes);
  const auto rows = static_cast<size_t>(problem.size());
  if (w.shape(0) != classes || w.shape(1) != static_cast<size_t>(problem.columns()) ||
      c.size() != classes || b.shape(0) != classes || b.shape(1) != rows) {
    throw nb::value_error("w, c and b must have one row per class");
  }
  const crammer_singer::Primal primal{{w.data(), w.data() + w.size()},
                                      {c.data(), c.data() + c.size()}};
  const std::vector<double> beta = transposed({b.data(), b.data() + b.size()}, classes, rows);
  Certificate certificate;
  watched(threads, [&](const svm::Workers& workers) {
    certificate =
        crammer_singer::certify(problem, primal, crammer_singer::reflect(problem, beta), workers);
  });
  return certificate;
}

nb::ndarray<nb::numpy, double> lasso(const Doubles2& gram, const Doubles& linear,
                                     const Doubles& penalty, const Doubles& start, double tol) {
  const size_t n = start.size();
  if (gram.shape(0) != n || gram.shape(1) != n || linear.size() != n || penalty.size() != n) {
    throw nb::value_error("gram, linear, penalty and start must have the same order");
  }
  std::vector<double> u(start.data(), start.data() + n);
  watched(1, [&](const svm::Workers& workers) {
    svm::linear::Lasso(view<double>(gram), view<double>(linear), view<double>(penalty), u, workers)
        .run(tol);
  });
  return owned(std::move(u), {n});
}

// Scores of all rows: out[i, p] = x_i'coef_p + intercepts_p.
nb::ndarray<nb::numpy, double> scores(const Data& data, const Doubles2& coef,
                                      const Doubles& intercepts, int threads) {
  const svm::RowProducts& rows = data.linear();
  const int64_t n = rows.rows(), outputs = static_cast<int64_t>(coef.shape(0));
  if (static_cast<int64_t>(coef.shape(1)) != rows.columns() || intercepts.size() != coef.shape(0)) {
    throw nb::value_error("coef must have one column per feature and one row per intercept");
  }
  std::vector<double> out(n * outputs);
  watched(threads, [&](const svm::Workers& workers) {
    svm::linear::scores(rows, coef.data(), intercepts.data(), outputs, out.data(), workers);
  });
  return owned(std::move(out), {static_cast<size_t>(n), static_cast<size_t>(outputs)});
}

nb::ndarray<nb::numpy, double> array(const std::vector<double>& values) {
  return owned(std::vector<double>(values), {values.size()});
}

}  // namespace

void bind_linear(nb::module_& m) {
  nb::enum_<LossKind>(m, "LossKind")
      .value("tube", LossKind::tube)
      .value("logistic", LossKind::logistic);

  nb::enum_<Method>(m, "LinearMethod")
      .value("newton", Method::newton)
      .value("newton_cg", Method::newton_cg)
      .value("descent", Method::descent);

  nb::enum_<svm::Status>(m, "LinearStatus")
      .value("optimal", svm::Status::optimal)
      .value("precision", svm::Status::precision)
      .value("max_iterations", svm::Status::max_iterations)
      .value("stopped", svm::Status::stopped);

  m.attr("LinearCertificate") = m.attr("Certificate");

  nb::class_<Stated>(m, "LinearProblem")
      .def(nb::init<nb::typed<nb::object, Data>, Indices, LossKind, Doubles, Doubles, Doubles,
                    std::optional<Doubles>, double, bool, double, double>(),
           "data"_a, "index"_a, "kind"_a, "target"_a, "lower"_a, "upper"_a, "ridge"_a.none(),
           "epsilon"_a, "intercept"_a, "penalty"_a, "scale"_a);

  nb::class_<Answer>(m, "LinearAnswer")
      .def(
          "__init__",
          [](Answer* self, const Doubles& sums, const Doubles& largest) {
            new (self) Answer{{sums.data(), sums.data() + sums.size()},
                              {largest.data(), largest.data() + largest.size()}};
          },
          "sums"_a, "largest"_a)
      .def_prop_ro(
          "sums", [](const Answer& a) { return array(a.sums); }, nb::rv_policy::move)
      .def_prop_ro(
          "largest", [](const Answer& a) { return array(a.largest); }, nb::rv_policy::move)
      .def("__add__",
           [](const Answer& a, const Answer& b) {
             Answer sum = a;
             sum += b;
             return sum;
           })
      .def("__sizeof__",
           [](const Answer& a) {
             return sizeof(a) + sizeof(double) * (a.sums.size() + a.largest.size());
           })
      .def("__getstate__",
           [](const Answer& a) { return std::tuple(array(a.sums), array(a.largest)); })
      .def("__setstate__", [](Answer& self, const std::tuple<Doubles, Doubles>& state) {
        const auto& [sums, largest] = state;
        new (&self) Answer{{sums.data(), sums.data() + sums.size()},
                           {largest.data(), largest.data() + largest.size()}};
      });

  nb::class_<Served>(m, "LinearRows")
      .def(nb::init<nb::typed<nb::object, Stated>, int>(), "problem"_a, "threads"_a)
      .def("shape", &Served::shape)
      .def("answer", &Served::answer, "request"_a)
      .def("variables", &Served::variables);

  nb::class_<Solution>(m, "LinearSolution")
      .def_prop_ro(
          "w", [](const Solution& s) { return array(s.w); }, nb::rv_policy::move)
      .def_prop_ro(
          "b", [](const Solution& s) { return array(s.beta); }, nb::rv_policy::move)
      .def_ro("intercept", &Solution::intercept)
      .def_prop_ro("dual_intercept", [](const Solution& s) { return s.certificate.intercept[0]; })
      .def_ro("certificate", &Solution::certificate)
      .def_ro("status", &Solution::status)
      .def_ro("steps", &Solution::steps)
      .def_ro("newton_steps", &Solution::newton_steps)
      .def_ro("seconds", &Solution::seconds)
      .def_ro("certificate_seconds", &Solution::certificate_seconds)
      .def_prop_ro(
          "trace", [](const Solution& s) { return trace_array(s.trace); }, nb::rv_policy::move);

  nb::class_<StatedClasses>(m, "CrammerSinger")
      .def(
          nb::init<nb::typed<nb::object, Data>, Indices, Indices, Doubles, int64_t, bool, double>(),
          "data"_a, "index"_a, "label"_a, "C"_a, "classes"_a, "intercept"_a, "penalty"_a);

  nb::class_<ClassesAnswer>(m, "CrammerSingerSolution")
      .def_prop_ro(
          "w",
          [](const ClassesAnswer& a) {
            return owned(std::vector<double>(a.found.primal.w), {a.classes, a.columns});
          },
          nb::rv_policy::move)
      .def_prop_ro(
          "b",
          [](const ClassesAnswer& a) {
            return owned(std::vector<double>(a.beta), {a.classes, a.rows});
          },
          nb::rv_policy::move)
      .def_prop_ro(
          "intercepts", [](const ClassesAnswer& a) { return array(a.found.primal.b); },
          nb::rv_policy::move)
      .def_prop_ro("certificate", [](const ClassesAnswer& a) { return a.found.certificate; })
      .def_prop_ro("status", [](const ClassesAnswer& a) { return a.found.status; })
      .def_prop_ro("steps", [](const ClassesAnswer& a) { return a.found.steps; })
      .def_prop_ro("newton_steps", [](const ClassesAnswer& a) { return a.found.newton_steps; })
      .def_prop_ro("seconds", [](const ClassesAnswer& a) { return a.found.seconds; })
      .def_prop_ro("certificate_seconds",
                   [](const ClassesAnswer& a) { return a.found.certificate_seconds; })
      .def_prop_ro(
          "trace", [](const ClassesAnswer& a) { return trace_array(a.found.trace); },
          nb::rv_policy::move);

  m.def("solve_crammer_singer", &solve_classes, "problem"_a, "tol"_a, "max_steps"_a, "threads"_a,
        "hook"_a);
  m.def("certify_crammer_singer", &certify_classes, "problem"_a, "w"_a, "c"_a, "b"_a, "threads"_a);
  m.def("solve_linear", &solve, "problem"_a, "method"_a, "tol"_a, "violation"_a, "max_steps"_a,
        "threads"_a, "hook"_a, "start"_a = nb::none());
  m.def("solve_l1", &solve_l1, "problem"_a, "tol"_a, "max_steps"_a, "threads"_a, "hook"_a,
        "start"_a = nb::none());
  m.def("solve_linear_remote", &solve_remote, "common"_a, "shapes"_a, "parts"_a, "exchange"_a,
        "method"_a, "tol"_a, "max_steps"_a, "threads"_a, "hook"_a);
  m.def("descend_all", &descend_all, "problems"_a, "tol"_a, "max_steps"_a, "threads"_a, "hook"_a);
  m.def("lasso", &lasso, "gram"_a, "linear"_a, "penalty"_a, "start"_a, "tol"_a);
  m.def("linear_scores", &scores, "data"_a, "coef"_a, "intercepts"_a, "threads"_a);
  m.def("certify_linear", &certify, "problem"_a, "w"_a, "c"_a, "b"_a, "threads"_a,
        "few_features"_a = false);
}

}  // namespace bindings
