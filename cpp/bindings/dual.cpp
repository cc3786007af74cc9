#include "bindings/dual.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/arrays.h"
#include "bindings/data.h"
#include "bindings/watch.h"
#include "dual/certificate.h"
#include "dual/solve.h"
#include "dual/solve_all.h"
#include "dual/support.h"
#include "kernel/partial_factor.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace bindings {
namespace {

// Dual problems on the same data, one after the other in the same arrays: problem p has the rows
// index[starts[p]] .. index[starts[p + 1] - 1] and one variable for each of them, or two.
struct Problems {
  const Data& data;
  svm::Kernel kernel;
  Indices index, starts;
  Doubles target, lower, upper;
  double epsilon;
  Doubles2 total;  // one row per problem, one column per group
  std::optional<Groups> group;
  std::optional<Doubles> ridge;

  size_t count() const { return starts.size() - 1; }

  void check() const {
    const size_t n = target.size(), rows = index.size();
    const auto at = view<int64_t>(starts);
    bool ascending = at.size() > 1 && at.front() == 0 && at.back() == static_cast<int64_t>(rows);
    for (size_t p = 0; ascending && p < count(); ++p) ascending = at[p] < at[p + 1];
    if (!ascending) throw nb::value_error("starts must ascend from 0 to the number of rows");
    if (n != rows && n != 2 * rows) {
      throw nb::value_error("target must have one value, or two, for each row");
    }
    if (lower.size() != n || upper.size() != n || (group && group->size() != n) ||
        (ridge && ridge->size() != n)) {
      throw nb::value_error("target, lower, upper, group and ridge must have the same length");
    }
    if (total.shape(0) != count() || total.shape(1) != (group ? svm::kGroups : 1)) {
      throw nb::value_error("total needs one row per problem and one column per group");
    }
    for (size_t i = 0; group && i < n; ++i) {
      if (group->data()[i] >= svm::kGroups) throw nb::value_error("group must be 0 or 1");
    }
    data.check(kernel, view<int64_t>(index));
  }

  // Problem p, and its part of the values that the caller has for all variables.
  svm::Part part(size_t p, std::span<const double> values) const {
    const size_t each = target.size() / index.size();
    const size_t first = starts.data()[p], rows = starts.data()[p + 1] - first;
    const auto cut = [&](auto all) { return all.subspan(each * first, each * rows); };
    svm::Part part{view<int64_t>(index).subspan(first, rows),
                   {cut(view<double>(target)),
                    {cut(view<double>(lower)), cut(view<double>(upper)), epsilon, {}}}};
    std::copy_n(total.data() + p * total.shape(1), total.shape(1), part.problem.total.begin());
    if (group) part.problem.box.group = cut(view<uint8_t>(*group));
    if (ridge) part.problem.ridge = cut(view<double>(*ridge));
    if (!values.empty()) part.start = cut(values);
    return part;
  }

  std::vector<svm::Part> parts(const std::optional<Doubles>& values) const {
    check();
    if (values && values->size() != target.size()) {
      throw nb::value_error("start, or b, has the wrong length");
    }
    std::vector<svm::Part> parts;
    for (size_t p = 0; p < count(); ++p) {
      parts.push_back(part(p, values ? view<double>(*values) : std::span<const double>()));
    }
    return parts;
  }
};

// Solutions, one after the other in the same arrays.
struct Solutions {
  std::vector<svm::Solution> all;

  // Some numbers of each, a row for each solution.
  template <class T, size_t columns>
  nb::ndarray<nb::numpy, T> table(std::array<T, columns> (*numbers)(const svm::Solution&)) const {
    std::vector<T> found;
    for (const svm::Solution& s : all) {
      for (const T number : numbers(s)) found.push_back(number);
    }
    return owned(std::move(found), {all.size(), columns});
  }
  // Status (by its place in svm::Status), convex, all steps, pair steps, newton_steps,
  // rows_computed, and the counts of svm::Work.
  nb::ndarray<nb::numpy, int64_t> counts() const {
    return table<int64_t, 10>([](const svm::Solution& one) -> std::array<int64_t, 10> {
      const svm::Work& work = one.work;
      return {static_cast<int64_t>(one.status),
              one.certificate.convex,
              one.steps + one.newton_steps,
              one.steps,
              one.newton_steps,
              one.rows_computed,
              work.kernel_entries,
              work.exact_entries,
              work.cache_hits,
              work.bytes};
    });
  }
  // Flops, seconds, certificate_seconds, and the seconds of svm::Work.
  nb::ndarray<nb::numpy, double> amounts() const {
    return table<double, 7>([](const svm::Solution& one) -> std::array<double, 7> {
      const svm::Work& work = one.work;
      return {one.flops,           one.seconds,           one.certificate_seconds,
              work.kernel_seconds, work.gradient_seconds, work.pair_seconds,
              work.newton_seconds};
    });
  }
  // Primal, dual, gap, violation, bound, and the intercept of each group.
  nb::ndarray<nb::numpy, double> certificates() const {
    return table<double, 7>([](const svm::Solution& one) -> std::array<double, 7> {
      const svm::Certificate& c = one.certificate;
      return {c.primal, c.dual, c.gap, c.violation, c.bound, c.intercept[0], c.intercept[1]};
    });
  }

  // A number for each variable of all solutions.
  nb::ndarray<nb::numpy, double> each(std::vector<double> svm::Solution::* member) const {
    std::vector<double> values;
    for (const svm::Solution& s : all) {
      values.insert(values.end(), (s.*member).begin(), (s.*member).end());
    }
    const size_t n = values.size();
    return owned(std::move(values), {n});
  }
  nb::ndarray<nb::numpy, double> b() const { return each(&svm::Solution::beta); }
  nb::ndarray<nb::numpy, double> gradient() const { return each(&svm::Solution::gradient); }

  // All traces, and where each begins.
  std::tuple<nb::ndarray<nb::numpy, uint8_t>, nb::ndarray<nb::numpy, int64_t>> trace() const {
    std::vector<svm::TraceRow> rows;
    std::vector<int64_t> starts{0};
    for (const svm::Solution& s : all) {
      rows.insert(rows.end(), s.trace.begin(), s.trace.end());
      starts.push_back(static_cast<int64_t>(rows.size()));
    }
    const size_t n = starts.size();
    return {trace_array(rows), owned(std::move(starts), {n})};
  }
};

// The solutions, and the exception that ended them early.
std::tuple<Solutions, Error> solve_all(const Problems& problems,
                                       const std::optional<Doubles>& start, double tol,
                                       double tol_gap, int64_t max_steps, int64_t cache_bytes,
                                       int threads, bool alone, Hook hook) {
  const std::vector<svm::Part> parts = problems.parts(start);
  Solutions solutions;
  Error error = watched(std::move(hook), threads, [&](const svm::Workers& workers) {
    problems.data.prepare(problems.kernel, workers);
    const auto gram = [&](std::span<const int64_t> rows) {
      return problems.data.gram(problems.kernel, rows);
    };
    const svm::Settings settings{.tol_gap = tol_gap,
                                 .tol_violation = tol,
                                 .max_steps = limit(max_steps),
                                 .cache_bytes = cache_bytes,
                                 .threads = threads,
                                 .alone = alone};
    solutions.all = svm::solve_all(parts, gram, settings, workers.monitor);
  });
  return {std::move(solutions), std::move(error)};
}

// The certificates of feasible points of the problems, up to where the hook said stop, and the
// exception that ended them early.
std::tuple<std::vector<svm::Certificate>, Error> certify_all(const Problems& problems,
                                                             const Doubles& b, int threads,
                                                             Hook hook) {
  const std::vector<svm::Part> parts = problems.parts(b);
  std::vector<svm::Certificate> certificates;
  Error error = watched(std::move(hook), threads, [&](const svm::Workers& workers) {
    problems.data.prepare(problems.kernel, workers);
    for (const svm::Part& part : parts) {
      if (workers.monitor.stop()) break;
      const auto gram = problems.data.gram(problems.kernel, part.rows);
      const auto found = svm::certify(*gram, part.problem, part.start, threads, workers.monitor);
      if (workers.monitor.stopped()) break;
      certificates.push_back(found);
    }
  });
  return {std::move(certificates), std::move(error)};
}

// The partial Cholesky factor of the first problem's kernel matrix, none where the hook said stop,
// and what is left of the diagonal.
std::tuple<std::optional<nb::ndarray<nb::numpy, double>>, double, Error> partial_factor(
    const Problems& problems, const Doubles& diagonal, int64_t most, double enough, int threads,
    Hook hook) {
  const std::vector<svm::Part> parts = problems.parts({});
  if (diagonal.size() != parts[0].rows.size() || most < 1) {
    throw nb::value_error("diagonal needs one value per row, and most must be at least 1");
  }
  std::optional<svm::PartialFactor> found;
  Error error = watched(std::move(hook), threads, [&](const svm::Workers& workers) {
    problems.data.prepare(problems.kernel, workers);
    const auto gram = problems.data.gram(problems.kernel, parts[0].rows);
    found = svm::partial_factor(*gram, view<double>(diagonal), most, enough, workers);
  });
  if (!found) return {std::nullopt, svm::kInfinity, std::move(error)};
  const std::vector<size_t> shape{diagonal.size(), static_cast<size_t>(found->columns)};
  return {owned(std::move(found->values), shape), found->left, std::move(error)};
}

// Some variables of a problem of one group, whose gradient somebody else computes: what they say
// about its certificate, as numbers that can be joined with those of its other variables.
struct Variables {
  Doubles target, lower, upper;
  double epsilon;
  std::optional<Doubles> ridge;

  svm::DualProblem problem(const Doubles& b, const Doubles& f) const {
    const size_t n = target.size();
    if (lower.size() != n || upper.size() != n || b.size() != n || f.size() != n ||
        (ridge && ridge->size() != n)) {
      throw nb::value_error("target, lower, upper, ridge, b and f must have the same length");
    }
    svm::DualProblem problem{view<double>(target),
                             {view<double>(lower), view<double>(upper), epsilon, {}}};
    if (ridge) problem.ridge = view<double>(*ridge);
    return problem;
  }

  // Cheapest way up, most expensive way down; sum of levels of free variables, and their number.
  nb::ndarray<nb::numpy, double> levels(const Doubles& b, const Doubles& f) const {
    const svm::Levels found = svm::levels(problem(b, f).box, b.data(), f.data());
    return owned<double>({found.extremes.up[0], found.extremes.down[0], found.sum[0],
                          static_cast<double>(found.free[0])},
                         {4});
  }

  // What they add to a certificate: the fields of svm::VariableSums that an exact one needs.
  nb::ndarray<nb::numpy, double> sums(const Doubles& b, const Doubles& f, double intercept) const {
    const svm::VariableSums found =
        svm::variable_sums(problem(b, f), b.data(), f.data(), {intercept}, 0, false);
    return owned<double>({found.quadratic, found.linear, found.difference, found.size,
                          found.beta[0], static_cast<double>(found.support)},
                         {6});
  }

  // What each costs to move up, and gives back on the way down.
  std::tuple<nb::ndarray<nb::numpy, double>, nb::ndarray<nb::numpy, double>> costs(
      const Doubles& b, const Doubles& f) const {
    const svm::Box box = problem(b, f).box;
    std::vector<double> up(b.size()), down(b.size());
    for (int64_t first = 0; first < box.size(); first += svm::Box::kBlock) {
      box.costs(first, b.data(), f.data(), up.data() + first, down.data() + first);
    }
    return {owned(std::move(up), {b.size()}), owned(std::move(down), {b.size()})};
  }
};

svm::Levels joined_levels(const Doubles& values) {
  if (values.size() != 4) throw nb::value_error("levels must be four numbers");
  svm::Levels levels;
  levels.extremes.up[0] = values.data()[0], levels.extremes.down[0] = values.data()[1];
  levels.sum[0] = values.data()[2], levels.free[0] = static_cast<int64_t>(values.data()[3]);
  return levels;
}

// The certificate of all variables, from what they have said; `error` bounds that of each f.
svm::Certificate joined_certificate(const Doubles& levels, const Doubles& sums, double total,
                                    double error) {
  if (sums.size() != 6) throw nb::value_error("sums must be six numbers");
  const svm::Levels own = joined_levels(levels);
  const double* s = sums.data();
  return svm::certificate_of({s[0], s[1], s[2], s[3], 0, {s[4]}, static_cast<int64_t>(s[5])},
                             own.extremes.violation(), own.intercepts(1), {total}, error, false);
}

// The support vectors of solutions: rows, weights and what they are to each solution.
std::tuple<nb::ndarray<nb::numpy, int64_t>, nb::ndarray<nb::numpy, double>,
           nb::ndarray<nb::numpy, int8_t>>
support_of(const Indices& index, const Indices& starts, const Doubles& b, const Doubles& lower,
           const Doubles& upper, const std::optional<Indices>& codes) {
  const svm::SolvedRows solved{view<int64_t>(index), view<int64_t>(starts), view<double>(b),
                               view<double>(lower), view<double>(upper)};
  const size_t n = b.size(), rows = index.size();
  const bool ends = solved.starts.size() > 1 && solved.starts.front() == 0 &&
                    solved.starts.back() == static_cast<int64_t>(rows) &&
                    std::ranges::is_sorted(solved.starts);
  if (!ends || (n != rows && n != 2 * rows) || lower.size() != n || upper.size() != n) {
    throw nb::value_error("b, lower and upper must have one value, or two, for each row");
  }
  const auto known = [&](int64_t row) {
    return row >= 0 && (!codes || row < static_cast<int64_t>(codes->size()));
  };
  if (!std::ranges::all_of(solved.index, known)) throw nb::index_error("a row has no code");
  svm::Support found =
      svm::support_of(solved, codes ? view<int64_t>(*codes) : std::span<const int64_t>());
  const std::vector<size_t> shape{found.rows.size(), static_cast<size_t>(solved.count())};
  std::unique_ptr<int8_t[], svm::Free> status(reinterpret_cast<int8_t*>(found.status.get()),
                                              found.status.get_deleter());
  found.status.release();
  return {owned(std::move(found.rows), {shape[0]}), owned(std::move(found.weights), shape),
          owned(std::move(status), shape)};
}

}  // namespace

void bind_dual(nb::module_& m) {
  nb::class_<svm::Certificate>(m, "Certificate")
      .def_ro("primal", &svm::Certificate::primal)
      .def_ro("dual", &svm::Certificate::dual)
      .def_ro("gap", &svm::Certificate::gap)
      .def_ro("violation", &svm::Certificate::violation)
      .def_ro("bound", &svm::Certificate::bound)
      .def_ro("convex", &svm::Certificate::convex)
      .def_prop_ro("intercepts", [](const svm::Certificate& c) {
        return std::tuple(c.intercept[0], c.intercept[1]);
      });

  nb::class_<Problems>(m, "Problems")
      .def(
          "__init__",
          [](Problems* self, const Data& data, const svm::Kernel& kernel, Indices index,
             Indices starts, Doubles target, Doubles lower, Doubles upper, double epsilon,
             Doubles2 total, std::optional<Groups> group, std::optional<Doubles> ridge) {
            new (self) Problems{data,  kernel,  index, starts, target, lower,
                                upper, epsilon, total, group,  ridge};
          },
          "data"_a, "kernel"_a, "index"_a, "starts"_a, "target"_a, "lower"_a, "upper"_a,
          "epsilon"_a, "total"_a, "group"_a.none(), "ridge"_a.none(), nb::keep_alive<1, 2>());

  nb::class_<Solutions>(m, "Solutions")
      .def_prop_ro("b", &Solutions::b, nb::rv_policy::move)
      .def_prop_ro("gradient", &Solutions::gradient, nb::rv_policy::move)
      .def_prop_ro("counts", &Solutions::counts, nb::rv_policy::move)
      .def_prop_ro("amounts", &Solutions::amounts, nb::rv_policy::move)
      .def_prop_ro("certificates", &Solutions::certificates, nb::rv_policy::move)
      .def_prop_ro("trace", &Solutions::trace, nb::rv_policy::move);

  nb::class_<Variables>(m, "Variables")
      .def(
          "__init__",
          [](Variables* self, Doubles target, Doubles lower, Doubles upper, double epsilon,
             std::optional<Doubles> ridge) {
            new (self) Variables{target, lower, upper, epsilon, ridge};
          },
          "target"_a, "lower"_a, "upper"_a, "epsilon"_a, "ridge"_a.none())
      .def("levels", &Variables::levels, "b"_a, "f"_a, nb::rv_policy::move)
      .def("sums", &Variables::sums, "b"_a, "f"_a, "intercept"_a, nb::rv_policy::move)
      .def("costs", &Variables::costs, "b"_a, "f"_a, nb::rv_policy::move);
  m.def(
      "joined_intercept",
      [](const Doubles& levels) { return joined_levels(levels).intercepts(1)[0]; }, "levels"_a);
  m.def("joined_certificate", &joined_certificate, "levels"_a, "sums"_a, "total"_a, "error"_a);

  m.def("solve_all", &solve_all, "problems"_a, "start"_a.none(), "tol"_a, "tol_gap"_a,
        "max_steps"_a, "cache_bytes"_a, "threads"_a, "alone"_a, "hook"_a);
  m.def("partial_factor", &partial_factor, "problems"_a, "diagonal"_a, "most"_a, "enough"_a,
        "threads"_a, "hook"_a, nb::rv_policy::move);
  m.def("support_of", &support_of, "index"_a, "starts"_a, "b"_a, "lower"_a, "upper"_a,
        "codes"_a.none());
  m.def("certify_all", &certify_all, "problems"_a, "b"_a, "threads"_a, "hook"_a.none());
}

}  // namespace bindings
